//! The connections of the schema.

use std::sync::Arc;

use async_graphql::{Context, Object, SimpleObject};

use crate::store::{ListFilter, ListPlace, Listed, Part};
use trestle_api::{ApiError, PageInfo, semantic_non_null};
use trestle_table::cursor;

use super::types::{Application, Nullable, store};

/// A page of applications.
pub struct ApplicationConnection {
    pub(super) edges: Vec<ApplicationEdge>,
    pub(super) page_info: PageInfo,
    pub(super) filter: ListFilter,
    /// The length of the list, if it was read whole.
    pub(super) total: Option<usize>,
}

/// A page of applications.
#[Object]
impl ApplicationConnection {
    /// The applications of the page.
    async fn edges(&self) -> &[ApplicationEdge] {
        &self.edges
    }

    /// The position of the page in the list.
    async fn page_info(&self) -> &PageInfo {
        &self.page_info
    }

    /// The number of applications in the list. With a filter beyond status and archiving, all applications that
    /// match are read, at most 10,000. Without one, null if the number is not known.
    async fn total_count(&self, ctx: &Context<'_>) -> Option<Result<i64, ApiError>> {
        let total = async {
            let counted = match self.total {
                Some(total) => total,
                None if self.filter.looks_into_items() => store(ctx)?.count(&self.filter).await?,
                None => return Ok(store(ctx)?.stats().await?.total(&self.filter)),
            };
            Ok(i64::try_from(counted).ok())
        };
        total.await.transpose()
    }
}

/// An application in a list.
pub struct ApplicationEdge {
    /// The list's name, for its cursors.
    list: Arc<str>,
    place: ListPlace,
    node: Result<Application, ApiError>,
}

impl ApplicationEdge {
    /// An application of the list with this name; `part` is what its history entries are requested for.
    pub(super) fn new(list: &Arc<str>, listed: Listed<ListPlace>, part: Part) -> Self {
        let application = listed.application.map_err(ApiError::from);
        Self {
            list: Arc::clone(list),
            place: listed.place,
            node: application.and_then(|application| Application::listed(application, part)),
        }
    }

    pub(super) fn cursor_text(&self) -> String {
        cursor::encode(&self.list, &self.place.to_bytes())
    }
}

/// An application in a list.
#[Object]
impl ApplicationEdge {
    /// The position in the list. Pass it as `after` or `before`.
    async fn cursor(&self) -> String {
        self.cursor_text()
    }

    /// The application. Null with an error if its stored item cannot be read.
    #[graphql(directive = semantic_non_null::apply(None))]
    async fn node(&self) -> Option<Result<&Application, ApiError>> {
        Some(self.node.as_ref().map_err(Clone::clone))
    }
}

/// A page of applications that a search found.
#[derive(SimpleObject)]
pub struct ApplicationSearchConnection {
    /// The applications that were found.
    pub(super) edges: Vec<ApplicationSearchEdge>,
    /// The position of the page. `endCursor` is the last application that was searched, also if nothing was found.
    pub(super) page_info: PageInfo,
    /// The number of applications that were searched for this page, at most 500. If `pageInfo.hasNextPage` is true, the rest is
    /// not searched yet.
    pub(super) searched: i32,
}

/// An application that a search found.
#[derive(SimpleObject)]
pub struct ApplicationSearchEdge {
    /// The position in the list. Pass it as `after` or `before`.
    pub(super) cursor: String,
    /// The application. Null with an error if its stored item cannot be read.
    #[graphql(directive = semantic_non_null::apply(None))]
    pub(super) node: Nullable<Application>,
    /// The fields that have at least one of the words, such as `notes`; those of stages as `interviewStages.notes`. Stages are
    /// searched only if the fields of the application do not have every word.
    pub(super) matched_in: Vec<&'static str>,
}
