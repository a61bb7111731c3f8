//! The enums of the schema.

use async_graphql::Enum;

use crate::services::graph_runs::graph;
use crate::table::Order;

pub use crate::services::graph_runs::model::{Environment, IacFormat, Status as RunStatus};

/// How a part of a graph differs.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "graph::ChangeKind")]
pub enum GraphChangeKind {
    /// Only the second graph has it.
    Added,
    /// Only the first graph has it.
    Removed,
    /// Both graphs have it, with different attributes.
    Changed,
}

/// The format of a picture.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "graph::Picture")]
pub enum GraphFormat {
    /// The language of Graphviz, for at most 10,000 nodes and 50,000 edges.
    Dot,
    /// The language of Mermaid, for at most 500 nodes and 500 edges.
    Mermaid,
    /// An image, for at most 1,000 nodes and 4,000 edges.
    Svg,
}

/// The order of a list of runs.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunOrder {
    /// Newest first.
    CreatedAtDesc,
    /// Oldest first.
    CreatedAtAsc,
}

impl From<RunOrder> for Order {
    fn from(order: RunOrder) -> Self {
        match order {
            RunOrder::CreatedAtDesc => Order::Descending,
            RunOrder::CreatedAtAsc => Order::Ascending,
        }
    }
}
