//! `trestle schema`.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::services::registered::Failure;
use crate::services::{self, applications};

/// Whose schema.
#[derive(Args, Clone, Debug)]
pub struct SchemaArgs {
    /// Name of the service
    #[arg(default_value = applications::NAME, value_parser = PossibleValuesParser::new(services::names()))]
    service: String,
}

/// Prints the SDL.
pub fn run(args: &SchemaArgs) -> Result<ExitCode, Failure> {
    let missing = || Failure::new(format!("There is no service {}.", args.service));
    let service = services::named(&args.service).ok_or_else(missing)?;
    let sdl = (service.sdl)();
    std::io::stdout().write_all(sdl.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
