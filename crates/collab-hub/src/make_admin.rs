//! `trestle collab-hub make-admin USER`.

use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command};
use futures_util::FutureExt as _;

use trestle_domain::{Text, UserId};
use trestle_service::{Failure, ServiceCommand, ServiceContext};
use trestle_table::{ChangeError, Tables, TransactionBuilder};

use super::audit_log::AuditLog;
use super::users::{User, UserRole, UserStatus};

const ACTION: &str = "ACTION";
const USER: &str = "USER";

/// The command.
pub const COMMAND: ServiceCommand = ServiceCommand {
    command: || {
        let action = Arg::new(ACTION)
            .required(true)
            .value_parser(PossibleValuesParser::new(["make-admin"]))
            .help("make-admin gives a registered user the role ADMIN and the status ACTIVE");
        let user = Arg::new(USER)
            .required(true)
            .help("The user's id: the subject (`sub`) of their tokens");
        Command::new("collab-hub")
            .about("Administer the users of collab-hub")
            .args([action, user])
    },
    run: |context| run(context).boxed(),
};

async fn run(context: &ServiceContext<'_>) -> Result<ExitCode, Failure> {
    let user = context.arguments.get_one::<String>(USER);
    let user = user.cloned().unwrap_or_default();
    make_admin(&context.tables, &user).await?;
    println!("{user} is an admin.");
    Ok(ExitCode::SUCCESS)
}

/// Makes a registered user an admin. One GetItem, and one TransactWriteItems: the user and the audit entry.
///
/// # Errors
/// There is no such user, or the store does not answer.
pub async fn make_admin(tables: &Tables, user: &str) -> Result<(), Failure> {
    let plan = |now: &User, unit: &mut TransactionBuilder<()>| {
        let next = User {
            role: UserRole::Admin,
            status: UserStatus::Active,
            email_verified: (!now.has_verified_email()).then_some(false),
            ..now.clone()
        };
        if next != *now {
            let (id, now) = (&now.user_id, tables.now());
            let entry = AuditLog::about::<User>(now, id.clone(), "USER_ROLE_CHANGED", id.as_str());
            if let Some(entry) = entry {
                let user_agent = Text::cut("trestle collab-hub make-admin");
                unit.put_new(&AuditLog {
                    user_agent,
                    ..entry
                });
            }
        }
        Ok(next)
    };
    match tables.change(&UserId::new(user), None, plan).await {
        Ok(_) => Ok(()),
        Err(ChangeError::NotFound) => Err(Failure::new(format!(
            "There is no user {user}. Users register with the mutation registerUser first."
        ))),
        Err(error) => Err(error.into()),
    }
}
