//! The graph of a configuration or a plan, and what the rules found out about it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::module::ValueFiles;
use super::rules::Finding;
use super::secret::without_secrets;
use super::terraform::Kind;
use super::unusable::Unusable;
use super::value::Value;

/// The values of one instance of a block.
pub type Values = BTreeMap<String, Value>;

/// A node of the graph.
#[derive(Debug)]
pub struct Node {
    /// The block's address.
    pub id: String,
    /// Its kind.
    pub kind: Kind,
    /// Its type.
    pub type_name: String,
    /// Its name.
    pub name: String,
    /// The file that declares it.
    pub file: Option<String>,
    /// The line where it begins.
    pub line: Option<usize>,
    /// How many of it there are, if known.
    pub instances: Option<usize>,
    /// The values of each instance that differs from the others, as far as they are looked at.
    pub values: Arc<Vec<Values>>,
    /// Its attributes without secrets.
    pub attributes: Json,
    /// The SHA-256 of the attributes of all instances, if these differ.
    pub instances_hash: Option<String>,
    /// Whether it is a service that the internet reaches.
    pub internet_exposed: bool,
    /// Whether it stores data.
    pub datastore: bool,
}

/// The most bytes of a node's id.
const MAX_ID: usize = 1024;

/// # Errors
/// The id is too long to be stored.
pub fn check_id(id: &str) -> Result<(), Unusable> {
    if id.len() <= MAX_ID {
        return Ok(());
    }
    let start: String = id.chars().take(80).collect();
    Err(Unusable(format!(
        "The address `{start}…` has {} bytes; the limit is {MAX_ID}. Shorten the names of the block and its modules.",
        id.len()
    )))
}

/// Something that the files do not tell about a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// The node.
    pub node: String,
    /// What is not known, for people.
    pub message: String,
}

/// A graph, and what is known about it.
#[derive(Debug, Default)]
pub struct Built {
    /// The nodes by their ids.
    pub nodes: BTreeMap<String, Node>,
    /// The edges: from, to, kind.
    pub edges: BTreeSet<(String, String, &'static str)>,
    /// Risks.
    pub findings: Vec<Finding>,
    /// Why the exposure of a node is not decided.
    pub unresolved: BTreeSet<Note>,
    /// What else is not known.
    pub notes: BTreeSet<Note>,
    /// The files with values of variables.
    pub value_files: ValueFiles,
}

impl Built {
    /// The values of a node's instances.
    pub fn instances(&self, id: &str) -> Arc<Vec<Values>> {
        let node = self.nodes.get(id);
        node.map(|node| node.values.clone()).unwrap_or_default()
    }

    /// Notes something that is not known about a node and decides nothing.
    pub fn note(&mut self, node: &str, message: String) {
        let (node, message) = (node.to_owned(), without_secrets(&message));
        self.notes.insert(Note { node, message });
    }

    /// Notes why the exposure of a node is not decided.
    pub fn undecided(&mut self, node: &str, message: String) {
        let (node, message) = (node.to_owned(), without_secrets(&message));
        self.unresolved.insert(Note { node, message });
    }

    /// The nodes whose exposure is not decided.
    pub fn unresolved_nodes(&self) -> BTreeSet<&str> {
        self.unresolved
            .iter()
            .map(|note| note.node.as_str())
            .collect()
    }

    /// The graph as JSON.
    pub fn graph(&self) -> Json {
        let unresolved = self.unresolved_nodes();
        let node = |node: &Node| {
            let mut text = json!({
                "id": node.id,
                "kind": node.kind.word(),
                "type": node.type_name,
                "name": node.name,
                "file": node.file,
                "line": node.line,
                "instances": node.instances,
                "internetExposed": node.internet_exposed,
                "datastore": node.datastore,
                "unresolved": unresolved.contains(node.id.as_str()),
                "attributes": node.attributes,
            });
            if let Some(hash) = &node.instances_hash {
                text["instancesHash"] = json!(hash);
            }
            text
        };
        let edge = |(from, to, kind): &(String, String, &str)| json!({ "from": from, "to": to, "kind": kind });
        json!({
            "version": 2,
            "nodes": self.nodes.values().map(node).collect::<Vec<_>>(),
            "edges": self.edges.iter().map(edge).collect::<Vec<_>>(),
        })
    }
}
