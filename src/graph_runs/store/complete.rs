//! Completing a run: what the worker stored is verified, and what was verified is what is kept.

use crate::graph_runs::artifacts::{self, ArtifactError, Expected, SignedUrl};
use crate::graph_runs::error::{ChangeError, StoreError};
use crate::graph_runs::graph::{Verified, Verifier};
use crate::graph_runs::model::{Claims, Impossible, Run, RunId, Status};

use super::{Runs, stream};

/// Where a worker puts what it made of a run.
#[derive(Clone, Debug)]
pub struct WorkerUploads {
    /// The graph.
    pub graph: SignedUrl,
    /// The risk report.
    pub report: SignedUrl,
}

impl Runs {
    /// Where the worker of the present attempt puts what it makes. No call.
    ///
    /// # Errors
    /// [`ChangeError::WorkersOnly`], [`ChangeError::Store`].
    pub async fn worker_uploads(&self, run: &Run) -> Result<WorkerUploads, ChangeError> {
        if !self.is_worker() {
            return Err(ChangeError::WorkersOnly);
        }
        let (files, max) = (self.artifacts(), self.settings().max_graph);
        let graph = incoming(run);
        let report = artifacts::report_key(run.environment, &run.user, &run.id);
        Ok(WorkerUploads {
            graph: files.upload_url(&graph, max, &Expected::default()).await?,
            report: files.upload_url(&report, max, &Expected::default()).await?,
        })
    }

    /// A worker says that the graph is stored. It is read as a stream, verified, and what was verified is
    /// copied to where only this server writes. A run that is complete stays as it is if the claims are true
    /// of it. GSI1 `RUN#id` and one UpdateItem; one GetItem more where the index is behind; of the object
    /// store, one read and one write of the graph, and a look at the report.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn complete(
        &self,
        id: &RunId,
        attempt: Option<u32>,
        claims: &Claims,
    ) -> Result<Run, ChangeError> {
        if !self.is_worker() {
            return Err(ChangeError::WorkersOnly);
        }
        let mut run = self.run(id).await?.ok_or(ChangeError::NotFound)?;
        if run.may_complete(attempt).is_err() {
            // The index may be behind.
            run = self.fresh(&run).await?.ok_or(ChangeError::NotFound)?;
        }
        if run.may_complete(attempt)? == Status::Complete {
            return as_claimed(run, claims);
        }
        let verified = match self.keep_verified(&run, claims).await {
            // The index may be behind a completion that has taken the incoming graph away.
            Err(ChangeError::NoGraph) => match self.fresh(&run).await? {
                Some(run) if run.status == Status::Complete => return as_claimed(run, claims),
                _ => return Err(ChangeError::NoGraph),
            },
            verified => verified?,
        };
        let report = artifacts::report_key(run.environment, &run.user, &run.id);
        let report = self.artifacts().size(&report).await?.map(|_| report);
        let keys = (graph(&run), report);
        let (now, outcome) = (self.now(), (verified.summary, verified.hash));
        let attempt = Some(run.attempt);
        let step = |run: &Run| run.complete(attempt, keys.clone(), outcome.clone(), now);
        let (run, _) = self.step(run, step).await?;
        let run = as_claimed(run, claims)?;
        if let Err(error) = self.artifacts().delete(&incoming(&run)).await {
            tracing::warn!(%error, run = %run.id, "an incoming graph was not deleted");
        }
        Ok(run)
    }

    /// Verifies the incoming graph and keeps exactly the bytes that were verified.
    async fn keep_verified(&self, run: &Run, claims: &Claims) -> Result<Verified, ChangeError> {
        let (key, max) = (incoming(run), self.settings().max_graph);
        let found = match self.artifacts().get(&key, max).await {
            Err(ArtifactError::TooLarge(max)) => return Err(ChangeError::UploadTooLarge(max)),
            found => found?.ok_or(ChangeError::NoGraph)?,
        };
        let mut copy = self.artifacts().writer(&graph(run)).await?;
        let visited = stream::visit(found, Verifier::default(), Some(&mut copy)).await;
        let verified = visited.map_err(ChangeError::from).and_then(|parsed| {
            let verified = parsed?.finish()?;
            match claims.differences(verified.summary, &verified.hash) {
                differences if differences.is_empty() => Ok(verified),
                differences => Err(ChangeError::Mismatch(differences)),
            }
        });
        match &verified {
            Ok(_) => {
                copy.finish().await.map_err(ArtifactError::from)?;
            }
            // Nothing of it is kept; a store that fails at that, too, drops it by itself.
            Err(_) => drop(copy.abort().await),
        }
        verified
    }
}

fn incoming(run: &Run) -> String {
    artifacts::incoming_graph_key(run.environment, &run.user, &run.id, run.attempt)
}

fn graph(run: &Run) -> String {
    artifacts::graph_key(run.environment, &run.user, &run.id)
}

/// A complete run, if the claims are true of it.
fn as_claimed(run: Run, claims: &Claims) -> Result<Run, ChangeError> {
    let (Some(summary), Some(hash)) = (run.summary, &run.graph_hash) else {
        return Err(StoreError::LostGraph("a complete run has no figures".to_owned()).into());
    };
    match claims.differences(summary, hash) {
        differences if differences.is_empty() => Ok(run),
        differences => Err(Impossible::OtherGraph(differences).into()),
    }
}
