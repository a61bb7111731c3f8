//! The embedded store's file: made whole, known by a stamp, and watched while the store is open.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Error as SqliteError, ErrorCode, OpenFlags};

use dynoxide::{Database, DynoxideError};

use super::errors::{BackupError, OpenError};
use super::identity::{Identity, identity};
use super::log::beside;
use super::unreadable::Lookout;
use super::write_count::{self, CountError, Known, LOG, Verdict, WriteCount};
use super::write_record::UNFINISHED;

/// The store's file in its folder.
pub(super) const FILE: &str = "trestle.sqlite";
/// SQLite's application id of a store: `TRST`.
const STAMP: i32 = 0x5452_5354;
/// The format of what is around dynoxide's own tables, whose format dynoxide keeps and checks itself.
const FORMAT: i32 = 1;
/// The newest schema of dynoxide's tables that the release in `Cargo.toml` knows: commands that do not open the store by
/// dynoxide refuse a later one, too.
const SCHEMA: u32 = 11;
/// How long another process's lock is waited for.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long another process may have the store open before it makes an index of the log.
const STARTING: Duration = Duration::from_secs(5);
/// How long to wait before the store is tried again.
const PAUSE: Duration = Duration::from_millis(20);
/// How often at most it is reported that the disk is full.
const REPEATED: Duration = Duration::from_secs(1);
/// Bytes that a store must be able to write.
static PROBE: [u8; 64 * 1024] = [0; 64 * 1024];

/// Whether anything of a store is there without its file: its log, its record, or a copy that a server or a command left.
pub(super) fn has_left(folder: &Path, file: &Path) -> io::Result<bool> {
    for entry in folder.read_dir()? {
        let name = entry?.file_name();
        if name != FILE && name.as_encoded_bytes().starts_with(FILE.as_bytes()) {
            // Unless another process makes one at this moment.
            return Ok(!file.exists());
        }
    }
    Ok(false)
}

/// Makes an empty store, whole or not at all. One that another process makes at the same time is taken.
pub(super) fn make(folder: &Path, file: &Path) -> Result<(), OpenError> {
    let unusable = |source| OpenError::folder(folder, source);
    let made = tempfile::NamedTempFile::with_prefix_in(UNFINISHED, folder).map_err(unusable)?;
    Connection::open(made.path())
        .and_then(|connection| {
            stamp(&connection)?;
            // First, so that a part of a log that is taken over into the file takes over the count.
            write_count::make_table(&connection)?;
            // Changing it later needs the file for itself, and does not wait for that.
            connection.pragma_update(None, "journal_mode", "WAL")
        })
        .map_err(|error| unreadable(folder, file, &error))?;
    made.as_file().sync_all().map_err(unusable)?;
    match made.persist_noclobber(file) {
        Err(error) if error.error.kind() != ErrorKind::AlreadyExists => Err(unusable(error.error)),
        Ok(_) | Err(_) => File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(unusable),
    }
}

/// Opens a store, waiting for processes that hold it.
#[expect(
    clippy::disallowed_methods,
    reason = "the process that holds the file tells nobody when it lets go"
)]
pub(super) fn open(folder: &Path, file: &Path, path: &str) -> Result<Database, OpenError> {
    let began = Instant::now();
    loop {
        let error = match Database::new(path) {
            Ok(database) => return Ok(database),
            Err(DynoxideError::SqliteError(error)) => unreadable(folder, file, &error),
            Err(error) => {
                let (file, reason) = (file.display().to_string(), error.to_string());
                return Err(OpenError::Unreadable { file, reason });
            }
        };
        if !matches!(error, OpenError::Busy { .. }) || began.elapsed() > PATIENCE {
            return Err(error);
        }
        sleep(PAUSE);
    }
}

