//! What is damaged in an embedded store: rows that cannot be read, and indexes that differ from their items. Reads
//! dynoxide's tables, whose layout is that of the release that `Cargo.toml` pins.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use dynoxide::Database;
use dynoxide::actions::update_table::UpdateTableRequest;
use rusqlite::{
    Connection, Error as SqliteError, OptionalExtension as _, Statement, TransactionBehavior,
    params,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::errors::OpenError;
use super::file::{self, FILE};

/// What is wrong with a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Damage {
    /// SQLite finds its own structures broken.
    Structure(String),
    /// An item cannot be read.
    Item {
        /// The table.
        table: String,
        /// The partition key and the sort key.
        key: (String, String),
    },
    /// An index does not hold what its table's items say.
    Index {
        /// The table.
        table: String,
        /// The index.
        index: String,
        /// Rows that are unreadable, outdated, missing or left over.
        rows: u64,
    },
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Structure(what) => write!(f, "The file's structure is damaged: {what}"),
            Self::Item {
                table,
                key: (pk, sk),
            } => {
                // The store writes the type of a key before it.
                let bare = |key: &str| key.strip_prefix("S:").unwrap_or(key).to_owned();
                let (pk, sk) = (bare(pk), bare(sk));
                write!(f, "{table}: the item {pk} / {sk} cannot be read")
            }
            Self::Index { table, index, rows } => {
                write!(
                    f,
                    "{table}: {rows} rows of the index {index} differ from the items"
                )
            }
        }
    }
}

impl Damage {
    /// Whether [`rebuild`] mends it.
    pub fn is_mendable(&self) -> bool {
        matches!(self, Self::Index { .. })
    }
}

