//! Notifications of a user.

pub mod graphql;
pub mod inbox;
pub mod reading;

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use trestle_api::versioned;
use trestle_api::{Listed, Revision};
use trestle_domain::string_enum;
use trestle_domain::{Id, Text, UserId};
use trestle_table::{Condition, Entity, Key, KeyedAttributes, Listing, Pk, Sk, TableDefinition};

use super::roles::Role;
use super::startups::Startup;
use super::table::{TABLE, after_days};

string_enum! {
    /// What a notification is about.
    NotificationType {
        /// An application was created or changed.
        ApplicationUpdate = "APPLICATION_UPDATE",
        /// An access request was created or decided.
        AccessRequest = "ACCESS_REQUEST",
        /// A conversation was started, or a message was sent.
        Message = "MESSAGE",
        /// The service itself: moderation and subscriptions.
        System = "SYSTEM",
    }
}

/// A notification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Notification {
    #[graphql(skip)]
    pub notification_id: Id<Notification>,
    #[graphql(skip)]
    pub user_id: UserId,
    /// What the notification is about.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub kind: NotificationType,
    /// The title, at most 200 characters.
    pub title: Text<1, 200>,
    /// The text, at most 1000 characters.
    pub body: Text<1, 1000>,
    /// The type of the entity that the notification is about, such as APPLICATION.
    pub related_entity_type: Option<Text<1, 100>>,
    /// The stored id of that entity.
    #[graphql(skip)]
    pub related_entity_id: Option<Text<1, 600>>,
    #[graphql(skip)]
    pub actor_id: Option<UserId>,
    #[graphql(skip)]
    pub startup_id: Option<Id<Startup>>,
    #[graphql(skip)]
    pub role_id: Option<Id<Role>>,
    /// Whether the user has read the notification.
    pub is_read: bool,
    #[serde(flatten)]
    #[graphql(flatten)]
    pub stamp: Revision,
}

impl Entity for Notification {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "NOTIFICATION";
    const KEYED: KeyedAttributes = &[("PK", &["", "userId"]), ("SK", &["", "notificationId"])];
    type Id = (UserId, Id<Notification>);

    fn key_of((user, id): &Self::Id) -> Key {
        Key::new(Pk::of("USER", user), Sk::of("NOTIFICATION", *id))
    }

    fn identity(&self) -> Self::Id {
        (self.user_id.clone(), self.notification_id)
    }

    /// One that was read is not needed for long. Others stay, because they are counted.
    fn expires(&self) -> Option<i64> {
        after_days(self.stamp.updated_at, 180).filter(|_| self.is_read)
    }
}

versioned!(Notification);

impl Listed for Notification {
    const PAGE: &'static str = "A page of notifications.";
    const EDGE: &'static str = "A notification in a list.";
}

/// Notifications of a user, newest first. `USER#user` / `NOTIFICATION#`, one Query.
pub fn of_user(user: &UserId) -> Listing<Notification> {
    Listing::of("notifications/user", Pk::of("USER", user))
        .begins_with(Sk::word("NOTIFICATION").below())
        .newest_first()
}

/// As [`of_user`], those that are not read.
pub fn unread(user: &UserId) -> Listing<Notification> {
    of_user(user).filtered(Condition::is("isRead", &false))
}
