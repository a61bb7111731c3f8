//! Nodes of a plan.

use std::sync::Arc;

use crate::address::{plain, split};
use crate::graph::{Built, Node};
use crate::terraform::Kind;

/// How deep modules call each other.
pub const MAX_MODULES: usize = 64;

/// A node without values.
pub fn node(kind: Kind, id: String, type_name: String, name: String) -> Node {
    let key = split(&id).1.to_owned();
    let provider_name = match kind {
        Kind::Module => "",
        Kind::Resource | Kind::Data => type_name.split('_').next().unwrap_or_default(),
    };
    let provider_name = provider_name.to_owned();
    Node {
        id,
        key,
        kind,
        type_name,
        name,
        provider_name,
        file: None,
        line: None,
        last_line: None,
        ignores: Arc::default(),
        instances: Some(1),
        repeated_by: None,
        provider: None,
        instances_hash: None,
        values: Arc::default(),
        attributes: Arc::default(),
        redacted: 0,
        internet_exposed: false,
        datastore: false,
    }
}

/// Adds a node at its address, and at those without keys.
pub fn add(built: &mut Built, node: Node) {
    let id = node.id.clone();
    let (block, whole) = (split(&id).0.to_owned(), plain(&id));
    if block != whole {
        built.blocks.entry(block).or_default().push(id.clone());
    }
    built.blocks.entry(whole).or_default().push(id.clone());
    built.nodes.insert(id, node);
}
