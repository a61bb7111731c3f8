//! Deleting an application: first the application and its counters, at once; then what belonged to it.

use crate::changes::Change;
use crate::error::{ChangeError, Present};
use crate::items::RESTORING;
use crate::keys::{Annex, FIRST_ENTRY, TABLE};
use crate::model::{Application, ApplicationId};
use trestle_table::{
    Condition, Consistency, Key, MAX_ITEMS, Order, Projection, Reason, Transaction,
    TransactionError,
};

use super::Applications;
use super::canceled::Attempts;
use super::counters::Counting;
use super::current::conditions;

impl Applications {
    /// Deletes an application. GetItem and TransactWriteItems: from here on it is gone for everyone. Then
    /// Query APP#id, and a TransactWriteItems for each 98 of its stages and history entries; its files, if it has any,
    /// before them. Run again after a crash, it finishes.
    ///
    /// # Errors
    /// [`ChangeError::NotFound`] where nothing was left of it; [`ChangeError`].
    pub async fn delete(
        &self,
        id: &ApplicationId,
        expected: Option<u32>,
    ) -> Result<(), ChangeError> {
        let mut attempts = Attempts::new(&self.meter);
        let mut sent = false;
        loop {
            let Some(application) = self.stored(id, Projection::All).await? else {
                let left = self.delete_children(id).await?;
                // It was there when this began: perhaps it was this very delete whose answer was lost.
                return if sent || left > 0 {
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
            match self.delete_application(&application).await? {
                Ok(()) => break self.announce(|| Change::deleted(&application)),
                Err(reasons) => match reasons.first() {
                    Some(Some(Reason::ConditionFailed { .. })) => {}
                    _ => attempts.met(reasons)?,
                },
            }
            attempts.pause().await?;
        }
        self.delete_children(id).await?;
        Ok(())
    }

    async fn delete_application(
        &self,
        application: &Application,
    ) -> Result<Result<(), Vec<Option<Reason>>>, ChangeError> {
        let mut counting = Counting::default();
        counting.remove(application);
        let condition = conditions(application, &application.history_sequence);
        let transaction = self.table.transaction().delete(
            &self.scope.application(&application.id),
            &Condition::All(condition),
        );
        let _turn = self.counters.queue().turn().await;
        Ok(self.commit_in_turn(transaction, counting).await?.reasons())
    }

    /// Deletes what a deleted application left, or an import that was interrupted; how much that was. The
    /// first history entry goes last: while it is there, nobody creates an application of the id. Each
    /// transaction checks that the application is not there, and that nobody restores it: someone else may have
    /// finished this delete, and used the id since.
    pub(super) async fn delete_children(&self, id: &ApplicationId) -> Result<usize, ChangeError> {
        let query = self
            .table
            .query(self.scope.partition(id))
            .order(Order::Descending)
            .consistency(Consistency::Strong)
            .project(Projection::Only(vec!["PK", "SK"]));
        let mut remains = Remains {
            application: self.scope.application(id),
            first: self.scope.history_entry(id, FIRST_ENTRY),
            held: Condition::Lacks(RESTORING.into()),
        };
        let mut deleted = 0;
        let mut has_first = false;
        let mut rest = None;
        'pages: loop {
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
                return Ok(deleted);
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
                match self.delete_part(id, part, &mut remains).await? {
                    Part::Deleted => deleted += part.len(),
                    Part::TakenOver => {
                        (rest, has_first) = (None, false);
                        continue 'pages;
                    }
                    Part::Left => return Ok(deleted),
                }
            }
            if rest.is_none() {
                return Ok(deleted);
            }
        }
    }

    /// Deletes some of what is left.
    async fn delete_part(
        &self,
        id: &ApplicationId,
        part: &[Key],
        remains: &mut Remains,
    ) -> Result<Part, ChangeError> {
        let mut attempts = Attempts::new(&self.meter);
        loop {
            let transaction = self.table.transaction();
            let reasons = match remains.delete(transaction, part).commit(&self.meter).await {
                Ok(()) => return Ok(Part::Deleted),
                Err(TransactionError::Table(error)) => return Err(error.into()),
                Err(TransactionError::Canceled(reasons)) => reasons,
            };
            match reasons.as_slice() {
                [Some(Reason::ConditionFailed { .. }), ..] => return Ok(Part::Left),
                [_, Some(Reason::ConditionFailed { item }), ..] => {
                    let holder = item.as_ref().and_then(|item| item.get(RESTORING));
                    let is_first = remains.held == Condition::Lacks(RESTORING.into());
                    let Some(holder) = holder.filter(|_| is_first) else {
                        return Ok(Part::Left);
                    };
                    return Ok(match self.take_over(id, holder.clone()).await? {
                        Some(held) => {
                            remains.held = held;
                            Part::TakenOver
                        }
                        None => Part::Left,
                    });
                }
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
    /// An import was writing more. It is stopped now, so what is there has to be read again.
    TakenOver,
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
        let checked = match part.contains(&self.first) {
            true => checked.delete(&self.first, &self.held),
            false => checked.check(&self.first, &self.held),
        };
        let others = part.iter().filter(|key| **key != self.first);
        others.fold(checked, |transaction, key| transaction.delete(key, &anyway))
    }
}
