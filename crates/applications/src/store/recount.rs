//! Counting everything again, for a table that other programs write without counters.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use tokio::time::sleep;

use crate::error::StoreError;
use crate::items::{self, COMPLETE, CountersItem};
use crate::keys::{self, Partition, Scope};
use crate::model::{ApplicationId, Status, Stay, StayLength, Week};
use trestle_table::{
    Condition, Consistency, Item, Key, MAX_ITEMS, Projection, Reason, Transaction,
    TransactionError, Update,
};

use super::Applications;
use super::counters::{ACTIVE, Updates};

/// How often everything is counted again because others change the counters.
const RECOUNTS: usize = 10;

/// What a full count found.
#[derive(Default, PartialEq)]
struct Counted {
    seen: HashSet<ApplicationId>,
    active: i64,
    partitions: BTreeMap<Partition, i64>,
    weeks: BTreeMap<Week, i64>,
    past: BTreeMap<Status, i64>,
}

impl Counted {
    /// Counts each application once, by its own status and archived flag, at whatever keys of the indexes it is.
    fn add(&mut self, scope: &Scope, items: Vec<Item>) {
        let applications = items
            .into_iter()
            .filter_map(|item| items::application(scope, item));
        for application in applications {
            if !self.seen.insert(application.id.clone()) {
                continue;
            }
            self.active += i64::from(!application.is_archived());
            if let Some(partition) = Partition::of(&application) {
                *self.partitions.entry(partition).or_default() += 1;
            }
            for status in application.past() {
                *self.past.entry(status).or_default() += 1;
            }
            if let Some(day) = application.details.date_applied.get() {
                *self.weeks.entry(Week::of(day)).or_default() += 1;
            }
        }
    }

    /// The counters that differ from what was counted, each with what was stored.
    fn corrections(self, scope: &Scope, meta: &Item, years: &BTreeMap<i32, Item>) -> Corrections {
        let mut corrections = Corrections::default();
        let empty = Item::new();
        corrections.compare(scope.meta(), meta, ACTIVE, self.active);
        for partition in Partition::by_status() {
            let counted = self.partitions.get(&partition).copied().unwrap_or_default();
            corrections.compare(scope.meta(), meta, &partition.counter(), counted);
        }
        for status in Status::ALL {
            let counted = self.past.get(status).copied().unwrap_or_default();
            corrections.compare(scope.meta(), meta, &keys::past(*status), counted);
        }
        let stored = years
            .keys()
            .flat_map(|year| (1..=Week::MAX).map(|number| Week::new(*year, number)));
        let mut weeks: BTreeMap<_, _> = stored.map(|week| (week, 0)).collect();
        weeks.extend(self.weeks);
        for (week, counted) in weeks {
            let year = years.get(&week.year).unwrap_or(&empty);
            corrections.compare(scope.applied(week.year), year, &keys::week(week), counted);
        }
        corrections
    }
}

/// Counters to set, by their items. Each is set only if it is still what was read: what others count meanwhile is not
/// lost.
#[derive(Default)]
struct Corrections(BTreeMap<Key, Vec<(String, i64, Condition)>>);

impl Corrections {
    fn compare(&mut self, key: Key, item: &Item, counter: &str, counted: i64) {
        let stored = item.get(counter);
        let number = stored.map(|stored| stored.as_n().ok().and_then(|n| n.parse().ok()));
        if number.unwrap_or(Some(0)) == Some(counted) {
            return;
        }
        let name = counter.to_owned().into();
        let unchanged = match stored {
            Some(stored) => Condition::Equals(name, stored.clone()),
            None => Condition::Lacks(name),
        };
        let correction = (counter.to_owned(), counted, unchanged);
        self.0.entry(key).or_default().push(correction);
    }

    fn counters(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// One update for each item; the Meta item's says that the counters are complete.
    fn of_items(mut self, meta: Key) -> impl Iterator<Item = Update> {
        self.0.entry(meta.clone()).or_default();
        self.0.into_iter().map(move |(key, corrections)| {
            let conditions = corrections.iter().map(|(.., unchanged)| unchanged.clone());
            let nothing = Update::new(key.clone(), Condition::All(conditions.collect()));
            let update = corrections
                .into_iter()
                .fold(nothing, |update, (name, counted, _)| {
                    update.set(name, &counted)
                });
            if key == meta {
                update.set(COMPLETE, &true)
            } else {
                update
            }
        })
    }
}

/// The counters, and then everything counted.
#[derive(PartialEq)]
struct Look {
    meta: Item,
    years: BTreeMap<i32, Item>,
    counted: Counted,
}

impl Applications {
    /// Counts every application, corrects the counters and marks them complete; the number of counters that
    /// were wrong. A counter that others change meanwhile is counted again, and so is everything if the indexes may be behind
    /// the items, until two counts agree between which no counter changed. The stays stay as they are, because they count
    /// the past; those of the first release are moved out of the Meta item's partition. GetItem META / COUNT, Query of
    /// INSIGHT / APPLIED#, of META and of each partition of the indexes, then TransactWriteItems.
    ///
    /// # Errors
    /// [`StoreError`]; [`StoreError::Recounted`] if others change the counters each time, or no two counts agree.
    pub async fn recount(&self) -> Result<usize, StoreError> {
        self.register().await?;
        let mut before = None;
        for _ in 0..RECOUNTS {
            let look = self.look().await?;
            let lag = self.table.index_lag();
            if !lag.is_zero() && before.as_ref() != Some(&look) {
                before = Some(look);
                sleep(lag).await;
                continue;
            }
            let corrections = look
                .counted
                .corrections(&self.scope, &look.meta, &look.years);
            if let Some(corrected) = self.correct(corrections).await? {
                return Ok(corrected);
            }
        }
        Err(StoreError::Recounted)
    }

