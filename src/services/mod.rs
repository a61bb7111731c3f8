//! The services. To add one, add its folder and its line in [`SERVICES`].

pub mod applications;
pub mod collab_hub;
pub mod graph_runs;
pub mod job_board;
pub mod registered;
pub mod shareables;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::table::TableDefinition;

use registered::{Registered, ServiceCommand, Tool};

/// Every service. `trestle serve` serves the first unless `--service` names others.
pub static SERVICES: &[&Registered] = &[
    &applications::SERVICE,
    &graph_runs::SERVICE,
    &job_board::SERVICE,
    &collab_hub::SERVICE,
    &shareables::SERVICE,
];

/// The service with this name.
pub fn named(name: &str) -> Option<&'static Registered> {
    let mut services = SERVICES.iter();
    services.find(|service| service.name == name).copied()
}

/// The services' names.
pub fn names() -> impl Iterator<Item = &'static str> {
    SERVICES.iter().map(|service| service.name)
}

/// Every command of the services, with the service that adds it.
pub fn commands() -> impl Iterator<Item = (&'static Registered, &'static ServiceCommand)> {
    let of = |service: &&'static Registered| {
        let service = *service;
        service
            .commands
            .iter()
            .map(move |command| (service, command))
    };
    SERVICES.iter().flat_map(of)
}

/// Every command of the services that needs no store.
pub fn tools() -> impl Iterator<Item = &'static Tool> {
    SERVICES.iter().flat_map(|service| service.tools)
}

/// The option that names a table.
pub fn option_of(definition: &TableDefinition) -> String {
    let first = SERVICES.iter().find(|service| {
        let table = service.tables.first();
        table.is_some_and(|table| table.default_name == definition.default_name)
    });
    let stem = first.map_or(definition.default_name, |service| service.name);
    format!("{stem}-table")
}

/// The options that the services add to `trestle serve`.
#[derive(Clone, Debug)]
pub struct ServiceArgs(pub ArgMatches);

impl FromArgMatches for ServiceArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(matches.clone()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0 = matches.clone();
        Ok(())
    }
}

impl Args for ServiceArgs {
    fn augment_args(command: Command) -> Command {
        let services = SERVICES.iter();
        services.fold(command, |command, service| (service.arguments)(command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
