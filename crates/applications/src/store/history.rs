//! History: pages of it, and the loader that serves stages and entries of many applications at once.

use std::collections::HashMap;

use dataloader::BatchFn;
use dataloader::cached::Loader;
use futures_util::future::join_all;

use crate::error::StoreError;
use crate::items::{HistoryItem, SnapshotStages};
use crate::keys::{self, TABLE};
use crate::model::{Application, ApplicationId, MAX_VERSION, Stage};
use trestle_table::{Consistency, Direction, Item, Order, Projection};

use super::Applications;

/// The attributes of an entry without its snapshot.
pub(super) const LINE: [&str; 5] = ["id", "sequence", "description", "createdAt", "actor"];
/// The attribute of a snapshot that tells whether it agrees with the application.
const MOMENT: &str = "snapshot.updatedAt";
/// The attributes of a snapshot that make its stages usable.
const STAGES: [&str; 4] = [
    "snapshot.id",
    "snapshot.historySequence",
    MOMENT,
    "snapshot.interviewStages",
];

/// Whether the snapshots of entries are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Content {
    /// What changed, in words.
    Lines,
    /// The snapshots too, for themselves or for what differs between two of them.
    Snapshots,
}

/// A page of history, newest first: so many entries from there, that way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryRange {
    /// How many entries: 1 to 100.
    pub size: usize,
    /// Forward is towards older entries.
    pub direction: Direction,
    /// The sequence next to the page.
    pub cursor: Option<u32>,
    /// What of each entry.
    pub content: Content,
}

/// An entry of a page.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its place in the history, by its key.
    pub sequence: u32,
    /// The entry.
    pub entry: HistoryItem,
    /// The entry before, if snapshots were requested and there is one.
    pub before: Option<HistoryItem>,
}

/// Entries, newest first.
#[derive(Clone, Debug, Default)]
pub struct HistoryPage {
    /// The entries.
    pub lines: Vec<Line>,
    /// Whether the history goes on in the page's direction.
    pub more: bool,
}

impl Line {
    /// An entry as a projection left it, at the sequence of its key; `None` for an item of another program.
    pub(super) fn read(id: &ApplicationId, item: Item) -> Option<Self> {
        let sequence = keys::sequence(item.get("SK")?.as_s().ok()?)?;
        Some(Self::at((id.clone(), sequence), item))
    }

    pub(super) fn at(key: (ApplicationId, u32), item: Item) -> Self {
        Self {
            sequence: key.1,
            entry: HistoryItem::of_item(key, item),
            before: None,
        }
    }
}

/// Whether an item is a history entry, and not one of another program.
pub(super) fn is_entry(item: &Item) -> bool {
    let sort_key = item.get("SK").and_then(|key| key.as_s().ok());
    sort_key.is_some_and(|key| keys::sequence(key).is_some())
}

/// Gives each entry the snapshot of the one before it; newest first.
fn paired(mut lines: Vec<Line>) -> Vec<Line> {
    for i in 1..lines.len() {
        let (newer, older) = lines.split_at_mut(i);
        if let (Some(line), Some(before)) = (newer.last_mut(), older.first())
            && before.sequence.checked_add(1) == Some(line.sequence)
        {
            line.before = Some(before.entry.clone());
        }
    }
    lines
}

impl HistoryPage {
    /// The first `size` of `lines`, newest first, read with one more than that.
    pub(super) fn newest_first(lines: Vec<Line>, size: usize) -> Self {
        let more = lines.len() > size;
        let mut lines = paired(lines);
        lines.truncate(size);
        Self { lines, more }
    }

    /// The first entries of this page as a page of its own, if it holds them.
    pub fn head(&self, size: usize) -> Option<Self> {
        if size <= self.lines.len() {
            let more = self.more || size < self.lines.len();
            return Some(Self {
                lines: self.lines[..size].to_vec(),
                more,
            });
        }
        (!self.more).then(|| self.clone())
    }
}

