//! `trestle schema`.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;

use crate::{applications, graph_runs};

use super::Failure;

/// Whose schema.
#[derive(Args, Clone, Debug)]
pub struct SchemaArgs {
    /// The service
    #[arg(default_value = applications::NAME, value_parser = [applications::NAME, graph_runs::NAME])]
    service: String,
}

/// Prints the SDL.
pub fn run(args: &SchemaArgs) -> Result<ExitCode, Failure> {
    let sdl = match args.service.as_str() {
        graph_runs::NAME => graph_runs::sdl(),
        _ => applications::sdl(),
    };
    std::io::stdout().write_all(sdl.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
