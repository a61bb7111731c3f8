//! `trestle schema`.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;

use crate::applications;

use super::Failure;

/// Whose schema.
#[derive(Args, Clone, Debug)]
pub struct SchemaArgs {
    /// The service
    #[arg(default_value = applications::NAME, value_parser = [applications::NAME])]
    service: String,
}

/// Prints the SDL.
pub fn run(args: &SchemaArgs) -> Result<ExitCode, Failure> {
    debug_assert_eq!(args.service, applications::NAME);
    std::io::stdout().write_all(applications::sdl().as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
