//! Deleting an application: first the application and its counters, at once; then what belonged to it.

use aws_sdk_dynamodb::types::AttributeValue;

use crate::applications::changes::Announced;
use crate::applications::error::ChangeError;
use crate::applications::items::ApplicationItem;
use crate::applications::keys;
use crate::applications::model::{Application, ApplicationId};
use crate::table::{Condition, Consistency, Key, Projection, Reason, TransactionError};

use super::Applications;
use super::canceled::Attempts;
use super::counters::Counting;
use super::create::first_entry;
use super::detail::read_application;
use super::node::stored_key;

impl Applications {
    /// Deletes an application. GetItem and TransactWriteItems: from here on it is gone for everyone. Then
    /// Query APP#id and BatchWriteItem for its stages and history. Run again after a crash, it finishes.
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

    /// Deletes what a deleted application left; how much that was. The first history entry goes last and
    /// by itself: while it is there the id cannot be used again, so nothing of a new application is hit.
    async fn delete_children(&self, id: ApplicationId) -> Result<usize, ChangeError> {
        let items = self
            .table
            .query(keys::partition(id))
            .consistency(Consistency::Strong)
            .project(Projection::Only(vec!["PK", "SK", "id"]))
            .all(&self.meter)
            .await?;
        let first = first_entry(id);
        let mut first_id = None;
        let mut others = Vec::new();
        for item in &items {
            let Some(key) = stored_key(item) else {
                continue;
            };
            if key == keys::application(id) {
                // Made anew since it was found to be gone: nothing of it is left over.
                return Ok(0);
            }
            if key == first {
                first_id = item.get("id").cloned();
            } else {
                others.push(key);
            }
        }
        self.table.batch_delete(others, &self.meter).await?;
        if let Some(first_id) = first_id {
            self.delete_first_entry(&first, first_id).await?;
        }
        Ok(items.len())
    }

    /// Deletes the first history entry, if it is still the one with this id.
    async fn delete_first_entry(&self, key: &Key, id: AttributeValue) -> Result<(), ChangeError> {
        let same = Condition::Equals("id", id);
        let mut attempts = Attempts::new(&self.meter);
        loop {
            let transaction = self.table.transaction().delete(key, &same)?;
            match transaction.commit(&self.meter).await {
                Ok(()) => return Ok(()),
                Err(TransactionError::Table(error)) => return Err(error.into()),
                Err(TransactionError::Canceled(reasons)) => match reasons.as_slice() {
                    // Whoever else was finishing the delete has done it.
                    [Some(Reason::ConditionFailed { .. }), ..] => return Ok(()),
                    _ => attempts.met(reasons)?,
                },
            }
            attempts.pause().await?;
        }
    }
}
