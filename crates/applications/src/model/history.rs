//! History: an application as it was after each change.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use trestle_table::MAX_DEPTH;

use super::{Application, ApplicationId, ExactSnapshot, Field, Stage, StageId, State, Timestamp};

/// The description of the entry of an application that an import creates.
pub const IMPORTED: &str = "Application imported";
/// What begins the description of an entry that an import writes of an application that was there.
pub const IMPORTED_AGAIN: &str = "Imported again";

/// One entry. It is created with a change and never changed.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryEntry {
    /// Its id.
    pub id: Uuid,
    /// The change, for people to read.
    pub description: String,
    /// The application after the change, with its stages. Its version is the entry's sequence.
    pub snapshot: State,
    /// Who made the change; `None` if that is not known.
    pub actor: Option<String>,
}

impl HistoryEntry {
    /// The entry's place in the history: 1, 2, 3 without gaps.
    pub fn sequence(&self) -> u32 {
        self.snapshot.application.version()
    }

    /// The first entry of an application that an import creates.
    pub fn imported(mut self) -> Self {
        self.description = IMPORTED.to_owned();
        self
    }
}

/// A snapshot as it is stored.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Snapshot<'s> {
    #[serde(flatten)]
    application: &'s Application,
    interview_stages: &'s [Stage],
}

impl State {
    /// The state as it is stored in a history entry. Another program may have nested a value so deeply that it can be stored in
    /// its item alone: that is left out, and a restore keeps what the item has.
    ///
    /// # Errors
    /// It cannot be written as JSON, which is a bug.
    pub fn to_snapshot(&self) -> Result<Value, serde_json::Error> {
        let mut stages = self.stages().to_vec();
        for stage in &mut stages {
            // In a snapshot, a stage has no key: its `id` must say which it is.
            stage.id.set(&stage.key.to_string());
        }
        let mut snapshot = serde_json::to_value(Snapshot {
            application: &self.application,
            interview_stages: &stages,
        })?;
        let stages = snapshot.get_mut("interviewStages");
        for stage in stages.and_then(Value::as_array_mut).into_iter().flatten() {
            // Around it are the snapshot, the list and the stage.
            leave_out_below(stage, MAX_DEPTH - 3);
        }
        leave_out_below(&mut snapshot, MAX_DEPTH - 1);
        Ok(snapshot)
    }

    /// The state in a stored snapshot of the entry with this sequence. Other programs leave out the version,
    /// the stages, and the application's id in stages.
    pub fn of_snapshot(
        id: &ApplicationId,
        sequence: u32,
        stored: &Value,
        exact: &ExactSnapshot,
    ) -> Option<Self> {
        let mut application = Application::of_json(id, stored.clone())?;
        application.exact = exact.application.clone();
        if application.history_sequence.is_empty() {
            application.history_sequence = Field::of(&sequence);
        }
        let stages = stored.get("interviewStages").and_then(Value::as_array);
        let stages = stages.into_iter().flatten().enumerate();
        let stages = stages.map(|(at, stored)| {
            let stage = Stage::of_json(id, None, stored.clone())?;
            let exact = exact.stage(at);
            Some(Stage { exact, ..stage })
        });
        Some(Self::new(application, stages.collect::<Option<_>>()?))
    }

    /// Whether each stage can be told from the others: in a snapshot, their ids may be missing or equal.
    pub fn has_distinct_stages(&self) -> bool {
        let mut seen = HashSet::new();
        let mut stages = self.stages().iter();
        stages.all(|stage| stage.is_named() && seen.insert(&stage.key))
    }
}

/// Leaves out what has more levels.
fn leave_out_below(map: &mut Value, most: usize) {
    if let Value::Object(map) = map {
        map.retain(|_, value| depth(value) <= most);
    }
}

/// How many levels a value has, as [`MAX_DEPTH`] counts them.
pub fn depth(value: &Value) -> usize {
    let deepest = match value {
        Value::Array(values) => values.iter().map(depth).max(),
        Value::Object(values) => values.values().map(depth).max(),
        _ => None,
    };
    1 + deepest.unwrap_or(0)
}

impl Stage {
    /// Whether its id is known: in a snapshot of another program it may be missing.
    pub fn is_named(&self) -> bool {
        self.key != StageId::unset()
    }

    /// The stage in a stored item, or in a snapshot without a key; `None` if it is not a map.
    pub fn of_json(
        application: &ApplicationId,
        key: Option<StageId>,
        stored: Value,
    ) -> Option<Self> {
        // A list would be read by position.
        let mut stage: Self =
            serde_json::from_value(Some(stored).filter(Value::is_object)?).ok()?;
        if stage.application_id.is_empty() {
            stage.application_id = Field::of(&application.to_string());
        }
        let key = key.or_else(|| StageId::stored(&stage.id.get()?));
        Some(Self {
            application: application.clone(),
            key: key.unwrap_or_else(StageId::unset),
            ..stage
        })
    }
}

impl Application {
    /// The application in a stored item or a snapshot; `None` if it is not a map.
    pub fn of_json(id: &ApplicationId, stored: Value) -> Option<Self> {
        let application: Self = serde_json::from_value(stored).ok()?;
        Some(Self {
            id: id.clone(),
            ..application
        })
    }

    /// When it last changed, if that can be read.
    pub fn moment(&self) -> Option<Timestamp> {
        self.updated_at.get()
    }
}
