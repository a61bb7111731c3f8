//! An interview stage, as it is and as it was.

use async_graphql::{ComplexObject, ID, Object, SimpleObject};

use crate::api::{Date, Uuid};
use crate::applications::graphql::id;
use crate::applications::model::{self, ApplicationId};
use crate::applications::store::NodeKey;

/// One step between an application and its end.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct InterviewStage {
    #[graphql(skip)]
    key: (ApplicationId, model::StageId),
    /// The stage's own UUID, unique within its application, which the client that made it may have chosen.
    stage_id: Uuid,
    /// What it is called: 1 to 100 characters.
    name: String,
    /// Its place among the stages, the smallest first.
    order: u32,
    /// Whether it is done.
    is_completed: bool,
    /// When it was done.
    completed_date: Option<Date>,
    /// The person's notes: at most 2000 characters.
    notes: Option<String>,
    /// How it went: 1 to 5.
    performance_rating: Option<i32>,
}

impl InterviewStage {
    /// A stage of an application.
    pub fn new(application: ApplicationId, stage: model::Stage) -> Self {
        Self {
            key: (application, stage.id),
            stage_id: Uuid(stage.id.0.to_string()),
            name: stage.name.as_str().to_owned(),
            order: stage.order,
            is_completed: stage.is_completed,
            completed_date: stage.completed_date.map(|date| Date(date.to_string())),
            notes: stage.notes.map(|note| note.as_str().to_owned()),
            performance_rating: stage.performance_rating.map(model::Rating::get),
        }
    }
}

#[ComplexObject]
impl InterviewStage {
    /// The stage's id.
    pub async fn id(&self) -> ID {
        let (application, stage) = self.key;
        id::encode(NodeKey::Stage(application, stage))
    }
}

/// An interview stage as it was after a change. It has no `id`, so that no cache takes it for the stage
/// of now.
pub struct InterviewStageSnapshot(InterviewStage);

impl InterviewStageSnapshot {
    /// What the stage was.
    pub fn new(stage: InterviewStage) -> Self {
        Self(stage)
    }
}

/// An interview stage as it was after a change. It has no `id`, so that no cache takes it for the stage
/// of now.
#[Object]
impl InterviewStageSnapshot {
    /// The stage's own UUID, unique within its application.
    async fn stage_id(&self) -> &Uuid {
        &self.0.stage_id
    }

    /// What it was called.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// Its place among the stages, the smallest first.
    async fn order(&self) -> u32 {
        self.0.order
    }

    /// Whether it was done.
    async fn is_completed(&self) -> bool {
        self.0.is_completed
    }

    /// When it was done.
    async fn completed_date(&self) -> Option<&Date> {
        self.0.completed_date.as_ref()
    }

    /// The person's notes.
    async fn notes(&self) -> Option<&str> {
        self.0.notes.as_deref()
    }

    /// How it went: 1 to 5.
    async fn performance_rating(&self) -> Option<i32> {
        self.0.performance_rating
    }
}
