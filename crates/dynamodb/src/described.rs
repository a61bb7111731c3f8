//! The tables of an embedded store and their indexes: as the store describes them, and as they must be.

use dynoxide::types::{GlobalSecondaryIndex, Item, KeySchemaElement, KeyType};
use rusqlite::{Connection, Error as SqliteError};

/// An index that a table must have.
#[derive(Clone, Debug)]
pub struct ExpectedIndex {
    /// The table.
    pub table: String,
    /// The index.
    pub index: String,
    /// The attribute of its partition key, then the attribute of its sort key, if it has one.
    pub key: Vec<String>,
}

/// A table as the store describes it.
pub(super) struct Described {
    pub(super) name: String,
    pub(super) indexes: Vec<GlobalSecondaryIndex>,
}

impl Described {
    /// The table with the indexes that it must have and does not define.
    pub(super) fn completed(&self, expected: &[ExpectedIndex]) -> Vec<GlobalSecondaryIndex> {
        let mut all = self.indexes.clone();
        for index in expected.iter().filter(|index| index.table == self.name) {
            if !all.iter().any(|other| other.index_name == index.index) {
                all.push(definition(index));
            }
        }
        all
    }
}

fn definition(index: &ExpectedIndex) -> GlobalSecondaryIndex {
    let types = [KeyType::HASH, KeyType::RANGE];
    let key = index.key.iter().zip(types);
    GlobalSecondaryIndex {
        index_name: index.index.clone(),
        key_schema: key
            .map(|(name, key_type)| KeySchemaElement {
                attribute_name: name.clone(),
                key_type,
            })
            .collect(),
        projection: dynoxide::types::Projection {
            projection_type: Some(dynoxide::types::ProjectionType::ALL),
            ..Default::default()
        },
        provisioned_throughput: None,
    }
}

/// The key of an item's row in an index; `None` if the item is not in the index.
pub(super) fn key_in(index: &GlobalSecondaryIndex, item: &Item) -> Option<(String, String)> {
    let mut keys = index.key_schema.iter();
    let partition = key_text(item, keys.next()?)?;
    let sort = match keys.next() {
        Some(sort) => key_text(item, sort)?,
        None => String::new(),
    };
    Some((partition, sort))
}

fn key_text(item: &Item, key: &KeySchemaElement) -> Option<String> {
    item.get(&key.attribute_name)?.to_key_string()
}

pub(super) fn tables(connection: &Connection) -> Result<Vec<Described>, SqliteError> {
    let mut tables = connection.prepare("SELECT table_name, gsi_definitions FROM _tables")?;
    let rows = tables.query_map([], |row| {
        let indexes: Option<String> = row.get(1)?;
        // Unreadable definitions are no definitions: the indexes are missing.
        let indexes = indexes.and_then(|text| serde_json::from_str(&text).ok());
        Ok(Described {
            name: row.get(0)?,
            indexes: indexes.unwrap_or_default(),
        })
    })?;
    rows.collect()
}

/// The name of the table that holds an index.
pub(super) fn index_table(table: &str, index: &str) -> String {
    format!("{table}::gsi::{index}")
}

/// The table and the index of a table that holds an index.
pub(super) fn of_index(name: &str) -> Option<(&str, &str)> {
    name.split_once("::gsi::")
}
