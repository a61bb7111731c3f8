//! The counters, kept by every transaction that changes what they count: the Meta item, a year's weeks,
//! and the stays in a status.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::StoreError;
use crate::items::{COMPLETE, CountersItem};
use crate::keys::{self, Partition, Scope};
use crate::model::{Application, Status, Stay, Week};
use trestle_table::{Condition, Key, Projection, Transaction, Update};

use super::completeness::Beginning;
use super::{Applications, ListFilter};

/// How many applications there are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    meta: CountersItem,
    is_complete: bool,
}

impl Stats {
    /// The applications that are not archived.
    pub fn active(&self) -> Option<i64> {
        self.meta
            .count()
            .filter(|count| self.is_complete && *count >= 0)
    }

    /// The archived applications.
    pub fn archived(&self) -> Option<i64> {
        let archived = Status::ALL.iter().copied().map(Partition::Archived);
        archived.map(|partition| self.of(partition)).sum()
    }

    /// The applications in a partition of GSI1.
    pub fn of(&self, partition: Partition) -> Option<i64> {
        self.is_known().then(|| self.meta.of(partition)).flatten()
    }

    /// Whether every number is known: every application is counted, and the counters by status are plausible. Another
    /// program may keep `count` alone.
    pub fn is_known(&self) -> bool {
        self.active().is_some()
            && self.active() == self.sum_of(Partition::Status)
            && self.sum_of(Partition::Archived).is_some()
    }

    /// The sum of the counters of each status; `None` if one is missing or below 0.
    fn sum_of(&self, partition: fn(Status) -> Partition) -> Option<i64> {
        let counters = Status::ALL.iter();
        counters
            .map(|status| self.meta.of(partition(*status)).filter(|count| *count >= 0))
            .sum()
    }

    /// The applications that have a status or had it.
    pub fn reached(&self, status: Status) -> Option<i64> {
        let present = self.of(Partition::Status(status))? + self.of(Partition::Archived(status))?;
        Some(present + self.meta.past(status)?.max(0))
    }

    /// The applications in a list; `None` if the counters do not know.
    pub fn total(&self, filter: &ListFilter) -> Option<i64> {
        if filter.looks_into_items() {
            return None;
        }
        let partitions = filter.partitions().into_iter();
        partitions
            .map(|partition| match partition {
                Partition::Active => self.active(),
                other => self.of(other),
            })
            .sum()
    }
}

impl Applications {
    /// Every count. GetItem META / COUNT; if it is missing, one Query for each partition of the indexes, to learn
    /// whether the table is empty, and if it is not, the GetItem again: the first application may have come in between.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn stats(&self) -> Result<Stats, StoreError> {
        let mut meta = self.counters_item().await?;
        let mut is_empty = false;
        if meta.is_none() {
            is_empty = self.is_empty().await?;
            if !is_empty {
                meta = self.counters_item().await?;
            }
        }
        Ok(Stats {
            is_complete: meta.as_ref().map_or(is_empty, CountersItem::is_complete),
            meta: meta.unwrap_or_default(),
        })
    }

    async fn counters_item(&self) -> Result<Option<CountersItem>, StoreError> {
        let item = self.table.get(self.scope.meta()).send(&self.meter).await?;
        Ok(item.map(CountersItem::from))
    }
}

/// The counter of everything that is not archived.
pub(super) const ACTIVE: &str = "count";

/// What a write does to the counters.
#[derive(Debug, Default)]
pub(super) struct Counting {
    beginning: Beginning,
    active: i64,
    partitions: BTreeMap<Partition, i64>,
    weeks: BTreeMap<Week, i64>,
    stays: BTreeMap<Stay, i64>,
    past: BTreeMap<Status, i64>,
}

impl Counting {
    /// For a write that adds applications.
    pub(super) fn beginning(beginning: Beginning) -> Self {
        Self {
            beginning,
            ..Self::default()
        }
    }

    /// An application is added.
    pub(super) fn add(&mut self, application: &Application) {
        self.move_by(application, 1);
    }

    /// An application is removed.
    pub(super) fn remove(&mut self, application: &Application) {
        self.move_by(application, -1);
    }

    /// An application is changed.
    pub(super) fn change(&mut self, was: &Application, is: &Application) {
        self.remove(was);
        self.add(is);
        self.stays(Stay::ended(was, is));
        if let Some(resumed) = Stay::resumed(was, is) {
            *self.stays.entry(resumed).or_default() -= 1;
        }
    }

