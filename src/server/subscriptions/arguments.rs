//! How many subscriptions there may be, and how long they are trusted.

use std::num::NonZeroU32;
use std::time::Duration;

use clap::Args;

use crate::server::values::{at_least_one, period};

/// What may be watched at the same time.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Subscriptions")]
pub struct SubscriptionArgs {
    /// Subscriptions at the same time; with 0 nobody can subscribe
    #[arg(long, env = "TRESTLE_MAX_SUBSCRIPTIONS", default_value_t = 1000,
          value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub max_subscriptions: u32,

    /// WebSocket connections at the same time; with 0 nobody can connect
    #[arg(long, env = "TRESTLE_MAX_WEBSOCKETS", default_value_t = 1000,
          value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub max_websockets: u32,

    /// Operations of one WebSocket connection at the same time
    #[arg(
        long,
        env = "TRESTLE_MAX_CONNECTION_OPERATIONS",
        default_value = "32",
        value_parser = at_least_one::<NonZeroU32>
    )]
    pub max_connection_operations: NonZeroU32,

    /// Time from one sign of life to the next; a client silent for two, or not reading for two, is gone
    #[arg(
        long,
        env = "TRESTLE_KEEP_ALIVE",
        value_name = "TIME",
        default_value = "15s",
        value_parser = period
    )]
    pub keep_alive: Duration,

    /// Time in which a WebSocket connection has to say who it is
    #[arg(
        long,
        env = "TRESTLE_CONNECTION_INIT_TIMEOUT",
        value_name = "TIME",
        default_value = "10s",
        value_parser = period
    )]
    pub connection_init_timeout: Duration,

    /// Time after which the credentials of whoever is still connected are checked again
    #[arg(
        long,
        env = "TRESTLE_RECHECK_CREDENTIALS",
        value_name = "TIME",
        default_value = "60s",
        value_parser = period
    )]
    pub recheck_credentials: Duration,
}
