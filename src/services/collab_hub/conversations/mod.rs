//! Conversations and their participants.

pub mod graphql;
pub mod queue;

use async_graphql::SimpleObject;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::api::{ApiError, Listed, Node, Session, Stamp};
use crate::domain::{Id, List, Moment, Text, UserId};
use crate::table::{Entity, IndexKey, Key, Listing, Pk, Sk, TableDefinition, Versioned};
use crate::words;

use super::applications::Application;
use super::member::member;
use super::startups::Startup;
use super::table::{GSI1, TABLE};

/// Number of participants, at most: a message updates each of them in one transaction of at most 100 items.
pub const MAX_PARTICIPANTS: usize = 90;

words! {
    /// The type of a conversation.
    ConversationType {
        /// Two users.
        Direct = "DIRECT",
        /// Several users.
        Group = "GROUP",
        /// Users around a startup, started by its founder.
        StartupChannel = "STARTUP_CHANNEL",
    }
}

/// A conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Conversation {
    #[graphql(skip)]
    pub conversation_id: Id<Conversation>,
    #[graphql(skip)]
    pub participants: List<UserId, MAX_PARTICIPANTS>,
    /// Type.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub kind: ConversationType,
    #[graphql(skip)]
    pub related_startup_id: Option<Id<Startup>>,
    #[graphql(skip)]
    pub related_application_id: Option<Id<Application>>,
    /// When the newest message was sent, or when the conversation was created.
    pub last_message_at: Moment,
    /// The beginning of the newest message. Empty before the first one.
    pub last_message_preview: Text<0, 100>,
    #[serde(flatten)]
    #[graphql(flatten)]
    pub stamp: Stamp,
}

impl Entity for Conversation {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "CONVERSATION";
    type Id = Id<Conversation>;

    fn key_of(id: &Self::Id) -> Key {
        Key::new(Pk::of("CONVERSATION", id), Sk::word("METADATA"))
    }

    fn identity(&self) -> Self::Id {
        self.conversation_id
    }
}

impl Versioned for Conversation {
    const MOMENTS: &'static [&'static str] = &["createdAt", "updatedAt", "lastMessageAt"];

    fn version(&self) -> u32 {
        self.stamp.version
    }

    fn advance(&mut self, now: DateTime<Utc>) {
        self.stamp.advance(now);
    }
}

impl Node for Conversation {
    const TAG: u8 = b'C';

    async fn shown(self, session: &Session) -> Result<Option<Self>, ApiError> {
        let member = member(session).await?;
        Ok(member
            .is_some_and(|member| self.includes(&member.id))
            .then_some(self))
    }
}

impl Conversation {
    /// Whether a user takes part.
    pub fn includes(&self, user: &UserId) -> bool {
        self.participants.as_slice().contains(user)
    }

    /// A participant as of the newest message. The number of unread messages is not known here.
    pub fn participant(&self, user: &UserId) -> Participant {
        Participant {
            conversation_id: self.conversation_id,
            user_id: user.clone(),
            last_message_at: self.last_message_at,
            unread_count: 0,
            stamp: Stamp {
                updated_at: self.last_message_at,
                ..Stamp::new(self.stamp.created_at)
            },
        }
    }
}

/// A participant of a conversation, who finds it by its newest message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex, name = "InboxEntry")]
pub struct Participant {
    #[graphql(skip)]
    pub conversation_id: Id<Conversation>,
    #[graphql(skip)]
    pub user_id: UserId,
    /// When the newest message was sent, or when the conversation was created.
    pub last_message_at: Moment,
    /// Number of messages of others that the viewer has not read.
    pub unread_count: u32,
    #[serde(flatten)]
    #[graphql(skip)]
    pub stamp: Stamp,
}

impl Entity for Participant {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "CONVERSATION_PARTICIPANT";
    type Id = (Id<Conversation>, UserId);

    fn key_of((conversation, user): &Self::Id) -> Key {
        Key::new(
            Pk::of("CONVERSATION", conversation),
            Sk::of("PARTICIPANT", user),
        )
    }

    fn identity(&self) -> Self::Id {
        (self.conversation_id, self.user_id.clone())
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        let place = Sk::of("CONVERSATION", self.last_message_at).then(self.conversation_id);
        vec![GSI1.at(Pk::of("PARTICIPANT", &self.user_id), place)]
    }
}

impl Listed for Participant {
    const PAGE: &'static str = "A page of the viewer's conversations.";
    const EDGE: &'static str = "A conversation in the viewer's list.";
}

/// Conversations of a user, newest message first. GSI1 `PARTICIPANT#user`, one Query.
pub fn of_user(user: &UserId) -> Listing<Participant> {
    Listing::on("conversations/user", &GSI1, Pk::of("PARTICIPANT", user))
        .begins_with(Sk::word("CONVERSATION").below())
        .newest_first()
}
