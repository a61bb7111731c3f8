//! Drawings of what was analyzed.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{Arrow, Drawing, Look, Vertex};
use crate::graph::{Built, Node};
use crate::inventory::{Exposures, Verdict};
use crate::rules::walk;
use crate::summary::counted;

/// What stands for the internet.
const INTERNET: &str = "internet";

/// What of a graph is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Everything: arrows lead to what is referred to.
    Everything,
    /// What the internet reaches or may reach: arrows lead where traffic or access goes.
    Exposed,
}

impl Drawing {
    /// The drawing of what was analyzed, with at most so many nodes if nodes can be drawn as one.
    pub fn of_built(built: &Built, part: Part, most: usize) -> Self {
        let looks = Looks::of(built);
        let kept = match part {
            Part::Everything => built.nodes.keys().map(String::as_str).collect(),
            Part::Exposed => looks.reached(built),
        };
        let has_roots = built.roots.len() + built.refused.len() > 1;
        let mut vertices = Vec::new();
        for id in &kept {
            let Some(node) = built.nodes.get(*id) else {
                continue;
            };
            vertices.push(Vertex {
                id,
                root: if has_roots { built.place_of(id).0 } else { "" },
                type_name: &node.type_name,
                look: looks.of_node(node),
            });
        }
        let places = vertices.iter().enumerate();
        let places: BTreeMap<&str, usize> = places.map(|(at, one)| (one.id, at)).collect();
        let mut arrows = match part {
            Part::Everything => references(built, &places),
            Part::Exposed => traffic(built, &places),
        };
        if part == Part::Exposed {
            arrows.extend(from_internet(&vertices, &looks));
            vertices.push(alone(INTERNET, Look::Plain));
        }
        let unread = format!(
            "{} not read",
            counted(built.unread.len(), "file or root module")
        );
        if !built.unread.is_empty() {
            vertices.push(alone(&unread, Look::Unresolved));
        }
        Self::of(&vertices, &arrows, most)
    }
}

/// A vertex that is no node of the graph.
fn alone(id: &str, look: Look) -> Vertex<'_> {
    Vertex {
        id,
        root: "",
        type_name: id,
        look,
    }
}

fn references(built: &Built, places: &BTreeMap<&str, usize>) -> Vec<Arrow> {
    let edges = built.edges.iter().filter_map(|(from, to, kind)| {
        Some(Arrow {
            from: *places.get(from.as_str())?,
            to: *places.get(to.as_str())?,
            is_dashed: *kind == "depends_on",
        })
    });
    edges.collect()
}

fn traffic(built: &Built, places: &BTreeMap<&str, usize>) -> Vec<Arrow> {
    let ways = built.traffic.iter().filter_map(|(from, to)| {
        Some(Arrow {
            from: *places.get(from.as_str())?,
            to: *places.get(to.as_str())?,
            is_dashed: false,
        })
    });
    ways.collect()
}

/// Arrows from the internet, which is the next vertex: dashed to what it may reach.
fn from_internet(vertices: &[Vertex<'_>], looks: &Looks<'_>) -> Vec<Arrow> {
    let starts = vertices.iter().enumerate().filter_map(|(at, vertex)| {
        let is_exposed = looks.exposed.contains(vertex.id);
        let is_start = is_exposed || looks.unresolved.contains(vertex.id);
        is_start.then_some(Arrow {
            from: vertices.len(),
            to: at,
            is_dashed: !is_exposed,
        })
    });
    starts.collect()
}

/// What decides how nodes look.
struct Looks<'b> {
    exposed: BTreeSet<&'b str>,
    unresolved: BTreeSet<&'b str>,
}

impl<'b> Looks<'b> {
    fn of(built: &'b Built) -> Self {
        let exposures = Exposures::of(built);
        let exposed = built
            .nodes
            .values()
            .filter(|node| exposures.of_node(node).verdict == Verdict::Yes);
        Self {
            exposed: exposed.map(|node| node.id.as_str()).collect(),
            unresolved: built.unresolved_nodes(),
        }
    }

    fn of_node(&self, node: &Node) -> Look {
        let id = node.id.as_str();
        if self.exposed.contains(id) {
            Look::Exposed
        } else if self.unresolved.contains(id) {
            Look::Unresolved
        } else if node.datastore {
            Look::Datastore
        } else {
            Look::Plain
        }
    }

    /// What the internet reaches or may reach.
    fn reached(&self, built: &'b Built) -> BTreeSet<&'b str> {
        let mut kept = BTreeSet::new();
        for start in self.exposed.union(&self.unresolved) {
            kept.insert(*start);
            // Nothing goes on behind a datastore.
            if built.nodes.get(*start).is_some_and(|node| !node.datastore) {
                kept.extend(walk(built, start).into_keys());
            }
        }
        kept
    }
}
