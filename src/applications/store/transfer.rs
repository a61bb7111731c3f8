//! Import and export: many applications at once, whole records out and in again.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::applications::changes::{Announced, ChangeKind};
use crate::applications::error::{ChangeError, StoreError};
use crate::applications::items::{ApplicationItem, HistoryItem, StageItem};
use crate::applications::keys::{self, Place};
use crate::applications::model::{
    Application, ApplicationId, DetailsChange, HistoryEntry, Stage, State, Timestamp, Violations,
};
use crate::table::{
    Consistency, Direction, Entity, Item, MAX_BYTES, MAX_ITEMS, MalformedItem, Projection, Reason,
    Retries, TransactionError, from_item,
};

use super::change::{RETRIES, retryable};
use super::counters::Counting;
use super::{Applications, ArchivedFilter, ListFilter, ListOrder, Wanted};

/// How many new applications fit into one transaction: two items each, and the counters.
pub const ROWS: usize = (MAX_ITEMS - 1) / 2;
/// How many whole records go into one transaction: their children are written before.
pub const RECORDS: usize = MAX_ITEMS - 1;

/// An application to make from a row of someone's list.
#[derive(Clone, Debug)]
pub struct NewRow {
    /// Derived from the row, so that the same row makes it once.
    pub id: ApplicationId,
    /// Its fields.
    pub fields: DetailsChange,
    /// Whether it is put away.
    pub is_archived: bool,
}

/// Whether an import writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Import {
    /// It does.
    Write,
    /// It only answers what would become of each row.
    Try,
}

/// What became of a row or record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Imported {
    /// It was made.
    Created,
    /// An application of this id was there; it was left as it is.
    AlreadyThere,
    /// It breaks rules.
    Invalid(Violations),
    /// It is no whole record: the sentence says why.
    Malformed(String),
}

/// A whole application, as a line of an export: its attributes as they are stored, its stages and its
/// history with snapshots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    #[serde(flatten)]
    application: ApplicationItem,
    interview_stages: Vec<StageItem>,
    history: Vec<HistoryItem>,
}

impl Record {
    /// The application's id.
    pub fn id(&self) -> ApplicationId {
        ApplicationId(self.application.id())
    }

    /// Checks that the record is one application and belongs together.
    fn check(&self) -> Result<Application, MalformedItem> {
        let application = Application::try_from(self.application.clone())?;
        for stage in &self.interview_stages {
            Stage::try_from(stage.clone())?;
        }
        for entry in &self.history {
            HistoryEntry::try_from(entry.clone())?;
        }
        let partition = keys::partition(application.id);
        let mut keys = self
            .interview_stages
            .iter()
            .map(Entity::key)
            .chain(self.history.iter().map(Entity::key));
        match keys.all(|key| key.pk == partition) {
            true => Ok(application),
            false => Err(MalformedItem {
                entity: ApplicationItem::NAME,
                reason: "a stage or history entry has another applicationId".to_owned(),
            }),
        }
    }
}

impl Applications {
    /// Makes applications from rows. BatchGetItem (which are there already), then TransactWriteItems, 49
    /// rows to each, so that the Meta item is written once for them. Answers one outcome for each row.
    ///
    /// # Errors
    /// [`ChangeError`]; what was made by then stays made, and the same rows may be sent again.
    pub async fn import_rows(
        &self,
        rows: Vec<NewRow>,
        import: Import,
    ) -> Result<Vec<Imported>, ChangeError> {
        // One that an eventual read misses is found by the transaction's condition.
        let ids = rows.iter().map(|row| row.id);
        let mut there = self.existing(ids, Consistency::Eventual).await?;
        let mut outcomes = Vec::with_capacity(rows.len());
        let mut entries = Vec::new();
        let mut made_at: Option<Timestamp> = None;
        for row in rows {
            let id = row.id;
            let now = made_at.map_or(self.now(), |earlier| self.now().after(earlier));
            match State::create(id, row.fields, Uuid::new_v4(), now) {
                Err(violations) => outcomes.push((id, Imported::Invalid(violations))),
                Ok(_) if !there.insert(id) => outcomes.push((id, Imported::AlreadyThere)),
                Ok(mut entry) => {
                    entry.snapshot.application.is_archived = row.is_archived;
                    made_at = Some(now);
                    entries.push(entry);
                    outcomes.push((id, Imported::Created));
                }
            }
        }
        let mut taken = HashSet::new();
        if import == Import::Try {
            entries.clear();
        }
        for batch in batches(entries) {
            taken.extend(self.create_all(batch).await?);
        }
        let outcome = |(id, outcome)| match outcome {
            Imported::Created if taken.contains(&id) => Imported::AlreadyThere,
            outcome => outcome,
        };
        Ok(outcomes.into_iter().map(outcome).collect())
    }

    /// Takes whole records back, exactly as they were exported. BatchGetItem (which are there already),
    /// BatchWriteItem for stages and histories, then TransactWriteItems for the applications, 99 to each:
    /// only that makes them visible. Answers one outcome for each record.
    ///
    /// # Errors
    /// [`ChangeError`]; what was made by then stays made, and the same records may be sent again.
    pub async fn import_records(
        &self,
        records: Vec<Record>,
        import: Import,
    ) -> Result<Vec<Imported>, ChangeError> {
        let ids: Vec<_> = records.iter().map(Record::id).collect();
        let mut there = self.existing(ids, Consistency::Strong).await?;
        let mut outcomes = Vec::with_capacity(records.len());
        let mut left = Vec::new();
        for record in records {
            outcomes.push(match record.check() {
                Err(malformed) => Imported::Malformed(malformed.reason),
                Ok(application) if !there.insert(application.id) => Imported::AlreadyThere,
                Ok(application) => {
                    left.push((application, record));
                    Imported::Created
                }
            });
        }
        if import == Import::Try {
            left.clear();
        }
        for records in left.chunks(RECORDS) {
            self.write_children(records).await?;
            self.write_applications(records).await?;
        }
        Ok(outcomes)
    }

