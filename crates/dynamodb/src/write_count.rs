//! The number of writes of an embedded store, which shows that none is missing. Triggers count each changed row in the
//! transaction that changes it, and a file beside the store repeats the count after each commit and before its
//! acknowledgement. So the file is never ahead of the store, unless the store lost what was acknowledged, as it does if
//! its log is removed or altered: what SQLite reads then is an earlier state.
//!
//! Each transaction also chooses a random state. A log begins with a transaction of our own that says of which state it is
//! the next, or else the file says with which state of the store's file the log began. So a file, a log and a record of
//! different moments show.
//!
//! The file is written in place and flushed to the disk every second: the death of the process loses nothing of it, and
//! after a power failure it may be some writes behind, never ahead.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use rusqlite::{
    Connection, Error as SqliteError, ErrorCode, OpenFlags, OptionalExtension as _,
    TransactionBehavior, params,
};

use super::identity::{Identity, identity};
use super::log::{self, Log, Row, beside};
use super::rows::quoted;
use super::stopping::{Unstopped, give_back, take};
use super::write_record::{
    Began, Count, Record, make, read, read_clock, rewrite, write, write_clock,
};

/// What the name of the file beside the store's ends with.
pub(super) const SUFFIX: &str = "-writes";
/// What the name of the log ends with.
pub(super) const LOG: &str = "-wal";
/// How often the file is flushed to the disk.
const FLUSH: Duration = Duration::from_secs(1);
/// How long another process's transaction is waited for.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long another process may hold the file, and how long to wait before it is tried again.
const HELD: (Duration, Duration) = (Duration::from_secs(10), Duration::from_micros(500));
/// How long readers are waited for when the store is closed.
const CLOSING: Duration = Duration::from_secs(2);
/// SQLite takes a log of so many frames over into the store's file, and begins it anew with the next commit.
const FRAMES: u64 = 1000;
/// The most bytes that the log has after it began anew: twice those of so many frames.
const MOST_LOG: u64 = 8 << 20;
/// How long to wait after readers kept the log from beginning anew.
const KEPT: Duration = Duration::from_secs(1);
/// Begins a state: the row says of which state it is the next, and whether a process has the store open.
const BEGIN_STATE: &str =
    "UPDATE _trestle_count SET writes = writes + 1, base = state, state = random(), open = ";

/// What the files of a store show about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Every write that was acknowledged is there, or nothing is known.
    Complete,
    /// Writes that were acknowledged are missing.
    Missing(u64),
    /// The store's file, its log and the record are not of one moment.
    Mismatched,
    /// The log was written for another store: a copy of a store was put in the place of the store's file alone.
    OtherLog,
    /// The store had a record, which is missing.
    Unrecorded,
    /// The record cannot be understood.
    Unreadable,
}

/// What is known of a store from its files.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) verdict: Verdict,
    /// Whether the log was written for the store's file as it is. SQLite writes any log into the file beside it.
    pub(super) has_own_log: bool,
    /// The writes that the store has with its own log, and those that are known of it otherwise.
    pub(super) writes: Option<(u64, u64)>,
}

/// Compares a store with its log and its record, and brings the record up to date if all writes are there. SQLite opens the
/// file only if a connection is given, which has to be if the result is `None`: the file alone does not show its count. This
/// process must not have the file open.
pub(super) fn verify(
    file: &Path,
    connection: Option<&Connection>,
) -> Result<Option<Known>, CountError> {
    loop {
        let known = compare(file, connection)?;
        // A process that opens a new store makes its record before it begins a state: the record may be there by now.
        let is_unrecorded = known
            .as_ref()
            .is_some_and(|known| known.verdict == Verdict::Unrecorded);
        if !is_unrecorded || !beside(file, SUFFIX).exists() {
            return Ok(known);
        }
    }
}

