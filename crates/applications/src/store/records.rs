//! Restoring whole records: each is there whole, or not at all, whatever others do with its id meanwhile.
//!
//! A record that fits into a transaction is written by one. For a longer one, its first history entry is written
//! first and bears the mark of the import. While it does, nobody creates an application of that id, and each transaction
//! checks that it still does: whoever wants the id takes it over before removing what was written. The
//! application is written last. What is in the way and bears no mark is not ours: the record is refused.

use std::collections::HashMap;

use crate::error::ChangeError;
use crate::items;
use crate::keys::{self, FIRST_ENTRY};
use crate::model::ApplicationId;
use trestle_table::{
    Condition, Consistency, Item, MAX_BYTES, MAX_ITEMS, Reason, TableError, Transaction,
    TransactionError, bytes_of, item_of,
};

use super::batches::{OTHERS, batches, year};
use super::canceled::{Attempts, is_failed};
use super::counters::Counting;
use super::create::Committed;
use super::transfer::{refused, settle};
use super::unfinished::Work;
use super::{Applications, Import, Imported, Record};

/// The most items of records in one transaction.
const ITEMS: usize = MAX_ITEMS - OTHERS;

/// A record and its items: the application, the first history entry if there is one, and the others.
struct Whole {
    record: Record,
    items: Vec<Item>,
}

impl Whole {
    fn id(&self) -> &ApplicationId {
        self.record.id()
    }

    fn size(&self) -> (usize, usize) {
        (self.items.len(), self.items.iter().map(bytes_of).sum())
    }

    /// Writes it where neither the application nor its first history entry is there.
    fn put<'t>(&self, transaction: Transaction<'t>) -> Result<Transaction<'t>, TableError> {
        let guarded = 1 + usize::from(self.record.has_first_entry());
        let mut items = self.items.iter().enumerate();
        items.try_fold(transaction, |transaction, (at, item)| {
            let is_new = (at < guarded).then_some(&Condition::Missing);
            transaction.put_item(item.clone(), is_new)
        })
    }

    /// Whether it does not fit into a transaction.
    fn is_long(&self) -> bool {
        let (items, bytes) = self.size();
        items > ITEMS || bytes >= MAX_BYTES / 2
    }

    /// Whether an item that is there is this application, made by this import: an answer was lost since the meter showed
    /// `unconfirmed`. Otherwise another import of the same record was first.
    fn is_made(&self, applications: &Applications, there: Option<&Item>, unconfirmed: u64) -> bool {
        if applications.meter.unconfirmed_writes() == unconfirmed {
            return false;
        }
        let there = there.and_then(|item| items::application(&applications.scope, item.clone()));
        there.as_ref() == Some(&self.record.application)
    }
}

/// Whether a restore may write the parts of a record.
enum Held {
    /// This holds of the first history entry until others take the id over.
    Free(Condition),
    Refused(Imported),
}

impl Applications {
    /// Restores whole records, exactly as they were exported. BatchGetItem (which are there already), a Query for each
    /// other one (whether its partition has items that are not ours), then TransactWriteItems for each 93 items. A record of more items takes one for its first history entry, one
    /// for each 99 of the others, and one for the application. Answers one outcome for each record.
    ///
    /// # Errors
    /// [`ChangeError`]; what was made by then stays made, and the same records may be sent again.
    pub async fn import_records(
        &self,
        records: Vec<Record>,
        import: Import,
    ) -> Result<Vec<Imported>, ChangeError> {
        let ids = records.iter().map(Record::id);
        let mut there = self.existing(ids, Consistency::Strong).await?;
        let mut outcomes = Vec::with_capacity(records.len());
        let mut left = Vec::new();
        for record in records {
            let record = record.with_past();
            let id = record.id().clone();
            let outcome = match record.items(&self.scope) {
                Err(reason) => Imported::Malformed(reason),
                Ok(_) if !there.insert(id.clone()) => Imported::AlreadyThere,
                Ok(items) => {
                    left.push(Whole { record, items });
                    Imported::Created
                }
            };
            outcomes.push((id, outcome));
        }
        let mut refused = refused(self.not_ours(left.iter().map(Whole::id)).await?);
        left.retain(|whole| !refused.contains_key(whole.id()));
        if import == Import::Try {
            left.clear();
        }
        for batch in batches(left, ITEMS, Whole::size, |whole| {
            year(&whole.record.application)
        }) {
            match batch.as_slice() {
                [long] if long.is_long() => {
                    let outcome = self.restore_long(long).await?;
                    refused.extend(outcome.map(|outcome| (long.id().clone(), outcome)));
                }
                _ => refused.extend(self.restore_whole(batch).await?),
            }
        }
        Ok(settle(outcomes, &refused))
    }

