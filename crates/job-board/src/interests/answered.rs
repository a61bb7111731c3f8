//! Interests that an employer has answered, by their jobs: copies that are written and deleted with the answers.

use serde::{Deserialize, Serialize};

use crate::access::Party;
use crate::jobs::Job;
use crate::runs::belonging::Belonging;
use crate::table::{self, TABLE};
use trestle_domain::{Id, Moment, UserId};
use trestle_table::{Entity, Key, KeyedAttributes, Listing, Sk, TableDefinition};

use super::{Interest, InterestState};

/// A copy of an interest that was answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Answered(pub Interest);

impl Entity for Answered {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "answeredInterest";
    const KEYED: KeyedAttributes = &[
        ("pk", &["", "employerId"]),
        ("sk", &["", "", "", "seekerId"]),
    ];
    /// The employer, the job, when the seeker said so, the seeker.
    type Id = (UserId, Id<Job>, Moment, UserId);

    fn key_of((employer, job, moment, seeker): &Self::Id) -> Key {
        let moment = moment.to_string();
        let sk = Sk::of("a", job).then(moment.as_str()).then(seeker);
        Key::new(table::employer(employer), sk)
    }

    fn identity(&self) -> Self::Id {
        let Self(interest) = self;
        (
            interest.employer_id.clone(),
            interest.job.job_id,
            interest.stamp.created_at,
            interest.seeker_id.clone(),
        )
    }
}

impl Belonging for Answered {
    fn sides(&self) -> [(Party, Option<&UserId>); 2] {
        self.0.sides()
    }

    fn made_at(&self) -> Moment {
        self.0.made_at()
    }
}

impl From<Answered> for Interest {
    fn from(answered: Answered) -> Self {
        answered.0
    }
}

/// Interests in a job of an employer that have this answer, the oldest first. `employer#<employerId>` / `a#<jobId>#`, one
/// Query.
pub fn in_job(employer: &UserId, job: Id<Job>, state: InterestState) -> Listing<Answered> {
    Listing::<Answered>::of("interests/answered", table::employer(employer))
        .begins_with(Sk::of("a", job).below())
        .keeping(state.word(), move |answered| answered.0.state == state)
}

/// All interests that an employer has answered. `employer#<employerId>` / `a#`, one Query for every 1,000.
pub fn of_employer(employer: &UserId) -> Listing<Answered> {
    Listing::of("interests/answered by", table::employer(employer))
        .begins_with(Sk::word("a").below())
}
