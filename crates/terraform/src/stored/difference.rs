//! Comparing two graphs by fingerprints of their elements: 16 bytes for each, besides the ids.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Edge, GraphProblem, Node, Visitor};

/// Which element of a graph: a node by its id, an edge by its ends and kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Part {
    /// A node.
    Node {
        /// Its id.
        id: String,
    },
    /// An edge.
    Edge {
        /// The id of the node that it comes from.
        from: String,
        /// The id of the node that it goes to.
        to: String,
        /// What it is; may be empty.
        kind: String,
    },
}

/// How a part of a graph differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ChangeKind {
    /// Only the second graph has it.
    Added,
    /// Only the first graph has it.
    Removed,
    /// Both graphs have it, with different attributes.
    // Its place in the files is not one of them.
    Changed,
}

/// An element that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphChange {
    /// Which.
    pub part: Part,
    /// In what way.
    pub kind: ChangeKind,
}

/// Numbers of nodes and edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartCounts {
    /// Nodes.
    pub nodes: u64,
    /// Edges.
    pub edges: u64,
}

/// How many elements differ in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Parts that only the second graph has.
    pub added: PartCounts,
    /// Parts that only the first graph has.
    pub removed: PartCounts,
    /// Parts that both graphs have, with different attributes.
    pub changed: PartCounts,
}

impl Counts {
    /// Counts changes.
    pub fn of(changes: &[GraphChange]) -> Self {
        let mut counts = Self::default();
        for change in changes {
            let of_kind = match change.kind {
                ChangeKind::Added => &mut counts.added,
                ChangeKind::Removed => &mut counts.removed,
                ChangeKind::Changed => &mut counts.changed,
            };
            match change.part {
                Part::Node { .. } => of_kind.nodes += 1,
                Part::Edge { .. } => of_kind.edges += 1,
            }
        }
        counts
    }
}

/// The fingerprints of a graph's elements.
#[derive(Debug, Default)]
pub struct Fingerprints(BTreeMap<Part, [u8; 16]>);

fn fingerprint(canonical: &[u8]) -> [u8; 16] {
    let digest = Sha256::digest(canonical);
    std::array::from_fn(|i| digest[i])
}

impl Visitor for Fingerprints {
    /// A node that has only moved to another line or file is the same.
    const LEFT_OUT: &'static [&'static str] = &["file", "line"];

    fn node(&mut self, node: Node) -> Result<(), GraphProblem> {
        let print = fingerprint(&node.canonical);
        self.0.insert(Part::Node { id: node.id }, print);
        Ok(())
    }

    fn edge(&mut self, edge: Edge) -> Result<(), GraphProblem> {
        let print = fingerprint(&edge.canonical);
        let Edge { from, to, kind, .. } = edge;
        self.0.insert(Part::Edge { from, to, kind }, print);
        Ok(())
    }
}

/// What differs from one graph to another: nodes by id, then edges by their ends.
pub fn compare(before: &Fingerprints, after: &Fingerprints) -> Vec<GraphChange> {
    let there = after
        .0
        .iter()
        .filter_map(|(part, now)| match before.0.get(part) {
            None => Some(change(part, ChangeKind::Added)),
            Some(then) if then != now => Some(change(part, ChangeKind::Changed)),
            Some(_) => None,
        });
    let gone = before.0.keys().filter(|part| !after.0.contains_key(part));
    let gone = gone.map(|part| change(part, ChangeKind::Removed));
    let mut changes: Vec<_> = there.chain(gone).collect();
    changes.sort_by(|a, b| a.part.cmp(&b.part));
    changes
}

fn change(part: &Part, kind: ChangeKind) -> GraphChange {
    let part = part.clone();
    GraphChange { part, kind }
}
