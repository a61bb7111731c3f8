//! How many interests a job has.

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use crate::jobs::Job;
use crate::table::{self, TABLE};
use trestle_domain::{Id, UserId};
use trestle_table::{
    Condition, Entity, Key, KeyedAttributes, Sk, TableDefinition, TransactionBuilder,
};

use super::{Interest, InterestState};

/// How many interests a job has. Only its employer sees them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
pub struct InterestCounts {
    #[graphql(skip)]
    pub employer_id: UserId,
    #[graphql(skip)]
    pub job_id: Id<Job>,
    /// Those that wait for an answer.
    #[serde(default, deserialize_with = "trestle_domain::read_counter")]
    pub waiting: u32,
    /// Those that were approved.
    #[serde(default, deserialize_with = "trestle_domain::read_counter")]
    pub approved: u32,
    /// Those that were declined.
    #[serde(default, deserialize_with = "trestle_domain::read_counter")]
    pub declined: u32,
}

impl Entity for InterestCounts {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "interestCounts";
    const KEYED: KeyedAttributes = &[("pk", &["", "employerId"]), ("sk", &["", "jobId"])];
    type Id = (UserId, Id<Job>);

    fn key_of((employer, job): &Self::Id) -> Key {
        Key::new(table::employer(employer), Sk::of("n", job))
    }

    fn identity(&self) -> Self::Id {
        (self.employer_id.clone(), self.job_id)
    }
}

impl InterestCounts {
    /// Of a new job.
    pub fn of(job: &Job) -> Self {
        Self {
            employer_id: job.employer_id.clone(),
            job_id: job.job_id,
            waiting: 0,
            approved: 0,
            declined: 0,
        }
    }
}

/// The attribute that counts interests in a state.
fn counted(state: InterestState) -> Option<&'static str> {
    match state {
        InterestState::Waiting => Some("waiting"),
        InterestState::Approved => Some("approved"),
        InterestState::Declined => Some("declined"),
        InterestState::Rejected => None,
    }
}

/// Counts that an interest changes from one state to another. No state: it does not exist.
pub fn count<R>(
    unit: &mut TransactionBuilder<R>,
    interest: &Interest,
    from: Option<InterestState>,
    to: Option<InterestState>,
) {
    let less = from.and_then(counted).map(|attribute| (attribute, -1));
    let more = to.and_then(counted).map(|attribute| (attribute, 1));
    let numbers: Vec<_> = less.into_iter().chain(more).collect();
    if !numbers.is_empty() {
        let id = (interest.employer_id.clone(), interest.job.job_id);
        unit.add_each::<InterestCounts>(&id, &numbers, Condition::ALWAYS);
    }
}
