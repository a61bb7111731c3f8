//! The mutations that delete runs.

use std::collections::HashSet;

use async_graphql::InputObject;
use futures_util::{StreamExt as _, stream};

use crate::error::ChangeError;
use crate::model::Run;
use crate::store::Runs;
use trestle_api::{Batch, entries};
use trestle_api::{batch_payloads, mutations};

use super::input::named;
use super::payload::DeleteRunPayload;

/// How many runs of a batch are deleted at the same time.
const TOGETHER: usize = 8;

#[derive(InputObject)]
pub struct DeleteRunInput {
    /// The run's `runId`.
    run_id: String,
}

#[derive(InputObject)]
pub struct DeleteRunsInput {
    /// The `runId` of each run, at most 100.
    run_ids: Vec<String>,
}

batch_payloads! {
    /// The result of `deleteRuns`.
    DeleteRunsPayload {
        /// The result for each run, in the order of the input. Null with an error if the database failed.
        DeleteRunPayload of Result<Run, ChangeError>
    }
}

mutations! {
    /// The mutations that delete runs.
    DeletionMutation {
        /// Deletes a run of the viewer permanently, with its files. A worker that is processing it is refused from then on.
        delete_run(DeleteRunInput) -> DeleteRunPayload = delete,
        /// Deletes up to 100 runs, each as `deleteRun` does. A run with user errors does not affect the others.
        delete_runs(DeleteRunsInput) -> DeleteRunsPayload = delete_each,
    }
}

async fn delete(runs: &Runs, input: DeleteRunInput) -> Result<Run, ChangeError> {
    runs.delete(&named(&input.run_id)?).await
}

async fn delete_each(runs: &Runs, input: DeleteRunsInput) -> Batch<Result<Run, ChangeError>> {
    let mut seen = HashSet::new();
    let all = entries(input.run_ids, "runIds")?.enumerate();
    let (first, again): (Vec<_>, Vec<_>) = all.partition(|(_, id)| seen.insert(id.clone()));
    let delete = |(at, run_id)| async move { (at, delete(runs, DeleteRunInput { run_id }).await) };
    let first: Vec<_> = first.into_iter().map(delete).collect();
    let mut deleted: Vec<_> = stream::iter(first).buffered(TOGETHER).collect().await;
    // A run that is named again is deleted by then.
    for run in again {
        deleted.push(delete(run).await);
    }
    deleted.sort_unstable_by_key(|(at, _)| *at);
    Ok(deleted.into_iter().map(|(_, deleted)| deleted).collect())
}
