//! Applications whose keys in the indexes contradict their own attributes, because another program wrote only one of both:
//! lists miss them, or read them in vain.

use std::collections::HashSet;

use crate::error::{ChangeError, StoreError};
use crate::items;
use crate::keys::Partition;
use crate::model::{Application, ApplicationId};
use trestle_table::{
    Condition, Consistency, Item, Projection, Reason, ToItem as _, TransactionError,
};

use super::Applications;
use super::canceled::Attempts;
use super::current::conditions;
use super::detail::REQUIRED;

impl Applications {
    /// The ids of the applications whose keys in the indexes are not those of their attributes. Query of each partition of the
    /// indexes; BatchGetItem for those of `known` that no index has.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn misplaced(
        &self,
        known: &[ApplicationId],
    ) -> Result<Vec<ApplicationId>, StoreError> {
        let attributes = REQUIRED.iter().chain(&["GSI2PK"]).copied().collect();
        let projection = Projection::Only(attributes);
        let mut seen = HashSet::new();
        let mut misplaced = Vec::new();
        for partition in Partition::all() {
            let query = self
                .table
                .query_index(partition.index(), self.scope.listed(partition));
            let found = query.project(projection.clone()).all(&self.meter).await?;
            misplaced.extend(self.misplaced_of(found, &mut seen));
        }
        let unseen = known.iter().filter(|id| !seen.contains(*id));
        let keys: Vec<_> = unseen.map(|id| self.scope.application(id)).collect();
        let strong = Consistency::Strong;
        let found = self
            .table
            .batch_get(keys, &projection, strong, &self.meter)
            .await?;
        misplaced.extend(self.misplaced_of(found, &mut seen));
        Ok(misplaced)
    }

    /// Those of these items that are not where their attributes say, each application once.
    fn misplaced_of(
        &self,
        found: Vec<Item>,
        seen: &mut HashSet<ApplicationId>,
    ) -> Vec<ApplicationId> {
        let mut misplaced = Vec::new();
        for item in found {
            let Some(application) = items::application(&self.scope, item.clone()) else {
                continue;
            };
            if seen.insert(application.id.clone()) && self.is_misplaced(&application, &item) {
                misplaced.push(application.id);
            }
        }
        misplaced
    }

    /// Whether an item has other keys in the indexes than those of its application. If none can be made of its attributes, no
    /// key contradicts them.
    fn is_misplaced(&self, application: &Application, item: &Item) -> bool {
        let places = self.placed(application).keys_in_indexes();
        places.iter().any(|place| !place.is_of(item))
    }

    /// Writes the keys of an application in the indexes again, and nothing else. False if they are right, or the application
    /// is not there. GetItem APP#id / APP#id, TransactWriteItems.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn place_again(&self, id: &ApplicationId) -> Result<bool, ChangeError> {
        let mut attempts = Attempts::new(&self.meter);
        loop {
            let item = self
                .item(self.scope.application(id), Projection::All)
                .await?;
            let Some(item) = item else { return Ok(false) };
            let application = self.read_application(item.clone())?;
            if !self.is_misplaced(&application, &item) {
                return Ok(false);
            }
            let placed = self.placed(&application);
            let unchanged = conditions(&application, &application.history_sequence);
            let update = self
                .table
                .update_of(Some(&placed), &placed, Condition::All(unchanged))
                .map_err(StoreError::from)?
                .with_index_keys(&placed);
            let written = self.table.transaction().update(update);
            match written.commit(&self.meter).await {
                Ok(()) => return Ok(true),
                Err(TransactionError::Table(error)) => return Err(error.into()),
                // It was changed meanwhile.
                Err(TransactionError::Canceled(reasons)) => {
                    let lasting = reasons
                        .into_iter()
                        .filter(|reason| !matches!(reason, Some(Reason::ConditionFailed { .. })));
                    attempts.met(lasting.collect())?;
                }
            }
            attempts.pause().await?;
        }
    }
}
