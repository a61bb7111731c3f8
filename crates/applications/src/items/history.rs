//! The history entry's item: whole, and as projections leave it.

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::model::{
    Application, ApplicationId, Exact, ExactSnapshot, Field, HistoryEntry, PastStatuses, Stage,
    State, Stored as _, Timestamp, depth,
};
use trestle_table::{Item, MAX_DEPTH, MalformedItem, check_storable};

use super::{attribute, exact_of_application, exact_of_stage, fits_into_json, json, json_of};

/// The attribute of a first history entry that marks unfinished work of this program on the partition: the delete of the
/// application, written in the transaction that removes it, or a restore, removed when the application is whole. Its
/// value names who is at work. Its name is of the time when only restores had it.
pub const UNFINISHED: &str = "restoring";

const SNAPSHOT: &str = "snapshot";
const STAGES: &str = "interviewStages";

/// The most bytes of a partition key. Source: "Constraints in Amazon DynamoDB", the DynamoDB Developer Guide.
pub const MAX_KEY: usize = 2048;
/// The most bytes of a sort key. Source: as above.
pub const MAX_SORT_KEY: usize = 1024;

/// A history entry as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryItem {
    /// Its key.
    #[serde(skip, default = "unset")]
    key: (ApplicationId, u32),
    #[serde(flatten)]
    attributes: Attributes,
    /// Its snapshot, if JSON cannot represent it exactly.
    #[serde(skip)]
    exact: Exact,
}

/// The attributes of a history entry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Attributes {
    id: Field<String>,
    application_id: Field<String>,
    sequence: Field<u32>,
    description: Field<String>,
    snapshot: Value,
    created_at: Field<Timestamp>,
    /// Who made the change. Stored only if it is known.
    #[serde(skip_serializing_if = "Field::is_empty")]
    actor: Field<String>,
}

/// The key of an entry that was read without one.
fn unset() -> (ApplicationId, u32) {
    (ApplicationId::unset(), 0)
}

