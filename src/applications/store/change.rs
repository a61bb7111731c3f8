//! Changing an application: one consistent read, one transaction, and what is done about races.
//!
//! The newest history entry is the whole state, so it alone is read, and the transaction's condition makes
//! sure that it still is. Where it is not, because another program wrote the application and no history,
//! the application is read and then its stages, never side by side: stages that are older than the
//! application would make a snapshot that never was.

use uuid::Uuid;

use crate::applications::changes::{Announced, ChangeKind};
use crate::applications::error::{ChangeError, StoreError};
use crate::applications::items::{ApplicationItem, HistoryItem, StageItem};
use crate::applications::keys::{self, Partition};
use crate::applications::model::{
    Application, ApplicationId, DetailsChange, HistoryEntry, NewStage, StageChange, StageId, State,
    Timestamp, Violations,
};
use crate::table::{
    Condition, Consistency, Item, Order, Reason, Retries, TableError, TransactionError, from_item,
};
use aws_sdk_dynamodb::types::AttributeValue;

use super::Applications;
use super::counters::Counting;
use super::detail::read_application;

/// How often a write that lost a race is tried again.
pub(super) const RETRIES: usize = 24;

/// A change that was made, or was not needed.
#[derive(Clone, Debug)]
pub struct Changed {
    /// The application now.
    pub state: State,
}

/// What is known of an application before a change.
struct Current {
    state: State,
    /// What the stored application has as its version, which a foreign program may have left behind its
    /// history.
    stored_version: u32,
    source: Source,
}

/// Where a state was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The newest history entry: the application agrees with it, unless another program wrote that.
    Snapshot,
    /// The application and then its stages.
    Items,
}

/// Why a transaction was not done, where another try may do better.
enum Lost {
    /// Someone else changed the application, or was at work on it.
    Race,
    /// The application is not what its newest history entry says.
    Disagreement,
}

