//! Pages of lists whose items are numbered: differences, graphs and findings of complete runs.

use std::ops::Range;

use trestle_api::{ApiError, PageArgs};
use trestle_table::{Direction, cursor};

/// A page of a list: from the item `start` to before `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first item.
    pub start: usize,
    /// After the last item.
    pub end: usize,
    /// Whether the list goes on in the page's direction.
    pub more: bool,
}

impl Span {
    /// The page that is asked for, of a list of `total` items, of which `before` says how many lie before a place.
    ///
    /// # Errors
    /// BAD_USER_INPUT for a cursor of another list.
    pub fn of(
        args: &PageArgs,
        list: &str,
        total: usize,
        before: impl Fn(usize) -> usize,
    ) -> Result<Self, ApiError> {
        let place = args.place(list, |bytes| {
            usize::try_from(u64::from_be_bytes(bytes.try_into().ok()?)).ok()
        })?;
        Ok(match args.direction {
            Direction::Forward => {
                let start = place.map_or(0, |place| before(place.saturating_add(1)));
                let end = (start + args.size).min(total);
                let more = end < total;
                Self { start, end, more }
            }
            Direction::Backward => {
                let end = place.map_or(total, before);
                let start = end.saturating_sub(args.size);
                let more = start > 0;
                Self { start, end, more }
            }
        })
    }
}

/// A page of the items that match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matching {
    /// The places of the page's items in the whole list.
    pub places: Vec<usize>,
    /// Whether the list goes on in the page's direction.
    pub more: bool,
    /// How many items match.
    pub total: usize,
}

impl Matching {
    /// The page that is asked for, of those items of `list` that match. A cursor is an item's place in the whole list,
    /// so that it stays valid in a list whose items never change.
    ///
    /// # Errors
    /// BAD_USER_INPUT for a cursor of another list.
    pub fn of(
        args: &PageArgs,
        list: &str,
        all: Range<usize>,
        matches: impl Fn(usize) -> bool,
    ) -> Result<Self, ApiError> {
        let found: Vec<usize> = all.filter(|place| matches(*place)).collect();
        let before = |place| found.partition_point(|at| *at < place);
        let Span { start, end, more } = Span::of(args, list, found.len(), before)?;
        Ok(Self {
            places: found.get(start..end).unwrap_or_default().to_vec(),
            more,
            total: found.len(),
        })
    }
}

/// The cursor of an item.
pub fn place_cursor(list: &str, place: usize) -> String {
    cursor::encode(list, &(place as u64).to_be_bytes())
}

/// Declares a connection and its edge: what lists are called, and what is in them.
macro_rules! numbered {
    ($(#[$page_doc:meta])* $page:ident $(#[$edge_doc:meta])* $edge:ident of $node:ty) => {
        $(#[$page_doc])*
        #[derive(async_graphql::SimpleObject)]
        pub struct $page {
            /// The edges of this page.
            edges: Vec<$edge>,
            /// The position of this page in the list.
            page_info: trestle_api::PageInfo,
            /// Number of items that match.
            total_count: u64,
        }

        $(#[$edge_doc])*
        #[derive(async_graphql::SimpleObject)]
        pub struct $edge {
            /// Position in the list. Pass it as `after` or `before`.
            cursor: String,
            /// The node.
            node: Option<$node>,
        }

        impl $page {
            fn of(
                args: &trestle_api::PageArgs,
                list: &str,
                matching: $crate::graphql::numbered::Matching,
                node: impl Fn(usize) -> Option<$node>,
            ) -> Self {
                use $crate::graphql::numbered::place_cursor;
                let edge = |place: &usize| $edge {
                    cursor: place_cursor(list, *place),
                    node: node(*place),
                };
                let edges: Vec<_> = matching.places.iter().map(edge).collect();
                let cursor = |edge: Option<&$edge>| edge.map(|edge| edge.cursor.clone());
                let (start, end) = (cursor(edges.first()), cursor(edges.last()));
                Self {
                    page_info: trestle_api::PageInfo::of(args, matching.more, start, end),
                    edges,
                    total_count: matching.total as u64,
                }
            }
        }
    };
}

pub(super) use numbered;
