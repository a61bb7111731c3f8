//! The command line: what each command takes and does. Knows the services by name, and joins them with
//! the store and the server.

mod api_key;
#[cfg_attr(not(feature = "applications"), path = "no_applications.rs")]
mod applications;
mod archive;
mod backups;
mod chosen;
mod demo;
mod embedded;
mod health;
mod iam_policy;
mod misspelt;
mod output;
mod retention;
mod schema;
mod serve;
mod store;
mod table;
mod table_names;
mod table_options;
mod template;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args as _, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::services;
use trestle_server::lambda::is_lambda;
use trestle_service::{Failure, Registered, ServiceCommand, Tool};

use store::StoreArgs;

/// GraphQL APIs from DynamoDB single tables.
#[derive(Parser, Debug)]
#[command(
    name = "trestle",
    version,
    about,
    max_term_width = 100,
    arg_required_else_help = true
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The commands of every Trestle.
#[derive(Subcommand, Debug)]
enum Command {
    /// Serve GraphQL at http://127.0.0.1:8000/graphql
    ///
    /// Uses the embedded store in ./trestle-data, created if missing. Use --aws for DynamoDB. Open the same
    /// address in a browser for a playground.
    Serve(Box<serve::ServeArgs>),
    /// Print the GraphQL schema of a service
    Schema(schema::SchemaArgs),
    /// Create or check the tables of the services
    #[command(subcommand)]
    Table(table::TableCommand),
    /// Back up, restore, check or repair the embedded store
    #[command(subcommand)]
    Store(embedded::StoreCommand),
    #[command(flatten)]
    Applications(applications::Command),
    /// Generate an API key and its line for the key file
    ApiKey(api_key::ApiKeyArgs),
    /// Remove the keys of an owner, or a key by its name, from the key file
    RemoveApiKeys(api_key::RemoveApiKeysArgs),
    /// Print an IAM policy with the least permissions that a server needs
    IamPolicy(iam_policy::IamPolicyArgs),
    /// Check that a server is running, for a container's health check
    Health(health::HealthArgs),
}

/// Reads the command line and the environment, and runs the command. Exits for `--help` and for invalid arguments. The
/// exit code is 0 for success, 1 for a failure, 2 for a file with refused rows.
pub fn run() -> ExitCode {
    let own = services::commands().map(|(_, own)| on_a_store((own.command)()));
    let tools = services::tools().map(|tool| (tool.command)());
    let mut command = Cli::command().subcommands(own).subcommands(tools);
    let matches = command
        .try_get_matches_from_mut(arguments())
        .unwrap_or_else(|error| error.exit());
    if keeps_nothing_in_a_folder(&matches) {
        let message = "--data names a folder and --memory keeps nothing on disk. Give only one of them \
                       (TRESTLE_DATA and TRESTLE_MEMORY count too).";
        command.error(ErrorKind::ArgumentConflict, message).exit();
    }
    let variables = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    if matches.subcommand_name() == Some("serve")
        && let Some(message) = misspelt::found(&command, variables)
    {
        eprintln!("trestle: {message}");
        return ExitCode::FAILURE;
    }
    let mut refuse = |error: clap::Error| -> ! { error.format(&mut command).exit() };
    let ended = if let Some((tool, arguments)) = tool(&matches) {
        (tool.run)(arguments)
    } else if let Some((service, command, arguments)) = of_a_service(&matches) {
        let store = StoreArgs::from_arg_matches(arguments).unwrap_or_else(|error| refuse(error));
        in_runtime(run_of_service(service, command, store, arguments))
    } else {
        let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| refuse(error));
        in_runtime(run_own(cli.command))
    };
    ended.unwrap_or_else(|failure| {
        eprintln!("trestle: {failure}");
        ExitCode::FAILURE
    })
}

/// The arguments of the process. Lambda starts a function's `bootstrap` without any: there the command is `serve`.
fn arguments() -> Vec<OsString> {
    let mut arguments: Vec<_> = std::env::args_os().collect();
    if arguments.len() == 1 && is_lambda() {
        arguments.push("serve".into());
    }
    arguments
}

/// A command with the options that name the store, and its own description rather than theirs.
fn on_a_store(command: clap::Command) -> clap::Command {
    let (about, long) = (
        command.get_about().cloned(),
        command.get_long_about().cloned(),
    );
    let mut command = StoreArgs::augment_args(command);
    if let Some(about) = about {
        command = command
            .about(about.clone())
            .long_about(long.unwrap_or(about));
    }
    command
}

/// The service's command that is named, if one is.
fn of_a_service(
    matches: &ArgMatches,
) -> Option<(&'static Registered, &'static ServiceCommand, &ArgMatches)> {
    let (name, arguments) = matches.subcommand()?;
    let (service, command) =
        services::commands().find(|(_, own)| (own.command)().get_name() == name)?;
    Some((service, command, arguments))
}

/// The command without a store that is named, if one is.
fn tool(matches: &ArgMatches) -> Option<(&'static Tool, &ArgMatches)> {
    let (name, arguments) = matches.subcommand()?;
    let tool = services::tools().find(|tool| (tool.command)().get_name() == name)?;
    Some((tool, arguments))
}

/// Whether a folder is named for a store in memory. A folder that the environment names for every command
/// gives way to a `--memory` on the command line.
fn keeps_nothing_in_a_folder(matches: &ArgMatches) -> bool {
    if let Some((_, matches)) = matches.subcommand() {
        return keeps_nothing_in_a_folder(matches);
    }
    if !matches!(matches.try_get_one("memory"), Ok(Some(true))) {
        return false;
    }
    match matches.value_source("data") {
        Some(ValueSource::CommandLine) => true,
        Some(ValueSource::EnvVariable) => {
            matches.value_source("memory") == Some(ValueSource::EnvVariable)
        }
        _ => false,
    }
}

fn in_runtime<T>(command: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.enable_all().build()?;
    let entered = runtime.enter();
    trestle_server::stop_between(|stop| trestle_dynamodb::between_writes(stop))?;
    drop(entered);
    let ended = runtime.block_on(command);
    // Calls to the embedded store that nobody waits for any more may still be queued: each is a transaction of its own.
    runtime.shutdown_background();
    ended
}

async fn run_of_service(
    service: &Registered,
    command: &ServiceCommand,
    store: StoreArgs,
    arguments: &ArgMatches,
) -> Result<ExitCode, Failure> {
    let store = store.open().await?;
    let context = store.service_context(service, arguments).await?;
    (command.run)(&context).await
}

async fn run_own(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Serve(args) => serve::run(*args).await,
        Command::Schema(args) => schema::run(&args),
        Command::Table(command) => Box::pin(table::run(command)).await,
        Command::Store(command) => embedded::run(command).await,
        Command::Applications(command) => applications::run(command).await,
        Command::ApiKey(args) => api_key::run(&args),
        Command::RemoveApiKeys(args) => api_key::remove(&args),
        Command::IamPolicy(args) => iam_policy::run(&args),
        Command::Health(args) => health::run(&args).await,
    }
}
