//! Messages of a conversation.

pub mod graphql;

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use crate::api::{ApiError, Listed, Node, Session, Stamp};
use crate::domain::{Id, Link, List, Text, UserId};
use crate::table::{Entity, Key, Listing, Pk, Sk, TableDefinition};
use crate::words;

use super::conversations::{Conversation, MAX_PARTICIPANTS};
use super::table::TABLE;

words! {
    /// The type of a message.
    MessageType {
        /// Text.
        Text = "TEXT",
        /// A file, with text about it.
        File = "FILE",
        /// Written by the service.
        System = "SYSTEM",
    }
}

/// A message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Message {
    #[graphql(skip)]
    pub message_id: Id<Message>,
    #[graphql(skip)]
    pub conversation_id: Id<Conversation>,
    #[graphql(skip)]
    pub sender_id: UserId,
    /// Content, 1 to 5000 characters.
    pub content: Text<1, 5000>,
    /// Type.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub kind: MessageType,
    /// Address of the file, if the type is FILE.
    pub file_url: Option<Link>,
    #[graphql(skip)]
    pub read_by: List<UserId, MAX_PARTICIPANTS>,
    #[serde(flatten)]
    #[graphql(flatten)]
    pub stamp: Stamp,
}

impl Entity for Message {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "MESSAGE";
    type Id = (Id<Conversation>, Id<Message>);

    fn key_of((conversation, message): &Self::Id) -> Key {
        Key::new(
            Pk::of("CONVERSATION", conversation),
            Sk::of("MESSAGE", message),
        )
    }

    fn identity(&self) -> Self::Id {
        (self.conversation_id, self.message_id)
    }
}

/// The name that a sender gave a message, so that it is sent once: `CONVERSATION#conversation` / `SENT#sender#name`.
/// A message's own id is made when it is sent, so that messages sort by it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sent {
    pub conversation_id: Id<Conversation>,
    pub sender_id: UserId,
    pub sent_as: Id<Sent>,
    pub message_id: Id<Message>,
    #[serde(flatten)]
    pub stamp: Stamp,
}

impl Entity for Sent {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "MESSAGE_SENT";
    type Id = (Id<Conversation>, UserId, Id<Sent>);

    fn key_of((conversation, sender, name): &Self::Id) -> Key {
        let place = Sk::of("SENT", sender).then(*name);
        Key::new(Pk::of("CONVERSATION", conversation), place)
    }

    fn identity(&self) -> Self::Id {
        (self.conversation_id, self.sender_id.clone(), self.sent_as)
    }
}

impl Listed for Message {
    const PAGE: &'static str = "A page of messages.";
    const EDGE: &'static str = "A message in a list.";
}

impl Node for Message {
    const TAG: u8 = b'M';

    async fn shown(self, session: &Session) -> Result<Option<Self>, ApiError> {
        let conversation = session.load::<Conversation>(&self.conversation_id).await?;
        let shown = match conversation {
            Some(conversation) => conversation.shown(session).await?,
            None => None,
        };
        Ok(shown.map(|_| self))
    }
}

impl Message {
    /// Whether a user has yet to read the message.
    pub fn is_unread_by(&self, user: &UserId) -> bool {
        self.sender_id != *user && !self.read_by.as_slice().contains(user)
    }
}

/// Messages of a conversation, newest first. `CONVERSATION#conversation` / `MESSAGE#`, one Query.
pub fn of_conversation(conversation: Id<Conversation>) -> Listing<Message> {
    Listing::of(
        "messages/conversation",
        Pk::of("CONVERSATION", conversation),
    )
    .begins_with(Sk::word("MESSAGE").below())
    .newest_first()
}
