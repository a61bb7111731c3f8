//! What all services promise, held by tests that loop over the registry: nothing is lost, and nothing is answered that is
//! not stored or not the viewer's.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod apart;
mod ask;
mod chaos;
mod clocks;
mod faketime;
mod leases;
#[path = "../support/process.rs"]
mod process;
#[path = "../authentication/provider.rs"]
#[allow(dead_code, reason = "this target uses a part of it")]
mod provider;
mod strangers;
