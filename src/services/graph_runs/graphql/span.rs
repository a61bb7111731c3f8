//! Pages of lists whose items are numbered.

use crate::api::{ApiError, PageArgs};
use crate::table::{Direction, cursor};

/// A page of a list with numbered items: from `start` to before `end`.
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
    /// The page that is asked for, of a list of `total` items.
    ///
    /// # Errors
    /// BAD_USER_INPUT for a cursor of another list.
    pub fn of(args: &PageArgs, list: &str, total: usize) -> Result<Self, ApiError> {
        let place = args.place(list, |bytes| {
            usize::try_from(u64::from_be_bytes(bytes.try_into().ok()?)).ok()
        })?;
        Ok(match args.direction {
            Direction::Forward => {
                let start = place.map_or(0, |place| place.saturating_add(1)).min(total);
                let end = (start + args.size).min(total);
                let more = end < total;
                Self { start, end, more }
            }
            Direction::Backward => {
                let end = place.unwrap_or(total).min(total);
                let start = end.saturating_sub(args.size);
                let more = start > 0;
                Self { start, end, more }
            }
        })
    }
}

/// The cursor of an item.
pub fn span_cursor(list: &str, place: usize) -> String {
    cursor::encode(list, &(place as u64).to_be_bytes())
}
