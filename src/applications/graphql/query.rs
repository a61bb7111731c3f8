//! The queries.

use std::sync::Arc;

use async_graphql::{Context, ID, InputObject, Object, SimpleObject};

use crate::api::{ApiError, PageArgs, PageInfo};
use crate::applications::error::StoreError;
use crate::applications::keys::{Partition, Place};
use crate::applications::model::{self, Rating};
use crate::applications::store::{Found, ListFilter, ListOrder, NodeKey, Stats};

use super::connection::{ApplicationConnection, ApplicationEdge};
use super::enums::{
    ApplicationOrder, ApplicationStatus, ArchivedFilter, CompanyCategory, JobSource,
};
use super::id;
use super::selection::{self, Selected};
use super::types::{Application, ApplicationInsight, Node, store};

/// The most ids that `nodes` takes.
const MAX_NODES: usize = 100;
/// The longest text to search for, in characters.
const MAX_TEXT: usize = 200;

/// Which applications to list: those that fit every field that is given.
#[derive(InputObject, Default)]
pub struct ApplicationFilter {
    /// Only applications of these statuses; all where the list is left out or empty.
    statuses: Option<Vec<ApplicationStatus>>,
    /// Whether to list archived applications: EXCLUDE unless said.
    archived: Option<ArchivedFilter>,
    /// Only applications to companies of these categories.
    company_categories: Option<Vec<CompanyCategory>>,
    /// Only applications that came about so.
    job_sources: Option<Vec<JobSource>>,
    /// Only applications with this skills match or a better one: 1 to 5.
    min_skills_match: Option<i32>,
    /// Only applications whose company or position has each of these words, upper or lower case: at most
    /// 200 characters.
    text: Option<String>,
}

impl ApplicationFilter {
    fn parse(self) -> Result<ListFilter, ApiError> {
        let rating = self
            .min_skills_match
            .map(|rating| Rating::parse(rating.into()))
            .transpose();
        let text = self
            .text
            .map(|text| text.trim().to_lowercase())
            .filter(|text| !text.is_empty());
        if text
            .as_ref()
            .is_some_and(|text| text.chars().count() > MAX_TEXT)
        {
            let message = format!("`filter.text` takes at most {MAX_TEXT} characters.");
            return Err(ApiError::bad_input(message));
        }
        Ok(ListFilter {
            only_statuses: self
                .statuses
                .into_iter()
                .flatten()
                .map(Into::into)
                .collect(),
            archived: self.archived.map(Into::into).unwrap_or_default(),
            company_categories: self
                .company_categories
                .into_iter()
                .flatten()
                .map(Into::into)
                .collect(),
            job_sources: self
                .job_sources
                .into_iter()
                .flatten()
                .map(Into::into)
                .collect(),
            min_skills_match: rating
                .map_err(|_| ApiError::bad_input("`filter.minSkillsMatch` is 1 to 5."))?,
            text,
        })
    }
}

/// How many applications there are.
#[derive(SimpleObject)]
pub struct ApplicationStats {
    /// Those that are not archived.
    active: i64,
    /// Those that are archived; null where another program writes the table and does not count them.
    archived: Option<i64>,
    /// Both by status, every status; null where another program writes the table and does not count them.
    by_status: Option<Vec<StatusCount>>,
}

/// How many applications have a status.
#[derive(SimpleObject)]
pub struct StatusCount {
    /// The status.
    status: ApplicationStatus,
    /// Those that are not archived.
    active: i64,
    /// Those that are archived.
    archived: i64,
}

impl From<Stats> for ApplicationStats {
    fn from(stats: Stats) -> Self {
        let by_status = model::Status::ALL.iter().map(|status| StatusCount {
            status: (*status).into(),
            active: stats.of(Partition::Status(*status)),
            archived: stats.of(Partition::Archived(*status)),
        });
        let known = stats.by_status_known();
        Self {
            active: stats.active(),
            archived: known.then(|| stats.archived()),
            by_status: known.then(|| by_status.collect()),
        }
    }
}

/// What can be asked.
pub struct Query;

/// What can be asked.
#[Object]
impl Query {
    /// One application; empty where there is none of this id.
    async fn application(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The application's id.")] id: ID,
    ) -> Option<Result<Application, ApiError>> {
        application(ctx, &id).await.transpose()
    }