    /// The counters are read before everything is counted, so that what others count meanwhile shows.
    async fn look(&self) -> Result<Look, StoreError> {
        let meta = self.item(self.scope.meta(), Projection::All).await?;
        Ok(Look {
            meta: meta.unwrap_or_default(),
            years: self.stored_years().await?,
            counted: self.count_all().await?,
        })
    }

    /// Counts every application that the indexes have.
    async fn count_all(&self) -> Result<Counted, StoreError> {
        let mut counted = Counted::default();
        for partition in Partition::all() {
            let items = self
                .table
                .query_index(partition.index(), self.scope.listed(partition))
                .project(Projection::Only(vec![
                    "PK",
                    "SK",
                    "GSI1PK",
                    "isArchived",
                    "status",
                    "dateApplied",
                    "pastStatuses",
                ]))
                .all(&self.meter)
                .await?;
            counted.add(&self.scope, items);
        }
        Ok(counted)
    }

    /// Sets the counters that are wrong. Their number; `None` if a counter changed while it was counted.
    async fn correct(&self, corrections: Corrections) -> Result<Option<usize>, StoreError> {
        let corrected = corrections.counters();
        let mut stays = Updates::default();
        let former = self.former_counters(&mut stays).await?;
        let corrections = corrections.of_items(self.scope.meta());
        let mut updates = corrections.chain(stays.of_items()).peekable();
        // The items of the first release go in the transaction that takes their counters over.
        let mut former = former.into_iter();
        while updates.peek().is_some() || former.len() > 0 {
            let mut transaction = self.table.transaction();
            for key in former.by_ref().take(MAX_ITEMS / 2) {
                transaction = transaction.delete(&key, &Condition::All(Vec::new()));
            }
            let most = MAX_ITEMS - transaction.len();
            let transaction = updates
                .by_ref()
                .take(most)
                .fold(transaction, Transaction::update);
            match transaction.commit(&self.meter).await {
                Ok(()) => {}
                Err(TransactionError::Table(error)) => return Err(error.into()),
                Err(TransactionError::Canceled(reasons)) => {
                    let is_contended = reasons.iter().flatten().any(|reason| {
                        matches!(reason, Reason::ConditionFailed { .. } | Reason::Conflict)
                    });
                    return if is_contended {
                        Ok(None)
                    } else {
                        Err(StoreError::Transaction(Arc::new(
                            TransactionError::Canceled(reasons),
                        )))
                    };
                }
            }
        }
        Ok(Some(corrected))
    }

    /// The items in which the first release kept counters over time. The stays in them are added to `updates`.
    async fn former_counters(&self, updates: &mut Updates) -> Result<Vec<Key>, StoreError> {
        let items = self
            .table
            .query(self.scope.former_counters())
            .consistency(Consistency::Strong)
            .all(&self.meter)
            .await?;
        let mut former = Vec::new();
        for item in items {
            let Some(key) = keys::TABLE.key_in(&item) else {
                continue;
            };
            if key.sk == self.scope.stays().sk {
                let stored = CountersItem::from(item);
                for status in Status::ALL {
                    for length in StayLength::ALL {
                        let stay = Stay {
                            status: *status,
                            length,
                        };
                        updates.add(self.scope.stays(), &keys::stay(stay), stored.stay(stay));
                    }
                }
            } else if keys::year(&key.sk).is_none() {
                continue;
            }
            former.push(key);
        }
        Ok(former)
    }

    /// The counters of every year that has some. Query INSIGHT / APPLIED#.
    async fn stored_years(&self) -> Result<BTreeMap<i32, Item>, StoreError> {
        let items = self
            .table
            .query(self.scope.counters())
            .begins_with(keys::years())
            .consistency(Consistency::Strong)
            .all(&self.meter)
            .await?;
        let years = items
            .into_iter()
            .filter_map(|item| Some((keys::year(&keys::TABLE.key_in(&item)?.sk)?, item)));
        Ok(years.collect())
    }
}
