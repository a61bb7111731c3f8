//! The objects of the schema.

use async_graphql::{ComplexObject, Context, ID, Interface, Object, SimpleObject};
use uuid::Uuid;

use crate::api::{ApiError, Date, DateTime, PageArgs, PageInfo, Url};
use crate::applications::error::StoreError;
use crate::applications::items::HistoryLine;
use crate::applications::model::{self, ApplicationId, Link, State};
use crate::applications::store::{
    Applications, Content, Detail, Entries, Found, HistoryPage, HistoryRange, Line, NodeKey, Part,
};
use crate::table::{Direction, cursor};

use super::connection::{HistoryEntryConnection, HistoryEntryEdge};
use super::enums::{ApplicationStatus, CompanyCategory, JobSource};
use super::{id, selection};

/// Anything that can be fetched again by its id.
#[derive(Interface)]
#[graphql(field(name = "id", ty = "ID", desc = "The thing's id: opaque, and stable."))]
pub enum Node {
    /// A job application.
    Application(Box<Application>),
    /// An interview stage.
    InterviewStage(InterviewStage),
    /// A history entry.
    HistoryEntry(Box<HistoryEntry>),
}

/// What people edit of an application, with its state and its moments.
#[derive(SimpleObject)]
pub struct ApplicationFields {
    /// Who the job is with: 1 to 200 characters.
    company_name: String,
    /// What the job is called: 1 to 200 characters.
    position_title: String,
    /// Where the application stands.
    status: ApplicationStatus,
    /// When it was sent; empty exactly while its status is UNSUBMITTED.
    date_applied: Option<Date>,
    /// Until when an offer must be answered.
    offer_due_date: Option<Date>,
    /// The company's site.
    company_url: Option<Url>,
    /// The job's posting.
    job_posting_url: Option<Url>,
    /// The company's page of jobs.
    company_career_url: Option<Url>,
    /// What the company does.
    company_category: Option<CompanyCategory>,
    /// How the person came to know of the job.
    job_source: Option<JobSource>,
    /// How well the person's skills fit: 1 to 5.
    skills_match: Option<i32>,
    /// Whether a cover letter is asked for.
    cover_letter_required: Option<bool>,
    /// What else is asked for: at most 5000 characters.
    special_requirements: Option<String>,
    /// The person's notes: at most 5000 characters.
    notes: Option<String>,
    /// The least that is paid, in whole units of the person's currency.
    salary_min: Option<i32>,
    /// The most that is paid, in whole units of the person's currency.
    salary_max: Option<i32>,
    /// Whether it was put away.
    is_archived: bool,
    /// Counts its changes: give it as `expectedVersion` to change only what you have seen. It is the
    /// sequence of the newest history entry.
    version: u32,
    /// When it was made.
    created_at: DateTime,
    /// When it last changed. It never goes back.
    updated_at: DateTime,
}

impl From<&model::Application> for ApplicationFields {
    fn from(application: &model::Application) -> Self {
        let details = &application.details;
        let url = |link: &Option<Link>| link.as_ref().map(|link| Url(link.as_str().to_owned()));
        let note = |note: &Option<model::Note>| note.as_ref().map(|note| note.as_str().to_owned());
        Self {
            company_name: details.company_name.as_str().to_owned(),
            position_title: details.position_title.as_str().to_owned(),
            status: details.status.into(),
            date_applied: details.date_applied.map(|date| Date(date.to_string())),
            offer_due_date: details.offer_due_date.map(|date| Date(date.to_string())),
            company_url: url(&details.company_url),
            job_posting_url: url(&details.job_posting_url),
            company_career_url: url(&details.company_career_url),
            company_category: details.company_category.map(Into::into),
            job_source: details.job_source.map(Into::into),
            skills_match: details.skills_match.map(model::Rating::get),
            cover_letter_required: details.cover_letter_required,
            special_requirements: note(&details.special_requirements),
            notes: note(&details.notes),
            salary_min: details.salary_min.map(model::Salary::get),
            salary_max: details.salary_max.map(model::Salary::get),
            is_archived: application.is_archived,
            version: application.version,
            created_at: DateTime(application.created_at.to_string()),
            updated_at: DateTime(application.updated_at.to_string()),
        }
    }
}

