//! Restores an item of an embedded store from its copies in the indexes: one that cannot be read, or that is alone against
//! copies that agree.

use dynoxide::types::{AttributeValue, GlobalSecondaryIndex, Item, KeySchemaElement};
use rusqlite::{Connection, Error as SqliteError, params};

use super::described::{index_table, key_in};
use super::rows::{item_in, quoted, text};

/// Restores an item that cannot be read from its copies in indexes, which are written with it, if all of them agree.
pub(super) fn restore(
    change: &Connection,
    table: &str,
    indexes: &[GlobalSecondaryIndex],
    key: &(String, String),
) -> Result<bool, SqliteError> {
    let copies = copies(change, table, indexes, key)?;
    let Some((Some((item, json)), others)) = copies.split_first() else {
        return Ok(false);
    };
    let is_same =
        |copy: &Option<(Item, String)>| copy.as_ref().is_some_and(|(copy, _)| copy == item);
    let agree = others.iter().all(is_same);
    if !agree || !is_at(change, table, item, key)? {
        return Ok(false);
    }
    write(change, table, key, json)
}

/// What the copies of an item that can be read say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decided {
    /// The item is right, or nothing contradicts it.
    ItemStands,
    /// Two copies agree against the item: it has to be this text.
    CopiesAgree(String),
    /// A copy contradicts the item, and nothing says which of them is right.
    Undecided,
}

/// Compares an item that can be read with its copies. What two of them say is right.
pub(super) fn decide(
    change: &Connection,
    table: &str,
    indexes: &[GlobalSecondaryIndex],
    key: &(String, String),
    item: &Item,
) -> Result<Decided, SqliteError> {
    let copies = copies(change, table, indexes, key)?;
    let mut others: Vec<(Item, String)> = Vec::new();
    // A copy that cannot be read, or is not at its own place, says nothing.
    for (copy, json) in copies.into_iter().flatten() {
        if copy == *item {
            return Ok(Decided::ItemStands);
        }
        if is_at(change, table, &copy, key)? {
            others.push((copy, json));
        }
    }
    let Some((first, json)) = others.first() else {
        return Ok(Decided::ItemStands);
    };
    let is_of_one_mind = others.iter().all(|(copy, _)| copy == first);
    let item_is_elsewhere = !is_at(change, table, item, key)?;
    if !is_of_one_mind || (others.len() < 2 && !item_is_elsewhere) {
        return Ok(Decided::Undecided);
    }
    Ok(Decided::CopiesAgree(json.clone()))
}

/// The copies of an item in the indexes, with their texts. `None` is one that cannot be read, or that is not at the place
/// that it names.
fn copies(
    change: &Connection,
    table: &str,
    indexes: &[GlobalSecondaryIndex],
    (pk, sk): &(String, String),
) -> Result<Vec<Option<(Item, String)>>, SqliteError> {
    let mut copies = Vec::new();
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
            let place = (text(row, 0)?, text(row, 1)?);
            let item = item_in(row, 2).filter(|item| key_in(index, item) == Some(place));
            let json = text(row, 2)?;
            copies.push(item.map(|item| (item, json)));
        }
    }
    Ok(copies)
}

/// Writes an item. Whether it is there.
pub(super) fn write(
    change: &Connection,
    table: &str,
    (pk, sk): &(String, String),
    json: &str,
) -> Result<bool, SqliteError> {
    let replace = format!(
        "UPDATE {} SET item_json = ?3 WHERE pk = ?1 AND sk = ?2",
        quoted(table)
    );
    Ok(change.execute(&replace, params![pk, sk, json])? == 1)
}

/// Whether an item's own key is this one.
pub(super) fn is_at(
    change: &Connection,
    table: &str,
    item: &Item,
    (pk, sk): &(String, String),
) -> Result<bool, SqliteError> {
    // The index of this table may be broken.
    let schema = "SELECT key_schema FROM _tables NOT INDEXED WHERE table_name = ?1";
    let schema: String = change.query_row(schema, [table], |row| row.get(0))?;
    let schema: Vec<KeySchemaElement> = serde_json::from_str(&schema).unwrap_or_default();
    let own = schema.iter().map(|element| {
        let value = item.get(&element.attribute_name);
        value.and_then(AttributeValue::to_key_string)
    });
    Ok(!schema.is_empty() && own.eq([Some(pk.clone()), Some(sk.clone())]))
}
