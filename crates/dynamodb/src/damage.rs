//! What is damaged in an embedded store: rows that cannot be read, and indexes that differ from their items. Reads
//! dynoxide's tables, whose layout is that of the release that `Cargo.toml` pins.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use dynoxide::types::{AttributeValue, Item};
use rusqlite::{
    Connection, Error as SqliteError, OptionalExtension as _, Statement, TransactionBehavior,
    params,
};

use super::described::{Described, ExpectedIndex, index_table, key_in, of_index, tables};
use super::errors::OpenError;
use super::file::{self, FILE};
use super::rows::{self, bare, bare_key, item_in, quoted, text};

/// What is wrong with a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Damage {
    /// SQLite finds its own structures broken.
    Structure(String),
    /// Pages of a table or of an index are broken.
    Tree {
        /// The table or the index, in words.
        name: String,
        /// Whether it is an index, which can be built again.
        is_index: bool,
        /// The page, and what SQLite says of it.
        what: String,
    },
    /// An item cannot be read.
    Item {
        /// The table.
        table: String,
        /// The partition key and the sort key.
        key: (String, String),
    },
    /// More items than are listed cannot be read.
    MoreItems {
        /// The table.
        table: String,
        /// The number of items that are not listed.
        items: u64,
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
    /// A table does not have an index that it must have.
    MissingIndex {
        /// The table.
        table: String,
        /// The index.
        index: String,
    },
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Structure(what) => write!(f, "The file's structure is damaged: {what}"),
            Self::Tree { name, what, .. } => write!(f, "{name} is damaged: {what}"),
            Self::Item { table, key } => {
                write!(f, "{table}: the item {} cannot be read", bare(key))
            }
            Self::MoreItems { table, items } => {
                write!(f, "{table}: {items} more items cannot be read")
            }
            Self::Index { table, index, rows } => {
                write!(
                    f,
                    "{table}: {rows} rows of the index {index} differ from the items"
                )
            }
            Self::MissingIndex { table, index } => {
                write!(f, "{table}: the index {index} is missing")
            }
        }
    }
}

impl Damage {
    /// Whether a repair always corrects it.
    pub fn is_mendable(&self) -> bool {
        matches!(
            self,
            Self::Index { .. } | Self::MissingIndex { .. } | Self::Tree { is_index: true, .. }
        )
    }

    /// Whether pages of a table are broken, which can be read nowhere else.
    pub(super) fn is_table(&self) -> bool {
        matches!(
            self,
            Self::Tree {
                is_index: false,
                ..
            }
        )
    }

    /// The table and the index that it is of, and the number of rows that differ.
    pub(super) fn index(&self) -> Option<(&str, &str, u64)> {
        match self {
            Self::Index { table, index, rows } => Some((table, index, *rows)),
            Self::MissingIndex { table, index } => Some((table, index, 0)),
            _ => None,
        }
    }

    /// Whether rows behind it cannot be looked at.
    pub fn is_structure(&self) -> bool {
        matches!(self, Self::Structure(_) | Self::Tree { .. })
    }
}

/// How long mending waits for a writer.
const MENDING: Duration = Duration::from_secs(5);
/// The most findings that are listed of items and of the structure.
const MOST: usize = 100;

/// Looks at every row of the store in `folder`. Nothing may write meanwhile for an exact answer: a server that writes
/// is seen at one moment.
///
/// # Errors
/// [`OpenError`].
pub(super) fn check(folder: &Path, expected: &[ExpectedIndex]) -> Result<Vec<Damage>, OpenError> {
    let file = folder.join(FILE);
    let unreadable = |error: SqliteError| file::unreadable(folder, &file, &error);
    let connection = file::recognize(folder, &file)?;
    // One moment for all that is read.
    connection.execute_batch("BEGIN").map_err(unreadable)?;
    examine(&connection, expected).map_err(unreadable)
}

/// Looks at every row that a connection sees.
pub(super) fn examine(
    connection: &Connection,
    expected: &[ExpectedIndex],
) -> Result<Vec<Damage>, SqliteError> {
    let mut found = structure(connection)?;
    if found.is_empty() {
        for table in tables(connection)? {
            found.extend(of_table(connection, &table, expected)?);
        }
    }
    Ok(found)
}

/// Shows every text in the items of a table, with the key of the item.
pub(super) fn texts(
    folder: &Path,
    table: &str,
    look: &mut dyn FnMut(&str, &str),
) -> Result<(), OpenError> {
    let file = folder.join(FILE);
    let mut read = || {
        let connection = file::attach(&file)?;
        if !is_there(&connection, table)? {
            return Ok(());
        }
        let mut items =
            connection.prepare(&format!("SELECT pk, sk, item_json FROM {}", quoted(table)))?;
        let mut rows = items.query([])?;
        while let Some(row) = rows.next()? {
            let key = (text(row, 0)?, text(row, 1)?);
            for value in item_in(row, 2).iter().flat_map(Item::values) {
                each_text(value, &mut |text| look(&bare(&key), text));
            }
        }
        Ok(())
    };
    read().map_err(|error: SqliteError| file::unreadable(folder, &file, &error))
}

