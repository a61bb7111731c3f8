//! Entities: typed items, from and to the attributes that are stored.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::key::split;
use super::{
    ForeignItem, IndexDefinition, Item, Key, KeyAttribute, KeyedAttributes, MalformedItem, Pk, Sk,
    TableDefinition, TableError,
};

/// A type of item. Its serde shape is its attributes, without the keys. Values that check themselves when they
/// are read make it the model, too; where other programs write the table in forms of their own, the model is
/// another type that is converted.
pub trait Entity: Serialize + DeserializeOwned {
    /// The table that its items are in.
    const TABLE: &'static TableDefinition;
    /// What kind of entity it is: in errors, and in the attribute that the table has for it.
    const KIND: &'static str;
    /// Whether a field that is `None` is written as NULL, rather than left out.
    const NULLS: bool = false;
    /// Attributes that the keys contain as well. Where another program leaves them out, they are read from there.
    const KEYED: KeyedAttributes = &[];
    /// What its key is made from.
    type Id: Clone;

    /// Whether an item that says to be of this kind is one of these entities. Entities of several kinds can share a key;
    /// they write the attribute of the kind themselves.
    fn is_kind(kind: &str) -> bool {
        kind == Self::KIND
    }

    /// Adds what items of other programs leave out, after what their keys contain.
    fn complete(_: &mut ForeignItem<'_>) {}

    /// The primary key, from inputs.
    fn key_of(id: &Self::Id) -> Key;

    /// What its key is made from, of this one.
    fn identity(&self) -> Self::Id;

    /// The primary key, from the whole item.
    fn key(&self) -> Key {
        Self::key_of(&self.identity())
    }

    /// The item's key in each index of the table that is not made of ordinary attributes; `None` leaves it
    /// out of that (sparse) index.
    fn index_keys(&self) -> Vec<IndexKey> {
        Vec::new()
    }

    /// When it expires, in seconds after 1970.
    fn expires(&self) -> Option<i64> {
        None
    }
}

/// What a write stores as an item: an entity, or one whose key depends on more than the entity.
pub trait ToItem: Serialize {
    /// The table that the item is in.
    const TABLE: &'static TableDefinition;
    /// What kind of entity it is.
    const KIND: &'static str;
    /// Whether a field that is `None` is written as NULL, rather than left out.
    const NULLS: bool = false;

    /// The primary key.
    fn primary_key(&self) -> Key;

    /// Sets what serde cannot represent, such as numbers of 38 digits.
    fn adjust(&self, _attributes: &mut Item) {}

    /// As [`Entity::index_keys`].
    fn keys_in_indexes(&self) -> Vec<IndexKey> {
        Vec::new()
    }

    /// As [`Entity::expires`].
    fn end(&self) -> Option<i64> {
        None
    }
}

impl<E: Entity> ToItem for E {
    const TABLE: &'static TableDefinition = <E as Entity>::TABLE;
    const KIND: &'static str = <E as Entity>::KIND;
    const NULLS: bool = <E as Entity>::NULLS;

    fn primary_key(&self) -> Key {
        self.key()
    }

    fn keys_in_indexes(&self) -> Vec<IndexKey> {
        self.index_keys()
    }

