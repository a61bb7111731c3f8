//! Reading a graph element by element, whatever its size.

use std::fmt;
use std::io::Read;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess};
use serde::{Deserializer, de};
use serde_json::Value;

/// The most bytes of a node's id.
const MAX_ID: usize = 1024;
/// The most bytes of everything in a graph besides its nodes and edges.
const MAX_OTHERS: usize = 64 * 1024;

/// What is wrong with a graph: a sentence for whoever wrote it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct GraphProblem(pub String);

/// A node, as it stands in a graph.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its id.
    pub id: String,
    /// Whether it faces the internet.
    pub internet_exposed: bool,
    /// Whether it stores data.
    pub datastore: bool,
    /// Whether its exposure could not be decided.
    pub unresolved: bool,
    /// The whole node as canonical JSON.
    pub canonical: Vec<u8>,
}

/// An edge, as it stands in a graph.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The id of the node that it comes from.
    pub from: String,
    /// The id of the node that it goes to.
    pub to: String,
    /// What it is; empty where it does not say.
    pub kind: String,
    /// Where traffic or access goes along it.
    pub carries: Option<Carries>,
    /// The whole edge as canonical JSON.
    pub canonical: Vec<u8>,
}

/// Where traffic or access goes along an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carries {
    /// From the node that the edge comes from.
    Forward,
    /// To the node that the edge comes from.
    Backward,
}

/// What learns of a graph's elements, in the order of the text.
pub trait Visitor {
    /// Members of a node that it does not look at.
    const LEFT_OUT: &'static [&'static str] = &[];

    /// A node.
    ///
    /// # Errors
    /// Why the graph cannot have it.
    fn node(&mut self, node: Node) -> Result<(), GraphProblem>;

    /// An edge. Its nodes may come later.
    ///
    /// # Errors
    /// Why the graph cannot have it.
    fn edge(&mut self, edge: Edge) -> Result<(), GraphProblem>;

    /// Anything else that the graph says of itself, as canonical JSON.
    fn other(&mut self, _name: &str, _canonical: Vec<u8>) {}
}

/// Reads a graph. Only one element is held at a time.
///
/// # Errors
/// What is wrong with the graph: its JSON, its shape, or what the visitor says.
pub fn read(text: impl Read, visitor: &mut impl Visitor) -> Result<(), GraphProblem> {
    let mut problem = None;
    let mut json = serde_json::Deserializer::from_reader(text);
    let seed = Whole {
        visitor,
        problem: &mut problem,
    };
    let read = json.deserialize_map(seed).and_then(|()| json.end());
    match (problem, read) {
        (Some(problem), _) => Err(problem),
        (None, Ok(())) => Ok(()),
        (None, Err(error)) => Err(GraphProblem(format!(
            "The graph is not JSON of its shape: {error}."
        ))),
    }
}

fn canonical(value: &Value) -> Result<Vec<u8>, GraphProblem> {
    serde_json_canonicalizer::to_vec(value)
        .map_err(|error| GraphProblem(format!("The graph has no canonical JSON: {error}.")))
}

struct Whole<'v, V> {
    visitor: &'v mut V,
    problem: &'v mut Option<GraphProblem>,
}

