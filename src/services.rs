//! The services. To add one, add its folder and its line in [`SERVICES`].

#[cfg(feature = "applications")]
pub use trestle_applications as applications;
#[cfg(feature = "collab-hub")]
pub use trestle_collab_hub as collab_hub;
#[cfg(feature = "graph-runs")]
pub use trestle_graph_runs as graph_runs;
#[cfg(feature = "job-board")]
pub use trestle_job_board as job_board;

#[cfg(feature = "shareables")]
pub use trestle_shareables as shareables;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use trestle_table::TableDefinition;

use trestle_service::{Registered, ServiceCommand, Tool};

/// Every service. `trestle serve` serves the first unless `--service` names others.
pub static SERVICES: &[&Registered] = &[
    #[cfg(feature = "applications")]
    &applications::SERVICE,
    #[cfg(feature = "graph-runs")]
    &graph_runs::SERVICE,
    #[cfg(feature = "job-board")]
    &job_board::SERVICE,
    #[cfg(feature = "collab-hub")]
    &collab_hub::SERVICE,
    #[cfg(feature = "shareables")]
    &shareables::SERVICE,
];

/// The features of the services that this build leaves out: each has the name of its service.
pub const LEFT_OUT: &[&str] = &[
    #[cfg(not(feature = "applications"))]
    "applications",
    #[cfg(not(feature = "graph-runs"))]
    "graph-runs",
    #[cfg(not(feature = "job-board"))]
    "job-board",
    #[cfg(not(feature = "collab-hub"))]
    "collab-hub",
    #[cfg(not(feature = "shareables"))]
    "shareables",
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
    SERVICES.iter().flat_map(|&service| {
        let commands = service.commands.iter();
        commands.map(move |command| (service, command))
    })
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

/// The service that a command is about unless another is named: the first of this build.
pub fn first() -> &'static str {
    SERVICES.first().map_or("", |service| service.name)
}
