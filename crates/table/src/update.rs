//! UpdateItem: changes to single attributes of one item.

use aws_sdk_dynamodb::types::AttributeValue;

use super::addition::Addition;
use super::entity::item_of;
use super::{Condition, IndexKey, Item, Key, Table, TableError, ToItem};

/// Changes to some attributes of one item; all others stay, those of other programs included.
#[derive(Clone, Debug)]
pub struct Update {
    pub(super) key: Key,
    pub(super) set: Item,
    pub(super) remove: Vec<String>,
    pub(super) add: Vec<Addition>,
    pub(super) condition: Condition,
}

impl Update {
    /// Changes to the item with `key`, if `condition` holds of it.
    pub fn new(key: Key, condition: Condition) -> Self {
        Self {
            key,
            set: Item::new(),
            remove: Vec::new(),
            add: Vec::new(),
            condition,
        }
    }

    /// Sets an attribute. A value that is stored as NULL removes it.
    pub fn set(mut self, attribute: impl Into<String>, value: &impl serde::Serialize) -> Self {
        match serde_dynamo::to_attribute_value(value) {
            Ok(AttributeValue::Null(_)) | Err::<_, serde_dynamo::Error>(_) => self.clear(attribute),
            Ok(value) => {
                self.set.insert(attribute.into(), value);
                self
            }
        }
    }

    /// Removes an attribute.
    pub fn clear(mut self, attribute: impl Into<String>) -> Self {
        self.remove.push(attribute.into());
        self
    }

    /// Adds to a number, which starts from 0 where the attribute or the item is not there.
    pub fn add(self, attribute: impl Into<String>, by: i64) -> Self {
        self.adding(Addition::new(attribute, by))
    }

    /// Adds to a number.
    pub fn adding(mut self, addition: Addition) -> Self {
        self.add.push(addition);
        self
    }

    /// The key of the item.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// The same changes, if `condition` holds of the item.
    pub fn only_if(self, condition: Condition) -> Self {
        Self { condition, ..self }
    }

    /// Also writes the entity's keys in every index, even those that did not change: another program may
    /// have left other ones.
    pub fn with_index_keys<E: ToItem>(mut self, after: &E) -> Self {
        for IndexKey { index, key } in after.keys_in_indexes() {
            match key {
                Some(key) => self.set.extend(index.key_item(&key)),
                None => {
                    let absent = index.attributes().map(str::to_owned);
                    let absent: Vec<_> =
                        absent.filter(|name| !self.remove.contains(name)).collect();
                    self.remove.extend(absent);
                }
            }
        }
        self
    }

    /// Whether there is nothing to change.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty() && self.remove.is_empty() && self.add.is_empty()
    }
}

impl Table {
    /// The changes that make the item of `before` into that of `after`; without a `before`, every
    /// attribute of `after` is written. Attributes that the entity does not know are left alone.
    ///
    /// # Errors
    /// As [`Table::item_of`].
    pub fn update_of<E: ToItem>(
        &self,
        before: Option<&E>,
        after: &E,
        condition: Condition,
    ) -> Result<Update, TableError> {
        let mut set = item_of(after)?;
        let mut remove: Vec<_> = left_indexes(after).into_iter().map(str::to_owned).collect();
        for attribute in self.definition.key_item(&after.primary_key()).keys() {
            set.remove(attribute);
        }
        if let Some(before) = before {
            let left_before = left_indexes(before);
            remove.retain(|attribute| !left_before.contains(&attribute.as_str()));
            for (attribute, value) in item_of(before)? {
                match set.get(&attribute) {
                    Some(same) if *same == value => {
                        set.remove(&attribute);
                    }
                    None if !self.is_key(&attribute) && !remove.contains(&attribute) => {
                        remove.push(attribute);
                    }
                    _ => {}
                }
            }
        }
        Ok(Update {
            set,
            remove,
            ..Update::new(after.primary_key(), condition)
        })
    }

    fn is_key(&self, attribute: &str) -> bool {
        let definition = self.definition;
        [definition.partition_key.name, definition.sort_key.name].contains(&attribute)
    }
}

/// The key attributes of the indexes that an entity is not in.
fn left_indexes(entity: &impl ToItem) -> Vec<&'static str> {
    let absent = entity
        .keys_in_indexes()
        .into_iter()
        .filter(|index_key| index_key.key.is_none());
    absent
        .flat_map(|absent| absent.index.attributes())
        .collect()
}
