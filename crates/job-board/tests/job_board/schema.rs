//! The committed schema is the one that is served.

use std::fs;

use trestle_job_board::SERVICE;

#[test]
fn the_committed_schema_is_the_one_that_is_served() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../schemas/job-board.graphql"
    );
    if std::env::var_os("TRESTLE_BLESS").is_some() {
        fs::write(path, (SERVICE.sdl)()).unwrap();
    }
    let committed = fs::read_to_string(path).unwrap();
    assert!(
        committed == (SERVICE.sdl)(),
        "schemas/job-board.graphql is not what is served: run `just schema`"
    );
}