impl Applications {
    /// A page of an application's history. Query APP#id / HIST#, from the cursor's sequence on.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn history(
        &self,
        id: &ApplicationId,
        range: &HistoryRange,
    ) -> Result<HistoryPage, StoreError> {
        let mut attributes = LINE.to_vec();
        attributes.push("SK");
        if range.content == Content::Snapshots {
            attributes.push("snapshot");
        }
        let backward_from = range
            .cursor
            .filter(|_| range.direction == Direction::Backward);
        let (first, last, order) = match range.direction {
            Direction::Forward => {
                let last = range
                    .cursor
                    .map_or(MAX_VERSION, |cursor| cursor.saturating_sub(1));
                (0, last, Order::Descending)
            }
            // From the cursor's own entry on: the page's oldest entry differs from that one.
            Direction::Backward => (range.cursor.unwrap_or(0), MAX_VERSION, Order::Ascending),
        };
        let wanted = range.size + 1 + usize::from(backward_from.is_some());
        let items = self
            .table
            .query(self.scope.partition(id))
            .between(
                self.scope.history_entry(id, first).sk,
                self.scope.history_entry(id, last).sk,
            )
            .order(order)
            .consistency(Consistency::Strong)
            .project(Projection::Only(attributes))
            .fill(wanted, is_entry, &self.meter)
            .await?;
        let lines = items.into_iter().filter_map(|item| Line::read(id, item));
        let mut lines: Vec<_> = lines.collect();
        if range.direction == Direction::Forward {
            return Ok(HistoryPage::newest_first(lines, range.size));
        }
        lines.reverse();
        let mut lines = paired(lines);
        lines.retain(|line| Some(line.sequence) != backward_from);
        let more = lines.len() > range.size;
        lines.drain(..lines.len().saturating_sub(range.size));
        Ok(HistoryPage { lines, more })
    }
}

/// What of a history entry a list asks for: one request to DynamoDB serves all keys of the same part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The stages in its snapshot.
    Stages,
    /// What changed, in words.
    Line,
    /// Both.
    LineAndStages,
    /// All of it.
    Whole,
}

impl Part {
    fn projection(self) -> Projection {
        Projection::Only(match self {
            Part::Stages => STAGES.to_vec(),
            Part::Line => LINE.iter().chain(&[MOMENT]).copied().collect(),
            Part::LineAndStages => LINE.iter().chain(&STAGES).copied().collect(),
            Part::Whole => LINE.iter().chain(&["snapshot"]).copied().collect(),
        })
    }
}

/// One history entry to load.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EntryKey {
    application: ApplicationId,
    sequence: u32,
    part: Part,
}

/// Loads history entries by (application, sequence), many at once: BatchGetItem APP#id / HIST#sequence,
/// one call for each 100. Made for each request.
#[derive(Clone)]
pub struct Entries {
    loader: Loader<EntryKey, Result<Option<Item>, StoreError>, Fetch>,
    pub(super) applications: Applications,
}

/// More keys than any request asks for: the loader never splits, the table does.
const NO_SPLIT: usize = 100_000;
/// How often the loader lets the rest of the request run before it reads. All entries of a page are asked for at once;
/// each time costs a call to the system if there is nothing else to run.
const YIELDS: usize = 2;

impl Entries {
    /// A loader of one viewer's entries.
    pub fn new(applications: Applications) -> Self {
        let loader = Loader::new(Fetch(applications.clone()))
            .with_max_batch_size(NO_SPLIT)
            .with_yield_count(YIELDS);
        Self {
            loader,
            applications,
        }
    }

