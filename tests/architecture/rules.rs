//! The rules of the tree: each a function of a file's path and text. A path begins with the folder of its crate:
//! `table/key.rs` is `crates/table/src/key.rs`, and `trestle/services.rs` is `src/services.rs`.

use super::source::{code, paths};

/// The layers of a service, each of which knows only those after it.
const LAYERS: [&str; 5] = ["graphql", "store", "items", "keys", "model"];

/// A rule that a file broke: its line and what is wrong with it.
pub type Broken = Vec<(usize, String)>;

/// The crate of a file, and its path within the crate.
pub fn parts(path: &str) -> (&str, &str) {
    path.split_once('/').unwrap_or((path, ""))
}

fn is_service(name: &str) -> bool {
    trestle::services::names().any(|service| service == name)
}

/// Which crates of the workspace a crate may depend on.
pub fn may_depend_on(name: &str) -> Vec<&'static str> {
    let foundations = [
        "service",
        "api",
        "files",
        "rows",
        "spreadsheet",
        "table",
        "domain",
    ];
    match name {
        "trestle" => [&["server", "dynamodb"], &foundations[..]].concat(),
        "server" => vec!["pages", "service", "api", "table", "domain"],
        "service" => vec!["api", "table", "domain"],
        "rows" => vec!["service", "spreadsheet"],
        // Its inventory is a CSV file.
        "terraform" => vec!["spreadsheet"],
        "files" => vec!["service", "api", "table", "domain"],
        "api" => vec!["table", "domain"],
        "table" => vec!["domain"],
        "domain" | "dynamodb" | "pages" | "occupations" | "places" | "spreadsheet" => Vec::new(),
        "testing" => vec!["server", "dynamodb", "service", "api", "table"],
        // Only the service that is about Terraform knows its analyzer.
        "graph-runs" => [&["terraform"], &foundations[..]].concat(),
        "job-board" => [&["occupations", "places"], &foundations[..]].concat(),
        name if is_service(name) => foundations.to_vec(),
        name => panic!("`{name}` has no place among the arrows"),
    }
}

/// Arrows between the layers of applications point one way.
pub fn layers(path: &str, text: &str) -> Broken {
    let (name, path) = parts(path);
    let place = |layer: &str| LAYERS.iter().position(|name| *name == layer);
    let first = path.split('/').next().unwrap_or_default();
    let Some(layer) = place(first.trim_end_matches(".rs")).filter(|_| name == "applications")
    else {
        return Vec::new();
    };
    let known = paths(path, text).into_iter();
    let known = known.filter(|(_, segments)| segments[0] == "crate" && segments.len() > 1);
    let upwards = known.filter_map(|(line, segments)| Some((line, place(&segments[1])?)));
    upwards
        .filter(|(_, other)| *other < layer)
        .map(|(line, other)| {
            let what = format!("`{}` does not know `{}`", LAYERS[layer], LAYERS[other]);
            (line, what)
        })
        .collect()
}

/// Outside crates that have their places within a service.
pub fn crates(path: &str, text: &str) -> Broken {
    let (name, path) = parts(path);
    if !is_service(name) {
        return Vec::new();
    }
    let aws = |name: &str| name.starts_with("aws_");
    let layer = path.split('/').next().unwrap_or_default();
    let refuses = |segments: &[String]| {
        let name = segments[0].as_str();
        match layer.trim_end_matches(".rs") {
            "model" => aws(name) || name == "axum",
            "graphql" => {
                let error = segments.get(1);
                let error = error.is_some_and(|s| s == "Result" || s == "Error");
                aws(name) || name == "serde_dynamo" || (name == "async_graphql" && error)
            }
            "store" | "items" | "keys" => name == "async_graphql" || name == "axum",
            _ => false,
        }
    };
    let broken = paths(path, text).into_iter();
    broken
        .filter(|(_, segments)| refuses(segments))
        .map(|(line, segments)| (line, format!("not here: {}", segments.join("::"))))
        .collect()
}

/// Only `table/key.rs` writes a separator into a key.
pub fn separators(path: &str, text: &str) -> Broken {
    const PREFIXES: [&str; 6] = [
        "APP#",
        "STAGE#",
        "HIST#",
        "STATUS#",
        "ARCHIVED#",
        "UPDATED#",
    ];
    if path == "table/key.rs" {
        return Vec::new();
    }
    let written = |line: &str| {
        let strings = line.split('"').skip(1).step_by(2);
        let mut keys =
            strings.filter(|s| PREFIXES.iter().any(|p| s.contains(p)) || s.contains("}#{"));
        keys.next().map(str::to_owned)
    };
    let lines = code(text).into_iter();
    lines
        .filter_map(|(line, code)| Some((line, format!("a key by hand: {}", written(&code)?))))
        .collect()
}

/// A Scan reads the whole table. The embedded store answers one to others, and does none.
pub fn scans(path: &str, text: &str) -> Broken {
    if path == "dynamodb/embedded.rs" {
        return Vec::new();
    }
    let lines = code(text).into_iter();
    lines
        .filter(|(_, line)| line.contains(".scan()") || line.contains("operation::scan"))
        .map(|(line, _)| (line, "a Scan".to_owned()))
        .collect()
}

/// A file opens with what it owns.
pub fn opening(_: &str, text: &str) -> Broken {
    if text.starts_with("//! ") {
        Vec::new()
    } else {
        vec![(1, "it does not open with `//!`".to_owned())]
    }
}
