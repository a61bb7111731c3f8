//! Whose applications: viewers, operations and owners, each with each; and tables with and without owners.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod calendar;
mod cases;
mod generated;
mod kinds;
mod live;
mod matrix;
mod moving;
mod partitions;
#[path = "../authentication/provider.rs"]
#[allow(dead_code, reason = "this target uses a part of it")]
mod provider;
#[path = "../commands/run.rs"]
#[allow(dead_code, reason = "this target uses a part of it")]
mod run;
mod who;
mod world;
