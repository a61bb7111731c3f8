//! The connections of the schema.

use async_graphql::{Object, SimpleObject};

use crate::api::{ApiError, PageInfo};
use crate::graph_runs::error::StoreError;
use crate::graph_runs::model;

use super::types::Run;

/// A page of runs.
#[derive(SimpleObject)]
pub struct RunConnection {
    /// The runs of the page.
    pub(super) edges: Vec<RunEdge>,
    /// Where the page lies in the list.
    pub(super) page_info: PageInfo,
}

/// A run in a list.
pub struct RunEdge {
    pub(super) cursor: String,
    pub(super) run: Result<model::Run, StoreError>,
}

/// A run in a list.
#[Object]
impl RunEdge {
    /// Its place in the list: give it as `after` or `before`.
    async fn cursor(&self) -> &str {
        &self.cursor
    }

    /// The run; empty, with an error, where what is stored of it cannot be read.
    async fn node(&self) -> Option<Result<Run, ApiError>> {
        Some(match self.run.clone() {
            Ok(run) => Ok(run.into()),
            Err(error) => Err(error.into()),
        })
    }
}
