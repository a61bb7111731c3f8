//! Restores an item of an embedded store that cannot be read, from its copies in the indexes.

use dynoxide::types::{AttributeValue, GlobalSecondaryIndex, Item, KeySchemaElement};
use rusqlite::{Connection, Error as SqliteError, params};

use super::described::{index_table, key_in};
use super::rows::{item_in, quoted, text};

/// Restores an item that cannot be read from its copies in indexes, which are written with it, if all of them agree.
pub(super) fn restore(
    change: &Connection,
    table: &str,
    indexes: &[GlobalSecondaryIndex],
    (pk, sk): &(String, String),
) -> Result<bool, SqliteError> {
    let mut copies: Vec<(Item, String)> = Vec::new();
    for index in indexes {
        let name = index_table(table, &index.index_name);
        let exists = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = ?1)";
        if !change.query_row(exists, [&name], |row| row.get::<_, bool>(0))? {
            continue;
        }
        let mut found = change.prepare(&format!(
            "SELECT gsi_pk, gsi_sk, item_json FROM {} WHERE table_pk = ?1 AND table_sk = ?2",
            quoted(&name)
        ))?;
        let mut rows = found.query([pk, sk])?;
        while let Some(row) = rows.next()? {
            let Some(item) = item_in(row, 2) else {
                return Ok(false);
            };
            if key_in(index, &item) != Some((text(row, 0)?, text(row, 1)?)) {
                return Ok(false);
            }
            copies.push((item, text(row, 2)?));
        }
    }
    let Some(((item, json), others)) = copies.split_first() else {
        return Ok(false);
    };
    if others.iter().any(|(other, _)| other != item) || !is_at(change, table, item, (pk, sk))? {
        return Ok(false);
    }
    let replace = format!(
        "UPDATE {} SET item_json = ?3 WHERE pk = ?1 AND sk = ?2",
        quoted(table)
    );
    Ok(change.execute(&replace, params![pk, sk, json])? == 1)
}

/// Whether an item's own key is this one.
fn is_at(
    change: &Connection,
    table: &str,
    item: &Item,
    (pk, sk): (&String, &String),
) -> Result<bool, SqliteError> {
    let schema = "SELECT key_schema FROM _tables WHERE table_name = ?1";
    let schema: String = change.query_row(schema, [table], |row| row.get(0))?;
    let schema: Vec<KeySchemaElement> = serde_json::from_str(&schema).unwrap_or_default();
    let own = schema.iter().map(|element| {
        let value = item.get(&element.attribute_name);
        value.and_then(AttributeValue::to_key_string)
    });
    Ok(!schema.is_empty() && own.eq([Some(pk.clone()), Some(sk.clone())]))
}
