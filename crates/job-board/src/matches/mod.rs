//! Matches: an employer approved a seeker's interest in a job, and the two can write to each other.

pub mod graphql;
pub mod steps;

use chrono::DateTime;
use serde::{Deserialize, Serialize};

use trestle_api::versioned;
use trestle_api::{ApiError, IdBytes, Listed, Node, Revision, Session};
use trestle_domain::{Day, Id, Moment, Ulid, UserId, string_enum};
use trestle_table::{
    Condition, Entity, ForeignItem, IndexKey, Key, KeyedAttributes, Listing, Sk, TableDefinition,
};

use super::access::Party;
use super::foreign::{complete_match, is_nobody, nobody};
use super::jobs::{Date, Job, JobRef, day_of, read_foreign, read_text, write_foreign, write_text};
use super::runs::belonging::{Belonging, is_kept};
use super::table::{self, GSI1, TABLE};

string_enum! {
    /// How far an employer has come with a match. Only the employer sees it.
    MatchStage {
        /// The application is read.
        Screening = "SCREENING",
        /// There are interviews.
        Interview = "INTERVIEW",
        /// There is an offer.
        Offer = "OFFER",
        /// The seeker has the job.
        Hired = "HIRED",
        /// It does not go on.
        Rejected = "REJECTED",
    }
}

/// A seeker and an employer who are interested in each other. Only the two see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Match {
    /// A ULID, whose time is that of the approval.
    pub match_id: Id<Match>,
    pub seeker_id: UserId,
    /// Nobody if another program does not say it.
    #[serde(default = "nobody", skip_serializing_if = "is_nobody")]
    pub employer_id: UserId,
    pub job: JobRef,
    /// The last message that the seeker has read.
    pub seeker_read: Option<Ulid>,
    /// The last message that the employer has read.
    pub employer_read: Option<Ulid>,
    /// How many messages each side has sent.
    #[serde(default, deserialize_with = "trestle_domain::read_counter")]
    pub seeker_sent: u32,
    #[serde(default, deserialize_with = "trestle_domain::read_counter")]
    pub employer_sent: u32,
    /// How many messages of the other side each side has read.
    #[serde(default, deserialize_with = "trestle_domain::read_counter")]
    pub seeker_seen: u32,
    #[serde(default, deserialize_with = "trestle_domain::read_counter")]
    pub employer_seen: u32,
    /// The newest message, which has the largest id.
    pub last_message: Option<Ulid>,
    /// How far the employer has come with it; `None` at first.
    pub stage: Option<MatchStage>,
    /// How many steps the employer has made. Their changes are not shown to the seeker.
    #[serde(default, deserialize_with = "trestle_domain::read_counter")]
    pub moves: u32,
    /// When the match was last changed before the employer's steps since then; `None` if there are none.
    pub changed_before: Option<Moment>,
    #[serde(flatten, deserialize_with = "crate::stored_revision::read")]
    pub stamp: Revision,
}

/// What the keys of a match and of its messages are made of, and the employer, who is verified with the match. Clients
/// have it as the match's id, so that no look-up is needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchRef {
    pub match_id: Id<Match>,
    pub job_id: Id<Job>,
    /// The id that another program gave the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreign_id: Option<String>,
    pub seeker_id: UserId,
    #[serde(default = "nobody", skip_serializing_if = "is_nobody")]
    pub employer_id: UserId,
}

impl Entity for Match {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "match";
    const KEYED: KeyedAttributes = &[("pk", &["", "seekerId"]), ("GSI1PK", &["", "employerId"])];
    type Id = MatchRef;

    fn complete(item: &mut ForeignItem<'_>) {
        complete_match(item);
    }

    fn key_of(id: &MatchRef) -> Key {
        let sk = Sk::of("j", Date(id.match_id.raw()));
        let sk = match &id.foreign_id {
            Some(foreign) => sk.then(foreign),
            None => sk.then(id.job_id),
        };
        Key::new(table::seeker(&id.seeker_id), sk)
    }

    fn identity(&self) -> MatchRef {
        MatchRef {
            match_id: self.match_id,
            job_id: self.job.job_id,
            foreign_id: self.job.foreign_id.clone(),
            seeker_id: self.seeker_id.clone(),
            employer_id: self.employer_id.clone(),
        }
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        let sk = Sk::of("m", Date(self.match_id.raw())).then(self.job.keyed_id());
        let key = GSI1.at(table::employer(&self.employer_id), sk.then(&self.seeker_id));
        vec![key.only_if(!is_nobody(&self.employer_id))]
    }
}

versioned!(Match);

impl Listed for Match {
    const PAGE: &'static str = "A page of matches.";
    const EDGE: &'static str = "A match in a list.";
}

impl IdBytes for MatchRef {
    fn write(&self, to: &mut Vec<u8>) {
        write_foreign(self.foreign_id.as_deref(), to);
        self.match_id.write(to);
        self.job_id.write(to);
        write_text(self.seeker_id.as_str(), to);
        write_text(self.employer_id.as_str(), to);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let foreign_id = read_foreign(from)?;
        let match_id = Id::<Match>::read(from)?;
        day_of(match_id.raw())?;
        Some(Self {
            match_id,
            foreign_id,
            job_id: Id::read(from)?,
            seeker_id: UserId::parse(read_text(from)?).ok()?,
            employer_id: UserId::new(read_text(from)?),
        })
    }
}

impl Node for Match {
    const TAG: u8 = b'M';

    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
        let is_there = self.party(session).is_some() && is_kept(session, &self).await?;
        Ok(is_there.then_some(self))
    }
}

impl Belonging for Match {
    fn sides(&self) -> [(Party, Option<&UserId>); 2] {
        between(&self.seeker_id, &self.employer_id)
    }

