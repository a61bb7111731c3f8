//! Who a request is from: API keys and tokens, each rule a row.

mod api_keys;
mod binary;
mod configuration;
mod forgeries;
pub mod provider;
mod roles;
mod rotation;
mod switching;
mod tokens;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use chrono::{DateTime, TimeDelta};
use clap::Parser;
use trestle_server::authentication::{AuthenticationArgs, Authenticator};
use trestle_table::clock::Clock;

/// 2026-01-15T12:00:00Z: the time that tests begin at.
pub const NOON: u64 = 1_768_478_400;

/// A clock that a test sets.
#[derive(Clone)]
pub struct TestClock(Arc<AtomicU64>);

impl TestClock {
    pub fn at_noon() -> Self {
        Self(Arc::new(AtomicU64::new(NOON)))
    }

    pub fn advance(&self, seconds: u64) {
        self.0.fetch_add(seconds, SeqCst);
    }

    pub fn clock(&self) -> Clock {
        let seconds = Arc::clone(&self.0);
        Clock::new(move || DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds.load(SeqCst) as i64))
    }
}

/// The flags alone, as a command line.
#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    authentication: AuthenticationArgs,
}

pub fn args(flags: &[&str]) -> AuthenticationArgs {
    let words = ["trestle"].iter().chain(flags);
    Flags::try_parse_from(words)
        .expect("flags are right")
        .authentication
}

pub fn authenticator(flags: &[&str], clock: &TestClock) -> Authenticator {
    Authenticator::from_args(&args(flags), clock.clock())
        .expect("arguments are right")
        .expect("authentication is asked for")
}

pub fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let name: HeaderName = name.parse().expect("a header's name");
        headers.append(
            name,
            HeaderValue::from_str(value).expect("a header's value"),
        );
    }
    headers
}

pub fn bearer(token: &str) -> HeaderMap {
    headers(&[("authorization", &format!("Bearer {token}"))])
}