/// Whether another process has the store open. Beside one that has, and whose index of the log was removed, a new index
/// would be made, and both would write to one log without knowing of each other.
pub(super) fn is_held(file: &Path) -> Result<bool, SqliteError> {
    let connection = attach(file)?;
    connection.busy_timeout(Duration::ZERO)?;
    // Before the first access: the index of the log is then kept in memory.
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    match connection.execute_batch("BEGIN IMMEDIATE; COMMIT") {
        Ok(()) => Ok(false),
        Err(error) => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Ok(true),
            _ => Err(error),
        },
    }
}

/// Lets the log stay as it is when a connection closes: nothing is known of it yet.
pub(super) fn keep_log(connection: &Connection) -> Result<(), SqliteError> {
    let kept = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
    connection.set_db_config(kept, true).map(drop)
}

/// Keeps a log that is there. An empty one that SQLite makes is removed with the connection.
fn keep_found_log(connection: &Connection, file: &Path) -> Result<(), SqliteError> {
    if beside(file, LOG).exists() {
        keep_log(connection)?;
    }
    Ok(())
}

/// Opens a file to read it. Its log is left as it is: only who writes the record may take the log over into the file.
pub(super) fn attach(file: &Path) -> Result<Connection, SqliteError> {
    let connection = Connection::open(file)?;
    keep_found_log(&connection, file)?;
    Ok(connection)
}

/// Makes sure that a file is a store of a format that this program knows, and that none of its writes are missing.
pub(super) fn recognize(folder: &Path, file: &Path) -> Result<Connection, OpenError> {
    // Before SQLite opens the file: it writes any log into the file beside it.
    let known = verify(folder, file, None)?;
    if let Some(known) = &known {
        refuse(file, &known.verdict)?;
    }
    let connection = identify(folder, file)?;
    if known.is_none()
        && let Some(known) = verify(folder, file, Some(&connection))?
    {
        refuse(file, &known.verdict)?;
    }
    Ok(connection)
}

/// What is known of a store from its files.
pub(super) fn verify(
    folder: &Path,
    file: &Path,
    connection: Option<&Connection>,
) -> Result<Option<Known>, OpenError> {
    match write_count::verify(file, connection) {
        // Whoever opens the store finds out what is damaged.
        Err(error) if error.is_damage() => Ok(None),
        known => known.map_err(|error| uncounted(folder, file, error)),
    }
}

fn refuse(file: &Path, verdict: &Verdict) -> Result<(), OpenError> {
    let file = file.display().to_string();
    Err(match verdict {
        Verdict::Complete => return Ok(()),
        Verdict::Missing(writes) => OpenError::Incomplete {
            file,
            writes: *writes,
        },
        Verdict::Mismatched => OpenError::Mismatched { file },
        Verdict::OtherLog => OpenError::OtherLog { file },
        Verdict::Unrecorded => OpenError::Unrecorded { file },
        Verdict::Unreadable => OpenError::Uncounted { file },
    })
}

/// Brings the record of a store up to date after a change by a command that does not count.
pub(super) fn count_changes(folder: &Path, file: &Path) -> Result<(), OpenError> {
    write_count::WriteCount::open(file)
        .map(drop)
        .map_err(|error| uncounted(folder, file, error))
}

/// Begins to count the writes of an open store.
pub(super) fn count_writes(folder: &Path, file: &Path) -> Result<WriteCount, OpenError> {
    WriteCount::open(file).map_err(|error| uncounted(folder, file, error))
}

pub(super) fn uncounted(folder: &Path, file: &Path, error: CountError) -> OpenError {
    match error {
        CountError::Store(error) => unreadable(folder, file, &error),
        CountError::File(error) if error.kind() == ErrorKind::TimedOut => OpenError::Busy {
            file: file.display().to_string(),
        },
        CountError::File(error) => OpenError::folder(folder, error),
    }
}

