//! The shareables service, through its API over HTTP.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod access;
mod attacker;
mod changes;
mod checklists;
mod corrections;
mod costs;
mod dates;
mod deleted;
mod devices;
mod either;
mod friends;
mod guesses;
mod lives;
mod losses;
mod lost;
mod newcomers;
mod odd;
mod packing;
mod polls;
mod pool;
mod repeats;
mod secrets;
mod sharing;
mod site;
mod sleeping;
mod stored;
mod viewers;
mod votes;

#[test]
fn the_committed_schema_is_what_the_service_serves() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../schemas/shareables.graphql"
    );
    if std::env::var_os("TRESTLE_BLESS").is_some() {
        std::fs::write(file, (trestle_shareables::SERVICE.sdl)()).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(file).unwrap(),
        (trestle_shareables::SERVICE.sdl)(),
        "write it again: trestle schema shareables > schemas/shareables.graphql"
    );
}
