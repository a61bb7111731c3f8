//! The tree keeps its shape: arrows point one way, and what has one place stays there. Each rule is a
//! function of a file's path and text, tried on a sample that breaks it before it is tried on the tree.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

#[path = "architecture/rules.rs"]
mod rules;
#[path = "architecture/source.rs"]
mod source;

use std::fs;
use std::path::Path;

use rules::{Broken, arrows, crates, layers, length, opening, scans, separators};

/// A rule: what it says of a file, by its path below `src` and its text.
type Check = fn(&str, &str) -> Broken;

/// Runs a check over every file below `src`.
fn hold(check: Check) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut broken = Vec::new();
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files += 1;
                let text = fs::read_to_string(&path).unwrap();
                let short = path
                    .strip_prefix(&root)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .replace('\\', "/");
                let found = check(&short, &text).into_iter();
                broken.extend(found.map(|(line, what)| format!("src/{short}:{line}: {what}")));
            }
        }
    }
    broken.sort();
    broken.dedup();
    assert!(files > 50, "the tree was not found");
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
    assert_eq!(faults(arrows, "applications/mod.rs", upwards), [2]);
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
            "job_board/store.rs",
            "use crate::applications::Applications;"
        ),
        [1]
    );
    assert_eq!(
        faults(
            arrows,
            "server/http/mod.rs",
            "use crate::{\n    api::Code,\n    applications,\n};"
        ),
        [3]
    );
    assert_eq!(
        faults(
            arrows,
            "applications/store/list.rs",
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
            "use crate::applications;\nuse crate::server::Server;"
        ),
        []
    );
    assert_eq!(
        faults(
            arrows,
            "table/key.rs",
            "// use crate::api::Code;\nuse super::Item;"
        ),
        []
    );
    assert_eq!(faults(arrows, "utils.rs", ""), [1]);
    hold(arrows);
}

#[test]
fn a_services_layers_know_only_those_behind_them() {
    assert_eq!(
        faults(
            layers,
            "applications/model/state.rs",
            "use crate::applications::keys;"
        ),
        [1]
    );
    assert_eq!(
        faults(
            layers,
            "applications/keys.rs",
            "use super::store::ListFilter;"
        ),
        [1]
    );
    assert_eq!(
        faults(
            layers,
            "applications/items/stage.rs",
            "use super::super::graphql::Query;"
        ),
        [1]
    );
    let downwards = "use crate::applications::{error::StoreError, keys, model::{State, Stage}};";
    assert_eq!(
        faults(layers, "applications/store/change.rs", downwards),
        []
    );
    let mixed =
        "use crate::applications::{\n    keys,\n    model::{State, Stage},\n    graphql,\n};";
    assert_eq!(faults(layers, "applications/store/change.rs", mixed), [4]);
    hold(layers);
}

#[test]
fn crates_have_their_places() {
    assert_eq!(
        faults(
            crates,
            "applications/model/mod.rs",
            "#[derive(serde::Serialize)]"
        ),
        [1]
    );
    assert_eq!(
        faults(
            crates,
            "applications/model.rs",
            "use aws_sdk_dynamodb::Client;"
        ),
        [1]
    );
    let resolver = "use async_graphql::{Context, Result};\nfn a() -> async_graphql::Error;";
    assert_eq!(
        faults(crates, "applications/graphql/query.rs", resolver),
        [1, 2]
    );
    assert_eq!(
        faults(
            crates,
            "applications/store/list.rs",
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
        []
    );
    hold(crates);
}

#[test]
fn only_one_file_writes_a_separator() {
    let by_hand =
        "let a = format!(\"APP#{id}\");\nlet b = 1; // \"APP#\"\nlet c = format!(\"{a}#{b}\");";
    assert_eq!(faults(separators, "applications/keys.rs", by_hand), [1, 3]);
    assert_eq!(faults(separators, "table/key.rs", by_hand), []);
    let tested = "/// `STAGE#<id>`\nfn a() {}\n#[cfg(test)]\nmod tests {\n    const A: &str = \"STAGE#1\";\n}";
    assert_eq!(faults(separators, "applications/keys.rs", tested), []);
    hold(separators);
}

#[test]
fn nothing_scans() {
    assert_eq!(
        faults(
            scans,
            "applications/store/list.rs",
            "self.client\n    .scan()\n"
        ),
        [2]
    );
    hold(scans);
}

#[test]
fn files_can_be_read_at_once() {
    assert_eq!(
        faults(length, "applications/store/new.rs", &"\n".repeat(401)),
        [400]
    );
    assert_eq!(
        faults(length, "applications/store/new.rs", &"\n".repeat(400)),
        []
    );
    hold(length);
}

#[test]
fn files_open_with_what_they_own() {
    assert_eq!(
        faults(opening, "applications/keys.rs", "use std::fmt;\n"),
        [1]
    );
    hold(opening);
}
