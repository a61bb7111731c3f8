//! Interests: what a seeker answered to a suggestion, and what the employer answered to that.

pub mod answered;
pub mod changes;
pub mod counts;
pub mod graphql;

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use trestle_api::{ApiError, Listed, Node, Revision, Session};
use trestle_domain::string_enum;
use trestle_domain::{Day, Id, Moment, UserId};
use trestle_table::{
    Entity, IndexKey, Key, KeyedAttributes, Listing, Sk, TableDefinition, Versioned,
};

use super::access::Party;
use super::jobs::{Job, JobRef};
use super::matches::Match;
use super::runs::belonging::{Belonging, is_kept};
use super::table::{self, GSI1, READ_FOR_A_PAGE, TABLE};

string_enum! {
    /// State of a seeker's interest in a job.
    InterestState {
        /// The seeker is interested; the employer has not answered.
        Waiting = "WAITING",
        /// The employer approved: there is a match.
        Approved = "APPROVED",
        /// The employer declined.
        Declined = "DECLINED",
        /// The seeker is not interested. The employer does not see it.
        Rejected = "REJECTED",
    }
}

/// A seeker's answer to a suggested job. The job is not suggested to the seeker again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Interest {
    #[graphql(skip)]
    pub seeker_id: UserId,
    #[graphql(skip)]
    pub employer_id: UserId,
    #[graphql(skip)]
    pub job: JobRef,
    /// State.
    pub state: InterestState,
    /// The day (UTC) of the answer.
    pub swiped_on: Day,
    /// The match that the approval made.
    #[graphql(skip)]
    pub match_id: Option<Id<Match>>,
    #[serde(flatten, deserialize_with = "crate::stored_revision::read")]
    #[graphql(flatten)]
    pub stamp: Revision,
}

impl Entity for Interest {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "interest";
    const KEYED: KeyedAttributes = &[("pk", &["", "seekerId"]), ("GSI1PK", &["", "employerId"])];
    type Id = (Id<Job>, UserId);

    fn key_of((job, seeker): &Self::Id) -> Key {
        Key::new(table::seeker(seeker), Sk::of("i", job))
    }

    fn identity(&self) -> Self::Id {
        (self.job.job_id, self.seeker_id.clone())
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        let moment = self.stamp.created_at.to_string();
        let sk = Sk::of("i", moment.as_str()).then(self.job.job_id);
        let key = GSI1.at(table::employer(&self.employer_id), sk.then(&self.seeker_id));
        vec![key.only_if(self.state == InterestState::Waiting)]
    }
}

impl Versioned for Interest {
    const MOMENTS: &'static [&'static str] = &["createdAt", "updatedAt", "swipedOn"];

    fn version(&self) -> u32 {
        self.stamp.version
    }

    fn advance(&mut self, now: chrono::DateTime<chrono::Utc>) {
        self.stamp.advance(now);
    }
}

impl Listed for Interest {
    const PAGE: &'static str = "A page of interests.";
    const EDGE: &'static str = "An interest in a list.";
}

impl Node for Interest {
    const TAG: u8 = b'I';

    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
        let seen = match self.party(session) {
            Some(Party::Seeker) => true,
            Some(Party::Employer) => self.state != InterestState::Rejected,
            None => false,
        };
        let is_there = seen && is_kept(session, &self).await?;
        Ok(is_there.then_some(self))
    }
}

impl Belonging for Interest {
    // That a seeker is not interested stays with the seeker.
    fn sides(&self) -> [(Party, Option<&UserId>); 2] {
        let employer = Some(&self.employer_id);
        let is_rejected = self.state == InterestState::Rejected;
        [
            (Party::Seeker, Some(&self.seeker_id)),
            (Party::Employer, employer.filter(|_| !is_rejected)),
        ]
    }

    fn made_at(&self) -> Moment {
        self.stamp.created_at
    }
}

impl Interest {
    /// The side of the viewer; `None` if they are not one of the two.
    pub fn party(&self, session: &Session) -> Option<Party> {
        Party::of(session, &self.seeker_id, &self.employer_id)
    }

    /// The match that the approval made, if there is one.
    pub fn matched(&self) -> Option<super::matches::MatchRef> {
        Some(super::matches::MatchRef {
            match_id: self.match_id?,
            job_id: self.job.job_id,
            foreign_id: self.job.foreign_id.clone(),
            seeker_id: self.seeker_id.clone(),
            employer_id: self.employer_id.clone(),
        })
    }
}

/// Interests of a seeker, by the posting of the jobs, the newest first. `seeker#<seekerId>` / `i#`, one Query.
pub fn of_seeker(seeker: &UserId, state: Option<InterestState>) -> Listing<Interest> {
    let list = Listing::<Interest>::of("interests/seeker", table::seeker(seeker))
        .begins_with(Sk::word("i").below())
        .newest_first();
    match state {
        Some(state) => list.keeping(state.word(), move |interest| interest.state == state),
        None => list,
    }
}

/// Interests that wait for an employer's answer, the oldest first. GSI1 `employer#<employerId>` / `i#`, one Query.
pub fn waiting(employer: &UserId) -> Listing<Interest> {
    Listing::on("interests/waiting", &GSI1, table::employer(employer))
        .begins_with(Sk::word("i").below())
}

/// Interests in a job that wait for its employer's answer, the oldest first: those of [`waiting`] in this job.
pub fn waiting_in(employer: &UserId, job: Id<Job>) -> Listing<Interest> {
    let of_job = move |interest: &Interest| interest.job.job_id == job;
    let list = waiting(employer).keeping(job.to_string(), of_job);
    list.reading_at_most(READ_FOR_A_PAGE)
}
