//! The state of an application before a change: its newest history entry or, if that does not agree with the items, these.

use futures_util::future::join;
use uuid::Uuid;

use crate::error::StoreError;
use crate::items::{self, HistoryItem};
use crate::keys;
use crate::model::{
    Application, ApplicationId, Details, Field, HistoryEntry, IfEmpty, MAX_VERSION, Stage, State,
    says_the_same,
};
use trestle_table::{Condition, Consistency, Item, Order, Projection};

use super::Applications;
use super::detail::read_stages;
use super::history::is_entry;

/// The state of an application before a change.
#[derive(Clone, Debug)]
pub(super) struct Current {
    pub(super) state: State,
    /// The `historySequence` of the application's item. Another program may have left it behind the history.
    pub(super) stored_sequence: Field<u32>,
    /// The newest history entry's id, if the state was read from it.
    newest: Option<Uuid>,
    /// Whether the newest history entry says the same as the items.
    pub(super) is_recorded: bool,
}

impl Current {
    /// Whether the history may have the entry with this id at this sequence.
    pub(super) fn may_have(&self, sequence: u32, id: Uuid) -> bool {
        let version = self.state.application.version();
        match self.newest {
            Some(newest) if version == sequence => newest == id,
            _ => version >= sequence,
        }
    }

    /// Whether a caller who read the application may expect this version, or expects none: lists show the stored one.
    pub(super) fn has_version(&self, expected: Option<u32>) -> bool {
        let stored = self.stored_sequence.get().unwrap_or(0);
        let versions = [stored, self.state.application.version()];
        expected.is_none_or(|expected| versions.contains(&expected))
    }
}

/// Why a change was not made, if another attempt may succeed.
pub(super) enum Lost {
    /// Another change of the application was in progress.
    Race,
    /// Another change took the application to this version.
    Overtaken(u32),
    /// The items are not what the newest history entry says.
    Disagreement,
}

/// The application is not what the change started from: another change was first, or they never agreed.
pub(super) fn overtaken(current: &Current, stored: &Application) -> Lost {
    if stored.version() > current.state.application.version() {
        Lost::Overtaken(stored.version())
    } else {
        Lost::Disagreement
    }
}

/// The end of a history.
pub(super) struct Newest {
    /// The sequence in its key.
    pub(super) sequence: u32,
    /// The entry, if it can be read.
    entry: Option<HistoryEntry>,
}

impl Newest {
    /// The sequence at the end of a history, 0 without one, and the entry there, if it can be read.
    fn parts(newest: Option<Self>) -> (u32, Option<HistoryEntry>) {
        newest.map_or((0, None), |newest| (newest.sequence, newest.entry))
    }

    /// The entry in an item of an application's partition; `None` if the item is no history entry.
    fn read(id: &ApplicationId, item: Item) -> Option<Self> {
        let sequence = keys::sequence(item.get("SK")?.as_s().ok()?)?;
        let entry = HistoryItem::of_item((id.clone(), sequence), item).entry();
        Some(Self { sequence, entry })
    }
}

/// How many stages are read with the newest history entry in one call. If an application has fewer, older entries are read
/// in their place, which mostly fit into the same read unit of 4 KB.
const FEW_STAGES: usize = 3;

/// Where a state was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The newest history entry, which says the same as the stages' items. The application agrees with it, unless another
    /// program wrote the application.
    Snapshot,
    /// The application and then its stages.
    Items,
}

impl Applications {
    /// The state to change, from the newest history entry or, if requested or needed, from the items: also if
    /// the history does not reach the version that is `known`.
    pub(super) async fn read_current(
        &self,
        id: &ApplicationId,
        source: Source,
        known: u32,
    ) -> Result<Option<Current>, StoreError> {
        let (newest, stages) = match source {
            Source::Snapshot => self.end(id).await?,
            Source::Items => (self.newest_entry(id).await?, Vec::new()),
        };
        let (mut last, mut entry) = Newest::parts(newest);
        if let (Source::Snapshot, Some(entry)) = (source, &entry)
            && last >= known
            // Another program may have changed a stage and nothing else.
            && are_of(&entry.snapshot, &read_stages(&entry.snapshot.application, stages)?)
        {
            let entry = entry.clone();
            return Ok(Some(Current {
                newest: Some(entry.id),
                is_recorded: true,
                stored_sequence: entry.snapshot.application.history_sequence.clone(),
                state: entry.snapshot,
            }));
        }
        let Some(mut application) = self.stored(id, Projection::All).await? else {
            return Ok(None);
        };
        let stages = self.stages(&application).await?;
        let stored_sequence = application.history_sequence.clone();
        let version = application.version();
        if last != version {
            // The item is not at the end of its history, or someone changed it, or made it anew, after that was read.
            (last, entry) = Newest::parts(self.newest_entry(id).await?);
        }
        application.history_sequence = Field::of(&version.max(last));
        let state = State::new(application, stages);
        Ok(Some(Current {
            is_recorded: entry.is_some_and(|entry| is_of(&entry.snapshot, &state)),
            state,
            stored_sequence,
            newest: None,
        }))
    }

