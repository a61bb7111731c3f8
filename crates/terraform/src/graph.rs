//! The graph of a configuration or a plan, and what the rules found out about it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::address::split;
use super::finding::{Finding, Severity};
use super::imported::{Import, Imported};
use super::rules::types;
use super::secret::without_secrets;
use super::terraform::{Ignore, Kind};
use super::unusable::Unusable;
use super::value::Value;
use super::value_files::ValueFiles;
use super::warning::Warning;

/// The values of one instance of a block.
pub type Values = BTreeMap<String, Value>;

/// The rule about what the internet reaches.
pub const EXPOSED: &str = "internet-exposed";

/// A node of the graph.
#[derive(Debug)]
pub struct Node {
    /// Its address, with the key of the instance: `aws_instance.web["a"]`.
    pub id: String,
    /// The key: `["a"]`; empty if it has none.
    pub key: String,
    /// Its kind.
    pub kind: Kind,
    /// Its type.
    pub type_name: String,
    /// Its name.
    pub name: String,
    /// The name of its provider, such as `aws`; empty for a module.
    pub provider_name: String,
    /// The file that declares it.
    pub file: Option<String>,
    /// The line where it begins.
    pub line: Option<usize>,
    /// The line where it ends.
    pub last_line: Option<usize>,
    /// The comments in and above its block that ignore rules.
    pub ignores: Arc<Vec<Ignore>>,
    /// How many instances it stands for, if known.
    pub instances: Option<usize>,
    /// What decides their number, if that is not known: the expression.
    pub repeated_by: Option<String>,
    /// The configuration of its provider, if known. Resources with equal ones are in the same account and region.
    pub provider: Option<String>,
    /// The values of the instance; of several, if their number is not known.
    pub values: Arc<Vec<Values>>,
    /// Its attributes without secrets.
    pub attributes: Arc<Json>,
    /// How many values are left out of the attributes.
    pub redacted: usize,
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
    /// The rule that is undecided for the node; `None` if no rule depends on it.
    pub rule: Option<&'static str>,
}

