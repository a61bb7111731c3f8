//! The access patterns of the table: one method each, with its key and its cost. Independent of GraphQL.

mod agenda;
mod annex;
mod batches;
mod behind;
mod calendar;
mod canceled;
mod change;
mod combine;
mod completeness;
mod counters;
mod create;
mod current;
mod delete;
mod detail;
mod extra;
mod files;
mod history;
mod import;
mod insight;
mod jobs;
mod length;
mod list;
mod many;
mod misplaced;
mod node;
mod owners;
mod postings;
mod queue;
mod record;
mod records;
mod recount;
mod restore;
mod search;
mod times;
mod transfer;
mod unfinished;

pub use agenda::{AgendaEntry, Event, MAX_DAYS, dates_off_agenda};
pub use annex::{AttachedLists, Entry};
pub use calendar::{AddressError, CalendarAddress, CalendarToken, subscription};
pub use completeness::{Counters, ScopeCounters};
pub use counters::Stats;
pub use detail::{Detail, Wanted};
pub use history::{Content, Entries, HistoryPage, HistoryRange, Line, Part};
pub use import::{ListRow, RowOutcome};
pub use insight::{Insight, InsightWanted};
pub use list::{
    AddedFilters, ArchivedFilter, ListFilter, ListOrder, ListPlace, Listed, MoreFilters, Range,
    SortField, Stale, Window, list_name,
};
pub use many::{Origin, Patch, Patched};
pub use node::{Found, NodeKey};
pub use owners::{claim, confirm, has_owners, items_of_no_scope, owners, unmark};
pub use postings::{Postings, TrackedJobs};
pub use record::Record;
pub use search::Search;
pub use transfer::{Import, Imported, NewRow};
pub use unfinished::{PartitionSearch, Partitions};

use chrono::NaiveDate;
use trestle_api::viewer::Viewer;
use trestle_domain::Currency;
use trestle_table::clock::Clock;
use trestle_table::{Meter, Table};

use super::changes::{Announced, Change, Changes};
use super::items::Placed;
use super::keys::Scope;
use super::model::{DetailsChange, HistoryEntry, Timestamp};
use super::objects::Objects;

/// The applications of one scope, with calls counted into one meter. Created for each request.
#[derive(Clone, Debug)]
pub struct Applications {
    table: Table,
    scope: Scope,
    meter: Meter,
    clock: Clock,
    /// Who makes changes, if it is known.
    actor: Option<String>,
    /// Where committed changes are announced.
    changes: Option<Changes>,
    counters: ScopeCounters,
    /// The currency of salaries that are set without one.
    default_currency: Option<Currency>,
    /// Where files of applications are, if they can be reached.
    objects: Option<Objects>,
}

impl Applications {
    /// The applications in `table` that `scope` names.
    pub fn new(table: Table, scope: Scope, meter: Meter, clock: Clock) -> Self {
        Self {
            table,
            scope,
            meter,
            clock,
            actor: None,
            changes: None,
            counters: ScopeCounters::default(),
            default_currency: None,
            objects: None,
        }
    }

    /// The same, with salaries in this currency unless another one is set.
    pub fn paying_in(self, default_currency: Option<Currency>) -> Self {
        Self {
            default_currency,
            ..self
        }
    }

    /// A change with what this store sets beside it.
    fn with_defaults(&self, change: &DetailsChange) -> DetailsChange {
        DetailsChange {
            default_currency: self.default_currency,
            ..change.clone()
        }
    }

    /// The same, with changes made by this viewer. Nobody is named if the server asks for no credentials.
    pub fn acting_for(self, viewer: &Viewer) -> Self {
        let known = Some(viewer).filter(|viewer| !viewer.is_local());
        Self {
            actor: known.map(|viewer| viewer.subject().to_owned()),
            ..self
        }
    }

    /// The same, with what the process knows of the counters.
    pub fn counting(self, counters: &Counters) -> Self {
        Self {
            counters: counters.of(&self.scope),
            ..self
        }
    }

    /// The same, with files in this object store.
    pub fn keeping(self, objects: Objects) -> Self {
        Self {
            objects: Some(objects),
            ..self
        }
    }

    /// Whose applications these are.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The same entry, which says who made the change.
    fn signed(&self, entry: HistoryEntry) -> HistoryEntry {
        HistoryEntry {
            actor: self.actor.clone(),
            ..entry
        }
    }

    /// The same, with its writes announced when they are committed.
    pub fn announcing(self, changes: Changes) -> Self {
        Self {
            changes: Some(changes),
            ..self
        }
    }

    /// Announces a committed write.
    fn announce(&self, change: impl FnOnce() -> Change) {
        if let Some(changes) = &self.changes {
            changes.announce(|| Announced {
                scope: self.scope.clone(),
                change: change(),
            });
        }
    }

    /// An entity with the keys that it has here.
    fn placed<'e, E>(&'e self, entity: &'e E) -> Placed<'e, E> {
        Placed::new(&self.scope, entity)
    }

    /// The present day (UTC).
    pub fn today(&self) -> NaiveDate {
        self.now().date()
    }

    fn now(&self) -> Timestamp {
        Timestamp::new(self.clock.now())
    }
}
