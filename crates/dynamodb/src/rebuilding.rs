//! Copies what can be read of a store whose indexes have broken pages: every table row by row, and no index that is broken.

use std::collections::HashSet;

use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, Error as SqliteError};

use super::described::{of_index, tables};
use super::file;
use super::restoring::is_at;
use super::rows::{item_in, quoted, text};

/// A part of the schema, and the statement that makes it.
struct Part {
    name: String,
    table: String,
    sql: String,
}

/// Copies a store into an empty file without its broken indexes. `false` if a table may be broken as well: then an index may
/// have what the table has lost.
pub(super) fn copy(from: &Connection, to: &mut Connection) -> Result<bool, SqliteError> {
    for table in tables(from)? {
        if !is_sound(from, &table.name)? {
            return Ok(false);
        }
    }
    file::stamp(to)?;
    let change = to.transaction()?;
    let mut copied = HashSet::new();
    for table in parts(from, "table")? {
        change.execute_batch(&table.sql)?;
        if copy_rows(from, &change, &table.name).is_ok() {
            copied.insert(table.name);
        } else if of_index(&table.name).is_some() {
            // It is missing then, and built from the items.
            change.execute_batch(&format!("DROP TABLE {}", quoted(&table.name)))?;
        } else {
            return Ok(false);
        }
    }
    // After the rows, which they would count.
    for kind in ["index", "trigger"] {
        for part in parts(from, kind)? {
            if copied.contains(&part.table) {
                change.execute_batch(&part.sql)?;
            }
        }
    }
    change.commit()?;
    Ok(true)
}

/// Whether a table can be read to its end, each item is at its own key, and the index of its keys knows of no further row.
fn is_sound(from: &Connection, table: &str) -> Result<bool, SqliteError> {
    let name = quoted(table);
    let mut items = from.prepare(&format!("SELECT pk, sk, item_json FROM {name} NOT INDEXED"))?;
    let mut rows = items.query([])?;
    let mut number: u64 = 0;
    loop {
        let row = match rows.next() {
            Ok(Some(row)) => row,
            Ok(None) => break,
            Err(_) => return Ok(false),
        };
        let key = (text(row, 0)?, text(row, 1)?);
        if let Some(item) = item_in(row, 2)
            && !is_at(from, table, &item, &key)?
        {
            return Ok(false);
        }
        number += 1;
    }
    let own = quoted(&format!("sqlite_autoindex_{table}_1"));
    let known = format!("SELECT count(*) FROM {name} INDEXED BY {own}");
    let known = from.query_row(&known, [], |row| row.get::<_, u64>(0));
    // An index that cannot be read is the one that is broken.
    Ok(known.map_or(true, |known| known <= number))
}

/// The parts of a kind that statements made.
fn parts(from: &Connection, kind: &str) -> Result<Vec<Part>, SqliteError> {
    let mut select = from.prepare(
        "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = ?1 AND sql IS NOT NULL AND name <> 'sqlite_sequence'",
    )?;
    let parts = select.query_map([kind], |row| {
        Ok(Part {
            name: row.get(0)?,
            table: row.get(1)?,
            sql: row.get(2)?,
        })
    })?;
    parts.collect()
}

fn copy_rows(from: &Connection, to: &Connection, table: &str) -> Result<(), SqliteError> {
    let name = quoted(table);
    let mut select = from.prepare(&format!("SELECT * FROM {name} NOT INDEXED"))?;
    let columns = select.column_count();
    let values = vec!["?"; columns].join(", ");
    let mut insert = to.prepare(&format!("INSERT INTO {name} VALUES ({values})"))?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        for column in 0..columns {
            // A text may not be UTF-8.
            insert.raw_bind_parameter(column + 1, ToSqlOutput::Borrowed(row.get_ref(column)?))?;
        }
        insert.raw_execute()?;
    }
    Ok(())
}
