//! The binary from outside, and rules that loop over the registry of services. One executable: each more is linked with everything,
//! and waits until the one before has ended.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod authentication;
#[path = "support/collector.rs"]
mod collector;
mod commands;
#[path = "support/database.rs"]
mod database;
mod fuzz;
mod graph_runs;
#[path = "../crates/applications/tests/races/invariants.rs"]
#[allow(dead_code, reason = "the binary's tests use a part of it")]
mod invariants;
mod lambda;
mod live;
#[path = "support/process.rs"]
mod process;
mod promises;
mod races;
mod server;
mod shareables;
#[path = "../crates/applications/tests/support/mod.rs"]
mod support;
mod telemetry;
mod tenancy;
#[path = "../crates/applications/tests/races/world.rs"]
#[allow(dead_code, reason = "the binary's tests use a part of it")]
mod world;
