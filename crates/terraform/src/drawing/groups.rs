//! Which groups the nodes of a drawing are in.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{Arrow, Vertex};
use crate::address::parts;
use crate::rules::types::{self, Network};

/// The most modules that groups show inside of each other, and the most resources between a node and its network.
const MAX_DEPTH: usize = 8;
const MAX_BETWEEN: usize = 100;

/// The groups of each node: its root module, its modules and its network. A group of a single node is left out.
pub fn of(vertices: &[Vertex<'_>], arrows: &[Arrow]) -> Vec<Vec<String>> {
    let mut targets: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for arrow in arrows.iter().filter(|arrow| !arrow.is_dashed) {
        targets.entry(arrow.from).or_default().push(arrow.to);
    }
    let mut all = Vec::with_capacity(vertices.len());
    for (at, vertex) in vertices.iter().enumerate() {
        let mut groups = modules(vertex);
        groups.extend(network(vertices, &targets, at));
        all.push(groups);
    }
    let sizes = sizes(&all);
    let mut kept = Vec::with_capacity(all.len());
    for groups in &all {
        let mut groups = groups.as_slice();
        while let Some((_, outer)) = groups.split_last()
            && sizes.get(groups).is_some_and(|size| *size < 2)
        {
            groups = outer;
        }
        kept.push(groups.to_vec());
    }
    kept
}

/// How many nodes are in each group.
pub type Sizes<'g> = BTreeMap<&'g [String], usize>;

/// How many nodes are in each group, by the names of the groups around it and its own.
pub fn sizes(all: &[Vec<String>]) -> Sizes<'_> {
    let mut sizes = Sizes::new();
    for groups in all {
        for path in (1..=groups.len()).filter_map(|depth| groups.get(..depth)) {
            *sizes.entry(path).or_default() += 1;
        }
    }
    sizes
}

/// The root module of a node, if there are several, and the modules that it is in. A module is in its own group.
fn modules(vertex: &Vertex<'_>) -> Vec<String> {
    let mut groups = Vec::new();
    let mut address = vertex.id;
    if !vertex.root.is_empty() {
        groups.push(vertex.root.to_owned());
        let rest = address.strip_prefix(vertex.root);
        address = rest.map_or(address, |rest| rest.trim_start_matches('/'));
    }
    let parts = parts(address);
    let mut rest = parts.iter();
    while let (Some(&"module"), Some(name)) = (rest.next(), rest.next()) {
        groups.push(format!("module.{name}"));
    }
    groups.truncate(MAX_DEPTH);
    groups
}

/// The network that a node is in, if it is the only one.
fn network(
    vertices: &[Vertex<'_>],
    targets: &BTreeMap<usize, Vec<usize>>,
    at: usize,
) -> Option<String> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::from([at]);
    let mut left = vec![at];
    while let Some(next) = left.pop() {
        if seen.len() > MAX_BETWEEN {
            return None;
        }
        let vertex = vertices.get(next)?;
        let network = types::of(vertex.type_name).and_then(|row| row.network);
        if network == Some(Network::Whole) {
            found.insert(vertex.id);
        } else if next == at || network.is_some() {
            let to = targets.get(&next).into_iter().flatten().copied();
            left.extend(to.filter(|to| seen.insert(*to)));
        }
    }
    let only = found.pop_first().filter(|_| found.is_empty())?;
    Some(format!("network {only}"))
}

/// Nodes by the groups that they are in.
#[derive(Default)]
pub struct Tree<'g> {
    /// The groups in this one.
    pub groups: BTreeMap<&'g str, Tree<'g>>,
    /// The places of the nodes in no other group.
    pub own: Vec<usize>,
}

impl<'g> Tree<'g> {
    /// The tree of the groups of all nodes, in their order.
    pub fn of(all: impl Iterator<Item = &'g [String]>) -> Self {
        let mut tree = Self::default();
        for (at, groups) in all.enumerate() {
            let mut inner = &mut tree;
            for group in groups {
                inner = inner.groups.entry(group).or_default();
            }
            inner.own.push(at);
        }
        tree
    }
}
