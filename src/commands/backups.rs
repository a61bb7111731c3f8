//! Backups of the embedded store that `trestle serve` makes by itself.

use std::fs;
use std::io::Read as _;
use std::num::NonZeroUsize;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use chrono::{DateTime, Utc};
use clap::{ArgMatches, Args};
use futures_util::TryStreamExt as _;
use tokio::time::{Instant, MissedTickBehavior};

use trestle_dynamodb::{Embedded, ExpectedIndex};
use trestle_files::Files;
use trestle_service::Failure;
use trestle_service::flags::{at_least_one, period};
use trestle_table::clock::Clock;

use super::archive::{self, Sources};
use super::embedded::Artifacts;
use super::retention::{Backup, Retention};
use super::store::Store;

/// When backups are made, and where they are kept.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Backups")]
pub struct BackupArgs {
    /// Make a backup of the embedded store and the services' files this often, like 1h. The first one at start, unless the
    /// last one is younger
    #[arg(long, env = "TRESTLE_BACKUP_EVERY", value_name = "TIME", value_parser = period, requires = "backup_to")]
    backup_every: Option<Duration>,

    /// Number of the newest backups to keep, beside the last ones of 7 days and of 4 weeks. Other backups of the store are
    /// deleted when they are older than all of these could be
    #[arg(long, env = "TRESTLE_BACKUP_KEEP", value_name = "NUMBER", default_value = "24", value_parser = at_least_one::<NonZeroUsize>)]
    backup_keep: NonZeroUsize,

    /// Where backups are kept: a folder outside of the data folder, or s3://BUCKET/FOLDER
    #[arg(
        long,
        env = "TRESTLE_BACKUP_TO",
        value_name = "PLACE",
        requires = "backup_every"
    )]
    backup_to: Option<String>,
}

/// Backups that are to be made.
pub struct Backups {
    store: Embedded,
    data: PathBuf,
    artifacts: Artifacts,
    expected: Vec<ExpectedIndex>,
    retention: Retention,
    to: Destination,
    last: LastBackup,
}

/// When the last good backup was made, in seconds after 1970; 0 if none was.
pub type LastBackup = Arc<AtomicU64>;

enum Destination {
    Folder(PathBuf),
    Bucket { files: Files, folder: String },
}

/// How the name of a backup begins and ends. Its time is between.
const NAME: (&str, &str) = ("trestle-", ".tar");
/// What follows the time if the store in a backup is damaged.
const DAMAGED: &str = "-damaged";
/// Bytes of a part of an upload.
const PART: usize = 8 * 1024 * 1024;
/// The most parts of an upload that are sent at once.
const AT_ONCE: usize = 4;

impl BackupArgs {
    /// Checks where backups go. `None` if none are made.
    ///
    /// # Errors
    /// A sentence.
    pub async fn prepare(
        self,
        store: &Store,
        arguments: &ArgMatches,
    ) -> Result<Option<Backups>, Failure> {
        let (Some(every), Some(to)) = (self.backup_every, self.backup_to) else {
            return Ok(None);
        };
        let (Some(embedded), Some(data)) = (store.on_disk(), store.folder()) else {
            return Err(Failure::new(
                "--backup-every is for an embedded store on disk. DynamoDB has backups and point-in-time recovery of its own.",
            ));
        };
        let artifacts = arguments.try_get_one::<String>("artifacts").ok().flatten();
        Ok(Some(Backups {
            store: embedded.clone(),
            data: data.to_owned(),
            artifacts: Artifacts::of(artifacts.map(String::as_str)),
            expected: store.expected_indexes(),
            retention: Retention {
                every,
                keep: self.backup_keep.get(),
            },
            to: Destination::named(&to, data).await?,
            last: LastBackup::default(),
        }))
    }
}

impl Destination {
    async fn named(place: &str, data: &Path) -> Result<Self, Failure> {
        if let Some(place) = place.strip_prefix("s3://") {
            let (bucket, folder) = place.split_once('/').unwrap_or((place, ""));
            return Ok(Destination::Bucket {
                files: trestle_files::open_bucket(bucket, Clock::system()).await?,
                folder: folder.trim_matches('/').to_owned(),
            });
        }
        let folder = PathBuf::from(place);
        let made = fs::create_dir_all(&folder)
            .and_then(|()| Ok((folder.canonicalize()?, data.canonicalize()?)));
        let (backups, data) = made.map_err(|error| {
            Failure::new(format!("The folder {place} cannot hold backups: {error}."))
        })?;
        if backups.starts_with(&data) {
            return Err(Failure::new(format!(
                "The folder {place} is in the data folder, so that each backup would hold the earlier ones. Name another \
                 one with --backup-to."
            )));
        }
        Ok(Destination::Folder(folder))
    }
}

impl Backups {
    /// When the last backup was made, for metrics.
    pub fn last(&self) -> LastBackup {
        Arc::clone(&self.last)
    }

    fn note(&self, made: DateTime<Utc>) {
        let seconds = u64::try_from(made.timestamp()).unwrap_or_default();
        self.last.store(seconds, Relaxed);
    }

    /// Makes backups for as long as the server runs.
    pub async fn run(self) {
        let every = self.retention.every;
        let first = match self.made().await {
            Ok(backups) => {
                let good = backups.iter().filter(|backup| !backup.is_damaged);
                if let Some(last) = good.map(|backup| backup.made).max() {
                    self.note(last);
                }
                self.retention.first_after(&backups, Utc::now())
            }
            // Whoever makes the first one reports it.
            Err(_) => Duration::ZERO,
        };
        let mut ticks = tokio::time::interval_at(Instant::now() + first, every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let now = Utc::now();
            let name = match self.make(now).await {
                Ok(name) => name,
                Err(error) => {
                    tracing::error!(%error, "no backup was made");
                    continue;
                }
            };
            tracing::info!(name, "a backup was made");
            if !name.contains(DAMAGED) {
                self.note(now);
            }
            if let Err(error) = self.delete_old(&name, now).await {
                tracing::error!(%error, "old backups were not deleted");
            }
        }
    }

