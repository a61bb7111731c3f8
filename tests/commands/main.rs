//! The command line, through the binary: each test in a folder of its own.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod export;
mod import;
mod interrupted;
mod others;
mod rows;
mod run;