    async fn write_children(&self, records: &[(Application, Record)]) -> Result<(), StoreError> {
        let mut items = Vec::new();
        for (_, record) in records {
            for stage in &record.interview_stages {
                items.push(self.table.item_of(stage)?);
            }
            for entry in &record.history {
                items.push(self.table.item_of(entry)?);
            }
        }
        Ok(self.table.batch_put(items, &self.meter).await?)
    }

    async fn write_applications(
        &self,
        records: &[(Application, Record)],
    ) -> Result<(), ChangeError> {
        let mut retries = Retries::new(RETRIES, &self.meter);
        loop {
            let mut transaction = self.table.transaction();
            let mut counting = Counting::default();
            for (application, record) in records {
                transaction = transaction.put_new(&record.application)?;
                counting.add(application);
            }
            match transaction
                .update(counting.update())?
                .commit(&self.meter)
                .await
            {
                Ok(()) => {
                    records
                        .iter()
                        .for_each(|(made, _)| self.announce_made(made));
                    return Ok(());
                }
                Err(TransactionError::Table(error)) => return Err(error.into()),
                Err(TransactionError::Canceled(reasons)) => {
                    if reasons
                        .iter()
                        .any(|r| matches!(r, Some(Reason::ConditionFailed { .. })))
                    {
                        return Err(ChangeError::Contended);
                    }
                    retryable(reasons)?;
                }
            }
            retries.pause().await?;
        }
    }

    fn announce_made(&self, made: &Application) {
        self.announce(|| Announced::seen(ChangeKind::Created, made.clone()));
    }

    /// Which of these applications are there. BatchGetItem APP#id / APP#id.
    async fn existing(
        &self,
        ids: impl IntoIterator<Item = ApplicationId>,
        consistency: Consistency,
    ) -> Result<HashSet<ApplicationId>, StoreError> {
        let keys: Vec<_> = ids.into_iter().map(keys::application).collect();
        let projection = Projection::Only(vec!["id"]);
        let items = self
            .table
            .batch_get(keys, &projection, consistency, &self.meter)
            .await?;
        let id = |item: Item| item.get("id")?.as_s().ok()?.parse().ok();
        Ok(items.into_iter().filter_map(id).collect())
    }

    /// The next applications of an export, the oldest update first, so that what changes meanwhile comes
    /// again at the end instead of being missed. GSI2 and GSI1, merged, then one Query of APP#id for each.
    ///
    /// # Errors
    /// [`StoreError`]; a malformed item is an error in its own place.
    pub async fn export(
        &self,
        size: usize,
        from: Option<&Place>,
    ) -> Result<Vec<(Place, Result<Option<Record>, StoreError>)>, StoreError> {
        let filter = ListFilter {
            archived: ArchivedFilter::Include,
            ..ListFilter::default()
        };
        let page = (size, Direction::Forward, from);
        let listed = self
            .list(&filter, ListOrder::OldestFirst, page, &Wanted::default())
            .await?;
        let records = listed.items.into_iter().map(|listed| async move {
            let record = match listed.application {
                Ok(application) => self.record(application.id).await,
                Err(error) => Err(error),
            };
            (listed.place, record)
        });
        Ok(futures_util::future::join_all(records).await)
    }

    async fn record(&self, id: ApplicationId) -> Result<Option<Record>, StoreError> {
        let items = self
            .table
            .query(keys::partition(id))
            .consistency(Consistency::Strong)
            .all(&self.meter)
            .await?;
        let (mut application, mut stages, mut history) = (None, Vec::new(), Vec::new());
        for item in items {
            let sort_key = item
                .get("SK")
                .and_then(|sk| sk.as_s().ok())
                .cloned()
                .unwrap_or_default();
            if sort_key.starts_with(keys::stages().as_str()) {
                stages.push(from_item(item)?);
            } else if sort_key.starts_with(keys::history().as_str()) {
                history.push(from_item(item)?);
            } else {
                application = Some(from_item(item)?);
            }
        }
        let record = application.map(|application| Record {
            application,
            interview_stages: stages,
            history,
        });
        Ok(record)
    }
}

/// Cuts new applications into transactions, by count and by size: an application stands in its own item
/// and in its snapshot, and DynamoDB's count of bytes stays below twice that of the same as JSON.
fn batches(entries: Vec<HistoryEntry>) -> Vec<Vec<HistoryEntry>> {
    let mut batches: Vec<Vec<HistoryEntry>> = Vec::new();
    let mut bytes = 0;
    for entry in entries {
        let item = ApplicationItem::from(&entry.snapshot.application);
        let size = 2 * serde_json::to_vec(&item).map_or(MAX_BYTES, |json| json.len());
        match batches.last_mut() {
            Some(batch) if batch.len() < ROWS && bytes + size < MAX_BYTES / 2 => {
                batch.push(entry);
                bytes += size;
            }
            _ => {
                batches.push(vec![entry]);
                bytes = size;
            }
        }
    }
    batches
}
