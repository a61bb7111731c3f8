//! `trestle table`.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::applications::{self, Applications};
use crate::clock::Clock;
use crate::graph_runs;
use crate::table::{Meter, Table, Verdict};
use crate::viewer::Viewer;

use super::Failure;
use super::store::{Store, StoreArgs};

/// What to do with the tables.
#[derive(Subcommand, Clone, Debug)]
pub enum TableCommand {
    /// Create the tables that are missing; those that are there stay as they are
    Create(Which),
    /// Say whether each table, its key and its indexes are what the services need
    Check(Which),
    /// Count all applications and correct the counters, while nothing else writes
    ///
    /// Needed where another program has written the table, which keeps fewer counters or none. The counters
    /// of statuses and of weeks are corrected; those of stays in a status tell of what is past, and are left.
    Recount {
        #[command(flatten)]
        store: StoreArgs,
    },
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

impl Which {
    fn tables(&self, store: &Store) -> Vec<Table> {
        let table = |service: &String| match service.as_str() {
            graph_runs::NAME => store.graph_runs(),
            _ => store.applications(),
        };
        self.services.iter().map(table).collect()
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        let name = |service: &String| match service.as_str() {
            graph_runs::NAME => self.store.graph_runs_table(),
            _ => self.store.applications_table(),
        };
        self.services.iter().map(name)
    }
}

/// Creates, checks or counts.
pub async fn run(command: TableCommand) -> Result<ExitCode, Failure> {
    match command {
        TableCommand::Create(which) => {
            let tables = which.tables(&which.store.clone().open().await?);
            for table in &tables {
                table.create().await?;
            }
            check(&tables).await
        }
        TableCommand::Check(which) => match which.store.clone().find().await? {
            Some(store) => check(&which.tables(&store)).await,
            None => {
                which.names().for_each(tell_missing);
                Err(which.store.missing())
            }
        },
        TableCommand::Recount { store } => recount(store).await,
    }
}

fn tell_missing(name: &str) {
    println!("{name}: missing. `trestle table create` makes it.");
}

/// A failure where one of the tables is not good.
async fn check(tables: &[Table]) -> Result<ExitCode, Failure> {
    let mut all_good = true;
    for table in tables {
        let (name, verdict) = (table.name(), table.check().await?);
        all_good &= verdict == Verdict::Good;
        match verdict {
            Verdict::Good => println!("{name}: good"),
            Verdict::Missing => tell_missing(name),
            Verdict::Differs(differences) => {
                println!("{name}: not what the service needs");
                differences
                    .iter()
                    .for_each(|difference| println!("  {difference}"));
            }
        }
    }
    Ok(match all_good {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

async fn recount(store: StoreArgs) -> Result<ExitCode, Failure> {
    let store = store.open_there().await?;
    let table = store.applications();
    store.require(&table).await?;
    let meter = Meter::default();
    let applications = Applications::new(table, Viewer::local(), meter, Clock::system());
    let corrected = applications.recount().await?;
    println!("{corrected} counters corrected");
    Ok(ExitCode::SUCCESS)
}
