//! Conversations and their participants.

pub mod adding;
mod changing;
pub mod create;
mod direct;
pub mod graphql;
pub mod membership;
pub mod muting;
mod noting;
pub mod queue;

use async_graphql::SimpleObject;
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use trestle_api::{ApiError, Listed, Node, Revision, Session};
use trestle_domain::string_enum;
use trestle_domain::{Id, List, Moment, Text, Ulid, UserId, Violations};
use trestle_table::{
    Condition, Entity, IndexKey, Key, KeyedAttributes, Listing, PageAsk, Pk, Sk, TableDefinition,
    TransactionBuilder, Versioned,
};

pub use changing::{adopt, change, change_in_turn};
pub use direct::Direct;

use super::applications::Application;
use super::member::member;
use super::startups::Startup;
use super::table::{GSI1, TABLE};

/// Number of participants, at most: a message updates each of them in one transaction of at most 100 items.
pub const MAX_PARTICIPANTS: usize = 90;

string_enum! {
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

/// A user who has left a conversation, or declined to take part, and is not added again without being asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Departure {
    pub user_id: UserId,
    pub left_at: Moment,
    pub has_declined: bool,
}

/// How long a user who has declined to take part is not asked again.
const PAUSE: TimeDelta = TimeDelta::days(30);

/// A conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Conversation {
    #[graphql(skip)]
    pub conversation_id: Id<Conversation>,
    #[graphql(skip)]
    pub participants: List<UserId, MAX_PARTICIPANTS>,
    #[graphql(skip)]
    pub invited: Option<List<UserId, MAX_PARTICIPANTS>>,
    /// What the user who started the conversation says to those who are asked to take part.
    pub introduction: Option<Text<1, 300>>,
    #[graphql(skip)]
    pub started_by: Option<UserId>,
    #[graphql(skip)]
    pub left: Option<Vec<Departure>>,
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
    #[graphql(skip)]
    pub last_message_preview: Text<0, 100>,
    /// The message of the preview. Not known of what another program has written.
    #[graphql(skip)]
    pub last_message_id: Option<Ulid>,
    /// Where another program lists the conversation itself, for want of items of its participants. See [`adopt`].
    #[graphql(skip)]
    #[serde(rename = "GSI1PK", skip_serializing)]
    pub listed_at: Option<String>,
    #[serde(flatten)]
    #[graphql(flatten)]
    pub stamp: Revision,
}

impl Departure {
    /// Whether the user has declined a short time ago.
    pub fn is_pausing(&self, now: Moment) -> bool {
        self.has_declined && self.left_at.is_within(PAUSE, now)
    }
}

impl Entity for Conversation {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "CONVERSATION";
    const KEYED: KeyedAttributes = &[
        ("PK", &["", "conversationId"]),
        ("GSI1SK", &["", "lastMessageAt"]),
    ];
    type Id = Id<Conversation>;

    fn key_of(id: &Self::Id) -> Key {
        Key::new(Pk::of("CONVERSATION", id), Sk::word("METADATA"))
    }

    fn identity(&self) -> Self::Id {
        self.conversation_id
    }

    /// Its participants are listed, and not the conversation: a change takes it from where another program lists it.
    fn index_keys(&self) -> Vec<IndexKey> {
        let place = Sk::of("CONVERSATION", self.conversation_id);
        let unlisted = GSI1.at(Pk::word("PARTICIPANT"), place).only_if(false);
        match self.listed_at {
            Some(_) => Vec::new(),
            None => vec![unlisted],
        }
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

    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
        let member = member(session).await?;
        Ok(member
            .is_some_and(|member| self.includes(&member.id) || self.invites(&member.id))
            .then_some(self))
    }
}

impl Conversation {
    /// Whether a user started the conversation. Another program does not store it: the first participant did.
    pub fn is_started_by(&self, user: &UserId) -> bool {
        let first = self.participants.as_slice().first();
        self.started_by.as_ref().or(first) == Some(user)
    }

    /// Whether another program has written the conversation. It does not store who started it.
    pub fn is_foreign(&self) -> bool {
        self.started_by.is_none()
    }

    /// How a user has left the conversation, if they have.
    pub fn departure_of(&self, user: &UserId) -> Option<&Departure> {
        let mut left = self.left.iter().flatten();
        left.find(|departure| departure.user_id == *user)
    }

    /// The same, from which a user has gone with what they said to those who are asked.
    pub fn left_by(&self, user: &UserId, at: Moment) -> Self {
        let earlier = self.left.iter().flatten();
        let mut left: Vec<_> = earlier
            .filter(|departure| departure.user_id != *user)
            .cloned()
            .collect();
        left.push(Departure {
            user_id: user.clone(),
            left_at: at,
            has_declined: self.invites(user),
        });
        let from = left.len().saturating_sub(MAX_PARTICIPANTS);
        let introduction = self.introduction.clone();
        Self {
            introduction: introduction.filter(|_| !self.is_started_by(user)),
            left: Some(left.split_off(from)),
            ..self.without(user)
        }
    }

