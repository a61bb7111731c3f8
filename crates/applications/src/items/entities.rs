//! Applications, stages and history entries as items, with the keys that a scope gives them.

use serde::Serialize;
use serde_json::Value;

use crate::keys::{self, Scope};
use crate::model::{Application, Stage};
use trestle_table::{IndexKey, Item, Key, Sk, TableDefinition, ToItem};

use super::history::{HistoryItem, MAX_KEY, MAX_SORT_KEY};

/// The longest status that fits into a key.
const MAX_WORD: usize = 500;

/// An entity in the part of the table that a scope names.
#[derive(Serialize)]
#[serde(transparent)]
pub struct Placed<'e, E> {
    #[serde(skip)]
    scope: &'e Scope,
    entity: &'e E,
}

impl<'e, E> Placed<'e, E> {
    /// The entity in this scope.
    pub fn new(scope: &'e Scope, entity: &'e E) -> Self {
        Self { scope, entity }
    }
}

impl ToItem for Placed<'_, Application> {
    const TABLE: &'static TableDefinition = &keys::TABLE;
    const KIND: &'static str = "application";
    const NULLS: bool = true;

    fn primary_key(&self) -> Key {
        self.scope.application(&self.entity.id)
    }

    fn adjust(&self, item: &mut Item) {
        self.entity.exact.write_to(item);
    }

    /// By its attributes or, as far as they cannot be read, where it is listed. None if the status, the id or the last
    /// update cannot be part of a key: the item stays where it is in the indexes.
    fn keys_in_indexes(&self) -> Vec<IndexKey> {
        let is_archived = self.entity.is_archived();
        let status = match (
            &self.entity.listed.status,
            self.entity.details.status.stored(),
        ) {
            (Some(listed), _) if self.entity.details.status.get().is_none() => listed.as_str(),
            (_, Value::String(status)) => status.as_str(),
            _ => return Vec::new(),
        };
        if !(1..=MAX_WORD).contains(&status.len()) {
            return Vec::new();
        }
        let Some(at) = updated_at_key(self.entity) else {
            return Vec::new();
        };
        let by_status = self.scope.by_status(status, is_archived);
        if by_status.as_str().len() > MAX_KEY {
            return Vec::new();
        }
        let active = (!is_archived).then(|| self.scope.active());
        vec![
            IndexKey {
                index: &keys::GSI1,
                key: Some(Key::new(by_status, at.clone())),
            },
            IndexKey {
                index: &keys::GSI2,
                key: active.map(|active| Key::new(active, at)),
            },
        ]
    }
}

/// The sort key of both indexes, made from the stored text if that is a time.
fn updated_at_key(application: &Application) -> Option<Sk> {
    let stored = application.updated_at.stored().as_str();
    let stored = stored.filter(|_| application.moment().is_some());
    let text = stored.or(application.listed.updated_at.as_deref());
    let key = text.map(|text| keys::updated(text, &application.id));
    // Another program may have stored a text that is too long for a key, or none.
    key.filter(fits_in_an_index)
        .or_else(|| Some(keys::updated(application.last_update(), &application.id)))
        .filter(fits_in_an_index)
}

fn fits_in_an_index(key: &Sk) -> bool {
    key.as_str().len() <= MAX_SORT_KEY
}

impl ToItem for Placed<'_, Stage> {
    const TABLE: &'static TableDefinition = &keys::TABLE;
    const KIND: &'static str = "interview stage";
    const NULLS: bool = true;

    fn primary_key(&self) -> Key {
        self.scope.stage(&self.entity.application, &self.entity.key)
    }

    fn adjust(&self, item: &mut Item) {
        self.entity.exact.write_to(item);
    }
}

impl ToItem for Placed<'_, HistoryItem> {
    const TABLE: &'static TableDefinition = &keys::TABLE;
    const KIND: &'static str = "history entry";
    const NULLS: bool = true;

    fn primary_key(&self) -> Key {
        let (application, sequence) = self.entity.identity();
        self.scope.history_entry(application, sequence)
    }

    fn adjust(&self, item: &mut Item) {
        self.entity.exact().write_to(item);
    }
}
