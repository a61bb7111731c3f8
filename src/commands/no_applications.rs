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

/// Prints nothing: no table has applications.
pub async fn report_leftovers(_: &Store, _: &Registered) -> Result<(), Failure> {
    Ok(())
}
