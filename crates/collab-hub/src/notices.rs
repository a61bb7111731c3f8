//! Marks of notifications that are sent once a day, however often their cause is repeated.

use serde::{Deserialize, Serialize};

use trestle_api::Revision;
use trestle_domain::{Id, Moment, UserId, string_enum};
use trestle_table::{Entity, Key, Pk, Sk, TableDefinition};

use super::roles::Role;
use super::table::{TABLE, after_days};

string_enum! {
    /// What a notification of a founder is caused by.
    NoticeCause {
        /// Somebody applied for a role.
        Applied = "APPLIED",
        /// Somebody withdrew from a role.
        Withdrew = "WITHDREW",
    }
}

/// When a user last caused a notification about a role: `NOTICE#user` / `cause#role`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NoticeMark {
    /// Whose change it was.
    pub user_id: UserId,
    /// What they did.
    pub cause: NoticeCause,
    /// The role.
    pub role_id: Id<Role>,
    #[serde(flatten)]
    pub stamp: Revision,
}

/// The identity of a mark.
pub type MarkId = (UserId, NoticeCause, Id<Role>);

impl Entity for NoticeMark {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "NOTICE_MARK";
    type Id = MarkId;

    fn key_of((user, cause, role): &Self::Id) -> Key {
        Key::new(Pk::of("NOTICE", user), Sk::value(*cause).then(*role))
    }

    fn identity(&self) -> Self::Id {
        (self.user_id.clone(), self.cause, self.role_id)
    }

    fn expires(&self) -> Option<i64> {
        after_days(self.stamp.created_at, 2)
    }
}

impl NoticeMark {
    /// The mark of an application for a role.
    pub fn of_application(user: &UserId, role: Id<Role>) -> MarkId {
        (user.clone(), NoticeCause::Applied, role)
    }

    /// The mark of a withdrawal from a role.
    pub fn of_withdrawal(user: &UserId, role: Id<Role>) -> MarkId {
        (user.clone(), NoticeCause::Withdrew, role)
    }

    /// A mark made now.
    pub fn new((user_id, cause, role_id): MarkId, now: Moment) -> Self {
        Self {
            user_id,
            cause,
            role_id,
            stamp: Revision::new(now),
        }
    }

    /// Whether it was made on the same day, in UTC.
    pub fn is_of(&self, now: Moment) -> bool {
        self.stamp.created_at.date() == now.date()
    }
}
