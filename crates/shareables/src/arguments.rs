//! How the service is set up.

use clap::Args;

use super::passcode::HASH_MEMORY;
use super::token::Secret;
use trestle_service::{Failure, ServiceContext};

/// The least characters of a secret: 32 of base64 are 192 bits.
const LEAST_SECRET: usize = 32;
/// Where the secret is kept beside the embedded store.
const FILE: &str = "shareables.key";

/// How shareables is set up.
#[derive(Args, Clone)]
#[command(next_help_heading = "Shareables")]
pub struct ShareablesArgs {
    /// Secret under which tokens are signed, the same for every process that serves the tables
    ///
    /// At least 32 characters, such as `openssl rand -base64 32` prints. Required on DynamoDB. By default a secret is
    /// kept in the embedded store's folder.
    #[arg(
        long = "shareables-secret",
        env = "TRESTLE_SHAREABLES_SECRET",
        value_name = "TEXT",
        hide_env_values = true
    )]
    secret: Option<String>,

    /// Short ids that are kept free; 0 keeps none, and each is made when it is needed
    #[arg(
        long = "shareables-pool",
        env = "TRESTLE_SHAREABLES_POOL",
        value_name = "COUNT",
        default_value_t = 2000,
        value_parser = clap::value_parser!(u32).range(..=1_000_000)
    )]
    pub pool: u32,

    /// Maximum number of wrong passcodes per client address and minute
    ///
    /// Five times as many in an hour, and twenty times as many in a day.
    #[arg(
        long = "shareables-guesses-per-minute",
        env = "TRESTLE_SHAREABLES_GUESSES_PER_MINUTE",
        value_name = "COUNT",
        default_value_t = 60,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub guesses_per_minute: u32,

    /// Passcodes of one address that are checked in a minute, right ones included
    #[arg(
        long = "shareables-opens-per-minute",
        env = "TRESTLE_SHAREABLES_OPENS_PER_MINUTE",
        value_name = "COUNT",
        default_value_t = 120,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub opens_per_minute: u32,

    /// Shareables that one address can create in a minute
    #[arg(
        long = "shareables-creates-per-minute",
        env = "TRESTLE_SHAREABLES_CREATES_PER_MINUTE",
        value_name = "COUNT",
        default_value_t = 60,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub creates_per_minute: u32,

    /// Memory in KiB of each hash of a passcode that is made from now on
    ///
    /// More makes each guess dearer for whoever has copied the table, and each opening for the server. The default is what OWASP
    /// advises for Argon2id with two passes. Hashes that are stored keep their costs.
    #[arg(
        long = "shareables-hash-memory",
        env = "TRESTLE_SHAREABLES_HASH_MEMORY",
        value_name = "KIB",
        default_value_t = HASH_MEMORY,
        value_parser = clap::value_parser!(u32).range(8..=1_048_576)
    )]
    pub hash_memory: u32,
}

impl ShareablesArgs {
    /// Says in the log if passcodes are hashed at less than what is advised.
    pub fn warn_of_cheap_hashes(&self) {
        if self.hash_memory < HASH_MEMORY {
            tracing::warn!(
                memory = self.hash_memory,
                "Hashes of passcodes take less than the {HASH_MEMORY} KiB that OWASP advises: whoever copies the table \
                 guesses faster. Leave out --shareables-hash-memory outside of tests"
            );
        }
    }

    /// The secret under which tokens are signed.
    ///
    /// # Errors
    /// A sentence that says what to do.
    pub fn secret(&self, context: &ServiceContext<'_>) -> Result<Secret, Failure> {
        // A compose file passes unset variables as empty ones.
        if let Some(text) = self.secret.as_deref().filter(|text| !text.is_empty()) {
            if text.chars().count() < LEAST_SECRET {
                return Err(Failure::new(format!(
                    "The secret of --shareables-secret is too short: give at least {LEAST_SECRET} characters, such as \
                     `openssl rand -base64 32` prints."
                )));
            }
            return Ok(Secret::of_text(text));
        }
        match context.folder {
            Some(folder) => {
                let file = folder.join(FILE);
                Secret::in_file(&file).map_err(|error| {
                    let file = file.display();
                    Failure::new(format!(
                        "The secret of shareables in {file} cannot be used: {error}. Make the file readable and \
                         writable, or give a secret with --shareables-secret."
                    ))
                })
            }
            None if context.is_in_memory => Ok(Secret::random()?),
            None => Err(Failure::new(
                "The service shareables needs a secret under which it signs tokens, the same for every process: give \
                 one of at least 32 characters with --shareables-secret or TRESTLE_SHAREABLES_SECRET, such as \
                 `openssl rand -base64 32` prints.",
            )),
        }
    }
}
