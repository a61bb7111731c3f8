//! Items of checklists: what is stored of them.

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::part::{Part, key_of_part};
use super::shareable::Note;
use super::short_id::ShortId;
use super::table::TABLE;
use super::token::{Claims, ShareableKind, VoterName};
use trestle_domain::{Moment, Rule, Text};
use trestle_table::{Entity, Key, KeyedAttributes, TableDefinition};

/// The most items of a checklist.
pub const MAX_ITEMS: u32 = 200;

/// That a checklist takes no more items.
pub const FULL: Rule = Rule::LimitReached(
    "names a checklist that would have more than 200 items, the most it can have: delete some, or make another one",
);

/// What an item is called.
pub type ItemName = Text<1, 300>;

/// How much of an item is needed, as people write it: `2 kg`.
pub type Quantity = Text<1, 40>;

/// An item to add.
#[derive(Clone, Debug)]
pub struct NewItem {
    /// The id that the client has made, so that a repeated request adds nothing twice.
    pub id: Option<Uuid>,
    pub name: ItemName,
    pub note: Option<Note>,
    pub quantity: Option<Quantity>,
    pub person: Option<VoterName>,
    /// Whether it is ticked from the beginning.
    pub is_ticked: bool,
}

impl NewItem {
    /// The item, which is kept until `ttl`.
    pub fn under(&self, short_id: &ShortId, order: f64, ttl: i64) -> ChecklistItem {
        ChecklistItem {
            short_id: short_id.clone(),
            checklist_item_id: self.id.unwrap_or_else(Uuid::new_v4),
            order,
            name: self.name.clone(),
            note: self.note.clone(),
            quantity: self.quantity.clone(),
            person: self.person.clone(),
            ticked_at: None,
            ticked_by: None,
            added_by: None,
            ttl: Some(ttl),
        }
    }

    /// The item that the bearer of a token adds now. How long it is kept follows from its checklist.
    pub fn added(&self, claims: &Claims, order: f64, now: Moment) -> ChecklistItem {
        let ticked_at = self.is_ticked.then_some(now);
        ChecklistItem {
            added_by: Some(claims.public_voter_id()),
            ticked_by: ticked_at.and(claims.voter_name.clone()),
            ticked_at,
            ..self.under(&claims.short_id, order, 0)
        }
    }

    /// With the id of a place in a batch that the client has named: the same each time.
    pub fn of_batch(self, batch: Option<Uuid>, place: u32) -> Self {
        let id = batch.map(|batch| Uuid::new_v5(&batch, &place.to_be_bytes()));
        Self { id, ..self }
    }

    /// Whether an item is what this one becomes.
    pub fn is(&self, item: &ChecklistItem) -> bool {
        self.name == item.name
            && self.note == item.note
            && self.quantity == item.quantity
            && self.person == item.person
    }
}

impl From<ChecklistItem> for NewItem {
    fn from(item: ChecklistItem) -> Self {
        Self {
            id: None,
            name: item.name,
            note: item.note,
            quantity: item.quantity,
            person: item.person,
            is_ticked: false,
        }
    }
}

/// An item of a checklist.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct ChecklistItem {
    #[graphql(skip)]
    pub short_id: ShortId,
    #[graphql(skip)]
    pub checklist_item_id: Uuid,
    /// Position: the items of a checklist are in ascending order of it, and those of equal positions in that of
    /// their IDs. Moving an item changes its own position.
    pub order: f64,
    /// Name, 1 to 300 characters.
    pub name: ItemName,
    /// Plain text, at most 2000 characters.
    pub note: Option<Note>,
    /// How much of it is needed, at most 40 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<Quantity>,
    /// Name of the person who takes care of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<VoterName>,
    /// When it was ticked. `null` if it is not ticked.
    pub ticked_at: Option<Moment>,
    /// Name of the person who ticked it, if they gave one.
    pub ticked_by: Option<VoterName>,
    /// Who has added it, by the id of a voter that others may know. `None` if it was created with its checklist.
    #[graphql(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_by: Option<Uuid>,
    /// `None` in an item of another program that does not say it.
    #[graphql(skip)]
    pub ttl: Option<i64>,
}

impl ChecklistItem {
    /// Whether the bearer of a token has added it.
    pub fn is_of(&self, claims: &Claims) -> bool {
        self.added_by == Some(claims.public_voter_id())
    }
}

/// `checklist_item#abcdef12345` / `01#<uuid without dashes>#`.
impl Entity for ChecklistItem {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "checklist_item";
    const KEYED: KeyedAttributes = &[("pk", &["", "shortId"]), ("sk", &["", "checklistItemId"])];
    type Id = (ShortId, Uuid);

    fn key_of((short_id, id): &Self::Id) -> Key {
        key_of_part(Self::KIND, short_id, id)
    }

    fn identity(&self) -> Self::Id {
        (self.short_id.clone(), self.checklist_item_id)
    }

    fn expires(&self) -> Option<i64> {
        self.ttl
    }
}

impl Part for ChecklistItem {
    const OF: ShareableKind = ShareableKind::Checklist;

    fn order(&self) -> f64 {
        self.order
    }
}
