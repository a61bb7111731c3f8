//! The command line: what each command takes and does. Knows the services by name, and joins them with
//! the store and the server.

mod api_key;
mod export;
mod graph_runs;
mod health;
mod import;
mod schema;
mod serve;
mod store;
mod table;

use std::fmt;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

/// GraphQL APIs from DynamoDB single tables.
#[derive(Parser, Debug)]
#[command(
    name = "trestle",
    version,
    about,
    max_term_width = 100,
    arg_required_else_help = true
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Serve GraphQL at http://127.0.0.1:8000/graphql
    ///
    /// Opens or creates the embedded store in ./trestle-data, unless told to use DynamoDB. A browser finds
    /// a playground at the same address.
    Serve(Box<serve::ServeArgs>),
    /// Print a service's schema in SDL
    Schema(schema::SchemaArgs),
    /// Create the tables, or check that they are what the services need
    #[command(subcommand)]
    Table(table::TableCommand),
    /// Read applications from a CSV, JSON or NDJSON file
    Import(import::ImportArgs),
    /// Write all applications to a file
    Export(export::ExportArgs),
    /// Make an API key, and the line for the key file
    ApiKey(api_key::ApiKeyArgs),
    /// Ask a running server whether it is alive; for a container's health check
    Health(health::HealthArgs),
}

impl Cli {
    /// Reads the command line and the environment. Ends the process where they ask for help, or for what
    /// cannot be.
    pub fn read() -> Self {
        let mut command = Self::command();
        let matches = command.get_matches_mut();
        if keeps_nothing_in_a_folder(&matches) {
            let message = "--data names a folder and --memory keeps nothing on disk: give one of them \
                           (TRESTLE_DATA and TRESTLE_MEMORY count, too).";
            command.error(ErrorKind::ArgumentConflict, message).exit();
        }
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut command).exit())
    }
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

/// Why a command ended early: a sentence for the person at the terminal.
#[derive(Debug)]
pub struct Failure(String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            let more = error.to_string();
            if !text.contains(&more) {
                text = format!("{text}: {more}");
            }
            cause = error.source();
        }
        Failure(text)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Does what the command line says. Success is 0, a failure 1; a file with rows that were refused is 2.
pub async fn run(cli: Cli) -> ExitCode {
    let ended = match cli.command {
        Command::Serve(args) => serve::run(*args).await,
        Command::Schema(args) => schema::run(&args),
        Command::Table(command) => table::run(command).await,
        Command::Import(args) => import::run(args).await,
        Command::Export(args) => export::run(args).await,
        Command::ApiKey(args) => api_key::run(&args),
        Command::Health(args) => health::run(&args).await,
    };
    ended.unwrap_or_else(|failure| {
        eprintln!("trestle: {failure}");
        ExitCode::FAILURE
    })
}
