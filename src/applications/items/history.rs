//! The history entry's item: whole, and as projections leave it.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::applications::keys;
use crate::applications::model::{
    Application, ApplicationId, HistoryEntry, Stage, State, Timestamp,
};
use crate::table::{Entity, Key, MalformedItem};

use super::{ApplicationItem, Attributes, StageItem};

/// The whole application at one moment, as an attribute of a history entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotItem {
    #[serde(flatten)]
    application: ApplicationItem,
    interview_stages: Vec<StageItem>,
}

/// A history entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryItem {
    id: Uuid,
    application_id: Uuid,
    sequence: u32,
    description: String,
    snapshot: SnapshotItem,
    created_at: String,
}

/// What a projection left of a history entry.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryLineItem {
    id: Uuid,
    sequence: u32,
    description: String,
    created_at: String,
    snapshot: Option<SnapshotItem>,
}

/// A history entry, with its snapshot where that was asked for.
#[derive(Clone, Debug)]
pub struct HistoryLine {
    /// The entry's id.
    pub id: Uuid,
    /// Its place in the history.
    pub sequence: u32,
    /// What changed, for a person to read.
    pub description: String,
    /// When.
    pub created_at: Timestamp,
    /// The application after the change.
    pub snapshot: Option<State>,
}

/// What a projection left of a snapshot: the stages, and which version they belong to.
#[derive(Clone, Debug, Deserialize)]
pub struct SnapshotStagesItem {
    snapshot: SnapshotStages,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SnapshotStages {
    id: Uuid,
    history_sequence: Option<u32>,
    updated_at: String,
    interview_stages: Vec<StageItem>,
}

impl HistoryItem {
    /// The entry's id.
    pub fn id(&self) -> Uuid {
        self.id
    }
}

impl Entity for HistoryItem {
    const NAME: &'static str = "history entry";
    type Id = (ApplicationId, u32);

    fn key_of(id: &Self::Id) -> Key {
        keys::history_entry(id.0, id.1)
    }

    fn key(&self) -> Key {
        Self::key_of(&(ApplicationId(self.application_id), self.sequence))
    }
}

fn stages(items: Vec<StageItem>) -> Result<Vec<Stage>, MalformedItem> {
    items.into_iter().map(Stage::try_from).collect()
}

impl TryFrom<SnapshotItem> for State {
    type Error = MalformedItem;

    fn try_from(item: SnapshotItem) -> Result<Self, MalformedItem> {
        Ok(State::new(
            item.application.try_into()?,
            stages(item.interview_stages)?,
        ))
    }
}

impl From<&State> for SnapshotItem {
    fn from(state: &State) -> Self {
        let stage = |stage| StageItem::new(state.application.id, stage);
        Self {
            application: (&state.application).into(),
            interview_stages: state.stages().iter().map(stage).collect(),
        }
    }
}

impl From<&HistoryEntry> for HistoryItem {
    fn from(entry: &HistoryEntry) -> Self {
        Self {
            id: entry.id,
            application_id: entry.snapshot.application.id.0,
            sequence: entry.sequence(),
            description: entry.description.clone(),
            snapshot: (&entry.snapshot).into(),
            created_at: entry.moment().to_string(),
        }
    }
}

/// A snapshot that says it belongs to `sequence`; one that leaves its version out is taken to.
fn at_sequence(mut snapshot: State, sequence: u32) -> State {
    if snapshot.application.version == 0 {
        snapshot.application.version = sequence;
    }
    snapshot
}

impl TryFrom<HistoryItem> for HistoryEntry {
    type Error = MalformedItem;

    fn try_from(item: HistoryItem) -> Result<Self, MalformedItem> {
        Ok(HistoryEntry {
            id: item.id,
            description: item.description,
            snapshot: at_sequence(item.snapshot.try_into()?, item.sequence),
        })
    }
}

impl TryFrom<HistoryLineItem> for HistoryLine {
    type Error = MalformedItem;

    fn try_from(item: HistoryLineItem) -> Result<Self, MalformedItem> {
        let a = Attributes(HistoryItem::NAME);
        let snapshot = item.snapshot.map(State::try_from).transpose()?;
        Ok(HistoryLine {
            id: item.id,
            sequence: item.sequence,
            description: item.description,
            created_at: a.read("createdAt", Timestamp::parse(&item.created_at))?,
            snapshot: snapshot.map(|state| at_sequence(state, item.sequence)),
        })
    }
}

impl SnapshotStagesItem {
    /// The stages, if they are those of exactly this version of the application.
    pub fn of(self, application: &Application) -> Option<Vec<Stage>> {
        let snapshot = self.snapshot;
        let agrees = snapshot.id == application.id.0
            && snapshot
                .history_sequence
                .is_none_or(|sequence| sequence == application.version)
            && snapshot.updated_at == application.updated_at.to_string();
        let stages = agrees
            .then(|| stages(snapshot.interview_stages).ok())
            .flatten()?;
        Some(State::new(application.clone(), stages).stages().to_vec())
    }
}
