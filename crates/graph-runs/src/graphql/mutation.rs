//! The mutations: each returns the run after it, or errors that the user can correct.

use async_graphql::MergedObject;

use crate::error::ChangeError;
use crate::model::{Run, Text};
use crate::store::Runs;
use trestle_api::mutations;
use trestle_files::SignedUrl as Signed;

use super::deletion::DeletionMutation;
use super::input::{
    CompleteRunInput, CreateRunInput, FailRunInput, RetryRunInput, StartRunInput, attempt, named,
    worker,
};
use super::payload::{
    CompleteRunPayload, CreateRunPayload, FailRunPayload, RetryRunPayload, StartRunPayload,
};

/// The mutations of graph-runs.
#[derive(MergedObject, Default)]
pub struct Mutation(RunMutation, DeletionMutation);

mutations! {
    /// The mutations that create runs and move them on.
    RunMutation {
        /// Creates a run and returns where to upload its file. Call `startRun` after the upload.
        create_run(CreateRunInput) -> CreateRunPayload = create,
        /// Starts a run whose file is uploaded. From now on the file cannot be replaced. The server processes it, or the worker
        /// that calls this. A run that has started stays as it is; a worker gets it unless another worker has it.
        start_run(StartRunInput) -> StartRunPayload = start,
        /// Starts the next attempt of a stuck run.
        retry_run(RetryRunInput) -> RetryRunPayload = retry,
        /// Ends a run without a graph: workers at any time, its owner before it starts or when it is stuck. A failed run keeps
        /// its first reason.
        fail_run(FailRunInput) -> FailRunPayload = fail,
        /// Completes a run whose graph its worker has uploaded. The graph is verified; each figure that does not match it is an
        /// error of its field. A run that is complete with these figures stays as it is. For workers.
        complete_run(CompleteRunInput) -> CompleteRunPayload = complete,
    }
}

async fn create(runs: &Runs, input: CreateRunInput) -> Result<(Run, Signed), ChangeError> {
    runs.create(input.parse()?).await
}

async fn start(runs: &Runs, input: StartRunInput) -> Result<Run, ChangeError> {
    let worker = worker(input.worker_id)?;
    let worker = worker.as_ref().map(Text::as_str);
    runs.start(&named(&input.run_id)?, worker).await
}

async fn retry(runs: &Runs, input: RetryRunInput) -> Result<Run, ChangeError> {
    let worker = worker(input.worker_id)?;
    let worker = worker.as_ref().map(Text::as_str);
    runs.retry(&named(&input.run_id)?, worker).await
}

async fn fail(runs: &Runs, input: FailRunInput) -> Result<Run, ChangeError> {
    let reason = input.reason()?;
    runs.fail(&named(&input.run_id)?, attempt(input.attempt), &reason)
        .await
}

async fn complete(runs: &Runs, input: CompleteRunInput) -> Result<Run, ChangeError> {
    let (id, number) = (named(&input.run_id), attempt(input.attempt));
    let claims = input.claims()?;
    runs.complete(&id?, number, &claims).await
}
