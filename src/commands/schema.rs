//! `trestle schema`.

use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;

use trestle_server::subgraph;

use crate::services;
use trestle_service::Failure;

/// Whose schema.
#[derive(Args, Clone, Debug)]
pub struct SchemaArgs {
    /// Name of the service
    #[arg(default_value = services::first(), value_parser = PossibleValuesParser::new(services::names()))]
    service: String,

    /// Print the schema of the subgraph that `trestle serve --federation` serves
    #[arg(long)]
    federation: bool,
}

/// Prints the SDL.
pub fn run(args: &SchemaArgs) -> Result<ExitCode, Failure> {
    let Some(service) = services::named(&args.service) else {
        let message = format!("There is no service {}.", args.service);
        return Err(Failure::new(message));
    };
    let sdl = if args.federation {
        subgraph(&(service.sdl)()).map_err(Failure::new)?
    } else {
        (service.sdl)()
    };
    super::output::print(sdl.trim_end())?;
    Ok(ExitCode::SUCCESS)
}
