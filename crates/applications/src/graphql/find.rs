//! The queries that find what a person has lost sight of.

use async_graphql::{Context, Object};

use crate::calendar::day;
use crate::keys::Place;
use crate::store::{self, AddedFilters, ListFilter, ListOrder, Search, SortField, Stale, Window};
use trestle_api::{ApiError, Date, PageArgs, PageInfo, semantic_non_null};
use trestle_table::{Direction, cursor};

use super::connection::{
    ApplicationConnection, ApplicationSearchConnection, ApplicationSearchEdge,
};
use super::enums::ArchivedFilter;
use super::query::{applications, follow_history};
use super::selection::Selected;
use super::types::{Application, entries, store};

/// The most days of `stale`: ten years.
const MAX_DAYS: i32 = 3650;
/// The longest text to search for, in characters.
const MAX_TEXT: usize = 200;

/// The queries that find what a person has lost sight of.
#[derive(Default)]
pub struct FindQuery;

/// The queries that find what a person has lost sight of.
#[Object]
impl FindQuery {
    /// Applications without an answer: not archived, with the status APPLIED or INTERVIEWING for at least `days`, and
    /// without a next action or a scheduled interview stage today or later. Longest in their status first. Without
    /// `statusSince`, the last change counts. All applications with these two statuses are read, at most 10,000.
    #[expect(
        clippy::too_many_arguments,
        reason = "they are the field's arguments in the schema"
    )]
    #[graphql(directive = semantic_non_null::apply(None))]
    async fn stale(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Number of days, 1 to 3650.", default = 14)] days: i32,
        #[graphql(desc = "The present day of the person. Defaults to today (UTC).")] on: Option<
            Date,
        >,
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
            let args = PageArgs::parse(first, after, last, before)?;
            let filter = stale(ctx, days, on)?;
            let order = ListOrder {
                by: SortField::StatusSince,
                is_descending: false,
            };
            applications(ctx, filter, order, args).await
        };
        Some(page.await)
    }

    /// Applications with every word of a text, ignoring case and accents, newest change first. Searches the company, the
    /// position, the requirements, the notes, the next action, the links, the tags, the location, the text of the posting, and
    /// the names and notes of interview stages. Does not search the history, other fields, and what is stored beside an
    /// application. A page searches at most 500 applications: if it has fewer results than requested and `hasNextPage` is true,
    /// go on from `endCursor`.
    #[expect(
        clippy::too_many_arguments,
        reason = "they are the field's arguments in the schema"
    )]
    #[graphql(directive = semantic_non_null::apply(None))]
    async fn search_applications(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The words: at most 200 characters.")] text: String,
        #[graphql(desc = "Whether to search archived applications. Defaults to EXCLUDE.")]
        archived: Option<ArchivedFilter>,
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
    ) -> Option<Result<ApplicationSearchConnection, ApiError>> {
        let page = async {
            let args = PageArgs::parse(first, after, last, before)?;
            let archived = archived.map(Into::into).unwrap_or_default();
            search(ctx, &text, archived, args).await
        };
        Some(page.await)
    }
}

async fn search(
    ctx: &Context<'_>,
    text: &str,
    archived: store::ArchivedFilter,
    args: PageArgs,
) -> Result<ApplicationSearchConnection, ApiError> {
    let fits = text.chars().count() <= MAX_TEXT;
    let Some(search) = Search::new(text, archived).filter(|_| fits) else {
        let message = format!("`text` must have a word, and at most {MAX_TEXT} characters.");
        return Err(ApiError::bad_input(message));
    };
    let list = store(ctx)?.scope().list_name(search.name());
    let place = args.place(&list, Place::from_bytes)?;
    let selected = Selected::below(ctx, &["edges", "node"]);
    let window = Window::new(args.size, args.direction, place.as_ref());
    let mut page = entries(ctx)?
        .search(&search, window, &selected.alone())
        .await?;
    let found = page.found.iter_mut().map(|found| &mut found.application);
    follow_history(ctx, &selected, found).await?;
    let edges = page.found.into_iter().map(|found| ApplicationSearchEdge {
        cursor: cursor::encode(&list, &found.place.to_bytes()),
        node: Some(Application::listed(found.application, selected.part())),
        matched_in: found.matched_in,
    });
    let edges: Vec<_> = edges.collect();
    let mut start = edges.first().map(|edge| edge.cursor.clone());
    let mut end = edges.last().map(|edge| edge.cursor.clone());
    // The page may end before it is full. The next page starts after the last application that was searched.
    let stopped = page.stopped;
    let stopped = stopped.map(|place| cursor::encode(&list, &place.to_bytes()));
    match args.direction {
        Direction::Forward => end = stopped,
        Direction::Backward => start = stopped,
    }
    Ok(ApplicationSearchConnection {
        edges,
        page_info: PageInfo::of(&args, page.more, start, end),
        searched: i32::try_from(page.searched).unwrap_or(i32::MAX),
    })
}

fn stale(ctx: &Context<'_>, days: i32, on: Option<Date>) -> Result<ListFilter, ApiError> {
    let days = u32::try_from(days)
        .ok()
        .filter(|_| (1..=MAX_DAYS).contains(&days));
    let days =
        days.ok_or_else(|| ApiError::bad_input(format!("`days` must be from 1 to {MAX_DAYS}.")))?;
    let today = match on {
        Some(on) => day("on", &on.0)?,
        None => store(ctx)?.today(),
    };
    Ok(ListFilter {
        only_statuses: Stale::STATUSES.into(),
        added: AddedFilters {
            stale: Some(Stale { days, today }),
            ..AddedFilters::default()
        },
        ..ListFilter::default()
    })
}
