//! `trestle store`: what is done to the embedded store as a whole.

use std::collections::BTreeSet;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use chrono::Utc;
use clap::Subcommand;

use trestle_dynamodb::{Damage, Embedded, OpenError, RepairError};
use trestle_service::Failure;

use super::archive::{self, Source, Sources};
use super::store::{Store, StoreArgs};

/// What to do with the embedded store.
#[derive(Subcommand, Clone, Debug)]
pub enum StoreCommand {
    /// Copy the embedded store and the files of services to an archive, while servers use them
    ///
    /// The archive holds what was stored at one moment: a tar file with a manifest that lists all files with their
    /// digests. It is read again, and the store is checked as by `trestle store check`. The exit code is 2 if the store is
    /// damaged; the archive is there nevertheless.
    Backup {
        /// The file to write, like backup.tar. It must not exist
        #[arg(required_unless_present = "to", conflicts_with = "to")]
        file: Option<PathBuf>,
        /// Write the archive to the standard output, and what is reported to the standard error
        #[arg(long, value_name = "-", value_parser = [STANDARD])]
        to: Option<String>,
        /// Folder of the services' files, if it is not the folder artifacts beside the store
        #[arg(long, env = "TRESTLE_ARTIFACTS", value_name = "PLACE")]
        artifacts: Option<String>,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Check a backup and unpack it into an empty folder, which --data names
    ///
    /// The folder is whole or not there, even if the command is killed. The exit code is 2 if the store in the backup
    /// is damaged.
    Restore {
        /// The archive that `trestle store backup` or a server wrote
        #[arg(required_unless_present = "from", conflicts_with = "from")]
        file: Option<PathBuf>,
        /// Read the archive from the standard input
        #[arg(long, value_name = "-", value_parser = [STANDARD])]
        from: Option<String>,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Read every row of the embedded store, and report what is damaged and which files of services are missing
    ///
    /// The exit code is 2 if something is.
    Check {
        /// Folder of the services' files, if it is not the folder artifacts beside the store
        #[arg(long, env = "TRESTLE_ARTIFACTS", value_name = "PLACE")]
        artifacts: Option<String>,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Repair the embedded store. Stop all servers before
    ///
    /// Builds damaged and missing indexes again from the items, and restores items that are unreadable, or that differ from
    /// two copies in indexes that agree. Other unreadable items are listed and left as they are. The changes are made in one transaction, after a copy
    /// of the store was written to the same folder. The exit code is 2 if something stays damaged.
    Repair {
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Go on with an embedded store from which the last writes are missing
    ///
    /// A store whose log (trestle.sqlite-wal) was removed or altered opens as it was before, so no other command opens
    /// it. The files as they were are kept in copies beside them. A log of another moment is not written into the store.
    /// The exit code is 2 if something in the store is damaged.
    AcceptLoss {
        #[command(flatten)]
        store: StoreArgs,
    },
}

/// The standard streams, in the place of a file.
const STANDARD: &str = "-";

fn is_standard(file: &Path) -> bool {
    file.as_os_str() == STANDARD
}

/// Does it.
pub async fn run(command: StoreCommand) -> Result<ExitCode, Failure> {
    match command {
        StoreCommand::Backup {
            file,
            to: _,
            artifacts,
            store,
        } => match file.filter(|file| !is_standard(file)) {
            Some(file) => backup(&file, artifacts.as_deref(), store).await,
            None => stream(artifacts.as_deref(), store).await,
        },
        StoreCommand::Restore {
            file,
            from: _,
            store,
        } => {
            let file = file.filter(|file| !is_standard(file));
            restore(&file.as_deref().map_or(Source::Input, Source::File), &store)
        }
        StoreCommand::Check { artifacts, store } => check(artifacts.as_deref(), &store),
        StoreCommand::Repair { store } => repair(&store),
        StoreCommand::AcceptLoss { store } => accept_loss(&store),
    }
}

fn on_disk(store: &Store) -> Result<&Embedded, Failure> {
    store.on_disk().ok_or_else(StoreArgs::not_on_disk)
}

/// Where the files of services are, as `--artifacts` says.
pub enum Artifacts {
    /// In the data folder.
    Beside,
    /// In another folder.
    Folder(PathBuf),
    /// In a bucket of S3, which has backups of its own.
    Bucket(String),
}

impl Artifacts {
    pub fn of(place: Option<&str>) -> Self {
        match place {
            None => Artifacts::Beside,
            Some(place) if place.starts_with("s3://") => Artifacts::Bucket(place.to_owned()),
            Some(place) => Artifacts::Folder(place.into()),
        }
    }

    /// The folder to archive beside the data folder.
    pub fn apart(&self) -> Option<&Path> {
        match self {
            Artifacts::Folder(folder) => Some(folder),
            Artifacts::Beside | Artifacts::Bucket(_) => None,
        }
    }
}

async fn backup(
    file: &Path,
    artifacts: Option<&str>,
    args: StoreArgs,
) -> Result<ExitCode, Failure> {
    let store = args.clone().open_there().await?;
    let embedded = on_disk(&store)?;
    if !file.exists() && file.extension().is_some_and(|ending| ending == "sqlite") {
        return Err(Failure::new(
            "A backup is a tar archive with the store and the files of services. Name it like backup.tar.",
        ));
    }
    let place = Artifacts::of(artifacts);
    let sources = Sources {
        data: store.folder().ok_or_else(StoreArgs::not_on_disk)?,
        artifacts: place.apart(),
    };
    let manifest = archive::write(embedded, &sources, file, Utc::now()).await?;
    println!(
        "Wrote {}: the store and {} other files.",
        file.display(),
        manifest.files.len().saturating_sub(1)
    );
    if let Artifacts::Bucket(place) = place {
        println!("The files in {place} are not in it.");
    }
    // What is copied shows less: SQLite builds the indexes of its tables anew.
    drop(store);
    let damage = archive::examine(file, &args.expected_indexes())?;
    let checked = check(artifacts, &args)?;
    if checked != ExitCode::SUCCESS || !damage.is_empty() {
        println!("The backup is of a damaged store. Keep the earlier ones.");
        return Ok(ExitCode::from(2));
    }
    Ok(checked)
}

/// Writes a backup to the standard output. What is reported goes to the standard error.
async fn stream(artifacts: Option<&str>, args: StoreArgs) -> Result<ExitCode, Failure> {
    if std::io::stdout().is_terminal() {
        return Err(Failure::new(
            "The archive is not text: redirect it into a file, or pipe it to another program.",
        ));
    }
    let store = args.clone().open_there().await?;
    let embedded = on_disk(&store)?;
    let place = Artifacts::of(artifacts);
    let sources = Sources {
        data: store.folder().ok_or_else(StoreArgs::not_on_disk)?,
        artifacts: place.apart(),
    };
    let expected = args.expected_indexes();
    let (manifest, damage) = archive::stream(embedded, &sources, &expected, Utc::now()).await?;
    eprintln!(
        "Wrote the store and {} other files.",
        manifest.files.len().saturating_sub(1)
    );
    if let Artifacts::Bucket(place) = place {
        eprintln!("The files in {place} are not in it.");
    }
    if damage.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!(
        "The backup is of a damaged store: run `trestle store check`. Keep the earlier ones."
    );
    Ok(ExitCode::from(2))
}

fn restore(file: &Source<'_>, store: &StoreArgs) -> Result<ExitCode, Failure> {
    let folder = store.disk_folder()?;
    let manifest = archive::restore(file, folder)?;
    println!(
        "Restored the store of {} and {} other files into {}.",
        manifest.created_at,
        manifest.files.len().saturating_sub(1),
        folder.display()
    );
    check(None, store)
}

fn check(artifacts: Option<&str>, store: &StoreArgs) -> Result<ExitCode, Failure> {
    let folder = store.folder_there()?;
    let found = Embedded::check(folder, &store.expected_indexes()).map_err(advised)?;
    let missing = match Artifacts::of(artifacts) {
        Artifacts::Bucket(place) => {
            println!("The files in {place} are not checked.");
            BTreeSet::new()
        }
        _ if found.iter().any(Damage::is_structure) => BTreeSet::new(),
        Artifacts::Folder(files) => missing_files(store, folder, &files)?,
        Artifacts::Beside => missing_files(store, folder, &folder.join(archive::ARTIFACTS))?,
    };
    for (item, key) in &missing {
        println!("{item}: the file {key} is missing.");
    }
    if found.is_empty() && missing.is_empty() {
        println!("Nothing is damaged.");
        return Ok(ExitCode::SUCCESS);
    }
    report(&found);
    Ok(ExitCode::from(2))
}

/// The items that refer to objects that are not there, with the keys of the objects.
fn missing_files(
    store: &StoreArgs,
    folder: &Path,
    artifacts: &Path,
) -> Result<BTreeSet<(String, String)>, Failure> {
    let files = artifacts.join("files");
    let mut missing = BTreeSet::new();
    for service in crate::services::SERVICES {
        for table in service.tables {
            let table = store.name_of(table);
            let mut look = |item: &str, text: &str| {
                if (service.is_object_key)(text) && !files.join(text).is_file() {
                    missing.insert((format!("{table}: {item}"), text.to_owned()));
                }
            };
            Embedded::texts(folder, table, &mut look).map_err(advised)?;
        }
    }
    Ok(missing)
}

fn repair(store: &StoreArgs) -> Result<ExitCode, Failure> {
    let folder = store.folder_there()?;
    let now = Utc::now().format("%Y%m%dT%H%M%S%3fZ");
    let copy = format!("{}.before-repair-{now}", archive::STORE);
    let repaired = Embedded::repair(folder, &store.expected_indexes(), &copy);
    let repaired = repaired.map_err(|error| match error {
        RepairError::Open(OpenError::Busy { file }) => Failure::new(format!(
            "Another process uses the store {file}. Stop it before a repair."
        )),
        RepairError::Open(error) => advised(error),
        RepairError::Copy(_) => Failure::new(format!("Nothing was changed: {error}.")),
    })?;
    if let Some(copy) = &repaired.copy {
        println!("The store as it was is kept in {}.", copy.display());
    }
    for (table, key) in &repaired.items {
        println!("{table}: restored the item {key} from an index.");
    }
    for (table, index) in &repaired.indexes {
        println!("{table}: built the index {index} again.");
    }
    for (table, key) in &repaired.undecided {
        println!(
            "{table}: the item {key} and its copy in an index differ, and nothing says which of them is right. Both are \
             left as they are: restore a backup, or change the item, which writes its copies again."
        );
    }
    if repaired.left.is_empty() {
        println!("Nothing is damaged.");
        return Ok(ExitCode::SUCCESS);
    }
    report(&repaired.left);
    Ok(ExitCode::from(2))
}

fn accept_loss(store: &StoreArgs) -> Result<ExitCode, Failure> {
    let folder = store.folder_there()?;
    let now = Utc::now().format("%Y%m%dT%H%M%S%3fZ");
    let ending = format!(".before-accept-{now}");
    let accepted = Embedded::accept_loss(folder, &store.expected_indexes(), &ending);
    let Some(accepted) = accepted.map_err(advised)? else {
        println!("No writes are missing. Nothing was changed.");
        return Ok(ExitCode::SUCCESS);
    };
    match accepted.given_up {
        Some(writes) => println!("Gave up {writes} writes."),
        None => println!("It is not known how many writes are given up."),
    }
    for copy in &accepted.copies {
        println!("A file as it was is kept in {}.", copy.display());
    }
    println!("The store opens again, with what is there. All of it was read.");
    if accepted.damage.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    report(&accepted.damage);
    Ok(ExitCode::from(2))
}

fn advised(error: OpenError) -> Failure {
    let advice = error.advice();
    Failure::new(format!("{error}. {advice}."))
}

/// Reports what is damaged.
fn report(found: &[Damage]) {
    for damage in found {
        println!("{damage}.");
    }
    if found.iter().any(Damage::is_mendable) {
        println!("`trestle store repair` builds the indexes again.");
    }
    if !found.iter().all(Damage::is_mendable) {
        println!(
            "Restore a backup, or go on without: `trestle store repair` restores only items that an index has a copy of."
        );
    }
}
