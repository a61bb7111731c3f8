//! Work on a partition that a crash may interrupt: the delete of an application, and the restore of a long record. Each
//! marks the first history entry while it lasts. Only what bears the mark is ours to clean up: items that are there
//! without their application and without the mark may be another program's.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::join_all;
use serde::Serialize;
use uuid::Uuid;

use crate::error::{ChangeError, StoreError};
use crate::items::{MAX_SORT_KEY, UNFINISHED};
use crate::keys::{self, FIRST_ENTRY, GSI1, Scope, TABLE, Tenancy};
use crate::model::{ApplicationId, Leftovers, NAMED};
use trestle_api::FinishedDeletes;
use trestle_table::{
    Condition, Consistency, IndexKey, Item, Key, Projection, Reason, TableDefinition, ToItem,
    TransactionError, Update,
};

use super::Applications;
use super::canceled::Attempts;

/// How many partitions are looked at side by side.
const READERS: usize = 10;

/// How the marks of deletes begin. Marks of earlier releases do not say what they are of.
const DELETE: &str = "delete-";

/// What a mark is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    Delete,
    Restore,
}

/// The mark of one delete or restore on the first history entry. Whoever takes the partition over replaces it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Mark {
    #[serde(skip)]
    first_entry: Key,
    /// Where unfinished work is listed. `None` if the id is too long for an index.
    #[serde(skip)]
    place: Option<Key>,
    /// The attribute [`UNFINISHED`].
    restoring: String,
}

impl ToItem for Mark {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "mark of unfinished work";

    fn primary_key(&self) -> Key {
        self.first_entry.clone()
    }

    fn keys_in_indexes(&self) -> Vec<IndexKey> {
        let key = self.place.clone();
        vec![IndexKey { index: &GSI1, key }]
    }
}

impl Mark {
    /// What holds of the first history entry until others take the partition over.
    pub(super) fn held(&self) -> Condition {
        Condition::is(UNFINISHED, &self.restoring)
    }

    /// Whether an item bears it.
    pub(super) fn is_on(&self, item: Option<&Item>) -> bool {
        let stored = item.and_then(|item| item.get(UNFINISHED)?.as_s().ok());
        stored == Some(&self.restoring)
    }
}

impl Applications {
    fn first_entry(&self, id: &ApplicationId) -> Key {
        self.scope.history_entry(id, FIRST_ENTRY)
    }

    /// A mark of work that begins on the partition of an application.
    pub(super) fn mark(&self, id: &ApplicationId, work: Work) -> Mark {
        let kind = match work {
            Work::Delete => DELETE,
            Work::Restore => "",
        };
        let place = Key::new(self.scope.unfinished(), keys::updated(self.now(), id));
        Mark {
            first_entry: self.first_entry(id),
            place: Some(place).filter(|place| place.sk.as_str().len() <= MAX_SORT_KEY),
            restoring: format!("{kind}{}", Uuid::new_v4()),
        }
    }

    /// The update that marks the first history entry, if that meets a condition. It is created if another program left
    /// the history without it.
    pub(super) fn marking(&self, mark: &Mark, condition: Condition) -> Result<Update, StoreError> {
        Ok(self.table.update_of(None, mark, condition)?)
    }

    /// Who is deleting or restoring the application of a partition, if somebody is. GetItem APP#id / HIST#1.
    async fn holder(&self, id: &ApplicationId) -> Result<Option<AttributeValue>, StoreError> {
        let projection = Projection::Only(vec![UNFINISHED]);
        let first = self.item(self.first_entry(id), projection).await?;
        Ok(first.and_then(|mut first| first.remove(UNFINISHED)))
    }

    /// Finishes a delete, or removes what an interrupted restore wrote; whether there was one. GetItem APP#id / HIST#1,
    /// and if it bears a mark, a TransactWriteItems that takes it over, then as for a delete.
    pub(super) async fn finish(&self, id: &ApplicationId) -> Result<bool, ChangeError> {
        let mut attempts = Attempts::new(&self.meter);
        loop {
            let Some(holder) = self.holder(id).await? else {
                return Ok(false);
            };
            let held = Condition::Equals(UNFINISHED.into(), holder);
            if let Some(mark) = self.take(id, &held).await? {
                self.delete_children(id, &mark).await?;
                return Ok(true);
            }
            attempts.pause().await?;
        }
    }

    /// Finishes every delete that was interrupted; how many. One that is in progress elsewhere ends as well. GSI1 UNFINISHED,
    /// a GetItem for each, and as [`Applications::finish`] for each that is not a restore.
    ///
    /// # Errors
    /// [`ChangeError`], after all others are finished.
    pub async fn finish_deletes(&self) -> Result<usize, ChangeError> {
        let mut finished = FinishedDeletes::default();
        for id in self.unfinished().await? {
            let is_finished = self.finish_delete(&id).await;
            finished.add(is_finished.map(usize::from));
        }
        finished.count()
    }

    async fn finish_delete(&self, id: &ApplicationId) -> Result<bool, ChangeError> {
        let holder = self.holder(id).await?;
        // Whoever restores a record goes on, or does it again.
        let is_delete = holder.is_some_and(|holder| {
            let mark = holder.as_s();
            mark.is_ok_and(|mark| mark.starts_with(DELETE))
        });
        if !is_delete {
            return Ok(false);
        }
        self.finish(id).await
    }