    /// Writes records in one transaction. Answers those that it could not make.
    async fn restore_whole(
        &self,
        mut left: Vec<Whole>,
    ) -> Result<HashMap<ApplicationId, Imported>, ChangeError> {
        let mut refused = HashMap::new();
        let unconfirmed = self.meter.unconfirmed_writes();
        let mut attempts = Attempts::new(&self.meter);
        while !left.is_empty() {
            let transaction = || {
                let empty = self.table.transaction();
                left.iter().try_fold(empty, |all, whole| whole.put(all))
            };
            let Err(reasons) = self.commit_records(transaction, &left).await? else {
                break;
            };
            let mut rest = reasons.as_slice();
            let mut others = Vec::new();
            let is_refused = reasons.iter().flatten().any(is_failed);
            for whole in left {
                let (own, after) = rest.split_at(whole.items.len().min(rest.len()));
                rest = after;
                match own {
                    [Some(Reason::ConditionFailed { item }), ..] => {
                        if !whole.is_made(self, item.as_ref(), unconfirmed) {
                            refused.insert(whole.id().clone(), Imported::AlreadyThere);
                        }
                    }
                    own => {
                        let is_failed = own.iter().flatten().any(is_failed);
                        let cleared = if is_failed {
                            self.clear(whole.id()).await?
                        } else {
                            None
                        };
                        match cleared {
                            Some(outcome) => drop(refused.insert(whole.id().clone(), outcome)),
                            None => others.push(whole),
                        }
                    }
                }
            }
            left = others;
            if !is_refused {
                attempts.met(reasons)?;
            }
            attempts.pause().await?;
        }
        Ok(refused)
    }

