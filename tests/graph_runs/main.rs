//! The graph-runs service, through its API over HTTP.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

#[path = "../support/mod.rs"]
mod support;

mod server;

mod authorization;
mod completion;
mod files;
mod life;
mod lists;
mod pipeline;
mod program;
mod s3;
mod schema;
