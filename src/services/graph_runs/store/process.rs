//! From an uploaded file to a complete run, by a process of its own.

use crate::files::FilesError;
use crate::services::graph_runs::error::ChangeError;
use crate::services::graph_runs::model::{Claims, Rule, Run, Text};
use crate::services::graph_runs::objects;
use crate::services::graph_runs::worker::{self, Ended};

use super::Runs;

impl Runs {
    /// Processes a run. A file that cannot be processed fails the run with the reason.
    pub(super) async fn process(&self, run: &Run) -> Result<(), ChangeError> {
        let max = self.settings().max_upload;
        let file = match self.files().read(&run.upload.key, max).await {
            Err(FilesError::TooLarge(max)) => {
                let reason = format!("The uploaded file has more than {max} bytes.");
                return self.failed(run, &reason).await;
            }
            found => found?,
        };
        let Some(file) = file else {
            return self.failed(run, "The uploaded file was deleted.").await;
        };
        let mut graph = self.files().writer(&objects::incoming_graph(run)).await?;
        let mut report = self.files().writer(&objects::incoming_report(run)).await?;
        let format = run.upload.format;
        let limits = (&self.settings().worker, self.settings().max_graph);
        let ended = worker::run(limits, format, file, [&mut graph, &mut report]).await;
        match ended? {
            Ended::Made => {
                for writer in [graph, report] {
                    writer.finish().await.map_err(FilesError::from)?;
                }
                let claims = Claims::default();
                match self.complete(&run.id, Some(run.attempt), &claims).await {
                    Err(ChangeError::Graph(problem)) => self.failed(run, &problem.0).await,
                    other => other.map(drop),
                }
            }
            Ended::Killed => {
                for writer in [graph, report] {
                    drop(writer.abort().await);
                }
                Err(ChangeError::WorkerKilled)
            }
            Ended::Unusable(reason) => {
                for writer in [graph, report] {
                    // A store that fails at that, too, drops it by itself.
                    drop(writer.abort().await);
                }
                self.failed(run, &reason).await
            }
        }
    }

    async fn failed(&self, run: &Run, reason: &str) -> Result<(), ChangeError> {
        let empty = || ChangeError::Invalid(Rule::Required.at("reason"));
        let reason = Text::cut(reason).ok_or_else(empty)?;
        self.fail(&run.id, Some(run.attempt), &reason)
            .await
            .map(drop)
    }
}