fn compare(file: &Path, connection: Option<&Connection>) -> Result<Option<Known>, CountError> {
    let record = match open(&beside(file, SUFFIX)) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        record => Some(record?),
    };
    // Nothing is committed meanwhile.
    let _held = record.as_ref().map(hold).transpose()?;
    let recorded = record.as_ref().map(read).transpose()?.flatten();
    let alone = alone(file);
    let page = match (&alone, connection) {
        (Some((_, page)), _) => Some(*page),
        (None, Some(connection)) => page(connection)?,
        (None, None) => return Ok(None),
    };
    let main = alone.map(|(row, _)| row);
    let log = match page {
        Some(page) => log::read(&beside(file, LOG), page)?,
        None => None,
    };
    let commits = log.as_ref().map(|log| log.commits.as_slice());
    let commits = commits.unwrap_or_default();
    let stored = connection.map(stored).transpose()?.flatten();
    let last = stored.as_ref().or(commits.last()).or(main.as_ref());
    let Some(latest) = last.map(|row| &row.count) else {
        let writes = recorded.map(|recorded| recorded.count.writes);
        return Ok(Some(Known {
            verdict: writes.map_or(Verdict::Complete, Verdict::Missing),
            has_own_log: false,
            writes: None,
        }));
    };
    let began = recorded.as_ref().and_then(|recorded| recorded.log);
    let began = began.filter(|began| Some(began.salts) == log.as_ref().map(|log| log.salts));
    let belongs = belongs(main.as_ref().map(|main| &main.count), commits, began);
    let is_another = |count: &Count| {
        main.as_ref()
            .is_some_and(|main| main.count.store != count.store)
    };
    let is_of_another = commits.iter().any(|row| is_another(&row.count));
    let verdict = if is_of_another {
        Verdict::OtherLog
    } else if belongs == Some(false) {
        Verdict::Mismatched
    } else {
        match (&record, &recorded) {
            // A store gets a state after it has a record.
            (None, _) if latest.state != 0 => Verdict::Unrecorded,
            (None, _) => Verdict::Complete,
            (Some(_), None) => Verdict::Unreadable,
            (Some(_), Some(recorded)) => judge(recorded, latest, main.as_ref(), log.as_ref()),
        }
    };
    if verdict == Verdict::Complete
        && let (Some(record), Some(recorded)) = (&record, &recorded)
    {
        let log = log.as_ref();
        let log = log.map(|log| began.unwrap_or_else(|| self::began(log.salts, main.as_ref())));
        let current = Record {
            is_closing: recorded.is_closing,
            ..Record::new(latest.clone(), log)
        };
        if current != *recorded {
            rewrite(record, &current)?;
        }
    }
    let has_own_log = !is_of_another && belongs == Some(true);
    let reached = if has_own_log {
        Some(latest.writes)
    } else {
        main.as_ref().map(|main| main.count.writes)
    };
    let recorded = recorded.as_ref().map(|recorded| &recorded.count);
    let known = recorded
        .into_iter()
        .chain(commits.last().map(|row| &row.count));
    let known = known.filter(|count| !is_another(count));
    Ok(Some(Known {
        verdict,
        has_own_log,
        writes: reached.zip(known.map(|count| count.writes).max()),
    }))
}

