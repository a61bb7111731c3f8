//! The rules of the tree: each a function of a file's path below `src` and its text.

use super::source::{code, paths};

/// The most lines of a file.
const MAX_LINES: usize = 400;

/// The layers of a service, each of which knows only those behind it.
const LAYERS: [&str; 5] = ["graphql", "store", "items", "keys", "model"];

/// A rule that a file broke: its line and what is wrong with it.
pub type Broken = Vec<(usize, String)>;

/// The folders of the services, below `src/services`.
pub fn services() -> Vec<String> {
    let names = trestle::services::names();
    names.map(|name| name.replace('-', "_")).collect()
}

fn is_service(part: &str) -> bool {
    services().iter().any(|service| service == part)
}

/// Which parts of this crate a part may name.
fn may_know(part: &str) -> Option<Vec<String>> {
    let api: &[&str] = &["domain", "table", "viewer", "clock"];
    let service: &[&str] = &["registered", "api", "files", "flags", "rows"];
    let (parts, all_services): (&[&[&str]], bool) = match part {
        "main" => (&[&["commands"]], false),
        "commands" => (&[&["server", "dynamodb", "services"], service, api], true),
        "services" => (&[&["registered", "table"]], true),
        "registered" => (&[&["api", "table", "clock"]], false),
        "rows" => (&[&["registered"]], false),
        "server" => (&[&["api", "flags"], api], false),
        "files" => (&[&["api", "domain", "clock", "flags"]], false),
        "api" => (&[api], false),
        "table" => (&[&["domain", "clock"]], false),
        "domain" | "dynamodb" | "viewer" | "clock" | "flags" => (&[], false),
        part if is_service(part) => (&[service, api], false),
        _ => return None,
    };
    let mut allowed: Vec<_> = parts.concat().into_iter().map(str::to_owned).collect();
    if all_services {
        allowed.extend(services());
    }
    Some(allowed)
}

/// The part that a path below the crate's root belongs to: a service, or the first folder or file.
fn part<'p>(mut segments: impl Iterator<Item = &'p str>) -> &'p str {
    let first = segments.next().unwrap_or_default();
    let within = segments
        .next()
        .filter(|within| first == "services" && (*within == "registered" || is_service(within)));
    within.unwrap_or(first)
}

/// The part of the tree that a file belongs to.
fn module(path: &str) -> &str {
    part(path.trim_end_matches(".rs").split('/'))
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
            let other = part(segments[1..].iter().map(String::as_str));
            crate_root.then(|| (line, other.to_owned()))
        });
    known
        .filter(|(_, other)| other != own && may_know(other).is_some())
        .filter(|(_, other)| !allowed.contains(other))
        .map(|(line, other)| (line, format!("`{own}` does not know `{other}`")))
        .collect()
}

/// Arrows between the layers of a service point one way.
pub fn layers(path: &str, text: &str) -> Broken {
    let place = |segments: &[String]| {
        let layer = segments.get(3)?;
        LAYERS.iter().position(|name| name == layer)
    };
    let mut own: Vec<_> = path
        .trim_end_matches(".rs")
        .split('/')
        .map(str::to_owned)
        .collect();
    own.insert(0, "crate".to_owned());
    let Some(layer) = place(&own).filter(|_| own[2] == "applications") else {
        return Vec::new();
    };
    let known = paths(path, text)
        .into_iter()
        .filter(|(_, segments)| segments.len() > 2 && segments[..3] == own[..3]);
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
    let aws = |name: &str| name.starts_with("aws_");
    let layer = path
        .split('/')
        .nth(if path.starts_with("services/") { 2 } else { 1 })
        .unwrap_or_default()
        .trim_end_matches(".rs");
    let service = is_service(module(path));
    let refuses = |segments: &[String]| {
        let name = segments[0].as_str();
        match (module(path), layer) {
            (_, "model") if service => aws(name) || name == "axum",
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