    fn end(&self) -> Option<i64> {
        self.expires()
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

impl IndexKey {
    /// Whether an item has exactly this key in the index.
    pub fn is_of(&self, item: &Item) -> bool {
        let key = self.key.as_ref().map(|key| self.index.key_item(key));
        let key = key.unwrap_or_default();
        let mut names = self.index.attributes();
        names.all(|name| item.get(name) == key.get(name))
    }

    /// The same where `there`; else none.
    pub fn only_if(self, there: bool) -> Self {
        Self {
            key: self.key.filter(|_| there),
            ..self
        }
    }
}

impl IndexDefinition {
    /// A place in this index.
    pub fn at(&'static self, pk: Pk, sk: Sk) -> IndexKey {
        IndexKey {
            index: self,
            key: Some(Key::new(pk, sk)),
        }
    }
}

/// Adds to an item what its keys and its entity say about what is missing. A comment of another program that is stored
/// beside an entity is none: an item must name its kind, or have its partition.
fn complete<E: Entity>(item: &mut Item) {
    let names_kind = E::TABLE.kind.is_none_or(|kind| item.contains_key(kind));
    if names_kind || has_partition::<E>(item) {
        let mut item = ForeignItem::new(item);
        item.add_keyed(E::KEYED);
        E::complete(&mut item);
    }
}

/// Whether the partition key of an item begins with the kind of the entity.
fn has_partition<E: Entity>(item: &Item) -> bool {
    let partition_key = E::TABLE.partition_key.text_in(item);
    partition_key.is_some_and(|key| split(&key).next() == Some(E::KIND))
}

/// The entity that an item holds; attributes it does not know are passed over.
///
/// # Errors
/// [`MalformedItem`] names the attribute that is missing, has another type or is not what it may be.
pub fn from_item<E: Entity>(mut item: Item) -> Result<E, MalformedItem> {
    let said = E::TABLE.kind.and_then(|attribute| item.get(attribute));
    if let Some(kind) = said.filter(|kind| kind.as_s().is_ok_and(|kind| !E::is_kind(kind))) {
        return Err(malformed::<E>(format!("it says to be {kind:?}")));
    }
    complete::<E>(&mut item);
    let value = serde_dynamo::AttributeValue::from(AttributeValue::M(item));
    let reader = serde_dynamo::Deserializer::from_attribute_value(value);
    serde_path_to_error::deserialize(reader).map_err(|error| {
        let path = error.path().to_string();
        match path.as_str() {
            "." => malformed::<E>(error.inner().to_string()),
            path => malformed::<E>(format!("attribute {path}: {}", error.inner())),
        }
    })
}

fn malformed<E: ToItem>(reason: String) -> MalformedItem {
    MalformedItem {
        entity: E::KIND,
        reason,
    }
}

impl TableDefinition {
    /// The attributes of a primary key.
    pub fn key_item(&self, key: &Key) -> Item {
        pair(self.partition_key, Some(self.sort_key), key)
    }

    /// A key that need not be there.
    pub(super) fn any_key(&self) -> Key {
        Key::new(Pk::stored("0"), Sk::stored("0"))
    }

    /// The primary key of an item that was read with it.
    pub fn key_in(&self, item: &Item) -> Option<Key> {
        let [pk, sk] = [self.partition_key, self.sort_key].map(|key| key.text_in(item));
        Some(Key::new(Pk::stored(pk?), Sk::stored(sk?)))
    }
}

impl IndexDefinition {
    /// The attributes of a key of this index.
    pub(super) fn key_item(&self, key: &Key) -> Item {
        pair(self.partition_key, self.sort_key, key)
    }

    /// The attributes of its keys.
    pub fn attributes(&self) -> impl Iterator<Item = &'static str> {
        let sort_key = self.sort_key.map(|key| key.name);
        std::iter::once(self.partition_key.name).chain(sort_key)
    }
}

fn pair(partition_key: KeyAttribute, sort_key: Option<KeyAttribute>, key: &Key) -> Item {
    let mut item = HashMap::from([(
        partition_key.name.to_owned(),
        partition_key.value(key.pk.as_str()),
    )]);
    if let Some(sort_key) = sort_key {
        item.insert(sort_key.name.to_owned(), sort_key.value(key.sk.as_str()));
    }
    item
}

/// The whole item: attributes, primary key, index keys, what it is and when it expires.
///
/// # Errors
/// [`TableError::Malformed`] when the entity cannot be an item, which is a fault of ours.
pub fn item_of<E: ToItem>(entity: &E) -> Result<Item, TableError> {
    let item = serde_dynamo::to_item(entity);
    let mut item: Item = item.map_err(|error| malformed::<E>(error.to_string()))?;
    if !E::NULLS {
        item.retain(|_, value| !value.is_null());
    }
    entity.adjust(&mut item);
    item.extend(E::TABLE.key_item(&entity.primary_key()));
    for IndexKey { index, key } in entity.keys_in_indexes() {
        if let Some(key) = key {
            item.extend(index.key_item(&key));
        }
    }
    if let Some(attribute) = E::TABLE.kind {
        item.entry(attribute.to_owned())
            .or_insert_with(|| AttributeValue::S(E::KIND.to_owned()));
    }
    if let Some((attribute, at)) = E::TABLE.expires.zip(entity.end()) {
        item.insert(attribute.to_owned(), AttributeValue::N(at.to_string()));
    }
    Ok(item)
}