/// What the record shows about a store whose latest count is `latest`, with its file's own count and its log.
fn judge(recorded: &Record, latest: &Count, main: Option<&Row>, log: Option<&Log>) -> Verdict {
    if latest.store != recorded.count.store {
        // A copy of a store has no state until it is opened: it may take the place of a store.
        return match latest.state {
            0 => Verdict::Complete,
            _ => Verdict::Mismatched,
        };
    }
    let missing = recorded.count.writes.saturating_sub(latest.writes);
    if missing > 0 {
        return Verdict::Missing(missing);
    }
    // An earlier release wrote the record: nothing else is known.
    if recorded.is_count_alone {
        return match latest.state {
            0 => Verdict::Complete,
            _ => Verdict::Unreadable,
        };
    }
    let commits = log.map(|log| log.commits.as_slice()).unwrap_or_default();
    if commits.is_empty() {
        // Another program may have changed the store since it was closed.
        let is_known = *latest == recorded.count || main.is_some_and(|main| !main.is_open);
        return if is_known && !recorded.is_closing {
            Verdict::Complete
        } else {
            Verdict::Mismatched
        };
    }
    let main = main.map(|main| &main.count);
    let counts = commits.iter().map(|row| &row.count).chain(main);
    let mut at_recorded = counts.filter(|count| count.writes == recorded.count.writes);
    if at_recorded.any(|count| *count != recorded.count) {
        return Verdict::Mismatched;
    }
    let log = log.map(|log| log.salts);
    let began = recorded.log.filter(|began| Some(began.salts) == log);
    let is_of_the_file = match belongs(main, commits, began) {
        Some(belongs) => belongs,
        // The transaction that began the log was not recorded: it was the first after the recorded one.
        None => main == Some(&recorded.count) && commits.len() == 1,
    };
    if is_of_the_file {
        Verdict::Complete
    } else {
        Verdict::Mismatched
    }
}

/// Whether the log with these commits was written for the store's file as it is. `None` if that is not known.
fn belongs(main: Option<&Count>, commits: &[Row], began: Option<Began>) -> Option<bool> {
    // A part of the log was taken over into the file.
    if commits.iter().any(|row| Some(&row.count) == main) {
        return Some(true);
    }
    let first = commits.first()?;
    if first.base != 0 {
        let is_next =
            |main: &Count| main.state == first.base && main.writes + 1 == first.count.writes;
        return Some(main.is_some_and(is_next));
    }
    if let Some(began) = began {
        return Some(began.base == main.map(|main| (main.writes, main.state)));
    }
    let main = main?;
    match main.writes + 1 {
        next if next == first.count.writes => Some(true),
        _ if main.writes >= first.count.writes => Some(false),
        _ => None,
    }
}

/// The page of the count that `make_table` makes first in a new store.
const FIRST: u32 = 2;

/// What the store's file says without its log, and the page of the count. Also of a file that SQLite cannot read without
/// the log, because the log was taken over in part. This process must not have the file open.
pub(super) fn alone(file: &Path) -> Option<(Row, u32)> {
    match stored_alone(file) {
        Ok((Some(count), page)) => Some((count, page?)),
        // Or its schema is of another moment than the file's first page.
        Ok((None, _)) | Err(_) => {
            let count = log::in_file(file, FIRST).ok()??;
            Some((count, FIRST))
        }
    }
}

fn stored_alone(file: &Path) -> Result<(Option<Row>, Option<u32>), SqliteError> {
    let main = read_only(file)?;
    Ok((stored(&main)?, page(&main)?))
}

/// What the store's file says without its log. SQLite opens it: to close a file of SQLite's gives up the process's locks.
fn without_log(file: &Path) -> Result<Option<Row>, SqliteError> {
    match stored(&read_only(file)?) {
        // A count that is damaged is none, and is made anew.
        Err(error) if is_damage(&error) => Ok(None),
        stored => stored,
    }
}

fn read_only(file: &Path) -> Result<Connection, SqliteError> {
    let path = file.to_string_lossy();
    let path = path
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(format!("file:{path}?immutable=1"), flags)?;
    // Without the log, the file may be shorter than it says.
    connection.pragma_update(None, "writable_schema", true)?;
    Ok(connection)
}

/// The page of the count.
fn page(connection: &Connection) -> Result<Option<u32>, SqliteError> {
    let page = "SELECT rootpage FROM sqlite_master WHERE name = '_trestle_count'";
    connection.query_row(page, [], |row| row.get(0)).optional()
}

fn began(salts: u64, main: Option<&Row>) -> Began {
    let base = main.map(|main| (main.count.writes, main.count.state));
    Began { salts, base }
}