/// Makes sure that a file is a store of a format that this program knows. A store of a release that set no stamp
/// gets it.
#[expect(
    clippy::disallowed_methods,
    reason = "the process that holds the file tells nobody when it lets go"
)]
pub(super) fn identify(folder: &Path, file: &Path) -> Result<Connection, OpenError> {
    let began = Instant::now();
    while !beside(file, "-shm").exists()
        && is_held(file).map_err(|error| unreadable(folder, file, &error))?
    {
        if began.elapsed() > STARTING {
            let file = file.display().to_string();
            return Err(OpenError::Apart { file });
        }
        sleep(PAUSE);
    }
    connect(folder, file, file)
}

/// Connects to a store at `path`, which errors call `file`.
pub(super) fn connect(folder: &Path, file: &Path, path: &Path) -> Result<Connection, OpenError> {
    let unreadable = |error: SqliteError| unreadable(folder, file, &error);
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .map_err(unreadable)?;
    keep_found_log(&connection, path).map_err(unreadable)?;
    connection.busy_timeout(PATIENCE).map_err(unreadable)?;
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
    let tables = "SELECT count(*) FROM sqlite_master WHERE name IN ('_config', '_tables')";
    let file = || file.display().to_string();
    match number("application_id").map_err(unreadable)? {
        STAMP
            if number("user_version").map_err(unreadable)? > FORMAT
                || schema(&connection).is_some_and(|schema| schema > SCHEMA) =>
        {
            return Err(OpenError::Newer { file: file() });
        }
        STAMP => {}
        0 if connection
            .query_row(tables, [], |row| row.get::<_, i32>(0))
            .map_err(unreadable)?
            == 2 =>
        {
            stamp(&connection).map_err(unreadable)?;
        }
        _ => return Err(OpenError::NotAStore { file: file() }),
    }
    Ok(connection)
}

/// The schema of dynoxide's tables; `None` before dynoxide has made them, or if it cannot be read, which a check finds out.
fn schema(connection: &Connection) -> Option<u32> {
    let version = "SELECT value FROM _config WHERE key = 'schema_version'";
    let version = connection.query_row(version, [], |row| row.get::<_, String>(0));
    version.ok()?.parse().ok()
}

pub(super) fn stamp(connection: &Connection) -> Result<(), SqliteError> {
    connection.pragma_update(None, "application_id", STAMP)?;
    connection.pragma_update(None, "user_version", FORMAT)
}

/// Why a store cannot be read, in words of ours where SQLite's code has a clear meaning.
pub(super) fn unreadable(folder: &Path, file: &Path, error: &SqliteError) -> OpenError {
    let file = file.display().to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            let reason = "its files cannot be written";
            OpenError::folder(folder, io::Error::new(ErrorKind::PermissionDenied, reason))
        }
        Some(ErrorCode::DiskFull) => OpenError::folder(folder, ErrorKind::StorageFull.into()),
        Some(ErrorCode::NotADatabase) => OpenError::NotAStore { file },
        Some(ErrorCode::DatabaseCorrupt) => OpenError::Damaged { file },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => OpenError::Busy { file },
        _ => OpenError::Unreadable {
            file,
            reason: error.to_string(),
        },
    }
}

/// Copies a store as it is at one moment, over a connection of its own: others read and write meanwhile.
pub(super) fn backup(file: &Path, target: &Path) -> Result<(), BackupError> {
    copy_to(target, |copy| {
        let connection = attach(file)?;
        connection.busy_timeout(PATIENCE)?;
        connection.execute("VACUUM INTO ?1", [copy])?;
        Ok(())
    })
}

/// Copies a store over the connection that requests use, which wait for it: one in memory, or whose file was removed.
pub(super) fn backup_of(database: &Database, target: &Path) -> Result<(), BackupError> {
    copy_to(target, |copy| database.vacuum_into(copy))
}

