//! The mutations: each returns the run after it, or errors that the user can correct.

use async_graphql::{Context, MergedObject, Object, SimpleObject};

use crate::api::{Answer, ApiError, UserError};
use crate::services::graph_runs::error::{ChangeError, user_errors};
use crate::services::graph_runs::model::{Run, Text};

use super::deletion::DeletionMutation;
use super::input::{
    CompleteRunInput, CreateRunInput, FailRunInput, RetryRunInput, StartRunInput, attempt, run_id,
    worker,
};
use super::types::{SignedUrl, store};

macro_rules! payloads {
    ($($(#[$doc:meta])* $type:ident)+) => {
        $(
            $(#[$doc])*
            #[derive(SimpleObject, Default)]
            pub struct $type {
                /// The run after the mutation. Null if the mutation was refused.
                run: Option<Run>,
                /// Validation errors. If not empty, nothing was changed.
                user_errors: Vec<UserError>,
            }

            impl $type {
                fn of(changed: Result<Run, ChangeError>) -> Result<Self, ApiError> {
                    Ok(match changed {
                        Ok(run) => Self { run: Some(run), ..Self::default() },
                        Err(error) => Self { user_errors: user_errors(error)?, ..Self::default() },
                    })
                }
            }
        )+
    };
}

payloads!(
    /// The result of `startRun`.
    StartRunPayload
    /// The result of `retryRun`.
    RetryRunPayload
    /// The result of `failRun`.
    FailRunPayload
    /// The result of `completeRun`.
    CompleteRunPayload
);

/// The result of `createRun`.
#[derive(SimpleObject, Default)]
pub struct CreateRunPayload {
    /// The run. Null if the mutation was refused.
    run: Option<Run>,
    /// Where to `PUT` the file. Null if the mutation was refused.
    upload: Option<SignedUrl>,
    /// Validation errors. If not empty, nothing was changed.
    user_errors: Vec<UserError>,
}

/// The mutations of graph-runs.
#[derive(MergedObject, Default)]
pub struct Mutation(RunMutation, DeletionMutation);

/// The mutations that create runs and move them on.
#[derive(Default)]
pub struct RunMutation;

/// The mutations that create runs and move them on.
#[Object]
impl RunMutation {
    /// Creates a run and returns where to upload its file. Call `startRun` after the upload.
    async fn create_run(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The run.")] input: CreateRunInput,
    ) -> Answer<CreateRunPayload> {
        let payload = async {
            let store = store(ctx)?;
            let created = match input.parse() {
                Ok(run) => store.create(run).await,
                Err(violations) => Err(ChangeError::Invalid(violations)),
            };
            Ok(match created {
                Ok((run, upload)) => CreateRunPayload {
                    run: Some(run),
                    upload: Some(upload.into()),
                    user_errors: Vec::new(),
                },
                Err(error) => CreateRunPayload {
                    user_errors: user_errors(error)?,
                    ..Default::default()
                },
            })
        };
        Some(payload.await)
    }

    /// Starts a run whose file is uploaded. From now on the file cannot be replaced. The server processes it, or the worker
    /// that calls this. A run that has started stays as it is; a worker gets it unless another worker has it.
    async fn start_run(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The run.")] input: StartRunInput,
    ) -> Answer<StartRunPayload> {
        let payload = async {
            StartRunPayload::of(match (run_id(&input.run_id), worker(input.worker_id)) {
                (_, Err(violations)) => Err(ChangeError::Invalid(violations)),
                (Some(id), Ok(worker)) => {
                    let worker = worker.as_ref().map(Text::as_str);
                    store(ctx)?.start(&id, worker).await
                }
                (None, _) => Err(ChangeError::NotFound),
            })
        };
        Some(payload.await)
    }

    /// Starts the next attempt of a stuck run.
    async fn retry_run(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The run.")] input: RetryRunInput,
    ) -> Answer<RetryRunPayload> {
        let payload = async {
            RetryRunPayload::of(match (run_id(&input.run_id), worker(input.worker_id)) {
                (_, Err(violations)) => Err(ChangeError::Invalid(violations)),
                (Some(id), Ok(worker)) => {
                    let worker = worker.as_ref().map(Text::as_str);
                    store(ctx)?.retry(&id, worker).await
                }
                (None, _) => Err(ChangeError::NotFound),
            })
        };
        Some(payload.await)
    }

    /// Ends a run without a graph: workers at any time, its owner before it starts or when it is stuck. A failed run keeps
    /// its first reason.
    async fn fail_run(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The run and the reason.")] input: FailRunInput,
    ) -> Answer<FailRunPayload> {
        let payload = async {
            FailRunPayload::of(match (run_id(&input.run_id), input.reason()) {
                (_, Err(violations)) => Err(ChangeError::Invalid(violations)),
                (Some(id), Ok(reason)) => {
                    store(ctx)?.fail(&id, attempt(input.attempt), &reason).await
                }
                (None, _) => Err(ChangeError::NotFound),
            })
        };
        Some(payload.await)
    }

    /// Completes a run whose graph its worker has uploaded. The graph is verified; each figure that does not match it is an
    /// error of its field. A run that is complete with these figures stays as it is. For workers.
    async fn complete_run(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The run and figures of its graph.")] input: CompleteRunInput,
    ) -> Answer<CompleteRunPayload> {
        let payload = async {
            let (id, number) = (run_id(&input.run_id), attempt(input.attempt));
            CompleteRunPayload::of(match (id, input.claims()) {
                (_, Err(violations)) => Err(ChangeError::Invalid(violations)),
                (Some(id), Ok(claims)) => store(ctx)?.complete(&id, number, &claims).await,
                (None, _) => Err(ChangeError::NotFound),
            })
        };
        Some(payload.await)
    }
}
