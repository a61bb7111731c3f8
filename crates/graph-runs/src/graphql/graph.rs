//! The graph of a complete run: its nodes and edges.

use std::collections::BTreeSet;

use async_graphql::{Enum, InputObject, SimpleObject};
use serde_json::json;

use crate::model;
use crate::store::Runs;
use trestle_api::{ApiError, PageArgs};
use trestle_terraform::stored::{Carries, EdgeRow, NodeRow, Reach};

use super::numbered::{Matching, numbered};

/// The most characters of an id in a message.
const MAX_SHOWN: usize = 200;

/// A filter of nodes. Only nodes that match every given field are listed.
#[derive(InputObject, Default)]
pub struct GraphNodeFilter {
    /// Only nodes of one of these types, such as `aws_instance`. All if omitted or empty.
    types: Option<BTreeSet<String>>,
    /// Only nodes whose id contains this text.
    id_contains: Option<String>,
    /// Only nodes that the internet reaches, or only others.
    internet_exposed: Option<bool>,
    /// Only nodes that store data, or only others.
    datastore: Option<bool>,
    /// Only nodes whose exposure could not be decided, or only others.
    unresolved: Option<bool>,
}

/// A filter of edges. Only edges that match every given field are listed.
#[derive(InputObject, Default)]
pub struct GraphEdgeFilter {
    /// Only edges from this node.
    from: Option<String>,
    /// Only edges to this node.
    to: Option<String>,
    /// Only edges of this kind, such as `reference`.
    kind: Option<String>,
}

/// A node of a graph.
#[derive(SimpleObject)]
pub struct GraphNode {
    /// The node's id in the graph: its address.
    node_id: String,
    /// The kind of block: `resource`, `data` or `module`.
    kind: Option<String>,
    /// The type, such as `aws_instance`.
    #[graphql(name = "type")]
    type_name: Option<String>,
    /// The name.
    name: Option<String>,
    /// The file that declares it.
    file: Option<String>,
    /// The line where it begins.
    line: Option<u32>,
    /// Number of instances. Null if it is not known.
    instances: Option<u32>,
    /// Whether the internet reaches it.
    internet_exposed: bool,
    /// Whether it stores data.
    datastore: bool,
    /// Whether its exposure could not be decided.
    unresolved: bool,
    /// The attributes of the first instance as JSON text, without secrets.
    attributes: Option<String>,
}

/// An edge of a graph.
#[derive(SimpleObject)]
pub struct GraphEdge {
    /// The id of the node that it comes from.
    pub(super) from: String,
    /// The id of the node that it goes to.
    pub(super) to: String,
    /// The kind of relation. May be empty.
    pub(super) kind: String,
    /// Where traffic or access goes along the edge. Null if it carries none, and in differences.
    pub(super) carries: Option<GraphEdgeDirection>,
}

/// Where traffic or access goes along an edge.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "Carries")]
pub enum GraphEdgeDirection {
    /// From the node that the edge comes from.
    Forward,
    /// To the node that the edge comes from.
    Backward,
}

/// A path over the edges that carry traffic or access.
#[derive(SimpleObject)]
pub struct GraphPath {
    /// The nodes on the path, from its start to its end.
    nodes: Vec<GraphNode>,
}

numbered!(
    /// A page of nodes.
    GraphNodeConnection
    /// A node in a list.
    GraphNodeEdge of GraphNode
);

numbered!(
    /// A page of edges.
    GraphEdgeConnection
    /// An edge in a list.
    GraphEdgeEdge of GraphEdge
);

impl GraphNodeFilter {
    /// As cursors are bound to it.
    fn text(&self) -> String {
        let flags = [self.internet_exposed, self.datastore, self.unresolved];
        json!([self.types, self.id_contains, flags]).to_string()
    }

    fn matches(&self, node: &NodeRow) -> bool {
        let is = |wanted: Option<bool>, flag: bool| wanted.is_none_or(|wanted| wanted == flag);
        let types = self.types.as_ref().filter(|types| !types.is_empty());
        types.is_none_or(|types| types.contains(&*node.type_name))
            && is(self.internet_exposed, node.internet_exposed)
            && is(self.datastore, node.datastore)
            && is(self.unresolved, node.unresolved)
            && (self.id_contains.as_ref()).is_none_or(|text| node.id.contains(text.as_str()))
    }
}

impl GraphEdgeFilter {
    /// As cursors are bound to it.
    fn text(&self) -> String {
        json!([self.from, self.to, self.kind]).to_string()
    }

    fn matches(&self, edge: EdgeRow<'_>) -> bool {
        let is = |wanted: &Option<String>, text: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted == text)
        };
        is(&self.from, edge.from) && is(&self.to, edge.to) && is(&self.kind, edge.kind)
    }
}

