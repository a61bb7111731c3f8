//! How many subscriptions there may be, and how long they are trusted.

use std::num::NonZeroU32;
use std::time::Duration;

use clap::Args;

use trestle_service::flags::{at_least_one, period};

/// Limits of subscriptions.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Subscriptions")]
pub struct SubscriptionArgs {
    /// Maximum number of concurrent subscriptions. 0 disables subscriptions
    #[arg(long, env = "TRESTLE_MAX_SUBSCRIPTIONS", default_value_t = 1000,
          value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub max_subscriptions: u32,

    /// Maximum number of WebSocket connections. 0 disables WebSockets
    #[arg(long, env = "TRESTLE_MAX_WEBSOCKETS", default_value_t = 1000,
          value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub max_websockets: u32,

    /// Maximum number of concurrent operations of a WebSocket connection
    #[arg(
        long,
        env = "TRESTLE_MAX_CONNECTION_OPERATIONS",
        default_value = "32",
        value_parser = at_least_one::<NonZeroU32>
    )]
    pub max_connection_operations: NonZeroU32,

    /// Interval of keep-alive messages. A client that is silent or does not read for two intervals is disconnected
    #[arg(
        long,
        env = "TRESTLE_KEEP_ALIVE",
        value_name = "TIME",
        default_value = "15s",
        value_parser = period
    )]
    pub keep_alive: Duration,

    /// Maximum time until a WebSocket client sends `connection_init`
    #[arg(
        long,
        env = "TRESTLE_CONNECTION_INIT_TIMEOUT",
        value_name = "TIME",
        default_value = "10s",
        value_parser = period
    )]
    pub connection_init_timeout: Duration,

    /// Interval in which the credentials of connected clients are checked again
    #[arg(
        long,
        env = "TRESTLE_RECHECK_CREDENTIALS",
        value_name = "TIME",
        default_value = "60s",
        value_parser = period
    )]
    pub recheck_credentials: Duration,
}
