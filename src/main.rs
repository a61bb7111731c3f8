//! The command line's entry.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    trestle::commands::run(trestle::commands::Cli::read()).await
}