    /// Stays in a status ended.
    pub(super) fn stays(&mut self, ended: impl IntoIterator<Item = Stay>) {
        for stay in ended {
            *self.stays.entry(stay).or_default() += 1;
        }
    }

    /// Whether this is the first write of its scope.
    pub(super) fn is_first(&self) -> bool {
        self.beginning == Beginning::First
    }

    /// Whether the write depends on whether the Meta item exists.
    pub(super) fn is_conditional(&self) -> bool {
        self.beginning != Beginning::Later
    }

    /// Whether no counter changes.
    pub(super) fn is_empty(&self) -> bool {
        let partitions = self.partitions.values();
        let mut changes = partitions
            .chain(self.weeks.values())
            .chain(self.stays.values())
            .chain(self.past.values());
        self.active == 0 && changes.all(|by| *by == 0) && !self.is_first()
    }

    fn move_by(&mut self, application: &Application, by: i64) {
        if !application.is_archived() {
            self.active += by;
        }
        if let Some(partition) = Partition::of(application) {
            *self.partitions.entry(partition).or_default() += by;
        }
        for status in application.past() {
            *self.past.entry(status).or_default() += by;
        }
        if let Some(day) = application.details.date_applied.get() {
            *self.weeks.entry(Week::of(day)).or_default() += by;
        }
    }

    /// Writes the counts that change: the Meta item, one item for each year, and the stays. Those that are not numbers
    /// are left out.
    pub(super) fn write<'t>(
        &self,
        scope: &Scope,
        transaction: Transaction<'t>,
        unusable: &Unusable,
    ) -> Transaction<'t> {
        let mut updates = self.updates(scope);
        updates.leave_out(unusable);
        updates.of_items().fold(transaction, |transaction, update| {
            let is_meta = *update.key() == scope.meta();
            transaction.update(match self.beginning {
                Beginning::Unknown if is_meta => update.only_if(Condition::Exists),
                Beginning::First if is_meta => {
                    update.set(COMPLETE, &true).only_if(Condition::Missing)
                }
                Beginning::Later | Beginning::Unknown | Beginning::First => update,
            })
        })
    }

    fn updates(&self, scope: &Scope) -> Updates {
        let mut updates = Updates::default();
        updates.add(scope.meta(), ACTIVE, self.active);
        for (partition, by) in &self.partitions {
            updates.add(scope.meta(), &partition.counter(), *by);
        }
        for (status, by) in &self.past {
            updates.add(scope.meta(), &keys::past(*status), *by);
        }
        for (week, by) in &self.weeks {
            updates.add(scope.applied(week.year), &keys::week(*week), *by);
        }
        for (stay, by) in &self.stays {
            updates.add(scope.stays(), &keys::stay(*stay), *by);
        }
        if self.beginning == Beginning::First {
            updates.touch(scope.meta());
        }
        updates
    }
}

/// Counters that are not numbers, by their items: another program stored something else.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Unusable(BTreeSet<(Key, String)>);

impl Unusable {
    /// Logs which these are.
    pub(super) fn report(&self) {
        for (key, counter) in &self.0 {
            tracing::warn!(
                item = key.pk.as_str(),
                counter,
                "a counter is not a number, so it was not changed and totals are unknown: run `trestle table recount`"
            );
        }
    }
}

impl Applications {
    /// The counters of a write that are not numbers. GetItem for each item that it counts in.
    pub(super) async fn unusable(&self, counting: &Counting) -> Result<Unusable, StoreError> {
        let mut found = Unusable::default();
        for (key, counters) in counting.updates(&self.scope).0 {
            let Some(item) = self.item(key.clone(), Projection::All).await? else {
                continue;
            };
            let is_odd =
                |name: &String| item.get(name).is_some_and(|stored| stored.as_n().is_err());
            let odd = counters.into_iter().map(|(name, _)| name).filter(is_odd);
            found.0.extend(odd.map(|name| (key.clone(), name)));
        }
        Ok(found)
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

    /// Leaves out counters, and items of which no other counter changes.
    fn leave_out(&mut self, unusable: &Unusable) {
        self.0.retain(|key, counters| {
            let before = counters.len();
            counters.retain(|(name, _)| !unusable.0.contains(&(key.clone(), name.clone())));
            before == 0 || !counters.is_empty()
        });
    }

    /// Includes an item even if none of its counters changes.
    pub(super) fn touch(&mut self, key: Key) {
        self.0.entry(key).or_default();
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
