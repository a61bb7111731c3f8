//! Taking whole records back: ids kept first, children next, and the applications last of all.

use std::collections::{HashMap, HashSet};

use crate::applications::error::{ChangeError, StoreError};
use crate::applications::keys;
use crate::applications::model::{Application, ApplicationId};
use crate::table::{
    Consistency, Entity, MAX_ITEMS, Projection, Reason, TransactionError, from_item,
};

use super::canceled::{Attempts, is_entry};
use super::counters::Counting;
use super::create::first_entry;
use super::node::stored_key;
use super::transfer::{YEARS, batches, json_size, settle, year};
use super::{Applications, Import, Imported, Record};

/// How many whole records go into one transaction: their children are written before.
const RECORDS: usize = MAX_ITEMS - OTHERS;

/// What such a transaction writes besides: the Meta item, the stays, and the years.
const OTHERS: usize = 2 + YEARS;

impl Applications {
    /// Takes whole records back, exactly as they were exported. BatchGetItem (which are there already),
    /// TransactWriteItems for the first history entries, which keep the ids from everyone else,
    /// BatchWriteItem for stages and histories, then TransactWriteItems for the applications, at most
    /// 93 to each: only that makes them visible. Answers one outcome for each record.
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
            let id = record.id();
            let outcome = match record.check() {
                Err(malformed) => Imported::Malformed(malformed.reason),
                Ok(_) if !there.insert(id) => Imported::AlreadyThere,
                Ok(application) => {
                    left.push((application, record));
                    Imported::Created
                }
            };
            outcomes.push((id, outcome));
        }
        if import == Import::Try {
            left.clear();
        }
        let mut refused = HashMap::new();
        let size = |(_, record): &(Application, Record)| {
            json_size(&record.application) + record.first_entry().map_or(0, json_size)
        };
        for mut records in batches(left, RECORDS, size, |(made, _)| year(made)) {
            refused.extend(self.reserve(&records).await?);
            records.retain(|(application, _)| !refused.contains_key(&application.id));
            self.write_children(&records).await?;
            refused.extend(self.write_applications(records).await?);
        }
        Ok(settle(outcomes, &refused))
    }

    /// Writes the first history entry of each record: while it is there, nobody else makes an application
    /// of that id. Where it is there already, an import or a delete was interrupted: what that left, and
    /// the record does not have, is removed. Answers those whose ids something else has.
    async fn reserve(
        &self,
        records: &[(Application, Record)],
    ) -> Result<HashMap<ApplicationId, Imported>, ChangeError> {
        let mut left: Vec<_> = records
            .iter()
            .filter_map(|(application, record)| Some((application, record, record.first_entry()?)))
            .collect();
        let mut refused = HashMap::new();
        let mut attempts = Attempts::new(&self.meter);
        while !left.is_empty() {
            let mut transaction = self.table.transaction();
            for (_, _, entry) in &left {
                transaction = transaction.put_new(*entry)?;
            }
            let reasons = match transaction.commit(&self.meter).await {
                Ok(()) => break,
                Err(TransactionError::Table(error)) => return Err(error.into()),
                Err(TransactionError::Canceled(reasons)) => reasons,
            };
            let failed = |r: &Option<Reason>| matches!(r, Some(Reason::ConditionFailed { .. }));
            if !reasons.iter().any(failed) {
                attempts.met(reasons)?;
                attempts.pause().await?;
                continue;
            }
            let mut others = Vec::new();
            for ((application, record, entry), reason) in left.into_iter().zip(&reasons) {
                match reason {
                    Some(taken) if is_entry(taken, entry.id()) => {
                        self.remove_others(application.id, record).await?;
                    }
                    Some(Reason::ConditionFailed { .. }) => {
                        refused.insert(application.id, Imported::BeingDeleted);
                    }
                    _ => others.push((application, record, entry)),
                }
            }
            left = others;
        }
        Ok(refused)
    }

    /// Deletes what an application's partition has and `record` has not, while the application is not there.
    async fn remove_others(&self, id: ApplicationId, record: &Record) -> Result<(), StoreError> {
        let items = self
            .table
            .query(keys::partition(id))
            .consistency(Consistency::Strong)
            .project(Projection::Only(vec!["PK", "SK"]))
            .all(&self.meter)
            .await?;
        let stored: Vec<_> = items.iter().filter_map(stored_key).collect();
        if stored.contains(&keys::application(id)) {
            return Ok(());
        }
        let known: HashSet<_> = record.keys().collect();
        let others = stored.into_iter().filter(|key| !known.contains(key));
        Ok(self.table.batch_delete(others, &self.meter).await?)
    }

    async fn write_children(&self, records: &[(Application, Record)]) -> Result<(), StoreError> {
        let mut items = Vec::new();
        for (_, record) in records {
            for stage in &record.interview_stages {
                items.push(self.table.item_of(stage)?);
            }
            let first = first_entry(record.id());
            for entry in record.history.iter().filter(|entry| entry.key() != first) {
                items.push(self.table.item_of(entry)?);
            }
        }
        Ok(self.table.batch_put(items, &self.meter).await?)
    }

    /// Makes the records visible. Answers those that someone else made meanwhile.
    async fn write_applications(
        &self,
        mut left: Vec<(Application, Record)>,
    ) -> Result<HashMap<ApplicationId, Imported>, ChangeError> {
        let mut refused = HashMap::new();
        let mut attempts = Attempts::new(&self.meter);
        while !left.is_empty() {
            let mut transaction = self.table.transaction();
            let mut counting = Counting::default();
            for (application, record) in &left {
                transaction = transaction.put_new(&record.application)?;
                counting.add(application);
                counting.stays(record.stays());
            }
            let reasons = match counting.write(transaction)?.commit(&self.meter).await {
                Ok(()) => {
                    left.iter().for_each(|(made, _)| self.announce_made(made));
                    break;
                }
                Err(TransactionError::Table(error)) => return Err(error.into()),
                Err(TransactionError::Canceled(reasons)) => reasons,
            };
            let mut others = Vec::new();
            let before = left.len();
            for ((application, record), reason) in left.into_iter().zip(&reasons) {
                match reason {
                    Some(Reason::ConditionFailed { item }) => {
                        let same = item.clone().and_then(|item| from_item(item).ok());
                        // The same to the letter is this very import, whose answer was lost.
                        if same.as_ref() != Some(&record.application) {
                            refused.insert(application.id, Imported::AlreadyThere);
                        }
                    }
                    _ => others.push((application, record)),
                }
            }
            left = others;
            if left.len() == before {
                attempts.met(reasons)?;
                attempts.pause().await?;
            }
        }
        Ok(refused)
    }
}
