//! The table layer on the embedded store, with entities of the tests' own, and under faults.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod batches;
mod changes;
mod definitions;
mod designs;
mod guards;
mod keys;
mod notes;
mod odd_items;
mod participants;
mod places;
mod pool;
mod queries;
mod transactions;
mod tries;
