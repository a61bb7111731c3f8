//! Deleting an application: first the application and its counters, at once; then what belonged to it.

use crate::changes::Change;
use crate::error::{ChangeError, Present, StoreError};
use crate::keys::{Annex, TABLE};
use crate::model::{Application, ApplicationId};
use trestle_table::{
    Condition, Consistency, Key, MAX_ITEMS, Order, Projection, Reason, ToItem as _, Transaction,
    TransactionError,
};

use super::Applications;
use super::canceled::{Attempts, is_failed};
use super::counters::Counting;
use super::current::conditions;
use super::queue::Written;
use super::unfinished::{Mark, Work};

impl Applications {
    /// Deletes an application. GetItem and TransactWriteItems, which marks its first history entry: from here on it is
    /// gone for everyone. Then Query APP#id, and a TransactWriteItems for each 98 of its stages and history entries; its
    /// files, if it has any, before them. Run again after a crash, it finishes: it knows its work by the mark.
    ///
    /// # Errors
    /// [`ChangeError::NotFound`] if there is neither the application nor an unfinished delete of it; [`ChangeError`].
    pub async fn delete(
        &self,
        id: &ApplicationId,
        expected: Option<u32>,
    ) -> Result<(), ChangeError> {
        let mut attempts = Attempts::new(&self.meter);
        let mut sent = false;
        let mark = self.mark(id, Work::Delete);
        loop {
            let Some(application) = self.stored(id, Projection::All).await? else {
                let is_finished = self.finish(id).await?;
                // It was there when this began: perhaps it was this very delete whose answer was lost.
                return if sent || is_finished {
                    Ok(())
                } else {
                    Err(ChangeError::NotFound)
                };
            };
            if let Some(expected) = expected
                && expected != application.version()
            {
                // Another program may have left the application behind its history.
                let newest = self.newest_entry(id).await?;
                if newest.is_none_or(|newest| newest.sequence != expected) {
                    let current = Box::new(Present::Alone(application));
                    return Err(ChangeError::Conflict(current));
                }
            }
            sent = true;
            match self.delete_application(&application, &mark).await? {
                Written::Committed => break self.announce(|| Change::deleted(&application)),
                Written::Refused(refusal)
                    if refusal.application.as_ref().is_some_and(is_failed) => {}
                Written::Refused(refusal) => attempts.met(refusal.into_reasons())?,
            }
            attempts.pause().await?;
        }
        self.delete_children(id, &mark).await
    }

    async fn delete_application(
        &self,
        application: &Application,
        mark: &Mark,
    ) -> Result<Written, ChangeError> {
        let mut counting = Counting::default();
        counting.remove(application);
        let transaction = self.add_delete(self.table.transaction(), application, mark)?;
        let _turn = self.counters.queue().turn().await;
        Ok(self.commit_in_turn(transaction, counting).await?.written())
    }

    /// Adds the delete of an application to a transaction, and the mark of its first history entry.
    pub(super) fn add_delete<'t>(
        &self,
        transaction: Transaction<'t>,
        application: &Application,
        mark: &Mark,
    ) -> Result<Transaction<'t>, StoreError> {
        let condition = conditions(application, &application.history_sequence);
        let key = self.scope.application(&application.id);
        let marking = self.marking(mark, Condition::All(Vec::new()))?;
        Ok(transaction
            .delete(&key, &Condition::All(condition))
            .update(marking))
    }

    /// Deletes what is in a partition that bears `mark`. The first history entry goes last: while it is there, nobody
    /// creates an application of the id. Each transaction checks that the application is not there, and that the mark
    /// is: someone else may have finished this delete, and used the id since.
    pub(super) async fn delete_children(
        &self,
        id: &ApplicationId,
        mark: &Mark,
    ) -> Result<(), ChangeError> {
        let query = self
            .table
            .query(self.scope.partition(id))
            .order(Order::Descending)
            .consistency(Consistency::Strong)
            .project(Projection::Only(vec!["PK", "SK"]));
        let remains = Remains {
            application: self.scope.application(id),
            first: mark.primary_key(),
            held: mark.held(),
        };
        let mut has_first = false;
        let mut rest = None;
        loop {
            let query = match rest {
                Some(rest) => query.clone().continue_from(rest),
                None => query.clone(),
            };
            // Of 1 MB at most, so that any of its items fit into one transaction.
            let page = query.page(&self.meter).await?;
            let mut left: Vec<_> = page
                .items
                .iter()
                .filter_map(|item| TABLE.key_in(item))
                .collect();
            if left.contains(&remains.application) {
                return Ok(());
            }
            // Before the list that refers to them, so that a delete that is run again finds it.
            if left.contains(&self.scope.annex(id, Annex::Files)) {
                self.discard_files(id).await?;
            }
            has_first |= left.contains(&remains.first);
            left.retain(|key| *key != remains.first);
            rest = page.last_evaluated_key;
            if rest.is_none() && has_first {
                left.push(remains.first.clone());
            }
            for part in left.chunks(MAX_ITEMS - 2) {
                match self.delete_part(part, &remains).await? {
                    Part::Deleted => {}
                    Part::Left => return Ok(()),
                }
            }
            if rest.is_none() {
                return Ok(());
            }
        }
    }

    /// Deletes some of what is left.
    async fn delete_part(&self, part: &[Key], remains: &Remains) -> Result<Part, ChangeError> {
        let mut attempts = Attempts::new(&self.meter);
        loop {
            let transaction = self.table.transaction();
            let reasons = match remains.delete(transaction, part).commit(&self.meter).await {
                Ok(()) => return Ok(Part::Deleted),
                Err(TransactionError::Table(error)) => return Err(error.into()),
                Err(TransactionError::Canceled(reasons)) => reasons,
            };
            match reasons.as_slice() {
                [Some(Reason::ConditionFailed { .. }), ..]
                | [_, Some(Reason::ConditionFailed { .. }), ..] => return Ok(Part::Left),
                _ => {
                    attempts.met(reasons)?;
                    attempts.pause().await?;
                }
            }
        }
    }
}

/// The result of deleting a part of what is left.
enum Part {
    Deleted,
    /// The application is there again, or someone else restores or deletes it.
    Left,
}

/// What is left of an application.
struct Remains {
    application: Key,
    first: Key,
    /// What holds of the first history entry until others use the id.
    held: Condition,
}

impl Remains {
    /// Adds the deletes of some of its keys, after two checks. The first entry's is its delete, if it is among them.
    fn delete<'t>(&self, transaction: Transaction<'t>, part: &[Key]) -> Transaction<'t> {
        let anyway = Condition::All(Vec::new());
        let checked = transaction.check_missing(&self.application);
        let checked = if part.contains(&self.first) {
            checked.delete(&self.first, &self.held)
        } else {
            checked.check(&self.first, &self.held)
        };
        let others = part.iter().filter(|key| **key != self.first);
        others.fold(checked, |transaction, key| transaction.delete(key, &anyway))
    }
}
