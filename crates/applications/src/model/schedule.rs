//! When the stages of an application take place.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Moment, Stage, StageId, Stored};

/// When scheduled stages take place, by their ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schedule(BTreeMap<StageId, Moment>);

impl Schedule {
    /// Of an application's stages.
    pub fn of(stages: &[Stage]) -> Self {
        let scheduled = stages
            .iter()
            .filter_map(|stage| Some((stage.key.clone(), stage.scheduled_at.get()?)));
        Self(scheduled.collect())
    }

    /// Whether no stage is scheduled.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The stages and when they take place.
    pub fn stages(&self) -> impl Iterator<Item = (&StageId, Moment)> {
        self.0.iter().map(|(stage, moment)| (stage, *moment))
    }
}

impl Stored for Schedule {
    fn read(stored: &Value) -> Option<Self> {
        let stages = stored.as_object()?.iter();
        let read = stages
            .filter_map(|(stage, moment)| Some((StageId::stored(stage)?, Moment::read(moment)?)));
        Some(Self(read.collect()))
    }

    fn store(&self) -> Value {
        let stages = self.0.iter();
        let stages = stages.map(|(stage, moment)| (stage.to_string(), moment.store()));
        Value::Object(stages.collect::<Map<_, _>>())
    }
}
