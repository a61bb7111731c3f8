//! `trestle table`.

use std::process::ExitCode;

use clap::Subcommand;

use crate::applications::Applications;
use crate::clock::Clock;
use crate::table::{Meter, Table, Verdict};
use crate::viewer::Viewer;

use super::Failure;
use super::store::StoreArgs;

/// What to do with the tables.
#[derive(Subcommand, Clone, Debug)]
pub enum TableCommand {
    /// Create the tables that are missing; those that are there stay as they are
    Create {
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Say whether each table, its key and its indexes are what the services need
    Check {
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Count all applications and correct the counters, while nothing else writes
    ///
    /// Needed where another program has written the table, which keeps fewer counters or none.
    Recount {
        #[command(flatten)]
        store: StoreArgs,
    },
}

/// Creates, checks or counts.
pub async fn run(command: TableCommand) -> Result<ExitCode, Failure> {
    match command {
        TableCommand::Create { store } => {
            let table = store.open().await?.applications();
            table.create().await?;
            check(&table).await
        }
        TableCommand::Check { store } => check(&store.open().await?.applications()).await,
        TableCommand::Recount { store } => recount(store).await,
    }
}

async fn check(table: &Table) -> Result<ExitCode, Failure> {
    let name = table.name();
    Ok(match table.check().await? {
        Verdict::Good => {
            println!("{name}: good");
            ExitCode::SUCCESS
        }
        Verdict::Missing => {
            println!("{name}: missing. `trestle table create` makes it.");
            ExitCode::FAILURE
        }
        Verdict::Differs(differences) => {
            println!("{name}: not what the service needs");
            differences
                .iter()
                .for_each(|difference| println!("  {difference}"));
            ExitCode::FAILURE
        }
    })
}

async fn recount(store: StoreArgs) -> Result<ExitCode, Failure> {
    let store = store.open().await?;
    let table = store.applications();
    store.ensure(&table).await?;
    let meter = Meter::default();
    let applications = Applications::new(table, Viewer::local(), meter, Clock::system());
    let corrected = applications.recount().await?;
    println!("{corrected} counters corrected");
    Ok(ExitCode::SUCCESS)
}
