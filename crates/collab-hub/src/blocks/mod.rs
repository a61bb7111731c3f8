//! Users who do not want to hear of others.

pub mod graphql;

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use trestle_api::{Listed, Revision};
use trestle_domain::{UserId, Violations};
use trestle_table::{Condition, Entity, Key, Listing, Pk, Sk, TableDefinition, TransactionBuilder};

use super::table::TABLE;

/// A user who does not want to hear of another one: `BLOCK#blocker` / `USER#blocked`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Block {
    #[graphql(skip)]
    pub blocker_id: UserId,
    #[graphql(skip)]
    pub blocked_id: UserId,
    #[serde(flatten)]
    #[graphql(flatten)]
    pub stamp: Revision,
}

impl Entity for Block {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "BLOCK";
    type Id = (UserId, UserId);

    fn key_of((blocker, blocked): &Self::Id) -> Key {
        Key::new(Pk::of("BLOCK", blocker), Sk::of("USER", blocked))
    }

    fn identity(&self) -> Self::Id {
        (self.blocker_id.clone(), self.blocked_id.clone())
    }
}

impl Block {
    /// The keys of what two users may have written to block each other.
    pub fn keys_between(one: &UserId, other: &UserId) -> [Key; 2] {
        [(one, other), (other, one)].map(|(by, of)| Self::key_of(&(by.clone(), of.clone())))
    }

    /// Refuses a unit if `by` has blocked `user`.
    pub fn refuse(
        unit: &mut TransactionBuilder<Violations>,
        by: &UserId,
        user: &UserId,
        refusal: Violations,
    ) {
        let id = (by.clone(), user.clone());
        unit.check::<Block>(&id, Condition::Missing).or(refusal);
    }
}

impl Listed for Block {
    const PAGE: &'static str = "A page of blocked users.";
    const EDGE: &'static str = "A blocked user in a list.";
}

/// Users whom a user has blocked. `BLOCK#user` / `USER#`, one Query.
pub fn of_user(user: &UserId) -> Listing<Block> {
    Listing::of("blocks/user", Pk::of("BLOCK", user)).begins_with(Sk::word("USER").below())
}
