//! The tree keeps its shape: arrows point one way, and what has one place stays there. Each rule is a
//! function of a file's path and text, tried on a sample that breaks it before it is tried on the tree.

#[path = "architecture/circles.rs"]
mod circles;
#[path = "architecture/rules.rs"]
mod rules;
#[path = "architecture/source.rs"]
mod source;

use std::fs;
use std::path::{Path, PathBuf};

use rules::{Broken, crates, layers, may_depend_on, opening, parts, scans, separators};

/// A rule: what it says of a file, by its path and its text.
type Check = fn(&str, &str) -> Broken;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The crates of the workspace, by the names of their folders; the binary is `trestle`.
fn packages() -> Vec<(String, PathBuf)> {
    let folders = fs::read_dir(root().join("crates")).unwrap();
    let crates = folders.map(|folder| folder.unwrap().path());
    let named = crates.map(|folder| {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        (name, folder)
    });
    named
        .chain([("trestle".to_owned(), root().to_owned())])
        .collect()
}

/// Every source file of the product, by the paths that the rules know.
fn files() -> circles::Files {
    let mut files = circles::Files::new();
    let product = packages().into_iter().filter(|(name, _)| name != "testing");
    for (name, package) in product {
        let sources = package.join("src");
        let mut folders = vec![sources.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let text = fs::read_to_string(&path).unwrap();
                    let short = path.strip_prefix(&sources).unwrap().to_str().unwrap();
                    files.insert(format!("{name}/{}", short.replace('\\', "/")), text);
                }
            }
        }
    }
    assert!(files.len() > 400, "the tree was not found");
    files
}

/// Runs a check over every source file.
fn hold(check: Check) {
    let mut broken = Vec::new();
    for (path, text) in files() {
        let found = check(&path, &text).into_iter();
        broken.extend(found.map(|(line, what)| format!("{path}:{line}: {what}")));
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

/// The crates of the workspace that a manifest depends on.
fn dependencies(manifest: &str) -> Vec<&str> {
    let sections = manifest.split("\n[");
    let section = sections
        .into_iter()
        .find(|s| s.starts_with("dependencies]"));
    let lines = section.unwrap_or_default().lines();
    let names = lines.filter_map(|line| line.split(['.', ' ', '=']).next());
    names
        .filter_map(|name| name.strip_prefix("trestle-"))
        .collect()
}

#[test]
fn arrows_between_crates_point_one_way() {
    let manifest = "[package]\nname = \"a\"\n\n[dependencies]\nserde = \"1\"\ntrestle-table.workspace = true\n\n[dev-dependencies]\ntrestle-server = 1\n";
    assert_eq!(dependencies(manifest), ["table"]);
    let services: Vec<_> = trestle::services::names().collect();
    for (name, folder) in packages() {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        for other in dependencies(&manifest) {
            let is_registry = name == "trestle" && services.contains(&other);
            assert!(
                is_registry || may_depend_on(&name).contains(&other),
                "`{name}` does not know `{other}`"
            );
        }
    }
}

#[test]
fn a_services_layers_know_only_those_behind_them() {
    assert_eq!(
        faults(layers, "applications/model/state.rs", "use crate::keys;"),
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
    let downwards = "use crate::{error::StoreError, keys, model::{State, Stage}};";
    assert_eq!(
        faults(layers, "applications/store/change.rs", downwards),
        [0_usize; 0]
    );
    let mixed = "use crate::{\n    keys,\n    model::{State, Stage},\n    graphql,\n};";
    assert_eq!(faults(layers, "applications/store/change.rs", mixed), [4]);
    hold(layers);
}

#[test]
fn crates_have_their_places() {
    assert_eq!(
        faults(crates, "applications/model/mod.rs", "use axum::Router;"),
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
    hold(crates);
}

#[test]
fn only_one_file_writes_a_separator() {
    let by_hand =
        "let a = format!(\"APP#{id}\");\nlet b = 1; // \"APP#\"\nlet c = format!(\"{a}#{b}\");";
    assert_eq!(faults(separators, "applications/keys.rs", by_hand), [1, 3]);
    assert_eq!(faults(separators, "table/key.rs", by_hand), [0_usize; 0]);
    let tested = "/// `STAGE#<id>`\nfn a() {}\n#[cfg(test)]\nmod tests {\n    const A: &str = \"STAGE#1\";\n}";
    assert_eq!(
        faults(separators, "applications/keys.rs", tested),
        [0_usize; 0]
    );
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
fn files_open_with_what_they_own() {
    assert_eq!(
        faults(opening, "applications/keys.rs", "use std::fmt;\n"),
        [1]
    );
    hold(opening);
}

#[test]
fn no_files_of_a_crate_depend_on_each_other_in_a_circle() {
    let all = files();
    for (name, _) in packages() {
        let own = all.iter().filter_map(|(path, text)| {
            let (package, path) = parts(path);
            (package == name).then(|| (path.to_owned(), text.clone()))
        });
        let found = circles::circles(&own.collect());
        assert!(found.is_empty(), "{name}: {found:#?}");
    }
}
