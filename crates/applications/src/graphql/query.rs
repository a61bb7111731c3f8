//! The queries.

use std::sync::Arc;

use async_graphql::{Context, ID, Object, SimpleObject};
use futures_util::future::join_all;

use crate::calendar::{agenda_days, day};
use crate::error::StoreError;
use crate::keys::Partition;
use crate::model;
use crate::store::{Found, ListFilter, ListOrder, ListPlace, NodeKey, Stats, Window, list_name};
use trestle_api::viewer;
use trestle_api::{ApiError, Date, PageArgs, PageInfo, semantic_non_null};

use super::calendar::{CalendarAddress, calendar_address};
use super::connection::{ApplicationConnection, ApplicationEdge};
use super::enums::{ApplicationOrder, ApplicationSort};
use super::filter::ApplicationFilter;
use super::id;
use super::selection::{self, Selected};
use super::types::{
    AgendaEntry, Application, ApplicationInsight, Node, Nullable, Viewer, entries, read_again,
    store,
};

/// The most ids of `nodes`.
const MAX_NODES: usize = 100;
/// The number of applications. Numbers that are not known are null.
#[derive(SimpleObject)]
pub struct ApplicationStats {
    /// The number of applications that are not archived. Null if it is unknown.
    active: Option<i64>,
    /// The number of archived applications. Null if it is unknown.
    archived: Option<i64>,
    /// Both by status, for every status. Null if they are unknown.
    by_status: Option<Vec<StatusCount>>,
}

/// The number of applications with a status.
#[derive(SimpleObject)]
pub struct StatusCount {
    /// The status.
    status: model::Status,
    /// The number of applications that are not archived.
    active: i64,
    /// The number of archived applications.
    archived: i64,
    /// The number of applications, archived or not, that have the status or had it before, for an hour at least. Whatever
    /// is not `UNSUBMITTED` counts as `APPLIED`, too. Changes that did not go through this API are not counted.
    reached: i64,
}

impl From<Stats> for ApplicationStats {
    fn from(stats: Stats) -> Self {
        let by_status = model::Status::ALL.iter().map(|status| {
            Some(StatusCount {
                status: *status,
                active: stats.of(Partition::Status(*status))?,
                archived: stats.of(Partition::Archived(*status))?,
                reached: stats.reached(*status)?,
            })
        });
        Self {
            active: stats.active(),
            archived: stats.archived(),
            by_status: by_status.collect(),
        }
    }
}

/// The queries that the first releases had.
#[derive(Default)]
pub struct ApplicationQuery;

/// The queries that the first releases had.
#[Object]
impl ApplicationQuery {
    /// An application. Null if it does not exist.
    async fn application(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The application's id.")] id: ID,
    ) -> Option<Result<Application, ApiError>> {
        application(ctx, &id).await.transpose()
    }

