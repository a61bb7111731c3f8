//! Connections, and the hosts that they may name.

use std::time::Duration;

use clap::Args;

use super::MOST_SENDING;
use trestle_service::flags::{at_least_one, host, period};

/// Limits of connections.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Connections")]
pub struct ConnectionArgs {
    /// Maximum number of connections. Idle ones are closed for new ones, then the newest of the address that has the most
    /// [default: 10000, less if the process may open fewer files]
    #[arg(long, env = "TRESTLE_MAX_CONNECTIONS", value_parser = at_least_one::<usize>)]
    pub max_connections: Option<usize>,

    /// Maximum time in which a client takes 32 KiB of an answer, or sends 32 KiB of a file. It is disconnected otherwise
    #[arg(
        long,
        env = "TRESTLE_SEND_TIMEOUT",
        value_name = "TIME",
        default_value = "30s",
        value_parser = period
    )]
    pub send_timeout: Duration,

    // A comment of the field cannot name the constant.
    #[arg(
        long,
        env = "TRESTLE_MAX_SENDING_BYTES",
        value_parser = at_least_one::<usize>,
        help = format!(
            "Memory for answers of more than 32 KiB, from what is read for them until they are sent, in bytes. When it is used \
             up, requests wait for it, and the slowest clients are disconnected [default: a quarter of the memory that the \
             process may use, at most {MOST_SENDING}]"
        )
    )]
    pub max_sending_bytes: Option<usize>,

    /// Allowed values of the header Host, separated by commas, such as api.example.com. localhost is always allowed
    /// [default: all; without authentication, localhost, and with --insecure addresses too]
    #[arg(
        long,
        env = "TRESTLE_ALLOWED_HOSTS",
        value_delimiter = ',',
        value_name = "HOST",
        value_parser = host
    )]
    pub allowed_hosts: Vec<String>,
}
