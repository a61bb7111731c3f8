//! Relay pages: the arguments of a list, checked once, and `PageInfo`.
//! Source: the GraphQL Cursor Connections Specification.

use async_graphql::SimpleObject;

use super::ApiError;

/// The most that one page holds.
pub const MAX_PAGE: i32 = 100;
/// What a page holds when neither `first` nor `last` is given.
pub const DEFAULT_PAGE: i32 = 20;

/// Which end of a list a page is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `first` and `after`.
    Forward,
    /// `last` and `before`.
    Backward,
}

/// The four pagination arguments as one request: so many, from there, that way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageArgs {
    /// How many edges to answer: 1 to 100.
    pub size: usize,
    /// Which end they are counted from.
    pub direction: Direction,
    /// The cursor next to the page, not yet decoded.
    pub cursor: Option<String>,
}

impl PageArgs {
    /// Reads `first`/`after` or `last`/`before`.
    ///
    /// # Errors
    /// BAD_USER_INPUT when both directions are mixed or a size is not 1 to 100.
    pub fn parse(
        first: Option<i32>,
        after: Option<String>,
        last: Option<i32>,
        before: Option<String>,
    ) -> Result<Self, ApiError> {
        let (name, size, direction, cursor) = match (first, last) {
            (Some(_), Some(_)) => {
                return Err(ApiError::bad_input("Give `first` or `last`, not both."));
            }
            (None, Some(last)) => ("last", last, Direction::Backward, before),
            (Some(first), None) => ("first", first, Direction::Forward, after),
            (None, None) if before.is_some() && after.is_none() => {
                ("last", DEFAULT_PAGE, Direction::Backward, before)
            }
            (None, None) if before.is_some() => {
                return Err(ApiError::bad_input("Give `after` or `before`, not both."));
            }
            (None, None) => ("first", DEFAULT_PAGE, Direction::Forward, after),
        };
        if !(1..=MAX_PAGE).contains(&size) {
            return Err(ApiError::bad_input(format!("`{name}` is 1 to {MAX_PAGE}.")));
        }
        Ok(Self {
            size: size.unsigned_abs() as usize,
            direction,
            cursor,
        })
    }
}

/// Where a page lies in its list.
#[derive(SimpleObject, Clone, Debug, Default, PartialEq, Eq)]
pub struct PageInfo {
    /// Whether more edges follow the last one of this page.
    pub has_next_page: bool,
    /// Whether edges come before the first one of this page.
    pub has_previous_page: bool,
    /// The cursor of the first edge: give it as `before` to page backwards.
    pub start_cursor: Option<String>,
    /// The cursor of the last edge: give it as `after` to page forwards.
    pub end_cursor: Option<String>,
}
