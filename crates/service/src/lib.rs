//! What a service registers, and what it is opened with.

mod demo;
pub mod flags;
mod key_file;

use std::fmt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{ArgMatches, Command};
use futures_util::future::BoxFuture;

use trestle_api::Service;
use trestle_table::clock::Clock;
use trestle_table::{StreamReader, Table, TableDefinition, Tables};

pub use self::demo::{Demo, DemoClock, DemoUser, Sample};
pub use self::key_file::{key_in_file, random_bytes};

/// A service that can be served.
pub struct Registered {
    /// Its name on the command line and in paths.
    pub name: &'static str,
    /// Its tables. `--<service>-table` names the first; the others have `--<default name>-table`.
    pub tables: &'static [&'static TableDefinition],
    /// Its schema in SDL.
    pub sdl: fn() -> String,
    /// Adds its options to `trestle serve`.
    pub arguments: fn(Command) -> Command,
    /// Opens it.
    pub open: Open,
    /// Its own commands, beside `trestle serve`.
    pub commands: &'static [ServiceCommand],
    /// Its own commands that need no store.
    pub tools: &'static [Tool],
    /// Whether a text of an item is the key of an object that must exist.
    pub is_object_key: fn(&str) -> bool,
    /// Refuses options of `trestle serve` that do not fit the credentials that the server accepts.
    pub accepts: fn(&ArgMatches, &AcceptedCredentials) -> Result<(), Failure>,
    /// What `trestle table check` says of the service's tables, which are good: sentences for the operator.
    pub check: CheckTables,
    /// Makes what `trestle serve --demo` begins with, in the order of time. Returns what there is to see.
    pub demo: FillDemo,
}

/// What the credentials that a server accepts say of who sends a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcceptedCredentials {
    /// Whether tokens of an identity provider are accepted.
    pub are_tokens: bool,
    /// Whether API keys name owners.
    pub have_keys_of_owners: bool,
    /// Whether more than one API key may read or write.
    pub have_several_keys: bool,
    /// Whether the operator names the claim that names the owner.
    pub have_tenant_claim: bool,
}

/// Opens a service.
pub type Open =
    for<'o> fn(&'o ServiceContext<'o>) -> BoxFuture<'o, Result<Arc<dyn Service>, Failure>>;

/// Checks the tables of a service.
pub type CheckTables = for<'t> fn(&'t [Table]) -> BoxFuture<'t, Result<Vec<String>, Failure>>;

/// Makes the sample data of a service.
pub type FillDemo = for<'d> fn(&'d Demo<'d>) -> BoxFuture<'d, Result<Vec<Sample>, Failure>>;

/// Runs a command of a service.
pub type Run = for<'o> fn(&'o ServiceContext<'o>) -> BoxFuture<'o, Result<ExitCode, Failure>>;

/// A command that a service adds to `trestle`.
pub struct ServiceCommand {
    /// Its name, options and help. The options that name the store are added to it.
    pub command: fn() -> Command,
    /// Runs it on the service's tables, which exist. [`ServiceContext::arguments`] are its own.
    pub run: Run,
}

/// A command that a service adds to `trestle` and that opens no store.
pub struct Tool {
    /// Its name, options and help.
    pub command: fn() -> Command,
    /// Runs it with its own options, on the main thread and without a runtime.
    pub run: fn(&ArgMatches) -> Result<ExitCode, Failure>,
}

/// What a service is opened with, and its commands run with.
pub struct ServiceContext<'o> {
    /// Its tables, which exist.
    pub tables: Tables,
    /// The options given on the command line.
    pub arguments: &'o ArgMatches,
    /// The time.
    pub clock: Clock,
    /// The folder of the embedded store; `None` in memory and on DynamoDB.
    pub folder: Option<&'o Path>,
    /// Whether the store is in memory, so that what belongs to it may be, too.
    pub is_in_memory: bool,
    /// The streams of the tables.
    pub streams: &'o dyn Streams,
}

/// Opens the streams of tables.
pub trait Streams: Send + Sync {
    /// A reader of the table's stream, from now on. The embedded store enables the stream if it is off;
    /// on DynamoDB it must be enabled.
    ///
    /// # Errors
    /// The table has no stream, or the store does not answer.
    fn open<'s>(&'s self, table: &'s Table) -> BoxFuture<'s, Result<StreamReader, Failure>>;
}

impl Registered {
    /// A service without options and commands of its own. `name`, `tables`, `sdl` and `open` must be set.
    pub const PLAIN: Self = Self {
        name: "",
        tables: &[],
        sdl: String::new,
        arguments: |command| command,
        open: |_| Box::pin(async { Err(Failure::new("The service cannot be opened.")) }),
        commands: &[],
        tools: &[],
        is_object_key: |_| false,
        accepts: |_, _| Ok(()),
        check: |_| Box::pin(async { Ok(Vec::new()) }),
        demo: |_| Box::pin(async { Ok(Vec::new()) }),
    };
}

/// What `trestle table check` says of deletes that are not finished, if there are any.
pub fn note_of_unfinished(service: &str, deletes: usize) -> Vec<String> {
    if deletes == 0 {
        return Vec::new();
    }
    vec![format!(
        "{service}: {deletes} deletes were interrupted, or are in progress. `trestle serve` finishes them when it starts."
    )]
}

impl std::fmt::Debug for Registered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Why a command ended early: a sentence for the person at the terminal.
#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    /// A sentence.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

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

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
