//! The way back to a shareable whose admin passcode is lost: whoever runs the server makes a new one.

use std::process::ExitCode;

use clap::{Arg, Command};

use super::passcode::{HASH_MEMORY, Hasher, Passcode};
use super::shareable::{NewHash, Shareable};
use super::short_id::ShortId;
use super::token::ShareableRole;
use trestle_service::{Failure, ServiceContext};
use trestle_table::ChangeError;

/// The command.
pub fn command() -> Command {
    Command::new("admin-passcode")
        .about("Make a new admin passcode for a shareable whose admin passcode is lost")
        .arg(
            Arg::new("short-id")
                .value_name("SHORT_ID")
                .help("The shareable, such as ABC-DEF-12345")
                .required(true),
        )
}

/// Makes a new admin passcode and prints it. Whoever had the earlier one is signed out.
pub async fn renew(context: &ServiceContext<'_>) -> Result<ExitCode, Failure> {
    let given = context.arguments.get_one::<String>("short-id");
    let given = given.map(String::as_str).unwrap_or_default();
    let unknown = || Failure::new(format!("No shareable has the short id {given}."));
    let short_id = ShortId::parse(given).map_err(|_| unknown())?;
    let made = Passcode::random()?;
    let new = NewHash {
        hash: Hasher::new(HASH_MEMORY)?.hash(made.clone(), None).await?,
        is_made: true,
    };
    let tables = &context.tables;
    let changed = tables.change(&short_id, None, |shareable: &Shareable, _| {
        if !shareable.is_open_to(ShareableRole::Admin, tables.now()) {
            return Err(Failure::new(format!(
                "The shareable {given} has expired at {}, more than a year ago: no passcode opens it, and it is being deleted.",
                shareable.expires_at
            )));
        }
        let mut changed = shareable.clone();
        changed.replace_passcode(ShareableRole::Admin, new.clone(), tables.now());
        Ok(changed)
    });
    match changed.await {
        Ok(_) => {}
        Err(ChangeError::NotFound) => return Err(unknown()),
        Err(ChangeError::Refused(ended)) => return Err(ended),
        Err(ChangeError::Table(error)) => return Err(error.into()),
        Err(_) => {
            let message = "Others change the shareable at the moment. Run the command again.";
            return Err(Failure::new(message));
        }
    }
    println!("{}", made.reveal());
    Ok(ExitCode::SUCCESS)
}
