//! Logs, metrics and traces of a server in a process of its own, as its operator sees them.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod collector;
mod logs;
mod metrics;
mod server;
mod traces;
