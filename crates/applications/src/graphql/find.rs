//! The queries that find what a person has lost sight of.

use async_graphql::{Context, Object};

use crate::model;
use crate::store::{AddedFilters, ListFilter, ListOrder, SortField, Stale};
use trestle_api::{ApiError, Date, PageArgs};

use super::connection::ApplicationConnection;
use super::query::applications;
use super::types::store;

/// The most days of `stale`: ten years.
const MAX_DAYS: i32 = 3650;

/// The queries that find what a person has lost sight of.
#[derive(Default)]
pub struct FindQuery;

/// The queries that find what a person has lost sight of.
#[Object]
impl FindQuery {
    /// Applications without an answer: not archived, with the status APPLIED or INTERVIEWING for at least `days`, and
    /// without a next action or a scheduled interview stage today or later. Longest in their status first. If another program
    /// set the status, its last change counts. All applications with these two statuses are read, at most 10,000.
    #[expect(
        clippy::too_many_arguments,
        reason = "they are the field's arguments in the schema"
    )]
    async fn stale(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Number of days, 1 to 3650.", default = 14)] days: i32,
        #[graphql(desc = "The present day of the person. Defaults to today (UTC).")] on: Option<
            Date,
        >,
        #[graphql(
            desc = "Number of applications from the start of the list, 1 to 100. Defaults to 20."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only applications after the one with this cursor.")] after: Option<
            String,
        >,
        #[graphql(desc = "Number of applications from the end of the list, 1 to 100.")]
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
}

fn stale(ctx: &Context<'_>, days: i32, on: Option<Date>) -> Result<ListFilter, ApiError> {
    let days = u32::try_from(days)
        .ok()
        .filter(|_| (1..=MAX_DAYS).contains(&days));
    let days =
        days.ok_or_else(|| ApiError::bad_input(format!("`days` must be from 1 to {MAX_DAYS}.")))?;
    let today = match on {
        Some(on) => model::date(&on.0)
            .map_err(|_| ApiError::bad_input("`on` must be a date such as 2026-11-20."))?,
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