    /// Makes a backup and checks it. Its name.
    async fn make(&self, now: DateTime<Utc>) -> Result<String, Failure> {
        let sources = Sources {
            data: &self.data,
            artifacts: self.artifacts.apart(),
        };
        let scratch = match &self.to {
            Destination::Folder(folder) => archive::unfinished_in(folder)?,
            Destination::Bucket { .. } => tempfile::tempdir()?,
        };
        let archive = scratch.path().join("backup.tar");
        archive::write(&self.store, &sources, &archive, now).await?;
        let damage = tokio::task::block_in_place(|| archive::examine(&archive, &self.expected))?;
        let (start, end) = NAME;
        let damaged = match damage.first() {
            Some(first) => {
                let damage = damage.len();
                tracing::error!(
                    damage, %first,
                    "the store is damaged: run `trestle store check`. The backup is kept beside the good ones"
                );
                DAMAGED
            }
            None => "",
        };
        let name = format!("{start}{}{damaged}{end}", now.format("%Y%m%dT%H%M%S%3fZ"));
        match &self.to {
            Destination::Folder(folder) => {
                // Fails if another file has the name.
                fs::hard_link(&archive, folder.join(&name))?;
                fs::File::open(folder)?.sync_all()?;
            }
            Destination::Bucket { files, folder } => {
                let key = key(folder, &name);
                upload(files, &key, &archive).await?;
                if files.size(&key).await? != Some(fs::metadata(&archive)?.len()) {
                    return Err(Failure::new(format!("{key} is not whole in the bucket.")));
                }
            }
        }
        Ok(name)
    }

    /// The complete backups of this store that are there.
    async fn made(&self) -> Result<Vec<Backup>, Failure> {
        let id = self.store.id()?;
        let mut made = Vec::new();
        match &self.to {
            Destination::Folder(folder) => {
                for entry in fs::read_dir(folder)? {
                    let entry = entry?;
                    let name = entry.file_name().to_string_lossy().into_owned();
                    if !is_backup(&name) || !entry.file_type()?.is_file() {
                        continue;
                    }
                    let file = fs::File::open(entry.path())?;
                    let size = file.metadata()?.len();
                    let Some([start, end]) = archive::ends(size) else {
                        continue;
                    };
                    let mut ends = [vec![0; archive::END], vec![0; archive::END]];
                    file.read_exact_at(&mut ends[0], start.start)?;
                    file.read_exact_at(&mut ends[1], end.start)?;
                    made.extend(backup(name, &ends, &id));
                }
            }
            Destination::Bucket { files, folder } => {
                let keys: Vec<String> = files.keys(folder).try_collect().await?;
                for name in keys.iter().filter_map(|key| key.rsplit('/').next()) {
                    let key = key(folder, name);
                    if !is_backup(name) || !keys.contains(&key) {
                        continue;
                    }
                    let size = files.size(&key).await?.unwrap_or_default();
                    let Some([start, end]) = archive::ends(size) else {
                        continue;
                    };
                    let start = files.read_range(&key, start).await?;
                    let end = files.read_range(&key, end).await?;
                    made.extend(backup(name.to_owned(), &[start, end], &id));
                }
            }
        }
        Ok(made)
    }

    async fn delete_old(&self, name: &str, now: DateTime<Utc>) -> Result<(), Failure> {
        let made = self.made().await?;
        for old in self.retention.expired(&made, name, now) {
            match &self.to {
                Destination::Folder(folder) => fs::remove_file(folder.join(&old))?,
                Destination::Bucket { files, folder } => files.delete(&key(folder, &old)).await?,
            }
            tracing::info!(name = old, "an old backup was deleted");
        }
        Ok(())
    }
}

fn key(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}

/// Whether a file may be a backup that a server made: whose it is, only the archive says.
fn is_backup(name: &str) -> bool {
    let (start, end) = NAME;
    let time = name
        .strip_prefix(start)
        .and_then(|name| name.strip_suffix(end));
    let Some(time) = time.map(|time| time.strip_suffix(DAMAGED).unwrap_or(time)) else {
        return false;
    };
    let mut bytes = time.bytes();
    time.len() == "20261123T204500000Z".len()
        && bytes.all(|byte| byte.is_ascii_digit() || byte == b'T' || byte == b'Z')
}

/// A backup by its first and its last bytes, if it is one of the store with this id.
fn backup(name: String, ends: &[impl AsRef<[u8]>; 2], id: &str) -> Option<Backup> {
    let [start, end] = ends;
    let begun = archive::begun(start.as_ref(), end.as_ref())?;
    let (_, ending) = NAME;
    let is_damaged = name
        .strip_suffix(ending)
        .is_some_and(|name| name.ends_with(DAMAGED));
    (begun.store == id).then_some(Backup {
        made: begun.created_at,
        name,
        is_damaged,
    })
}

async fn upload(files: &Files, key: &str, archive: &Path) -> Result<(), Failure> {
    let mut archive = fs::File::open(archive)?;
    let mut writer = files.writer(key).await?;
    let mut part = vec![0; PART];
    loop {
        let read = archive.read(&mut part)?;
        let Some(bytes) = part.get(..read).filter(|bytes| !bytes.is_empty()) else {
            break;
        };
        writer.wait_for_capacity(AT_ONCE).await?;
        writer.write(bytes);
    }
    writer.finish().await?;
    Ok(())
}
