//! From which entry points traffic or access reaches each node.

use std::collections::BTreeMap;

use super::exposure::Exposures;
use super::verdict::Verdict;
use crate::graph::Built;
use crate::rules::walk;

/// The most entry points that are named for one node.
const MAX_NAMED: usize = 100;

/// What reaches the nodes.
pub struct Reach<'b> {
    /// From what the internet reaches.
    pub certain: ByNode<'b>,
    /// From what it may reach.
    pub possible: ByNode<'b>,
}

/// The entry points of each node.
#[derive(Default)]
pub struct ByNode<'b>(BTreeMap<&'b str, EntryPoints<'b>>);

/// The first entry points of a node, and how many there are.
#[derive(Clone, Debug, Default)]
pub struct EntryPoints<'b> {
    pub named: Vec<&'b str>,
    pub count: usize,
}

impl<'b> Reach<'b> {
    pub fn of(built: &'b Built, exposures: &Exposures<'_>) -> Self {
        let mut reach = Self {
            certain: ByNode::default(),
            possible: ByNode::default(),
        };
        for node in built.nodes.values() {
            let to = match exposures.of_node(node).verdict {
                Verdict::Yes => &mut reach.certain,
                Verdict::Unknown => &mut reach.possible,
                Verdict::No => continue,
            };
            // Nothing goes on behind a datastore.
            if node.datastore {
                continue;
            }
            for reached in walk(built, &node.id).into_keys() {
                to.add(reached, &node.id);
            }
        }
        reach
    }
}

impl<'b> ByNode<'b> {
    fn add(&mut self, node: &'b str, by: &'b str) {
        let points = self.0.entry(node).or_default();
        points.count += 1;
        if points.named.len() < MAX_NAMED {
            points.named.push(by);
        }
    }

    /// The entry points that reach a node, besides itself.
    pub fn of_node(&self, node: &str) -> EntryPoints<'b> {
        self.0.get(node).cloned().unwrap_or_default()
    }
}
