//! The subscriptions.

use async_graphql::{Context, Enum, SimpleObject, Subscription as Subscribes};
use futures_util::stream::BoxStream;

use crate::api::ApiError;
use crate::services::graph_runs::model::{RunChange as Change, RunId};

use super::types::{Run, store};

/// How a run changed.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunChangeKind {
    /// The run was created.
    Created,
    /// The run has changed: its status, or its attempt.
    Changed,
    /// The run was deleted.
    Deleted,
}

/// A change of a run.
#[derive(SimpleObject)]
pub struct RunChange {
    /// How the run changed.
    kind: RunChangeKind,
    /// The run after the change. A deleted run is returned as it was.
    run: Run,
}

impl From<Change> for RunChange {
    fn from(change: Change) -> Self {
        let kind = match &change {
            Change::Created(_) => RunChangeKind::Created,
            Change::Changed(_) => RunChangeKind::Changed,
            Change::Deleted(_) => RunChangeKind::Deleted,
        };
        let run = change.run().clone().into();
        Self { kind, run }
    }
}

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
        Ok(live.watch_for(move |change: &Change| {
            let run = change.run();
            let is_wanted = wanted
                .as_ref()
                .is_none_or(|id| id.as_ref() == Some(&run.id));
            (is_wanted && runs.sees(run)).then(|| change.clone().into())
        }))
    }
}
