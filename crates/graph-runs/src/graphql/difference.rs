//! The difference between two runs' graphs.

use async_graphql::{ComplexObject, Context, Enum, SimpleObject};

use crate::model;
use crate::store::{Differences, Runs};
use trestle_api::{ApiError, PageArgs, PageInfo, page_args};
use trestle_terraform::stored::{ChangeKind, GraphChange as Change, Part, PartCounts};

use super::findings::{FindingChangeConnection, FindingFilter};
use super::graph::GraphEdge;
use super::numbered::{Span, place_cursor};
use super::types::store;

/// The differences between two graphs.
#[derive(SimpleObject)]
#[graphql(complex)]
pub struct RunDifference {
    /// The two runs, for the cursors: the graphs of complete runs never change.
    #[graphql(skip)]
    list: String,
    /// Parts that only the second graph has.
    added: GraphChangeCounts,
    /// Parts that only the first graph has.
    removed: GraphChangeCounts,
    /// Parts that both graphs have, with different attributes.
    changed: GraphChangeCounts,
    #[graphql(skip)]
    differences: Differences,
    #[graphql(skip)]
    runs: (model::Run, model::Run),
}

impl RunDifference {
    /// The differences between these runs.
    pub fn new(runs: (model::Run, model::Run), differences: Differences) -> Self {
        let counts = differences.index.counts;
        Self {
            list: format!("difference {} {}", runs.0.id, runs.1.id),
            added: counts.added.into(),
            removed: counts.removed.into(),
            changed: counts.changed.into(),
            differences,
            runs,
        }
    }
}

/// Numbers of nodes and edges.
#[derive(SimpleObject)]
pub struct GraphChangeCounts {
    /// Nodes.
    nodes: u64,
    /// Edges.
    edges: u64,
}

impl From<PartCounts> for GraphChangeCounts {
    fn from(counts: PartCounts) -> Self {
        let PartCounts { nodes, edges } = counts;
        Self { nodes, edges }
    }
}

/// How a part of a graph differs.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "ChangeKind")]
pub enum GraphChangeKind {
    /// Only the second graph has it.
    Added,
    /// Only the first graph has it.
    Removed,
    /// Both graphs have it, with different attributes.
    // Its place in the files is not one of them.
    Changed,
}

/// A part of a graph that differs: a node or an edge.
#[derive(SimpleObject)]
pub struct GraphChange {
    /// How it differs.
    kind: GraphChangeKind,
    /// The node's id. Null for an edge.
    node_id: Option<String>,
    /// The edge. Null for a node.
    edge: Option<GraphEdge>,
}

impl From<Change> for GraphChange {
    fn from(change: Change) -> Self {
        let (node_id, edge) = match change.part {
            Part::Node { id } => (Some(id), None),
            Part::Edge { from, to, kind } => (
                None,
                Some(GraphEdge {
                    from,
                    to,
                    kind,
                    carries: None,
                }),
            ),
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
    /// The page's position in the list.
    page_info: PageInfo,
    /// Number of changes.
    total_count: u64,
}

/// A change in a list.
#[derive(SimpleObject)]
pub struct GraphChangeEdge {
    /// The position in the list, for `after` and `before`.
    cursor: String,
    /// The change.
    node: GraphChange,
}

#[ComplexObject]
impl RunDifference {
    /// The changes: nodes by their ids, then edges by their ends.
    async fn changes(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Number of items from the start, 0 to 100. Defaults to 20.")]
        first: Option<i32>,
        #[graphql(desc = "Only items after this cursor.")] after: Option<String>,
        #[graphql(desc = "Number of items from the end, 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only items before this cursor.")] before: Option<String>,
    ) -> Option<Result<GraphChangeConnection, ApiError>> {
        let page = async {
            let args = PageArgs::parse(first, after, last, before)?;
            self.page(store(ctx)?, &args).await
        };
        Some(page.await)
    }

    /// The findings that only one of the runs has, by node and rule. A finding that has only moved to another line is not
    /// among them. Null if one of the runs has no report.
    async fn findings(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only findings that match. Defaults to all.")] filter: Option<
            FindingFilter,
        >,
    ) -> Option<Result<FindingChangeConnection, ApiError>> {
        let page = async {
            let filter = filter.unwrap_or_default();
            let args = page_args(ctx.field())?;
            let (from, to) = &self.runs;
            FindingChangeConnection::page(store(ctx)?, from, to, filter, args).await
        };
        page.await.transpose()
    }
}

impl RunDifference {
    async fn page(&self, store: &Runs, args: &PageArgs) -> Result<GraphChangeConnection, ApiError> {
        let total = self.differences.index.total;
        let span = Span::of(args, &self.list, total, |place| place.min(total))?;
        let changes = store
            .changes(&self.differences, span.start..span.end)
            .await?;
        let edges: Vec<_> = changes
            .into_iter()
            .zip(span.start..)
            .map(|(change, place)| GraphChangeEdge {
                cursor: place_cursor(&self.list, place),
                node: change.into(),
            })
            .collect();
        let cursor = |edge: Option<&GraphChangeEdge>| edge.map(|edge| edge.cursor.clone());
        let (start, end) = (cursor(edges.first()), cursor(edges.last()));
        Ok(GraphChangeConnection {
            page_info: PageInfo::of(args, span.more, start, end),
            edges,
            total_count: total as u64,
        })
    }
}
