//! The options that name the services' tables on the command line.

use std::collections::HashMap;
use std::sync::LazyLock;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use crate::services::SERVICES;
use trestle_service::flags::table_name;
use trestle_table::TableDefinition;

/// What this deployment calls the services' tables, by their options.
#[derive(Clone, Debug)]
pub struct TableNames(HashMap<String, String>);

/// The options that name tables, as clap needs them: for as long as the process runs.
static OPTIONS: LazyLock<Vec<(&'static str, &'static str, &'static TableDefinition)>> =
    LazyLock::new(|| {
        let tables = SERVICES.iter().flat_map(|service| service.tables);
        let options = tables.map(|table| {
            let option = crate::services::option_of(table);
            let variable = option.to_uppercase().replace('-', "_");
            let (option, variable) = (option.leak(), format!("TRESTLE_{variable}").leak());
            (&*option, &*variable, *table)
        });
        options.collect()
    });

impl Args for TableNames {
    fn augment_args(command: Command) -> Command {
        command.args(OPTIONS.iter().map(|(option, variable, table)| {
            Arg::new(*option)
                .long(*option)
                .env(*variable)
                .value_name("NAME")
                .default_value(table.default_name)
                .value_parser(table_name)
                .help(format!(
                    "Table that this deployment uses for {}",
                    table.default_name
                ))
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for TableNames {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let names = OPTIONS.iter().filter_map(|(option, ..)| {
            let name = matches.get_one::<String>(option)?;
            Some(((*option).to_owned(), name.clone()))
        });
        Ok(Self(names.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl TableNames {
    /// What this deployment calls a table.
    pub fn name_of(&self, definition: &'static TableDefinition) -> &str {
        let name = self.0.get(&crate::services::option_of(definition));
        name.map_or(definition.default_name, String::as_str)
    }
}
