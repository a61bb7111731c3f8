//! Creating applications, one by one or as many to a transaction as fit.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use crate::applications::changes::{Announced, ChangeKind};
use crate::applications::error::ChangeError;
use crate::applications::items::{ApplicationItem, HistoryItem};
use crate::applications::keys;
use crate::applications::model::{Application, ApplicationId, DetailsChange, HistoryEntry, State};
use crate::table::{Reason, Retries, TransactionError};

use super::change::{RETRIES, found, retryable};
use super::counters::Counting;
use super::{Applications, Changed};

impl Applications {
    /// Makes an application. TransactWriteItems, and no read unless the id is taken: the same create sent
    /// again then answers the application that the first one made, whatever became of it since.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn create(
        &self,
        id: Option<ApplicationId>,
        change: &DetailsChange,
    ) -> Result<Changed, ChangeError> {
        let id = id.unwrap_or_else(|| ApplicationId(Uuid::new_v4()));
        let entry = State::create(id, change.clone(), Uuid::new_v4(), self.now())?;
        let mut retries = Retries::new(RETRIES, &self.meter);
        loop {
            match self.write_new(std::slice::from_ref(&entry)).await {
                Ok(()) => {
                    return Ok(Changed {
                        state: entry.snapshot,
                    });
                }
                Err(TransactionError::Table(error)) => return Err(error.into()),
                Err(TransactionError::Canceled(reasons)) => match reasons.as_slice() {
                    [Some(Reason::ConditionFailed { item: Some(item) }), ..] => {
                        return self.already_there(found(item.clone())?, change).await;
                    }
                    [_, Some(Reason::ConditionFailed { .. }), ..] => {
                        return Err(ChangeError::BeingDeleted);
                    }
                    _ => retryable(reasons)?,
                },
            }
            retries.pause().await?;
        }
    }

    /// The id is taken: by what this same create made before, or by something else.
    async fn already_there(
        &self,
        there: Application,
        change: &DetailsChange,
    ) -> Result<Changed, ChangeError> {
        let first = self
            .entry(there.id, 1)
            .await?
            .map(|entry| entry.snapshot.application);
        let made = first.unwrap_or_else(|| there.clone());
        let again = State::create(there.id, change.clone(), Uuid::nil(), made.created_at)?;
        if again.snapshot.application.details != made.details {
            return Err(ChangeError::IdTaken {
                current: there.version,
            });
        }
        let stages = self.stages(&there).await?;
        Ok(Changed {
            state: State::new(there, stages),
        })
    }

    /// One transaction: for each entry the application and then the entry itself, the counters last.
    pub(super) async fn write_new(&self, entries: &[HistoryEntry]) -> Result<(), TransactionError> {
        let mut transaction = self.table.transaction();
        let mut counting = Counting::default();
        for entry in entries {
            let application = &entry.snapshot.application;
            transaction = transaction
                .put_new(&ApplicationItem::from(application))?
                .put_new(&HistoryItem::from(entry))?;
            counting.add(application);
        }
        transaction
            .update(counting.update())?
            .commit(&self.meter)
            .await
            .inspect(|()| entries.iter().for_each(|entry| self.announce_new(entry)))
    }

    fn announce_new(&self, entry: &HistoryEntry) {
        self.announce(|| Announced::written(ChangeKind::Created, &entry.snapshot));
    }

    /// Makes many applications, as few transactions as hold them. Answers which of `entries` were there
    /// already, by their place; the others are made.
    ///
    /// # Errors
    /// [`ChangeError`]; what was made by then stays made.
    pub(super) async fn create_all(
        &self,
        entries: Vec<HistoryEntry>,
    ) -> Result<HashSet<ApplicationId>, ChangeError> {
        let mut left: HashMap<_, _> = entries
            .into_iter()
            .map(|e| (e.snapshot.application.id, e))
            .collect();
        let mut there = HashSet::new();
        let mut retries = Retries::new(RETRIES, &self.meter);
        while !left.is_empty() {
            let mut batch: Vec<_> = left.values().cloned().collect();
            batch.sort_by_key(HistoryEntry::moment);
            match self.write_new(&batch).await {
                Ok(()) => break,
                Err(TransactionError::Table(error)) => return Err(error.into()),
                Err(TransactionError::Canceled(reasons)) => {
                    let taken = taken(&batch, &reasons);
                    if taken.is_empty() {
                        retryable(reasons)?;
                        retries.pause().await?;
                    }
                    left.retain(|id, _| !taken.contains(id));
                    there.extend(taken);
                }
            }
        }
        Ok(there)
    }
}

/// The applications of a batch that a failed condition found to be there; each has two reasons.
fn taken(batch: &[HistoryEntry], reasons: &[Option<Reason>]) -> HashSet<ApplicationId> {
    let failed = |r: &Option<Reason>| matches!(r, Some(Reason::ConditionFailed { .. }));
    let pairs = batch.iter().zip(reasons.chunks(2));
    pairs
        .filter(|(_, pair)| pair.iter().any(failed))
        .map(|(entry, _)| entry.snapshot.application.id)
        .collect()
}

/// The key of an application's first history entry, which keeps its id from being used again while
/// anything of it is left.
pub(super) fn first_entry(id: ApplicationId) -> crate::table::Key {
    keys::history_entry(id, 1)
}