impl From<&NodeRow> for GraphNode {
    fn from(row: &NodeRow) -> Self {
        let details = row.details();
        let attributes = details.attributes.filter(|value| !value.is_null());
        Self {
            node_id: row.id.to_string(),
            kind: details.kind,
            type_name: (!row.type_name.is_empty()).then(|| row.type_name.to_string()),
            name: details.name,
            file: details.file,
            line: details.line,
            instances: details.instances,
            internet_exposed: row.internet_exposed,
            datastore: row.datastore,
            unresolved: row.unresolved,
            attributes: attributes.map(|value| value.to_string()),
        }
    }
}

impl From<EdgeRow<'_>> for GraphEdge {
    fn from(edge: EdgeRow<'_>) -> Self {
        Self {
            from: edge.from.to_owned(),
            to: edge.to.to_owned(),
            kind: edge.kind.to_owned(),
            carries: edge.carries.map(Into::into),
        }
    }
}

/// What binds a cursor: the list, the run, its graph and the filter.
fn list(what: &str, run: &model::Run, filter: &str) -> String {
    let hash = run.graph_hash.as_ref().map(model::GraphHash::as_str);
    format!("{what} {} {} {filter}", run.id, hash.unwrap_or_default())
}

impl GraphNodeConnection {
    /// A page of a run's nodes; `None` unless it is complete.
    ///
    /// # Errors
    /// BAD_USER_INPUT, or that the object store fails.
    pub async fn page(
        store: &Runs,
        run: &model::Run,
        filter: GraphNodeFilter,
        args: PageArgs,
    ) -> Result<Option<Self>, ApiError> {
        let Some(rows) = store.rows(run).await? else {
            return Ok(None);
        };
        let list = list("nodes", run, &filter.text());
        let node = |place: usize| rows.nodes.get(place);
        let matches = |place| node(place).is_some_and(|node| filter.matches(node));
        let matching = Matching::of(&args, &list, 0..rows.nodes.len(), matches)?;
        let node = |place| node(place).map(GraphNode::from);
        Ok(Some(Self::of(&args, &list, matching, node)))
    }
}

/// The error of an argument that names no node of the graph. An empty list would say that it reaches nothing.
fn no_node(argument: &str, id: &str) -> ApiError {
    let shown: String = id.chars().take(MAX_SHOWN).collect();
    ApiError::bad_input(format!(
        "`{argument}` is `{shown}`: the graph of the run has no such node. `nodes` lists them."
    ))
}

impl GraphNodeConnection {
    /// A page of the nodes that a node or the internet reaches; `None` unless the run is complete.
    ///
    /// # Errors
    /// As [`Self::page`].
    pub async fn reached(
        store: &Runs,
        run: &model::Run,
        from: &str,
        filter: GraphNodeFilter,
        args: PageArgs,
    ) -> Result<Option<Self>, ApiError> {
        let Some(rows) = store.rows(run).await? else {
            return Ok(None);
        };
        let reach = Reach::from(&rows, from).ok_or_else(|| no_node("from", from))?;
        let bound = json!([from, filter.text()]).to_string();
        let list = list("reached", run, &bound);
        let node = |place: usize| rows.nodes.get(place);
        let matches =
            |place| reach.has(place) && node(place).is_some_and(|node| filter.matches(node));
        let matching = Matching::of(&args, &list, 0..rows.nodes.len(), matches)?;
        let node = |place| node(place).map(GraphNode::from);
        Ok(Some(Self::of(&args, &list, matching, node)))
    }
}

impl GraphPath {
    /// The shortest path between two nodes; `None` if there is none, or unless the run is complete.
    ///
    /// # Errors
    /// BAD_USER_INPUT for a node that is not in the graph, or that the object store fails.
    pub async fn between(
        store: &Runs,
        run: &model::Run,
        from: &str,
        to: &str,
    ) -> Result<Option<Self>, ApiError> {
        let Some(rows) = store.rows(run).await? else {
            return Ok(None);
        };
        let end = rows.nodes.iter().position(|node| &*node.id == to);
        let end = end.ok_or_else(|| no_node("to", to))?;
        let reach = Reach::from(&rows, from).ok_or_else(|| no_node("from", from))?;
        Ok(reach.path(end).map(|path| {
            let nodes = path.into_iter().filter_map(|place| rows.nodes.get(place));
            let nodes = nodes.map(GraphNode::from).collect();
            Self { nodes }
        }))
    }
}

impl GraphEdgeConnection {
    /// A page of a run's edges; `None` unless it is complete.
    ///
    /// # Errors
    /// As [`GraphNodeConnection::page`].
    pub async fn page(
        store: &Runs,
        run: &model::Run,
        filter: GraphEdgeFilter,
        args: PageArgs,
    ) -> Result<Option<Self>, ApiError> {
        let Some(rows) = store.rows(run).await? else {
            return Ok(None);
        };
        let list = list("edges", run, &filter.text());
        let matches = |place| rows.edge(place).is_some_and(|edge| filter.matches(edge));
        let matching = Matching::of(&args, &list, 0..rows.edge_count(), matches)?;
        let node = |place| rows.edge(place).map(Into::into);
        Ok(Some(Self::of(&args, &list, matching, node)))
    }
}
