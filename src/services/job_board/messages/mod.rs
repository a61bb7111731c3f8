//! Messages between the two of a match.

pub mod graphql;

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use crate::api::{ApiError, Listed, Node, Session, Stamp};
use crate::domain::{Id, Text};
use crate::stamped;
use crate::table::{Entity, Key, Listing, Pk, Sk, TableDefinition};

use super::access::Party;
use super::matches::{Match, MatchRef};
use super::table::TABLE;

/// A message. Only the two of the match see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Message {
    /// A ULID, whose time is that of sending.
    #[graphql(skip)]
    pub message_id: Id<Message>,
    #[serde(rename = "match")]
    #[graphql(skip)]
    pub of: MatchRef,
    /// Who sent it.
    pub sender: Party,
    /// Text: 1 to 4000 characters.
    pub text: Text<1, 4000>,
    #[serde(flatten)]
    #[graphql(skip)]
    pub stamp: Stamp,
}

impl Entity for Message {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "message";
    type Id = (MatchRef, Id<Message>);

    fn key_of((of, message): &Self::Id) -> Key {
        Key::new(partition(of.match_id), Sk::of("m", message))
    }

    fn identity(&self) -> Self::Id {
        (self.of.clone(), self.message_id)
    }
}

stamped!(Message);

impl Listed for Message {
    const PAGE: &'static str = "A page of messages.";
    const EDGE: &'static str = "A message in a list.";
}

impl Node for Message {
    const TAG: u8 = b'W';

    async fn shown(self, session: &Session) -> Result<Option<Self>, ApiError> {
        Ok(self.of.party(session).map(|_| self))
    }
}

/// `match#<matchId>`
fn partition(of: Id<Match>) -> Pk {
    Pk::of("match", of)
}

/// Messages of a match, the newest first. `match#<matchId>` / `m#`, one Query.
pub fn of_match(of: Id<Match>) -> Listing<Message> {
    Listing::of("messages", partition(of))
        .begins_with(Sk::word("m").below())
        .newest_first()
}
