//! `trestle table`.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::table::{Table, Verdict};
use crate::{applications, graph_runs};

use super::Failure;
use super::store::{Store, StoreArgs};

/// What to do with the tables.
#[derive(Subcommand, Clone, Debug)]
pub enum TableCommand {
    /// Create the tables that are missing; those that are there stay as they are
    Create(Which),
    /// Say whether each table, its key and its indexes are what the services need
    Check(Which),
}

/// Whose tables, and where.
#[derive(Args, Clone, Debug)]
pub struct Which {
    /// The services, separated by commas
    #[arg(
        long = "service",
        env = "TRESTLE_SERVICE",
        value_delimiter = ',',
        value_name = "NAME",
        default_value = applications::NAME,
        value_parser = [applications::NAME, graph_runs::NAME]
    )]
    services: Vec<String>,

    #[command(flatten)]
    store: StoreArgs,
}

/// Creates or checks. A failure where one of the tables is not good in the end.
pub async fn run(command: TableCommand) -> Result<ExitCode, Failure> {
    let (TableCommand::Create(which) | TableCommand::Check(which)) = command.clone();
    let store = which.store.open().await?;
    let mut all_good = true;
    for service in &which.services {
        let table = table_of(&store, service);
        if let TableCommand::Create(_) = command {
            table.create().await?;
        }
        let verdict = table.check().await?;
        all_good &= verdict == Verdict::Good;
        print(table.name(), &verdict);
    }
    Ok(match all_good {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

fn table_of(store: &Store, service: &str) -> Table {
    match service {
        graph_runs::NAME => store.graph_runs(),
        _ => store.applications(),
    }
}

fn print(name: &str, verdict: &Verdict) {
    match verdict {
        Verdict::Good => println!("{name}: good"),
        Verdict::Missing => println!("{name}: missing. `trestle table create` makes it."),
        Verdict::Differs(differences) => {
            println!("{name}: not what the service needs");
            differences
                .iter()
                .for_each(|difference| println!("  {difference}"));
        }
    }
}
