//! Items that cannot be read. dynoxide reads such an item as one that does not exist, or fails the whole request. So the
//! keys of a request are looked at before it, and an item that cannot be read is set aside: its bytes are kept in a table
//! of their own, and an item with its key and a mark takes its place, which no entity can be read from.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use dynoxide::types::{AttributeValue, GlobalSecondaryIndex, Item, KeySchemaElement};
use rusqlite::{Connection, Error as SqliteError, OptionalExtension as _, params};
use serde_json::{Value, json};

use super::described::{index_table, tables};
use super::restoring::restore;
use super::rows::{MARK, bare, item_of, quoted, text};

/// How long setting aside waits for a writer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether a text is an item for dynoxide.
fn is_item(text: &[u8]) -> bool {
    serde_json::from_slice::<Item>(text).is_ok()
}

/// Looks at the items that requests name.
#[derive(Debug, Default)]
pub(super) struct Lookout {
    connection: Mutex<Option<Connection>>,
}

impl Lookout {
    /// The tables of a request that names an item that dynoxide cannot read.
    pub(super) fn suspects(
        &self,
        file: &Path,
        operation: &str,
        body: &[u8],
    ) -> Result<Vec<String>, SqliteError> {
        let Some(named) = named(operation, body) else {
            return Ok(Vec::new());
        };
        let mut guard = self.connection.lock().unwrap_or_else(|e| e.into_inner());
        let connection = match guard.take() {
            Some(connection) => guard.insert(connection),
            None => guard.insert(Connection::open(file)?),
        };
        let mut tables = Vec::new();
        for (table, key) in named {
            if !tables.contains(&table) && is_damaged(connection, &table, &key)? {
                tables.push(table);
            }
        }
        Ok(tables)
    }
}

/// The tables and the items or keys that a request names; `None` for requests that name none.
fn named(operation: &str, body: &[u8]) -> Option<Vec<(String, Item)>> {
    match operation {
        "GetItem" | "PutItem" | "UpdateItem" | "DeleteItem" => {
            let body: Value = serde_json::from_slice(body).ok()?;
            Some(named_by(&body).into_iter().collect())
        }
        "TransactWriteItems" | "TransactGetItems" => {
            let body: Value = serde_json::from_slice(body).ok()?;
            let items = body.get("TransactItems")?.as_array()?.iter();
            let each = items
                .filter_map(Value::as_object)
                .flat_map(|item| item.values());
            Some(each.filter_map(named_by).collect())
        }
        _ => None,
    }
}

/// The table and the key or item that one request names.
fn named_by(request: &Value) -> Option<(String, Item)> {
    let item = request.get("Key").or_else(|| request.get("Item"))?;
    let table = request.get("TableName")?.as_str()?.to_owned();
    Some((table, serde_json::from_value(item.clone()).ok()?))
}

fn is_damaged(connection: &Connection, table: &str, named: &Item) -> Result<bool, SqliteError> {
    let schema = "SELECT key_schema FROM _tables WHERE table_name = ?1";
    let schema: Option<String> = connection
        .prepare_cached(schema)?
        .query_row([table], |row| row.get(0))
        .optional()?;
    let Some(schema) = schema.and_then(|text| key_schema(&text)) else {
        return Ok(false);
    };
    let mut key = schema.iter().map(|element| {
        let value = named.get(&element.attribute_name);
        value.and_then(AttributeValue::to_key_string)
    });
    let (Some(Some(pk)), sk) = (key.next(), key.next()) else {
        return Ok(false);
    };
    let select = format!(
        "SELECT item_json FROM {} WHERE pk = ?1 AND sk = ?2",
        quoted(table)
    );
    let readable = connection
        .prepare_cached(&select)?
        .query_row(params![pk, sk.flatten().unwrap_or_default()], |row| {
            Ok(row.get_ref(0)?.as_bytes().is_ok_and(is_item))
        });
    Ok(readable.optional()? == Some(false))
}

fn key_schema(text: &str) -> Option<Vec<KeySchemaElement>> {
    serde_json::from_str(text).ok()
}

/// Whether dynoxide failed a request because of an item that it cannot read.
pub(super) fn is_about_an_item(error: &dynoxide::DynoxideError) -> bool {
    match error {
        dynoxide::DynoxideError::InternalServerError(text) => {
            text.contains("item JSON") || text.contains("utf-8") || text.contains("Utf8")
        }
        dynoxide::DynoxideError::SqliteError(error) => matches!(
            error,
            SqliteError::FromSqlConversionFailure(..)
                | SqliteError::Utf8Error(..)
                | SqliteError::InvalidColumnType(..)
        ),
        _ => false,
    }
}

/// The tables that a request names.
pub(super) fn tables_of(body: &[u8]) -> Vec<String> {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let one = body.get("TableName").and_then(Value::as_str);
    let many = body.get("RequestItems").and_then(Value::as_object);
    let many = many.into_iter().flat_map(|tables| tables.keys().cloned());
    one.map(str::to_owned).into_iter().chain(many).collect()
}

