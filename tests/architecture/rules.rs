//! The rules of the tree: each a function of a file's path below `src` and its text.

use super::source::{code, paths};

/// The most lines of a file.
const MAX_LINES: usize = 400;

/// The services.
const SERVICES: [&str; 5] = [
    "applications",
    "graph_runs",
    "shareables",
    "job_board",
    "collab_hub",
];
/// The layers of a service, each of which knows only those behind it.
const LAYERS: [&str; 5] = ["graphql", "store", "items", "keys", "model"];

/// A rule that a file broke: its line and what is wrong with it.
pub type Broken = Vec<(usize, String)>;

/// Which modules of this crate a module may name.
fn may_know(module: &str) -> Option<Vec<&'static str>> {
    let vocabulary = ["api", "table", "viewer", "clock"];
    let allowed: &[&[&str]] = match module {
        "main" => &[&["commands"]],
        "commands" => &[&["server", "dynamodb"], &SERVICES, &vocabulary],
        "server" => &[&["api", "clock", "table", "viewer"]],
        "api" => &[&["table", "viewer"]],
        "table" | "dynamodb" | "viewer" | "clock" => &[],
        service if SERVICES.contains(&service) => &[&vocabulary],
        _ => return None,
    };
    Some(allowed.concat())
}

/// The part of the tree that a file belongs to: the first folder, or the file's own name.
fn module(path: &str) -> &str {
    path.split('/')
        .next()
        .unwrap_or_default()
        .trim_end_matches(".rs")
}

/// Arrows between the parts of the tree point one way.
pub fn arrows(path: &str, text: &str) -> Broken {
    let own = module(path);
    if own == "lib" {
        return Vec::new();
    }
    let Some(allowed) = may_know(own) else {
        return vec![(1, format!("`{own}` has no place among the arrows"))];
    };
    let known = paths(path, text)
        .into_iter()
        .filter_map(|(line, segments)| {
            let crate_root = ["crate", "trestle"].contains(&segments[0].as_str());
            crate_root.then(|| (line, segments[1].clone()))
        });
    known
        .filter(|(_, other)| other != own && may_know(other).is_some())
        .filter(|(_, other)| !allowed.contains(&other.as_str()))
        .map(|(line, other)| (line, format!("`{own}` does not know `{other}`")))
        .collect()
}

/// Arrows between the layers of a service point one way.
pub fn layers(path: &str, text: &str) -> Broken {
    let place = |segments: &[String]| {
        let layer = segments.get(2)?;
        LAYERS.iter().position(|name| name == layer)
    };
    let mut own: Vec<_> = path
        .trim_end_matches(".rs")
        .split('/')
        .map(str::to_owned)
        .collect();
    own.insert(0, "crate".to_owned());
    let Some(layer) = place(&own).filter(|_| SERVICES.contains(&own[1].as_str())) else {
        return Vec::new();
    };
    let known = paths(path, text)
        .into_iter()
        .filter(|(_, segments)| segments[..2] == own[..2]);
    let upwards = known.filter_map(|(line, segments)| Some((line, place(&segments)?)));
    upwards
        .filter(|(_, other)| *other < layer)
        .map(|(line, other)| {
            (
                line,
                format!("`{}` does not know `{}`", LAYERS[layer], LAYERS[other]),
            )
        })
        .collect()
}

/// Outside crates that have their places.
pub fn crates(path: &str, text: &str) -> Broken {
    let foreign =
        |name: &str| ["async_graphql", "serde", "serde_json", "serde_dynamo"].contains(&name);
    let aws = |name: &str| name.starts_with("aws_");
    let layer = path
        .split('/')
        .nth(1)
        .unwrap_or_default()
        .trim_end_matches(".rs");
    let service = SERVICES.contains(&module(path));
    let refuses = |segments: &[String]| {
        let name = segments[0].as_str();
        match (module(path), layer) {
            (_, "model") if service => foreign(name) || aws(name) || name == "axum",
            (_, "graphql") if service => {
                let error = segments
                    .get(1)
                    .is_some_and(|s| s == "Result" || s == "Error");
                aws(name) || name == "serde_dynamo" || (name == "async_graphql" && error)
            }
            (_, "store" | "items" | "keys") if service => name == "async_graphql" || name == "axum",
            ("table", _) => name == "async_graphql" || name == "axum",
            ("api", _) => aws(name),
            ("server", "telemetry") => name == "aws_sdk_dynamodb",
            ("server", _) => aws(name) || name == "serde_dynamo",
            _ => false,
        }
    };
    let broken = paths(path, text)
        .into_iter()
        .filter(|(_, segments)| refuses(segments));
    broken
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

/// Files stay short enough to be read at once.
pub fn length(_: &str, text: &str) -> Broken {
    let lines = text.lines().count();
    match lines > MAX_LINES {
        true => vec![(
            MAX_LINES,
            format!("{lines} lines: make it a folder by concept"),
        )],
        false => Vec::new(),
    }
}

/// A file opens with what it owns.
pub fn opening(_: &str, text: &str) -> Broken {
    match text.starts_with("//! ") {
        true => Vec::new(),
        false => vec![(1, "it does not open with `//!`".to_owned())],
    }
}
