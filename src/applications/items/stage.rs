//! The interview stage's item.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::applications::keys;
use crate::applications::model::{ApplicationId, Rating, Stage, StageId};
use crate::table::{Entity, Key, MalformedItem};

use super::{Attributes, text};

/// An interview stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StageItem {
    id: Uuid,
    application_id: Uuid,
    name: String,
    order: u32,
    is_completed: bool,
    completed_date: Option<NaiveDate>,
    notes: Option<String>,
    performance_rating: Option<i64>,
}

impl StageItem {
    /// A stage of an application.
    pub fn new(application: ApplicationId, stage: &Stage) -> Self {
        Self {
            id: stage.id.0,
            application_id: application.0,
            name: stage.name.as_str().to_owned(),
            order: stage.order,
            is_completed: stage.is_completed,
            completed_date: stage.completed_date,
            notes: stage.notes.as_ref().map(|note| note.as_str().to_owned()),
            performance_rating: stage.performance_rating.map(|r| r.get().into()),
        }
    }
}

impl Entity for StageItem {
    const NAME: &'static str = "interview stage";
    type Id = (ApplicationId, StageId);

    fn key_of(id: &Self::Id) -> Key {
        keys::stage(id.0, id.1)
    }

    fn key(&self) -> Key {
        Self::key_of(&(ApplicationId(self.application_id), StageId(self.id)))
    }
}

impl TryFrom<StageItem> for Stage {
    type Error = MalformedItem;

    fn try_from(item: StageItem) -> Result<Self, MalformedItem> {
        let a = Attributes(StageItem::NAME);
        Ok(Stage {
            id: StageId(item.id),
            name: a.read("name", text(item.name))?,
            order: item.order,
            is_completed: item.is_completed,
            completed_date: item.completed_date,
            notes: a.read_opt("notes", item.notes, text)?,
            performance_rating: a.read_opt(
                "performanceRating",
                item.performance_rating,
                Rating::parse,
            )?,
        })
    }
}
