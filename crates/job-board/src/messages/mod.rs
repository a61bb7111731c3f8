//! Messages between the two of a match.

pub mod graphql;

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use trestle_api::versioned;
use trestle_api::{ApiError, Listed, Node, Revision, Session};
use trestle_domain::{Id, Moment, Text, Ulid, UserId};
use trestle_table::{
    Entity, Key, KeyedAttributes, Listing, Sk, TableDefinition, TableError, Tables,
};

use super::access::Party;
use super::matches::{Match, MatchRef};
use super::runs::belonging::{Belonging, is_kept};
use super::table::{self, TABLE};

/// A message. Only the two of the match see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Message {
    /// A ULID of the server, whose time is that of storing.
    #[graphql(skip)]
    pub message_id: Id<Message>,
    #[serde(rename = "match")]
    #[graphql(skip)]
    pub of: MatchRef,
    /// Who sent it.
    pub sender: Party,
    /// Text: 1 to 4000 characters.
    pub text: Text<1, 4000>,
    #[serde(flatten, deserialize_with = "crate::stored_revision::read")]
    #[graphql(skip)]
    pub stamp: Revision,
}

impl Entity for Message {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "message";
    const KEYED: KeyedAttributes = &[("sk", &["", "messageId"])];
    type Id = (MatchRef, Id<Message>);

    fn key_of((of, message): &Self::Id) -> Key {
        Key::new(table::conversation(of.match_id), Sk::of("m", message))
    }

    fn identity(&self) -> Self::Id {
        (self.of.clone(), self.message_id)
    }
}

versioned!(Message);

impl Listed for Message {
    const PAGE: &'static str = "A page of messages.";
    const EDGE: &'static str = "A message in a list.";
}

impl Node for Message {
    const TAG: u8 = b'W';

    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
        let is_there = self.of.party(session).is_some() && is_kept(session, &self).await?;
        Ok(is_there.then_some(self))
    }
}

impl Belonging for Message {
    fn sides(&self) -> [(Party, Option<&UserId>); 2] {
        self.of.sides()
    }

    fn made_at(&self) -> Moment {
        self.stamp.created_at
    }
}

/// That a message was sent with an id that the client made up, so that the same input sent again sends nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    #[serde(rename = "match")]
    pub of: MatchRef,
    pub client_id: Ulid,
    pub message_id: Id<Message>,
    /// Later the client's id is refused as too old, in seconds after 1970.
    pub ttl: i64,
}

impl Entity for Receipt {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "messageReceipt";
    const KEYED: KeyedAttributes = &[("sk", &["", "clientId"])];
    type Id = (MatchRef, Ulid);

    fn key_of((of, client_id): &Self::Id) -> Key {
        Key::new(table::conversation(of.match_id), Sk::of("c", *client_id))
    }

    fn identity(&self) -> Self::Id {
        (self.of.clone(), self.client_id)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.ttl)
    }
}

impl Receipt {
    /// Of a message that is sent now.
    pub fn of(message: &Message, client_id: Ulid) -> Self {
        const LASTS: i64 = 2 * 24 * 60 * 60;
        Self {
            of: message.of.clone(),
            client_id,
            message_id: message.message_id,
            ttl: message.stamp.created_at.seconds() + LASTS,
        }
    }

    /// The message that was sent with this client's id before.
    pub async fn earlier(&self, tables: &Tables) -> Result<Option<Message>, TableError> {
        let Some(stored) = tables.get::<Self>(&self.identity()).await? else {
            return Ok(None);
        };
        tables.get(&(stored.of, stored.message_id)).await
    }
}

/// Messages of a match, the newest first. `match#<matchId>` / `m#`, one Query.
pub fn of_match(of: Id<Match>) -> Listing<Message> {
    Listing::of("messages", table::conversation(of))
        .begins_with(Sk::word("m").below())
        .newest_first()
}

/// What makes repeats of a match's messages harmless. `match#<matchId>` / `c#`, one Query.
pub fn receipts(of: Id<Match>) -> Listing<Receipt> {
    Listing::of("messages/receipts", table::conversation(of)).begins_with(Sk::word("c").below())
}

/// Messages of a match after one that was read, up to another one. `match#<matchId>` / `m#`, one Query for every 1,000.
pub fn between(of: Id<Match>, read: Option<Ulid>, to: Ulid) -> Listing<Message> {
    let first = read.map_or(Sk::word("m"), |read| Sk::of("m", read));
    Listing::<Message>::of("messages/between", table::conversation(of))
        .between(first, Sk::of("m", to))
        .keeping("after", move |message| {
            read.is_none_or(|read| message.message_id.raw() > read)
        })
}
