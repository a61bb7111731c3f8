//! Relay pages: the arguments of a list, checked once, and `PageInfo`.
//! Source: the GraphQL Cursor Connections Specification.

use async_graphql::SimpleObject;

use crate::table::{Direction, cursor};

use super::ApiError;

/// The most that one page holds.
pub const MAX_PAGE: i32 = 100;
/// What a page holds when neither `first` nor `last` is given.
pub const DEFAULT_PAGE: i32 = 20;

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
        let backward = last.is_some() || (first.is_none() && before.is_some());
        let (name, size, direction, cursor, other) = match backward {
            true => (
                "last",
                last,
                Direction::Backward,
                before,
                first.is_some() || after.is_some(),
            ),
            false => ("first", first, Direction::Forward, after, before.is_some()),
        };
        if other {
            let message =
                "Give `first` with `after`, or `last` with `before`; not both directions.";
            return Err(ApiError::bad_input(message));
        }
        let size = size.unwrap_or(DEFAULT_PAGE);
        if !(1..=MAX_PAGE).contains(&size) {
            return Err(ApiError::bad_input(format!("`{name}` is 1 to {MAX_PAGE}.")));
        }
        Ok(Self {
            size: size.unsigned_abs() as usize,
            direction,
            cursor,
        })
    }

    /// The place in `list` that the cursor stands for, made of its bytes by `read`; `None` without a cursor.
    ///
    /// # Errors
    /// BAD_USER_INPUT for a cursor of another list, or none at all.
    pub fn place<P>(
        &self,
        list: &str,
        read: impl FnOnce(&[u8]) -> Option<P>,
    ) -> Result<Option<P>, ApiError> {
        let Some(text) = &self.cursor else {
            return Ok(None);
        };
        let place = cursor::decode(list, text)
            .ok()
            .and_then(|bytes| read(&bytes));
        let message = "The cursor is not one of this list: it goes with the same arguments, `filter` and \
                       `orderBy` among them, that it was answered to.";
        place.map(Some).ok_or_else(|| ApiError::bad_input(message))
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

impl PageInfo {
    /// The place of a page that was read in `args`' direction, `more` saying whether its list went on
    /// there. On the side it came from, the cursor's own edge is there.
    pub fn of(args: &PageArgs, more: bool, start: Option<String>, end: Option<String>) -> Self {
        let behind = args.cursor.is_some();
        let (has_next_page, has_previous_page) = match args.direction {
            Direction::Forward => (more, behind),
            Direction::Backward => (behind, more),
        };
        Self {
            has_next_page,
            has_previous_page,
            start_cursor: start,
            end_cursor: end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(
        first: Option<i32>,
        after: Option<&str>,
        last: Option<i32>,
        before: Option<&str>,
    ) -> Option<PageArgs> {
        let text = |text: Option<&str>| text.map(str::to_owned);
        PageArgs::parse(first, text(after), last, text(before)).ok()
    }

    #[test]
    fn a_page_has_one_direction_and_a_size() {
        let page = args(None, None, None, None).unwrap();
        assert_eq!((page.size, page.direction), (20, Direction::Forward));
        let page = args(None, None, None, Some("c")).unwrap();
        assert_eq!((page.size, page.direction), (20, Direction::Backward));
        assert_eq!(args(Some(100), Some("c"), None, None).unwrap().size, 100);
        for bad in [
            args(Some(1), None, Some(1), None),
            args(Some(0), None, None, None),
            args(Some(101), None, None, None),
            args(None, None, Some(-1), None),
            args(Some(1), None, None, Some("c")),
            args(None, Some("c"), Some(1), None),
            args(None, Some("c"), None, Some("c")),
        ] {
            assert_eq!(bad, None);
        }
    }
}
