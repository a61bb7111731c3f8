//! The counters, kept by every transaction that changes what they count: the Meta item, a year's weeks,
//! and the stays in a status.

use std::collections::BTreeMap;

use crate::applications::error::StoreError;
use crate::applications::items::MetaItem;
use crate::applications::keys::{self, Partition};
use crate::applications::model::{Application, Status, Stay, Week};
use crate::table::{Condition, Key, MalformedItem, TableError, Transaction, Update};

use super::{Applications, ListFilter};

/// How many applications there are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats(MetaItem);

impl Stats {
    /// Those that are not archived.
    pub fn active(&self) -> i64 {
        self.0.count
    }

    /// Those that are archived.
    pub fn archived(&self) -> i64 {
        Status::ALL
            .iter()
            .map(|status| self.of(Partition::Archived(*status)))
            .sum()
    }

    /// Those in one partition of GSI1.
    pub fn of(&self, partition: Partition) -> i64 {
        self.0.of(partition)
    }

    /// Whether the counters by status are kept by everyone who writes the table: other programs may know
    /// `count` alone.
    pub fn by_status_known(&self) -> bool {
        let active = Status::ALL
            .iter()
            .map(|status| self.of(Partition::Status(*status)));
        active.sum::<i64>() == self.active()
    }

    /// Those in a list, where the counters know: `None` where the filter asks for more than statuses and
    /// archiving, or where the counters by status are not kept by everyone.
    pub fn total(&self, filter: &ListFilter) -> Option<i64> {
        if filter.looks_into_items() {
            return None;
        }
        let partitions = filter.partitions();
        if partitions == [Partition::Active] {
            return Some(self.active());
        }
        let total = |partition: &Partition| match partition {
            Partition::Active => self.active(),
            other => self.of(*other),
        };
        self.by_status_known()
            .then(|| partitions.iter().map(total).sum())
    }
}

impl Applications {
    /// Every count. GetItem META / COUNT.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn stats(&self) -> Result<Stats, StoreError> {
        let item = self.table.get(keys::meta()).send(&self.meter).await?;
        let Some(item) = item else {
            return Ok(Stats::default());
        };
        let meta = serde_dynamo::from_item(item).map_err(|e| MalformedItem {
            entity: "counter",
            reason: e.to_string(),
        })?;
        Ok(Stats(meta))
    }
}

/// The counter of everything that is not archived.
pub(super) const ACTIVE: &str = "count";

/// What a write does to the counters.
#[derive(Debug, Default)]
pub(super) struct Counting {
    active: i64,
    partitions: BTreeMap<Partition, i64>,
    weeks: BTreeMap<Week, i64>,
    stays: BTreeMap<Stay, i64>,
}

impl Counting {
    /// One application comes.
    pub(super) fn add(&mut self, application: &Application) {
        self.move_by(application, 1);
    }

    /// One application goes.
    pub(super) fn remove(&mut self, application: &Application) {
        self.move_by(application, -1);
    }

    /// Stays in a status ended. Nothing takes that back.
    pub(super) fn stays(&mut self, ended: impl IntoIterator<Item = Stay>) {
        for stay in ended {
            *self.stays.entry(stay).or_default() += 1;
        }
    }

    fn move_by(&mut self, application: &Application, by: i64) {
        if !application.is_archived {
            self.active += by;
        }
        *self
            .partitions
            .entry(Partition::of(application))
            .or_default() += by;
        if let Some(day) = application.details.date_applied {
            *self.weeks.entry(Week::of(day)).or_default() += by;
        }
    }

    /// Writes the counts that change: the Meta item, one item for each year, and the stays.
    pub(super) fn write(self, transaction: Transaction<'_>) -> Result<Transaction<'_>, TableError> {
        let mut updates = Updates::default();
        updates.add(keys::meta(), ACTIVE, self.active);
        for (partition, by) in self.partitions {
            updates.add(keys::meta(), partition.key().as_str(), by);
        }
        for (week, by) in self.weeks {
            updates.add(keys::applied(week.year), &keys::week(week), by);
        }
        for (stay, by) in self.stays {
            updates.add(keys::stays(), &keys::stay(stay), by);
        }
        updates
            .of_items()
            .try_fold(transaction, Transaction::update)
    }
}

/// What is added to the counters of each item.
#[derive(Debug, Default)]
pub(super) struct Updates(BTreeMap<Key, Vec<(String, i64)>>);

impl Updates {
    /// Adds to one counter; nothing is written for a 0.
    pub(super) fn add(&mut self, key: Key, counter: &str, by: i64) {
        if by != 0 {
            self.0
                .entry(key)
                .or_default()
                .push((counter.to_owned(), by));
        }
    }

    /// How many counters change.
    pub(super) fn counters(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// One update for each item.
    pub(super) fn of_items(self) -> impl Iterator<Item = Update> {
        self.0.into_iter().map(|(key, counters)| {
            let nothing = Update::new(key, Condition::All(Vec::new()));
            counters
                .into_iter()
                .fold(nothing, |update, (name, by)| update.add(name, by))
        })
    }
}
