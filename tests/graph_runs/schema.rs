//! The schema as it is committed.

use trestle::graph_runs;

#[test]
fn the_committed_schema_is_what_the_service_serves() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/graph-runs.graphql");
    let committed = std::fs::read_to_string(file).unwrap();
    assert_eq!(
        committed,
        graph_runs::sdl(),
        "write it anew: trestle schema graph-runs > schemas/graph-runs.graphql"
    );
}
