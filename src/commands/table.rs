//! `trestle table`.

use std::process::ExitCode;

use clap::{Args, Subcommand};

#[cfg(feature = "applications")]
use trestle_applications::{self as applications, Applications, Scope};
use trestle_service::Failure;
#[cfg(feature = "applications")]
use trestle_table::Meter;
#[cfg(feature = "applications")]
use trestle_table::clock::Clock;
use trestle_table::{Table, TableCheck, TableDefinition};

use super::chosen::Services;
use super::store::{Store, StoreArgs};
use super::table_options::TableOptionArgs;
use super::template::{Format, template};
#[cfg(feature = "applications")]
use super::whose::{Whose, WhoseArgs};

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
    /// Check the key, the indexes and the counters of each table
    Check(Which),
    #[cfg(feature = "applications")]
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
    #[cfg(feature = "applications")]
    /// Undo the mark that the table has a part for each owner. Refused if an owner has applications
    ///
    /// `serve --tenancy owner` marks a table that it finds empty. A table whose applications have no index keys,
    /// because another program wrote them, is found empty too.
    Unmark {
        #[command(flatten)]
        store: StoreArgs,
    },
    #[cfg(feature = "applications")]
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
        TableCommand::Check(which) => match which.store.clone().find().await? {
            Some(store) => {
                let checked = check(&which.tables(&store)?).await?;
                #[cfg(feature = "applications")]
                if checked == ExitCode::SUCCESS && which.services.has_applications() {
                    check_counters(&store.applications()).await?;
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
        #[cfg(feature = "applications")]
        TableCommand::Recount { whose, store } => {
            let mut corrected = 0;
            for part in parts(&Whose::from(&whose), store).await? {
                corrected += part.recount().await?;
            }
            println!("{corrected} counters corrected");
            Ok(ExitCode::SUCCESS)
        }
        #[cfg(feature = "applications")]
        TableCommand::Unmark { store } => {
            let store = store.open_there().await?;
            let table = store.applications();
            store.require(&table).await?;
            match applications::unmark(&table).await? {
                true => println!("{}: the mark is removed", table.name()),
                false => println!("{}: there is no mark", table.name()),
            }
            Ok(ExitCode::SUCCESS)
        }
        #[cfg(feature = "applications")]
        TableCommand::MendTimes { whose, store } => {
            let mut corrected = 0;
            for part in parts(&Whose::from(&whose), store).await? {
                corrected += part.correct_times().await?;
            }
            println!("{corrected} applications corrected");
            Ok(ExitCode::SUCCESS)
        }
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
    Ok(match all_good {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

#[cfg(feature = "applications")]
/// Reports counters that do not count every application. The table can be used nevertheless.
async fn check_counters(table: &Table) -> Result<(), Failure> {
    let name = table.name();
    if !applications::has_owners(table).await? {
        if !applications::counters_are_known(table, Scope::Single).await? {
            println!(
                "{name}: the counters are incomplete, so totals are unknown. Run `trestle table recount`."
            );
        }
        return Ok(());
    }
    for owner in applications::owners(table, &Meter::default()).await? {
        if !applications::counters_are_known(table, Scope::Of(owner.clone())).await? {
            println!(
                "{name}: the counters of the owner \"{owner}\" are incomplete, so totals are unknown. Run \
                 `trestle table recount --owner NAME`."
            );
        }
    }
    Ok(())
}

#[cfg(feature = "applications")]
/// The applications of each owner.
async fn parts(whose: &Whose, store: StoreArgs) -> Result<Vec<Applications>, Failure> {
    let store = store.open_there().await?;
    let table = store.applications();
    store.require(&table).await?;
    let meter = Meter::default();
    whose.confirm(&table).await?;
    let scopes = whose.scopes(&table, &meter).await?.into_iter();
    let part = |scope| Applications::new(table.clone(), scope, meter.clone(), Clock::system());
    Ok(scopes.map(part).collect())
}
