//! Relay pages: the arguments of a connection, validated, and `PageInfo`.
//! Source: the GraphQL Cursor Connections Specification.

use async_graphql::SimpleObject;

use trestle_table::{Direction, cursor};

use super::ApiError;

/// The largest page.
pub const MAX_PAGE: i32 = 100;
/// The size of a page if neither `first` nor `last` is given.
pub const DEFAULT_PAGE: i32 = 20;

/// The four pagination arguments as one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageArgs {
    /// Number of edges: 0 to 100.
    pub size: usize,
    /// The end of the list that the page is counted from.
    pub direction: Direction,
    /// The cursor next to the page, not yet decoded.
    pub cursor: Option<String>,
}

impl PageArgs {
    /// Reads `first`/`after` or `last`/`before`.
    ///
    /// # Errors
    /// BAD_USER_INPUT if both directions are mixed, or a size is not 0 to 100.
    pub fn parse(
        first: Option<i32>,
        after: Option<String>,
        last: Option<i32>,
        before: Option<String>,
    ) -> Result<Self, ApiError> {
        // `before` alone asks for the last edges before it, as many as a page has by default.
        let backward = last.is_some() || (first.is_none() && before.is_some());
        let (name, size, direction, cursor, other) = if backward {
            (
                "last",
                last,
                Direction::Backward,
                before,
                first.is_some() || after.is_some(),
            )
        } else {
            ("first", first, Direction::Forward, after, before.is_some())
        };
        if other {
            let message = "Pass `first` with `after`, or `last` with `before`. The two directions cannot be combined.";
            return Err(ApiError::bad_input(message));
        }
        let size = size.unwrap_or(DEFAULT_PAGE);
        if !(0..=MAX_PAGE).contains(&size) {
            return Err(ApiError::bad_input(format!(
                "`{name}` must be between 0 and {MAX_PAGE}."
            )));
        }
        Ok(Self {
            size: size.unsigned_abs() as usize,
            direction,
            cursor,
        })
    }

    /// The place of the cursor in the list that is bound to `list`, made of its bytes by `read`; `None` without a cursor.
    ///
    /// # Errors
    /// BAD_USER_INPUT for a cursor of another list, and for text that is not a cursor.
    pub fn place<P>(
        &self,
        list: &str,
        read: impl FnOnce(&[u8]) -> Option<P>,
    ) -> Result<Option<P>, ApiError> {
        self.place_by(|text| read(&cursor::decode(list, text).ok()?))
    }

    /// The place of the cursor, found by `read`; `None` without a cursor.
    ///
    /// # Errors
    /// BAD_USER_INPUT if `read` finds none.
    pub fn place_by<P>(&self, read: impl FnOnce(&str) -> Option<P>) -> Result<Option<P>, ApiError> {
        let Some(text) = &self.cursor else {
            return Ok(None);
        };
        let message = "The cursor does not belong to this list. Pass the arguments, such as `filter` and `orderBy`, \
                       with which the cursor was returned.";
        read(text)
            .map(Some)
            .ok_or_else(|| ApiError::bad_input(message))
    }
}

/// The position of a page in its list.
#[derive(SimpleObject, Clone, Debug, Default, PartialEq, Eq)]
pub struct PageInfo {
    /// Whether there are edges after this page.
    pub has_next_page: bool,
    /// Whether there are edges before this page.
    pub has_previous_page: bool,
    /// Cursor of the first edge. Pass it as `before` to page backwards.
    pub start_cursor: Option<String>,
    /// Cursor of the last edge. Pass it as `after` to page forwards.
    pub end_cursor: Option<String>,
}

impl PageInfo {
    /// The position of a page that was read in `args`' direction; `more` is whether its list continues there. On the
    /// other side there is at least the cursor's own edge.
    pub fn of(args: &PageArgs, more: bool, start: Option<String>, end: Option<String>) -> Self {
        let has_origin = args.cursor.is_some();
        let (has_next_page, has_previous_page) = match args.direction {
            Direction::Forward => (more, has_origin),
            Direction::Backward => (has_origin, more),
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
        assert_eq!(args(Some(0), None, None, None).unwrap().size, 0);
        for bad in [
            args(Some(1), None, Some(1), None),
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