fn open(record: &Path) -> io::Result<File> {
    File::options().read(true).write(true).open(record)
}

/// Keeps other processes from the file, and so from writing to the store.
struct Held<'f>(&'f File);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        unlock(self.0);
    }
}

fn unlock(record: &File) {
    if let Err(error) = give_back(|| record.unlock()) {
        tracing::error!(%error, "the record of the store's writes cannot be given back");
    }
}

fn hold(record: &File) -> io::Result<Held<'_>> {
    lock(record)?;
    Ok(Held(record))
}

/// Waits for the file, but not for a process that was stopped while it had it.
#[expect(
    clippy::disallowed_methods,
    reason = "the process that holds the file tells nobody when it lets go"
)]
fn lock(record: &File) -> io::Result<()> {
    let (patience, pause) = HELD;
    let began = Instant::now();
    while let Err(error) = take(|| record.try_lock()) {
        match error {
            TryLockError::WouldBlock if began.elapsed() < patience => sleep(pause),
            TryLockError::WouldBlock => return Err(ErrorKind::TimedOut.into()),
            TryLockError::Error(error) => return Err(error),
        }
    }
    Ok(())
}

/// Takes a copy of a store as it is for complete: it gets a new id, so that neither an older log nor an older file is taken
/// for its own. The record beside it gets that id.
pub(super) fn accept(connection: &mut Connection, file: &Path) -> Result<(), CountError> {
    count_tables(connection)?;
    take_over(connection)?;
    connection.pragma_update(None, "journal_mode", "DELETE")?;
    connection.execute_batch(&format!(
        "{BEGIN_STATE} 0, store = lower(hex(randomblob(16)))"
    ))?;
    let count = stored(connection)?.ok_or(SqliteError::QueryReturnedNoRows)?;
    let path = beside(file, SUFFIX);
    let record = Record::new(count.count, None);
    if path.exists() {
        Ok(rewrite(&open(&path)?, &record)?)
    } else {
        Ok(make(&path, &record)?)
    }
}

/// Writes the log into the store's file and empties it, unless another process reads.
fn take_over(connection: &Connection) -> Result<(), SqliteError> {
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

/// Gives a copy of a store an id of its own, so that it may take the place of the store later.
pub(super) fn renew(copy: &Path) -> Result<(), SqliteError> {
    let connection = Connection::open(copy)?;
    for (table, rest) in [
        ("_trestle_count", ", state = 0, base = 0, open = 0"),
        (EARLIER, ""),
    ] {
        if has_table(&connection, table)? {
            connection.execute_batch(&format!(
                "UPDATE {table} SET store = lower(hex(randomblob(16))){rest}"
            ))?;
        }
    }
    Ok(())
}

/// Counts the writes of an open store.
#[derive(Debug)]
pub(super) struct WriteCount(Mutex<Open>);

#[derive(Debug)]
struct Open {
    file: PathBuf,
    identity: Identity,
    connection: Connection,
    page_size: u64,
    record: File,
    /// The log, once it is there.
    log: Option<File>,
    /// The bytes that it had when this process saw it last.
    log_length: u64,
    /// What is known of its beginning.
    began: Option<Began>,
    /// What this process wrote last.
    written: u64,
    /// Which copy is written next.
    turn: usize,
    flushed: Instant,
    /// When readers kept the log from beginning anew.
    kept: Option<Instant>,
    is_reported: bool,
    is_closed: bool,
    /// Whether another file took the place of the record, which was not written again yet.
    is_replaced: bool,
}

/// The time in which one process alone writes to the store. What it commits is recorded before another one commits.
#[derive(Debug)]
pub(super) struct Turn<'w>(MutexGuard<'w, Open>);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        unlock(&self.0.record);
    }
}