    /// Commits the last transaction of some records with their counters, and announces them. Answers the
    /// reasons if it was cancelled.
    async fn commit_records<'t>(
        &self,
        transaction: impl Fn() -> Result<Transaction<'t>, TableError>,
        records: &[Whole],
    ) -> Result<Result<(), Vec<Option<Reason>>>, ChangeError> {
        let mut beginning = self.counters.beginning();
        loop {
            let mut counting = Counting::beginning(beginning);
            for Whole { record, .. } in records {
                counting.add(&record.application);
                counting.stays(record.stays());
            }
            match self.commit_counted(transaction()?, counting).await? {
                Committed::Yes => break,
                Committed::No(reasons) => return Ok(Err(reasons)),
                Committed::NotCounted => beginning = self.begin_after(beginning).await?,
            }
        }
        let made = records.iter().map(|whole| &whole.record.application);
        made.for_each(|made| self.announce_made(made));
        Ok(Ok(()))
    }

    /// Writes a record of many items. Answers why it did not, if others were first.
    async fn restore_long(&self, whole: &Whole) -> Result<Option<Imported>, ChangeError> {
        let [application, others @ ..] = whole.items.as_slice() else {
            return Ok(None);
        };
        let id = whole.id();
        let first_key = self.scope.history_entry(id, FIRST_ENTRY);
        // Another program may have written it without a first entry: then something stands there for the time being.
        let (first, others) = match others.split_first() {
            Some((first, others)) if whole.record.has_first_entry() => (Some(first), others),
            _ => (None, others),
        };
        let placeholder = keys::TABLE.key_item(&first_key);
        let held = match self.hold(id, first.unwrap_or(&placeholder)).await? {
            Held::Free(held) => held,
            Held::Refused(refused) => return Ok(Some(refused)),
        };
        let others: Vec<_> = others.iter().collect();
        let parts = batches(others, MAX_ITEMS - 1, |item| (1, bytes_of(item)), |_| None);
        for part in parts {
            let mut attempts = Attempts::new(&self.meter);
            loop {
                let checked = self.table.transaction().check(&first_key, &held);
                let mut items = part.iter().copied().cloned();
                let transaction = items.try_fold(checked, |all, item| all.put_item(item, None))?;
                match transaction.commit(&self.meter).await {
                    Ok(()) => break,
                    Err(TransactionError::Table(error)) => return Err(error.into()),
                    Err(TransactionError::Canceled(reasons)) => match reasons.as_slice() {
                        [Some(Reason::ConditionFailed { .. }), ..] => {
                            return Ok(Some(Imported::TakenOver));
                        }
                        _ => attempts.met(reasons)?,
                    },
                }
                attempts.pause().await?;
            }
        }
        let unconfirmed = self.meter.unconfirmed_writes();
        let mut attempts = Attempts::new(&self.meter);
        loop {
            let transaction = || {
                self.table
                    .transaction()
                    .put_item(application.clone(), Some(&Condition::Missing))
                    .and_then(|transaction| match first {
                        Some(first) => transaction.put_item(first.clone(), Some(&held)),
                        None => Ok(transaction.delete(&first_key, &held)),
                    })
            };
            let one = std::slice::from_ref(whole);
            let Err(reasons) = self.commit_records(transaction, one).await? else {
                return Ok(None);
            };
            match reasons.as_slice() {
                [Some(Reason::ConditionFailed { item }), ..] => {
                    let is_made = whole.is_made(self, item.as_ref(), unconfirmed);
                    return Ok((!is_made).then_some(Imported::AlreadyThere));
                }
                [_, Some(Reason::ConditionFailed { .. }), ..] => {
                    return Ok(Some(Imported::TakenOver));
                }
                _ => attempts.met(reasons)?,
            }
            attempts.pause().await?;
        }
    }

    /// Finishes a delete or an import of an id that was interrupted. Answers what a restore of the id is refused as if
    /// what is there is not ours.
    async fn clear(&self, id: &ApplicationId) -> Result<Option<Imported>, ChangeError> {
        if self.finish(id).await? {
            return Ok(None);
        }
        Ok(self.leftovers(id).await?.map(Imported::Leftovers))
    }

    /// Writes the first history entry, which bears the mark of this import.
    async fn hold(&self, id: &ApplicationId, first: &Item) -> Result<Held, ChangeError> {
        let mark = self.mark(id, Work::Restore);
        let mut entry = first.clone();
        entry.extend(item_of(&mark)?);
        let mut attempts = Attempts::new(&self.meter);
        loop {
            let transaction = self
                .table
                .transaction()
                .check_missing(&self.scope.application(id))
                .put_item(entry.clone(), Some(&Condition::Missing))?;
            match transaction.commit(&self.meter).await {
                Ok(()) => return Ok(Held::Free(mark.held())),
                Err(TransactionError::Table(error)) => return Err(error.into()),
                Err(TransactionError::Canceled(reasons)) => match reasons.as_slice() {
                    [Some(Reason::ConditionFailed { .. }), ..] => {
                        return Ok(Held::Refused(Imported::AlreadyThere));
                    }
                    [_, Some(Reason::ConditionFailed { item })] => {
                        if mark.is_on(item.as_ref()) {
                            return Ok(Held::Free(mark.held()));
                        }
                        if let Some(refused) = self.clear(id).await? {
                            return Ok(Held::Refused(refused));
                        }
                    }
                    _ => attempts.met(reasons)?,
                },
            }
            attempts.pause().await?;
        }
    }
}
