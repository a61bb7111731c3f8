//! The mutations: each answers the run as it is then, or what its sender can mend.

use async_graphql::{Context, Object, SimpleObject};

use crate::api::{ApiError, UserError};
use crate::graph_runs::error::{ChangeError, user_errors};
use crate::graph_runs::model;

use super::input::{
    CompleteRunInput, CreateRunInput, FailRunInput, RetryRunInput, StartRunInput, attempt, run_id,
};
use super::types::{Run, SignedUrl, store};

macro_rules! payloads {
    ($($(#[$doc:meta])* $type:ident)+) => {
        $(
            $(#[$doc])*
            #[derive(SimpleObject, Default)]
            pub struct $type {
                /// The run as it is now; empty where the mutation was refused.
                run: Option<Run>,
                /// What was wrong; where this is not empty, nothing was written.
                user_errors: Vec<UserError>,
            }

            impl $type {
                fn of(changed: Result<model::Run, ChangeError>) -> Result<Self, ApiError> {
                    Ok(match changed {
                        Ok(run) => Self { run: Some(run.into()), ..Self::default() },
                        Err(error) => Self { user_errors: user_errors(error)?, ..Self::default() },
                    })
                }
            }
        )+
    };
}

payloads!(
    /// What became of `startRun`.
    StartRunPayload
    /// What became of `retryRun`.
    RetryRunPayload
    /// What became of `failRun`.
    FailRunPayload
    /// What became of `completeRun`.
    CompleteRunPayload
);

/// What became of `createRun`.
#[derive(SimpleObject, Default)]
pub struct CreateRunPayload {
    /// The run; empty where the mutation was refused.
    run: Option<Run>,
    /// Where to `PUT` the file; empty where the mutation was refused.
    upload: Option<SignedUrl>,
    /// What was wrong with the input; where this is not empty, nothing was written.
    user_errors: Vec<UserError>,
}

/// What can be changed.
pub struct Mutation;

type Answer<T> = Option<Result<T, ApiError>>;

/// What can be changed.
#[Object]
impl Mutation {
    /// Makes a run, and answers where to put its file. `startRun` follows when the file is there.
    async fn create_run(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The run.")] input: CreateRunInput,
    ) -> Answer<CreateRunPayload> {
        let payload = async {
            let store = store(ctx)?;
            let created = match input.parse() {
                Ok((run, upload)) => store.create(run, upload).await,
                Err(violations) => Err(ChangeError::Invalid(violations)),
            };
            Ok(match created {
                Ok(created) => CreateRunPayload {
                    run: Some(created.run.into()),
                    upload: Some(created.upload.into()),
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

    /// Says that the file is there and its processing starts: by the server itself, or by the worker who says
    /// so. A run that has started stays as it is.
    async fn start_run(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which run.")] input: StartRunInput,
    ) -> Answer<StartRunPayload> {
        let payload = async {
            StartRunPayload::of(match run_id(&input.run_id) {
                Some(id) => store(ctx)?.start(&id).await,
                None => Err(ChangeError::NotFound),
            })
        };
        Some(payload.await)
    }

    /// Starts a stuck run again, as its next attempt.
    async fn retry_run(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which run.")] input: RetryRunInput,
    ) -> Answer<RetryRunPayload> {
        let payload = async {
            RetryRunPayload::of(match run_id(&input.run_id) {
                Some(id) => store(ctx)?.retry(&id).await,
                None => Err(ChangeError::NotFound),
            })
        };
        Some(payload.await)
    }

    /// Ends a run without a graph: for workers at any time, for its owner before it starts or when it is stuck.
    /// A run that has failed keeps its first reason.
    async fn fail_run(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which run, and why.")] input: FailRunInput,
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

    /// Says that the graph is uploaded: for workers. The graph is read and verified, and figures that differ
    /// from it are refused, each by its field. A run that is complete with these figures stays as it is.
    async fn complete_run(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which run, and what its worker says of the graph.")]
        input: CompleteRunInput,
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
