//! The work list: what workers elsewhere find to do.

use async_graphql::{ComplexObject, Context, Object};

use crate::error::workers_only;
use crate::model::Job;
use trestle_api::{ApiError, Connection, Listed, QueryResult, page};

use super::types::store;

#[ComplexObject]
impl Job {
    /// The run's `runId`, for `startRun`.
    #[graphql(name = "runId")]
    async fn id_of_run(&self) -> &str {
        self.run_id.as_str()
    }

    /// Whether `startRun` gives the run to a worker that asks: none has it, or the one that had it has lost it.
    #[graphql(name = "isFree")]
    async fn free_now(&self, ctx: &Context<'_>) -> Result<bool, ApiError> {
        Ok(store(ctx)?.is_free(self))
    }
}

impl Listed for Job {
    const PAGE: &'static str = "A page of the work list.";
    const EDGE: &'static str = "A run in the work list.";
}

/// The work list.
#[derive(Default)]
pub struct WorkQuery;

#[Object]
impl WorkQuery {
    /// The runs that wait for a worker and those that workers have, by creation time. For workers.
    async fn work_list(&self, ctx: &Context<'_>) -> QueryResult<Connection<Job>> {
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