    /// Marks a partition without its application, if its first history entry is `found`, so that whoever was at work
    /// there writes nothing more. `None` if others were first, or the application is there.
    async fn take(
        &self,
        id: &ApplicationId,
        found: &Condition,
    ) -> Result<Option<Mark>, ChangeError> {
        let mark = self.mark(id, Work::Delete);
        let mut attempts = Attempts::new(&self.meter);
        loop {
            let transaction = self.table.transaction();
            let transaction = transaction
                .check_missing(&self.scope.application(id))
                .update(self.marking(&mark, found.clone())?);
            let reasons = match transaction.commit(&self.meter).await {
                Ok(()) => return Ok(Some(mark)),
                Err(TransactionError::Table(error)) => return Err(error.into()),
                Err(TransactionError::Canceled(reasons)) => reasons,
            };
            match reasons.as_slice() {
                [Some(Reason::ConditionFailed { .. }), ..] => return Ok(None),
                // The SDK repeated it.
                [_, Some(Reason::ConditionFailed { item })] => {
                    let is_own = mark.is_on(item.as_ref());
                    return Ok(Some(mark).filter(|_| is_own));
                }
                _ => attempts.met(reasons)?,
            }
            attempts.pause().await?;
        }
    }

    /// What a partition has without its application and without our mark. Query APP#id (one item); if that is not the
    /// application, two GetItems and a Query (6 items).
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn leftovers(&self, id: &ApplicationId) -> Result<Option<Leftovers>, StoreError> {
        let application = self.scope.application(id);
        let keys = self.first_keys(id, 1).await?;
        if keys.is_empty() || keys.contains(&application) {
            return Ok(None);
        }
        // Items of other programs may stand before the application. A delete may end meanwhile, so the partition is
        // read again after the mark.
        let projection = Projection::Only(vec!["PK"]);
        let is_there = self.item(application, projection).await?.is_some();
        if is_there || self.holder(id).await?.is_some() {
            return Ok(None);
        }
        let keys = self.first_keys(id, NAMED + 1).await?;
        let sort_keys = keys.into_iter().map(|key| key.sk.as_str().to_owned());
        let leftovers: Leftovers = sort_keys.collect();
        Ok(Some(leftovers).filter(|leftovers| !leftovers.sort_keys.is_empty()))
    }

    /// The first keys of a partition.
    async fn first_keys(&self, id: &ApplicationId, limit: usize) -> Result<Vec<Key>, StoreError> {
        let query = self
            .table
            .query(self.scope.partition(id))
            .consistency(Consistency::Strong)
            .project(Projection::Only(vec!["PK", "SK"]))
            .limit(limit);
        let items = query.page(&self.meter).await?.items;
        Ok(items.iter().filter_map(|item| TABLE.key_in(item)).collect())
    }

    /// As [`Applications::leftovers`], of each of these.
    pub(super) async fn leftovers_of(
        &self,
        ids: &[&ApplicationId],
    ) -> Result<Vec<Option<Leftovers>>, StoreError> {
        let mut all = Vec::with_capacity(ids.len());
        for part in ids.chunks(READERS) {
            let read = part.iter().map(|id| self.leftovers(id));
            let read: Result<Vec<_>, _> = join_all(read).await.into_iter().collect();
            all.extend(read?);
        }
        Ok(all)
    }

    /// Deletes what a partition has without its application; what that was.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn delete_leftovers(
        &self,
        id: &ApplicationId,
    ) -> Result<Option<Leftovers>, ChangeError> {
        let Some(leftovers) = self.leftovers(id).await? else {
            return Ok(None);
        };
        let unmarked = Condition::Lacks(UNFINISHED.into());
        match self.take(id, &unmarked).await? {
            Some(mark) => {
                self.delete_children(id, &mark).await?;
                Ok(Some(leftovers))
            }
            None => Ok(None),
        }
    }

    /// The applications whose delete or restore was interrupted, or is in progress. GSI1 UNFINISHED.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn unfinished(&self) -> Result<Vec<ApplicationId>, StoreError> {
        let query = self
            .table
            .query_index(&GSI1, self.scope.unfinished())
            .project(Projection::Only(vec!["PK", "SK"]));
        let items = query.all(&self.meter).await?;
        Ok(items.iter().filter_map(|item| self.id_in(item)).collect())
    }
}

/// Tells partitions with their application from those without among the keys of a table.
#[derive(Debug)]
pub struct PartitionSearch {
    tenancy: Tenancy,
    partition: String,
    sort_keys: Vec<String>,
    found: Partitions,
}

/// The partitions of applications in a table, by their ids.
#[derive(Debug, Default)]
pub struct Partitions {
    /// Those with their application.
    pub applications: HashMap<Scope, Vec<ApplicationId>>,
    /// Those without. Deletes and restores that have not ended are among them.
    pub leftovers: Vec<(Scope, ApplicationId)>,
}

impl PartitionSearch {
    /// A search in a table of this tenancy.
    pub fn new(tenancy: Tenancy) -> Self {
        Self {
            tenancy,
            partition: String::new(),
            sort_keys: Vec::new(),
            found: Partitions::default(),
        }
    }

    /// Looks at the next key. Keys come sorted by their partitions.
    pub fn look(&mut self, partition_key: &str, sort_key: &str) {
        if partition_key != self.partition {
            self.end_partition();
            partition_key.clone_into(&mut self.partition);
        }
        self.sort_keys.push(sort_key.to_owned());
    }

    fn end_partition(&mut self) {
        let partition = std::mem::take(&mut self.partition);
        let sort_keys = std::mem::take(&mut self.sort_keys);
        let Some(scope) = self.tenancy.scope_of(&partition) else {
            return;
        };
        let Some(id) = scope.application_id(&partition) else {
            return;
        };
        let application = scope.application(&id).sk;
        if sort_keys.iter().any(|key| key == application.as_str()) {
            self.found.applications.entry(scope).or_default().push(id);
        } else {
            self.found.leftovers.push((scope, id));
        }
    }

    /// The partitions.
    pub fn found(mut self) -> Partitions {
        self.end_partition();
        self.found
    }
}
