//! The one conversation of two users.

use serde::{Deserialize, Serialize};

use trestle_api::Revision;
use trestle_domain::{Id, UserId};
use trestle_table::{Entity, Key, Pk, Sk, TableDefinition};

use super::Conversation;
use crate::table::TABLE;

/// The DIRECT conversation of two users: `DIRECT#first` / `WITH#second`, the users in order. They have one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Direct {
    pub first_id: UserId,
    pub second_id: UserId,
    pub conversation_id: Id<Conversation>,
    #[serde(flatten)]
    pub stamp: Revision,
}

impl Entity for Direct {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "DIRECT_CONVERSATION";
    type Id = (UserId, UserId);

    fn key_of((first, second): &Self::Id) -> Key {
        Key::new(Pk::of("DIRECT", first), Sk::of("WITH", second))
    }

    fn identity(&self) -> Self::Id {
        (self.first_id.clone(), self.second_id.clone())
    }
}

impl Direct {
    /// The item of the DIRECT conversation of two users, in order.
    pub fn new(conversation: &Conversation, first_id: UserId, second_id: UserId) -> Self {
        Self {
            first_id,
            second_id,
            conversation_id: conversation.conversation_id,
            stamp: Revision::new(conversation.stamp.created_at),
        }
    }
}
