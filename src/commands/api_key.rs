//! `trestle api-key`.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::server::authentication::generate;
use crate::viewer;

use super::Failure;

/// The key to make.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Clients send the key in the header `Authorization: Bearer KEY` or `x-api-key: KEY`. The file that \
`serve --api-keys` names holds its hash alone.")]
pub struct ApiKeyArgs {
    /// Who will use it: 1 to 64 letters, digits, `-`, `_` or `.`
    name: String,

    /// What it allows
    #[arg(long, value_enum, default_value_t = Access::Read)]
    access: Access,
}

/// What a key allows.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Access {
    /// Queries.
    Read,
    /// Queries and mutations.
    Write,
}

/// Prints the line for the key file, and the key to the terminal, once.
pub fn run(args: &ApiKeyArgs) -> Result<ExitCode, Failure> {
    let access = match args.access {
        Access::Read => viewer::Access::Read,
        Access::Write => viewer::Access::Write,
    };
    let mut random = [0; 32];
    getrandom::fill(&mut random)?;
    let key = generate(&args.name, access, random)?;
    println!("{}", key.line);
    eprintln!("The key, shown this once: {}", key.secret);
    eprintln!(
        "Append the line above to the file that --api-keys names, and start the server anew."
    );
    eprintln!("Send the key in the header `Authorization: Bearer KEY` or `x-api-key: KEY`.");
    Ok(ExitCode::SUCCESS)
}
