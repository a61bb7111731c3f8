//! Connections, and the hosts that they may name.

use clap::Args;

use crate::flags::at_least_one;

/// Limits of connections.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Connections")]
pub struct ConnectionArgs {
    /// Maximum number of connections. Idle ones are closed for new ones [default: 10000, less if the process may
    /// open fewer files]
    #[arg(long, env = "TRESTLE_MAX_CONNECTIONS", value_parser = at_least_one::<usize>)]
    pub max_connections: Option<usize>,

    /// Allowed values of the header Host, separated by commas, such as api.example.com. A server without
    /// authentication on a loopback address always allows localhost [default: localhost on such a server, all
    /// on others]
    #[arg(
        long,
        env = "TRESTLE_ALLOWED_HOSTS",
        value_delimiter = ',',
        value_name = "HOST"
    )]
    pub allowed_hosts: Vec<String>,
}