    /// The stages of `application` at exactly its version, from its newest snapshot. Where that is not
    /// there or does not agree with it, as they are stored: one Query more, and one GetItem.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn stages(
        &self,
        application: &Application,
        part: Part,
    ) -> Result<Vec<Stage>, StoreError> {
        let snapshot = match application.version() {
            0 => None,
            sequence => self.load(&application.id, sequence, part).await?,
        };
        let stages = snapshot.and_then(|item| SnapshotStages(item).of(application));
        match stages {
            Some(stages) => Ok(stages),
            None => self.applications.stages_at(application).await,
        }
    }

    /// A page of history, towards older entries: their keys follow from the version. Where one of them is not
    /// there, another program has left the history behind: one Query of APP#id / HIST# more.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn history(
        &self,
        application: &Application,
        range: &HistoryRange,
        part: Part,
    ) -> Result<HistoryPage, StoreError> {
        let newest = range
            .cursor
            .map_or(application.version(), |cursor| cursor.saturating_sub(1));
        let wanted = u32::try_from(range.size + usize::from(range.content == Content::Snapshots));
        // However large the version is, no more than that are read.
        let oldest = newest
            .saturating_sub(wanted.unwrap_or_default().saturating_sub(1))
            .max(1);
        let loads = (oldest..=newest).rev().map(|sequence| async move {
            let item = self.load(&application.id, sequence, part).await?;
            Ok::<_, StoreError>(item.map(|mut item| {
                // The stages alone may have been projected, which is no whole snapshot.
                if part != Part::Whole {
                    item.remove("snapshot");
                }
                Line::at((application.id.clone(), sequence), item)
            }))
        });
        // All of them, so that one that fails does not take the others' batch with it.
        let loaded: Vec<_> = join_all(loads).await;
        let loaded = loaded.into_iter().collect::<Result<Vec<_>, StoreError>>()?;
        let Some(lines) = loaded.into_iter().collect::<Option<Vec<_>>>() else {
            return self.applications.history(&application.id, range).await;
        };
        let mut page = HistoryPage::newest_first(lines, range.size);
        page.more = newest as usize > range.size;
        Ok(page)
    }

    pub(super) async fn load(
        &self,
        application: &ApplicationId,
        sequence: u32,
        part: Part,
    ) -> Result<Option<Item>, StoreError> {
        let loaded = self
            .loader
            .try_load(EntryKey {
                application: application.clone(),
                sequence,
                part,
            })
            .await;
        loaded.unwrap_or(Err(StoreError::LostKey))
    }
}

/// Fetches what the loader gathered.
struct Fetch(Applications);

impl BatchFn<EntryKey, Result<Option<Item>, StoreError>> for Fetch {
    async fn load(
        &mut self,
        keys: &[EntryKey],
    ) -> HashMap<EntryKey, Result<Option<Item>, StoreError>> {
        let mut parts: HashMap<Part, Vec<EntryKey>> = HashMap::new();
        for key in keys {
            parts.entry(key.part).or_default().push(key.clone());
        }
        let fetched = parts
            .into_iter()
            .map(|(part, keys)| self.0.fetch_entries(part, keys));
        join_all(fetched).await.into_iter().flatten().collect()
    }
}

impl Applications {
    async fn fetch_entries(
        &self,
        part: Part,
        keys: Vec<EntryKey>,
    ) -> HashMap<EntryKey, Result<Option<Item>, StoreError>> {
        let Projection::Only(mut attributes) = part.projection() else {
            return HashMap::new();
        };
        attributes.extend(["PK", "SK"]);
        let table_keys = keys
            .iter()
            .map(|key| self.scope.history_entry(&key.application, key.sequence));
        let found = self
            .table
            .batch_get(
                table_keys,
                &Projection::Only(attributes),
                Consistency::Eventual,
                &self.meter,
            )
            .await;
        let mut items: HashMap<_, _> = match found {
            Ok(items) => items
                .into_iter()
                .filter_map(|item| Some((TABLE.key_in(&item)?, item)))
                .collect(),
            Err(error) => {
                let error = StoreError::from(error);
                return keys
                    .into_iter()
                    .map(|key| (key, Err(error.clone())))
                    .collect();
            }
        };
        keys.into_iter()
            .map(|key| {
                let stored = self.scope.history_entry(&key.application, key.sequence);
                (key, Ok(items.remove(&stored)))
            })
            .collect()
    }
}
