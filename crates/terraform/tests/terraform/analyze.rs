//! `trestle graph` in the process of the test.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

use serde_json::{Value, json};
use trestle_terraform::command;

/// What `graph analyze` prints of a folder or a file, and its exit code.
pub fn analyze(path: &Path, options: &[&str]) -> (Option<i32>, String) {
    graph("analyze", path, options)
}

/// What a command prints of a folder or a file, and its exit code.
pub fn graph(command: &str, path: &Path, options: &[&str]) -> (Option<i32>, String) {
    let words = ["graph", command]
        .into_iter()
        .chain(options.iter().copied());
    let words = words.map(OsStr::new).chain([path.as_os_str()]);
    let matches = command::command().get_matches_from(words);
    match command::output(&matches) {
        Ok(output) => (Some(output.code.into()), output.text),
        Err(error) => (Some(1), error.to_string()),
    }
}

/// The nodes with a flag.
pub fn flagged<'g>(graph: &'g Value, flag: &str) -> BTreeSet<&'g str> {
    let nodes = graph["nodes"].as_array().unwrap().iter();
    let flagged = nodes.filter(|node| node[flag] == json!(true));
    flagged.map(|node| node["id"].as_str().unwrap()).collect()
}
