//! Import and export: many applications at once, whole records out and in again.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use crate::changes::{Change, ChangeKind};
use crate::error::{ChangeError, StoreError};
use crate::items::{self, HistoryItem};
use crate::keys::{self, Place};
use crate::model::{
    Application, ApplicationId, DetailsChange, Exact, HistoryEntry, Leftovers, State, Timestamp,
    Violations,
};
use trestle_table::{Consistency, Direction, Item, Key, Projection, item_of};

use super::batches::{ROWS, batches, entry_size, years};
use super::extra::Extra;
use super::postings::TrackedJobs;
use super::{Applications, ArchivedFilter, ListFilter, ListOrder, Record, Wanted, Window};

/// An application to make from a row of someone's list.
#[derive(Clone, Debug)]
pub struct NewRow {
    /// Derived from the row, so that the same row makes it once.
    pub id: ApplicationId,
    /// Its fields.
    pub fields: DetailsChange,
    /// Whether the application is archived.
    pub is_archived: bool,
}

/// Whether an import writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Import {
    /// It does.
    Write,
    /// It does, and changes the applications that are there in what only an import has set.
    Update,
    /// It does, and changes the applications that are there in all that differs.
    Overwrite,
    /// It only answers what would become of each row.
    Try,
}

/// The outcome of a row or record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Imported {
    /// It was made.
    Created,
    /// An application of this id was there; it was left as it is.
    AlreadyThere,
    /// It was there, and was changed as the row says.
    Updated,
    /// What is left of a deleted application has this id.
    BeingDeleted,
    /// Items that are not ours are in the partition of this id.
    Leftovers(Leftovers),
    /// Another import or a delete of this id was first.
    TakenOver,
    /// The table has an application to the same job posting.
    SamePosting,
    /// It breaks rules.
    Invalid(Violations),
    /// It is no whole record: the sentence says why.
    Malformed(String),
}

impl Applications {
    /// Makes applications from rows. BatchGetItem (which are there already), a Query for each other one (whether its
    /// partition has items that are not ours), then TransactWriteItems, at most 47 rows to each, so that the counters are
    /// written once for them. Answers one outcome for each row.
    ///
    /// With `tracked`, which gets the applications that are made, a row with the posting of another one is left out.
    ///
    /// Each row is made later than the one before, and the first later than `last`, which becomes the last
    /// one's moment: lists by update have the rows in the file's order.
    ///
    /// # Errors
    /// [`ChangeError`]; what was made by then stays made, and the same rows may be sent again.
    pub async fn import_rows(
        &self,
        mut rows: Vec<NewRow>,
        import: Import,
        mut tracked: Option<&mut TrackedJobs>,
        last: &mut Option<Timestamp>,
    ) -> Result<Vec<Imported>, ChangeError> {
        self.all_spelled(rows.iter_mut().map(|row| &mut row.id))
            .await?;
        // One that an eventual read misses is found by the transaction's condition.
        let ids = rows.iter().map(|row| &row.id);
        let mut there = self.existing(ids, Consistency::Eventual).await?;
        let mut outcomes = Vec::with_capacity(rows.len());
        let mut entries = Vec::new();
        for row in rows {
            let id = row.id.clone();
            let now = last.map_or(self.now(), |earlier| self.now().after(earlier));
            let fields = self.with_defaults(&row.fields);
            match State::create(id.clone(), fields, Uuid::new_v4(), now) {
                Err(violations) => outcomes.push((id, Imported::Invalid(violations))),
                Ok(_) if there.contains(&id) => outcomes.push((id, Imported::AlreadyThere)),
                Ok(entry) if has_posting(tracked.as_deref(), &entry) => {
                    outcomes.push((id, Imported::SamePosting));
                }
                Ok(entry) => {
                    if let Some(tracked) = tracked.as_deref_mut() {
                        tracked.add(&entry.snapshot.application);
                    }
                    let mut entry = self.signed(entry).imported();
                    there.insert(id.clone());
                    entry.snapshot.application.is_archived.set(&row.is_archived);
                    *last = Some(now);
                    entries.push(entry);
                    outcomes.push((id, Imported::Created));
                }
            }
        }
        let ids = entries.iter().map(|entry| &entry.snapshot.application.id);
        let mut refused = refused(self.not_ours(ids).await?);
        entries.retain(|entry| !refused.contains_key(&entry.snapshot.application.id));
        // A trial knows its outcomes now, and writes nothing.
        if import == Import::Try {
            entries.clear();
        }
        for batch in batches(entries, ROWS, entry_size, |entry| years(None, entry)) {
            refused.extend(self.create_all(batch).await?);
        }
        Ok(settle(outcomes, &refused))
    }

    /// The applications of these whose partitions have items that are not ours, which a new application must not mix
    /// with.
    pub(super) async fn not_ours(
        &self,
        ids: impl IntoIterator<Item = &ApplicationId>,
    ) -> Result<HashMap<ApplicationId, Leftovers>, StoreError> {
        let ids: Vec<_> = ids.into_iter().collect();
        let found = self.leftovers_of(&ids).await?;
        let found = ids.into_iter().zip(found);
        let found = found.filter_map(|(id, found)| Some((id.clone(), found?)));
        Ok(found.collect())
    }

