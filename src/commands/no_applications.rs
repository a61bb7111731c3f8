//! A build without the service applications has none of its commands.

use std::process::ExitCode;

use clap::Subcommand;

use trestle_service::{Failure, Registered};

use super::store::Store;

/// No command of `trestle`.
#[derive(Subcommand, Debug)]
pub enum Command {}

/// No command of `trestle table`.
#[derive(Subcommand, Clone, Debug)]
pub enum TableCommand {}

/// Never called: there is no command to run.
pub async fn run(command: Command) -> Result<ExitCode, Failure> {
    match command {}
}

/// Never called: there is no command to run.
pub async fn run_on_table(command: TableCommand) -> Result<ExitCode, Failure> {
    match command {}
}

/// What to do with keys in the indexes that contradict their application: there is none.
pub enum IndexKeys {
    Report,
    Fix,
}

/// Prints nothing: no table has applications.
pub async fn check_applications(_: &Store, _: &Registered, _: IndexKeys) -> Result<(), Failure> {
    Ok(())
}
