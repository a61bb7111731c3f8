//! Import and export: many applications at once, whole records out and in again.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::applications::changes::{Announced, ChangeKind};
use crate::applications::error::{ChangeError, StoreError};
use crate::applications::items::{ApplicationItem, HistoryItem, StageItem};
use crate::applications::keys::{self, Place};
use crate::applications::model::{
    Application, ApplicationId, DetailsChange, HistoryEntry, Stage, State, Stay, Timestamp,
    Violations, Week,
};
use crate::table::{
    Consistency, Direction, Entity, Item, Key, MAX_BYTES, MAX_ITEMS, MalformedItem, Projection,
    from_item,
};

use super::create::first_entry;
use super::node::stored_key;
use super::{Applications, ArchivedFilter, ListFilter, ListOrder, Wanted};

/// How many new applications fit into one transaction: two items each, the Meta item, and the years.
const ROWS: usize = (MAX_ITEMS - 1 - YEARS) / 2;
/// In how many years the applications of one transaction were sent: each has an item that counts them.
pub(super) const YEARS: usize = 5;

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
    /// What is left of a deleted application has this id.
    BeingDeleted,
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
    pub(super) application: ApplicationItem,
    pub(super) interview_stages: Vec<StageItem>,
    pub(super) history: Vec<HistoryItem>,
}

impl Record {
    /// The application's id.
    pub fn id(&self) -> ApplicationId {
        ApplicationId(self.application.id())
    }

    /// Checks that the record is one application and belongs together.
    pub(super) fn check(&self) -> Result<Application, MalformedItem> {
        let application = Application::try_from(self.application.clone())?;
        for stage in &self.interview_stages {
            Stage::try_from(stage.clone())?;
        }
        for entry in &self.history {
            HistoryEntry::try_from(entry.clone())?;
        }
        let malformed = |reason: &str| {
            Err(MalformedItem {
                entity: ApplicationItem::NAME,
                reason: reason.to_owned(),
            })
        };
        let partition = keys::partition(application.id);
        if self.keys().any(|key| key.pk != partition) {
            return malformed("a stage or history entry has another applicationId");
        }
        let mut known = HashSet::new();
        if !self.keys().all(|key| known.insert(key)) {
            return malformed("two stages have one id, or two history entries one sequence");
        }
        Ok(application)
    }

    /// The keys of its stages and history entries.
    pub(super) fn keys(&self) -> impl Iterator<Item = Key> {
        let stages = self.interview_stages.iter().map(Entity::key);
        stages.chain(self.history.iter().map(Entity::key))
    }

    /// The stays in a status that its history tells of.
    pub(super) fn stays(&self) -> Vec<Stay> {
        let entries = self.history.iter().cloned().map(HistoryEntry::try_from);
        let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
        entries.sort_by_key(HistoryEntry::sequence);
        Stay::told(&entries)
    }

    pub(super) fn first_entry(&self) -> Option<&HistoryItem> {
        let first = first_entry(self.id());
        self.history.iter().find(|entry| entry.key() == first)
    }
}

impl Applications {
    /// Makes applications from rows. BatchGetItem (which are there already), then TransactWriteItems, at most
    /// 47 rows to each, so that the counters are written once for them. Answers one outcome for each row.
    ///
    /// Each row is made later than the one before, and the first later than `last`, which becomes the last
    /// one's moment: lists by update have the rows in the file's order.
    ///
    /// # Errors
    /// [`ChangeError`]; what was made by then stays made, and the same rows may be sent again.
    pub async fn import_rows(
        &self,
        rows: Vec<NewRow>,
        import: Import,
        last: &mut Option<Timestamp>,
    ) -> Result<Vec<Imported>, ChangeError> {
        // One that an eventual read misses is found by the transaction's condition.
        let ids = rows.iter().map(|row| row.id);
        let mut there = self.existing(ids, Consistency::Eventual).await?;
        let mut outcomes = Vec::with_capacity(rows.len());
        let mut entries = Vec::new();
        for row in rows {
            let id = row.id;
            let now = last.map_or(self.now(), |earlier| self.now().after(earlier));
            match State::create(id, row.fields, Uuid::new_v4(), now) {
                Err(violations) => outcomes.push((id, Imported::Invalid(violations))),
                Ok(_) if !there.insert(id) => outcomes.push((id, Imported::AlreadyThere)),
                Ok(mut entry) => {
                    entry.snapshot.application.is_archived = row.is_archived;
                    *last = Some(now);
                    entries.push(entry);
                    outcomes.push((id, Imported::Created));
                }
            }
        }
        let mut refused = HashMap::new();
        if import == Import::Try {
            entries.clear();
        }
        // An application stands in its own item and in its snapshot.
        let size = |entry: &HistoryEntry| {
            2 * json_size(&ApplicationItem::from(&entry.snapshot.application))
        };
        let year = |entry: &HistoryEntry| year(&entry.snapshot.application);
        for batch in batches(entries, ROWS, size, year) {
            refused.extend(self.create_all(batch).await?);
        }
        Ok(settle(outcomes, &refused))
    }

    pub(super) fn announce_made(&self, made: &Application) {
        self.announce(|| Announced::seen(ChangeKind::Created, made.clone()));
    }

    /// Which of these applications are there. BatchGetItem APP#id / APP#id.
    pub(super) async fn existing(
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
            let Some(key) = stored_key(&item) else {
                continue;
            };
            if key.sk.as_str().starts_with(keys::stages().as_str()) {
                stages.push(from_item(item)?);
            } else if key.sk.as_str().starts_with(keys::history().as_str()) {
                history.push(from_item(item)?);
            } else if key == keys::application(id) {
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

/// The outcomes, those of what was refused after all put in.
pub(super) fn settle(
    outcomes: Vec<(ApplicationId, Imported)>,
    refused: &HashMap<ApplicationId, Imported>,
) -> Vec<Imported> {
    let settled = |(id, outcome)| match (&outcome, refused.get(&id)) {
        (Imported::Created, Some(refused)) => refused.clone(),
        _ => outcome,
    };
    outcomes.into_iter().map(settled).collect()
}

pub(super) fn json_size(item: &impl Serialize) -> usize {
    serde_json::to_vec(item).map_or(MAX_BYTES, |json| json.len())
}

/// The year whose item counts the week in which an application was sent.
pub(super) fn year(application: &Application) -> Option<i32> {
    let day = application.details.date_applied;
    day.map(|day| Week::of(day).year)
}

/// Cuts what is to be written into transactions, by count, by the years of what is in it, and by size as
/// JSON: DynamoDB's count of bytes stays below twice that.
pub(super) fn batches<T>(
    all: Vec<T>,
    most: usize,
    size: impl Fn(&T) -> usize,
    year: impl Fn(&T) -> Option<i32>,
) -> Vec<Vec<T>> {
    let mut batches: Vec<Vec<T>> = Vec::new();
    let (mut bytes, mut years) = (0, HashSet::new());
    for one in all {
        let size = size(&one);
        let year = year(&one);
        let fits = |batch: &Vec<T>| {
            let one_year_more = usize::from(year.is_some_and(|year| !years.contains(&year)));
            batch.len() < most
                && bytes + size < MAX_BYTES / 2
                && years.len() + one_year_more <= YEARS
        };
        match batches.last_mut().filter(|batch| fits(batch)) {
            Some(batch) => {
                batch.push(one);
                bytes += size;
            }
            None => {
                batches.push(vec![one]);
                bytes = size;
                years.clear();
            }
        }
        years.extend(year);
    }
    batches
}
