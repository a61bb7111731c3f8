//! Which workers are gone, by what this server has seen of their leases.

use std::time::Duration;

use chrono::TimeDelta;

use crate::model::{Holder, Job, RunId};
use trestle_table::LeaseWatch;
use trestle_table::clock::Clock;

/// What of a job a renewal, or another worker, changes.
type Lease = (u32, u32, Option<String>);

/// The leases of workers, as this server sees them in the table. A worker is gone when its lease was seen unrenewed for its
/// whole length: the time of day at which it ends is of the clock of the server that wrote it.
#[derive(Debug)]
pub struct Leases {
    watch: LeaseWatch<RunId, Lease>,
    /// The length of a lease that does not say it, and the longest that one can have.
    usual: Duration,
    longest: Duration,
}

impl Leases {
    /// Of servers, which take them for `own`, and of other workers, which take them for `others`.
    pub fn new(clock: Clock, own: TimeDelta, others: TimeDelta) -> Self {
        let [own, others] = [own, others].map(|length| length.to_std().unwrap_or_default());
        Self {
            watch: LeaseWatch::new(clock),
            usual: own,
            longest: own.max(others),
        }
    }

    /// Whether the worker that has a job still works on it; `None` if none has it.
    pub fn holder(&self, job: &Job) -> Option<Holder> {
        let left = self.left(job)?;
        Some(if left.is_zero() {
            Holder::Gone
        } else {
            Holder::Alive
        })
    }

    /// Notes the lease of a job that was just written, so that its length passes from now on.
    pub fn note(&self, job: &Job) {
        self.left(job);
    }

    /// Whether a worker that asks gets a job: none has it, or the one that has it is gone.
    pub fn is_free(&self, job: &Job) -> bool {
        self.holder(job) != Some(Holder::Alive)
    }

    /// After how long the worker that has a job is gone, unless it renews its lease; `None` if none has it.
    pub fn left(&self, job: &Job) -> Option<Duration> {
        job.worker.as_ref()?;
        // Another program may have stored a length that is none: no worker is gone for that.
        let seconds = job
            .lease_seconds
            .and_then(|seconds| seconds.try_into().ok());
        let length = seconds
            .filter(|seconds| *seconds > 0)
            .map_or(self.usual, Duration::from_secs);
        let lease = (job.attempt, job.version, job.worker.clone());
        let unrenewed = self.watch.unrenewed(job.run_id.clone(), lease);
        Some(length.min(self.longest).saturating_sub(unrenewed))
    }
}