/// A history entry that can be answered, with its snapshot if that was read.
#[derive(Clone, Debug)]
pub struct HistoryLine {
    /// The entry's id, as it is stored.
    pub id: String,
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
        let snapshot = item
            .get(SNAPSHOT)
            .filter(|stored| !fits_into_json(stored) || has_others(stored));
        let exact = snapshot.cloned().map(of_snapshot).unwrap_or_default();
        // Each attribute is read on demand, so that no item fails here.
        let attributes = serde_json::from_value(json(item)).unwrap_or_default();
        Self {
            key,
            attributes,
            exact,
        }
    }

    /// The same as in an export: its ids by its key, and its snapshot as JSON, whose attributes are in alphabetical order.
    pub fn exported(mut self) -> Self {
        self.exact = Exact::default();
        let (application, sequence) = &self.key;
        self.attributes.application_id.set(&application.to_string());
        self.attributes.sequence.set(sequence);
        self.attributes.snapshot.sort_all_objects();
        self
    }

    /// Adds the statuses that the application had before to its snapshot.
    pub fn set_past(&mut self, past: &PastStatuses) {
        if let Value::Object(snapshot) = &mut self.attributes.snapshot {
            snapshot.insert("pastStatuses".to_owned(), past.store());
        }
    }

    /// The same, whose key follows from its attributes, as in an export.
    pub fn keyed(self) -> Option<Self> {
        let key = (
            ApplicationId::stored(&self.attributes.application_id.get()?)?,
            self.attributes.sequence.get()?,
        );
        Some(Self { key, ..self })
    }

    /// The entry's id, if it is one that this program may have given.
    pub fn id(&self) -> Option<Uuid> {
        Uuid::try_parse(&self.attributes.id.get()?).ok()
    }

    /// What its key is made from.
    pub fn identity(&self) -> (&ApplicationId, u32) {
        (&self.key.0, self.key.1)
    }

    /// Its place in the history, by its key.
    pub fn sequence(&self) -> u32 {
        self.key.1
    }

    /// What changed, for people to read.
    pub fn description(&self) -> String {
        self.attributes.description.text()
    }

    /// The application after the change, as it is stored.
    pub fn snapshot(&self) -> &Value {
        &self.attributes.snapshot
    }

    /// What its item has beside JSON.
    pub(super) fn exact(&self) -> &Exact {
        &self.exact
    }

    /// What its snapshot has beside JSON.
    pub fn exact_snapshot(&self) -> ExactSnapshot {
        let Some(AttributeValue::M(snapshot)) = self.exact.odd.get(SNAPSHOT) else {
            return ExactSnapshot::default();
        };
        let stages = snapshot.get(STAGES).map(AttributeValue::as_l);
        let stages = stages.into_iter().flatten().flatten();
        let stages = stages.map(|stage| stage.as_m().map(exact_of_stage).unwrap_or_default());
        ExactSnapshot {
            application: exact_of_application(snapshot),
            stages: stages.collect(),
        }
    }

    /// The attributes whose stored values cannot be read, with their paths.
    pub fn unreadable(&self) -> Vec<String> {
        let attributes = &self.attributes;
        let mut unreadable = Vec::new();
        for (name, is_readable) in [
            ("id", attributes.id.get().is_some()),
            ("description", attributes.description.get().is_some()),
            ("createdAt", attributes.created_at.get().is_some()),
            ("actor", attributes.actor.read().is_ok()),
        ] {
            if !is_readable {
                unreadable.push(name.to_owned());
            }
        }
        let Some(state) = self.state() else {
            // A map is read, but not a stage in it that is none.
            let is_map = attributes.snapshot.is_object();
            let what = if is_map {
                "snapshot.interviewStages"
            } else {
                "snapshot"
            };
            unreadable.push(what.to_owned());
            return unreadable;
        };
        let of_application = state.application.all_unreadable().into_iter();
        unreadable.extend(of_application.map(|name| format!("snapshot.{name}")));
        for (at, stage) in state.stages().iter().enumerate() {
            let of_stage = stage.unreadable().into_iter();
            unreadable
                .extend(of_stage.map(|name| format!("snapshot.interviewStages[{at}].{name}")));
        }
        unreadable
    }

    /// The application after the change; `None` if that cannot be read.
    pub fn state(&self) -> Option<State> {
        let exact = self.exact_snapshot();
        State::of_snapshot(&self.key.0, self.key.1, &self.attributes.snapshot, &exact)
    }

    /// The whole entry; `None` if it does not hold what a change must know: an id, the stages, and what tells
    /// one version from another.
    pub fn entry(&self) -> Option<HistoryEntry> {
        let mut snapshot = self.state()?;
        let application = &snapshot.application;
        let is_whole = self
            .attributes
            .snapshot
            .get("interviewStages")
            .is_some_and(Value::is_array)
            && application.updated_at.stored().is_string()
            && application.details.status.stored().is_string()
            && application.is_archived.stored().is_boolean()
            && snapshot.has_distinct_stages();
        if !is_whole {
            return None;
        }
        snapshot.application.history_sequence = Field::of(&self.key.1);
        Some(HistoryEntry {
            id: self.id()?,
            description: self.attributes.description.text(),
            snapshot,
            actor: self.attributes.actor.get(),
        })
    }

    /// The entry for an answer.
    ///
    /// # Errors
    /// The name of the attribute that cannot be read.
    pub fn line(&self) -> Result<HistoryLine, &'static str> {
        Ok(HistoryLine {
            id: self.attributes.id.get().ok_or("id")?,
            sequence: self.sequence(),
            description: self.attributes.description.get().ok_or("description")?,
            created_at: self.attributes.created_at.get().ok_or("createdAt")?,
            actor: self.attributes.actor.get(),
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
        let item = Self {
            key: (application.id.clone(), entry.sequence()),
            attributes: Attributes {
                id: Field::of(&entry.id.to_string()),
                application_id: Field::of(&application.id.to_string()),
                sequence: Field::of(&entry.sequence()),
                description: Field::of(&entry.description),
                snapshot,
                created_at: application.updated_at.clone(),
                actor: entry.actor.as_ref().map(Field::of).unwrap_or_default(),
            },
            exact: Exact::default(),
        };
        Ok(item.with_exact(&entry.snapshot))
    }
}

