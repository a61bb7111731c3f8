//! The job-board service, through its API over HTTP.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

#[path = "../support/mod.rs"]
mod support;

mod access;
mod board;
mod costs;
mod keys;
mod lists;
mod live;
mod loading;
mod making;
mod messages;
mod races;
mod schema;
mod swiping;