    /// Applications by their last update.
    #[expect(
        clippy::too_many_arguments,
        reason = "they are the field's arguments in the schema"
    )]
    async fn applications(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which applications: all that are not archived unless said.")]
        filter: Option<ApplicationFilter>,
        #[graphql(desc = "Their order: UPDATED_AT_DESC unless said.")] order_by: Option<
            ApplicationOrder,
        >,
        #[graphql(desc = "How many from the list's start on: 1 to 100, 20 unless said.")]
        first: Option<i32>,
        #[graphql(desc = "Only those behind the one with this cursor.")] after: Option<String>,
        #[graphql(desc = "How many from the list's end on: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only those ahead of the one with this cursor.")] before: Option<String>,
    ) -> Option<Result<ApplicationConnection, ApiError>> {
        let order = order_by.map(ListOrder::from).unwrap_or_default();
        let page = async {
            let args = PageArgs::parse(first, after, last, before)?;
            let filter = filter.unwrap_or_default().parse()?;
            applications(ctx, filter, order, args).await
        };
        Some(page.await)
    }

    /// How many applications there are.
    async fn application_stats(
        &self,
        ctx: &Context<'_>,
    ) -> Option<Result<ApplicationStats, ApiError>> {
        let stats = async { Ok(store(ctx)?.stats().await?.into()) };
        Some(stats.await)
    }

    /// What the applications tell over time.
    async fn application_insight(
        &self,
        ctx: &Context<'_>,
    ) -> Option<Result<ApplicationInsight, ApiError>> {
        let wanted = selection::insight(ctx);
        let insight = async { Ok(store(ctx)?.insight(wanted).await?) };
        Some(insight.await.map(ApplicationInsight))
    }

    /// Anything by its id; empty where it is not there.
    async fn node(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The thing's id.")] id: ID,
    ) -> Option<Result<Node, ApiError>> {
        match nodes(ctx, &[id]).await {
            Ok(mut found) => found.pop().flatten(),
            Err(error) => Some(Err(error)),
        }
    }

    /// Many things by their ids, in the order of the ids; empty where one is not there.
    async fn nodes(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The things' ids: 100 at most.")] ids: Vec<ID>,
    ) -> Result<Vec<Option<Result<Node, ApiError>>>, ApiError> {
        nodes(ctx, &ids).await
    }
}

async fn application(ctx: &Context<'_>, id: &ID) -> Result<Option<Application>, ApiError> {
    let Some(id) = id::application(id) else {
        return Ok(None);
    };
    let selected = Selected::below(ctx, &[]);
    let wanted = selected.with_history();
    let content = wanted.history.as_ref().map(|range| range.content);
    let detail = store(ctx)?.application(id, &wanted).await?;
    Ok(detail.map(|detail| Application::detail(detail, content)))
}

async fn applications(
    ctx: &Context<'_>,
    filter: ListFilter,
    order: ListOrder,
    args: PageArgs,
) -> Result<ApplicationConnection, ApiError> {
    let list: Arc<str> = filter.name(order).into();
    let place = args.place(&list, Place::from_bytes)?;
    let selected = Selected::below(ctx, &["edges", "node"]);
    let page = (args.size, args.direction, place.as_ref());
    let page = store(ctx)?
        .list(&filter, order, page, &selected.alone())
        .await?;
    let edges: Vec<_> = page
        .items
        .into_iter()
        .map(|listed| ApplicationEdge::new(&list, listed, selected.part()))
        .collect();
    let cursor = |edge: Option<&ApplicationEdge>| edge.map(ApplicationEdge::cursor_text);
    let page_info = PageInfo::of(
        &args,
        page.more,
        cursor(edges.first()),
        cursor(edges.last()),
    );
    Ok(ApplicationConnection {
        edges,
        page_info,
        filter,
    })
}

async fn nodes(
    ctx: &Context<'_>,
    ids: &[ID],
) -> Result<Vec<Option<Result<Node, ApiError>>>, ApiError> {
    if ids.len() > MAX_NODES {
        return Err(ApiError::bad_input(format!(
            "`ids` takes at most {MAX_NODES}."
        )));
    }
    let keys: Vec<Option<NodeKey>> = ids.iter().map(|id| id::decode(id)).collect();
    let selected = Selected::below(ctx, &[]);
    let found = store(ctx)?.nodes(&keys, &selected.alone()).await?;
    let node = |found: Result<Found, StoreError>| Node::found(found?, selected.part());
    Ok(found.into_iter().map(|found| found.map(node)).collect())
}
