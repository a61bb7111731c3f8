//! The pipeline inside this server: from an uploaded file to a complete run.

use crate::graph_runs::artifacts;
use crate::graph_runs::error::ChangeError;
use crate::graph_runs::model::{Claims, Run, Text};
use crate::graph_runs::pipeline::{self, Made, Unusable};
use crate::table::Meter;
use crate::viewer::{Access, Viewer};

use super::{Runs, WORKER_ROLE};

impl Runs {
    /// Processes a run in the background. What is wrong with its file fails the run; what is wrong with the
    /// stores is logged, and leaves a run that will be stuck and can be retried.
    pub(super) fn work(&self, run: Run) {
        let worker = Viewer::new("pipeline", Access::Write).with_roles([WORKER_ROLE.to_owned()]);
        let runs = Runs::new(self.place.clone(), worker, Meter::default());
        tokio::spawn(async move {
            // The semaphore is never closed.
            let _job = runs.place.jobs.clone().acquire_owned().await;
            if let Err(error) = runs.process(&run).await {
                tracing::error!(error = &error as &dyn std::error::Error, run = %run.id, "a run was not processed");
            }
        });
    }

    async fn process(&self, run: &Run) -> Result<(), ChangeError> {
        let attempt = Some(run.attempt);
        let ended = match self.make(run).await? {
            Ok(made) => self.hand_in(run, made).await,
            Err(unusable) => self.give_up(run, &unusable.0).await,
        };
        match ended {
            // Someone retried or ended it meanwhile: it is theirs.
            Err(ChangeError::Impossible(why)) => {
                tracing::info!(%why, ?attempt, run = %run.id, "a run went on without this worker");
                Ok(())
            }
            other => other,
        }
    }

    async fn make(&self, run: &Run) -> Result<Result<Made, Unusable>, ChangeError> {
        let max = self.settings().max_upload;
        let found = self.artifacts().get(&run.upload.key, max).await?;
        let Some(found) = found else {
            return Ok(Err(Unusable("The uploaded file is gone.".to_owned())));
        };
        let bytes = found
            .bytes()
            .await
            .map_err(artifacts::ArtifactError::from)?;
        let format = run.upload.format;
        let made = tokio::task::spawn_blocking(move || pipeline::run(&bytes, format)).await;
        Ok(made.unwrap_or_else(|_| Err(Unusable("The file could not be processed.".to_owned()))))
    }

    async fn hand_in(&self, run: &Run, made: Made) -> Result<(), ChangeError> {
        let (environment, user, id) = (run.environment, &run.user, &run.id);
        let graph = artifacts::incoming_graph_key(environment, user, id, run.attempt);
        let report = artifacts::report_key(environment, user, id);
        self.artifacts().put(&graph, made.graph).await?;
        self.artifacts().put(&report, made.report).await?;
        let claims = Claims::default();
        match self.complete(id, Some(run.attempt), &claims).await {
            Err(ChangeError::Graph(problem)) => self.give_up(run, &problem.0).await,
            other => other.map(drop),
        }
    }

    async fn give_up(&self, run: &Run, reason: &str) -> Result<(), ChangeError> {
        let reason = Text::cut(reason).map_or_else(|| Text::parse("It failed."), Ok);
        let reason = reason.map_err(|rule| {
            ChangeError::Invalid(vec![crate::graph_runs::model::Violation {
                field: "reason",
                rule,
            }])
        })?;
        self.fail(&run.id, Some(run.attempt), &reason)
            .await
            .map(drop)
    }
}
