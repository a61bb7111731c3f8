//! The shareables service, through its API over HTTP.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

#[path = "../support/faults/mod.rs"]
mod faults;
#[path = "../support/process.rs"]
mod process;
#[path = "../live/socket.rs"]
#[allow(dead_code, reason = "each test target uses a part of it")]
mod socket;
#[path = "../support/mod.rs"]
mod support;

mod checklists;
mod costs;
mod guesses;
mod lost;
mod polls;
mod pool;
mod secrets;
mod sharing;
mod site;
mod stored;
mod transports;
mod viewers;

#[test]
fn the_committed_schema_is_what_the_service_serves() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/shareables.graphql");
    assert_eq!(
        std::fs::read_to_string(file).unwrap(),
        (trestle::services::shareables::SERVICE.sdl)(),
        "write it again: trestle schema shareables > schemas/shareables.graphql"
    );
}