impl Turn<'_> {
    /// Counts the writes of tables that were made since the store was opened, too.
    pub(super) fn count_new_tables(&mut self) {
        if let Err(error) = count_tables(&mut self.0.connection) {
            self.0.report(&error.into());
        }
    }

    /// Records what is committed, before it is acknowledged.
    pub(super) fn record(&mut self) {
        if let Err(error) = self.0.record() {
            self.0.report(&error);
        }
    }
}

impl WriteCount {
    /// Begins to count the writes of a store whose tables are there.
    pub(super) fn open(file: &Path) -> Result<Self, CountError> {
        let mut connection = Connection::open(file)?;
        connection.busy_timeout(PATIENCE)?;
        // A log that a reader has kept goes back to this when it begins anew: this connection begins it.
        connection.pragma_update(None, "journal_size_limit", MOST_LOG)?;
        count_tables(&mut connection)?;
        let path = beside(file, SUFFIX);
        if !path.exists() {
            // Before the store has a state: that is what a store with a record has.
            let main = without_log(file)?;
            let salts = log::salts_of(&beside(file, LOG))?;
            let row = stored(&connection)?.ok_or(SqliteError::QueryReturnedNoRows)?;
            let log = salts.map(|salts| began(salts, main.as_ref()));
            make(&path, &Record::new(row.count, log))?;
        }
        let page_size = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
        let mut open = Open {
            file: file.to_owned(),
            identity: identity(&file.metadata()?),
            connection,
            page_size,
            record: open(&path)?,
            log: None,
            log_length: 0,
            began: None,
            written: 0,
            turn: 0,
            flushed: Instant::now(),
            kept: None,
            is_reported: false,
            is_closed: false,
            is_replaced: false,
        };
        lock(&open.record)?;
        let begun = open.begin();
        unlock(&open.record);
        begun?;
        Ok(Self(Mutex::new(open)))
    }

    fn opened(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until this process may write.
    pub(super) fn turn(&self) -> Result<Turn<'_>, CountError> {
        let open = self.opened();
        if open.is_closed {
            return Err(io::Error::other("the store is closed").into());
        }
        lock(&open.record)?;
        let mut turn = Turn(open);
        turn.0.require_log()?;
        turn.0.find_record()?;
        Ok(turn)
    }

    /// Whether the log holds what was committed. False for good once it did not.
    pub(super) fn has_log(&self) -> bool {
        let mut open = self.opened();
        !open.is_closed && open.require_log().is_ok()
    }

    /// Refuses writes from now on, and leaves the store's files as they are.
    pub(super) fn leave(&self) {
        self.opened().leave();
    }

    /// Refuses writes from now on, and makes the store's file complete, unless another process reads it.
    pub(super) fn close(&self) -> Result<(), CountError> {
        let mut turn = self.turn()?;
        turn.0.is_closed = true;
        turn.0.settle()?;
        turn.0.connection.busy_timeout(CLOSING)?;
        Ok(take_over(&turn.0.connection)?)
    }

    /// Refuses writes from now on, and takes the log that this process has open over into the store's file, wherever the
    /// log's name leads to by now.
    pub(super) fn rescue(&self) -> Result<(), CountError> {
        let mut turn = self.turn()?;
        turn.0.is_closed = true;
        if turn.0.settle()? {
            return Ok(());
        }
        // Readers of this process keep a part of the log from being taken over until they end.
        turn.0.connection.busy_timeout(CLOSING)?;
        let waited = "PRAGMA wal_checkpoint(FULL)";
        turn.0.connection.query_row(waited, [], |_| Ok(()))?;
        if turn.0.settle()? {
            return Ok(());
        }
        Err(io::Error::other("a reader keeps the log").into())
    }

    /// The id of the store.
    pub(super) fn store(&self) -> Result<String, CountError> {
        Ok(self.opened().count()?.store)
    }

    /// The last time at which a process with this store trusted its clock.
    pub(super) fn clock(&self) -> Option<SystemTime> {
        read_clock(&self.opened().record).ok().flatten()
    }

