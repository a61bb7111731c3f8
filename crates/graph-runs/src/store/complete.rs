//! Completing a run: what the worker stored is verified, and exactly the bytes that were verified are kept.

use crate::error::{ChangeError, StoreError};
use crate::graph::{Verified, Verifier};
use crate::model::{Claims, Impossible, Results, Run, RunId, Status};
use crate::objects;
use trestle_files::{FilesError, SignedUrl, Upload};

use super::seal::unique;
use super::{Runs, URL_LIFETIME, change, stream};

impl Runs {
    /// Where the worker of the present attempt puts the graph and the report; `None` for other viewers, and unless the run
    /// is processing. No call.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn worker_uploads(
        &self,
        run: &Run,
    ) -> Result<Option<(SignedUrl, SignedUrl)>, StoreError> {
        if !self.is_worker() || run.status != Status::Processing {
            return Ok(None);
        }
        let (files, max_bytes) = (self.files(), self.settings().max_graph);
        let (graph, report) = (objects::incoming_graph(run), objects::incoming_report(run));
        let upload = Upload {
            max_bytes,
            ..Upload::default()
        };
        let graph = files.upload_url(&graph, &upload, URL_LIFETIME).await?;
        let report = files.upload_url(&report, &upload, URL_LIFETIME).await?;
        Ok(Some((graph, report)))
    }

    /// Completes a run with the graph that its worker has stored. The graph is copied to a key of its attempt and hash,
    /// verified as a stream on the way; the table names the copy that counts, so that a late attempt changes nothing. A
    /// complete run stays as it is if the claims are true of it. GSI1 `RUN#id` and one TransactWriteItems; one GetItem
    /// more if the index is stale. Of the object store, one read of graph and report each, and copies.
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
        let mut run = self.run_to_change(id).await?;
        if run.may_complete(attempt).is_err() {
            // The index may be stale.
            run = self.fresh(&run).await?.ok_or(ChangeError::NotFound)?;
        }
        if run.may_complete(attempt)? == Status::Complete {
            return as_claimed(run, claims);
        }
        let (verified, key) = match self.keep_verified(&run, claims).await {
            // The index may be older than a completion that has deleted the incoming graph.
            Err(ChangeError::NoGraph) => match self.fresh(&run).await? {
                Some(run) if run.status == Status::Complete => return as_claimed(run, claims),
                _ => return Err(ChangeError::NoGraph),
            },
            verified => verified?,
        };
        let incoming = [
            objects::incoming_graph(&run),
            objects::incoming_report(&run),
        ];
        let report = self
            .keep(&run, &incoming[1], "reports", |sha256| {
                objects::report(&run, sha256)
            })
            .await?;
        let results = Results {
            graph_key: key.clone(),
            report_key: report,
            summary: verified.summary,
            hash: verified.hash,
        };
        let now = self.now();
        let attempt = Some(run.attempt);
        let completed = self.step(run, |run, unit| {
            let next = run.complete(attempt, results.clone(), now)?;
            if run.status == Status::Processing {
                change::end(run, unit);
            }
            Ok(next)
        });
        // If that fails, its objects are at keys of an attempt that is over; deleting the run deletes them.
        let run = completed.await?.entity;
        if run.graph_key.as_ref() != Some(&key) {
            self.discard(&key).await;
        }
        let run = as_claimed(run, claims)?;
        for key in &incoming {
            self.discard(key).await;
        }
        Ok(run)
    }

    /// Verifies the incoming graph and keeps exactly the bytes that were verified, at the key that is returned.
    async fn keep_verified(
        &self,
        run: &Run,
        claims: &Claims,
    ) -> Result<(Verified, String), ChangeError> {
        let max = self.settings().max_graph;
        let found = match self.files().get(&objects::incoming_graph(run), max).await {
            Err(FilesError::TooLarge(max)) => return Err(ChangeError::UploadTooLarge(max)),
            found => found?.ok_or(ChangeError::NoGraph)?,
        };
        let part = objects::part(run, "graphs", &unique());
        let mut copy = self.files().writer(&part).await?;
        let visited = stream::visit(found, Verifier::default(), Some(&mut copy)).await;
        let verified = visited.map_err(ChangeError::from).and_then(|parsed| {
            let verified = parsed?.finish()?;
            match claims.differences(verified.summary, &verified.hash) {
                differences if differences.is_empty() => Ok(verified),
                differences => Err(ChangeError::Mismatch(differences)),
            }
        });
        match verified {
            Ok(verified) => {
                copy.finish().await.map_err(FilesError::from)?;
                let key = objects::graph(run, &verified.hash);
                if self.files().size(&key).await?.is_none() {
                    self.files().copy(&part, &key).await?;
                }
                self.files().delete(&part).await?;
                Ok((verified, key))
            }
            Err(error) => {
                // Nothing of it is kept; a store that fails at that, too, drops it by itself.
                drop(copy.abort().await);
                Err(error)
            }
        }
    }
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