fn copy_to(
    target: &Path,
    copy_store: impl FnOnce(&str) -> Result<(), DynoxideError>,
) -> Result<(), BackupError> {
    let name = || target.display().to_string();
    let write = |error| BackupError::Write(name(), error);
    if target.exists() {
        return Err(BackupError::Exists(name()));
    }
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // A folder of its own: what is left of a copy that fails is removed with it.
    let partial = tempfile::tempdir_in(folder).map_err(write)?;
    let copy = partial.path().join(FILE);
    let path = copy
        .to_str()
        .ok_or_else(|| write(io::Error::other("its path is not valid UTF-8")))?;
    copy_store(path)?;
    write_count::renew(&copy).map_err(DynoxideError::from)?;
    File::open(&copy)
        .and_then(|file| file.sync_all())
        .map_err(write)?;
    // Fails if another file came there meanwhile, which a rename would replace.
    std::fs::hard_link(&copy, target).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => BackupError::Exists(name()),
        _ => write(error),
    })?;
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(write)
}

/// The files of an open store. They stay open when somebody removes or replaces them, and what is written to them then
/// is gone with the process.
#[derive(Debug)]
pub(super) struct OpenFiles {
    folder: PathBuf,
    main: (PathBuf, Identity),
    /// The most bytes that the store's file had. It never gets shorter.
    length: AtomicU64,
    /// The write-ahead log and its index, which are there from the first read to the end of the last process. A process
    /// that finds no index of the log makes one, and then writes over what those write that have the old one.
    beside: [Beside; 2],
    is_reported: AtomicBool,
    /// When it was last reported that the disk is full.
    full_at: Mutex<Option<Instant>>,
    pub(super) lookout: Lookout,
    pub(super) writes: WriteCount,
}

/// A file beside the store's, and which one it was when it was first seen.
#[derive(Debug)]
struct Beside {
    path: PathBuf,
    seen: OnceLock<Identity>,
}

impl Beside {
    fn new(path: PathBuf) -> Self {
        let seen = path.metadata().map(|metadata| identity(&metadata));
        Self {
            path,
            seen: seen.map_or_else(|_| OnceLock::new(), OnceLock::from),
        }
    }

    /// Moves another file that has taken the name away, under a name that begins with it.
    fn set_aside(&self) -> io::Result<()> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let seconds = now.unwrap_or_default().as_secs();
        let aside = beside(&self.path, &format!(".replaced-{seconds}"));
        match std::fs::rename(&self.path, aside) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn is_in_place(&self) -> bool {
        if self.seen.get().is_none()
            && let Ok(metadata) = self.path.metadata()
        {
            self.seen.get_or_init(|| identity(&metadata));
        }
        let mut seen = self.seen.get().into_iter();
        seen.all(|expected| is_at(&self.path, expected))
    }
}

fn is_at(path: &Path, expected: &Identity) -> bool {
    path.metadata()
        .is_ok_and(|metadata| identity(&metadata) == *expected)
}

impl OpenFiles {
    /// Begins to watch an open store's files.
    pub(super) fn new(folder: &Path, file: &Path, writes: WriteCount) -> io::Result<Self> {
        Ok(Self {
            folder: folder.to_owned(),
            main: (file.to_owned(), identity(&file.metadata()?)),
            length: AtomicU64::new(0),
            beside: [LOG, "-shm"].map(|suffix| Beside::new(beside(file, suffix))),
            is_reported: AtomicBool::new(false),
            full_at: Mutex::default(),
            lookout: Lookout::default(),
            writes,
        })
    }

    /// The store's file.
    pub(super) fn file(&self) -> &Path {
        &self.main.0
    }

    /// The store's id.
    pub(super) fn id(&self) -> Result<String, OpenError> {
        let id = self.writes.store();
        id.map_err(|error| uncounted(&self.folder, self.file(), error))
    }

    /// Refuses writes from now on, and makes the store's file complete.
    pub(super) fn close(&self, database: &Database) -> Result<(), OpenError> {
        if !self.is_in_place() {
            self.rescue(database);
            return Ok(());
        }
        let closed = self.writes.close();
        closed.map_err(|error| uncounted(&self.folder, self.file(), error))
    }