    /// Notes that this process trusts its clock.
    pub(super) fn trust(&self, time: SystemTime) {
        let open = self.opened();
        if let Err(error) = write_clock(&open.record, time) {
            tracing::warn!(file = %open.file.display(), %error, "the time of the clock is not recorded");
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // Connections are closed after this.
        Unstopped::for_good();
        // The last connection removes the log.
        if !self.is_closed && lock(&self.record).is_ok() {
            if let Err(error) = self.find_record().and_then(|()| self.settle().map(drop)) {
                self.report(&error);
            }
            unlock(&self.record);
        }
    }
}

impl Open {
    /// Makes the record that of this store, and begins a state, with which a new log begins.
    fn begin(&mut self) -> Result<(), CountError> {
        let count = self.count()?;
        match read(&self.record)? {
            Some(known) if known.count.store == count.store && !known.is_count_alone => {
                self.began = known.log;
                // What another command wrote is recorded before a state follows it in the log: of two unrecorded
                // transactions nobody can say which file they belong to.
                self.write()?;
            }
            Some(_) | None => {
                self.find_log()?;
                rewrite(&self.record, &Record::new(count, self.began))?;
            }
        }
        self.begin_state()
    }

    /// Writes the record again if it was removed, replaced or altered meanwhile. This process has the lock on the one that
    /// was there, so no other process does the same, and none writes to the store.
    fn find_record(&mut self) -> Result<(), CountError> {
        // Another store may be in the place of this one.
        let is_in_place = self.file.metadata();
        if !is_in_place.is_ok_and(|metadata| identity(&metadata) == self.identity) {
            return Ok(());
        }
        let path = beside(&self.file, SUFFIX);
        let count = self.count()?;
        loop {
            let found = match open(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    make(&path, &Record::new(count.clone(), self.began))?;
                    continue;
                }
                found => found?,
            };
            if identity(&found.metadata()?) == identity(&self.record.metadata()?) {
                break;
            }
            // Whoever replaced the record as well goes on with the same file.
            lock(&found)?;
            unlock(&std::mem::replace(&mut self.record, found));
            self.is_replaced = true;
        }
        let recorded = read(&self.record)?.map(|recorded| recorded.count);
        let is_ahead =
            |recorded: &Count| recorded.store == count.store && recorded.writes > count.writes;
        if recorded.as_ref().is_some_and(is_ahead) {
            return Err(io::Error::other("writes are missing from it").into());
        }
        if recorded.as_ref() != Some(&count) || self.is_replaced {
            tracing::warn!(file = %path.display(), "the record of the store's writes was replaced: it is written again");
            self.find_log()?;
            rewrite(&self.record, &Record::new(count, self.began))?;
            self.is_replaced = false;
        }
        Ok(())
    }

    /// Requires that the log holds what this process committed. After a write, SQLite would take what stands in place of that over
    /// into the store's file, at the latest when the store is closed.
    fn require_log(&mut self) -> Result<(), CountError> {
        let Some(log) = &self.log else {
            return Ok(());
        };
        let length = log.metadata()?.len();
        let is_same = log::salts(log)? == self.began.map(|began| began.salts);
        if (length < self.log_length || !is_same) && !self.is_taken_over()? {
            self.leave();
            tracing::error!(
                file = %self.file.display(),
                "the store's log was cut or written over while it was open: nothing is acknowledged any more, and the store's file \
                 stays as it is"
            );
            return Err(io::Error::other("its log was cut or written over").into());
        }
        self.log_length = length;
        Ok(())
    }

    /// Whether the store has what this process wrote last, so that another process has emptied the log or begun it anew.
    fn is_taken_over(&self) -> Result<bool, CountError> {
        // One that has nothing in its memory yet.
        let connection = Connection::open(&self.file)?;
        let Ok(Some(found)) = stored(&connection) else {
            return Ok(false);
        };
        Ok(found.count.writes >= self.written)
    }

