//! `trestle graph inventory`: what the internet reaches, what stores data, and what reaches it.

use std::error::Error;
use std::path::PathBuf;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _, ValueEnum};

use super::input::{InputArgs, Output, analyzed, code, options};
use crate::inventory::inventory;

/// The name of the command.
pub const NAME: &str = "inventory";

/// The command.
pub fn command() -> Command {
    let inventory = Command::new(NAME)
        .about("List the resources of all root modules: whether the internet reaches them, whether they store data, and what reaches them")
        .after_help("Exit codes: 0 the resources are listed, 1 the input or one of its root modules cannot be analyzed.");
    InventoryArgs::augment_args(inventory)
}

#[derive(clap::Args, Debug)]
struct InventoryArgs {
    /// A folder with Terraform modules, a file or an archive of one, or a plan as `terraform show -json` prints it
    #[arg(default_value = ".")]
    path: PathBuf,

    #[command(flatten)]
    input: InputArgs,

    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Csv)]
    format: Format,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// CSV, for spreadsheets
    Csv,
    /// JSON
    Json,
}

/// Runs the command with its arguments.
///
/// # Errors
/// Why the input cannot be analyzed.
pub fn output(arguments: &ArgMatches) -> Result<Output, Box<dyn Error>> {
    let args = InventoryArgs::from_arg_matches(arguments)?;
    let options = options(&args.input, arguments, &args.path)?;
    let built = analyzed(&args.path, &options)?;
    let inventory = inventory(&built);
    let text = match args.format {
        // The last line ends when it is printed.
        Format::Csv => inventory.csv()?.trim_end_matches("\r\n").to_owned() + "\r",
        Format::Json => serde_json::to_string_pretty(&inventory.json())?,
    };
    let code = code(false, &built);
    Ok(Output { text, code })
}