/// Shows `look` the keys of the items of a table, sorted. A table that is not there has none.
pub(super) fn keys(
    folder: &Path,
    table: &str,
    look: &mut dyn FnMut(&str, &str),
) -> Result<(), OpenError> {
    let file = folder.join(FILE);
    let mut read = || {
        let connection = file::attach(&file)?;
        if !is_there(&connection, table)? {
            return Ok(());
        }
        let sorted = format!("SELECT pk, sk FROM {} ORDER BY pk, sk", quoted(table));
        let mut items = connection.prepare(&sorted)?;
        let mut rows = items.query([])?;
        while let Some(row) = rows.next()? {
            look(bare_key(&text(row, 0)?), bare_key(&text(row, 1)?));
        }
        Ok(())
    };
    read().map_err(|error: SqliteError| file::unreadable(folder, &file, &error))
}

fn each_text(value: &AttributeValue, look: &mut dyn FnMut(&str)) {
    match value {
        AttributeValue::S(text) => look(text),
        AttributeValue::SS(texts) => texts.iter().for_each(|text| look(text)),
        AttributeValue::L(values) => values.iter().for_each(|value| each_text(value, look)),
        AttributeValue::M(values) => values.values().for_each(|value| each_text(value, look)),
        _ => {}
    }
}

/// What SQLite finds broken, by the table or the index that it is in.
fn structure(connection: &Connection) -> Result<Vec<Damage>, SqliteError> {
    let text = match reported(connection, &MOST.to_string()) {
        Ok(text) => text,
        Err(error) => return unchecked(connection, error),
    };
    let lines = text
        .lines()
        .filter(|line| *line != "ok" && !line.starts_with("***"));
    lines
        .take(MOST)
        .map(|line| broken(connection, line))
        .collect()
}

/// What SQLite's check reports of so many faults, or of a table.
fn reported(connection: &Connection, of: &str) -> Result<String, SqliteError> {
    let mut check = connection.prepare(&format!("PRAGMA integrity_check({of})"))?;
    let mut rows = check.query([])?;
    let mut text = String::new();
    loop {
        match rows.next() {
            Ok(Some(row)) => text = text + &row.get::<_, String>(0)? + "\n",
            Ok(None) => return Ok(text),
            // It ends at the first row that it cannot read, after it has said which pages are broken.
            Err(_) if !text.is_empty() => return Ok(text),
            Err(error) => return Err(error),
        }
    }
}

/// What is broken where SQLite's check ends with `error` before it reports anything: an index of a table, if the table itself can be
/// read.
fn unchecked(connection: &Connection, error: SqliteError) -> Result<Vec<Damage>, SqliteError> {
    let mut found = Vec::new();
    let select = "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0";
    let mut select = connection.prepare(select)?;
    for name in select.query_map([], |row| row.get::<_, String>(0))? {
        let name = name?;
        let Err(error) = reported(connection, &quoted(&name)) else {
            continue;
        };
        let table = match of_index(&name) {
            Some((table, index)) => format!("{table}: the index {index}"),
            None => format!("{name}: the table"),
        };
        found.push(Damage::Tree {
            name: table,
            is_index: of_index(&name).is_some() || read_rows(connection, &name).is_ok(),
            what: error.to_string(),
        });
    }
    if found.is_empty() {
        Err(error)
    } else {
        Ok(found)
    }
}

/// Reads every row of a table without its indexes.
fn read_rows(connection: &Connection, table: &str) -> Result<(), SqliteError> {
    let mut select = connection.prepare(&format!("SELECT * FROM {} NOT INDEXED", quoted(table)))?;
    let columns = select.column_count();
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        for column in 0..columns {
            row.get_ref(column)?;
        }
    }
    Ok(())
}

/// A line of SQLite's check as damage of what it names: `Tree ROOT page ...`, or `... index NAME`.
fn broken(connection: &Connection, line: &str) -> Result<Damage, SqliteError> {
    let root = line
        .strip_prefix("Tree ")
        .and_then(|rest| rest.split_once(' '));
    let name = line.rsplit_once(" index ").map(|(_, name)| name);
    let (found, what) = match (root, name) {
        (Some((root, what)), _) => (
            described(connection, "rootpage = CAST(?1 AS INTEGER)", root)?,
            what,
        ),
        (None, Some(name)) => (described(connection, "name = ?1", name)?, line),
        (None, None) => (None, line),
    };
    Ok(match found {
        Some((name, is_index)) => Damage::Tree {
            name,
            is_index,
            what: what.to_owned(),
        },
        None => Damage::Structure(line.to_owned()),
    })
}