    /// Whether a user takes part.
    pub fn includes(&self, user: &UserId) -> bool {
        self.participants.as_slice().contains(user)
    }

    /// The users who were asked to take part and have not agreed yet.
    pub fn invited(&self) -> &[UserId] {
        self.invited.as_ref().map_or(&[], List::as_slice)
    }

    /// Whether a user was asked to take part and has not agreed yet.
    pub fn invites(&self, user: &UserId) -> bool {
        self.invited().contains(user)
    }

    /// The two users of a new DIRECT conversation, in order.
    pub fn pair(&self) -> Option<(UserId, UserId)> {
        let users = self.participants.as_slice().iter().chain(self.invited());
        let mut users: Vec<_> = users.cloned().collect();
        users.sort_unstable();
        let [first, second] = users.try_into().ok()?;
        (self.kind == ConversationType::Direct).then_some((first, second))
    }

    /// The same without a user.
    pub fn without(&self, user: &UserId) -> Self {
        let others = |users: &[UserId]| {
            let others = users.iter().filter(|other| *other != user);
            List::parse(others.cloned().map(Ok)).unwrap_or_default()
        };
        let invited = Some(others(self.invited()));
        Self {
            participants: others(self.participants.as_slice()),
            invited: invited.filter(|invited| !invited.as_slice().is_empty()),
            ..self.clone()
        }
    }

    /// The same with a user who takes part. `None` if there are too many.
    pub fn with(&self, user: &UserId) -> Option<Self> {
        let next = self.without(user);
        let invited = next.invited().len();
        let users = next.participants.as_slice().iter().chain([user]);
        let participants = List::parse(users.cloned().map(Ok)).ok()?;
        let left = next.left.iter().flatten();
        let left: Vec<_> = left
            .filter(|departure| departure.user_id != *user)
            .cloned()
            .collect();
        Some(Self {
            participants,
            left: Some(left).filter(|left| !left.is_empty()),
            ..next
        })
        .filter(|next| next.participants.as_slice().len() + invited <= MAX_PARTICIPANTS)
    }

    /// The same, asking a user to take part. `None` if there are too many.
    pub fn asking(&self, user: &UserId) -> Option<Self> {
        let users = self.participants.as_slice().len() + self.invited().len();
        let invited = self.invited().iter().chain([user]).cloned().map(Ok);
        Some(Self {
            invited: Some(List::parse(invited).ok()?),
            ..self.clone()
        })
        .filter(|_| users < MAX_PARTICIPANTS)
    }

    /// The same, with some of the participants only asked.
    pub fn asking_first(self, users: &[UserId]) -> Self {
        let ask = |now: Self, user| now.without(user).asking(user).unwrap_or(now);
        users.iter().fold(self, ask)
    }

    /// The entry of a user who was asked to take part.
    pub fn request(&self, user: &UserId) -> Participant {
        Participant {
            is_invited: Some(true),
            ..self.participant(user)
        }
    }

    /// A user who takes part from now on, and need not read what was said before.
    pub fn joined(&self, user: &UserId) -> Participant {
        Participant {
            read_up_to: Some(self.last_message_at),
            ..self.participant(user)
        }
    }

    /// A participant as of the newest message. The number of unread messages is not known here.
    pub fn participant(&self, user: &UserId) -> Participant {
        Participant {
            conversation_id: self.conversation_id,
            user_id: user.clone(),
            last_message_at: Some(self.last_message_at),
            unread_count: 0,
            read_up_to: None,
            is_invited: None,
            is_muted: None,
            is_leaving: None,
            stamp: Revision {
                updated_at: self.last_message_at,
                ..Revision::new(self.stamp.created_at)
            },
        }
    }
}

/// A participant of a conversation, who finds it by its newest message, or a user who was asked to take part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex, name = "InboxEntry")]
pub struct Participant {
    #[graphql(skip)]
    pub conversation_id: Id<Conversation>,
    /// Nobody in an item of another program that is the conversation itself. The key says whose item it is.
    #[graphql(skip)]
    #[serde(default = "nobody")]
    pub user_id: UserId,
    /// When the newest message was sent, or when the conversation was created. Another program may have left it out.
    #[graphql(skip)]
    pub last_message_at: Option<Moment>,
    /// Number of messages of others that the viewer has not read.
    #[serde(default, deserialize_with = "trestle_domain::read_counter")]
    pub unread_count: u32,
    /// What was sent until then is read, and what was sent after it is counted as unread. Before the first time, the messages
    /// say who has read them.
    #[graphql(skip)]
    pub read_up_to: Option<Moment>,
    #[graphql(skip)]
    pub is_invited: Option<bool>,
    /// Whether messages make no notifications for the viewer, and are not in `unreadMessages`.
    pub is_muted: Option<bool>,
    /// Whether the account of the user is being deleted, who sends nothing any more.
    #[graphql(skip)]
    pub is_leaving: Option<bool>,
    #[serde(flatten)]
    #[graphql(skip)]
    pub stamp: Revision,
}