    pub(super) fn announce_made(&self, made: &Application) {
        self.announce(|| Change::seen(ChangeKind::Created, made.clone()));
    }

    /// Which of these applications are there. BatchGetItem APP#id / APP#id.
    pub(super) async fn existing(
        &self,
        ids: impl IntoIterator<Item = &ApplicationId>,
        consistency: Consistency,
    ) -> Result<HashSet<ApplicationId>, StoreError> {
        let keys: Vec<_> = ids
            .into_iter()
            .map(|id| self.scope.application(id))
            .collect();
        let projection = Projection::Only(vec!["PK", "SK"]);
        let items = self
            .table
            .batch_get(keys, &projection, consistency, &self.meter)
            .await?;
        Ok(items.iter().filter_map(|item| self.id_in(item)).collect())
    }

    /// The application whose partition an item is in.
    pub(super) fn id_in(&self, item: &Item) -> Option<ApplicationId> {
        let key = keys::TABLE.key_in(item)?;
        self.scope.application_id(key.pk.as_str())
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
        let window = Window::new(size, Direction::Forward, from);
        let listed = self
            .list(&filter, ListOrder::OLDEST_FIRST, window, &Wanted::default())
            .await?;
        let records = listed.items.into_iter().map(|listed| async move {
            let key = self.scope.primary_key(&listed.place);
            (listed.place, self.record(key).await)
        });
        Ok(futures_util::future::join_all(records).await)
    }

    /// The record of the application at a key, whatever its attributes are; `None` if nothing is there.
    async fn record(&self, of: Key) -> Result<Option<Record>, StoreError> {
        let items = self
            .table
            .query(of.pk.clone())
            .consistency(Consistency::Strong)
            .all(&self.meter)
            .await?;
        if items.is_empty() {
            // Deleted meanwhile.
            return Ok(None);
        }
        let unreachable = || StoreError::NoApplication(of.pk.as_str().to_owned());
        let id = self.scope.application_id(of.pk.as_str());
        let id = &id.ok_or_else(unreachable)?;
        let items_read = u64::try_from(items.len()).unwrap_or(u64::MAX);
        let mut record = None;
        let mut has_others = false;
        let (mut stages, mut history, mut extra) = (Vec::new(), Vec::new(), Vec::new());
        for item in items {
            let Some(Key { sk, .. }) = keys::TABLE.key_in(&item) else {
                continue;
            };
            let stage = items::stage(id, item.clone());
            let known = if sk == of.sk {
                let mut json = items::json(item.clone());
                json.sort_all_objects();
                let Some(mut application) = Application::of_json(id, json) else {
                    return Err(unreachable());
                };
                application.stored_id.set(&id.to_string());
                if !application.is_placed() {
                    application.listed = items::listed(&item);
                }
                let known = item_of(&self.placed(&application))?;
                record = Some(application);
                known
            } else if let Some(mut stage) = stage {
                stage.id.set(&stage.key.to_string());
                stage.application_id.set(&id.to_string());
                stage.exact = Exact::default();
                let known = item_of(&self.placed(&stage))?;
                stages.push(stage);
                known
            } else if let Some(sequence) = keys::sequence(sk.as_str()) {
                let entry = HistoryItem::of_item((id.clone(), sequence), item.clone()).exported();
                let known = item_of(&self.placed(&entry))?;
                history.push(entry);
                known
            } else {
                has_others = true;
                Item::new()
            };
            extra.extend(Extra::of(&sk, item, &known));
        }
        let application = match record {
            Some(application) => application,
            None if has_others => return Err(unreachable()),
            // It is being deleted.
            None => return Ok(None),
        };
        let mut record = Record {
            listed_as: application.listed.clone(),
            application,
            interview_stages: stages,
            history,
            items_read,
            extra,
            unreadable: Vec::new(),
            owner: None,
        };
        record.unreadable = record.all_unreadable();
        Ok(Some(record))
    }
}

/// Whether an application to the same job posting is known.
fn has_posting(tracked: Option<&TrackedJobs>, entry: &HistoryEntry) -> bool {
    tracked.is_some_and(|tracked| tracked.has_posting(&entry.snapshot.application))
}

/// The outcomes of what is not created because of these.
pub(super) fn refused(
    found: HashMap<ApplicationId, Leftovers>,
) -> HashMap<ApplicationId, Imported> {
    let found = found.into_iter();
    found
        .map(|(id, leftovers)| (id, Imported::Leftovers(leftovers)))
        .collect()
}

/// The outcomes, those of what was refused after all put in.
pub(super) fn settle(
    outcomes: Vec<(ApplicationId, Imported)>,
    refused: &HashMap<ApplicationId, Imported>,
) -> Vec<Imported> {
    let settled = outcomes
        .into_iter()
        .map(|(id, outcome)| match (&outcome, refused.get(&id)) {
            (Imported::Created, Some(refused)) => refused.clone(),
            _ => outcome,
        });
    settled.collect()
}