impl HistoryItem {
    /// The same, whose snapshot has what JSON cannot represent, and the attributes that other programs added to stages, unless the item
    /// would be larger than DynamoDB stores.
    fn with_exact(self, state: &State) -> Self {
        let (application, stages) = (&state.application.exact, state.stages());
        if application.is_empty() && stages.iter().all(|stage| stage.exact.is_empty()) {
            return self;
        }
        let Some(AttributeValue::M(mut snapshot)) = attribute(&self.attributes.snapshot) else {
            return self;
        };
        application.write_to(&mut snapshot);
        if let Some(AttributeValue::L(stored)) = snapshot.get_mut(STAGES) {
            for (stored, stage) in stored.iter_mut().zip(stages) {
                if let AttributeValue::M(stored) = stored {
                    storable_in_a_snapshot(&stage.exact).write_to(stored);
                }
            }
        }
        let snapshot = AttributeValue::M(snapshot);
        let mut exact = self.clone();
        exact.attributes.snapshot = json_of(snapshot.clone());
        exact.exact = of_snapshot(snapshot);
        if exact.is_storable() { exact } else { self }
    }

    /// Whether it fits into an item.
    fn is_storable(&self) -> bool {
        let Ok(mut item) = serde_dynamo::to_item::<_, Item>(self) else {
            return false;
        };
        self.exact.write_to(&mut item);
        let longest_keys = "x".repeat(MAX_KEY + MAX_SORT_KEY);
        item.insert("key".to_owned(), AttributeValue::S(longest_keys));
        check_storable(&item).is_ok()
    }
}

/// What an entry has beside JSON, with this snapshot.
fn of_snapshot(stored: AttributeValue) -> Exact {
    Exact {
        odd: [(SNAPSHOT.to_owned(), stored)].into(),
        ..Exact::default()
    }
}

/// Whether a stage of a snapshot has attributes of other programs.
fn has_others(snapshot: &AttributeValue) -> bool {
    let stages = snapshot.as_m().ok().and_then(|map| map.get(STAGES));
    let stages = stages.map(AttributeValue::as_l).into_iter();
    let mut stages = stages.flatten().flatten().map(AttributeValue::as_m);
    stages.any(|stage| stage.is_ok_and(|stage| !exact_of_stage(stage).others.is_empty()))
}

/// Without attributes of other programs that are nested too deeply: around them are the snapshot, the list and the stage.
fn storable_in_a_snapshot(exact: &Exact) -> Exact {
    let mut exact = exact.clone();
    let others = &mut exact.others;
    others.retain(|_, value| depth(&json_of(value.clone())) <= MAX_DEPTH - 3);
    exact
}

/// A projection of a snapshot: its stages, and the version that they belong to.
pub struct SnapshotStages(pub Item);

impl SnapshotStages {
    /// The stages, if they are those of exactly this version of the application.
    pub fn of(self, application: &Application) -> Option<Vec<Stage>> {
        let entry = json(self.0);
        let stored = entry.get("snapshot")?;
        let snapshot = State::of_snapshot(
            &application.id,
            application.version(),
            stored,
            &ExactSnapshot::default(),
        )?;
        let agrees = snapshot.application.stored_id.get().as_deref()
            == Some(application.id.as_str())
            && snapshot.application.version() == application.version()
            && snapshot.application.updated_at == application.updated_at
            && stored.get("interviewStages").is_some_and(Value::is_array)
            && snapshot.has_distinct_stages();
        agrees.then(|| snapshot.stages().to_vec())
    }
}
