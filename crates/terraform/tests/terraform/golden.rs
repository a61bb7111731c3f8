//! What an analysis of the judged setups reports, byte for byte: a change that only moves code changes none of it.
//! `TRESTLE_GOLDEN=write` writes the files.

use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use trestle_terraform::{Options, folder, report};

/// The folder with the setups.
const SETUPS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/terraform/judged");
/// The folder with a report of each.
const REPORTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/terraform/golden");

/// A text without the hashes of values, whose key differs in each analysis.
fn without_hashes(text: &str) -> String {
    let mut parts = text.split("sha256:");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str("sha256:");
        kept.push_str(part.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
    }
    kept
}

/// The report of a setup, and the hash of its graph.
fn analyzed(setup: &Path) -> Value {
    let built = folder(setup, &Options::default()).unwrap();
    let graph = Sha256::digest(without_hashes(&format!("{:#}", built.graph())));
    let graph: String = graph.iter().map(|byte| format!("{byte:02x}")).collect();
    json!({ "graph": graph, "report": report(&built) })
}

#[test]
fn reports_and_graphs_are_those_of_before() {
    let is_writing = std::env::var("TRESTLE_GOLDEN").is_ok_and(|value| value == "write");
    let mut different = Vec::new();
    for setup in std::fs::read_dir(SETUPS).unwrap() {
        let setup = setup.unwrap();
        let name = setup.file_name().into_string().unwrap();
        let path = Path::new(REPORTS).join(format!("{name}.json"));
        let now = format!("{:#}\n", analyzed(&setup.path()));
        if is_writing {
            std::fs::write(&path, &now).unwrap();
        }
        if std::fs::read_to_string(&path).ok().as_ref() != Some(&now) {
            different.push(name);
        }
    }
    assert!(different.is_empty(), "{different:?}");
}