    fn leave(&mut self) {
        self.is_closed = true;
        let opened = Connection::open(&self.file);
        if let Ok(connection) = opened {
            // The last connection that closes takes the log over. This one is open until the process ends, once it has read.
            let read = connection.pragma_query_value(None, "schema_version", |_| Ok(()));
            if let Err(error) = read {
                tracing::debug!(%error, "the store cannot be read");
            }
            std::mem::forget(connection);
        }
    }

    fn count(&self) -> Result<Count, CountError> {
        let select = "SELECT store, writes, state FROM _trestle_count";
        let mut select = self.connection.prepare_cached(select)?;
        Ok(select.query_row([], count_in)?)
    }

    fn begin_state(&mut self) -> Result<(), CountError> {
        let before = self.began;
        self.connection.execute_batch(&format!("{BEGIN_STATE} 1"))?;
        self.write()?;
        self.record.sync_data()?;
        self.kept = (before == self.began).then(Instant::now);
        Ok(())
    }

    /// Takes the log over into the store's file. A record without a log says that the file is complete. Whether it is.
    fn settle(&mut self) -> Result<bool, CountError> {
        self.connection.execute_batch(&format!("{BEGIN_STATE} 0"))?;
        self.write()?;
        let count = self.count()?;
        let closing = Record {
            is_closing: true,
            ..Record::new(count.clone(), self.began)
        };
        rewrite(&self.record, &closing)?;
        let passive = "PRAGMA wal_checkpoint(PASSIVE)";
        let is_whole = self.connection.query_row(passive, [], |row| {
            Ok(row.get::<_, i64>(1)? == row.get::<_, i64>(2)?)
        })?;
        let log = self.began.filter(|_| !is_whole);
        let settled = Record {
            is_closing: !is_whole,
            ..Record::new(count, log)
        };
        rewrite(&self.record, &settled)?;
        Ok(is_whole)
    }

