//! The server from outside: real HTTP against a service made for the purpose, and against the real binary.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod binary;
mod connections;
#[path = "../support/database.rs"]
mod database;
mod documents;
mod door;
mod errors;
mod examples;
mod heavy;
mod http;
mod index;
mod language;
#[cfg(target_os = "linux")]
mod memory;
mod overload;
mod persisted;
#[path = "../support/process.rs"]
mod process;
mod routes;
mod rules;
#[cfg(target_os = "linux")]
mod sending;
mod settings;
mod stopping;
mod support;
