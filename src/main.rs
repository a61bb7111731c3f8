//! The command line's entry.

use std::process::ExitCode;

use clap::Parser;

#[tokio::main]
async fn main() -> ExitCode {
    trestle::commands::run(trestle::commands::Cli::parse()).await
}
