//! The access patterns of the table: one method each, with its key and its cost. Knows nothing of GraphQL.

mod canceled;
mod change;
mod counters;
mod create;
mod current;
mod delete;
mod detail;
mod history;
mod insight;
mod list;
mod node;
mod records;
mod recount;
mod transfer;

pub use change::Changed;
pub use counters::Stats;
pub use detail::{Detail, Wanted};
pub use history::{Content, Entries, HistoryPage, HistoryRange, Line, Part};
pub use insight::{Insight, InsightWanted};
pub use list::{ArchivedFilter, ListFilter, ListOrder, Listed};
pub use node::{Found, NodeKey};
pub use transfer::{Import, Imported, NewRow, Record};

use crate::clock::Clock;
use crate::table::{Meter, Table};
use crate::viewer::Viewer;

use super::changes::{Announced, Changes};
use super::model::Timestamp;

/// The applications as one viewer sees them, its calls counted into one meter. Made for each request.
#[derive(Clone, Debug)]
pub struct Applications {
    table: Table,
    meter: Meter,
    /// One deployment serves one owner, so no key depends on the viewer yet.
    _viewer: Viewer,
    clock: Clock,
    /// Who is told of what was committed.
    changes: Option<Changes>,
}

impl Applications {
    /// The applications in `table`.
    pub fn new(table: Table, viewer: Viewer, meter: Meter, clock: Clock) -> Self {
        Self {
            table,
            meter,
            _viewer: viewer,
            clock,
            changes: None,
        }
    }

    /// The same, whose writes are announced when they are committed.
    pub fn announcing(self, changes: Changes) -> Self {
        Self {
            changes: Some(changes),
            ..self
        }
    }

    /// Tells those who watch of a write that was committed.
    fn announce(&self, change: impl FnOnce() -> Announced) {
        if let Some(changes) = &self.changes {
            changes.announce(change);
        }
    }

    fn now(&self) -> Timestamp {
        Timestamp::new(self.clock.now())
    }
}