    fn made_at(&self) -> Moment {
        self.stamp.created_at
    }
}

impl Belonging for MatchRef {
    fn sides(&self) -> [(Party, Option<&UserId>); 2] {
        between(&self.seeker_id, &self.employer_id)
    }

    fn made_at(&self) -> Moment {
        // Every id that is read has a moment.
        let moment = self.match_id.raw().moment();
        Moment::new(moment.unwrap_or(DateTime::UNIX_EPOCH))
    }
}

/// The two between whom something is.
pub fn between<'u>(seeker: &'u UserId, employer: &'u UserId) -> [(Party, Option<&'u UserId>); 2] {
    [
        (Party::Seeker, Some(seeker)),
        (Party::Employer, Some(employer)),
    ]
}

impl MatchRef {
    /// The side of the viewer, as far as the id can be trusted.
    pub fn party(&self, session: &Session) -> Option<Party> {
        Party::of(session, &self.seeker_id, &self.employer_id)
    }

    /// The side on which the viewer wants to act, as far as the id can be trusted.
    pub fn chosen(&self, side: Option<Party>, session: &Session) -> Option<Party> {
        Party::chosen(side, session, &self.seeker_id, &self.employer_id)
    }

    /// Nothing has followed from the match: no message, no stage and no note.
    pub fn is_untouched(&self) -> Condition {
        let none = |count| Condition::is(count, &0);
        Condition::All(vec![
            self.is_true(),
            none(sent_by(Party::Seeker)),
            none(sent_by(Party::Employer)),
            Condition::Lacks("stage".into()),
            Condition::version("version", 1),
        ])
    }

    /// The stored match is the one that the id names, and has no later message than this one.
    pub fn ends_before(&self, message: Ulid) -> Condition {
        let earlier = Condition::Any(vec![
            Condition::Lacks(LAST_MESSAGE.into()),
            Condition::at_most(LAST_MESSAGE, &message),
        ]);
        self.is_true().and(earlier)
    }

    /// The stored match is the one that the id names, between these two.
    pub fn is_true(&self) -> Condition {
        let employer = if is_nobody(&self.employer_id) {
            Condition::Lacks("employerId".into())
        } else {
            Condition::is("employerId", &self.employer_id)
        };
        Condition::All(vec![
            Condition::is("matchId", &self.match_id),
            Condition::is("seekerId", &self.seeker_id),
            employer,
        ])
    }
}

/// The attribute with the newest message.
pub const LAST_MESSAGE: &str = "lastMessage";

/// The attribute that counts what a side has sent.
pub fn sent_by(party: Party) -> &'static str {
    match party {
        Party::Seeker => "seekerSent",
        Party::Employer => "employerSent",
    }
}

impl Match {
    /// A match of two that is made now.
    pub fn new(
        match_id: Id<Self>,
        seeker_id: UserId,
        employer_id: UserId,
        job: JobRef,
        stamp: Revision,
    ) -> Self {
        Self {
            match_id,
            seeker_id,
            employer_id,
            job,
            seeker_read: None,
            employer_read: None,
            seeker_sent: 0,
            employer_sent: 0,
            seeker_seen: 0,
            employer_seen: 0,
            last_message: None,
            stage: None,
            moves: 0,
            changed_before: None,
            stamp,
        }
    }

    /// The side of the viewer; `None` if they are not one of the two.
    pub fn party(&self, session: &Session) -> Option<Party> {
        Party::of(session, &self.seeker_id, &self.employer_id)
    }

    /// Whether it is the viewer's as an employer.
    pub fn is_of_employer(&self, session: &Session) -> bool {
        self.identity()
            .chosen(Some(Party::Employer), session)
            .is_some()
    }

    /// The last message that a side has read.
    pub fn read_by(&self, party: Party) -> Option<Ulid> {
        match party {
            Party::Seeker => self.seeker_read,
            Party::Employer => self.employer_read,
        }
    }

    /// The match after a side has read up to a message, before which it had not read `count` messages of the other side.
    pub fn reading(&self, party: Party, message: Ulid, count: u32) -> Self {
        let mut next = Self {
            changed_before: None,
            ..self.clone()
        };
        let (read, seen, sent) = match party {
            Party::Seeker => (
                &mut next.seeker_read,
                &mut next.seeker_seen,
                self.employer_sent,
            ),
            Party::Employer => (
                &mut next.employer_read,
                &mut next.employer_seen,
                self.seeker_sent,
            ),
        };
        *read = Some(message);
        *seen = seen.saturating_add(count).min(sent);
        next
    }

    /// The match after a step of the employer, of which the seeker sees nothing.
    pub fn moved(&self) -> Self {
        Self {
            moves: self.moves.saturating_add(1),
            changed_before: self.changed_before.or(Some(self.stamp.updated_at)),
            ..self.clone()
        }
    }

    /// Its revision as far as the viewer may see the changes.
    pub fn revision(&self, session: &Session) -> Revision {
        if self.is_of_employer(session) {
            self.stamp.clone()
        } else {
            Revision {
                version: self.stamp.version.saturating_sub(self.moves),
                updated_at: self.changed_before.unwrap_or(self.stamp.updated_at),
                ..self.stamp.clone()
            }
        }
    }

    /// The stored match has as many messages as this one.
    pub fn has_sent(&self) -> Condition {
        let count = |party, count| Condition::is(sent_by(party), count);
        count(Party::Seeker, &self.seeker_sent).and(count(Party::Employer, &self.employer_sent))
    }

    /// How many messages of the other side a side has not read.
    pub fn unread_by(&self, party: Party) -> u32 {
        match party {
            Party::Seeker => self.employer_sent.saturating_sub(self.seeker_seen),
            Party::Employer => self.seeker_sent.saturating_sub(self.employer_seen),
        }
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
