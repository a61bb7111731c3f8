//! Items of checklists: what is stored of them.

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::part::{Part, key_of_part};
use super::shareable::Note;
use super::short_id::ShortId;
use super::table::TABLE;
use super::token::{ShareableKind, VoterName};
use crate::domain::{Moment, Text};
use crate::table::{Entity, Key, TableDefinition};

/// The most items of a checklist.
pub const MAX_ITEMS: u32 = 200;

/// What an item is called.
pub type ItemName = Text<1, 300>;

/// An item of a checklist.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct ChecklistItem {
    #[graphql(skip)]
    pub short_id: ShortId,
    #[graphql(skip)]
    pub checklist_item_id: Uuid,
    /// Position: the items of a checklist are in ascending order of it. Moving an item changes its own position.
    pub order: f64,
    /// Name, 1 to 300 characters.
    pub name: ItemName,
    /// Plain text, at most 2000 characters.
    pub note: Option<Note>,
    /// When it was ticked. `null` if it is not ticked.
    pub ticked_at: Option<Moment>,
    /// Name of the person who ticked it, if they gave one.
    pub ticked_by: Option<VoterName>,
    #[graphql(skip)]
    pub ttl: i64,
}

/// `checklist_item#abcdef12345` / `01#<uuid without dashes>#`.
impl Entity for ChecklistItem {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "checklist_item";
    type Id = (ShortId, Uuid);

    fn key_of((short_id, id): &Self::Id) -> Key {
        key_of_part(Self::KIND, short_id, id)
    }

    fn identity(&self) -> Self::Id {
        (self.short_id.clone(), self.checklist_item_id)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.ttl)
    }
}

impl Part for ChecklistItem {
    const OF: ShareableKind = ShareableKind::Checklist;

    fn order(&self) -> f64 {
        self.order
    }
}
