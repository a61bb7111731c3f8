//! The mutations that delete runs.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use futures_util::{StreamExt as _, stream};

use crate::api::{Answer, ApiError, UserError, UserErrorCode};
use crate::services::graph_runs::error::{ChangeError, user_errors};
use crate::services::graph_runs::model::Run;
use crate::services::graph_runs::store::Runs;

use super::input::run_id;
use super::types::store;

/// The most runs of one batch.
const MAX_BATCH: usize = 100;
/// How many runs of a batch are deleted at the same time.
const TOGETHER: usize = 8;

/// Input of `deleteRun`.
#[derive(InputObject)]
pub struct DeleteRunInput {
    /// The run's `runId`.
    run_id: String,
}

/// Input of `deleteRuns`.
#[derive(InputObject)]
pub struct DeleteRunsInput {
    /// The `runId` of each run, at most 100.
    run_ids: Vec<String>,
}

/// The result of `deleteRun`.
#[derive(SimpleObject, Default)]
pub struct DeleteRunPayload {
    /// The run as it was. Null if the mutation was refused.
    run: Option<Run>,
    /// Validation errors. If not empty, nothing was changed.
    user_errors: Vec<UserError>,
}

/// The result of `deleteRuns`.
#[derive(SimpleObject)]
pub struct DeleteRunsPayload {
    /// The result for each run, in the order of the input. Null with an error if the database failed.
    results: Vec<Option<Result<DeleteRunPayload, ApiError>>>,
    /// Errors of the whole input. If not empty, nothing was changed.
    user_errors: Vec<UserError>,
}

async fn delete(runs: Runs, id: String) -> Result<DeleteRunPayload, ApiError> {
    let deleted = match run_id(&id) {
        Some(id) => runs.delete(&id).await,
        None => Err(ChangeError::NotFound),
    };
    Ok(match deleted {
        Ok(run) => DeleteRunPayload {
            run: Some(run),
            ..Default::default()
        },
        Err(error) => DeleteRunPayload {
            user_errors: user_errors(error)?,
            ..Default::default()
        },
    })
}

/// The mutations that delete runs.
#[derive(Default)]
pub struct DeletionMutation;

/// The mutations that delete runs.
#[Object]
impl DeletionMutation {
    /// Deletes a run of the viewer permanently, with its files. A worker that is processing it is refused from then on.
    async fn delete_run(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The run.")] input: DeleteRunInput,
    ) -> Answer<DeleteRunPayload> {
        let payload = async { delete(store(ctx)?.clone(), input.run_id).await };
        Some(payload.await)
    }

    /// Deletes up to 100 runs, each as `deleteRun` does. A run with user errors does not affect the others.
    async fn delete_runs(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The runs.")] input: DeleteRunsInput,
    ) -> Answer<DeleteRunsPayload> {
        if input.run_ids.len() > MAX_BATCH {
            let too_many = UserError {
                code: UserErrorCode::LimitReached,
                message: format!("`runIds` must have at most {MAX_BATCH} entries."),
                field: Some(vec!["runIds".to_owned()]),
                current_version: None,
            };
            return Some(Ok(DeleteRunsPayload {
                results: Vec::new(),
                user_errors: vec![too_many],
            }));
        }
        let payload = async {
            let runs = store(ctx)?;
            let ids = input.run_ids.into_iter();
            let deletions: Vec<_> = ids.map(|id| delete(runs.clone(), id)).collect();
            let deleted: Vec<_> = stream::iter(deletions).buffered(TOGETHER).collect().await;
            Ok(DeleteRunsPayload {
                results: deleted.into_iter().map(Some).collect(),
                user_errors: Vec::new(),
            })
        };
        Some(payload.await)
    }
}
