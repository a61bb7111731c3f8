//! Options of polls and votes for them: what is stored.

use async_graphql::SimpleObject;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::part::{Part, key_of_part};
use super::short_id::ShortId;
use super::table::TABLE;
use super::token::{ShareableKind, VoterName};
use crate::api::{Listed, Stamp};
use crate::domain::{List, Moment, Seconds, Text};
use crate::stamped;
use crate::table::{Condition, Entity, Key, Listing, Pk, TableDefinition};

/// The most options of a poll.
pub const MAX_OPTIONS: u32 = 20;

/// What an option says.
pub type OptionText = Text<1, 200>;

/// An option of a poll.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct PollOption {
    #[graphql(skip)]
    pub short_id: ShortId,
    #[graphql(skip)]
    pub poll_option_id: Uuid,
    /// Position: the options of a poll are in ascending order of it.
    pub order: f64,
    /// Text, 1 to 200 characters.
    pub text: OptionText,
    /// Number of votes for it.
    #[graphql(skip)]
    pub votes: u32,
    /// The poll's, so that a vote needs no read of it.
    #[graphql(skip)]
    pub votable_until: Moment<Seconds>,
    /// The poll's, so that a vote needs no read of it.
    #[graphql(skip)]
    pub allows_several: bool,
    /// The poll's, so that an option shows its votes by itself.
    #[graphql(skip)]
    pub hides_results: bool,
    #[graphql(skip)]
    pub ttl: i64,
}

/// `poll_option#abcdef12345` / `01#<uuid without dashes>#`.
impl Entity for PollOption {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "poll_option";
    type Id = (ShortId, Uuid);

    fn key_of((short_id, id): &Self::Id) -> Key {
        key_of_part(Self::KIND, short_id, id)
    }

    fn identity(&self) -> Self::Id {
        (self.short_id.clone(), self.poll_option_id)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.ttl)
    }
}

impl Part for PollOption {
    const OF: ShareableKind = ShareableKind::Poll;

    fn order(&self) -> f64 {
        self.order
    }
}

impl PollOption {
    /// Whether it is too early to show its votes.
    pub fn hides_votes(&self, now: DateTime<Utc>) -> bool {
        self.hides_results && now.timestamp() < self.votable_until.seconds()
    }

    /// What holds of an option that takes a vote for one option, or for several, at `now`.
    pub fn takes_votes(now: Moment<Seconds>, count: usize) -> Condition {
        // The moment at which a poll closes is the first at which it is closed.
        let open = Condition::at_least("votableUntil", &now.after(now));
        match count {
            0 | 1 => open,
            _ => open.and(Condition::is("allowsSeveral", &true)),
        }
    }
}

/// A vote in a poll. A voter has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct PollVote {
    #[graphql(skip)]
    pub short_id: ShortId,
    /// Made of the id that the voter keeps secret.
    #[graphql(skip)]
    pub voter_id: Uuid,
    /// Name of the voter, if they gave one.
    pub voter_name: Option<VoterName>,
    #[graphql(skip)]
    pub options: List<Uuid, 20>,
    #[graphql(skip)]
    pub ttl: i64,
    #[serde(flatten)]
    #[graphql(skip)]
    pub stamp: Stamp,
}

/// `poll_vote#abcdef12345` / `01#<voter without dashes>#`.
impl Entity for PollVote {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "poll_vote";
    type Id = (ShortId, Uuid);

    fn key_of((short_id, voter): &Self::Id) -> Key {
        key_of_part(Self::KIND, short_id, voter)
    }

    fn identity(&self) -> Self::Id {
        (self.short_id.clone(), self.voter_id)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.ttl)
    }
}

stamped!(PollVote);

impl Listed for PollVote {
    const PAGE: &'static str = "A page of votes.";
    const EDGE: &'static str = "A vote in a list.";
}

/// The votes of a poll, by their voters' ids. `poll_vote#abcdef12345`, one Query.
pub fn votes_of(short_id: &ShortId) -> Listing<PollVote> {
    Listing::of("votes/poll", Pk::of(PollVote::KIND, short_id))
}