    fn record(&mut self) -> Result<(), CountError> {
        self.write()?;
        let is_kept = self.kept.is_some_and(|kept| kept.elapsed() < KEPT);
        if let Some(log) = &self.log
            && !is_kept
            && log::has_frames(log, FRAMES, self.page_size)?
        {
            // Until a log has begun, the record of the file's own state must not be lost.
            self.record.sync_data()?;
            return self.begin_state();
        }
        if self.flushed.elapsed() >= FLUSH {
            self.record.sync_data()?;
            self.flushed = Instant::now();
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), CountError> {
        let count = self.count()?;
        // Another thread's call has recorded this one's write, too.
        if count.writes > self.written {
            let has_begun = self.find_log()?;
            self.written = count.writes;
            write(&self.record, &Record::new(count, self.began), self.turn)?;
            self.turn = self.turn.wrapping_add(1);
            if let Some(log) = &self.log {
                self.log_length = log.metadata()?.len();
            }
            if has_begun {
                self.record.sync_data()?;
            }
        }
        Ok(())
    }

    /// Finds out how the log began, if it is another one than before. Whether it is.
    fn find_log(&mut self) -> Result<bool, CountError> {
        if self.log.is_none() {
            self.log = match File::open(beside(&self.file, LOG)) {
                Err(error) if error.kind() == ErrorKind::NotFound => None,
                log => Some(log?),
            };
        }
        let salts = match &self.log {
            Some(log) => log::salts(log)?,
            None => None,
        };
        if self.began.map(|began| began.salts) == salts {
            return Ok(false);
        }
        self.began = match salts {
            Some(salts) => Some(began(salts, without_log(&self.file)?.as_ref())),
            None => None,
        };
        Ok(true)
    }

    /// The write is committed, so it is acknowledged nevertheless.
    fn report(&mut self, error: &CountError) {
        if !std::mem::replace(&mut self.is_reported, true) {
            tracing::error!(
                file = %self.file.display(),
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
fn stored(connection: &Connection) -> Result<Option<Row>, SqliteError> {
    let select = if has_table(connection, "_trestle_count")? {
        "SELECT store, writes, state, base, open FROM _trestle_count"
    } else if has_table(connection, EARLIER)? {
        "SELECT store, writes, 0, 0, 0 FROM _trestle_writes"
    } else {
        return Ok(None);
    };
    let row = connection.query_row(select, [], |row| {
        Ok(Row {
            count: count_in(row)?,
            base: row.get(3)?,
            is_open: row.get(4)?,
        })
    });
    row.optional()
}

/// The table of the count of earlier releases, which have no states.
const EARLIER: &str = "_trestle_writes";

fn has_table(connection: &Connection, name: &str) -> Result<bool, SqliteError> {
    let exists = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1)";
    connection.query_row(exists, [name], |row| row.get(0))
}

fn count_in(row: &rusqlite::Row<'_>) -> Result<Count, SqliteError> {
    Ok(Count {
        store: row.get(0)?,
        writes: row.get(1)?,
        state: row.get(2)?,
    })
}

/// Makes the table of the count.
pub(super) fn make_table(connection: &Connection) -> Result<(), SqliteError> {
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS _trestle_count
             (id INTEGER PRIMARY KEY CHECK (id = 1), store TEXT NOT NULL, writes INTEGER NOT NULL,
              state INTEGER NOT NULL DEFAULT 0, base INTEGER NOT NULL DEFAULT 0, open INTEGER NOT NULL DEFAULT 0);
         INSERT OR IGNORE INTO _trestle_count (id, store, writes) VALUES (1, lower(hex(randomblob(16))), 1)",
    )
}

/// Makes the triggers that count, for tables that have none.
fn count_tables(connection: &mut Connection) -> Result<(), SqliteError> {
    let is_counted = match stored(connection) {
        Err(error) if is_damage(&error) => false,
        stored => stored?.is_some() && !has_table(connection, EARLIER)?,
    };
    if is_counted && uncounted(connection)?.is_empty() {
        return Ok(());
    }
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if stored(&change).is_err_and(|error| is_damage(&error)) {
        for table in ["_trestle_count", EARLIER] {
            if has_table(&change, table)? {
                change.execute_batch(&format!("DELETE FROM {table}"))?;
            }
        }
    }
    let earlier = has_table(&change, EARLIER)?;
    if earlier && !has_table(&change, "_trestle_count")? {
        let count = stored(&change)?.map(|row| row.count);
        make_table(&change)?;
        if let Some(Count { store, writes, .. }) = count {
            let take = "UPDATE _trestle_count SET store = ?1, writes = ?2";
            change.execute(take, params![store, writes])?;
        }
    }
    make_table(&change)?;
    if earlier {
        drop_earlier(&change)?;
    }
    for table in uncounted(&change)? {
        for event in EVENTS {
            change.execute_batch(&format!(
                "CREATE TRIGGER IF NOT EXISTS {} AFTER {event} ON {}
                 BEGIN UPDATE _trestle_count SET writes = writes + 1, state = random(), base = 0; END",
                quoted(&trigger(&table, event)),
                quoted(&table)
            ))?;
        }
    }
    change.commit()
}

/// Removes the count of an earlier release, with its triggers.
fn drop_earlier(change: &Connection) -> Result<(), SqliteError> {
    let mut triggers = change.prepare(
        "SELECT name FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%UPDATE \\_trestle\\_writes%' ESCAPE '\\'",
    )?;
    let triggers = triggers.query_map([], |row| row.get::<_, String>(0))?;
    for trigger in triggers.collect::<Result<Vec<_>, _>>()? {
        change.execute_batch(&format!("DROP TRIGGER {}", quoted(&trigger)))?;
    }
    change.execute_batch("DROP TABLE _trestle_writes")
}

const EVENTS: [&str; 3] = ["INSERT", "UPDATE", "DELETE"];

fn trigger(table: &str, event: &str) -> String {
    format!("{table}::states::{event}")
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