/// Sets the items of a table aside that cannot be read, or restores them from an index. The number of both.
pub(super) fn set_aside(file: &Path, table: &str) -> Result<usize, SqliteError> {
    let mut connection = Connection::open(file)?;
    connection.busy_timeout(PATIENCE)?;
    let change = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let tables = tables(&change)?;
    let Some(described) = tables.into_iter().find(|one| one.name == table) else {
        return Ok(0);
    };
    let schema = "SELECT key_schema FROM _tables WHERE table_name = ?1";
    let schema: String = change.query_row(schema, [table], |row| row.get(0))?;
    let schema = key_schema(&schema).unwrap_or_default();
    let mut unreadable = Vec::new();
    {
        let all = format!("SELECT pk, sk, item_json FROM {}", quoted(table));
        let mut items = change.prepare(&all)?;
        let mut rows = items.query([])?;
        while let Some(row) = rows.next()? {
            if !row.get_ref(2)?.as_bytes().is_ok_and(is_item) {
                unreadable.push((text(row, 0)?, text(row, 1)?));
            }
        }
    }
    change.execute_batch(
        "CREATE TABLE IF NOT EXISTS _trestle_unreadable (table_name TEXT NOT NULL, pk TEXT NOT NULL, \
         sk TEXT NOT NULL, item_json BLOB, found_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)",
    )?;
    for key in &unreadable {
        if restore(&change, table, &described.indexes, key)? {
            tracing::error!(
                table,
                key = bare(key),
                "an item could not be read, and was restored from an index: look at the disk"
            );
            continue;
        }
        let (pk, sk) = key;
        change.execute(
            &format!(
                "INSERT INTO _trestle_unreadable (table_name, pk, sk, item_json) \
                 SELECT ?1, pk, sk, CAST(item_json AS BLOB) FROM {} WHERE pk = ?2 AND sk = ?3",
                quoted(table)
            ),
            params![table, pk, sk],
        )?;
        change.execute(
            &format!(
                "UPDATE {} SET item_json = ?3 WHERE pk = ?1 AND sk = ?2",
                quoted(table)
            ),
            params![pk, sk, stand_in(&schema, [pk, sk])],
        )?;
        tracing::error!(
            table,
            key = bare(key),
            "an item cannot be read and was set aside: look at the disk, and run `trestle store check`"
        );
    }
    let mut copies = 0;
    for index in &described.indexes {
        copies += replace_copies(&change, table, &schema, index)?;
    }
    change.commit()?;
    Ok(unreadable.len() + copies)
}

/// Replaces an index's copies that cannot be read by the items, or by what stands for them. The number of copies.
fn replace_copies(
    change: &Connection,
    table: &str,
    schema: &[KeySchemaElement],
    index: &GlobalSecondaryIndex,
) -> Result<usize, SqliteError> {
    let name = quoted(&index_table(table, &index.index_name));
    let mut broken = Vec::new();
    {
        let all = "SELECT rowid, item_json, gsi_pk, gsi_sk, table_pk, table_sk";
        let mut copies = change.prepare(&format!("{all} FROM {name}"))?;
        let mut rows = copies.query([])?;
        while let Some(row) = rows.next()? {
            if !row.get_ref(1)?.as_bytes().is_ok_and(is_item) {
                let place = (text(row, 2)?, text(row, 3)?);
                broken.push((row.get::<_, i64>(0)?, place, (text(row, 4)?, text(row, 5)?)));
            }
        }
    }
    let item = format!(
        "SELECT item_json FROM {} WHERE pk = ?1 AND sk = ?2",
        quoted(table)
    );
    for (row, place, key) in &broken {
        let item: Option<String> = change
            .query_row(&item, params![key.0, key.1], |row| row.get(0))
            .optional()?;
        match item {
            Some(item) if item_of(item.as_bytes()).is_some() => {
                let replace = format!("UPDATE {name} SET item_json = ?2 WHERE rowid = ?1");
                change.execute(&replace, params![row, item])?;
            }
            Some(_) => {
                // With the index's own key, which a page ends with.
                let mut both = schema.to_vec();
                both.extend(index.key_schema.iter().cloned());
                let keys = [&key.0, &key.1, &place.0, &place.1];
                let replace = format!("UPDATE {name} SET item_json = ?2 WHERE rowid = ?1");
                change.execute(&replace, params![row, stand_in(&both, keys)])?;
            }
            None => {
                change.execute(&format!("DELETE FROM {name} WHERE rowid = ?1"), [row])?;
            }
        }
    }
    Ok(broken.len())
}

fn stand_in<'k>(schema: &[KeySchemaElement], keys: impl IntoIterator<Item = &'k String>) -> String {
    let mut item = serde_json::Map::new();
    for (element, key) in schema.iter().zip(keys) {
        if let Some(value) = key.strip_prefix("S:") {
            item.insert(element.attribute_name.clone(), json!({ "S": value }));
        }
    }
    item.insert(MARK.to_owned(), json!({ "BOOL": true }));
    Value::Object(item).to_string()
}
