//! What has moved: a resource that a block `moved` gives another address is the same resource in both analyses.
//! Source: "Refactor modules", the Terraform language documentation.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{Built, Note};

/// Gives the nodes of the first analysis the addresses that they have in the second one.
pub fn follow(base: &mut Built, head: &Built) {
    let mut addresses = BTreeMap::new();
    for id in base.nodes.keys() {
        let to = moved(id, &head.moved);
        if to != *id && head.nodes.contains_key(&to) && !base.nodes.contains_key(&to) {
            addresses.insert(id.clone(), to);
        }
    }
    if addresses.is_empty() {
        return;
    }
    for (id, mut node) in std::mem::take(&mut base.nodes) {
        node.id = renamed(&addresses, &id);
        base.nodes.insert(node.id.clone(), node);
    }
    let edges = std::mem::take(&mut base.edges).into_iter();
    base.edges = edges
        .map(|(from, to, kind)| (renamed(&addresses, &from), renamed(&addresses, &to), kind))
        .collect();
    let traffic = std::mem::take(&mut base.traffic).into_iter();
    base.traffic = traffic
        .map(|(from, to)| (renamed(&addresses, &from), renamed(&addresses, &to)))
        .collect();
    for finding in &mut base.findings {
        finding.node = renamed(&addresses, &finding.node);
        finding.message = in_message(&addresses, &finding.message);
    }
    for notes in [&mut base.unresolved, &mut base.notes] {
        let all = std::mem::take(notes).into_iter();
        *notes = all
            .map(|note| Note {
                node: renamed(&addresses, &note.node),
                ..note
            })
            .collect();
    }
}

/// Where an address is after all moves, each of which applies once.
fn moved(id: &str, moves: &BTreeSet<(String, String)>) -> String {
    let mut at = id.to_owned();
    let mut left: Vec<_> = moves.iter().collect();
    while let Some(place) = left
        .iter()
        .position(|(from, _)| inside(&at, from).is_some())
    {
        let (from, to) = left.swap_remove(place);
        let is_there = inside(&at, to).is_some();
        if let Some(rest) = inside(&at, from).filter(|_| !is_there) {
            at = format!("{to}{rest}");
        }
    }
    at
}

/// The rest of an address that is, or is in, what another one names.
fn inside<'a>(id: &'a str, address: &str) -> Option<&'a str> {
    let rest = id.strip_prefix(address)?;
    (rest.is_empty() || rest.starts_with(['[', '.'])).then_some(rest)
}

fn renamed(addresses: &BTreeMap<String, String>, id: &str) -> String {
    addresses.get(id).map_or(id, String::as_str).to_owned()
}

/// A message that names nodes: between backticks, or as words of a path.
fn in_message(addresses: &BTreeMap<String, String>, message: &str) -> String {
    let words = message.split(' ').map(|word| {
        let name = word.trim_matches(['`', '.', ',', ':']);
        match addresses.get(name) {
            Some(to) => word.replacen(name, to, 1),
            None => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}
