//! The commands for the applications of a store: `import`, `export`, and those of `table` that count and correct.

mod check;
mod export;
mod import;
mod leftovers;
mod store;
mod whose;

use std::process::ExitCode;

use clap::Subcommand;

use trestle_api::viewer::Owner;
use trestle_applications::{ApplicationId, Applications, unmark};
use trestle_service::Failure;
use trestle_table::Meter;
use trestle_table::clock::Clock;

use super::store::StoreArgs;
pub use check::{IndexKeys, check_applications};
use store::table_of;
use whose::{Whose, WhoseArgs};

/// The commands of `trestle`.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Import applications from a CSV, JSON or NDJSON file
    Import(import::ImportArgs),
    /// Write all applications to a file, or to the standard output
    Export(export::ExportArgs),
    /// Revoke what gives access without credentials: the secret address of a calendar. Servers may run meanwhile
    ///
    /// For someone who leaves, after their API key was removed from the key file, or their account at the identity provider was
    /// disabled.
    RevokeAccess {
        #[command(flatten)]
        whose: WhoseArgs,
        #[command(flatten)]
        store: StoreArgs,
    },
}

/// The commands of `trestle table`.
#[derive(Subcommand, Clone, Debug)]
pub enum TableCommand {
    /// Count all applications and correct the counters. Servers may run meanwhile
    ///
    /// Needed after another program has written the table without updating the counters. Corrects the
    /// applications by status and by week. The time spent in each status cannot be counted again and stays
    /// as it is.
    Recount {
        #[command(flatten)]
        whose: WhoseArgs,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Undo the mark that the table has a part for each owner. Refused if an owner has applications
    ///
    /// `serve --tenancy owner` marks a table that it finds empty. A table whose applications have no index keys,
    /// because another program wrote them, is found empty too.
    Unmark {
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Delete what is stored under ids without an application, such as what another program left of an application
    ///
    /// `table check` and `import` name such ids and items. What is deleted is printed. An application is never deleted.
    DeleteLeftovers {
        /// Ids of applications, as `table check` and `import` print them
        #[arg(required = true, value_name = "ID", value_parser = leftovers::id)]
        ids: Vec<ApplicationId>,
        #[command(flatten)]
        whose: WhoseArgs,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Correct applications that were updated more than a day in the future. Servers may run meanwhile
    ///
    /// A wrong clock can write such a time, and the application then stays first in every list by update. Sets the
    /// time to now, with an entry in the history.
    MendTimes {
        #[command(flatten)]
        whose: WhoseArgs,
        #[command(flatten)]
        store: StoreArgs,
    },
}

/// Imports, exports or revokes.
pub async fn run(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Import(args) => import::run(args).await,
        Command::Export(args) => export::run(args).await,
        Command::RevokeAccess { whose, store } => {
            for part in parts(&Whose::from(&whose), store).await? {
                let owner = part.scope().owner().map(Owner::as_str);
                let of =
                    owner.map_or_else(|| "the table".to_owned(), |owner| format!("\"{owner}\""));
                match part.revoke_access().await? {
                    Some(created) => println!("{of}: the calendar address of {created} is revoked"),
                    None => println!("{of}: there is no calendar address"),
                }
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Counts or corrects.
pub async fn run_on_table(command: TableCommand) -> Result<ExitCode, Failure> {
    match command {
        TableCommand::Recount { whose, store } => {
            let mut corrected = 0;
            for part in parts(&Whose::from(&whose), store).await? {
                corrected += part.recount().await?;
            }
            println!("{corrected} counters corrected");
        }
        TableCommand::Unmark { store } => {
            let store = store.open_there().await?;
            let table = table_of(&store);
            store.require(&table).await?;
            if unmark(&table).await? {
                println!("{}: the mark is removed", table.name())
            } else {
                println!("{}: there is no mark", table.name())
            }
        }
        TableCommand::DeleteLeftovers { ids, whose, store } => {
            let store = store.open_there().await?;
            leftovers::delete_leftovers(&store, &Whose::from(&whose), &ids).await?;
        }
        TableCommand::MendTimes { whose, store } => {
            let mut corrected = 0;
            for part in parts(&Whose::from(&whose), store).await? {
                corrected += part.correct_times().await?;
            }
            println!("{corrected} applications corrected");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The applications of each owner.
async fn parts(whose: &Whose, store: StoreArgs) -> Result<Vec<Applications>, Failure> {
    let store = store.open_there().await?;
    let table = table_of(&store);
    store.require(&table).await?;
    let meter = Meter::default();
    whose.confirm(&table).await?;
    let scopes = whose.scopes(&table, &meter).await?.into_iter();
    Ok(scopes
        .map(|scope| Applications::new(table.clone(), scope, meter.clone(), Clock::system()))
        .collect())
}
