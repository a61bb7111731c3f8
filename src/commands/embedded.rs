//! `trestle store`: what is done to the embedded store as a whole.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;

use crate::dynamodb::{Damage, Embedded};
use crate::services::registered::Failure;

use super::store::{Store, StoreArgs};

/// What to do with the embedded store.
#[derive(Subcommand, Clone, Debug)]
pub enum StoreCommand {
    /// Copy the embedded store to a new file, while servers use it
    ///
    /// The copy holds what was stored at one moment. To restore it, put it into an empty folder as trestle.sqlite and
    /// name the folder with --data.
    Backup {
        /// The file to write. It must not exist
        file: PathBuf,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Read every row of the embedded store, and report what is damaged
    ///
    /// The exit code is 2 if something is.
    Check {
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Build damaged indexes of the embedded store anew from the items. Stop all servers before
    ///
    /// The exit code is 2 if something stays damaged.
    Repair {
        #[command(flatten)]
        store: StoreArgs,
    },
}

/// Does it.
pub async fn run(command: StoreCommand) -> Result<ExitCode, Failure> {
    match command {
        StoreCommand::Backup { file, store } => {
            let store = store.open_there().await?;
            let made = on_disk(&store)?.backup(file.clone()).await;
            made.map_err(|error| Failure::new(format!("{error}. No backup was made.")))?;
            println!("Wrote {}.", file.display());
            Ok(ExitCode::SUCCESS)
        }
        StoreCommand::Check { store } => {
            let store = store.open_there().await?;
            let found = checked(&store)?;
            Ok(report(&found))
        }
        StoreCommand::Repair { store } => {
            let store = store.open_there().await?;
            for damage in checked(&store)? {
                let Damage::Index { table, index, .. } = &damage else {
                    continue;
                };
                let rebuilt = on_disk(&store)?.rebuild(table, index);
                rebuilt.map_err(|why| {
                    Failure::new(format!(
                        "The index {index} of {table} cannot be built: {why}."
                    ))
                })?;
                println!("{table}: built the index {index} anew.");
            }
            Ok(report(&checked(&store)?))
        }
    }
}

fn on_disk(store: &Store) -> Result<&Embedded, Failure> {
    store.on_disk().ok_or_else(|| {
        Failure::new(
            "This command is for an embedded store on disk. DynamoDB has backups and point-in-time recovery of its own.",
        )
    })
}

fn checked(store: &Store) -> Result<Vec<Damage>, Failure> {
    on_disk(store)?;
    let folder = store
        .folder()
        .ok_or_else(|| Failure::new("There is no folder."))?;
    Ok(Embedded::check(folder)?)
}

fn report(found: &[Damage]) -> ExitCode {
    if found.is_empty() {
        println!("Nothing is damaged.");
        return ExitCode::SUCCESS;
    }
    for damage in found {
        println!("{damage}.");
    }
    match found.iter().all(Damage::is_mendable) {
        true => println!("`trestle store repair` builds the indexes anew."),
        false => println!("Restore a backup: items cannot be built anew."),
    }
    ExitCode::from(2)
}
