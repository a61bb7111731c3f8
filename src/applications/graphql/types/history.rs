//! A history entry: what changed, and the application as it was then.

use async_graphql::{ID, Object, SimpleObject};

use crate::api::{ApiError, DateTime, Uuid};
use crate::applications::error::StoreError;
use crate::applications::graphql::id;
use crate::applications::items::HistoryLine;
use crate::applications::model::{self, ApplicationId, State};
use crate::applications::store::{Line, NodeKey};
use crate::table::MalformedItem;

use super::super::enums::enum_name;
use super::fields::ApplicationFields;
use super::stage::{InterviewStage, InterviewStageSnapshot};

/// One change in an application's history.
pub struct HistoryEntry {
    application: ApplicationId,
    entry: HistoryLine,
    before: Result<Option<State>, MalformedItem>,
}

impl HistoryEntry {
    /// An entry of an application's history.
    ///
    /// # Errors
    /// A fault where its item is malformed.
    pub fn new(application: ApplicationId, line: Line) -> Result<Self, ApiError> {
        let entry = line.entry.map_err(StoreError::from)?;
        Ok(Self {
            application,
            entry,
            before: line.before,
        })
    }

    fn differences(&self) -> Result<Vec<FieldChange>, ApiError> {
        let before = self
            .before
            .as_ref()
            .map_err(|e| StoreError::from(e.clone()))?;
        let changes = model::changes(before.as_ref(), self.known_snapshot()?);
        Ok(changes
            .into_iter()
            .map(|change| FieldChange::new(self.application, change))
            .collect())
    }

    fn known_snapshot(&self) -> Result<&State, ApiError> {
        self.entry
            .snapshot
            .as_ref()
            .ok_or_else(|| ApiError::internal(StoreError::LostKey))
    }
}

/// One change in an application's history.
#[Object]
impl HistoryEntry {
    /// The entry's id.
    pub async fn id(&self) -> ID {
        id::encode(NodeKey::Entry(self.application, self.entry.sequence))
    }

    /// The entry's own UUID.
    async fn entry_id(&self) -> Uuid {
        Uuid(self.entry.id.to_string())
    }

    /// Its place in the history: 1, 2, 3 without gaps. The application's version after the change.
    async fn sequence(&self) -> u32 {
        self.entry.sequence
    }

    /// What changed, for a person to read.
    async fn description(&self) -> &str {
        &self.entry.description
    }

    /// When.
    async fn created_at(&self) -> DateTime {
        DateTime(self.entry.created_at.to_string())
    }

    /// The fields that differ from the entry before; from nothing, for the first. Empty, with an error,
    /// where what is stored of the entry before cannot be read.
    async fn changes(&self) -> Option<Result<Vec<FieldChange>, ApiError>> {
        Some(self.differences())
    }

    /// The whole application after the change.
    async fn snapshot(&self) -> Result<ApplicationSnapshot, ApiError> {
        let state = self.known_snapshot()?;
        let id = state.application.id;
        Ok(ApplicationSnapshot {
            fields: (&state.application).into(),
            interview_stages: state
                .stages()
                .iter()
                .map(|stage| InterviewStageSnapshot::new(InterviewStage::new(id, stage.clone())))
                .collect(),
        })
    }
}

/// An application as it was after a change.
#[derive(SimpleObject)]
pub struct ApplicationSnapshot {
    #[graphql(flatten)]
    fields: ApplicationFields,
    /// Its interview stages by their order.
    interview_stages: Vec<InterviewStageSnapshot>,
}

/// A field that a change gave another value.
#[derive(SimpleObject)]
pub struct FieldChange {
    /// The field's name in `Application` or, with a stage, in `InterviewStage`.
    field: String,
    /// The stage that the field belongs to, where it is a stage's. The stage may be gone since.
    interview_stage_id: Option<ID>,
    /// The value before, as text: of an enum its name; null where there was none.
    before: Option<String>,
    /// The value after, as text: of an enum its name; null where there is none.
    after: Option<String>,
}

impl FieldChange {
    fn new(application: ApplicationId, change: model::FieldChange) -> Self {
        Self {
            field: change.field.to_owned(),
            interview_stage_id: change
                .stage
                .map(|id| id::encode(NodeKey::Stage(application, id))),
            before: change.before.map(|value| as_answered(change.field, value)),
            after: change.after.map(|value| as_answered(change.field, value)),
        }
    }
}

/// The value of a field as the API answers it elsewhere.
fn as_answered(field: &str, value: String) -> String {
    match field {
        "status" | "companyCategory" | "jobSource" => enum_name(&value),
        _ => value,
    }
}
