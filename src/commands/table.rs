//! `trestle table`.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use trestle_service::Failure;
use trestle_table::{Table, TableCheck, TableDefinition};

use super::applications::{self, IndexKeys};
use super::chosen::Services;
use super::store::{Store, StoreArgs};
use super::table_options::TableOptionArgs;
use super::template::{Format, template};

/// What to do with the tables.
#[derive(Subcommand, Clone, Debug)]
pub enum TableCommand {
    /// Create missing tables. Existing tables are not changed
    Create {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        options: TableOptionArgs,
    },
    /// Print the tables as infrastructure code
    Template {
        /// The tool that reads it
        #[arg(long, value_enum, default_value_t = Format::Cloudformation)]
        format: Format,
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        options: TableOptionArgs,
    },
    /// Check the key, the indexes and the counters of each table, and the index keys of applications
    Check {
        #[command(flatten)]
        which: Which,
        /// Write the index keys of applications again that contradict their attributes. Servers may run meanwhile
        #[arg(long)]
        fix: bool,
    },
    #[command(flatten)]
    Applications(applications::TableCommand),
}

/// Whose tables, and where.
#[derive(Args, Clone, Debug)]
pub struct Which {
    #[command(flatten)]
    services: Services,

    #[command(flatten)]
    store: StoreArgs,
}

impl Which {
    fn tables(&self, store: &Store) -> Result<Vec<Table>, Failure> {
        let services = self.services.all()?.iter();
        Ok(services.flat_map(|service| store.tables(service)).collect())
    }

    fn definitions(&self) -> Result<Vec<(&str, &'static TableDefinition)>, Failure> {
        let services = self.services.all()?.iter();
        let tables = services.flat_map(|service| service.tables);
        Ok(tables
            .map(|table| (self.store.name_of(table), *table))
            .collect())
    }
}

/// Creates, checks or counts.
pub async fn run(command: TableCommand) -> Result<ExitCode, Failure> {
    match command {
        TableCommand::Create { which, options } => {
            let options = options.options()?;
            let tables = which.tables(&which.store.clone().open().await?)?;
            for table in &tables {
                table.create_with(&options).await?;
            }
            check(&tables).await
        }
        TableCommand::Template {
            format,
            which,
            options,
        } => {
            let tables = which.definitions()?;
            let template = template(format, &tables, &options.options()?);
            super::output::print(&format!("{template:#}"))?;
            Ok(ExitCode::SUCCESS)
        }
        TableCommand::Check { which, fix } => match which.store.clone().find().await? {
            Some(store) => {
                let checked = check(&which.tables(&store)?).await?;
                if checked == ExitCode::SUCCESS {
                    for service in which.services.all()? {
                        let notes = (service.check)(&store.tables(service)).await?;
                        notes.iter().for_each(|note| println!("{note}"));
                        let keys = if fix {
                            IndexKeys::Fix
                        } else {
                            IndexKeys::Report
                        };
                        applications::check_applications(&store, service, keys).await?;
                    }
                }
                Ok(checked)
            }
            None => {
                for (name, _) in which.definitions()? {
                    tell_missing(name);
                }
                Err(which.store.missing())
            }
        },
        TableCommand::Applications(command) => applications::run_on_table(command).await,
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
        all_good &= verdict == TableCheck::Good;
        match verdict {
            TableCheck::Good => println!("{name}: good"),
            TableCheck::Missing => tell_missing(name),
            TableCheck::Differs(differences) => {
                println!("{name}: not what the service needs");
                differences
                    .iter()
                    .for_each(|difference| println!("  {difference}"));
            }
        }
    }
    Ok(if all_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