/// A table or an index of the schema in words, and whether it is an index.
fn described(
    connection: &Connection,
    condition: &str,
    value: &str,
) -> Result<Option<(String, bool)>, SqliteError> {
    let select = format!("SELECT type, tbl_name FROM sqlite_master WHERE {condition}");
    let found = connection.query_row(&select, [value], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
    });
    let found = found.optional()?;
    Ok(found.map(|(kind, table)| match of_index(&table) {
        Some((table, index)) => (format!("{table}: the index {index}"), true),
        None if kind == "index" => (format!("{table}: the index of its keys"), true),
        None => (format!("{table}: the table"), false),
    }))
}

fn is_there(connection: &Connection, name: &str) -> Result<bool, SqliteError> {
    let exists = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1)";
    connection.query_row(exists, [name], |row| row.get(0))
}

fn of_table(
    connection: &Connection,
    table: &Described,
    expected: &[ExpectedIndex],
) -> Result<Vec<Damage>, SqliteError> {
    let name = &table.name;
    let mut found = Vec::new();
    let mut indexes = Vec::new();
    for index in table.completed(expected) {
        let is_defined = table
            .indexes
            .iter()
            .any(|one| one.index_name == index.index_name);
        if is_defined && is_there(connection, &index_table(name, &index.index_name))? {
            indexes.push(index)
        } else {
            found.push(Damage::MissingIndex {
                table: name.clone(),
                index: index.index_name,
            })
        }
    }
    let mut lookups = Vec::with_capacity(indexes.len());
    for index in &indexes {
        let copies = quoted(&index_table(name, &index.index_name));
        lookups.push(connection.prepare(&format!(
            "SELECT item_json, gsi_pk, gsi_sk FROM {copies} WHERE table_pk = ?1 AND table_sk = ?2"
        ))?);
    }
    let (mut wrong, mut right) = (HashMap::new(), HashMap::new());
    let mut unreadable = 0;
    let mut items =
        connection.prepare(&format!("SELECT pk, sk, item_json FROM {}", quoted(name)))?;
    let mut rows = items.query([])?;
    while let Some(row) = rows.next()? {
        let key: (String, String) = (text(row, 0)?, text(row, 1)?);
        let Some(item) = item_in(row, 2) else {
            unreadable += 1;
            if unreadable <= MOST {
                found.push(Damage::Item {
                    table: name.clone(),
                    key: key.clone(),
                });
            }
            // Copies of it are kept: they may be all that is left of it.
            for (index, lookup) in indexes.iter().zip(&mut lookups) {
                if copy(lookup, &key)?.is_some() {
                    *right.entry(&*index.index_name).or_insert(0) += 1;
                }
            }
            continue;
        };
        for (index, lookup) in indexes.iter().zip(&mut lookups) {
            let copy = copy(lookup, &key)?;
            let is_right = match key_in(index, &item) {
                Some(place) => copy
                    .as_ref()
                    .is_some_and(|copy| copy.place == place && copy.item.as_ref() == Some(&item)),
                None => copy.is_none(),
            };
            let count = if is_right { &mut right } else { &mut wrong };
            if copy.is_some() || !is_right {
                *count.entry(&*index.index_name).or_insert(0) += 1;
            }
        }
    }
    if let Some(items @ 1..) = unreadable.checked_sub(MOST) {
        found.push(Damage::MoreItems {
            table: name.clone(),
            items: items as u64,
        });
    }
    for index in &indexes {
        let copies = quoted(&index_table(name, &index.index_name));
        let count = format!("SELECT count(*) FROM {copies}");
        let rows: u64 = connection.query_row(&count, [], |row| row.get(0))?;
        let index = &*index.index_name;
        let wrong = wrong.get(index).copied().unwrap_or_default();
        let left_over = rows.saturating_sub(right.get(index).copied().unwrap_or_default() + wrong);
        if wrong + left_over > 0 {
            found.push(Damage::Index {
                table: name.clone(),
                index: index.to_owned(),
                rows: wrong + left_over,
            });
        }
    }
    Ok(found)
}

/// An index's copy of an item.
struct Copy {
    /// `None` if it cannot be read.
    item: Option<Item>,
    place: (String, String),
}

fn copy(lookup: &mut Statement<'_>, key: &(String, String)) -> Result<Option<Copy>, SqliteError> {
    let copy = lookup.query_row([&key.0, &key.1], |row| {
        Ok(Copy {
            item: item_in(row, 0),
            place: (text(row, 1)?, text(row, 2)?),
        })
    });
    copy.optional()
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
    rows::item_of(item).is_some()
}
