//! Nodes of a plan, and their addresses.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::services::graph_runs::pipeline::graph::Node;
use crate::services::graph_runs::pipeline::terraform::Kind;

/// How deep modules call each other.
pub const MAX_MODULES: usize = 64;

/// A node without instances.
pub fn node(kind: Kind, id: String, type_name: String, name: String) -> Node {
    Node {
        id,
        kind,
        type_name,
        name,
        file: None,
        line: None,
        instances: Some(0),
        instances_hash: None,
        values: Arc::default(),
        attributes: Json::Null,
        internet_exposed: false,
        datastore: false,
    }
}

/// An address without the numbers of instances.
pub fn plain(address: &str) -> String {
    let mut plain = String::with_capacity(address.len());
    let mut depth = 0_usize;
    for c in address.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain
}
