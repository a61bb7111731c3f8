//! Runs: the work of making suggestions that is still to be done. A run is written in the transaction that makes it
//! necessary, so that no crash loses it, and deleted when it is done.

pub mod belonging;
mod deletion;
mod for_job;
mod for_seeker;
pub mod making;
pub mod orphans;
mod pool;
mod reading;
pub mod renewal;
pub mod runner;
pub mod suggest;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use trestle_domain::{Moment, RawId as _, Ulid, UserId};
use trestle_table::{Condition, Entity, Key, Listing, Pk, Sk, TableDefinition};

use super::access::Party;
use super::jobs::JobRef;
use super::table::TABLE;

/// For what suggestions are made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Target {
    /// For the seekers in the places of a job.
    Job(JobRef),
    /// For one seeker.
    Seeker(UserId),
    /// For every seeker.
    Everyone,
    /// For the seekers whose suggestions are to be renewed.
    Renewals,
    /// Not for anyone: what belongs to a profile that was deleted is deleted.
    Deletion(Party, UserId),
}

/// A seeker for whom the job of a run fits best so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Candidate {
    pub seeker_id: UserId,
    pub score: u32,
}

/// Work that is to be done or resumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    pub target: Target,
    /// The place of the job that is worked on.
    pub place: u32,
    /// The last seeker that is done there.
    pub after: Option<UserId>,
    /// The best seekers of those that are done.
    pub best: Option<Vec<Candidate>>,
    /// When it became necessary.
    pub requested_at: Option<Moment>,
    /// Changes whenever someone else takes the run or its work begins anew.
    pub token: Ulid,
    /// When a process last worked on it; `None` if no process has taken it.
    pub taken_at: Option<Moment>,
}

impl Entity for Run {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "run";
    type Id = Target;

    fn key_of(target: &Target) -> Key {
        let run = Sk::word("r");
        let sk = match target {
            Target::Job(job) => run.then("job").then(job.job_id),
            Target::Seeker(seeker) => run.then("seeker").then(seeker),
            Target::Everyone => run.then("everyone"),
            Target::Renewals => run.then("renewals"),
            Target::Deletion(party, user) => run.then("deletion").then(party.role()).then(user),
        };
        Key::new(Pk::word("run").closed(), sk)
    }

    fn identity(&self) -> Target {
        self.target.clone()
    }
}

impl Run {
    /// A run that has not begun. Written over an earlier one of the same target, it begins anew.
    pub fn new(target: Target, now: DateTime<Utc>) -> Self {
        Self {
            target,
            place: 0,
            after: None,
            best: None,
            requested_at: Some(Moment::new(now)),
            token: Ulid::new(now),
            taken_at: None,
        }
    }

    /// The stored run is this one.
    pub fn same(&self) -> Condition {
        Condition::is("token", &self.token)
    }
}

/// The kinds of runs, in the order in which they are done: a seeker who waits for suggestions comes before the jobs of
/// a whole file.
pub const KINDS: [&str; 5] = ["deletion", "seeker", "renewals", "everyone", "job"];

/// Those for which people wait.
pub const URGENT: [&str; 2] = ["deletion", "seeker"];

/// Every run of a kind. `run#` / `r#<kind>`, one Query.
pub fn waiting(kind: &'static str) -> Listing<Run> {
    Listing::of("runs", Pk::word("run").closed()).begins_with(Sk::word("r").beginning(kind))
}