    /// Applications, newest change first unless `sortBy` is given.
    #[expect(
        clippy::too_many_arguments,
        reason = "they are the field's arguments in the schema"
    )]
    #[graphql(directive = semantic_non_null::apply(None))]
    async fn applications(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which applications. Defaults to all that are not archived.")]
        filter: Option<ApplicationFilter>,
        #[graphql(
            desc = "The order. Defaults to UPDATED_AT, DESC. In the orders by last change, an application that is changed while \
                    the list is paged can be missed or come twice; in the orders by creation none is."
        )]
        sort_by: Option<ApplicationSort>,
        #[graphql(
            desc = "The order, if `sortBy` is omitted.",
            deprecation = "Use `sortBy`. Removed after 2027-06-30."
        )]
        order_by: Option<ApplicationOrder>,
        #[graphql(
            desc = "Number of applications from the start of the list, 0 to 100; 0 for the totals alone. Defaults to 20."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only applications after the one with this cursor.")] after: Option<
            String,
        >,
        #[graphql(desc = "Number of applications from the end of the list, 0 to 100.")]
        last: Option<i32>,
        #[graphql(desc = "Only applications before the one with this cursor.")] before: Option<
            String,
        >,
    ) -> Option<Result<ApplicationConnection, ApiError>> {
        let page = async {
            let order = match (sort_by, order_by) {
                (Some(sort), None) => sort.into(),
                (None, order) => order.map(ListOrder::from).unwrap_or_default(),
                (Some(_), Some(_)) => {
                    return Err(ApiError::bad_input(
                        "`sortBy` and `orderBy` exclude each other. Use `sortBy`.",
                    ));
                }
            };
            let args = PageArgs::parse(first, after, last, before)?;
            let filter = filter.unwrap_or_default().parse()?;
            applications(ctx, filter, order, args).await
        };
        Some(page.await)
    }

    /// What happens on the days from `from` to `to`, at most 366: scheduled interview stages that are not completed, next
    /// actions, and offers that must be answered, of applications that are neither closed nor archived. Sorted by time,
    /// entries of a whole day first.
    /// Reads the applications that are not archived, at most 100,000, of which at most 10,000 may have such a date.
    #[graphql(directive = semantic_non_null::apply(Some(vec![Some(0), Some(1)])))]
    async fn agenda(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The first day.")] from: Date,
        #[graphql(desc = "The last day.")] to: Date,
    ) -> Nullable<Vec<Nullable<AgendaEntry>>> {
        Some(agenda(ctx, &from, &to).await)
    }

    /// The secret address at which calendars subscribe to the agenda. Null if there is none.
    async fn calendar_address(
        &self,
        ctx: &Context<'_>,
    ) -> Option<Result<CalendarAddress, ApiError>> {
        calendar_address(ctx).await.transpose()
    }

    /// The number of applications.
    #[graphql(directive = semantic_non_null::apply(None))]
    async fn application_stats(
        &self,
        ctx: &Context<'_>,
    ) -> Option<Result<ApplicationStats, ApiError>> {
        let stats = async { Ok(store(ctx)?.stats().await?.into()) };
        Some(stats.await)
    }

    /// Statistics over time.
    #[graphql(directive = semantic_non_null::apply(None))]
    async fn application_insight(
        &self,
        ctx: &Context<'_>,
    ) -> Option<Result<ApplicationInsight, ApiError>> {
        let wanted = selection::insight(ctx);
        let insight = async { Ok(store(ctx)?.insight(wanted).await?) };
        Some(insight.await.map(ApplicationInsight))
    }

    /// The sender of the request. Reads nothing from the database.
    #[graphql(directive = semantic_non_null::apply(None))]
    async fn viewer(&self, ctx: &Context<'_>) -> Option<Result<Viewer, ApiError>> {
        Some(viewer(ctx))
    }

    /// An object by its id. Null if it does not exist.
    async fn node(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The id.")] id: ID,
    ) -> Option<Result<Node, ApiError>> {
        match nodes(ctx, &[id]).await {
            Ok(mut found) => found.pop().flatten(),
            Err(error) => Some(Err(error)),
        }
    }

    /// Objects by their ids, in the order of the ids. Null for those that do not exist.
    async fn nodes(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The ids, at most 100.")] ids: Vec<ID>,
    ) -> Result<Vec<Option<Result<Node, ApiError>>>, ApiError> {
        nodes(ctx, &ids).await
    }
}

fn viewer(ctx: &Context<'_>) -> Result<Viewer, ApiError> {
    let known = ctx.data_opt::<viewer::Viewer>();
    let known = known.ok_or_else(|| ApiError::internal(StoreError::LostKey))?;
    Ok(Viewer::new(known, store(ctx)?.scope()))
}

async fn application(ctx: &Context<'_>, id: &ID) -> Result<Option<Application>, ApiError> {
    let Some(id) = id::application(id) else {
        return Ok(None);
    };
    let id = store(ctx)?.spelled(id).await?;
    read_again(ctx, Some(&id)).await.transpose()
}

