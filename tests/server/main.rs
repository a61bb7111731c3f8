//! The server from outside: real HTTP against a service made for the purpose.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod documents;
mod errors;
mod http;
mod overload;
mod persisted;
mod routes;
mod settings;
mod stopping;
mod support;
