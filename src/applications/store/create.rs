//! Creating applications, one by one or as many to a transaction as fit.

use std::collections::HashMap;

use uuid::Uuid;

use crate::applications::changes::{Announced, ChangeKind};
use crate::applications::error::ChangeError;
use crate::applications::items::{ApplicationItem, HistoryItem};
use crate::applications::keys;
use crate::applications::model::{Application, ApplicationId, DetailsChange, HistoryEntry, State};
use crate::table::{Reason, TransactionError};

use super::canceled::{Attempts, is_entry};
use super::counters::Counting;
use super::current::Source;
use super::detail::read_application;
use super::{Applications, Changed, Imported};

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
        let mut attempts = Attempts::new(&self.meter);
        loop {
            let entry = State::create(id, change.clone(), Uuid::new_v4(), self.now())?;
            match self.write_new(std::slice::from_ref(&entry)).await {
                Ok(()) => {
                    return Ok(Changed {
                        state: entry.snapshot,
                    });
                }
                Err(TransactionError::Table(error)) => return Err(error.into()),
                Err(TransactionError::Canceled(reasons)) => match reasons.as_slice() {
                    [Some(Reason::ConditionFailed { item: Some(item) }), ..] => {
                        return self
                            .already_there(read_application(item.clone())?, change)
                            .await;
                    }
                    // Where someone is at work on the application, it is there.
                    [None, Some(Reason::ConditionFailed { .. }), ..] => {
                        return Err(ChangeError::BeingDeleted);
                    }
                    _ => attempts.met(reasons)?,
                },
            }
            attempts.pause().await?;
        }
    }

    /// The id is taken: by what this same create made before, or by something else.
    async fn already_there(
        &self,
        there: Application,
        change: &DetailsChange,
    ) -> Result<Changed, ChangeError> {
        let first = self.entry(there.id, 1).await?.map(|entry| entry.snapshot);
        let made = first.as_ref().map_or(&there, |first| &first.application);
        let again = State::create(there.id, change.clone(), Uuid::nil(), made.created_at)?;
        if again.snapshot.application.details != made.details {
            return Err(ChangeError::IdTaken {
                current: there.version,
            });
        }
        if let Some(first) = first.filter(|first| first.application == there) {
            return Ok(Changed { state: first });
        }
        // Not the application's stages by themselves: they may be those of a later version, or gone with it.
        let current = self
            .read_current(there.id, Source::Snapshot, there.version)
            .await?;
        Ok(Changed {
            state: current.ok_or(ChangeError::BeingDeleted)?.state,
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
        counting
            .write(transaction)?
            .commit(&self.meter)
            .await
            .inspect(|()| entries.iter().for_each(|entry| self.announce_new(entry)))
    }

    fn announce_new(&self, entry: &HistoryEntry) {
        self.announce(|| Announced::written(ChangeKind::Created, &entry.snapshot));
    }

    /// Makes many applications in one transaction. Answers what became of those that it could not make,
    /// because something has their ids already; the others are made.
    ///
    /// # Errors
    /// [`ChangeError`]; what was made by then stays made.
    pub(super) async fn create_all(
        &self,
        entries: Vec<HistoryEntry>,
    ) -> Result<HashMap<ApplicationId, Imported>, ChangeError> {
        let mut left = entries;
        let mut refused = HashMap::new();
        let mut attempts = Attempts::new(&self.meter);
        while !left.is_empty() {
            match self.write_new(&left).await {
                Ok(()) => break,
                Err(TransactionError::Table(error)) => return Err(error.into()),
                Err(TransactionError::Canceled(reasons)) => {
                    let taken = taken(&left, &reasons);
                    if taken.is_empty() {
                        attempts.met(reasons)?;
                        attempts.pause().await?;
                    }
                    left.retain(|entry| !taken.contains_key(&entry.snapshot.application.id));
                    refused.extend(taken);
                }
            }
        }
        refused.retain(|_, outcome| *outcome != Imported::Created);
        Ok(refused)
    }
}

/// The applications of a batch whose keys are taken, each of which has two reasons: by what else, or by
/// this very batch, whose answer was lost.
fn taken(batch: &[HistoryEntry], reasons: &[Option<Reason>]) -> HashMap<ApplicationId, Imported> {
    let failed = |r: &Option<Reason>| matches!(r, Some(Reason::ConditionFailed { .. }));
    let pairs = batch.iter().zip(reasons.chunks(2));
    let outcomes = pairs.filter_map(|(made, pair)| {
        let outcome = match pair {
            [application, Some(entry)] if failed(application) && is_entry(entry, made.id) => {
                Imported::Created
            }
            [application, ..] if failed(application) => Imported::AlreadyThere,
            [_, entry] if failed(entry) => Imported::BeingDeleted,
            _ => return None,
        };
        Some((made.snapshot.application.id, outcome))
    });
    outcomes.collect()
}

/// The key of an application's first history entry, which keeps its id from being used again while
/// anything of it is left.
pub(super) fn first_entry(id: ApplicationId) -> crate::table::Key {
    keys::history_entry(id, 1)
}
