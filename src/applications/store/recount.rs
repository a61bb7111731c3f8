//! Counting everything anew, for a table that other programs have written, which keep fewer counters.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::applications::error::StoreError;
use crate::applications::items::CountersItem;
use crate::applications::keys::{self, Partition};
use crate::applications::model::{Status, Week};
use crate::table::{Consistency, Item, MAX_ITEMS, Projection, TransactionError};

use super::Applications;
use super::counters::{ACTIVE, Stats, Updates};
use super::node::stored_key;

/// What a full count found.
#[derive(Default)]
struct Counted {
    active: i64,
    partitions: BTreeMap<Partition, i64>,
    weeks: BTreeMap<Week, i64>,
}

impl Counted {
    fn add(&mut self, partition: Partition, items: &[Item]) {
        let counted = i64::try_from(items.len()).unwrap_or(i64::MAX);
        if let Partition::Status(_) = partition {
            self.active += counted;
        }
        self.partitions.insert(partition, counted);
        let sent = |item: &Item| item.get("dateApplied")?.as_s().ok()?.parse().ok();
        for day in items.iter().filter_map(sent) {
            *self.weeks.entry(Week::of(day)).or_default() += 1;
        }
    }

    /// What the counters are off by. Attributes that are no counter of ours are left alone.
    fn corrections(self, stats: &Stats, years: &BTreeMap<i32, CountersItem>) -> Updates {
        let mut updates = Updates::default();
        updates.add(keys::meta(), ACTIVE, self.active - stats.active());
        for (partition, counted) in self.partitions {
            let off = counted - stats.of(partition);
            updates.add(keys::meta(), partition.key().as_str(), off);
        }
        let stored = years
            .keys()
            .flat_map(|year| (1..=Week::MAX).map(|number| Week::new(*year, number)));
        let mut weeks: BTreeMap<_, _> = stored.map(|week| (week, 0)).collect();
        weeks.extend(self.weeks);
        for (week, counted) in weeks {
            let stored = years.get(&week.year).map_or(0, |year| year.week(week));
            let off = counted.saturating_sub(stored);
            updates.add(keys::applied(week.year), &keys::week(week), off);
        }
        updates
    }
}

impl Applications {
    /// Counts every application and corrects the counters by what they are off; how many were. What changes
    /// meanwhile may be counted twice or not at all: nothing else should write. The stays stay as they are:
    /// what they count is past, and perhaps deleted. GetItem META / COUNT, Query of META / APPLIED# and of
    /// each partition of GSI1, and TransactWriteItems where a counter is off.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn recount(&self) -> Result<usize, StoreError> {
        let stats = self.stats().await?;
        let years = self.stored_years().await?;
        let partitions = Status::ALL
            .iter()
            .flat_map(|status| [Partition::Status(*status), Partition::Archived(*status)]);
        let mut counted = Counted::default();
        for partition in partitions {
            let items = self
                .table
                .query_index(partition.index(), partition.key())
                .project(Projection::Only(vec!["id", "dateApplied"]))
                .all(&self.meter)
                .await?;
            counted.add(partition, &items);
        }
        let updates = counted.corrections(&stats, &years);
        let corrected = updates.counters();
        let mut updates = updates.of_items().peekable();
        while updates.peek().is_some() {
            let transaction = updates
                .by_ref()
                .take(MAX_ITEMS)
                .try_fold(self.table.transaction(), |all, update| all.update(update))?;
            let committed = transaction.commit(&self.meter).await;
            committed.map_err(|error| match error {
                TransactionError::Table(error) => error.into(),
                canceled => StoreError::Transaction(Arc::new(canceled)),
            })?;
        }
        Ok(corrected)
    }

    /// The counters of every year that has some. Query META / APPLIED#.
    async fn stored_years(&self) -> Result<BTreeMap<i32, CountersItem>, StoreError> {
        let items = self
            .table
            .query(keys::counters())
            .begins_with(keys::years())
            .consistency(Consistency::Strong)
            .all(&self.meter)
            .await?;
        let year = |item: Item| Some((keys::year(&stored_key(&item)?.sk)?, item.into()));
        Ok(items.into_iter().filter_map(year).collect())
    }
}
