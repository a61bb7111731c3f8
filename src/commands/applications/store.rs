//! What the commands of applications ask of a store beside the others.

use std::path::Path;

use trestle_applications::TABLE;
use trestle_dynamodb::Embedded;
use trestle_service::Failure;
use trestle_table::{Table, TableCheck};

use crate::commands::store::{Store, StoreArgs};

/// The table of applications.
pub fn table_of(store: &Store) -> Table {
    store.table(&TABLE)
}

/// Opens the store for a command that only tries: where there is no embedded one, or the table of applications is not in
/// it, an empty one in memory stands for what would be made.
///
/// # Errors
/// As of [`StoreArgs::open`].
pub async fn open_to_try(args: StoreArgs) -> Result<Store, Failure> {
    let what = match args.clone().find().await? {
        None => format!("store in {}", args.data.display()),
        Some(store) => {
            let table = table_of(&store);
            if store.embedded.is_none() || table.check().await? != TableCheck::Missing {
                return Ok(store);
            }
            format!("table {}", table.name())
        }
    };
    if !args.memory {
        eprintln!("There is no {what} yet; an import makes it.");
    }
    let mut in_memory = args;
    (in_memory.memory, in_memory.aws) = (true, false);
    in_memory.open().await
}

/// Whether a path leads to a file of the embedded store.
pub fn is_of_the_store(store: &Store, path: &Path) -> bool {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.canonicalize(),
        _ => Path::new(".").canonicalize(),
    };
    let own = store.folder().map(Path::canonicalize);
    match (own, folder) {
        (Some(Ok(own)), Ok(folder)) => own == folder && Embedded::is_own(&path),
        _ => false,
    }
}
