//! The rows of dynoxide's tables: the texts, the keys and the items in them, and the mark of an item that stands for one
//! that cannot be read.

use dynoxide::types::Item;
use rusqlite::{Error as SqliteError, Row};

/// The attribute of an item that stands for one that cannot be read.
pub const MARK: &str = "trestle:unreadable";

/// The item in a text of the store; `None` if it cannot be read, or stands for one that cannot.
pub(super) fn item_of(text: &[u8]) -> Option<Item> {
    let item: Item = serde_json::from_slice(text).ok()?;
    (!item.contains_key(MARK)).then_some(item)
}

/// The item in a column; `None` if it cannot be read.
pub(super) fn item_in(row: &Row<'_>, at: usize) -> Option<Item> {
    item_of(row.get_ref(at).ok()?.as_bytes().ok()?)
}

pub(super) fn text(row: &Row<'_>, at: usize) -> Result<String, SqliteError> {
    Ok(String::from_utf8_lossy(row.get_ref(at)?.as_bytes()?).into_owned())
}

/// The keys of an item without the types that the store writes before them.
pub(super) fn bare((pk, sk): &(String, String)) -> String {
    format!("{} / {}", bare_key(pk), bare_key(sk))
}

/// A part of a key without the type that the store writes before it.
pub(super) fn bare_key(key: &str) -> &str {
    key.strip_prefix("S:").unwrap_or(key)
}

pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
