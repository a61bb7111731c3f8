//! A graph in memory, to be listed page by page: each node as its canonical JSON, each edge as numbers.

use std::collections::HashMap;
use std::mem::size_of;

use serde::Deserialize;

use super::{Carries, Edge, GraphProblem, Node, Visitor};

/// A node, with what lists are filtered by.
#[derive(Debug)]
pub struct NodeRow {
    /// Its id.
    pub id: Box<str>,
    /// Its type; empty if it has none.
    pub type_name: Box<str>,
    /// Whether it faces the internet.
    pub internet_exposed: bool,
    /// Whether it stores data.
    pub datastore: bool,
    /// Whether its exposure could not be decided.
    pub unresolved: bool,
    canonical: Box<[u8]>,
}

/// What else a node says of itself. Another program's graph may leave any of it out.
#[derive(Debug, Default, Deserialize)]
pub struct Details {
    /// Its kind: `resource`, `data`, `module`.
    #[serde(default, deserialize_with = "leniently")]
    pub kind: Option<String>,
    /// Its name.
    #[serde(default, deserialize_with = "leniently")]
    pub name: Option<String>,
    /// The file that declares it.
    #[serde(default, deserialize_with = "leniently")]
    pub file: Option<String>,
    /// The line where it begins.
    #[serde(default, deserialize_with = "leniently")]
    pub line: Option<u32>,
    /// How many of it there are.
    #[serde(default, deserialize_with = "leniently")]
    pub instances: Option<u32>,
    /// Its attributes.
    pub attributes: Option<serde_json::Value>,
}

/// A value of another form counts as left out.
fn leniently<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: serde::de::DeserializeOwned,
{
    let value = serde_json::Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).ok())
}

/// An edge: its ends and its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeRow<'r> {
    /// The id of the node that it comes from.
    pub from: &'r str,
    /// The id of the node that it goes to.
    pub to: &'r str,
    /// What it is; may be empty.
    pub kind: &'r str,
    /// Where traffic or access goes along it.
    pub carries: Option<Carries>,
}

impl<'r> EdgeRow<'r> {
    /// From where to where traffic or access goes.
    pub fn traffic(&self) -> Option<(&'r str, &'r str)> {
        Some(match self.carries? {
            Carries::Forward => (self.from, self.to),
            Carries::Backward => (self.to, self.from),
        })
    }
}

/// A whole graph.
#[derive(Debug)]
pub struct Rows {
    /// The nodes, in the graph's order.
    pub nodes: Vec<NodeRow>,
    edges: Vec<Numbers>,
    names: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u32>,
    bytes: usize,
    max: usize,
}

/// An edge: the numbers of its ends and of its kind, and where traffic goes.
type Numbers = ([u32; 3], Option<Carries>);

/// What a node costs besides its texts.
const OF_NODE: usize = size_of::<NodeRow>() + 48;
/// What a name costs besides its text, which is kept twice while the graph is read.
const OF_NAME: usize = 96;

impl Rows {
    /// An empty graph of at most `max` bytes.
    pub fn new(max: usize) -> Self {
        Self {
            nodes: Vec::new(),
            edges: Vec::new(),
            names: Vec::new(),
            numbers: HashMap::new(),
            bytes: 0,
            max,
        }
    }

    /// The problem of a graph that takes more than it may.
    pub fn too_large() -> GraphProblem {
        GraphProblem("The graph is too large to be listed.".to_owned())
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The same graph, read to its end.
    pub fn finish(mut self) -> Self {
        // Numbers are looked up by name only while names are added.
        self.numbers = HashMap::new();
        self
    }

    /// How many edges it has.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    fn name(&self, number: u32) -> Option<&str> {
        self.names.get(number as usize).map(AsRef::as_ref)
    }

    /// An edge, by its place in the graph's order.
    pub fn edge(&self, place: usize) -> Option<EdgeRow<'_>> {
        let ([from, to, kind], carries) = *self.edges.get(place)?;
        Some(EdgeRow {
            from: self.name(from)?,
            to: self.name(to)?,
            kind: self.name(kind)?,
            carries,
        })
    }

    fn number(&mut self, name: &str) -> Result<u32, GraphProblem> {
        if let Some(number) = self.numbers.get(name) {
            return Ok(*number);
        }
        self.take(2 * name.len() + OF_NAME)?;
        let number = u32::try_from(self.names.len()).map_err(|_| Self::too_large())?;
        self.names.push(name.into());
        self.numbers.insert(name.into(), number);
        Ok(number)
    }

    fn take(&mut self, bytes: usize) -> Result<(), GraphProblem> {
        self.bytes += bytes;
        if self.bytes > self.max {
            Err(Self::too_large())
        } else {
            Ok(())
        }
    }
}

impl NodeRow {
    /// What else the node says of itself.
    pub fn details(&self) -> Details {
        serde_json::from_slice(&self.canonical).unwrap_or_default()
    }
}

#[derive(Deserialize)]
struct Typed {
    #[serde(rename = "type", default, deserialize_with = "leniently")]
    type_name: Option<String>,
}

impl Visitor for Rows {
    fn node(&mut self, node: Node) -> Result<(), GraphProblem> {
        let typed = serde_json::from_slice::<Typed>(&node.canonical);
        let type_name = typed.ok().and_then(|typed| typed.type_name);
        let type_name = type_name.unwrap_or_default();
        let texts = node.id.len() + type_name.len() + node.canonical.len();
        self.take(texts + OF_NODE)?;
        self.nodes.push(NodeRow {
            id: node.id.into(),
            type_name: type_name.into(),
            internet_exposed: node.internet_exposed,
            datastore: node.datastore,
            unresolved: node.unresolved,
            canonical: node.canonical.into(),
        });
        Ok(())
    }

    fn edge(&mut self, edge: Edge) -> Result<(), GraphProblem> {
        let (from, to) = (self.number(&edge.from)?, self.number(&edge.to)?);
        let kind = self.number(&edge.kind)?;
        self.take(size_of::<Numbers>())?;
        self.edges.push(([from, to, kind], edge.carries));
        Ok(())
    }
}
