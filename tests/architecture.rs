//! The tree keeps its shape: arrows point one way, and what has one place stays there. Each rule is a
//! function of a file's path and text, tried on a sample that breaks it before it is tried on the tree.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

#[path = "architecture/circles.rs"]
mod circles;
#[path = "architecture/rules.rs"]
mod rules;
#[path = "architecture/source.rs"]
mod source;

use std::fs;
use std::path::Path;

use rules::{Broken, arrows, crates, layers, length, opening, scans, separators};

/// A rule: what it says of a file, by its path below `src` and its text.
type Check = fn(&str, &str) -> Broken;

/// Every source file below `src`.
fn files() -> circles::Files {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut files = circles::Files::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let short = path.strip_prefix(&root).unwrap().to_str().unwrap();
                files.insert(short.replace('\\', "/"), text);
            }
        }
    }
    assert!(files.len() > 50, "the tree was not found");
    files
}

/// Runs a check over every file below `src`.
fn hold(check: Check) {
    let mut broken = Vec::new();
    for (path, text) in files() {
        let found = check(&path, &text).into_iter();
        broken.extend(found.map(|(line, what)| format!("src/{path}:{line}: {what}")));
    }
    broken.sort();
    broken.dedup();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The lines of a sample that a check finds fault with.
fn faults(check: Check, path: &str, text: &str) -> Vec<usize> {
    let mut lines: Vec<_> = check(path, text)
        .into_iter()
        .map(|(line, _)| line)
        .collect();
    lines.dedup();
    lines
}

#[test]
fn arrows_point_one_way() {
    let upwards = "use crate::table::Meter;\nuse crate::server::{self, Server};\nuse std::fmt;\n";
    assert_eq!(faults(arrows, "services/applications/mod.rs", upwards), [2]);
    assert_eq!(
        faults(
            arrows,
            "table/query.rs",
            "fn a() {\n    crate::api::ApiError::new()\n}\n"
        ),
        [2]
    );
    assert_eq!(
        faults(
            arrows,
            "services/graph_runs/store.rs",
            "use crate::services::applications::Applications;"
        ),
        [1]
    );
    assert_eq!(
        faults(
            arrows,
            "server/http/mod.rs",
            "use crate::{\n    api::Code,\n    services,\n};"
        ),
        [3]
    );
    assert_eq!(
        faults(
            arrows,
            "services/applications/store/list.rs",
            "use super::super::super::commands::Cli;"
        ),
        [1]
    );
    assert_eq!(
        faults(arrows, "main.rs", "use trestle::server::Server;"),
        [1]
    );
    assert_eq!(
        faults(
            arrows,
            "commands/serve.rs",
            "use crate::services::applications;\nuse crate::server::Server;"
        ),
        [0_usize; 0]
    );
    assert_eq!(
        faults(
            arrows,
            "table/key.rs",
            "// use crate::api::Code;\nuse super::Item;"
        ),
        [0_usize; 0]
    );
    assert_eq!(faults(arrows, "utils.rs", ""), [1]);
    hold(arrows);
}

#[test]
fn a_services_layers_know_only_those_behind_them() {
    assert_eq!(
        faults(
            layers,
            "services/applications/model/state.rs",
            "use crate::services::applications::keys;"
        ),
        [1]
    );
    assert_eq!(
        faults(
            layers,
            "services/applications/keys.rs",
            "use super::store::ListFilter;"
        ),
        [1]
    );
    assert_eq!(
        faults(
            layers,
            "services/applications/items/stage.rs",
            "use super::super::graphql::Query;"
        ),
        [1]
    );
    let downwards =
        "use crate::services::applications::{error::StoreError, keys, model::{State, Stage}};";
    assert_eq!(
        faults(layers, "services/applications/store/change.rs", downwards),
        [0_usize; 0]
    );
    let mixed = "use crate::services::applications::{\n    keys,\n    model::{State, Stage},\n    graphql,\n};";
    assert_eq!(
        faults(layers, "services/applications/store/change.rs", mixed),
        [4]
    );
    hold(layers);
}

#[test]
fn crates_have_their_places() {
    assert_eq!(
        faults(
            crates,
            "services/applications/model/mod.rs",
            "use axum::Router;"
        ),
        [1]
    );
    assert_eq!(
        faults(
            crates,
            "services/applications/model.rs",
            "use aws_sdk_dynamodb::Client;"
        ),
        [1]
    );
    let resolver = "use async_graphql::{Context, Result};\nfn a() -> async_graphql::Error;";
    assert_eq!(
        faults(crates, "services/applications/graphql/query.rs", resolver),
        [1, 2]
    );
    assert_eq!(
        faults(
            crates,
            "services/applications/store/list.rs",
            "use async_graphql::ID;"
        ),
        [1]
    );
    assert_eq!(faults(crates, "table/query.rs", "use axum::Router;"), [1]);
    assert_eq!(
        faults(crates, "server/mod.rs", "use aws_sdk_dynamodb::Client;"),
        [1]
    );
    assert_eq!(
        faults(crates, "table/query.rs", "use aws_sdk_dynamodb::Client;"),
        [0_usize; 0]
    );
    hold(crates);
}

#[test]
fn only_one_file_writes_a_separator() {
    let by_hand =
        "let a = format!(\"APP#{id}\");\nlet b = 1; // \"APP#\"\nlet c = format!(\"{a}#{b}\");";
    assert_eq!(
        faults(separators, "services/applications/keys.rs", by_hand),
        [1, 3]
    );
    assert_eq!(faults(separators, "table/key.rs", by_hand), [0_usize; 0]);
    let tested = "/// `STAGE#<id>`\nfn a() {}\n#[cfg(test)]\nmod tests {\n    const A: &str = \"STAGE#1\";\n}";
    assert_eq!(
        faults(separators, "services/applications/keys.rs", tested),
        [0_usize; 0]
    );
    hold(separators);
}

#[test]
fn nothing_scans() {
    assert_eq!(
        faults(
            scans,
            "services/applications/store/list.rs",
            "self.client\n    .scan()\n"
        ),
        [2]
    );
    hold(scans);
}

#[test]
fn files_can_be_read_at_once() {
    assert_eq!(
        faults(
            length,
            "services/applications/store/new.rs",
            &"\n".repeat(401)
        ),
        [400]
    );
    assert_eq!(
        faults(
            length,
            "services/applications/store/new.rs",
            &"\n".repeat(400)
        ),
        [0_usize; 0]
    );
    hold(length);
}

#[test]
fn files_open_with_what_they_own() {
    assert_eq!(
        faults(opening, "services/applications/keys.rs", "use std::fmt;\n"),
        [1]
    );
    hold(opening);
}

/// Files that still depend on each other in circles. The list only gets shorter.
const IN_CIRCLES: &[&str] = &[
    "services/applications/graphql/connection.rs",
    "services/applications/graphql/types/application.rs",
    "services/applications/graphql/types/history.rs",
    "services/applications/graphql/types/stage.rs",
];

#[test]
fn no_further_files_depend_on_each_other_in_a_circle() {
    let known = |arrow: &String| {
        let ends = arrow.split(" -> ");
        ends.into_iter().all(|file| IN_CIRCLES.contains(&file))
    };
    let found = circles::circles(&files());
    let new: Vec<_> = found
        .iter()
        .flatten()
        .filter(|arrow| !known(arrow))
        .collect();
    assert!(new.is_empty(), "{new:#?}");
}
