//! Which message an uploaded file belongs to.

use serde::{Deserialize, Serialize};

use trestle_api::Revision;
use trestle_domain::{Id, Text, UserId};
use trestle_table::{Entity, Key, Pk, Sk, TableDefinition};

use crate::conversations::Conversation;
use crate::table::TABLE;

use super::Message;

/// The message that an upload was sent with: `CONVERSATION#conversation` / `ATTACHED#sender#upload`. A file belongs to one
/// message, so that deleting the message deletes no file of another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attached {
    pub conversation_id: Id<Conversation>,
    pub sender_id: UserId,
    pub upload_name: Text<1, 100>,
    pub message_id: Id<Message>,
    #[serde(flatten)]
    pub stamp: Revision,
}

impl Entity for Attached {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "MESSAGE_ATTACHMENT";
    type Id = (Id<Conversation>, UserId, Text<1, 100>);

    fn key_of((conversation, sender, upload): &Self::Id) -> Key {
        let place = Sk::of("ATTACHED", sender).then(upload.as_str());
        Key::new(Pk::of("CONVERSATION", conversation), place)
    }

    fn identity(&self) -> Self::Id {
        (
            self.conversation_id,
            self.sender_id.clone(),
            self.upload_name.clone(),
        )
    }
}
