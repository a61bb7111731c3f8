//! The number of writes of an embedded store, which shows that none is missing. Triggers count each changed row in the
//! transaction that changes it, and a file beside the store repeats the count after each commit and before its
//! acknowledgement. So the file is never ahead of the store, unless the store lost what was acknowledged, as it does if
//! its log is removed or altered: what SQLite reads then is an earlier state.
//!
//! The file is written in place and flushed to the disk every second: the death of the process loses nothing of it, and
//! after a power failure it may be some writes behind, never ahead.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{
    Connection, Error as SqliteError, ErrorCode, OpenFlags, OptionalExtension as _,
    TransactionBehavior, params,
};

use super::rows::quoted;
use super::write_record::{Count, make, read, rewrite, write};

/// What the name of the file beside the store's ends with.
pub(super) const SUFFIX: &str = "-writes";
/// How often the file is flushed to the disk.
const FLUSH: Duration = Duration::from_secs(1);
/// How long another process's transaction is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// What the file beside a store shows about it.
#[derive(Debug)]
pub(super) enum Verdict {
    /// Every write that was acknowledged is there, or nothing is known.
    Complete,
    /// Writes that were acknowledged are missing.
    Missing(u64),
    /// The file cannot be understood.
    Unreadable,
}

/// Compares a store with the file beside it.
pub(super) fn verify(connection: &Connection, record: &Path) -> Result<Verdict, CountError> {
    // The file first: another process may go on writing.
    let recorded = match File::open(record) {
        Ok(file) => read(&file)?,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Verdict::Complete),
        Err(error) => return Err(error.into()),
    };
    let Some(recorded) = recorded else {
        return Ok(Verdict::Unreadable);
    };
    let there = match stored(connection)? {
        // A copy of a store that was put in its place.
        Some(count) if count.store != recorded.store => {
            // Before the copy has a log of its own.
            adopt(record, &count)?;
            return Ok(Verdict::Complete);
        }
        Some(count) => count.writes,
        None => 0,
    };
    Ok(match recorded.writes.saturating_sub(there) {
        0 => Verdict::Complete,
        missing => Verdict::Missing(missing),
    })
}

/// Whether the log beside a store was written for another one: a copy of a store was put in the place of the store's file
/// alone. SQLite would write the log into it.
pub(super) fn has_log_of_another(file: &Path, log: &Path, record: &Path) -> bool {
    if log.metadata().map_or(true, |log| log.len() == 0) {
        return false;
    }
    let recorded = File::open(record).and_then(|record| read(&record));
    match (recorded, without_log(file)) {
        (Ok(Some(recorded)), Ok(Some(own))) => recorded.store != own.store,
        _ => false,
    }
}

/// What the store's file says without its log. A store keeps its id.
fn without_log(file: &Path) -> Result<Option<Count>, SqliteError> {
    let path = file.to_string_lossy();
    let path = path
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    stored(&Connection::open_with_flags(
        format!("file:{path}?immutable=1"),
        flags,
    )?)
}

/// Makes the file that of another store, unless it is by now.
fn adopt(record: &Path, count: &Count) -> io::Result<()> {
    locked(record, |record| match read(record)? {
        Some(known) if known.store == count.store => Ok(()),
        _ => rewrite(record, count),
    })
}

/// Works on the file while other processes wait.
fn locked(record: &Path, work: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    let record = File::options().read(true).write(true).open(record)?;
    record.lock()?;
    let worked = work(&record);
    record.unlock()?;
    worked
}

/// Makes the file say what the store has.
pub(super) fn accept(connection: &Connection, record: &Path) -> Result<(), CountError> {
    let Some(count) = stored(connection)? else {
        return Ok(std::fs::remove_file(record)?);
    };
    Ok(locked(record, |record| rewrite(record, &count))?)
}

/// Gives a copy of a store an id of its own, so that it may take the place of the store later.
pub(super) fn renew(copy: &Path) -> Result<(), SqliteError> {
    let connection = Connection::open(copy)?;
    if stored(&connection)?.is_some() {
        connection
            .execute_batch("UPDATE _trestle_writes SET store = lower(hex(randomblob(16)))")?;
    }
    Ok(())
}

/// Counts the writes of an open store.
#[derive(Debug)]
pub(super) struct WriteCount {
    file: PathBuf,
    open: Mutex<Open>,
}

#[derive(Debug)]
struct Open {
    connection: Connection,
    record: File,
    /// What this process wrote last.
    written: u64,
    /// Which copy is written next.
    turn: usize,
    flushed: Instant,
    is_reported: bool,
}

impl WriteCount {
    /// Begins to count the writes of a store whose tables are there.
    pub(super) fn open(file: &Path, record: &Path) -> Result<Self, CountError> {
        let mut connection = Connection::open(file)?;
        connection.busy_timeout(PATIENCE)?;
        count_tables(&mut connection)?;
        let count = stored(&connection)?.ok_or(SqliteError::QueryReturnedNoRows)?;
        if !record.exists() {
            make(record, &count)?;
        }
        adopt(record, &count)?;
        let record = File::options().read(true).write(true).open(record)?;
        Ok(Self {
            file: file.to_owned(),
            open: Mutex::new(Open {
                connection,
                record,
                written: 0,
                turn: 0,
                flushed: Instant::now(),
                is_reported: false,
            }),
        })
    }