impl Applications {
    /// Patches an application's fields. Query APP#id / HIST# (the newest entry), TransactWriteItems.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn update(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
        change: &DetailsChange,
    ) -> Result<Changed, ChangeError> {
        self.change(id, expected, None, |state, now| {
            state.update(change.clone(), now)
        })
        .await
    }

    /// Puts an application away. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn archive(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
    ) -> Result<Changed, ChangeError> {
        self.change(id, expected, None, |state, _| Ok(state.archive()))
            .await
    }

    /// Takes an application out again. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn unarchive(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
    ) -> Result<Changed, ChangeError> {
        self.change(id, expected, None, |state, _| Ok(state.unarchive()))
            .await
    }

    /// Makes an application what it was after an earlier change. As [`Applications::update`], and the
    /// entry by GetItem APP#id / HIST#sequence.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn restore(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
        sequence: u32,
    ) -> Result<Changed, ChangeError> {
        let entry = self.entry(id, sequence).await?;
        if entry.is_none() && self.read_current(id, Source::Items).await?.is_none() {
            return Err(ChangeError::NotFound);
        }
        let entry = entry.ok_or(ChangeError::NoEntry)?;
        let because = Some(format!("Restored to entry {sequence}"));
        self.change(id, expected, because, |state, _| {
            Ok(state.restore(&entry.snapshot))
        })
        .await
    }

    /// Adds a stage. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn add_stage(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
        stage: &NewStage,
    ) -> Result<Changed, ChangeError> {
        self.change(id, expected, None, |state, now| {
            state.add_stage(stage.clone(), now)
        })
        .await
    }

    /// Patches a stage. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn update_stage(
        &self,
        (id, stage): (ApplicationId, StageId),
        expected: Option<u32>,
        change: &StageChange,
    ) -> Result<Changed, ChangeError> {
        let plan = |state: &State, now| state.update_stage(stage, change.clone(), now);
        self.change(id, expected, None, plan).await
    }

    /// Removes a stage. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn remove_stage(
        &self,
        (id, stage): (ApplicationId, StageId),
        expected: Option<u32>,
    ) -> Result<Changed, ChangeError> {
        self.change(id, expected, None, |state, _| state.remove_stage(stage))
            .await
    }

    /// Puts the stages in another order. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn reorder_stages(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
        stages: &[StageId],
    ) -> Result<Changed, ChangeError> {
        self.change(id, expected, None, |state, _| state.reorder_stages(stages))
            .await
    }

    /// Reads the application, plans, and writes the change with its history entry; again, with a pause,
    /// while others get there first. A caller that expects a version is never retried over a change.
    async fn change(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
        because: Option<String>,
        plan: impl Fn(&State, Timestamp) -> Result<State, Violations>,
    ) -> Result<Changed, ChangeError> {
        let mut source = Source::Snapshot;
        let mut retries = Retries::new(RETRIES, &self.meter);
        loop {
            let current = self
                .read_current(id, source)
                .await?
                .ok_or(ChangeError::NotFound)?;
            let state = &current.state;
            let now = self.now();
            let planned = match expected {
                Some(version) if version != state.application.version => {
                    Err(ChangeError::Conflict {
                        current: state.application.version,
                    })
                }
                _ => plan(state, now).map_err(ChangeError::from),
            };
            let entry = match planned {
                Ok(next) => Ok(state.commit(next, because.clone(), Uuid::new_v4(), now)),
                Err(refusal) => Err(refusal),
            };
            let lost = match entry {
                Ok(Some(entry)) => match self.write(&current, &entry).await? {
                    None => {
                        self.announce(|| Announced::written(ChangeKind::Updated, &entry.snapshot));
                        return Ok(Changed {
                            state: entry.snapshot,
                        });
                    }
                    Some(lost) => lost,
                },
                // Nothing to write, so no condition tells whether the snapshot still holds.
                Ok(None) if self.confirmed(&current).await? => {
                    return Ok(Changed {
                        state: current.state,
                    });
                }
                Err(refusal) if self.confirmed(&current).await? => return Err(refusal),
                Ok(None) | Err(_) => Lost::Disagreement,
            };
            match lost {
                Lost::Race => source = Source::Snapshot,
                Lost::Disagreement => source = Source::Items,
            }
            retries.pause().await?;
        }
    }

    /// The state to change, from the newest history entry or, where asked for or needed, from the items.
    async fn read_current(
        &self,
        id: ApplicationId,
        source: Source,
    ) -> Result<Option<Current>, StoreError> {
        let newest = self.newest_entry(id).await?;
        if let (Source::Snapshot, Some(entry)) = (source, &newest) {
            let stored_version = entry.sequence();
            let state = entry.snapshot.clone();
            return Ok(Some(Current {
                state,
                stored_version,
                source,
            }));
        }
        let item = self
            .table
            .get(keys::application(id))
            .consistency(Consistency::Strong)
            .send(&self.meter)
            .await?;
        let Some(mut application) = item.map(read_application).transpose()? else {
            return Ok(None);
        };
        let stages = self.stages(&application).await?;
        let stored_version = application.version;
        let newest = newest.map_or(0, |entry| entry.sequence());
        application.version = stored_version.max(newest);
        let state = State::new(application, stages);
        Ok(Some(Current {
            state,
            stored_version,
            source: Source::Items,
        }))
    }

    /// The newest history entry; `None` also where it cannot be read. Query APP#id / HIST#, backwards, one.
    pub(super) async fn newest_entry(
        &self,
        id: ApplicationId,
    ) -> Result<Option<HistoryEntry>, StoreError> {
        let page = self
            .table
            .query(keys::partition(id))
            .begins_with(keys::history())
            .order(Order::Descending)
            .limit(1)
            .consistency(Consistency::Strong)
            .page(&self.meter)
            .await?;
        Ok(page.items.into_iter().next().and_then(read_entry))
    }

    /// One history entry; `None` also where it cannot be read. GetItem APP#id / HIST#sequence.
    pub(super) async fn entry(
        &self,
        id: ApplicationId,
        sequence: u32,
    ) -> Result<Option<HistoryEntry>, StoreError> {
        let item = self
            .table
            .get(keys::history_entry(id, sequence))
            .consistency(Consistency::Strong)
            .send(&self.meter)
            .await?;
        Ok(item.and_then(read_entry))
    }

    /// Whether the application is there and is what `current` says.
    async fn confirmed(&self, current: &Current) -> Result<bool, StoreError> {
        if current.source == Source::Items {
            return Ok(true);
        }
        let known = &current.state.application;
        let stored = self
            .application(known.id, &super::Wanted::default())
            .await?;
        Ok(stored.is_some_and(|detail| {
            let stored = detail.application;
            (stored.version, stored.updated_at) == (known.version, known.updated_at)
        }))
    }

    /// The transaction of one change: application, history entry, the stages that differ, counters.
    /// `None` where it was done.
    async fn write(
        &self,
        current: &Current,
        entry: &HistoryEntry,
    ) -> Result<Option<Lost>, ChangeError> {
        let (before, after) = (&current.state, &entry.snapshot);
        let id = after.application.id;
        let item = ApplicationItem::from(&after.application);
        let known = (current.source == Source::Snapshot)
            .then(|| ApplicationItem::from(&before.application));
        let update = self
            .table
            .update_of(known.as_ref(), &item, unchanged(current))?;
        let mut transaction = self
            .table
            .transaction()
            .update(update)?
            .put_new(&HistoryItem::from(entry))?;
        for stage in after
            .stages()
            .iter()
            .filter(|stage| before.stage(stage.id) != Some(stage))
        {
            transaction = transaction.put(&StageItem::new(id, stage))?;
        }
        for stage in before
            .stages()
            .iter()
            .filter(|stage| after.stage(stage.id).is_none())
        {
            let anyway = Condition::All(Vec::new());
            transaction = transaction.delete(&keys::stage(id, stage.id), &anyway)?;
        }
        if Partition::of(&before.application) != Partition::of(&after.application) {
            let mut counting = Counting::default();
            counting.remove(&before.application);
            counting.add(&after.application);
            transaction = transaction.update(counting.update())?;
        }
        match transaction.commit(&self.meter).await {
            Ok(()) => Ok(None),
            Err(TransactionError::Canceled(reasons)) => self.lost(current, entry, reasons).await,
            Err(TransactionError::Table(error)) => Err(error.into()),
        }
    }

    /// What a cancelled change means. The first reason is the application's, the second the entry's.
    async fn lost(
        &self,
        current: &Current,
        entry: &HistoryEntry,
        reasons: Vec<Option<Reason>>,
    ) -> Result<Option<Lost>, ChangeError> {
        match reasons.first() {
            Some(Some(Reason::ConditionFailed { item: None })) => Err(ChangeError::NotFound),
            Some(Some(Reason::ConditionFailed { item: Some(item) })) => {
                self.overtaken(current, entry, item.clone()).await
            }
            // The entry's key is taken though the application has not moved on: it lags its history.
            _ if matches!(reasons.get(1), Some(Some(Reason::ConditionFailed { .. }))) => {
                Ok(Some(Lost::Disagreement))
            }
            _ => retryable(reasons).map(|()| Some(Lost::Race)),
        }
    }

    /// The application is not what the change started from: because of this very change, whose answer was
    /// lost on the way; because it never agreed with its history; or because someone else was faster.
    async fn overtaken(
        &self,
        current: &Current,
        entry: &HistoryEntry,
        item: Item,
    ) -> Result<Option<Lost>, ChangeError> {
        let stored = read_application(item).map_err(ChangeError::Store)?;
        let written = (entry.sequence(), entry.moment());
        if (stored.version, stored.updated_at) == written {
            let there = self.entry(stored.id, entry.sequence()).await?;
            if there.is_some_and(|there| there.id == entry.id) {
                return Ok(None);
            }
        }
        let agreed = stored.version > current.state.application.version;
        Ok(Some(if agreed {
            Lost::Race
        } else {
            Lost::Disagreement
        }))
    }
}

