//! Circles between source files: files that depend on each other, directly or through others.

use std::collections::{BTreeMap, BTreeSet};

use super::source::paths;

/// The files below `src`: path and text.
pub type Files = BTreeMap<String, String>;

type Module = Vec<String>;

/// The module of a file: `["table", "key"]` of `table/key.rs`, `["table"]` of `table/mod.rs`.
fn module(path: &str) -> Module {
    let mut module: Module = path
        .trim_end_matches(".rs")
        .split('/')
        .map(str::to_owned)
        .collect();
    if module
        .last()
        .is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str()))
    {
        module.pop();
    }
    module
}

struct Tree<'f> {
    files: BTreeMap<Module, &'f str>,
    /// What each module names, by the last segment: how a name that it does not define was brought in.
    named: BTreeMap<Module, BTreeMap<String, Module>>,
}

impl<'f> Tree<'f> {
    fn of(files: &'f Files) -> Self {
        let modules = files.keys().map(|path| (module(path), path.as_str()));
        let mut tree = Self {
            files: modules.collect(),
            named: BTreeMap::new(),
        };
        for (path, text) in files {
            let own = module(path);
            let names = paths(path, text).into_iter().filter_map(|(_, segments)| {
                let target = tree.absolute(&own, segments)?;
                Some((target.last()?.clone(), target))
            });
            let names = names.collect();
            tree.named.insert(own, names);
        }
        tree
    }

    /// A path from the crate's root on; `None` for paths into other crates.
    fn absolute(&self, own: &Module, segments: Vec<String>) -> Option<Module> {
        match segments[0].as_str() {
            "crate" | "trestle" => Some(segments[1..].to_vec()),
            first => {
                let child = [own.clone(), vec![first.to_owned()]].concat();
                let is_child = self.files.contains_key(&child);
                is_child.then(|| [own.clone(), segments].concat())
            }
        }
    }

    /// The file that defines what a path names.
    fn file(&self, target: &[String]) -> Option<&'f str> {
        let mut target = target.to_vec();
        // A name is passed on a few times at most.
        for _ in 0..8 {
            let known = (0..=target.len()).rev();
            let at = known
                .into_iter()
                .find(|at| self.files.contains_key(&target[..*at]))?;
            let (owner, rest) = target.split_at(at);
            let passed_on = rest
                .first()
                .and_then(|name| self.named.get(owner)?.get(name));
            match passed_on {
                Some(other) if other[..] != target[..=at] => {
                    target = [other.clone(), rest[1..].to_vec()].concat();
                }
                _ => return self.files.get(owner).copied(),
            }
        }
        None
    }
}

/// A file without its `pub use`: to pass a name on is not to depend on it.
fn without_passing_on(text: &str) -> String {
    let mut kept = String::new();
    let mut passing_on = false;
    for line in text.lines() {
        let start = line.trim_start();
        passing_on |= start.starts_with("pub use ")
            || (start.starts_with("pub(") && start.contains(") use "));
        if !passing_on {
            kept.push_str(line);
            kept.push('\n');
        }
        passing_on &= !line.trim_end().ends_with(';');
    }
    kept
}

/// Every group of files that depend on each other, as the arrows between them.
pub fn circles(files: &Files) -> Vec<BTreeSet<String>> {
    let tree = Tree::of(files);
    let mut arrows: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (path, text) in files {
        let own = module(path);
        for (_, segments) in paths(path, &without_passing_on(text)) {
            let target = tree.absolute(&own, segments);
            let file = target.and_then(|target| tree.file(&target));
            // Exported macros are named by the crate's root.
            let is_root = |file: &str| ["lib.rs", "main.rs"].contains(&file);
            if let Some(file) = file.filter(|file| file != path && !is_root(file)) {
                arrows.entry(path).or_default().insert(file);
            }
        }
    }
    let reached: BTreeMap<&str, BTreeSet<&str>> = arrows
        .keys()
        .map(|from| (*from, reach(from, &arrows)))
        .collect();
    let mut found: BTreeSet<BTreeSet<String>> = BTreeSet::new();
    for (from, all) in &reached {
        let back = |to: &&&str| reached.get(**to).is_some_and(|back| back.contains(from));
        let circle: BTreeSet<_> = all.iter().filter(back).copied().collect();
        let within = |from: &&'_ str| {
            let to = arrows.get(*from).into_iter().flatten();
            let to = to.filter(|to| circle.contains(*to));
            to.map(|to| format!("{from} -> {to}")).collect::<Vec<_>>()
        };
        if circle.len() > 1 {
            found.insert(circle.iter().flat_map(within).collect());
        }
    }
    found.into_iter().collect()
}

fn reach<'a>(from: &'a str, arrows: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(file) = open.pop() {
        for next in arrows.get(file).into_iter().flatten() {
            if reached.insert(*next) {
                open.push(next);
            }
        }
    }
    reached
}

#[test]
fn a_circle_through_a_name_that_is_passed_on_is_found() {
    let files = |files: &[(&str, &str)]| -> Files {
        let owned = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        owned.collect()
    };
    let circle = files(&[
        ("lib.rs", "pub mod a;"),
        (
            "a/mod.rs",
            "mod b;\nmod c;\npub use b::B;\npub use c::{C, D};",
        ),
        ("a/b.rs", "use super::C;\npub struct B;"),
        ("a/c.rs", "use crate::a::B;\npub struct C;\npub struct D;"),
    ]);
    let arrows = ["a/b.rs -> a/c.rs", "a/c.rs -> a/b.rs"];
    let expected: BTreeSet<_> = arrows.map(str::to_owned).into();
    assert_eq!(circles(&circle), [expected]);
    let none = files(&[
        ("a/mod.rs", "mod b;\nmod c;\npub use b::B;\npub use c::C;"),
        ("a/b.rs", "use super::C;\npub struct B;"),
        ("a/c.rs", "pub struct C;"),
    ]);
    assert_eq!(circles(&none), [] as [BTreeSet<String>; 0]);
}
