//! A history entry: what changed, and the application as it was then.

use async_graphql::{Context, ID, Object, SimpleObject};

use crate::graphql::enums::enum_name;
use crate::graphql::id;
use crate::items::{HistoryItem, HistoryLine};
use crate::model::{self, ApplicationId, State, Timestamp};
use crate::store::{Line, NodeKey};
use trestle_api::{ApiError, PageInfo, Uuid, semantic_non_null};

use super::fields::{ApplicationFields, Attributes, Nullable};
use super::stage::InterviewStageSnapshot;
use super::store;

/// One change in an application's history.
pub struct HistoryEntry {
    application: ApplicationId,
    entry: HistoryLine,
    before: Option<HistoryItem>,
}

impl HistoryEntry {
    /// An entry of an application's history.
    ///
    /// # Errors
    /// UNREADABLE if an attribute that it always has cannot be read.
    pub fn new(application: &ApplicationId, line: Line) -> Result<Self, ApiError> {
        let entry = line.entry.line();
        Ok(Self {
            application: application.clone(),
            entry: entry.map_err(|attribute| item(application).unreadable(attribute))?,
            before: line.before,
        })
    }

    fn differences(&self) -> Result<Vec<FieldChange>, ApiError> {
        let before = match &self.before {
            Some(entry) => Some(
                entry
                    .state()
                    .ok_or_else(|| item(&self.application).unreadable("snapshot"))?,
            ),
            None => None,
        };
        let changes = model::changes(before.as_ref(), self.known_snapshot()?);
        let changes = changes.into_iter();
        Ok(changes
            .map(|change| FieldChange::new(&self.application, change))
            .collect())
    }

    fn known_snapshot(&self) -> Result<&State, ApiError> {
        let snapshot = self.entry.snapshot.as_ref();
        snapshot.ok_or_else(|| item(&self.application).unreadable("snapshot"))
    }

    fn read_snapshot(&self) -> Result<ApplicationSnapshot, ApiError> {
        let state = self.known_snapshot()?;
        let stages = state
            .stages()
            .iter()
            .cloned()
            .map(InterviewStageSnapshot::new);
        Ok(ApplicationSnapshot {
            fields: ApplicationFields::of_snapshot(state.application.clone())?,
            interview_stages: stages.collect::<Result<_, _>>()?,
        })
    }
}

fn item(application: &ApplicationId) -> Attributes<'_> {
    Attributes {
        application,
        entity: "history entry",
    }
}

/// One change in an application's history.
#[Object]
impl HistoryEntry {
    /// The entry's id.
    pub async fn id(&self) -> ID {
        id::encode(&NodeKey::Entry(
            self.application.clone(),
            self.entry.sequence,
        ))
    }

    /// The entry's UUID. Entries that were not written through this API may have an id of another form.
    async fn entry_id(&self) -> Uuid {
        Uuid(self.entry.id.clone())
    }

    /// The entry's place in the history: 1, 2, 3 without gaps. The application's version after the change.
    async fn sequence(&self) -> u32 {
        self.entry.sequence
    }

    /// The change, for people to read.
    async fn description(&self) -> &str {
        &self.entry.description
    }

    /// When the change was made.
    async fn created_at(&self) -> Timestamp {
        self.entry.created_at
    }

    /// The subject that made the change. Null if it is unknown, for example because the server asked for no credentials.
    async fn actor(&self) -> Option<&str> {
        self.entry.actor.as_deref()
    }

    /// The fields that differ from the entry before; of the first entry, every field that is set. Null with an
    /// error if a stored snapshot cannot be read.
    #[graphql(directive = semantic_non_null::apply(None))]
    async fn changes(&self) -> Nullable<Vec<FieldChange>> {
        Some(self.differences())
    }

    /// The application after the change. Null with an error if the stored snapshot cannot be read.
    #[graphql(directive = semantic_non_null::apply(None))]
    async fn snapshot(&self) -> Nullable<ApplicationSnapshot> {
        Some(self.read_snapshot())
    }
}

/// An application as it was after a change.
#[derive(SimpleObject)]
pub struct ApplicationSnapshot {
    #[graphql(flatten)]
    fields: ApplicationFields,
    /// The interview stages, sorted by their order.
    interview_stages: Vec<InterviewStageSnapshot>,
}

/// A field that a change gave another value.
#[derive(SimpleObject)]
pub struct FieldChange {
    /// The name of the field in `Application` or, with a stage, in `InterviewStage`.
    field: String,
    /// The stage, if the field belongs to one. The stage may have been removed since.
    interview_stage_id: Option<ID>,
    /// The value before, as text; of an enum its name. Null if the field was empty.
    before: Option<String>,
    /// The value after, as text; of an enum its name. Null if the field is empty.
    after: Option<String>,
}

impl FieldChange {
    fn new(application: &ApplicationId, change: model::FieldChange) -> Self {
        let (mut before, mut after) = (change.before, change.after);
        if ["status", "companyCategory", "jobSource"].contains(&change.field.as_str()) {
            before = before.map(|word| enum_name(&word));
            after = after.map(|word| enum_name(&word));
        }
        Self {
            before,
            after,
            interview_stage_id: change
                .stage
                .map(|id| id::encode(&NodeKey::Stage(application.clone(), id))),
            field: change.field,
        }
    }
}

/// A page of an application's history.
pub struct HistoryEntryConnection {
    pub(super) edges: Vec<HistoryEntryEdge>,
    pub(super) page_info: PageInfo,
    pub(super) length: HistoryLength,
}

/// How long a history is.
pub enum HistoryLength {
    /// As long as the version says.
    Version(u32),
    /// Entries are missing, so that they must be counted.
    Unknown(ApplicationId),
}

/// A page of an application's history.
#[Object]
impl HistoryEntryConnection {
    /// The entries of the page, newest first.
    async fn edges(&self) -> &[HistoryEntryEdge] {
        &self.edges
    }

    /// The position of the page in the history.
    async fn page_info(&self) -> &PageInfo {
        &self.page_info
    }

    /// The number of entries in the history: the application's version, or less if entries are missing.
    async fn total_count(&self, ctx: &Context<'_>) -> Result<u32, ApiError> {
        match &self.length {
            HistoryLength::Version(version) => Ok(*version),
            HistoryLength::Unknown(id) => Ok(store(ctx)?.history_length(id).await?),
        }
    }
}

/// An entry in an application's history.
pub struct HistoryEntryEdge {
    pub(super) cursor: String,
    pub(super) entry: Result<HistoryEntry, ApiError>,
}

/// An entry in an application's history.
#[Object]
impl HistoryEntryEdge {
    /// The position in the history. Pass it as `after` or `before`.
    async fn cursor(&self) -> &str {
        &self.cursor
    }

    /// The entry. Null with an error if its stored item cannot be read.
    #[graphql(directive = semantic_non_null::apply(None))]
    async fn node(&self) -> Option<Result<&HistoryEntry, ApiError>> {
        Some(self.entry.as_ref().map_err(Clone::clone))
    }
}