/// How long mending waits for a writer.
const MENDING: Duration = Duration::from_secs(5);
/// The most findings that are listed of items and of the structure.
const MOST: usize = 100;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Index {
    index_name: String,
    key_schema: Vec<KeyAttribute>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct KeyAttribute {
    attribute_name: String,
}

impl Index {
    /// Whether an item is in the index: it has all of the index's key attributes.
    fn holds(&self, item: &Value) -> bool {
        let key = self.key_schema.iter();
        key.map(|key| &key.attribute_name)
            .all(|name| item.get(name).is_some())
    }
}

/// Looks at every row of the store in `folder`. Nothing may write meanwhile for an exact answer: a server that writes
/// is seen at one moment.
///
/// # Errors
/// [`OpenError`].
pub(super) fn check(folder: &Path) -> Result<Vec<Damage>, OpenError> {
    let file = folder.join(FILE);
    let unreadable = |error: SqliteError| file::unreadable(folder, &file, &error);
    let connection = Connection::open(&file).map_err(unreadable)?;
    // One moment for all that is read.
    connection.execute_batch("BEGIN").map_err(unreadable)?;
    let mut found = structure(&connection).map_err(unreadable)?;
    if found.is_empty() {
        for (table, indexes) in tables(&connection).map_err(unreadable)? {
            found.extend(of_table(&connection, &table, &indexes).map_err(unreadable)?);
        }
    }
    Ok(found)
}

fn structure(connection: &Connection) -> Result<Vec<Damage>, SqliteError> {
    let mut check = connection.prepare(&format!("PRAGMA integrity_check({MOST})"))?;
    let lines = check.query_map([], |row| row.get::<_, String>(0))?;
    lines
        .filter(|line| line.as_ref().map_or(true, |line| line != "ok"))
        .map(|line| line.map(Damage::Structure))
        .collect()
}

fn tables(connection: &Connection) -> Result<Vec<(String, Vec<Index>)>, SqliteError> {
    let mut tables = connection.prepare("SELECT table_name, gsi_definitions FROM _tables")?;
    let rows = tables.query_map([], |row| {
        let indexes: Option<String> = row.get(1)?;
        // Unreadable definitions would stop the store from opening.
        let indexes = indexes.and_then(|text| serde_json::from_str(&text).ok());
        Ok((row.get(0)?, indexes.unwrap_or_default()))
    })?;
    rows.collect()
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn of_table(
    connection: &Connection,
    table: &str,
    indexes: &[Index],
) -> Result<Vec<Damage>, SqliteError> {
    let in_sql = |index: &Index| quoted(&format!("{table}::gsi::{}", index.index_name));
    let lookup = |index: &Index| {
        connection.prepare(&format!(
            "SELECT item_json FROM {} WHERE table_pk = ?1 AND table_sk = ?2",
            in_sql(index)
        ))
    };
    let mut lookups = indexes.iter().map(lookup).collect::<Result<Vec<_>, _>>()?;
    let (mut found, mut wrong, mut right) = (Vec::new(), HashMap::new(), HashMap::new());
    let mut items =
        connection.prepare(&format!("SELECT pk, sk, item_json FROM {}", quoted(table)))?;
    let mut rows = items.query([])?;
    while let Some(row) = rows.next()? {
        let key: (String, String) = (text(row, 0)?, text(row, 1)?);
        let Ok(item) = serde_json::from_slice::<Value>(row.get_ref(2)?.as_bytes()?) else {
            if found.len() < MOST {
                found.push(Damage::Item {
                    table: table.to_owned(),
                    key,
                });
            }
            continue;
        };
        for (index, lookup) in indexes.iter().zip(&mut lookups) {
            let copy = copy(lookup, &key)?;
            let is_right = match index.holds(&item) {
                true => copy.as_ref() == Some(&Some(item.clone())),
                false => copy.is_none(),
            };
            let count = if is_right { &mut right } else { &mut wrong };
            if copy.is_some() || !is_right {
                *count.entry(&*index.index_name).or_insert(0) += 1;
            }
        }
    }
    for index in indexes {
        let count = format!("SELECT count(*) FROM {}", in_sql(index));
        let rows: u64 = connection.query_row(&count, [], |row| row.get(0))?;
        let name = &*index.index_name;
        let wrong = wrong.get(name).copied().unwrap_or_default();
        let left_over = rows.saturating_sub(right.get(name).copied().unwrap_or_default() + wrong);
        if wrong + left_over > 0 {
            found.push(Damage::Index {
                table: table.to_owned(),
                index: name.to_owned(),
                rows: wrong + left_over,
            });
        }
    }
    Ok(found)
}

fn text(row: &rusqlite::Row<'_>, at: usize) -> Result<String, SqliteError> {
    Ok(String::from_utf8_lossy(row.get_ref(at)?.as_bytes()?).into_owned())
}

/// An index's copy of an item: none, or one that cannot be read (`Some(None)`), or the item.
fn copy(
    lookup: &mut Statement<'_>,
    (pk, sk): &(String, String),
) -> Result<Option<Option<Value>>, SqliteError> {
    lookup
        .query_row([pk, sk], |row| {
            Ok(serde_json::from_slice(row.get_ref(0)?.as_bytes()?).ok())
        })
        .optional()
}

/// Builds an index anew from its table's items. No server may use the store meanwhile: the index is missing for a
/// moment.
///
/// # Errors
/// A sentence, if the table cannot be changed.
pub(super) fn rebuild(database: &Database, table: &str, index: &str) -> Result<(), String> {
    let described = serde_json::from_value(json!({ "TableName": table }))
        .map_err(|error| error.to_string())
        .and_then(|request| database.describe_table(request).map_err(|e| e.to_string()))
        .and_then(|described| serde_json::to_value(described).map_err(|e| e.to_string()))?;
    let described = &described["Table"];
    let indexes = described["GlobalSecondaryIndexes"].as_array();
    let definition = indexes
        .into_iter()
        .flatten()
        .find(|definition| definition["IndexName"] == index)
        .ok_or_else(|| format!("there is no index {index} of {table}"))?;
    let changes = [
        json!({ "Delete": { "IndexName": index } }),
        json!({ "Create": {
            "IndexName": index,
            "KeySchema": definition["KeySchema"],
            "Projection": definition["Projection"],
        } }),
    ];
    for change in changes {
        let request: UpdateTableRequest = serde_json::from_value(json!({
            "TableName": table,
            "AttributeDefinitions": described["AttributeDefinitions"],
            "GlobalSecondaryIndexUpdates": [change],
        }))
        .map_err(|error| error.to_string())?;
        database.update_table(request).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// Replaces an index's unreadable copies by the items themselves, if these can be read. The number of copies replaced.
///
/// # Errors
/// The file cannot be read or written.
pub(super) fn mend(file: &Path, table: &str, index: &str) -> Result<usize, SqliteError> {
    let mut connection = Connection::open(file)?;
    connection.busy_timeout(MENDING)?;
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let (index, table) = (quoted(&format!("{table}::gsi::{index}")), quoted(table));
    let mut broken = Vec::new();
    {
        let mut copies = change.prepare(&format!("SELECT rowid, item_json FROM {index}"))?;
        let mut rows = copies.query([])?;
        while let Some(row) = rows.next()? {
            if !is_readable(row.get_ref(1)?.as_bytes()?) {
                broken.push(row.get::<_, i64>(0)?);
            }
        }
    }
    let item = format!(
        "SELECT {table}.item_json FROM {table} JOIN {index} ON pk = table_pk AND sk = table_sk WHERE {index}.rowid = ?1"
    );
    let mut mended = 0;
    for row in broken {
        let item = change.query_row(&item, [row], |row| row.get::<_, String>(0));
        if let Ok(item) = item
            && is_readable(item.as_bytes())
        {
            let replace = format!("UPDATE {index} SET item_json = ?1 WHERE rowid = ?2");
            mended += change.execute(&replace, params![item, row])?;
        }
    }
    change.commit()?;
    Ok(mended)
}

fn is_readable(item: &[u8]) -> bool {
    serde_json::from_slice::<Value>(item).is_ok()
}
