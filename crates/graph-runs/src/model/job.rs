//! The work that a started run stands for, and the lease of the worker that does it.

use async_graphql::SimpleObject;
use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

use super::{Impossible, Run, RunId, Timestamp, UserId};

/// How many workers may end over a run before it fails: its file may be the cause.
pub const MAX_TRIES: u32 = 3;
/// How many attempts a run may have, however they ended.
pub const MAX_ATTEMPTS: u32 = 100;

/// A run that waits for a worker, or that a worker has.
// It exists from the start of a run to its end.
#[derive(SimpleObject, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[graphql(complex, name = "Work")]
pub struct Job {
    /// The run.
    #[graphql(skip)]
    pub run_id: RunId,
    /// Its owner.
    #[graphql(skip)]
    pub user_id: UserId,
    /// When the run was created.
    #[graphql(skip)]
    pub created_at: Timestamp,
    /// The attempt.
    pub attempt: u32,
    /// When the attempt started to wait.
    pub queued_at: Timestamp,
    /// Number of workers that had the run and lost it. Servers that ended are not counted: they analyze files in processes
    /// of their own.
    #[serde(default, deserialize_with = "trestle_domain::read_counter")]
    pub tries: u32,
    /// The worker that has it.
    #[graphql(skip)]
    pub worker: Option<String>,
    /// When the lease of the worker that has it ends. Null if no worker has it.
    // By the clock of the server that wrote it, so that no other one decides by it.
    #[graphql(name = "leasedUntil")]
    pub lease_until: Option<Timestamp>,
    /// How long that lease is, in seconds.
    #[serde(default)]
    #[graphql(skip)]
    pub lease_seconds: Option<i64>,
    /// Counts the changes.
    #[graphql(skip)]
    pub version: u32,
}

/// A worker, and for how long it gets a run.
#[derive(Clone, Debug)]
pub struct Claimant {
    /// Unique among workers.
    pub worker: String,
    /// What it is.
    pub kind: WorkerKind,
    /// The lease.
    pub lease: TimeDelta,
}

/// What a worker is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerKind {
    /// A server. It analyzes each file in a process of its own, so that its end says nothing about a file.
    Server,
    /// Another program, which a file may have ended.
    External,
}

/// Whether the worker that has a run still works on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// It may.
    Alive,
    /// It has not renewed its lease in time.
    Gone,
}

/// What a worker gets that asks for a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It has the run already.
    Own,
    /// The run is free: the job with the worker's lease.
    Free(Box<Job>),
    /// The run's worker has lost it: the job of the next attempt.
    Lost(Box<Job>),
}

impl Job {
    /// The work of a run's attempt, for this worker if one is named.
    pub fn of(run: &Run, claimant: Option<&Claimant>, now: Timestamp) -> Self {
        let job = Self {
            run_id: run.id.clone(),
            user_id: run.user.clone(),
            created_at: run.created_at,
            attempt: run.attempt,
            queued_at: now,
            tries: 0,
            worker: None,
            lease_until: None,
            lease_seconds: None,
            version: 1,
        };
        match claimant {
            Some(claimant) => job.leased(claimant, now),
            None => job,
        }
    }

    /// Gives the run to a worker, if none has it or its `holder` is gone.
    ///
    /// # Errors
    /// [`Impossible::Owned`].
    pub fn claim(
        &self,
        claimant: &Claimant,
        holder: Option<Holder>,
        now: Timestamp,
    ) -> Result<Claim, Impossible> {
        match &self.worker {
            Some(worker) if *worker == claimant.worker => Ok(Claim::Own),
            None => Ok(Claim::Free(Box::new(self.clone().leased(claimant, now)))),
            Some(_) if holder == Some(Holder::Gone) => {
                let lost = match claimant.kind {
                    WorkerKind::Server => 0,
                    WorkerKind::External => 1,
                };
                let next = Self {
                    attempt: self.attempt.saturating_add(1),
                    tries: self.tries.saturating_add(lost),
                    ..self.clone()
                };
                Ok(Claim::Lost(Box::new(next.leased(claimant, now))))
            }
            Some(_) => Err(Impossible::Owned),
        }
    }

    /// The same job with a lease from `now` on.
    pub fn leased(self, claimant: &Claimant, now: Timestamp) -> Self {
        let until = now.seconds() + claimant.lease.num_seconds();
        Self {
            worker: Some(claimant.worker.clone()),
            lease_until: Timestamp::from_seconds(until),
            lease_seconds: Some(claimant.lease.num_seconds()),
            ..self
        }
    }

    /// The same job for any worker.
    pub fn handed_back(self) -> Self {
        Self {
            worker: None,
            lease_until: None,
            lease_seconds: None,
            ..self
        }
    }
}
