//! Paths from what the internet reaches to what stores data, over what carries traffic or access.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::types::{self, Flow, flow};
use crate::finding::Severity;
use crate::graph::Built;
use crate::value::Value;

const RULE: &str = "exposed-uses-datastore";
/// Types that only describe, and lead nowhere.
const DEAD_ENDS: [&str; 4] = ["aws_iam_", "aws_security_group", "aws_subnet", "aws_vpc"];
/// Arguments with what a service knows of others, which may be a datastore's address.
const KNOWS: [&str; 5] = [
    "app_settings",
    "env",
    "environment",
    "environment_variables",
    "runtime_environment_variables",
];
/// Blocks in which these may be.
const MAX_DEPTH: usize = 16;

/// Finds the datastores that each exposed service reaches.
pub fn classify(built: &mut Built) {
    built.traffic = carries(built);
    let exposed: Vec<String> = built
        .nodes
        .values()
        // An exposed datastore is a finding of its own.
        .filter(|node| node.internet_exposed && !node.datastore)
        .map(|node| node.id.clone())
        .collect();
    for id in exposed {
        built.looked(RULE, &id);
        for path in reached(built, &id) {
            let message = format!(
                "The internet reaches a datastore through it: {}.",
                path.join(" → ")
            );
            built.find(Severity::Medium, RULE, &id, message);
        }
    }
}

/// The nodes that traffic or access reaches from one, each with the one before it on a shortest path.
pub fn walk<'b>(built: &'b Built, from: &'b str) -> BTreeMap<&'b str, &'b str> {
    let mut before: BTreeMap<&str, &str> = BTreeMap::new();
    // Breadth first: the first path to a node is a shortest one.
    let mut left = VecDeque::from([from]);
    while let Some(id) = left.pop_front() {
        let start = (id.to_owned(), String::new());
        let next = built.traffic.range(start..);
        for (_, to) in next.take_while(|(from, _)| from == id) {
            if to == from || before.contains_key(to.as_str()) {
                continue;
            }
            before.insert(to, id);
            // A datastore ends a path: nothing is reached through it.
            if !built.nodes.get(to).is_some_and(|node| node.datastore) {
                left.push_back(to);
            }
        }
    }
    before
}

/// The shortest path to each datastore.
pub fn reached(built: &Built, from: &str) -> Vec<Vec<String>> {
    let before = walk(built, from);
    let mut found = Vec::new();
    for (to, by) in &before {
        let is_datastore = built.nodes.get(*to).is_some_and(|node| node.datastore);
        // Everyone is meant to read what is published.
        if !is_datastore || is_published(built, by, to) {
            continue;
        }
        let mut path = vec![(*to).to_owned()];
        let mut at = *to;
        while let Some(previous) = before.get(at) {
            path.push((*previous).to_owned());
            at = previous;
        }
        path.reverse();
        found.push(path);
    }
    found
}

/// Whether a bucket is what a distribution publishes.
fn is_published(built: &Built, by: &str, bucket: &str) -> bool {
    let (Some(by), Some(bucket)) = (built.nodes.get(by), built.nodes.get(bucket)) else {
        return false;
    };
    by.type_name == "aws_cloudfront_distribution" && bucket.type_name == "aws_s3_bucket"
}

/// Where traffic goes from each node.
fn carries(built: &Built) -> BTreeSet<(String, String)> {
    let mut next = BTreeSet::new();
    for (from, to, edge) in &built.edges {
        // Access is what a role allows, and everything in a network that a policy names.
        let (is_from, is_to) = match *edge {
            "access" => (!is_setting(built, to), false),
            "reference" => flows(built, from, to),
            _ => (false, false),
        };
        if is_from {
            next.insert((from.clone(), to.clone()));
        }
        if is_to {
            next.insert((to.clone(), from.clone()));
        }
    }
    next
}

/// Whether traffic goes along the arguments of a resource that name another one: to that one, and back from it.
fn flows(built: &Built, from: &str, to: &str) -> (bool, bool) {
    let row = built
        .nodes
        .get(from)
        .and_then(|node| types::of(&node.type_name));
    let links = row.map_or(&[][..], |row| row.links);
    let ends = (from.to_owned(), to.to_owned());
    let arguments = built.arguments.get(&ends).into_iter().flatten();
    let (mut forward, mut backward) = (false, false);
    for argument in arguments {
        match flow(links, argument) {
            Flow::ComesFrom => backward = true,
            Flow::RoutesTo | Flow::Reads | Flow::Writes => forward = true,
            Flow::ConfiguredBy => {}
        }
    }
    (forward && !is_setting(built, to), backward)
}

/// Whether a type only describes others: traffic that names it goes nowhere.
fn is_setting(built: &Built, id: &str) -> bool {
    let kind = built
        .nodes
        .get(id)
        .map_or("", |node| node.type_name.as_str());
    DEAD_ENDS.iter().any(|dead| kind.starts_with(dead))
}

/// Notes for exposed services what they may reach, because their environment is not known.
pub fn note_unknown(built: &mut Built) {
    let mut found = Vec::new();
    for node in built.nodes.values() {
        let links = types::of(&node.type_name).map_or(&[][..], |row| row.links);
        let reads = links.iter().any(|link| link.flow == Flow::Reads);
        if !node.internet_exposed || !reads {
            continue;
        }
        for values in node.values.iter() {
            if let Some(text) = unknown_environment(values.iter(), MAX_DEPTH) {
                found.push((node.id.clone(), text));
            }
        }
    }
    for (id, text) in found {
        let text = crate::quote::without_literals(&text);
        built.unsure(
            RULE,
            &id,
            format!("Its environment is not known: it is `{text}`."),
        );
    }
}

fn unknown_environment<'v>(
    values: impl Iterator<Item = (&'v String, &'v Value)>,
    depth: usize,
) -> Option<String> {
    let mut values = values;
    values.find_map(|(name, value)| inside(name, value, depth))
}

fn inside(name: &str, value: &Value, depth: usize) -> Option<String> {
    match value {
        Value::Unknown(text) | Value::Several(text) if KNOWS.contains(&name) || is_block(name) => {
            Some(text.clone())
        }
        Value::List(list) | Value::Choice { of: list, .. } if depth > 0 => {
            list.iter().find_map(|one| inside(name, one, depth - 1))
        }
        Value::Map(map) if depth > 0 => {
            let is_known = KNOWS.contains(&name);
            map.iter().find_map(|(member, value)| match value {
                Value::Unknown(text) if is_known => Some(text.clone()),
                value => inside(member, value, depth - 1),
            })
        }
        _ => None,
    }
}

/// Whether a block has an environment in it.
fn is_block(name: &str) -> bool {
    let ends = ["_configuration", "_repository"];
    ends.iter().any(|end| name.ends_with(end)) && !name.starts_with("network")
}
