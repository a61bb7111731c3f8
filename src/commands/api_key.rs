//! `trestle api-key` and `trestle remove-api-keys`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use trestle_api::viewer::{self, Owner};
use trestle_server::authentication::{KeysOf, NewKey, remove_keys};

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

/// The keys to remove.
#[derive(Args, Clone, Debug)]
pub struct RemoveApiKeysArgs {
    /// The key file
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Remove the keys of this owner
    #[arg(long, value_name = "NAME", value_parser = owner, required_unless_present = "names")]
    owner: Option<Owner>,

    /// Remove the key with this name; may be repeated
    #[arg(long = "name", value_name = "KEY")]
    names: Vec<String>,
}

/// Removes keys, and prints their names.
pub fn remove(args: &RemoveApiKeysArgs) -> Result<ExitCode, Failure> {
    let file = args.file.display();
    let names = args.names.iter().map(|name| KeysOf::Name(name));
    let mut missing = false;
    for of in args
        .owner
        .as_ref()
        .map(KeysOf::Owner)
        .into_iter()
        .chain(names)
    {
        let removed = remove_keys(&args.file, of)?;
        for name in &removed {
            println!("{name}: removed");
        }
        if removed.is_empty() {
            missing = true;
            match of {
                KeysOf::Owner(owner) => eprintln!("{file} has no key of \"{}\"", owner.as_str()),
                KeysOf::Name(name) => eprintln!("{file} has no key \"{name}\""),
            }
        }
    }
    Ok(ExitCode::from(if missing { 2 } else { 0 }))
}
