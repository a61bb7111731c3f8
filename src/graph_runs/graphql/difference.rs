//! The difference between two runs' graphs, as the schema has it.

use async_graphql::{Object, SimpleObject};

use crate::api::{ApiError, PageArgs, PageInfo};
use crate::graph_runs::graph::{ChangeKind, GraphChange as Change, Part};
use crate::table::{Direction, cursor};

use super::enums::GraphChangeKind;

/// What differs between two graphs.
pub struct RunDifference {
    /// The two hashes, for the cursors: the graphs of complete runs never change.
    list: String,
    changes: Vec<Change>,
}

impl RunDifference {
    /// The changes between the graphs that `list` names.
    pub fn new(list: String, changes: Vec<Change>) -> Self {
        Self { list, changes }
    }

    fn counts(&self, kind: ChangeKind) -> GraphChangeCounts {
        let of_kind = self.changes.iter().filter(|change| change.kind == kind);
        let is_node = |change: &&Change| matches!(change.part, Part::Node { .. });
        let nodes = of_kind.clone().filter(is_node).count() as u64;
        GraphChangeCounts {
            nodes,
            edges: of_kind.count() as u64 - nodes,
        }
    }
}

/// How many nodes and edges.
#[derive(SimpleObject)]
pub struct GraphChangeCounts {
    /// Nodes.
    nodes: u64,
    /// Edges.
    edges: u64,
}

/// A node or an edge that differs.
#[derive(SimpleObject)]
pub struct GraphChange {
    /// In what way.
    kind: GraphChangeKind,
    /// The id of the node; empty for an edge.
    node_id: Option<String>,
    /// The edge; empty for a node.
    edge: Option<GraphEdge>,
}

/// An edge of a graph.
#[derive(SimpleObject)]
pub struct GraphEdge {
    /// The id of the node that it comes from.
    from: String,
    /// The id of the node that it goes to.
    to: String,
    /// What it is; may be empty.
    kind: String,
}

impl From<&Change> for GraphChange {
    fn from(change: &Change) -> Self {
        let (node_id, edge) = match change.part.clone() {
            Part::Node { id } => (Some(id), None),
            Part::Edge { from, to, kind } => (None, Some(GraphEdge { from, to, kind })),
        };
        Self {
            kind: change.kind.into(),
            node_id,
            edge,
        }
    }
}

/// A page of changes.
#[derive(SimpleObject)]
pub struct GraphChangeConnection {
    /// The changes of the page.
    edges: Vec<GraphChangeEdge>,
    /// Where the page lies in the list.
    page_info: PageInfo,
    /// How many changes there are.
    total_count: u64,
}

/// A change in a list.
#[derive(SimpleObject)]
pub struct GraphChangeEdge {
    /// Its place in the list: give it as `after` or `before`.
    cursor: String,
    /// The change.
    node: GraphChange,
}

/// What differs between two graphs.
#[Object]
impl RunDifference {
    /// What only the second graph has.
    async fn added(&self) -> GraphChangeCounts {
        self.counts(ChangeKind::Added)
    }

    /// What only the first graph has.
    async fn removed(&self) -> GraphChangeCounts {
        self.counts(ChangeKind::Removed)
    }

    /// What both have, and say different things of.
    async fn changed(&self) -> GraphChangeCounts {
        self.counts(ChangeKind::Changed)
    }

    /// The changes: nodes by their ids, then edges by their ends.
    async fn changes(
        &self,
        #[graphql(desc = "How many from the list's start on: 1 to 100, 20 unless said.")]
        first: Option<i32>,
        #[graphql(desc = "Only those behind the one with this cursor.")] after: Option<String>,
        #[graphql(desc = "How many from the list's end on: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only those ahead of the one with this cursor.")] before: Option<String>,
    ) -> Option<Result<GraphChangeConnection, ApiError>> {
        let page = || {
            let args = PageArgs::parse(first, after, last, before)?;
            self.page(&args)
        };
        Some(page())
    }
}

impl RunDifference {
    fn page(&self, args: &PageArgs) -> Result<GraphChangeConnection, ApiError> {
        let total = self.changes.len();
        let place = args.place(&self.list, |bytes| {
            usize::try_from(u64::from_be_bytes(bytes.try_into().ok()?)).ok()
        })?;
        let (start, end, more) = match args.direction {
            Direction::Forward => {
                let start = place.map_or(0, |place| place + 1).min(total);
                let end = (start + args.size).min(total);
                (start, end, end < total)
            }
            Direction::Backward => {
                let end = place.unwrap_or(total).min(total);
                let start = end.saturating_sub(args.size);
                (start, end, start > 0)
            }
        };
        let edges = self.changes.iter().enumerate().take(end).skip(start);
        let edges: Vec<_> = edges
            .map(|(place, change)| GraphChangeEdge {
                cursor: cursor::encode(&self.list, &(place as u64).to_be_bytes()),
                node: change.into(),
            })
            .collect();
        let cursor = |edge: Option<&GraphChangeEdge>| edge.map(|edge| edge.cursor.clone());
        let page_info = PageInfo::of(args, more, cursor(edges.first()), cursor(edges.last()));
        Ok(GraphChangeConnection {
            edges,
            page_info,
            total_count: total as u64,
        })
    }
}
