//! Creating applications, one by one or many in a transaction.

use std::collections::HashMap;
use std::ops::Range;

use uuid::Uuid;

use crate::changes::{Change, ChangeKind};
use crate::error::{ChangeError, StoreError};
use crate::items::HistoryItem;
use crate::model::{Application, ApplicationId, DetailsChange, HistoryEntry, State};
use trestle_table::{Failing, Reason, Transaction, TransactionError};

use super::canceled::{Attempts, is_entry, is_failed};
use super::completeness::Beginning;
use super::counters::{Counting, Unusable};
use super::current::Source;
use super::queue::{Refusal, Write, Written};
use super::{Applications, Imported};

/// The result of a transaction with counters.
pub(super) enum Committed {
    /// It was committed.
    Yes,
    /// It was cancelled for these reasons.
    No(Vec<Option<Reason>>),
    /// It was cancelled because the Meta item is missing, or exists already.
    NotCounted,
}

impl Committed {
    /// The result for the write of one application.
    pub(super) fn written(self) -> Written {
        match self {
            Committed::Yes => Written::Committed,
            Committed::No(reasons) => Written::Refused(Refusal::of(reasons)),
            Committed::NotCounted => Written::Refused(Refusal::default()),
        }
    }
}

impl Applications {
    /// Creates an application. TransactWriteItems, and if the client gives the id, a Query before it (whether the partition
    /// has items that are not ours). Repeating a create answers the application that the first one made, whatever happened
    /// to it since.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn create(
        &self,
        id: Option<ApplicationId>,
        change: &DetailsChange,
    ) -> Result<State, ChangeError> {
        // A new id needs no look: nothing can be stored under it.
        if let Some(id) = &id
            && let Some(leftovers) = self.leftovers(id).await?
        {
            return Err(ChangeError::Leftovers(leftovers));
        }
        let id = id.unwrap_or_else(|| ApplicationId::new(Uuid::new_v4()));
        let change = &self.with_defaults(change);
        let mut attempts = Attempts::new(&self.meter);
        loop {
            let entry = State::create(id.clone(), change.clone(), Uuid::new_v4(), self.now())?;
            let entry = self.signed(entry);
            let write = Write {
                current: None,
                entry,
            };
            let (Write { entry, .. }, written) = self.commit_queued(write).await?;
            let Written::Refused(refusal) = written else {
                self.announce_new(&entry);
                return Ok(entry.snapshot);
            };
            if let Some(Reason::ConditionFailed { item: Some(item) }) = refusal.application {
                let there = self.read_application(item)?;
                return Box::pin(self.already_there(there, change)).await;
            }
            // If a change of the application is in progress, it exists.
            if refusal.application.is_none() && refusal.entry.as_ref().is_some_and(is_failed) {
                return Err(ChangeError::BeingDeleted);
            }
            attempts.met(refusal.into_reasons())?;
            attempts.pause().await?;
        }
    }

    /// The id exists: because the same create made the application before, or as another application's.
    pub(super) async fn already_there(
        &self,
        there: Application,
        change: &DetailsChange,
    ) -> Result<State, ChangeError> {
        // What the first create made decides, not what the application was changed to since.
        let first = self.entry(&there.id, 1).await?.map(|entry| entry.snapshot);
        let made = first.as_ref().map_or(&there, |first| &first.application);
        let created = made.created_at.get().unwrap_or_else(|| self.now());
        let again = State::create(there.id.clone(), change.clone(), Uuid::nil(), created)?;
        if again.snapshot.application.details != made.details {
            return Err(ChangeError::IdTaken);
        }
        if let Some(first) = first.filter(|first| first.application == there) {
            return Ok(first);
        }
        // Not its stages alone: they may belong to a later version, or be deleted with it.
        let current = self
            .read_current(&there.id, Source::Snapshot, there.version())
            .await?;
        Ok(current.ok_or(ChangeError::BeingDeleted)?.state)
    }

    /// One transaction: for each entry the application and then the entry itself, the counters last. Answers
    /// the reasons if it was cancelled.
    pub(super) async fn write_new(
        &self,
        entries: &[HistoryEntry],
    ) -> Result<Result<(), Vec<Option<Reason>>>, ChangeError> {
        let mut beginning = self.counters.beginning();
        loop {
            let mut transaction = self.table.transaction();
            let mut counting = Counting::beginning(beginning);
            for entry in entries {
                transaction = self.add_new(transaction, entry)?;
                counting.add(&entry.snapshot.application);
            }
            match self.commit_counted(transaction, counting).await? {
                Committed::Yes => break,
                Committed::No(reasons) => return Ok(Err(reasons)),
                Committed::NotCounted => beginning = self.begin_after(beginning).await?,
            }
        }
        entries.iter().for_each(|entry| self.announce_new(entry));
        Ok(Ok(()))
    }

    /// Adds a new application and its first entry to a transaction, in this order.
    pub(super) fn add_new<'t>(
        &self,
        transaction: Transaction<'t>,
        entry: &HistoryEntry,
    ) -> Result<Transaction<'t>, StoreError> {
        let item = HistoryItem::try_from(entry)?;
        Ok(transaction
            .put_new(&self.placed(&entry.snapshot.application))?
            .put_new(&self.placed(&item))?)
    }

    /// What a write does that is repeated because the Meta item was missing, or existed already.
    pub(super) async fn begin_after(&self, beginning: Beginning) -> Result<Beginning, StoreError> {
        match beginning {
            Beginning::Unknown => self.begin().await,
            // Another process was first.
            Beginning::First | Beginning::Later => Ok(Beginning::Later),
        }
    }

    /// Commits a transaction with its counters, one at a time if it changes any.
    pub(super) async fn commit_counted(
        &self,
        transaction: Transaction<'_>,
        counting: Counting,
    ) -> Result<Committed, ChangeError> {
        let _turn = if counting.is_empty() {
            None
        } else {
            Some(self.counters.queue().turn().await)
        };
        self.commit_in_turn(transaction, counting).await
    }

    /// Commits a transaction with its counters. The caller has the turn, if they change.
    pub(super) async fn commit_in_turn(
        &self,
        transaction: Transaction<'_>,
        counting: Counting,
    ) -> Result<Committed, ChangeError> {
        let mut unusable = Unusable::default();
        loop {
            let others = transaction.len();
            let is_first = counting.is_first();
            let mut attempt = counting.write(&self.scope, transaction.clone(), &unusable);
            let counters = attempt.len();
            if is_first {
                attempt = self.add_first(attempt).await?;
            }
            let refusal = match attempt.commit(&self.meter).await {
                Ok(()) => {
                    self.counters.settle();
                    return Ok(Committed::Yes);
                }
                Err(refusal) => refusal,
            };
            if is_unusable(&refusal, others..counters) {
                // DynamoDB adds to numbers only, and another program may have stored something else.
                let found = self.unusable(&counting).await?;
                if found != unusable {
                    found.report();
                    unusable = found;
                    continue;
                }
            }
            let reasons = match refusal {
                TransactionError::Table(error) => return Err(error.into()),
                TransactionError::Canceled(reasons) => reasons,
            };
            let mut failed = reasons.iter().enumerate();
            let first = failed.find(|(_, reason)| reason.as_ref().is_some_and(is_failed));
            // The counters alone have no condition but on the Meta item. Without it, the store refuses them as any other item.
            return match first {
                Some((at, _)) if at >= counters => Err(StoreError::HasOwners.into()),
                Some((at, _)) if at >= others && counting.is_conditional() => {
                    Ok(Committed::NotCounted)
                }
                _ => Ok(Committed::No(reasons)),
            };
        }
    }

    fn announce_new(&self, entry: &HistoryEntry) {
        self.announce(|| Change::written(ChangeKind::Created, &entry.snapshot));
    }

    /// Creates many applications in one transaction. Answers the outcome of those that it could not create,
    /// because their ids exist; the others are created.
    ///
    /// # Errors
    /// [`ChangeError`]; applications created before stay.
    pub(super) async fn create_all(
        &self,
        entries: Vec<HistoryEntry>,
    ) -> Result<HashMap<ApplicationId, Imported>, ChangeError> {
        let mut left = entries;
        let mut refused = HashMap::new();
        let mut attempts = Attempts::new(&self.meter);
        while !left.is_empty() {
            let Err(reasons) = self.write_new(&left).await? else {
                break;
            };
            let taken = taken(&left, &reasons);
            if taken.is_empty() {
                attempts.met(reasons)?;
                attempts.pause().await?;
            }
            left.retain(|entry| !taken.contains_key(&entry.snapshot.application.id));
            refused.extend(taken);
        }
        refused.retain(|_, outcome| *outcome != Imported::Created);
        Ok(refused)
    }
}