/// A job application.
pub struct Application {
    application: model::Application,
    fields: ApplicationFields,
    stages: Option<Vec<model::Stage>>,
    history: Reading,
    /// What the loader fetches of each history entry.
    part: Part,
}

/// How an application's history is read.
enum Reading {
    /// By a Query of its own.
    Query,
    /// The newest entries came with the application.
    Prefetched(HistoryPage, Content),
    /// Together with those of the other applications of a list.
    Batched,
}

impl Application {
    fn new(
        application: model::Application,
        stages: Option<Vec<model::Stage>>,
        history: Reading,
        part: Part,
    ) -> Self {
        Self {
            fields: (&application).into(),
            application,
            stages,
            history,
            part,
        }
    }

    /// One that was read with its newest history as far as it was asked for.
    pub fn detail(detail: Detail, content: Option<Content>) -> Self {
        let history = match (detail.history, content) {
            (Some(page), Some(content)) => Reading::Prefetched(page, content),
            _ => Reading::Query,
        };
        Self::new(detail.application, detail.stages, history, Part::Stages)
    }

    /// One that was just written.
    pub fn written(state: State) -> Self {
        let stages = state.stages().to_vec();
        Self::new(
            state.application,
            Some(stages),
            Reading::Query,
            Part::Stages,
        )
    }

    /// One of many.
    pub fn listed(application: model::Application, part: Part) -> Self {
        Self::new(application, None, Reading::Batched, part)
    }

    async fn read_stages(&self, ctx: &Context<'_>) -> Result<Vec<InterviewStage>, ApiError> {
        let stages = match &self.stages {
            Some(stages) => stages.clone(),
            None => entries(ctx)?.stages(&self.application, self.part).await?,
        };
        let id = self.application.id;
        Ok(stages
            .into_iter()
            .map(|stage| InterviewStage::new(id, stage))
            .collect())
    }

    async fn read_history(
        &self,
        ctx: &Context<'_>,
        args: PageArgs,
    ) -> Result<HistoryEntryConnection, ApiError> {
        let id = self.application.id;
        let list = format!("history {id}");
        let place = args
            .cursor
            .as_deref()
            .map(|text| cursor::decode(&list, text))
            .transpose();
        let place =
            place.map_err(|_| ApiError::bad_input("The cursor is not one of this history."))?;
        let sequence = place.and_then(|bytes| Some(u32::from_be_bytes(bytes.try_into().ok()?)));
        let range = HistoryRange {
            size: args.size,
            direction: args.direction,
            cursor: sequence,
            content: selection::content(ctx.field()),
        };
        let fresh = range.direction == Direction::Forward && range.cursor.is_none();
        let page = match &self.history {
            Reading::Prefetched(page, content) if fresh && *content >= range.content => {
                page.head(range.size)
            }
            Reading::Batched if range.direction == Direction::Forward => Some(
                entries(ctx)?
                    .history(&self.application, &range, self.part)
                    .await?,
            ),
            _ => None,
        };
        let page = match page {
            Some(page) => page,
            None => store(ctx)?.history(id, &range).await?,
        };
        let edges: Vec<_> = page
            .lines
            .into_iter()
            .map(|line| HistoryEntryEdge {
                cursor: cursor::encode(&list, &line.sequence.to_be_bytes()),
                entry: HistoryEntry::new(id, line),
            })
            .collect();
        let cursor = |edge: Option<&HistoryEntryEdge>| edge.map(|edge| edge.cursor.clone());
        let page_info = PageInfo::of(
            &args,
            page.more,
            cursor(edges.first()),
            cursor(edges.last()),
        );
        Ok(HistoryEntryConnection { edges, page_info })
    }
}

/// The request's store.
pub fn store<'a>(ctx: &Context<'a>) -> Result<&'a Applications, ApiError> {
    ctx.data_opt()
        .ok_or_else(|| ApiError::internal(StoreError::LostKey))
}

/// The request's loader.
fn entries<'a>(ctx: &Context<'a>) -> Result<&'a Entries, ApiError> {
    ctx.data_opt()
        .ok_or_else(|| ApiError::internal(StoreError::LostKey))
}

