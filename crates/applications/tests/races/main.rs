//! What many do at once, and what is left when requests and answers are lost: applied once or not at all.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

#[path = "../support/mod.rs"]
mod support;

mod counters;
mod deleting;
mod foreign;
mod invariants;
mod leftovers;
mod lost;
mod model;
mod moto;
mod once;
mod restoring;
mod torn;
mod world;
mod writers;
