//! An inventory: every resource of all root modules, whether the internet reaches it, whether it stores data, and what reaches it.

#[cfg(feature = "command")]
mod csv;
mod exposure;
mod json;
mod reach;
mod verdict;

use std::collections::BTreeMap;

use super::graph::{Built, Node};
use super::rules::types;
use super::terraform::Kind;
pub(crate) use exposure::Exposures;
use reach::{EntryPoints, Reach};

pub use verdict::Verdict;

/// An inventory of what was analyzed.
#[derive(Debug)]
pub struct Inventory<'b> {
    /// The resources, and the modules that are not part of what was analyzed.
    pub entries: Vec<Entry<'b>>,
    /// The files that cannot be read, and the root modules that cannot be analyzed, each with the reason.
    pub unread: &'b BTreeMap<String, String>,
}

/// A resource, or a module that is not part of what was analyzed.
#[derive(Debug)]
pub struct Entry<'b> {
    node: &'b Node,
    /// The folder of its root module.
    root: &'b str,
    /// Its address in the root module.
    address: &'b str,
    exposed: Verdict,
    /// What makes it exposed, or why that is not known.
    reasons: Vec<String>,
    datastore: Verdict,
    /// The entry points from which traffic or access reaches it.
    reached_from: EntryPoints<'b>,
    /// The same of nodes that may be entry points.
    may_be_reached_from: EntryPoints<'b>,
}

/// The inventory of an analysis.
pub fn inventory(built: &Built) -> Inventory<'_> {
    let exposures = Exposures::of(built);
    let reach = Reach::of(built, &exposures);
    let undecided = built.unresolved_nodes();
    let nodes = built.nodes.values().filter(|node| match node.kind {
        Kind::Resource => node.instances != Some(0),
        // It stands for resources that are not known.
        Kind::Module => node.instances != Some(0) && undecided.contains(node.id.as_str()),
        Kind::Data => false,
    });
    let entries = nodes.map(|node| {
        let (root, address) = built.place_of(&node.id);
        let exposure = exposures.of_node(node);
        Entry {
            node,
            root,
            address,
            exposed: exposure.verdict,
            reasons: exposure.reasons,
            datastore: datastore(node),
            reached_from: reach.certain.of_node(&node.id),
            may_be_reached_from: reach.possible.of_node(&node.id),
        }
    });
    Inventory {
        entries: entries.collect(),
        unread: &built.unread,
    }
}

fn datastore(node: &Node) -> Verdict {
    if node.datastore {
        Verdict::Yes
    } else if node.kind == Kind::Resource && types::is_looked_at(&node.type_name) {
        Verdict::No
    } else {
        Verdict::Unknown
    }
}