    /// Counts the writes of tables that were made since the store was opened, too.
    pub(super) fn count_new_tables(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = count_tables(&mut open.connection) {
            open.report(&self.file, &error.into());
        }
    }

    /// Records what is committed, before it is acknowledged.
    pub(super) fn record(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = open.record() {
            open.report(&self.file, &error);
        }
    }
}

impl Open {
    fn record(&mut self) -> Result<(), CountError> {
        // Other processes with this store write the same file. The count is read while they wait, so it only grows.
        self.record.lock()?;
        let recorded = self.record_locked();
        self.record.unlock()?;
        recorded?;
        if self.flushed.elapsed() >= FLUSH {
            self.record.sync_data()?;
            self.flushed = Instant::now();
        }
        Ok(())
    }

    fn record_locked(&mut self) -> Result<(), CountError> {
        let Some(count) = stored(&self.connection)? else {
            return Err(SqliteError::QueryReturnedNoRows.into());
        };
        // Another thread's call has recorded this one's write, too.
        if count.writes > self.written {
            write(&self.record, &count, self.turn)?;
            self.written = count.writes;
            self.turn = self.turn.wrapping_add(1);
        }
        Ok(())
    }

    /// The write is committed, so it is acknowledged nevertheless.
    fn report(&mut self, file: &Path, error: &CountError) {
        if !std::mem::replace(&mut self.is_reported, true) {
            tracing::error!(
                file = %file.display(),
                %error,
                "writes of the store are not counted: if its log is lost, the next start may not notice"
            );
        }
    }
}

/// Why writes are not counted.
#[derive(Debug, thiserror::Error)]
pub(super) enum CountError {
    #[error(transparent)]
    Store(#[from] SqliteError),
    #[error(transparent)]
    File(#[from] io::Error),
}

impl CountError {
    /// Whether the store's count is damaged: then nothing is known of its writes.
    pub(super) fn is_damage(&self) -> bool {
        match self {
            CountError::Store(error) => is_damage(error),
            CountError::File(_) => false,
        }
    }
}

fn is_damage(error: &SqliteError) -> bool {
    matches!(
        error,
        SqliteError::FromSqlConversionFailure(..)
            | SqliteError::InvalidColumnType(..)
            | SqliteError::IntegralValueOutOfRange(..)
            | SqliteError::Utf8Error(..)
    ) || error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt)
}

/// What a store counted; `None` for one that does not count.
fn stored(connection: &Connection) -> Result<Option<Count>, SqliteError> {
    let exists = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = '_trestle_writes')";
    if !connection
        .prepare_cached(exists)?
        .query_row([], |row| row.get(0))?
    {
        return Ok(None);
    }
    let count = |row: &rusqlite::Row<'_>| {
        Ok(Count {
            store: row.get(0)?,
            writes: row.get(1)?,
        })
    };
    let select = "SELECT store, writes FROM _trestle_writes";
    connection
        .prepare_cached(select)?
        .query_row([], count)
        .optional()
}

/// Makes the triggers that count, for tables that have none.
fn count_tables(connection: &mut Connection) -> Result<(), SqliteError> {
    let is_counted = match stored(connection) {
        Err(error) if is_damage(&error) => false,
        stored => stored?.is_some(),
    };
    if is_counted && uncounted(connection)?.is_empty() {
        return Ok(());
    }
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if stored(&change).is_err_and(|error| is_damage(&error)) {
        change.execute_batch("DELETE FROM _trestle_writes")?;
    }
    change.execute_batch(
        "CREATE TABLE IF NOT EXISTS _trestle_writes
             (id INTEGER PRIMARY KEY CHECK (id = 1), store TEXT NOT NULL, writes INTEGER NOT NULL);
         INSERT OR IGNORE INTO _trestle_writes VALUES (1, lower(hex(randomblob(16))), 1)",
    )?;
    for table in uncounted(&change)? {
        for event in EVENTS {
            change.execute_batch(&format!(
                "CREATE TRIGGER IF NOT EXISTS {} AFTER {event} ON {}
                 BEGIN UPDATE _trestle_writes SET writes = writes + 1; END",
                quoted(&trigger(&table, event)),
                quoted(&table)
            ))?;
        }
    }
    change.commit()
}

const EVENTS: [&str; 3] = ["INSERT", "UPDATE", "DELETE"];

fn trigger(table: &str, event: &str) -> String {
    format!("{table}::writes::{event}")
}

/// The tables of items, and the table of tables, that lack a trigger.
fn uncounted(connection: &Connection) -> Result<Vec<String>, SqliteError> {
    let mut tables = connection.prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table'
         AND (name = '_tables' OR name IN (SELECT table_name FROM _tables))",
    )?;
    let tables = tables.query_map([], |row| row.get::<_, String>(0))?;
    let mut exists = connection.prepare(
        "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name = ?1)",
    )?;
    let mut without = Vec::new();
    for table in tables {
        let table = table?;
        for event in EVENTS {
            let name = trigger(&table, event);
            if !without.contains(&table) && !exists.query_row(params![name], |row| row.get(0))? {
                without.push(table.clone());
            }
        }
    }
    Ok(without)
}