    /// Whether the paths still lead to the files that are open. A call of a few microseconds.
    pub(super) fn is_in_place(&self) -> bool {
        self.is_file_in_place() && self.is_whole() && self.beside.iter().all(Beside::is_in_place)
    }

    fn is_file_in_place(&self) -> bool {
        let (main, expected) = &self.main;
        is_at(main, expected)
    }

    fn is_whole(&self) -> bool {
        let (main, _) = &self.main;
        let length = main.metadata().map_or(0, |metadata| metadata.len());
        self.length.fetch_max(length, Relaxed) <= length
    }

    /// Saves what this process alone has after files were removed or replaced, once: the log goes into the store's file, and
    /// a store whose file is gone into a copy. Reports what to do. Nobody may have the turn to write.
    pub(super) fn rescue(&self, database: &Database) {
        if self.is_reported.swap(true, Relaxed) {
            return;
        }
        let file = self.file().display();
        let [log, index] = &self.beside;
        if !self.is_file_in_place() {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            let seconds = now.unwrap_or_default().as_secs();
            let copy = beside(self.file(), &format!(".rescued-{seconds}"));
            match backup_of(database, &copy) {
                Ok(()) => tracing::error!(
                    %file, copy = %copy.display(),
                    "the store's file was removed or replaced while it was open: nothing is acknowledged any more, and all \
                     that was acknowledged is in the copy"
                ),
                Err(error) => tracing::error!(
                    %file, %error,
                    "the store's file was removed or replaced while it was open: nothing is acknowledged any more, and no copy \
                     of what was acknowledged could be made"
                ),
            }
            return;
        }
        if !self.is_whole() {
            self.writes.leave();
            tracing::error!(
                %file,
                "the store's file was cut or written over while it was open: nothing is acknowledged any more, and its files stay \
                 as they are"
            );
            return;
        }
        if log.is_in_place() {
            tracing::error!(
                %file,
                "the index of the store's log was removed or replaced while it was open: nothing is acknowledged until the \
                 server is started again"
            );
            return;
        }
        // Whoever made another index of the log may write to it, and knows nothing of this process.
        let is_alone = index.is_in_place() || !index.path.exists();
        let rescued = if is_alone {
            self.writes.rescue().map_err(|error| error.to_string())
        } else {
            Err("another program has the store open".to_owned())
        };
        match rescued {
            Ok(()) => {
                tracing::error!(
                    %file,
                    "the store's log was removed or replaced while it was open: nothing is acknowledged until the server is \
                     started again, and all that was acknowledged is in the store's file"
                );
                if let Err(error) = log.set_aside() {
                    tracing::error!(
                        %file, %error,
                        "another log is in the place of the store's: move it away before the server is started again"
                    );
                }
            }
            Err(error) => tracing::error!(
                %file, process = process::id(), %error,
                "the store's log was removed or replaced while it was open, and what was acknowledged could not be written into \
                 the store's file: do not stop this process before you have copied the log from it"
            ),
        }
    }

    /// Reports that a write was refused because the disk is full: once a second, however many are refused.
    pub(super) fn report_full(&self) {
        let now = Instant::now();
        let mut last = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|last| now.duration_since(last) >= REPEATED) {
            *last = Some(now);
            tracing::error!(
                folder = %self.folder.display(),
                "the disk is full: changes are refused, and nothing is lost, until the folder has room again"
            );
        }
    }

    /// Whether the folder takes new bytes.
    pub(super) fn has_room(&self) -> bool {
        let probed =
            tempfile::tempfile_in(&self.folder).and_then(|mut file| file.write_all(&PROBE));
        if let Err(error) = &probed {
            tracing::error!(folder = %self.folder.display(), %error, "the store's folder cannot be written");
        }
        probed.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_store_has_the_schema_that_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        drop(crate::Embedded::open(folder.path()).unwrap());
        assert_eq!(schema(&attach(&file).unwrap()), Some(SCHEMA));
    }
}
