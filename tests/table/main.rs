//! The table layer on the embedded store, with an entity of the test's own.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

#[path = "../support/faults/mod.rs"]
mod faults;

mod batches;
mod definitions;
mod keys;
mod notes;
mod queries;
mod transactions;