impl<'de, V: Visitor> de::Visitor<'de> for Whole<'_, V> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `nodes` and `edges`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (mut nodes, mut edges, mut others) = (0, 0, 0);
        let mut seen = std::collections::BTreeSet::new();
        while let Some(name) = map.next_key::<String>()? {
            let kind = match name.as_str() {
                "nodes" => {
                    nodes += 1;
                    Some(Kind::Node)
                }
                "edges" => {
                    edges += 1;
                    Some(Kind::Edge)
                }
                _ => None,
            };
            match kind {
                Some(kind) => map.next_value_seed(Elements {
                    kind,
                    visitor: &mut *self.visitor,
                    problem: &mut *self.problem,
                })?,
                None => {
                    let text = match canonical(&map.next_value()?) {
                        Ok(text) => text,
                        Err(problem) => return Err(stop(self.problem, problem)),
                    };
                    others += name.len() + text.len();
                    if others > MAX_OTHERS {
                        let message = "Besides its nodes and edges, a graph holds at most 64 KiB.";
                        return Err(stop(self.problem, GraphProblem(message.to_owned())));
                    }
                    if !seen.insert(name.clone()) {
                        let message = format!("The graph has `{name}` twice.");
                        return Err(stop(self.problem, GraphProblem(message)));
                    }
                    self.visitor.other(&name, text);
                }
            }
        }
        if (nodes, edges) != (1, 1) {
            let message = "A graph has `nodes` once and `edges` once.";
            return Err(stop(self.problem, GraphProblem(message.to_owned())));
        }
        Ok(())
    }
}

fn stop<E: de::Error>(place: &mut Option<GraphProblem>, problem: GraphProblem) -> E {
    // Serde would add the place in the text to the message.
    *place = Some(problem);
    E::custom("stopped")
}

#[derive(Clone, Copy)]
enum Kind {
    Node,
    Edge,
}

struct Elements<'v, V> {
    kind: Kind,
    visitor: &'v mut V,
    problem: &'v mut Option<GraphProblem>,
}

impl<'de, V: Visitor> DeserializeSeed<'de> for Elements<'_, V> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, V: Visitor> de::Visitor<'de> for Elements<'_, V> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            Kind::Node => "a list of nodes",
            Kind::Edge => "a list of edges",
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut place = 0;
        while let Some(mut value) = seq.next_element::<Value>()? {
            if let (Kind::Node, Some(members)) = (self.kind, value.as_object_mut()) {
                for name in V::LEFT_OUT {
                    members.swap_remove(*name);
                }
            }
            let visited = match self.kind {
                Kind::Node => node(&value, place).and_then(|node| self.visitor.node(node)),
                Kind::Edge => edge(&value, place).and_then(|edge| self.visitor.edge(edge)),
            };
            if let Err(problem) = visited {
                return Err(stop(self.problem, problem));
            }
            place += 1;
        }
        Ok(())
    }
}

fn node(value: &Value, place: usize) -> Result<Node, GraphProblem> {
    let what = || format!("nodes[{place}]");
    Ok(Node {
        id: id(value, "id", what)?,
        internet_exposed: flag(value, "internetExposed", what)?,
        datastore: flag(value, "datastore", what)?,
        unresolved: flag(value, "unresolved", what)?,
        canonical: canonical(value)?,
    })
}

fn edge(value: &Value, place: usize) -> Result<Edge, GraphProblem> {
    let what = || format!("edges[{place}]");
    let kind = match value.get("kind") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(kind)) => kind.clone(),
        Some(_) => return Err(GraphProblem(format!("{}: `kind` is text.", what()))),
    };
    let carries = match (value.get("carries").and_then(Value::as_str), kind.as_str()) {
        (Some("forward"), _) | (None, "access") => Some(Carries::Forward),
        (Some("backward"), _) => Some(Carries::Backward),
        _ => None,
    };
    Ok(Edge {
        carries,
        from: id(value, "from", what)?,
        to: id(value, "to", what)?,
        kind,
        canonical: canonical(value)?,
    })
}

fn id(value: &Value, name: &str, what: impl Fn() -> String) -> Result<String, GraphProblem> {
    match value.get(name) {
        Some(Value::String(id)) if (1..=MAX_ID).contains(&id.len()) => Ok(id.clone()),
        _ => Err(GraphProblem(format!(
            "{} needs `{name}`, a text of 1 to {MAX_ID} bytes.",
            what()
        ))),
    }
}

fn flag(value: &Value, name: &str, what: impl Fn() -> String) -> Result<bool, GraphProblem> {
    match value.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(GraphProblem(format!(
            "{}: `{name}` is true or false.",
            what()
        ))),
    }
}
