//! The Meta item: how many applications there are, kept by every transaction that changes it.

use std::sync::Arc;

use crate::applications::error::StoreError;
use crate::applications::items::MetaItem;
use crate::applications::keys::{self, Partition};
use crate::applications::model::{Application, Status};
use crate::table::{Condition, MalformedItem, Projection, TransactionError, Update};

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

impl Applications {
    /// Counts every application and corrects the counters by what they are off; how many were. What changes
    /// meanwhile may be counted twice or not at all: nothing else should write. Query of each partition of
    /// GSI1, and TransactWriteItems of META / COUNT where a counter is off.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn recount(&self) -> Result<usize, StoreError> {
        let stats = self.stats().await?;
        let partitions = Status::ALL
            .iter()
            .flat_map(|status| [Partition::Status(*status), Partition::Archived(*status)]);
        let mut update = Update::new(keys::meta(), Condition::All(Vec::new()));
        let (mut active, mut corrected) = (0, 0);
        for partition in partitions {
            let items = self
                .table
                .query_index(partition.index(), partition.key())
                .project(Projection::Only(vec!["id"]))
                .all(&self.meter)
                .await?;
            let counted = i64::try_from(items.len()).unwrap_or(i64::MAX);
            if let Partition::Status(_) = partition {
                active += counted;
            }
            let off = counted - stats.of(partition);
            if off != 0 {
                update = update.add(partition.key().as_str(), off);
                corrected += 1;
            }
        }
        if active != stats.active() {
            update = update.add("count", active - stats.active());
            corrected += 1;
        }
        if corrected > 0 {
            let transaction = self.table.transaction().update(update)?;
            transaction
                .commit(&self.meter)
                .await
                .map_err(|error| match error {
                    TransactionError::Table(error) => error.into(),
                    canceled => StoreError::Transaction(Arc::new(canceled)),
                })?;
        }
        Ok(corrected)
    }
}

/// What a write does to the counters.
#[derive(Debug, Default)]
pub(super) struct Counting {
    active: i64,
    partitions: std::collections::BTreeMap<Partition, i64>,
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

    fn move_by(&mut self, application: &Application, by: i64) {
        if !application.is_archived {
            self.active += by;
        }
        *self
            .partitions
            .entry(Partition::of(application))
            .or_default() += by;
    }

    /// The update of the Meta item; empty where no count changes.
    pub(super) fn update(self) -> Update {
        let mut update = Update::new(keys::meta(), Condition::All(Vec::new()));
        if self.active != 0 {
            update = update.add("count", self.active);
        }
        for (partition, by) in self.partitions.into_iter().filter(|(_, by)| *by != 0) {
            update = update.add(partition.key().as_str(), by);
        }
        update
    }
}