/// A rule, a node and a message: what makes a finding or a note.
pub type Said = (&'static str, String, String);

/// A graph, and what is known about it.
#[derive(Debug, Default)]
pub struct Built {
    /// The nodes by their ids.
    pub nodes: BTreeMap<String, Node>,
    /// The nodes of each block that is declared, by its address without the key.
    pub blocks: BTreeMap<String, Vec<String>>,
    /// The edges: from, to, kind.
    pub edges: BTreeSet<(String, String, &'static str)>,
    /// The arguments by which a resource refers to another one, if its type has arguments along which something goes.
    pub arguments: BTreeMap<(String, String), BTreeSet<Arc<str>>>,
    /// From where to where edges carry traffic or access.
    pub traffic: BTreeSet<(String, String)>,
    /// Risks.
    pub findings: Vec<Finding>,
    /// Why the exposure of a node is not decided.
    pub unresolved: BTreeSet<Note>,
    /// What else is not known.
    pub notes: BTreeSet<Note>,
    /// Which rule has looked at which node.
    pub looked: BTreeSet<(&'static str, String)>,
    /// The types of resources that no rule has looked at, each with the number of nodes.
    pub not_looked_at: BTreeMap<String, usize>,
    /// Whether it is of a plan. A plan has only the addresses of what an argument refers to, not their expression.
    pub is_plan: bool,
    /// The folders of the root modules, empty for the folder that was analyzed.
    pub roots: Vec<String>,
    /// The nodes by which a rule says something of another one, such as the rules of a security group.
    pub through: BTreeMap<Said, BTreeSet<String>>,
    /// Findings that are suppressed, each with the reason.
    pub suppressed: Vec<(Finding, String)>,
    /// What is wrong with comments that ignore rules.
    pub warnings: BTreeSet<Warning>,
    /// The files with values of variables.
    pub value_files: ValueFiles,
    /// The files that cannot be read, and the root modules that cannot be analyzed, each with the reason.
    pub unread: BTreeMap<String, String>,
    /// The folders of the root modules that cannot be analyzed.
    pub refused: BTreeSet<String>,
    /// The addresses of the module blocks whose modules are not among the files.
    pub absent: BTreeSet<String>,
    /// Findings of other programs, for each resource that they are about.
    pub imported: Vec<Imported>,
    /// The reports that these are of.
    pub imports: Vec<Import>,
    /// What has moved: the address before, and the one after.
    pub moved: BTreeSet<(String, String)>,
}

impl Built {
    /// The nodes at an address: an instance, or all of a block.
    pub fn at(&self, address: &str) -> Vec<&str> {
        if let Some((id, _)) = self.nodes.get_key_value(address) {
            return vec![id];
        }
        if let Some(ids) = self.blocks.get(address) {
            return ids.iter().map(String::as_str).collect();
        }
        // One node may stand for all instances.
        match self.nodes.get_key_value(split(address).0) {
            Some((id, _)) => vec![id.as_str()],
            None => Vec::new(),
        }
    }

    /// The folder of the root module of a node, and the node's address in it.
    pub fn place_of<'b>(&'b self, id: &'b str) -> (&'b str, &'b str) {
        let roots = self.roots.iter().map(String::as_str);
        if self.roots.len() + self.refused.len() > 1 {
            let own =
                roots.filter_map(|root| Some((root, id.strip_prefix(root)?.strip_prefix('/')?)));
            // One root may be in the folder of another one.
            if let Some(place) = own.max_by_key(|(root, _)| root.len()) {
                return place;
            }
        }
        (self.roots.first().map_or("", String::as_str), id)
    }

    /// The values of the nodes at an address.
    pub fn instances(&self, address: &str) -> Arc<Vec<Values>> {
        if let Some(node) = self.nodes.get(address) {
            return Arc::clone(&node.values);
        }
        let nodes = self
            .at(address)
            .into_iter()
            .filter_map(|id| self.nodes.get(id));
        let values = nodes.flat_map(|node| node.values.iter().cloned());
        Arc::new(values.collect())
    }

    /// Notes by which arguments a resource refers to another one, if something may go along there.
    pub fn refers_by(&mut self, from: &str, to: &str, arguments: &BTreeSet<Arc<str>>) {
        let node = self.nodes.get(from);
        if node.is_some_and(|node| types::has_links(&node.type_name)) {
            let ends = (from.to_owned(), to.to_owned());
            self.arguments
                .entry(ends)
                .or_default()
                .extend(arguments.iter().cloned());
        }
    }

    /// Adds the nodes and edges of another root module, and what is noted of them.
    pub fn absorb(&mut self, root: Built) {
        self.nodes.extend(root.nodes);
        self.blocks.extend(root.blocks);
        self.edges.extend(root.edges);
        self.arguments.extend(root.arguments);
        self.traffic.extend(root.traffic);
        self.unresolved.extend(root.unresolved);
        self.notes.extend(root.notes);
        self.looked.extend(root.looked);
        self.moved.extend(root.moved);
        self.absent.extend(root.absent);
    }

    /// Notes something that is not known about a node and decides nothing.
    pub fn note(&mut self, node: &str, message: String) {
        let (node, message) = (node.to_owned(), without_secrets(&message));
        let rule = None;
        self.notes.insert(Note {
            node,
            message,
            rule,
        });
    }

    /// Notes why the exposure of a node is not decided.
    pub fn undecided(&mut self, node: &str, message: String) {
        self.undecided_by(EXPOSED, node, message);
    }

    /// Notes why a rule about exposure is not decided for a node.
    pub fn undecided_by(&mut self, rule: &'static str, node: &str, message: String) {
        self.looked(rule, node);
        let (node, message) = (node.to_owned(), without_secrets(&message));
        self.unresolved.insert(Note {
            node,
            message,
            rule: Some(rule),
        });
    }

    /// Notes why a rule that is not about exposure is not decided for a node.
    pub fn unsure(&mut self, rule: &'static str, node: &str, message: String) {
        self.looked(rule, node);
        let (node, message) = (node.to_owned(), without_secrets(&message));
        self.notes.insert(Note {
            node,
            message,
            rule: Some(rule),
        });
    }

    /// Notes that a rule has looked at a node.
    pub fn looked(&mut self, rule: &'static str, node: &str) {
        self.looked.insert((rule, node.to_owned()));
    }

    /// Adds a finding.
    pub fn find(&mut self, severity: Severity, rule: &'static str, node: &str, message: String) {
        self.looked(rule, node);
        self.findings.push(Finding {
            severity,
            node: node.to_owned(),
            rule,
            message: without_secrets(&message),
        });
    }

    /// Adds a finding about a node that another node is the cause of, or the node itself.
    pub fn find_through(
        &mut self,
        severity: Severity,
        rule: &'static str,
        node: &str,
        by: &str,
        message: String,
    ) {
        self.through(rule, node, by, &message);
        self.find(severity, rule, node, message);
    }

    /// Notes why a rule is not decided for a node because of another one, or of the node itself.
    pub fn undecided_through(&mut self, rule: &'static str, node: &str, by: &str, message: String) {
        self.through(rule, node, by, &message);
        self.undecided_by(rule, node, message);
    }

    fn through(&mut self, rule: &'static str, node: &str, by: &str, message: &str) {
        let said = (rule, node.to_owned(), without_secrets(message));
        self.through.entry(said).or_default().insert(by.to_owned());
    }

    /// Marks a node that the internet reaches.
    pub fn expose(&mut self, id: &str) {
        self.looked(EXPOSED, id);
        if let Some(node) = self.nodes.get_mut(id) {
            node.internet_exposed = true;
        }
    }

    /// What a rule says about a node that it has looked at.
    pub fn undecided_notes(&self) -> impl Iterator<Item = &Note> {
        let notes = self.notes.iter().filter(|note| note.rule.is_some());
        self.unresolved.iter().chain(notes)
    }

    /// The nodes whose exposure is not decided.
    pub fn unresolved_nodes(&self) -> BTreeSet<&str> {
        self.unresolved
            .iter()
            .map(|note| note.node.as_str())
            .collect()
    }

    /// The findings of other programs that are not suppressed.
    pub fn imported_findings(&self) -> impl Iterator<Item = &Imported> {
        let all = self.imported.iter();
        all.filter(|one| one.suppressed.is_none())
    }

    /// The graph as JSON.
    pub fn graph(&self) -> Json {
        let unresolved = self.unresolved_nodes();
        let mut nodes = Vec::with_capacity(self.nodes.len());
        for node in self.nodes.values() {
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
                "attributes": &*node.attributes,
            });
            if let Some(hash) = &node.instances_hash {
                text["instancesHash"] = json!(hash);
            }
            nodes.push(text);
        }
        let mut edges = Vec::with_capacity(self.edges.len());
        for (from, to, kind) in &self.edges {
            let mut text = json!({ "from": from, "to": to, "kind": kind });
            // Of the other kinds, the kind itself says what they carry.
            if *kind == "reference" && self.carries(from, to) {
                text["carries"] = json!("forward");
            } else if *kind == "reference" && self.carries(to, from) {
                text["carries"] = json!("backward");
            }
            edges.push(text);
        }
        json!({ "version": 2, "nodes": nodes, "edges": edges })
    }

    /// Whether traffic flows from one node to another.
    fn carries(&self, from: &str, to: &str) -> bool {
        let way = (from.to_owned(), to.to_owned());
        self.traffic.contains(&way)
    }
}
