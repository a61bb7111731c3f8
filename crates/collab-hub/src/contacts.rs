//! Ties between users: who has had to do with each other may start a conversation without asking first.

use serde::{Deserialize, Serialize};

use trestle_api::Revision;
use trestle_domain::{Moment, UserId, Violations};
use trestle_table::{Entity, Key, Pk, Sk, TableDefinition, TransactionBuilder};

use super::table::TABLE;

/// A tie of two users: `CONTACT#first` / `WITH#second`, the users in order. It is written when one of them applies for a
/// role of the other one, requests access to a startup of the other one, accepts an invitation, or accepts a DIRECT
/// conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Contact {
    /// The first one.
    pub first_id: UserId,
    /// The second one.
    pub second_id: UserId,
    #[serde(flatten)]
    pub stamp: Revision,
}

impl Entity for Contact {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "CONTACT";
    type Id = (UserId, UserId);

    fn key_of((first, second): &Self::Id) -> Key {
        Key::new(Pk::of("CONTACT", first), Sk::of("WITH", second))
    }

    fn identity(&self) -> Self::Id {
        (self.first_id.clone(), self.second_id.clone())
    }
}

impl Contact {
    /// The identity of the tie of two users.
    pub fn of(one: &UserId, other: &UserId) -> (UserId, UserId) {
        if one <= other {
            (one.clone(), other.clone())
        } else {
            (other.clone(), one.clone())
        }
    }

    /// Ties two users.
    pub fn tie(
        unit: &mut TransactionBuilder<Violations>,
        one: &UserId,
        other: &UserId,
        now: Moment,
    ) {
        let (first_id, second_id) = Self::of(one, other);
        let stamp = Revision::new(now);
        unit.put(&Self {
            first_id,
            second_id,
            stamp,
        });
    }
}
