//! Tables whose creation was killed. dynoxide describes a table first and then makes the tables of its items and indexes,
//! each in a transaction of its own, so a kill in between leaves a table that is there and cannot be used or created.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::{Connection, Error as SqliteError, ErrorCode, TransactionBehavior};

use super::described::{Described, index_table, tables};
use super::file::keep_log;
use super::rows::quoted;

/// How long other processes are waited for: one of them may be creating the table.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long to wait before the store is looked at again.
const PAUSE: Duration = Duration::from_millis(20);

/// Removes unfinished tables, which have no items. Not beside another process.
#[expect(
    clippy::disallowed_methods,
    reason = "the process that creates a table tells nobody when it is there"
)]
pub(super) fn remove(file: &Path) -> Result<(), SqliteError> {
    let began = Instant::now();
    while !unfinished(&open(file)?)?.is_empty() {
        match remove_alone(file) {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {}
            removed => return removed,
        }
        if began.elapsed() > PATIENCE {
            return Ok(());
        }
        sleep(PAUSE);
    }
    Ok(())
}

/// The writes are recorded later, so they stay in the log until then.
fn open(file: &Path) -> Result<Connection, SqliteError> {
    let connection = Connection::open(file)?;
    keep_log(&connection)?;
    Ok(connection)
}

fn remove_alone(file: &Path) -> Result<(), SqliteError> {
    let mut connection = open(file)?;
    connection.busy_timeout(Duration::ZERO)?;
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for table in unfinished(&change)? {
        for name in names(&table) {
            change.execute_batch(&format!("DROP TABLE IF EXISTS {}", quoted(&name)))?;
        }
        change.execute("DELETE FROM _tables WHERE table_name = ?1", [&table.name])?;
        tracing::warn!(
            table = table.name,
            "a table whose creation was interrupted is removed"
        );
    }
    change.commit()
}

/// The tables that lack a table of their items or of an index, and have no items.
fn unfinished(connection: &Connection) -> Result<Vec<Described>, SqliteError> {
    if !exists(connection, "_tables")? {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for table in tables(connection)? {
        let (mut is_whole, mut is_empty) = (true, true);
        for name in names(&table) {
            if exists(connection, &name)? {
                is_empty &= !has_rows(connection, &name)?
            } else {
                is_whole = false
            }
        }
        if !is_whole && is_empty {
            found.push(table);
        }
    }
    Ok(found)
}

/// The tables of a table: of its items and of its indexes.
fn names(table: &Described) -> Vec<String> {
    let indexes = table.indexes.iter();
    let indexes = indexes.map(|index| index_table(&table.name, &index.index_name));
    std::iter::once(table.name.clone()).chain(indexes).collect()
}

fn exists(connection: &Connection, name: &str) -> Result<bool, SqliteError> {
    let exists = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1)";
    connection.query_row(exists, [name], |row| row.get(0))
}

fn has_rows(connection: &Connection, name: &str) -> Result<bool, SqliteError> {
    let rows = format!("SELECT EXISTS (SELECT 1 FROM {})", quoted(name));
    connection.query_row(&rows, [], |row| row.get(0))
}
