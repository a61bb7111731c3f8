//! Deleting an application: first the application and its counters, at once; then what belonged to it.

use aws_sdk_dynamodb::types::AttributeValue;

use crate::applications::changes::Announced;
use crate::applications::error::ChangeError;
use crate::applications::items::ApplicationItem;
use crate::applications::keys;
use crate::applications::model::{Application, ApplicationId};
use crate::table::{
    Condition, Consistency, Key, MAX_ITEMS, Order, Projection, Reason, TransactionError,
};

use super::Applications;
use super::canceled::Attempts;
use super::counters::Counting;
use super::create::first_entry;
use super::detail::read_application;
use super::node::stored_key;

impl Applications {
    /// Deletes an application. GetItem and TransactWriteItems: from here on it is gone for everyone. Then
    /// Query APP#id, and a TransactWriteItems for each 99 of its stages and history entries. Run again after a
    /// crash, it finishes.
    ///
    /// # Errors
    /// [`ChangeError::NotFound`] where nothing was left of it; [`ChangeError`].
    pub async fn delete(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
    ) -> Result<(), ChangeError> {
        let mut attempts = Attempts::new(&self.meter);
        let mut sent = false;
        loop {
            let item = self
                .table
                .get(keys::application(id))
                .consistency(Consistency::Strong)
                .send(&self.meter)
                .await?;
            let Some(application) = item.map(read_application).transpose()? else {
                let left = self.delete_children(id).await?;
                // It was there when this began: perhaps it was this very delete whose answer was lost.
                return if sent || left > 0 {
                    Ok(())
                } else {
                    Err(ChangeError::NotFound)
                };
            };
            if expected.is_some_and(|expected| expected != application.version) {
                return Err(ChangeError::Conflict {
                    current: application.version,
                });
            }
            sent = true;
            match self.delete_application(&application).await {
                Ok(()) => break self.announce(|| Announced::deleted(&application)),
                Err(TransactionError::Table(error)) => return Err(error.into()),
                Err(TransactionError::Canceled(reasons)) => match reasons.first() {
                    Some(Some(Reason::ConditionFailed { .. })) => {}
                    _ => attempts.met(reasons)?,
                },
            }
            attempts.pause().await?;
        }
        self.delete_children(id).await?;
        Ok(())
    }

    async fn delete_application(&self, application: &Application) -> Result<(), TransactionError> {
        let mut counting = Counting::default();
        counting.remove(application);
        let stored = self.table.item_of(&ApplicationItem::from(application))?;
        let same = |name: &'static str| {
            let value = stored
                .get(name)
                .cloned()
                .unwrap_or(AttributeValue::Null(true));
            Condition::Equals(name, value)
        };
        // The counters go by status and archiving: a change of either must not slip in between.
        let mut conditions = vec![same("updatedAt"), same("status"), same("isArchived")];
        if application.version > 0 {
            conditions.push(same("historySequence"));
        }
        let transaction = self.table.transaction().delete(
            &keys::application(application.id),
            &Condition::All(conditions),
        )?;
        counting.write(transaction)?.commit(&self.meter).await
    }

    /// Deletes what a deleted application left; how much that was. The first history entry goes last: while
    /// it is there the id cannot be used again. Each transaction makes sure that the application is not
    /// there, for someone else may have finished this delete, and made a new application of the id since.
    async fn delete_children(&self, id: ApplicationId) -> Result<usize, ChangeError> {
        let (application, first) = (keys::application(id), first_entry(id));
        let query = self
            .table
            .query(keys::partition(id))
            .order(Order::Descending)
            .consistency(Consistency::Strong)
            .project(Projection::Only(vec!["PK", "SK"]));
        let mut deleted = 0;
        let mut rest = None;
        loop {
            let query = match rest {
                Some(rest) => query.clone().continue_from(rest),
                None => query.clone(),
            };
            // Of 1 MB at most, so that any of its items fit into one transaction.
            let page = query.page(&self.meter).await?;
            let mut left: Vec<_> = page.items.iter().filter_map(stored_key).collect();
            if left.contains(&application) {
                return Ok(deleted);
            }
            left.sort_by_key(|key| *key == first);
            for part in left.chunks(MAX_ITEMS - 1) {
                if !self.delete_part(id, part).await? {
                    return Ok(deleted);
                }
                deleted += part.len();
            }
            rest = page.last_evaluated_key;
            if rest.is_none() {
                return Ok(deleted);
            }
        }
    }

    /// Deletes some of what a deleted application left; `false` where the application is there again.
    async fn delete_part(&self, id: ApplicationId, part: &[Key]) -> Result<bool, ChangeError> {
        let anyway = Condition::All(Vec::new());
        let mut attempts = Attempts::new(&self.meter);
        loop {
            let alone = self
                .table
                .transaction()
                .check_missing(&keys::application(id))?;
            let transaction = part
                .iter()
                .try_fold(alone, |transaction, key| transaction.delete(key, &anyway))?;
            match transaction.commit(&self.meter).await {
                Ok(()) => return Ok(true),
                Err(TransactionError::Table(error)) => return Err(error.into()),
                Err(TransactionError::Canceled(reasons)) => match reasons.as_slice() {
                    [Some(Reason::ConditionFailed { .. }), ..] => return Ok(false),
                    _ => attempts.met(reasons)?,
                },
            }
            attempts.pause().await?;
        }
    }
}
