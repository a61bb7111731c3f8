//! The work list: what workers elsewhere find to do.

use async_graphql::{Context, Object, SimpleObject};

use crate::api::{Answer, Connection, DateTime, Listed, page};
use crate::services::graph_runs::error::workers_only;
use crate::services::graph_runs::model::Job;

use super::types::{moment, store};

/// A run that waits for a worker, or that a worker has.
#[derive(SimpleObject)]
#[graphql(complex)]
pub struct Work {
    /// The run's `runId`, for `startRun`.
    run_id: String,
    /// The attempt.
    attempt: u32,
    /// When the attempt started to wait.
    queued_at: DateTime,
    /// Number of workers that had the run and lost it.
    tries: u32,
    /// When the lease of the worker that has it ends. Null if no worker has it.
    leased_until: Option<DateTime>,
    #[graphql(skip)]
    job: Job,
}

/// A run that waits for a worker, or that a worker has.
#[async_graphql::ComplexObject]
impl Work {
    /// Whether `startRun` gives the run to a worker that asks: none has it, or the one that had it has lost it.
    async fn is_free(&self, ctx: &Context<'_>) -> Result<bool, crate::api::ApiError> {
        Ok(self.job.is_free(store(ctx)?.now()))
    }
}

impl Listed for Work {
    const PAGE: &'static str = "A page of the work list.";
    const EDGE: &'static str = "A run in the work list.";
}

impl From<Job> for Work {
    fn from(job: Job) -> Self {
        Self {
            run_id: job.run_id.to_string(),
            attempt: job.attempt,
            queued_at: moment(job.queued_at),
            tries: job.tries,
            leased_until: job.lease_until.map(moment),
            job,
        }
    }
}

/// The work list.
#[derive(Default)]
pub struct WorkQuery;

/// The work list.
#[Object]
impl WorkQuery {
    /// The runs that wait for a worker and those that workers have, by creation time. For workers.
    async fn work_list(&self, ctx: &Context<'_>) -> Answer<Connection<Work>> {
        let work = async {
            let runs = store(ctx)?;
            if !runs.is_worker() {
                return Err(workers_only());
            }
            page(ctx, &runs.work_list(), &()).await
        };
        Some(work.await)
    }
}
