//! `trestle api-key`.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use trestle_api::viewer::{self, Owner};
use trestle_server::authentication::NewKey;

use trestle_service::Failure;

/// An owner's name on the command line.
pub fn owner(text: &str) -> Result<Owner, String> {
    Owner::new(text).ok_or_else(|| format!("must have 1 to {} bytes", Owner::MAX))
}

/// The key to make.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Clients send the key in the header `Authorization: Bearer KEY` or `x-api-key: KEY`. The key file, which \
`serve --api-keys` reads, contains only its hash.")]
pub struct ApiKeyArgs {
    /// Name of the client: 1 to 64 letters, digits, `-`, `_` or `.`
    name: String,

    /// Permissions of the key
    #[arg(long, value_enum, default_value_t = Access::Read)]
    access: Access,

    /// A role of the key, such as metrics; may be repeated
    #[arg(long = "role", value_name = "ROLE")]
    roles: Vec<String>,

    /// Whose applications the key reads and writes, for `serve --tenancy owner`. A person's name is the value of the claim
    /// that names the owner in their tokens
    #[arg(long, value_name = "NAME", value_parser = owner)]
    owner: Option<Owner>,
}

/// What a key allows.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Access {
    /// No operation: only what the roles of the key allow.
    None,
    /// Queries.
    Read,
    /// Queries and mutations.
    Write,
}

/// Prints the line for the key file, and the key to the terminal, once.
pub fn run(args: &ApiKeyArgs) -> Result<ExitCode, Failure> {
    let access = match args.access {
        Access::None => viewer::Access::None,
        Access::Read => viewer::Access::Read,
        Access::Write => viewer::Access::Write,
    };
    let mut random = [0; 32];
    getrandom::fill(&mut random)?;
    let key = NewKey {
        name: &args.name,
        access,
        roles: &args.roles,
        owner: args.owner.as_ref(),
    };
    let key = key.generate(random)?;
    println!("{}", key.line);
    eprintln!("The key, shown this once: {}", key.secret);
    eprintln!(
        "Append the line above to the file that --api-keys names. A running server reads the file again when it changes."
    );
    eprintln!("Send the key in the header `Authorization: Bearer KEY` or `x-api-key: KEY`.");
    Ok(ExitCode::SUCCESS)
}
