//! The subscriptions.

use async_graphql::{Context, Subscription as Subscribes};
use futures_util::stream::BoxStream;

use crate::model::{RunChange, RunId};
use trestle_api::ApiError;

use super::types::store;

/// The subscriptions of graph-runs.
#[derive(Default)]
pub struct Subscription;

/// The subscriptions of graph-runs.
#[Subscribes]
impl Subscription {
    /// Changes of the viewer's runs, or of all runs for workers, that this server makes. Subscribe before the run is
    /// started, then read it once.
    async fn run_changed(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only changes of the run with this `runId`. Defaults to all.")]
        run_id: Option<String>,
    ) -> Result<BoxStream<'static, Result<RunChange, ApiError>>, ApiError> {
        let runs = store(ctx)?.clone();
        // Text that is no id names no run.
        let wanted = run_id.map(|text| RunId::parse(&text).ok());
        let live = runs.live().clone();
        Ok(live.watch_for(move |change: &RunChange| {
            let run = &change.run;
            let is_wanted = wanted
                .as_ref()
                .is_none_or(|id| id.as_ref() == Some(&run.id));
            (is_wanted && runs.sees(run)).then(|| change.clone())
        }))
    }
}