    /// The newest history entry. Query APP#id / HIST#, backwards, one.
    pub(super) async fn newest_entry(
        &self,
        id: &ApplicationId,
    ) -> Result<Option<Newest>, StoreError> {
        let newest = self
            .table
            .query(self.scope.partition(id))
            .between(
                self.scope.history_entry(id, 0).sk,
                self.scope.history_entry(id, MAX_VERSION).sk,
            )
            .order(Order::Descending)
            .consistency(Consistency::Strong)
            .fill(1, is_entry, &self.meter)
            .await?;
        Ok(newest.into_iter().find_map(|item| Newest::read(id, item)))
    }

    /// The newest history entry and the items of the stages. Query APP#id / HIST# to STAGE#, backwards, [`FEW_STAGES`] and
    /// one. If the entry is not among these, Query APP#id / HIST# (the newest) and Query APP#id / STAGE# more.
    async fn end(&self, id: &ApplicationId) -> Result<(Option<Newest>, Vec<Item>), StoreError> {
        let page = self
            .table
            .query(self.scope.partition(id))
            .between(
                self.scope.history_entry(id, 0).sk,
                keys::application_to_stages(id).1,
            )
            .order(Order::Descending)
            .consistency(Consistency::Strong)
            .limit(FEW_STAGES + 1)
            .page(&self.meter)
            .await?;
        let mut stages = Vec::new();
        for item in page.items {
            let sort_key = item.get("SK").and_then(|key| key.as_s().ok());
            if sort_key.is_some_and(|key| keys::stage_id(key).is_some()) {
                stages.push(item);
            } else if let Some(newest) = Newest::read(id, item) {
                return Ok((Some(newest), stages));
            }
        }
        if page.last_evaluated_key.is_none() {
            return Ok((None, stages));
        }
        let (newest, stages) = join(self.newest_entry(id), self.stage_items(id)).await;
        Ok((newest?, stages?))
    }

    /// One history entry as it is stored. GetItem APP#id / HIST#sequence.
    pub(super) async fn entry_item(
        &self,
        id: &ApplicationId,
        sequence: u32,
    ) -> Result<Option<HistoryItem>, StoreError> {
        let key = self.scope.history_entry(id, sequence);
        let item = self.item(key, Projection::All).await?;
        Ok(item.map(|item| HistoryItem::of_item((id.clone(), sequence), item)))
    }

    /// One whole history entry; `None` also if it cannot be read. GetItem APP#id / HIST#sequence.
    pub(super) async fn entry(
        &self,
        id: &ApplicationId,
        sequence: u32,
    ) -> Result<Option<HistoryEntry>, StoreError> {
        let item = self.entry_item(id, sequence).await?;
        Ok(item.and_then(|item| item.entry()))
    }

    /// Why a state that no transaction's condition has checked is out of date, if it is. GetItem APP#id / APP#id.
    pub(super) async fn outdated(&self, current: &Current) -> Result<Option<Lost>, StoreError> {
        let known = &current.state.application;
        let stored = self.stored(&known.id, Projection::All).await?;
        let Some(stored) = stored else {
            return Ok(Some(Lost::Disagreement));
        };
        // Not every program changes `updatedAt`.
        let is_same = stored.history_sequence == current.stored_sequence
            && stored.updated_at == known.updated_at
            && stored.details == known.details
            && stored.is_archived == known.is_archived;
        Ok(if is_same {
            None
        } else {
            Some(overtaken(current, &stored))
        })
    }
}

/// Whether a snapshot says the same as the items.
fn is_of(snapshot: &State, items: &State) -> bool {
    let (before, now) = (&snapshot.application, &items.application);
    let mut fields = Details::FIELDS.iter();
    before.details == now.details
        && fields.all(|field| before.exact.odd.get(field.name) == now.exact.odd.get(field.name))
        && before.is_archived == now.is_archived
        && are_of(snapshot, items.stages())
}

/// Whether the stages of a snapshot say the same as the stored ones.
fn are_of(snapshot: &State, stored: &[Stage]) -> bool {
    let mut stages = snapshot.stages().iter().zip(stored);
    snapshot.stages().len() == stored.len() && stages.all(|(a, b)| says_the_same(a, b))
}

/// That a stage is still what was read.
pub(super) fn stage_conditions(stage: &Stage) -> Condition {
    let mut conditions =
        items::all_unchanged(stage, &stage.exact, &["scheduledAt", "durationMinutes"]);
    conditions.push(Condition::Exists);
    Condition::All(conditions)
}

/// That the stored application is still the one that was read.
pub(super) fn conditions(application: &Application, sequence: &Field<u32>) -> Vec<Condition> {
    let only_if_set = Details::FIELDS.iter();
    let only_if_set = only_if_set.filter(|field| field.if_empty == IfEmpty::Missing);
    let only_if_set: Vec<_> = only_if_set.map(|field| field.name).collect();
    let exact = &application.exact;
    [
        items::unchanged("updatedAt", &application.updated_at, exact),
        items::unchanged("isArchived", &application.is_archived, exact),
        items::unchanged("historySequence", sequence, exact),
    ]
    .into_iter()
    .flatten()
    // Not every program changes `updatedAt`.
    .chain(items::all_unchanged(
        &application.details,
        exact,
        &only_if_set,
    ))
    .collect()
}
