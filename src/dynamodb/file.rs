//! The embedded store's file: made whole, known by a stamp, and watched while the store is open.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::{Connection, Error as SqliteError, ErrorCode, OpenFlags};

use dynoxide::{Database, DynoxideError};

use super::errors::{BackupError, OpenError};

/// The store's file in its folder.
pub(super) const FILE: &str = "trestle.sqlite";
/// SQLite's application id of a store: `TRST`.
const STAMP: i32 = 0x5452_5354;
/// The format of what is around dynoxide's own tables, whose format dynoxide keeps and checks itself.
const FORMAT: i32 = 1;
/// How long another process's lock is waited for.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long to wait before the store is tried again.
const PAUSE: Duration = Duration::from_millis(20);
/// Bytes that a store must be able to write.
static PROBE: [u8; 64 * 1024] = [0; 64 * 1024];

/// Makes an empty store, whole or not at all. One that another process makes at the same time is taken.
pub(super) fn make(folder: &Path, file: &Path) -> Result<(), OpenError> {
    let unusable = |source| OpenError::folder(folder, source);
    if beside(file, "-wal").exists() {
        return Err(OpenError::Gone {
            file: file.display().to_string(),
        });
    }
    let made = tempfile::NamedTempFile::new_in(folder).map_err(unusable)?;
    Connection::open(made.path())
        .and_then(|connection| {
            stamp(&connection)?;
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

/// Makes sure that a file is a store of a format that this program knows. A store of a release that set no stamp
/// gets it.
pub(super) fn recognize(folder: &Path, file: &Path) -> Result<(), OpenError> {
    let unreadable = |error: SqliteError| unreadable(folder, file, &error);
    let connection = Connection::open_with_flags(
        file,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .map_err(unreadable)?;
    connection.busy_timeout(PATIENCE).map_err(unreadable)?;
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
    let tables = "SELECT count(*) FROM sqlite_master WHERE name IN ('_config', '_tables')";
    let file = || file.display().to_string();
    match number("application_id").map_err(unreadable)? {
        STAMP if number("user_version").map_err(unreadable)? > FORMAT => {
            Err(OpenError::Newer { file: file() })
        }
        STAMP => Ok(()),
        0 if connection
            .query_row(tables, [], |row| row.get::<_, i32>(0))
            .map_err(unreadable)?
            == 2 =>
        {
            stamp(&connection).map_err(unreadable)
        }
        _ => Err(OpenError::NotAStore { file: file() }),
    }
}

fn stamp(connection: &Connection) -> Result<(), SqliteError> {
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

/// Copies a store as it is at one moment.
pub(super) fn backup(database: &Database, target: &Path) -> Result<(), BackupError> {
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
    database.vacuum_into(path)?;
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

/// A file that SQLite keeps beside a store's.
pub(super) fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

/// Which file a path leads to.
type Identity = (u64, u64);

/// The files of an open store. They stay open when somebody removes or replaces them, and what is written to them then
/// is gone with the process.
#[derive(Debug)]
pub(super) struct Watched {
    folder: PathBuf,
    main: (PathBuf, Identity),
    /// The write-ahead log, which is there from the first write to the end of the last process.
    log: (PathBuf, OnceLock<Identity>),
    is_reported: AtomicBool,
}

impl Watched {
    /// Begins to watch an open store's files.
    pub(super) fn new(folder: &Path, file: &Path) -> io::Result<Self> {
        Ok(Self {
            folder: folder.to_owned(),
            main: (file.to_owned(), identity(&file.metadata()?)),
            log: (beside(file, "-wal"), OnceLock::new()),
            is_reported: AtomicBool::new(false),
        })
    }

    /// The store's file.
    pub(super) fn file(&self) -> &Path {
        &self.main.0
    }

    /// Whether the paths still lead to the files that are open. A call of a few microseconds.
    pub(super) fn is_in_place(&self) -> bool {
        let (main, expected) = &self.main;
        let (log, seen) = &self.log;
        let is_there = |path: &Path, expected: &Identity| {
            path.metadata()
                .is_ok_and(|metadata| identity(&metadata) == *expected)
        };
        if seen.get().is_none()
            && let Ok(metadata) = log.metadata()
        {
            seen.get_or_init(|| identity(&metadata));
        }
        let in_place =
            is_there(main, expected) && seen.get().is_none_or(|expected| is_there(log, expected));
        if !in_place && !self.is_reported.swap(true, Relaxed) {
            tracing::error!(
                file = %main.display(),
                "the store's files were removed or replaced while it was open: nothing is acknowledged until the \
                 server is started again"
            );
        }
        in_place
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

fn identity(metadata: &Metadata) -> Identity {
    (metadata.dev(), metadata.ino())
}