/// That the stored application is still the one that was read.
fn unchanged(current: &Current) -> Condition {
    let application = &current.state.application;
    let mut conditions = vec![Condition::Equals(
        "updatedAt",
        AttributeValue::S(application.updated_at.to_string()),
    )];
    // Another program may have written an application without the attribute.
    if current.stored_version > 0 {
        let version = AttributeValue::N(current.stored_version.to_string());
        conditions.push(Condition::Equals("historySequence", version));
    }
    Condition::All(conditions)
}

fn read_entry(item: Item) -> Option<HistoryEntry> {
    from_item::<HistoryItem>(item).ok()?.try_into().ok()
}

/// Whether the same transaction may succeed later.
pub(super) fn retryable(reasons: Vec<Option<Reason>>) -> Result<(), ChangeError> {
    let passing = |reason: &Reason| matches!(reason, Reason::Conflict | Reason::Throttled);
    if reasons.iter().flatten().all(passing) {
        return Ok(());
    }
    let refused = TransactionError::Canceled(reasons);
    Err(ChangeError::Store(StoreError::Transaction(
        std::sync::Arc::new(refused),
    )))
}

/// The application that a failed condition found.
pub(super) fn found(item: Item) -> Result<Application, TableError> {
    Ok(from_item::<ApplicationItem>(item)?.try_into()?)
}
