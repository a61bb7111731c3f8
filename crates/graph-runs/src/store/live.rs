//! Changes of runs as they happen in this process, for subscriptions and metrics.

use crate::model::{Run, RunChange, RunChangeKind, Status};
use trestle_api::EventBus;

use super::Runs;

impl Runs {
    /// Where changes are announced.
    pub fn live(&self) -> &EventBus<RunChange> {
        &self.place.live
    }

    /// Whether the viewer sees this run.
    pub fn sees(&self, run: &Run) -> bool {
        self.is_worker() || run.user == self.user()
    }

    /// Announces a change, and counts a run that has ended.
    pub(super) fn announce(&self, kind: RunChangeKind, run: &Run) {
        if kind == RunChangeKind::Changed && matches!(run.status, Status::Complete | Status::Failed)
        {
            let began = run.processing_at.unwrap_or(run.created_at);
            let seconds = (run.updated_at.seconds() - began.seconds()).max(0);
            let outcome = run.status.word();
            tracing::trace!(target: "trestle::work", service = super::super::NAME, outcome, seconds, "work ended");
        }
        self.place.live.announce(|| RunChange {
            kind,
            run: run.clone(),
        });
    }
}

/// Reports how many runs wait for a worker, and how many one has.
pub(super) fn report_queue(waiting: usize, taken: usize) {
    tracing::trace!(target: "trestle::work", service = super::super::NAME, waiting, taken, "work waits");
}