/// A page of a list.
///
/// # Errors
/// The cursor is of another list; the store fails.
pub(super) async fn applications(
    ctx: &Context<'_>,
    filter: ListFilter,
    order: ListOrder,
    args: PageArgs,
) -> Result<ApplicationConnection, ApiError> {
    let list = store(ctx)?.scope().list_name(list_name(&filter, order));
    let list: Arc<str> = list.into();
    let place = args.place(&list, |bytes| ListPlace::from_bytes(order, bytes))?;
    let selected = Selected::below(ctx, &["edges", "node"]);
    let window = Window::new(args.size, args.direction, place.as_ref());
    let mut page = store(ctx)?
        .listed(&filter, order, window, &selected.alone())
        .await?;
    let read = page.items.iter_mut();
    let read = read.filter_map(|listed| listed.application.as_mut().ok());
    follow_history(ctx, &selected, read).await?;
    let edges: Vec<_> = page
        .items
        .into_iter()
        .map(|listed| ApplicationEdge::new(&list, listed, selected.part()))
        .collect();
    let start = edges.first().map(ApplicationEdge::cursor_text);
    let end = edges.last().map(ApplicationEdge::cursor_text);
    let page_info = PageInfo::of(&args, page.more, start, end);
    Ok(ApplicationConnection {
        edges,
        page_info,
        filter,
        total: page.total,
    })
}

/// Another program may have left applications behind their histories, which are read with them if they are
/// selected.
pub(super) async fn follow_history<'a>(
    ctx: &Context<'_>,
    selected: &Selected,
    applications: impl Iterator<Item = &'a mut model::Application>,
) -> Result<(), ApiError> {
    let mut applications: Vec<_> = applications.collect();
    store(ctx)?
        .settle_versions(
            applications
                .iter_mut()
                .map(|application| &mut **application),
        )
        .await?;
    if let Some(newest) = selected.entries() {
        let (entries, part) = (entries(ctx)?, selected.part());
        let applications = applications.into_iter();
        // At the same time, so that the loader reads the entries of all with one request.
        join_all(applications.map(|application| entries.follow_history(application, part, newest)))
            .await;
    }
    Ok(())
}

async fn agenda(
    ctx: &Context<'_>,
    from: &Date,
    to: &Date,
) -> Result<Vec<Nullable<AgendaEntry>>, ApiError> {
    let days = agenda_days(day("from", &from.0)?, day("to", &to.0)?)?;
    let selected = Selected::below(ctx, &["application"]);
    let entries = store(ctx)?.agenda(days, &selected.alone()).await?;
    let entries = entries.into_iter();
    Ok(entries
        .map(|entry| Some(AgendaEntry::new(entry, selected.part())))
        .collect())
}

async fn nodes(
    ctx: &Context<'_>,
    ids: &[ID],
) -> Result<Vec<Option<Result<Node, ApiError>>>, ApiError> {
    if ids.len() > MAX_NODES {
        return Err(ApiError::bad_input(format!(
            "`ids` must have at most {MAX_NODES} ids."
        )));
    }
    let mut keys: Vec<Option<NodeKey>> = ids.iter().map(|id| id::decode(id)).collect();
    let applications = keys.iter_mut().flatten().filter_map(|key| match key {
        NodeKey::Application(id) => Some(id),
        NodeKey::Stage(..) | NodeKey::Entry(..) | NodeKey::Contact(..) | NodeKey::File(..) => None,
    });
    store(ctx)?.all_spelled(applications).await?;
    let selected = Selected::below(ctx, &[]);
    let mut found = store(ctx)?.nodes(&keys, &selected.alone()).await?;
    let read = found.iter_mut().filter_map(|found| match found {
        Some(Ok(Found::Application(application))) => Some(&mut **application),
        _ => None,
    });
    follow_history(ctx, &selected, read).await?;
    let nodes = found.into_iter().map(|found| match found {
        Some(Ok(found)) => Some(Node::found(found, selected.part())),
        Some(Err(error)) => Some(Err(error.into())),
        None => None,
    });
    Ok(nodes.collect())
}
