//! The shareables service, as the binary serves it.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

#[path = "../support/process.rs"]
mod process;
#[path = "../../crates/shareables/tests/shareables/site.rs"]
#[allow(dead_code, reason = "each test target uses a part of it")]
mod site;

mod overload;
mod transports;