/// A job application with its interview stages and its history.
#[Object]
impl Application {
    /// The application's id: a UUID, which the client that made it may have chosen.
    pub async fn id(&self) -> ID {
        id::encode(NodeKey::Application(self.application.id))
    }

    #[graphql(flatten)]
    async fn fields(&self) -> &ApplicationFields {
        &self.fields
    }

    /// Its interview stages by their order, 30 at most.
    async fn interview_stages(
        &self,
        ctx: &Context<'_>,
    ) -> Option<Result<Vec<InterviewStage>, ApiError>> {
        Some(self.read_stages(ctx).await)
    }

    /// Its history, the newest entry first.
    async fn history(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "How many entries from the newest on: 1 to 100, 20 unless said.")]
        first: Option<i32>,
        #[graphql(desc = "Only entries older than the one with this cursor.")] after: Option<
            String,
        >,
        #[graphql(desc = "How many entries from the oldest on: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only entries newer than the one with this cursor.")] before: Option<
            String,
        >,
    ) -> Option<Result<HistoryEntryConnection, ApiError>> {
        Some(match PageArgs::parse(first, after, last, before) {
            Ok(args) => self.read_history(ctx, args).await,
            Err(error) => Err(error),
        })
    }
}

/// One step between an application and its end.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct InterviewStage {
    #[graphql(skip)]
    application: ApplicationId,
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
            application,
            stage_id: stage.id.0,
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
        id::encode(NodeKey::Stage(
            self.application,
            model::StageId(self.stage_id),
        ))
    }
}

/// One change in an application's history.
pub struct HistoryEntry {
    application: ApplicationId,
    entry: HistoryLine,
    before: Option<State>,
}

impl HistoryEntry {
    fn new(application: ApplicationId, line: Line) -> Result<Self, ApiError> {
        let entry = line.entry.map_err(StoreError::from)?;
        Ok(Self {
            application,
            entry,
            before: line.before,
        })
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
        self.entry.id
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

    /// The fields that differ from the entry before; from nothing, for the first.
    async fn changes(&self) -> Result<Vec<FieldChange>, ApiError> {
        let changes = model::changes(self.before.as_ref(), self.known_snapshot()?);
        Ok(changes
            .into_iter()
            .map(|change| FieldChange::new(self.application, change))
            .collect())
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
                .map(|stage| InterviewStageSnapshot(InterviewStage::new(id, stage.clone())))
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

/// An interview stage as it was after a change. It has no `id`, so that no cache takes it for the stage
/// of now.
pub struct InterviewStageSnapshot(InterviewStage);

/// An interview stage as it was after a change. It has no `id`, so that no cache takes it for the stage
/// of now.
#[Object]
impl InterviewStageSnapshot {
    /// The stage's own UUID, unique within its application.
    async fn stage_id(&self) -> Uuid {
        self.0.stage_id
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

/// A field that a change gave another value.
#[derive(SimpleObject)]
pub struct FieldChange {
    /// The field's name in `Application` or, with a stage, in `InterviewStage`.
    field: String,
    /// The stage that the field belongs to, where it is a stage's. The stage may be gone since.
    interview_stage_id: Option<ID>,
    /// The value before, as people write it; empty where there was none.
    before: Option<String>,
    /// The value after, as people write it; empty where there is none.
    after: Option<String>,
}

impl FieldChange {
    fn new(application: ApplicationId, change: model::FieldChange) -> Self {
        Self {
            field: change.field.to_owned(),
            interview_stage_id: change
                .stage
                .map(|id| id::encode(NodeKey::Stage(application, id))),
            before: change.before,
            after: change.after,
        }
    }
}

impl Node {
    /// Something that was looked up.
    ///
    /// # Errors
    /// A fault where its item is malformed.
    pub fn found(found: Found, part: Part) -> Result<Self, ApiError> {
        Ok(match found {
            Found::Application(application) => {
                Node::Application(Box::new(Application::listed(*application, part)))
            }
            Found::Stage(id, stage) => Node::InterviewStage(InterviewStage::new(id, stage)),
            Found::Entry(id, line) => Node::HistoryEntry(Box::new(HistoryEntry::new(id, *line)?)),
        })
    }
}
