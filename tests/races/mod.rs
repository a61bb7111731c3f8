//! The binary under writers, killed.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

#[path = "../../crates/applications/tests/races/invariants.rs"]
#[allow(dead_code, reason = "each test target uses a part of it")]
mod invariants;
#[path = "../support/process.rs"]
mod process;
#[path = "../../crates/applications/tests/support/mod.rs"]
mod support;
#[path = "../../crates/applications/tests/races/world.rs"]
#[allow(dead_code, reason = "each test target uses a part of it")]
mod world;

mod crash;
