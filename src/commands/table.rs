//! `trestle table`.

use std::process::ExitCode;

use clap::Subcommand;

use crate::table::Verdict;

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
}

/// Creates or checks.
pub async fn run(command: TableCommand) -> Result<ExitCode, Failure> {
    let (TableCommand::Create { store } | TableCommand::Check { store }) = command.clone();
    let table = store.open().await?.applications();
    if let TableCommand::Create { .. } = command {
        table.create().await?;
    }
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