/// Whether DynamoDB may have refused a transaction because of a counter, which are at these places in it.
fn is_unusable(refusal: &TransactionError, counters: Range<usize>) -> bool {
    match refusal {
        TransactionError::Table(error) => {
            let is_unusable = matches!(error.failing(), Failing::Broken | Failing::Unreadable);
            is_unusable && !counters.is_empty()
        }
        TransactionError::Canceled(reasons) => {
            let mut reasons = reasons.iter().skip(counters.start).take(counters.len());
            reasons.any(|reason| matches!(reason, Some(Reason::Other(_) | Reason::Mistyped(_))))
        }
    }
}

/// The applications of a batch whose keys exist, each of which has two reasons: made by something else, or by
/// this batch, whose answer was lost.
fn taken(batch: &[HistoryEntry], reasons: &[Option<Reason>]) -> HashMap<ApplicationId, Imported> {
    let pairs = batch.iter().zip(reasons.chunks(2));
    let outcomes = pairs.filter_map(|(made, pair)| {
        let outcome = match pair {
            [Some(application), entry @ ..] if is_failed(application) => match entry {
                // The condition met what an earlier try of this write has made.
                [Some(entry)] if is_entry(entry, made.id) => Imported::Created,
                _ => Imported::AlreadyThere,
            },
            [_, Some(entry)] if is_failed(entry) => Imported::BeingDeleted,
            _ => return None,
        };
        Some((made.snapshot.application.id.clone(), outcome))
    });
    outcomes.collect()
}
