//! The connections of the schema.

use std::sync::Arc;

use async_graphql::{Context, Object, SimpleObject};

use crate::api::{ApiError, PageInfo};
use crate::applications::keys::Place;
use crate::applications::store::{ListFilter, Listed, Part};
use crate::table::cursor;

use super::types::{Application, HistoryEntry, store};

/// A page of applications.
pub struct ApplicationConnection {
    pub(super) edges: Vec<ApplicationEdge>,
    pub(super) page_info: PageInfo,
    pub(super) filter: ListFilter,
}

/// A page of applications.
#[Object]
impl ApplicationConnection {
    /// The applications of the page.
    async fn edges(&self) -> &[ApplicationEdge] {
        &self.edges
    }

    /// Where the page lies in the list.
    async fn page_info(&self) -> &PageInfo {
        &self.page_info
    }

    /// How many applications the list has. Known for lists by status and archiving; null where the filter asks
    /// for more, or where another program writes the table and does not count them.
    async fn total_count(&self, ctx: &Context<'_>) -> Option<Result<i64, ApiError>> {
        if self.filter.looks_into_items() {
            return None;
        }
        let total = async {
            let stats = store(ctx)?.stats().await?;
            Ok(stats.total(&self.filter))
        };
        total.await.transpose()
    }
}

/// An application in a list.
pub struct ApplicationEdge {
    /// The list's name, for its cursors.
    list: Arc<str>,
    place: Place,
    node: Result<Application, ApiError>,
}

impl ApplicationEdge {
    /// An application of the list with this name; `part` is what its history entries are asked for.
    pub(super) fn new(list: &Arc<str>, listed: Listed, part: Part) -> Self {
        let application = listed.application.map_err(ApiError::from);
        Self {
            list: Arc::clone(list),
            place: listed.place,
            node: application.map(|application| Application::listed(application, part)),
        }
    }

    pub(super) fn cursor_text(&self) -> String {
        cursor::encode(&self.list, &self.place.to_bytes())
    }
}

/// An application in a list.
#[Object]
impl ApplicationEdge {
    /// Its place in the list: give it as `after` or `before`.
    async fn cursor(&self) -> String {
        self.cursor_text()
    }

    /// The application; empty, with an error, where what is stored of it cannot be read.
    async fn node(&self) -> Option<Result<&Application, ApiError>> {
        Some(self.node.as_ref().map_err(Clone::clone))
    }
}

/// A page of an application's history.
#[derive(SimpleObject)]
pub struct HistoryEntryConnection {
    /// The entries of the page, the newest first.
    pub(super) edges: Vec<HistoryEntryEdge>,
    /// Where the page lies in the history.
    pub(super) page_info: PageInfo,
    /// How many entries the history has: the application's version.
    pub(super) total_count: u32,
}

/// An entry in an application's history.
pub struct HistoryEntryEdge {
    pub(super) cursor: String,
    pub(super) entry: Result<HistoryEntry, ApiError>,
}

/// An entry in an application's history.
#[Object]
impl HistoryEntryEdge {
    /// Its place in the history: give it as `after` or `before`.
    async fn cursor(&self) -> &str {
        &self.cursor
    }

    /// The entry; empty, with an error, where what is stored of it cannot be read.
    async fn node(&self) -> Option<Result<&HistoryEntry, ApiError>> {
        Some(self.entry.as_ref().map_err(Clone::clone))
    }
}
