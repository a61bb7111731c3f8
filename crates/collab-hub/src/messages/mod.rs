//! Messages of a conversation.

pub mod attached;
pub mod deleting;
pub mod editing;
pub mod graphql;
pub mod reading;
pub mod search;
pub mod send;

use async_graphql::SimpleObject;
use chrono::DateTime;
use serde::{Deserialize, Serialize};

use trestle_api::{ApiError, Listed, Node, Revision, Session};
use trestle_domain::string_enum;
use trestle_domain::{Id, Link, List, Moment, Rule, Text, UserId};
use trestle_table::{Entity, Key, KeyedAttributes, Listing, Pk, Sk, TableDefinition};

use super::conversations::{Conversation, MAX_PARTICIPANTS, Participant};
use super::member::member;
use super::signed::FileKey;
use super::table::{TABLE, after_days};

/// The content of a deleted message.
pub const DELETED: &str = "This message was deleted.";

string_enum! {
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
    pub attachment_key: Option<FileKey>,
    /// When the sender deleted the message. Its content is gone then.
    pub deleted_at: Option<Moment>,
    /// When the sender last changed the content.
    pub edited_at: Option<Moment>,
    #[graphql(skip)]
    pub read_by: List<UserId, MAX_PARTICIPANTS>,
    #[serde(flatten)]
    #[graphql(flatten)]
    pub stamp: Revision,
}

impl Entity for Message {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "MESSAGE";
    const KEYED: KeyedAttributes = &[("PK", &["", "conversationId"]), ("SK", &["", "messageId"])];
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
    pub stamp: Revision,
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

    fn expires(&self) -> Option<i64> {
        after_days(self.stamp.created_at, 90)
    }
}

impl Listed for Message {
    const PAGE: &'static str = "A page of messages.";
    const EDGE: &'static str = "A message in a list.";
}

impl Node for Message {
    const TAG: u8 = b'M';

    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
        let (conversation, member) = tokio::try_join!(
            session.load::<Conversation>(&self.conversation_id),
            member(session),
        )?;
        // Those who are only asked to take part read no messages.
        let is_read = conversation
            .zip(member)
            .is_some_and(|(conversation, member)| conversation.includes(&member.id));
        Ok(is_read.then_some(self))
    }
}

impl Message {
    /// Whether a user has yet to read the message. Messages of the service and deleted ones need not be read.
    pub fn is_unread_by(&self, user: &UserId) -> bool {
        let is_said = self.kind != MessageType::System && self.deleted_at.is_none();
        let is_said = is_said && self.sender_id != *user;
        is_said && !self.read_by.as_slice().contains(user)
    }

    /// Whether a conversation's preview is of the message.
    pub fn is_preview_of(&self, conversation: &Conversation) -> bool {
        match conversation.last_message_id {
            Some(newest) => newest == self.message_id.raw(),
            None => conversation.last_message_at == self.stamp.created_at,
        }
    }

    /// Whether the unread count of a participant has the message.
    pub fn is_counted_of(&self, user: &UserId, participant: &Participant) -> bool {
        let sent = self.stamp.created_at;
        let is_new = participant.read_up_to.is_none_or(|mark| sent > mark);
        let takes_part = participant.is_invited != Some(true);
        takes_part && is_new && participant.unread_count > 0 && self.is_unread_by(user)
    }

    /// A message of the service about a user, as the newest one of the conversation.
    pub fn of_service(conversation: &Conversation, user: &UserId, content: Text<1, 5000>) -> Self {
        Self {
            kind: MessageType::System,
            ..Self::newest(conversation, user, content)
        }
    }

    /// A message of text, as the newest one of the conversation.
    pub fn newest(conversation: &Conversation, sender: &UserId, content: Text<1, 5000>) -> Self {
        let at = conversation.last_message_at;
        let moment = DateTime::from_timestamp_millis(at.millis());
        Self {
            message_id: Id::new(moment.unwrap_or_default()),
            conversation_id: conversation.conversation_id,
            sender_id: sender.clone(),
            content,
            kind: MessageType::Text,
            file_url: None,
            attachment_key: None,
            deleted_at: None,
            edited_at: None,
            read_by: List::default(),
            stamp: Revision::new(at),
        }
    }

    /// The stamp of the message if it changes now. Messages have one version.
    pub fn stamp_at(&self, now: Moment) -> Revision {
        Revision {
            updated_at: now.max(self.stamp.updated_at),
            ..self.stamp.clone()
        }
    }

    /// The conversation if this message becomes `next`: its preview, if it is of the message.
    pub fn previewed(&self, next: &Self, conversation: &Conversation) -> Conversation {
        let mut conversation = conversation.clone();
        if self.is_preview_of(&conversation)
            && let Some(preview) = Text::cut(next.content.as_str())
        {
            conversation.last_message_preview = preview;
        }
        conversation
    }

    /// The message with another content.
    pub fn edited(&self, content: Text<1, 5000>, now: Moment) -> Self {
        Self {
            content,
            edited_at: Some(now),
            stamp: self.stamp_at(now),
            ..self.clone()
        }
    }

    /// The message without what was said.
    pub fn deleted(&self, now: Moment) -> Self {
        Self {
            content: Text::cut(DELETED).unwrap_or_else(|| self.content.clone()),
            file_url: None,
            attachment_key: None,
            deleted_at: Some(now),
            stamp: self.stamp_at(now),
            ..self.clone()
        }
    }
}

const NO_MESSAGE: Rule = Rule::NotFound("does not name a message that you have sent");

/// Messages of a conversation, newest first. `CONVERSATION#conversation` / `MESSAGE#`, one Query.
pub fn of_conversation(conversation: Id<Conversation>) -> Listing<Message> {
    Listing::of(
        "messages/conversation",
        Pk::of("CONVERSATION", conversation),
    )
    .begins_with(Sk::word("MESSAGE").below())
    .newest_first()
}
