//! The embedded store: dynoxide, a DynamoDB on SQLite, behind the SDK's HTTP connector. No socket: the
//! SDK's request is answered in process.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Config, Region, StalledStreamProtectionConfig};
use aws_smithy_runtime_api::client::http::SharedHttpConnector;
use aws_smithy_types::retry::{ReconnectMode, RetryConfig};
use dynoxide::{Database, DynoxideError};

use super::accepting::{self, Accepted};
use super::connected::{Connected, credentials};
use super::damage::{self, Damage};
use super::described::ExpectedIndex;
use super::errors::{BackupError, OpenError, RepairError};
use super::file::{self, FILE, OpenFiles};
use super::log::beside;
use super::operations::NO_TOKEN;
use super::repair::{self, Repaired};
use super::stopping::Unstopped;
use super::sweeping::TrustedClock;
use super::unfinished;
use super::write_count::LOG;

/// An open embedded store. Clones answer from the same one.
#[derive(Clone)]
pub struct Embedded {
    pub(super) database: Database,
    /// The files of a store on disk.
    pub(super) files: Option<Arc<OpenFiles>>,
    clock: Arc<Mutex<TrustedClock>>,
}

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Embedded")
    }
}

impl Embedded {
    /// Opens the store in `folder`, made where it is not there. Every commit is on disk before it is
    /// answered.
    ///
    /// # Errors
    /// [`OpenError`] when the folder cannot be made or its file is not a store.
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        std::fs::create_dir_all(folder).map_err(|source| OpenError::folder(folder, source))?;
        let file = folder.join(FILE);
        let is_new = !is_there(folder, &file)?;
        if is_new {
            file::make(folder, &file)?;
        }
        let store = Self::open_file(folder, &file)?;
        // No other clock has written to it.
        if is_new && let Some(files) = &store.files {
            let now = SystemTime::now();
            files.writes.trust(now);
            return Ok(Self {
                clock: trusting(Some(now)),
                ..store
            });
        }
        Ok(store)
    }

    /// Opens the store in `folder` as [`Embedded::open`] does; `None`, and nothing made, where it is not
    /// there.
    ///
    /// # Errors
    /// [`OpenError`] when the folder cannot be used or its file is not a store.
    pub fn find(folder: &Path) -> Result<Option<Self>, OpenError> {
        let file = folder.join(FILE);
        if is_there(folder, &file)? {
            Self::open_file(folder, &file).map(Some)
        } else {
            Ok(None)
        }
    }

    fn open_file(folder: &Path, file: &Path) -> Result<Self, OpenError> {
        let _opening = Unstopped::begin();
        let unusable = |source| OpenError::folder(folder, source);
        let path = file
            .to_str()
            .ok_or_else(|| unusable(io::Error::other("its path is not valid UTF-8")))?;
        drop(file::recognize(folder, file)?);
        if let Err(error) = unfinished::remove(file) {
            tracing::warn!(%error, "it is not known whether the creation of a table was interrupted");
        }
        // What does not open is not changed: while this connection is there, no other one takes the log over as it closes.
        let _unchanged = file::identify(folder, file)?;
        let database = file::open(folder, file, path)?;
        let writes = file::count_writes(folder, file)?;
        let trusted = writes.clock();
        let files = OpenFiles::new(folder, file, writes).map_err(unusable)?;
        Ok(Self {
            database,
            files: Some(Arc::new(files)),
            clock: trusting(trusted),
        })
    }

    /// A store in memory, gone with its last clone.
    ///
    /// # Errors
    /// [`OpenError::Unreadable`].
    pub fn memory() -> Result<Self, OpenError> {
        Ok(Self {
            database: Database::memory().map_err(|error| OpenError::Unreadable {
                file: "in memory".to_owned(),
                reason: error.to_string(),
            })?,
            files: None,
            clock: trusting(Some(SystemTime::now())),
        })
    }

    /// Whether the store's files are in their place and its disk takes new bytes. Writes a file without a name.
    pub async fn is_sound(&self) -> bool {
        let Some(files) = self.files.clone() else {
            return true;
        };
        let database = self.database.clone();
        // SQLite and the file system block.
        let sound = tokio::task::spawn_blocking(move || {
            if files.is_in_place() {
                return files.writes.has_log() && files.has_room();
            }
            files.rescue(&database);
            false
        });
        sound.await.unwrap_or(false)
    }

    /// Whether a file in a store's folder is the store's: by its name.
    pub fn is_own(file: &Path) -> bool {
        let name = file.file_name().map(|name| name.as_encoded_bytes());
        name.is_some_and(|name| name.starts_with(FILE.as_bytes()))
    }

    /// What is damaged in the store in `folder`, whose tables must have the indexes `expected`: reads every row.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn check(folder: &Path, expected: &[ExpectedIndex]) -> Result<Vec<Damage>, OpenError> {
        require(folder)?;
        damage::check(folder, expected)
    }

    /// Whether there is a store in `folder`.
    ///
    /// # Errors
    /// [`OpenError`] when its file is empty, or the folder cannot be used.
    pub fn is_there(folder: &Path) -> Result<bool, OpenError> {
        is_there(folder, &folder.join(FILE))
    }

    /// Shows `look` every text in the items of a table of the store in `folder`, with the key of the item. Items that
    /// cannot be read are left out, and a table that is not there has none.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn texts(
        folder: &Path,
        table: &str,
        look: &mut dyn FnMut(&str, &str),
    ) -> Result<(), OpenError> {
        damage::texts(folder, table, look)
    }

    /// Shows `look` the partition key and the sort key of each item of a table of the store in `folder`, sorted. A table
    /// that is not there has none.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn keys(
        folder: &Path,
        table: &str,
        look: &mut dyn FnMut(&str, &str),
    ) -> Result<(), OpenError> {
        damage::keys(folder, table, look)
    }

    /// Repairs the store in `folder`, whose tables must have the indexes `expected`, in one transaction. No other
    /// process may use the store. `copy` is the name of the copy of the store that is made in the folder before.
    ///
    /// # Errors
    /// [`RepairError`]; nothing was changed.
    pub fn repair(
        folder: &Path,
        expected: &[ExpectedIndex],
        copy: &str,
    ) -> Result<Repaired, RepairError> {
        require(folder)?;
        repair::repair(folder, expected, copy)
    }

    /// Goes on with the store in `folder`, from which writes are missing. Its files as they were are kept in copies, whose
    /// names end with `ending`. `None` if no writes are missing.
    ///
    /// # Errors
    /// [`OpenError`]; nothing was changed.
    pub fn accept_loss(
        folder: &Path,
        expected: &[ExpectedIndex],
        ending: &str,
    ) -> Result<Option<Accepted>, OpenError> {
        require(folder)?;
        accepting::accept_loss(folder, expected, ending)
    }

    /// Copies the store, as it is at one moment, to a file that is not there yet. Other processes may write meanwhile.
    ///
    /// # Errors
    /// [`BackupError`]; nothing is left then.
    pub async fn backup(&self, target: PathBuf) -> Result<(), BackupError> {
        let database = self.database.clone();
        let files = self.files.clone();
        let copied =
            tokio::task::spawn_blocking(move || match files.filter(|files| files.is_in_place()) {
                Some(files) => file::backup(files.file(), &target),
                None => file::backup_of(&database, &target),
            });
        let copied = copied.await;
        copied.unwrap_or_else(|error| {
            Err(DynoxideError::InternalServerError(error.to_string()).into())
        })
    }

    /// Deletes what has expired. DynamoDB does it by itself; this store is asked to. After a jump of the clock nothing
    /// is deleted until the clock went on for an hour.
    pub async fn sweep(&self) {
        // A server that nobody asks finds out, too, that its files were removed.
        if !self.is_sound().await || !self.is_clock_trusted() {
            return;
        }
        let store = self.clone();
        let swept = tokio::task::spawn_blocking(move || {
            let turn = store.files.as_ref().map(|files| files.writes.turn());
            let mut turn = turn.transpose().map_err(|error| error.to_string())?;
            let swept = store.database.sweep_ttl();
            if let Some(turn) = &mut turn {
                turn.record();
            }
            swept.map_err(|error| error.to_string())
        });
        if let Ok(Err(error)) = swept.await {
            tracing::warn!(%error, "expired items were not deleted");
        }
    }

    /// Whether the system's clock is trusted. After a jump of more than an hour, it is not for an hour. A time at which it was
    /// trusted is recorded: the next process compares its clock with that.
    pub fn is_clock_trusted(&self) -> bool {
        let now = SystemTime::now();
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        let is_trusted = clock.trusts(now, Instant::now());
        if is_trusted && let Some(files) = &self.files {
            files.writes.trust(now);
        }
        is_trusted
    }

    /// The bytes of the log; `None` for a store in memory. It keeps its size while readers need it.
    pub fn log_bytes(&self) -> Option<u64> {
        let files = self.files.as_ref()?;
        let log = beside(files.file(), LOG).metadata();
        Some(log.map_or(0, |log| log.len()))
    }

    /// The id of a store on disk. A copy of it has another one.
    ///
    /// # Errors
    /// [`OpenError`]; also for a store in memory, which has none.
    pub fn id(&self) -> Result<String, OpenError> {
        let Some(files) = &self.files else {
            let reason = "a store in memory has no id".to_owned();
            let file = "in memory".to_owned();
            return Err(OpenError::Unreadable { file, reason });
        };
        files.id()
    }

    /// Refuses writes from now on, and takes the log over into the store's file, which is all of the store then.
    pub async fn close(&self) {
        let Some(files) = self.files.clone() else {
            return;
        };
        let database = self.database.clone();
        // Its connections are closed at the end of the process.
        Unstopped::for_good();
        let closed = tokio::task::spawn_blocking(move || files.close(&database)).await;
        if let Ok(Err(error)) = closed {
            tracing::warn!(%error, "the log stays beside the store");
        }
    }

    /// A client that this store answers.
    pub fn client(&self) -> Client {
        self.client_behind(|connector| connector)
    }

    /// A client of the tables' streams that this store answers. It keeps their records for good.
    pub fn streams_client(&self) -> aws_sdk_dynamodbstreams::Client {
        let config = aws_sdk_dynamodbstreams::config::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("local"))
            .credentials_provider(credentials())
            .http_client(Connected(SharedHttpConnector::new(self.clone())))
            .build();
        aws_sdk_dynamodbstreams::Client::from_conf(config)
    }

    /// A client whose requests go through what `wrap` makes of the store's connector: for tests that
    /// count, delay or refuse them.
    pub fn client_behind(
        &self,
        wrap: impl FnOnce(SharedHttpConnector) -> SharedHttpConnector,
    ) -> Client {
        let connector = wrap(SharedHttpConnector::new(self.clone()));
        let config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("local"))
            .credentials_provider(credentials())
            .idempotency_token_provider(NO_TOKEN)
            // There is no connection to be closed after an error: the SDK reports each that it does not find.
            .retry_config(
                RetryConfig::standard().with_reconnect_mode(ReconnectMode::ReuseAllConnections),
            )
            // A body that is handed over in process never streams, and on a busy machine it looks stalled.
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .http_client(Connected(connector))
            .build();
        Client::from_conf(config)
    }
}

fn trusting(time: Option<SystemTime>) -> Arc<Mutex<TrustedClock>> {
    Arc::new(Mutex::new(TrustedClock::new(time, Instant::now())))
}

/// Makes sure that there is a store: SQLite would make an empty file.
fn require(folder: &Path) -> Result<(), OpenError> {
    let file = folder.join(FILE);
    if is_there(folder, &file)? {
        return Ok(());
    }
    Err(missing(&file))
}

fn missing(file: &Path) -> OpenError {
    let file = file.display().to_string();
    OpenError::Missing { file }
}

/// Whether a store is to be opened rather than made.
fn is_there(folder: &Path, file: &Path) -> Result<bool, OpenError> {
    match file.metadata() {
        Ok(metadata) if metadata.len() == 0 => Err(missing(file)),
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            match file::has_left(folder, file) {
                Ok(true) => Err(missing(file)),
                Ok(false) => Ok(false),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
                Err(error) => Err(OpenError::folder(folder, error)),
            }
        }
        Err(error) => Err(OpenError::folder(folder, error)),
    }
}
