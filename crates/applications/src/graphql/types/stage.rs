//! The fields of an interview stage, and a stage as it was.

use async_graphql::{Object, SimpleObject};

use crate::model;
use trestle_api::{ApiError, Date, OffsetDateTime, Uuid};

use super::fields::{Attributes, Nullable};

/// The fields that an interview stage and a snapshot of one have in common.
pub struct StageFields {
    stage: model::Stage,
    name: String,
    order: i32,
    is_completed: bool,
}

impl StageFields {
    /// The fields of a stage.
    ///
    /// # Errors
    /// UNREADABLE if an attribute that it always has cannot be read.
    pub fn new(stage: model::Stage) -> Result<Self, ApiError> {
        let item = Self::item(&stage);
        if !stage.is_named() {
            return Err(item.unreadable("id"));
        }
        Ok(Self {
            name: item.required("name", &stage.name)?,
            order: item.required("order", &stage.order)?,
            is_completed: item.required("isCompleted", &stage.is_completed)?,
            stage,
        })
    }

    /// The stage itself.
    pub fn stage(&self) -> &model::Stage {
        &self.stage
    }

    fn item(stage: &model::Stage) -> Attributes<'_> {
        Attributes {
            application: &stage.application,
            entity: "interview stage",
        }
    }
}

/// The fields that an interview stage and a snapshot of one have in common.
#[Object]
impl StageFields {
    /// The stage's UUID, unique within its application. It may have been made by the client. Stages that were
    /// not created through this API may have an id of another form.
    async fn stage_id(&self) -> Uuid {
        Uuid(self.stage.key.to_string())
    }

    /// The name: 1 to 100 characters.
    async fn name(&self) -> &str {
        &self.name
    }

    /// The position among the stages of the application, lowest first.
    async fn order(&self) -> i32 {
        self.order
    }

    /// Whether the stage is completed.
    async fn is_completed(&self) -> bool {
        self.is_completed
    }

    /// When the stage was completed.
    async fn completed_date(&self) -> Nullable<Date> {
        let item = Self::item(&self.stage);
        let date = item.nullable("completedDate", &self.stage.completed_date)?;
        Some(date.map(|date| Date(date.to_string())))
    }

    /// When the stage takes place.
    async fn scheduled_at(&self) -> Nullable<OffsetDateTime> {
        let item = Self::item(&self.stage);
        let moment = item.nullable("scheduledAt", &self.stage.scheduled_at)?;
        Some(moment.map(|moment| OffsetDateTime(moment.to_string())))
    }

    /// How many minutes the stage takes. If it is null, calendars show an hour.
    async fn duration_minutes(&self) -> Nullable<i32> {
        let minutes = &self.stage.duration_minutes;
        Self::item(&self.stage).nullable("durationMinutes", minutes)
    }

    /// The person's notes: at most 2000 characters.
    async fn notes(&self) -> Nullable<String> {
        Self::item(&self.stage).nullable("notes", &self.stage.notes)
    }

    /// How it went: 1 to 5.
    async fn performance_rating(&self) -> Nullable<i32> {
        let rating = &self.stage.performance_rating;
        Self::item(&self.stage).nullable("performanceRating", rating)
    }
}

/// An interview stage as it was after a change. It has no `id`, so that caches do not take it for the current
/// stage.
#[derive(SimpleObject)]
pub struct InterviewStageSnapshot {
    #[graphql(flatten)]
    fields: StageFields,
}

impl InterviewStageSnapshot {
    /// A stage in a snapshot.
    ///
    /// # Errors
    /// UNREADABLE if an attribute that it always has cannot be read.
    pub fn new(stage: model::Stage) -> Result<Self, ApiError> {
        let fields = StageFields::new(stage)?;
        Ok(Self { fields })
    }
}
