//! Edges that no reference makes: from a service to what the policies of its role name, and to what invokes it.

use std::collections::{BTreeMap, BTreeSet};

use super::named::{FUNCTION, Names, ROLE, Subject};
use super::types;
use crate::graph::Built;

/// The kind of these edges.
const ACCESS: &str = "access";
/// Types that are about access, and nothing to have access to.
const ABOUT: &str = "aws_iam_";

pub fn connect(built: &mut Built, names: &Names, resources: &[(String, String)]) {
    let mut referred: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to, _) in &built.edges {
        referred.entry(from).or_default().push(to);
    }
    // What each role may use.
    let mut grants: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut edges = BTreeSet::new();
    for (id, kind) in resources {
        let attached = match kind.as_str() {
            "aws_iam_role_policy" | "aws_iam_role_policy_attachment" => true,
            "aws_iam_role" => false,
            _ => continue,
        };
        let targets = targets(built, &referred, id);
        let roles = if attached {
            named(built, names, id, "role", ROLE)
        } else {
            vec![id.clone()]
        };
        for role in roles {
            grants.entry(role).or_default().extend(targets.clone());
        }
    }
    for (id, kind) in resources {
        if let Some(path) = types::of(kind).and_then(|row| row.runs_as) {
            let roles = named(built, names, id, path, ROLE);
            let granted = roles.iter().filter_map(|role| grants.get(role)).flatten();
            edges.extend(granted.map(|to| (id.clone(), to.clone(), ACCESS)));
        }
        if kind == "aws_lambda_event_source_mapping" {
            let functions = named(built, names, id, "function_name", FUNCTION);
            // A mapping refers to its function, and to what invokes that.
            let sources = referred.get(id.as_str()).into_iter().flatten();
            let sources: Vec<_> = sources
                .filter(|to| !functions.iter().any(|f| f == *to))
                .collect();
            for function in &functions {
                let to = sources.iter().map(|to| (**to).to_owned());
                edges.extend(to.map(|to| (function.clone(), to, ACCESS)));
            }
        }
    }
    built.edges.extend(edges);
}

/// The nodes that an argument names in any instance.
fn named(built: &Built, names: &Names, id: &str, path: &str, of: Subject) -> Vec<String> {
    let instances = built.instances(id);
    let named = instances
        .iter()
        .flat_map(|values| names.at(built, id, values, path, of).nodes);
    named.collect()
}

/// What a policy is about: what it refers to, through other policies and documents.
fn targets(built: &Built, referred: &BTreeMap<&str, Vec<&str>>, policy: &str) -> BTreeSet<String> {
    let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut left = vec![policy];
    while let Some(id) = left.pop() {
        for to in referred.get(id).into_iter().flatten() {
            let Some(node) = built.nodes.get(*to).filter(|_| seen.insert(*to)) else {
                continue;
            };
            match node.type_name.as_str() {
                // Another role has policies of its own.
                "aws_iam_role" => {}
                kind if kind.starts_with(ABOUT) => left.push(to),
                _ if node.kind.word() == "resource" => drop(found.insert((*to).to_owned())),
                _ => {}
            }
        }
    }
    found
}
