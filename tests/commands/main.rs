//! The command line, through the binary: each test in a folder of its own.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod archives;
mod bounds;
mod buckets;
mod damage;
mod documents;
mod duplicates;
mod export;
mod extra;
mod files;
mod import;
mod interrupted;
mod kills;
mod left_out;
mod lost_log;
mod moments;
mod others;
#[path = "../support/process.rs"]
mod process;
mod releases;
mod rows;
mod run;
mod store;
mod times;
mod trackers;
