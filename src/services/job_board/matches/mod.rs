//! Matches: an employer approved a seeker's interest in a job, and the two can write to each other.

pub mod graphql;

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use crate::api::{ApiError, IdBytes, Listed, Node, Session, Stamp};
use crate::domain::{Day, Id, Ulid, UserId};
use crate::stamped;
use crate::table::{Condition, Entity, IndexKey, Key, Listing, Sk, TableDefinition};

use super::access::Party;
use super::jobs::{Date, Job, JobRef, day_of, read_text, write_text};
use super::table::{self, GSI1, TABLE};

/// A seeker and an employer who are interested in each other. Only the two see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Match {
    /// A ULID, whose time is that of the approval.
    #[graphql(skip)]
    pub match_id: Id<Match>,
    #[graphql(skip)]
    pub seeker_id: UserId,
    #[graphql(skip)]
    pub employer_id: UserId,
    #[graphql(skip)]
    pub job: JobRef,
    /// The last message that the seeker has read.
    #[graphql(skip)]
    pub seeker_read: Option<Ulid>,
    /// The last message that the employer has read.
    #[graphql(skip)]
    pub employer_read: Option<Ulid>,
    #[serde(flatten)]
    #[graphql(flatten)]
    pub stamp: Stamp,
}

/// What the keys of a match and of its messages are made of, and the employer, who is verified with the match. Clients
/// have it as the match's id, so that no look-up is needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchRef {
    pub match_id: Id<Match>,
    pub job_id: Id<Job>,
    pub seeker_id: UserId,
    pub employer_id: UserId,
}

impl Entity for Match {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "match";
    type Id = MatchRef;

    fn key_of(id: &MatchRef) -> Key {
        let sk = Sk::of("j", Date(id.match_id.raw())).then(id.job_id);
        Key::new(table::seeker(&id.seeker_id), sk)
    }

    fn identity(&self) -> MatchRef {
        MatchRef {
            match_id: self.match_id,
            job_id: self.job.job_id,
            seeker_id: self.seeker_id.clone(),
            employer_id: self.employer_id.clone(),
        }
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        let sk = Sk::of("m", Date(self.match_id.raw())).then(self.job.job_id);
        let key = GSI1.at(table::employer(&self.employer_id), sk.then(&self.seeker_id));
        vec![key]
    }
}

stamped!(Match);

impl Listed for Match {
    const PAGE: &'static str = "A page of matches.";
    const EDGE: &'static str = "A match in a list.";
}

impl IdBytes for MatchRef {
    fn write(&self, to: &mut Vec<u8>) {
        self.match_id.write(to);
        self.job_id.write(to);
        write_text(self.seeker_id.as_str(), to);
        write_text(self.employer_id.as_str(), to);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let match_id = Id::<Match>::read(from)?;
        day_of(match_id.raw())?;
        Some(Self {
            match_id,
            job_id: Id::read(from)?,
            seeker_id: UserId::parse(read_text(from)?).ok()?,
            employer_id: UserId::parse(read_text(from)?).ok()?,
        })
    }
}

impl Node for Match {
    const TAG: u8 = b'M';

    async fn shown(self, session: &Session) -> Result<Option<Self>, ApiError> {
        Ok(self.party(session).map(|_| self))
    }
}

impl MatchRef {
    /// The side of the viewer, as far as the id can be trusted.
    pub fn party(&self, session: &Session) -> Option<Party> {
        Party::of(session, &self.seeker_id, &self.employer_id)
    }

    /// The stored match is the one that the id names, between these two.
    pub fn is_true(&self) -> Condition {
        Condition::All(vec![
            Condition::is("matchId", &self.match_id),
            Condition::is("seekerId", &self.seeker_id),
            Condition::is("employerId", &self.employer_id),
        ])
    }
}

impl Match {
    /// The side of the viewer; `None` if they are not one of the two.
    pub fn party(&self, session: &Session) -> Option<Party> {
        Party::of(session, &self.seeker_id, &self.employer_id)
    }

    /// The last message that a side has read.
    pub fn read_by(&self, party: Party) -> Option<Ulid> {
        match party {
            Party::Seeker => self.seeker_read,
            Party::Employer => self.employer_read,
        }
    }

    /// The match after a side has read up to a message. Reading never goes back.
    pub fn reading(&self, party: Party, message: Ulid) -> Self {
        let mut next = self.clone();
        let read = match party {
            Party::Seeker => &mut next.seeker_read,
            Party::Employer => &mut next.employer_read,
        };
        if read.is_none_or(|read| read < message) {
            *read = Some(message);
        }
        next
    }
}

/// Matches of a side, from one day of approval to another, the newest first. For a seeker: `seeker#<seekerId>` / `j#`;
/// for an employer: GSI1 `employer#<employerId>` / `m#`. One Query.
pub fn of_party(party: Party, id: &UserId, from: Option<Day>, to: Option<Day>) -> Listing<Match> {
    let (list, word) = match party {
        Party::Seeker => (Listing::of("matches/seeker", table::seeker(id)), "j"),
        Party::Employer => (
            Listing::on("matches/employer", &GSI1, table::employer(id)),
            "m",
        ),
    };
    let day = |day: Day| Sk::of(word, day);
    let list = match (from, to) {
        (None, None) => list.begins_with(Sk::word(word).below()),
        (from, Some(to)) => list.between(from.map_or(Sk::word(word), day), day(to)),
        (Some(from), None) => list.between(day(from), Sk::word(word)),
    };
    list.newest_first()
}
