//! The history entry's item: whole, and as projections leave it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::services::applications::model::{
    Application, ApplicationId, Field, HistoryEntry, PastStatuses, Stage, State, Stored as _,
    Timestamp,
};
use crate::table::{Item, MalformedItem};

use super::json;

/// The attribute of a first history entry that names the import which is restoring the application. Removed
/// when the application is whole.
pub const RESTORING: &str = "restoring";

/// A history entry as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HistoryItem {
    /// Its key.
    #[serde(skip)]
    key: (ApplicationId, u32),
    id: Field<Uuid>,
    application_id: Field<Uuid>,
    sequence: Field<u32>,
    description: Field<String>,
    snapshot: Value,
    created_at: Field<Timestamp>,
    /// Who made the change. Stored only if it is known.
    #[serde(skip_serializing_if = "Field::is_empty")]
    actor: Field<String>,
}

/// A history entry that can be answered, with its snapshot if that was read.
#[derive(Clone, Debug)]
pub struct HistoryLine {
    /// The entry's id.
    pub id: Uuid,
    /// Its place in the history.
    pub sequence: u32,
    /// The change, for people to read.
    pub description: String,
    /// When the change was made.
    pub created_at: Timestamp,
    /// Who made the change, if it is known.
    pub actor: Option<String>,
    /// The application after the change; `None` if it was not read or cannot be read.
    pub snapshot: Option<State>,
}

impl HistoryItem {
    /// The entry in an item, or in a projection of one.
    pub fn of_item(key: (ApplicationId, u32), item: Item) -> Self {
        let entry: Self = serde_json::from_value(json(item)).unwrap_or_default();
        Self { key, ..entry }
    }

    /// The same as in an export: its ids by its key, and the attributes of its snapshot in alphabetical order.
    pub fn exported(mut self) -> Self {
        let (application, sequence) = self.key;
        self.application_id.set(&application.0);
        self.sequence.set(&sequence);
        self.snapshot.sort_all_objects();
        self
    }

    /// Adds the statuses that the application had before to its snapshot.
    pub fn set_past(&mut self, past: &PastStatuses) {
        if let Value::Object(snapshot) = &mut self.snapshot {
            snapshot.insert("pastStatuses".to_owned(), past.store());
        }
    }

    /// The same, whose key follows from its attributes, as in an export.
    pub fn keyed(self) -> Option<Self> {
        let key = (
            ApplicationId(self.application_id.get()?),
            self.sequence.get()?,
        );
        Some(Self { key, ..self })
    }

    /// The entry's id.
    pub fn id(&self) -> Option<Uuid> {
        self.id.get()
    }

    /// What its key is made from.
    pub fn identity(&self) -> (ApplicationId, u32) {
        self.key
    }

    /// Its place in the history, by its key.
    pub fn sequence(&self) -> u32 {
        self.key.1
    }

    /// The application after the change; `None` if that cannot be read.
    pub fn state(&self) -> Option<State> {
        State::of_snapshot(self.key.0, self.key.1, &self.snapshot)
    }

    /// The whole entry; `None` if it does not hold what a change must know: an id, the stages, and what tells
    /// one version from another.
    pub fn entry(&self) -> Option<HistoryEntry> {
        let mut snapshot = self.state()?;
        let application = &snapshot.application;
        let is_whole = self
            .snapshot
            .get("interviewStages")
            .is_some_and(Value::is_array)
            && application.updated_at.stored().is_string()
            && application.details.status.stored().is_string()
            && application.is_archived.stored().is_boolean();
        if !is_whole {
            return None;
        }
        snapshot.application.history_sequence = Field::of(&self.key.1);
        Some(HistoryEntry {
            id: self.id()?,
            description: self.description.text(),
            snapshot,
            actor: self.actor.get(),
        })
    }

    /// The entry for an answer.
    ///
    /// # Errors
    /// The name of the attribute that cannot be read.
    pub fn line(&self) -> Result<HistoryLine, &'static str> {
        Ok(HistoryLine {
            id: self.id().ok_or("id")?,
            sequence: self.sequence(),
            description: self.description.get().ok_or("description")?,
            created_at: self.created_at.get().ok_or("createdAt")?,
            actor: self.actor.get(),
            snapshot: self.state(),
        })
    }
}

impl TryFrom<&HistoryEntry> for HistoryItem {
    type Error = MalformedItem;

    fn try_from(entry: &HistoryEntry) -> Result<Self, MalformedItem> {
        let application = &entry.snapshot.application;
        let snapshot = entry
            .snapshot
            .to_snapshot()
            .map_err(|error| MalformedItem {
                entity: "history entry",
                reason: error.to_string(),
            })?;
        Ok(Self {
            key: (application.id, entry.sequence()),
            id: Field::of(&entry.id),
            application_id: Field::of(&application.id.0),
            sequence: Field::of(&entry.sequence()),
            description: Field::of(&entry.description),
            snapshot,
            created_at: application.updated_at.clone(),
            actor: entry.actor.as_ref().map(Field::of).unwrap_or_default(),
        })
    }
}

/// A projection of a snapshot: its stages, and the version that they belong to.
pub struct SnapshotStages(pub Item);

impl SnapshotStages {
    /// The stages, if they are those of exactly this version of the application.
    pub fn of(self, application: &Application) -> Option<Vec<Stage>> {
        let entry = json(self.0);
        let stored = entry.get("snapshot")?;
        let snapshot = State::of_snapshot(application.id, application.version(), stored)?;
        let agrees = snapshot.application.stored_id.get() == Some(application.id.0)
            && snapshot.application.version() == application.version()
            && snapshot.application.updated_at == application.updated_at
            && stored.get("interviewStages").is_some_and(Value::is_array);
        agrees.then(|| snapshot.stages().to_vec())
    }
}
