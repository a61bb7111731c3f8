//! The enums of the schema.

use async_graphql::Enum;

use crate::graph_runs::graph;
use crate::graph_runs::model;
use crate::graph_runs::store;

/// Where a run stands. It moves only down this list, and a run may fail before it is processed.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "model::Status")]
pub enum RunStatus {
    /// Made; its file is uploaded, or about to be.
    Uploaded,
    /// The pipeline is at work.
    Processing,
    /// The graph is stored and verified. Nothing of the run changes any more.
    Complete,
    /// It ended without a graph. Nothing of the run changes any more.
    Failed,
}

/// Which environment the infrastructure is of.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "model::Environment")]
pub enum Environment {
    /// Development.
    Dev,
    /// Production.
    Prod,
}

/// The syntax of a Terraform file.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "model::IacFormat")]
pub enum IacFormat {
    /// Terraform's JSON syntax: `main.tf.json`.
    Json,
    /// Terraform's own syntax: `main.tf`.
    Hcl,
}

/// What became of a part of a graph.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "graph::ChangeKind")]
pub enum GraphChangeKind {
    /// Only the second graph has it.
    Added,
    /// Only the first graph has it.
    Removed,
    /// Both have it, and say different things of it.
    Changed,
}

/// The order of a list of runs.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunOrder {
    /// The newest first.
    CreatedAtDesc,
    /// The oldest first.
    CreatedAtAsc,
}

impl From<RunOrder> for store::ListOrder {
    fn from(order: RunOrder) -> Self {
        match order {
            RunOrder::CreatedAtDesc => store::ListOrder::NewestFirst,
            RunOrder::CreatedAtAsc => store::ListOrder::OldestFirst,
        }
    }
}
