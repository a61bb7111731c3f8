//! Backups of the embedded store that `trestle serve` makes by itself.

use std::fs;
use std::io::{self, Read as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{SecondsFormat, Utc};
use clap::{ArgMatches, Args};
use futures_util::TryStreamExt as _;
use tokio::time::MissedTickBehavior;

use trestle_dynamodb::Embedded;
use trestle_files::Files;
use trestle_service::Failure;
use trestle_service::flags::{at_least_one, period};
use trestle_table::clock::Clock;

use super::archive::{self, Sources};
use super::embedded::Artifacts;
use super::store::Store;

/// When backups are made, and where they are kept.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Backups")]
pub struct BackupArgs {
    /// Make a backup of the embedded store and the services' files this often, like 1h. The first one at start
    #[arg(long, env = "TRESTLE_BACKUP_EVERY", value_name = "TIME", value_parser = period, requires = "backup_to")]
    backup_every: Option<Duration>,

    /// Number of backups to keep. Older ones are deleted
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
    every: Duration,
    keep: usize,
    to: Destination,
}

enum Destination {
    Folder(PathBuf),
    Bucket { files: Files, folder: String },
}

/// How the name of a backup begins and ends. The time between sorts them by age.
const NAME: (&str, &str) = ("trestle-", ".tar");
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
            every,
            keep: self.backup_keep.get(),
            to: Destination::named(&to, data).await?,
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
    /// Makes backups for as long as the server runs.
    pub async fn run(self) {
        let mut ticks = tokio::time::interval(self.every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            match self.make().await {
                Ok(name) => tracing::info!(name, "a backup was made"),
                Err(error) => tracing::error!(%error, "no backup was made"),
            }
        }
    }

    async fn make(&self) -> Result<String, Failure> {
        let now = Utc::now();
        let (start, end) = NAME;
        let name = format!("{start}{}{end}", now.format("%Y%m%dT%H%M%S%3fZ"));
        let created_at = now.to_rfc3339_opts(SecondsFormat::Secs, true);
        let sources = Sources {
            data: &self.data,
            artifacts: self.artifacts.apart(),
        };
        match &self.to {
            Destination::Folder(folder) => {
                let target = folder.join(&name);
                archive::write(&self.store, &sources, &target, created_at).await?;
                let made = names(folder)?;
                for old in to_delete(made, self.keep) {
                    fs::remove_file(folder.join(old))?;
                }
            }
            Destination::Bucket { files, folder } => {
                let scratch = tempfile::tempdir()?;
                let archive = scratch.path().join(&name);
                archive::write(&self.store, &sources, &archive, created_at).await?;
                let key = |name: &str| match folder.as_str() {
                    "" => name.to_owned(),
                    folder => format!("{folder}/{name}"),
                };
                upload(files, &key(&name), &archive).await?;
                let keys: Vec<String> = files.keys(folder).try_collect().await?;
                let made = keys.iter().filter_map(|key| key.rsplit('/').next());
                for old in to_delete(made.map(str::to_owned).collect(), self.keep) {
                    files.delete(&key(&old)).await?;
                }
            }
        }
        Ok(name)
    }
}

fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = fs::read_dir(folder)?;
    entries
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect()
}

/// The backups among these names that are too many: the oldest.
fn to_delete(names: Vec<String>, keep: usize) -> Vec<String> {
    let (start, end) = NAME;
    let is_backup = |name: &String| {
        let time = name
            .strip_prefix(start)
            .and_then(|name| name.strip_suffix(end));
        time.is_some_and(|time| {
            time.len() == "20261123T204500000Z".len()
                && time
                    .bytes()
                    .all(|b| b.is_ascii_digit() || b == b'T' || b == b'Z')
        })
    };
    let mut made: Vec<_> = names.into_iter().filter(is_backup).collect();
    made.sort_unstable();
    made.truncate(made.len().saturating_sub(keep));
    made
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
