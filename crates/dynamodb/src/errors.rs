//! Why the embedded store does not open, and why it was not copied, in words for its operator.

use std::io;
use std::path::Path;

use dynoxide::DynoxideError;

/// The store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder cannot be made or used.
    #[error("the data folder {folder} cannot be used: {source}")]
    Folder {
        /// The folder.
        folder: String,
        /// Why.
        source: io::Error,
    },
    /// Something else stands where the store's file belongs.
    #[error("{file} is not a store of Trestle")]
    NotAStore {
        /// The file.
        file: String,
    },
    /// The store's file is missing or empty, and what SQLite keeps beside it is there.
    #[error("{file} is empty or missing, and a store was there")]
    Missing {
        /// The file.
        file: String,
    },
    /// A later release made it.
    #[error("{file} was made by a later release of Trestle")]
    Newer {
        /// The file.
        file: String,
    },
    /// Its bytes are damaged.
    #[error("the store {file} is damaged")]
    Damaged {
        /// The file.
        file: String,
    },
    /// Another process holds it for long.
    #[error("another process holds the store {file}")]
    Busy {
        /// The file.
        file: String,
    },
    /// Another process has it open, and files beside it were removed.
    #[error(
        "another process has the store {file} open, and the file {file}-shm was removed meanwhile"
    )]
    Apart {
        /// The file.
        file: String,
    },
    /// Writes that were acknowledged are missing.
    #[error(
        "the last {writes} writes are missing from the store {file}: its log {file}-wal was removed or altered, or an \
         older copy of the store was put in its place"
    )]
    Incomplete {
        /// The file.
        file: String,
        /// The number of changed items.
        writes: u64,
    },
    /// Its log was written for another store.
    #[error(
        "the log {file}-wal belongs to another store than {file}, which a copy took the place of"
    )]
    OtherLog {
        /// The file.
        file: String,
    },
    /// Its files are of different moments.
    #[error(
        "it is not known whether writes are missing from the store {file}: the file, its log {file}-wal and its record \
         {file}-writes are not of one moment, because one of them was removed or replaced by another copy"
    )]
    Mismatched {
        /// The file.
        file: String,
    },
    /// The file that shows whether writes are missing is not there.
    #[error(
        "the file {file}-writes is missing, which shows that no writes are missing from the store {file}"
    )]
    Unrecorded {
        /// The file.
        file: String,
    },
    /// Whether writes are missing is not known.
    #[error(
        "the file {file}-writes cannot be read, which shows that no writes are missing from the store {file}"
    )]
    Uncounted {
        /// The file.
        file: String,
    },
    /// It does not open for another reason.
    #[error("the store {file} does not open: {reason}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the store's library says.
        reason: String,
    },
}

impl OpenError {
    pub(super) fn folder(folder: &Path, source: io::Error) -> Self {
        Self::Folder {
            folder: folder.display().to_string(),
            source,
        }
    }

    /// What to do about it: a clause.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Folder { .. } => {
                "This user has to be able to write the folder and its files, even to read the store; name another \
                 folder with --data"
            }
            Self::NotAStore { .. } | Self::Unreadable { .. } => "Name another folder with --data",
            Self::Missing { .. } => {
                "Put a backup in its place, or the copy that a server left there as trestle.sqlite.rescued-..., or begin \
                 with an empty store in another folder with --data"
            }
            Self::Newer { .. } => "Use that release, or name another folder with --data",
            Self::Damaged { .. } => "Put a backup in its place",
            Self::Incomplete { .. }
            | Self::Uncounted { .. }
            | Self::Unrecorded { .. }
            | Self::Mismatched { .. } => {
                "Put all files of the store back as they were together, or restore a backup into another folder; \
                 `trestle store accept-loss` goes on with what is there"
            }
            Self::OtherLog { .. } => {
                "If `trestle store accept-loss` or `repair` was stopped before its end, run `accept-loss` again: it goes on \
                 with the file, and without the log. Else put the file back as it was and restore the copy into another \
                 folder"
            }
            Self::Busy { .. } | Self::Apart { .. } => "Try again when that process has ended",
        }
    }
}

/// A backup was not made.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// A file stands where the backup is to be.
    #[error("{0} exists already")]
    Exists(String),
    /// The file cannot be written.
    #[error("{0} cannot be written: {1}")]
    Write(String, io::Error),
    /// The store cannot be read.
    #[error("the store cannot be copied: {0}")]
    Store(#[from] DynoxideError),
}

/// A store was not repaired. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// The store cannot be read or written, or another process uses it.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// No copy of the store could be made.
    #[error("the store is repaired only after a copy was made, and that failed: {0}")]
    Copy(BackupError),
}