impl Entity for Participant {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "CONVERSATION_PARTICIPANT";
    const KEYED: KeyedAttributes = &[("PK", &["", "conversationId"]), ("SK", &["", "userId"])];
    type Id = (Id<Conversation>, UserId);

    fn is_kind(kind: &str) -> bool {
        [Self::KIND, Conversation::KIND].contains(&kind)
    }

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
        let place = Sk::of("CONVERSATION", self.shown_at()).then(self.conversation_id);
        let shelf = match self.is_invited {
            Some(true) => Pk::of("INVITED", &self.user_id),
            _ => Pk::of("PARTICIPANT", &self.user_id),
        };
        vec![GSI1.at(shelf, place)]
    }
}

fn nobody() -> UserId {
    UserId::new("")
}

impl Participant {
    /// Whether it is the item of the conversation itself, as another program lists it for one of the users.
    pub fn is_conversation(&self) -> bool {
        self.user_id == nobody()
    }

    /// When the newest message was sent, or when the user began to take part if that is not stored.
    pub fn shown_at(&self) -> Moment {
        self.last_message_at.unwrap_or(self.stamp.created_at)
    }
}

impl Participant {
    /// The user has read everything: clears the unread count and sets the mark, if nothing was sent or deleted since it was
    /// read.
    pub fn clear(&self, unit: &mut TransactionBuilder<Violations>, user: &UserId) {
        let same = Condition::is("unreadCount", &self.unread_count);
        let same = same.and(match &self.last_message_at {
            Some(at) => Condition::is("lastMessageAt", at),
            None => Condition::Lacks("lastMessageAt".into()),
        });
        let read = ("unreadCount", -i64::from(self.unread_count));
        let place = (self.conversation_id, user.clone());
        unit.add_and_set::<Self>(&place, read, "readUpTo", &self.shown_at(), same);
    }

    /// Takes a message from the unread count of a user, unless the user has read it since the count was.
    pub fn uncount(
        &self,
        unit: &mut TransactionBuilder<Violations>,
        user: &UserId,
        refusal: Violations,
    ) {
        let mark = match &self.read_up_to {
            Some(mark) => Condition::is("readUpTo", mark),
            None => Condition::Lacks("readUpTo".into()),
        };
        let counted = Condition::at_least("unreadCount", &1).and(mark);
        let place = (self.conversation_id, user.clone());
        unit.add::<Self>(&place, "unreadCount", -1, counted)
            .or(refusal);
    }
}

impl Listed for Participant {
    const PAGE: &'static str = "A page of the viewer's conversations.";
    const EDGE: &'static str = "A conversation in the viewer's list.";
}

/// Number of conversations of which the unread messages are counted, at most: those with the newest messages.
const COUNTED: usize = 500;

/// Number of unread messages of the viewer in conversations that are not muted. One Query.
///
/// # Errors
/// The store does not answer; an item cannot be read.
pub async fn unread_of(session: &Session) -> Result<u32, ApiError> {
    let ask = PageAsk::first(COUNTED);
    let page = session
        .tables
        .page(&of_user(&session.user()), &ask, &())
        .await?;
    let mut unread: u32 = 0;
    for row in page.rows {
        let entry = row.entity?;
        if entry.is_muted != Some(true) {
            unread = unread.saturating_add(entry.unread_count);
        }
    }
    Ok(unread)
}

/// The participants of a conversation. `CONVERSATION#conversation` / `PARTICIPANT#`, one Query.
pub fn participants(conversation: Id<Conversation>) -> Listing<Participant> {
    let partition = Pk::of("CONVERSATION", conversation);
    Listing::of("conversations/participants", partition)
        .begins_with(Sk::word("PARTICIPANT").below())
}

/// Conversations of a user, newest message first. GSI1 `PARTICIPANT#user`, one Query.
pub fn of_user(user: &UserId) -> Listing<Participant> {
    Listing::on("conversations/user", &GSI1, Pk::of("PARTICIPANT", user))
        .begins_with(Sk::word("CONVERSATION").below())
        .newest_first()
}

/// Conversations that a user is asked to take part in, newest first. GSI1 `INVITED#user`, one Query.
pub fn requests_of(user: &UserId) -> Listing<Participant> {
    Listing::on("conversations/requests", &GSI1, Pk::of("INVITED", user))
        .begins_with(Sk::word("CONVERSATION").below())
        .newest_first()
}
