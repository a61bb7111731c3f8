//! The committed schema is the one that is served.

use std::fs;

use trestle::services::job_board::SERVICE;

#[test]
fn the_committed_schema_is_the_one_that_is_served() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/job-board.graphql");
    let committed = fs::read_to_string(path).unwrap();
    assert!(
        committed == (SERVICE.sdl)(),
        "schemas/job-board.graphql is not what is served: run `just schema`"
    );
}
