//! Entities: typed items, from and to the attributes that are stored.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{IndexDefinition, Key, MalformedItem, Table, TableDefinition, TableError};

/// An item as DynamoDB has it.
pub type Item = HashMap<String, AttributeValue>;

/// A type of item. Its serde shape is its attributes, without the keys; a field that is `None` is written
/// as NULL, and read from NULL or from an attribute that is not there.
pub trait Entity: Serialize + DeserializeOwned {
    /// What the entity is called in errors.
    const NAME: &'static str;
    /// What its key is made from.
    type Id: ?Sized;

    /// The primary key, from inputs.
    fn key_of(id: &Self::Id) -> Key;

    /// The primary key, from the whole item.
    fn key(&self) -> Key;

    /// The item's key in each index of the table; `None` leaves it out of that (sparse) index.
    fn index_keys(&self) -> Vec<IndexKey> {
        Vec::new()
    }
}

/// An item's place in an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexKey {
    /// The index.
    pub index: &'static IndexDefinition,
    /// The key, or `None` where the item is not in the index.
    pub key: Option<Key>,
}

/// The entity that an item holds; attributes it does not know are passed over.
///
/// # Errors
/// [`MalformedItem`] when an attribute is missing or has another type.
pub fn from_item<E: Entity>(item: Item) -> Result<E, MalformedItem> {
    serde_dynamo::from_item(item).map_err(|e| MalformedItem {
        entity: E::NAME,
        reason: e.to_string(),
    })
}

impl TableDefinition {
    /// The attributes of a primary key.
    pub(super) fn key_item(&self, key: &Key) -> Item {
        pair(self.partition_key, self.sort_key, key)
    }
}

impl IndexDefinition {
    /// The attributes of a key of this index.
    pub(super) fn key_item(&self, key: &Key) -> Item {
        pair(self.partition_key, self.sort_key, key)
    }
}

fn pair(partition_key: &str, sort_key: &str, key: &Key) -> Item {
    HashMap::from([
        (
            partition_key.to_owned(),
            AttributeValue::S(key.pk.as_str().to_owned()),
        ),
        (
            sort_key.to_owned(),
            AttributeValue::S(key.sk.as_str().to_owned()),
        ),
    ])
}

impl Table {
    /// The whole item: attributes, primary key, index keys.
    ///
    /// # Errors
    /// [`TableError::Malformed`] when the entity cannot be an item, which is a fault of ours.
    pub fn item_of<E: Entity>(&self, entity: &E) -> Result<Item, TableError> {
        let mut item: Item = serde_dynamo::to_item(entity).map_err(|e| MalformedItem {
            entity: E::NAME,
            reason: e.to_string(),
        })?;
        item.extend(self.definition.key_item(&entity.key()));
        for IndexKey { index, key } in entity.index_keys() {
            if let Some(key) = key {
                item.extend(index.key_item(&key));
            }
        }
        Ok(item)
    }
}
