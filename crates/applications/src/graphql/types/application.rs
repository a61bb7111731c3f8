//! An application, its stages and its history, each read only if it is requested.

use async_graphql::{Context, ID, Object};

use crate::error::StoreError;
use crate::graphql::{id, selection};
use crate::model::{self, ApplicationId, State};
use crate::store::{Content, Detail, HistoryPage, HistoryRange, NodeKey, Part};
use trestle_api::{ApiError, PageArgs, PageInfo, list_size, semantic_non_null};
use trestle_table::{Direction, cursor};

use super::contact::{Contact, contacts};
use super::fields::{ApplicationFields, Nullable};
use super::file::{ApplicationFile, files};
use super::history::{HistoryEntry, HistoryEntryConnection, HistoryEntryEdge, HistoryLength};
use super::stage::StageFields;
use super::{entries, store};

/// A job application.
pub struct Application {
    fields: ApplicationFields,
    stages: Option<Result<Vec<model::Stage>, StoreError>>,
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
        stages: Option<Result<Vec<model::Stage>, StoreError>>,
        history: Reading,
        part: Part,
    ) -> Result<Self, ApiError> {
        Ok(Self {
            fields: ApplicationFields::new(application)?,
            stages,
            history,
            part,
        })
    }

    fn application(&self) -> &model::Application {
        self.fields.application()
    }

    /// An application that was read with its newest history, as far as that was requested.
    pub fn detail(detail: Detail, content: Option<Content>) -> Result<Self, ApiError> {
        let history = match (detail.history, content) {
            (Some(page), Some(content)) => Reading::Prefetched(page, content),
            (None, Some(_)) => Reading::Batched,
            _ => Reading::Query,
        };
        let part = match (&history, content) {
            (Reading::Batched, Some(Content::Snapshots)) => Part::Whole,
            (Reading::Batched, _) => Part::LineAndStages,
            _ => Part::Stages,
        };
        Self::new(detail.application, detail.stages, history, part)
    }

    /// An application that was just written.
    pub fn written(state: State) -> Result<Self, ApiError> {
        let stages = state.stages().to_vec();
        Self::new(
            state.application,
            Some(Ok(stages)),
            Reading::Query,
            Part::Stages,
        )
    }

    /// One of many applications.
    pub fn listed(application: model::Application, part: Part) -> Result<Self, ApiError> {
        Self::new(application, None, Reading::Batched, part)
    }

    async fn read_stages(&self, ctx: &Context<'_>) -> Result<Vec<InterviewStage>, ApiError> {
        let stages = match &self.stages {
            Some(stages) => stages.clone()?,
            None => entries(ctx)?.stages(self.application(), self.part).await?,
        };
        stages.into_iter().map(InterviewStage::new).collect()
    }

    async fn read_history(
        &self,
        ctx: &Context<'_>,
        args: PageArgs,
    ) -> Result<HistoryEntryConnection, ApiError> {
        let id = &self.application().id;
        let list = store(ctx)?.scope().list_name(format!("history {id}"));
        let range = HistoryRange {
            size: args.size,
            direction: args.direction,
            cursor: args.place(&list, |bytes| {
                Some(u32::from_be_bytes(bytes.try_into().ok()?))
            })?,
            content: selection::content(ctx.field()),
        };
        let fresh = range.direction == Direction::Forward && range.cursor.is_none();
        let page = match &self.history {
            Reading::Prefetched(page, content) if fresh && *content >= range.content => {
                page.head(range.size)
            }
            Reading::Batched if range.direction == Direction::Forward => Some(
                entries(ctx)?
                    .history(self.application(), &range, self.part)
                    .await?,
            ),
            _ => None,
        };
        let page = match page {
            Some(page) => page,
            None => store(ctx)?.history(id, &range).await?,
        };
        let version = self.application().version();
        let length = if page.contradicts(version, &range) {
            HistoryLength::Unknown(id.clone())
        } else {
            HistoryLength::Version(version)
        };
        let edges: Vec<_> = page
            .lines
            .into_iter()
            .map(|line| HistoryEntryEdge {
                cursor: cursor::encode(&list, &line.sequence.to_be_bytes()),
                entry: HistoryEntry::new(id, line),
            })
            .collect();
        let start = edges.first().map(|edge| edge.cursor.clone());
        let end = edges.last().map(|edge| edge.cursor.clone());
        let page_info = PageInfo::of(&args, page.more, start, end);
        Ok(HistoryEntryConnection {
            edges,
            page_info,
            length,
        })
    }
}

/// A job application with its interview stages and its history.
#[Object]
impl Application {
    /// The application's id. It may have been made by the client. A UUID; applications that were not created through
    /// this API may have an id of another form.
    pub async fn id(&self) -> ID {
        id::encode(&NodeKey::Application(self.application().id.clone()))
    }

    #[graphql(flatten)]
    async fn fields(&self) -> &ApplicationFields {
        &self.fields
    }

    /// The interview stages, sorted by their order.
    #[graphql(directive = semantic_non_null::apply(None))]
    async fn interview_stages(
        &self,
        ctx: &Context<'_>,
    ) -> Option<Result<Vec<InterviewStage>, ApiError>> {
        Some(self.read_stages(ctx).await)
    }

    /// The people to talk to about it, in the order in which they were added: at most 20. Read on their own, from the
    /// lists of up to 100 applications with one call.
    #[graphql(directive = list_size::apply(20), directive = semantic_non_null::apply(None))]
    async fn contacts(&self, ctx: &Context<'_>) -> Option<Result<Vec<Contact>, ApiError>> {
        Some(contacts(ctx, &self.application().id).await)
    }

    /// Its files, in the order in which they were added: at most 10. Read like `contacts`.
    #[graphql(directive = list_size::apply(10), directive = semantic_non_null::apply(None))]
    async fn files(&self, ctx: &Context<'_>) -> Option<Result<Vec<ApplicationFile>, ApiError>> {
        Some(files(ctx, &self.application().id).await)
    }

    /// The history, newest entry first.
    #[graphql(directive = semantic_non_null::apply(None))]
    async fn history(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Number of newest entries, 0 to 100. Defaults to 20.")] first: Option<i32>,
        #[graphql(desc = "Only entries older than the one with this cursor.")] after: Option<
            String,
        >,
        #[graphql(desc = "Number of oldest entries, 0 to 100.")] last: Option<i32>,
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

/// An interview stage of an application.
pub struct InterviewStage(StageFields);

impl InterviewStage {
    /// A stage of an application.
    ///
    /// # Errors
    /// UNREADABLE if an attribute that it always has cannot be read.
    pub fn new(stage: model::Stage) -> Result<Self, ApiError> {
        StageFields::new(stage).map(Self)
    }

    fn application_id(&self) -> &ApplicationId {
        &self.0.stage().application
    }
}

/// An interview stage of an application.
#[Object]
impl InterviewStage {
    /// The stage's id.
    pub async fn id(&self) -> ID {
        let stage = self.0.stage();
        id::encode(&NodeKey::Stage(
            stage.application.clone(),
            stage.key.clone(),
        ))
    }

    #[graphql(flatten)]
    async fn fields(&self) -> &StageFields {
        &self.0
    }

    /// The application that the stage belongs to. Null if it was deleted meanwhile.
    async fn application(&self, ctx: &Context<'_>) -> Nullable<Application> {
        let read = async {
            let wanted = selection::Selected::below(ctx, &[]).alone();
            let detail = store(ctx)?
                .application(self.application_id(), &wanted)
                .await?;
            let application =
                detail.map(|detail| Application::listed(detail.application, Part::Whole));
            application.transpose()
        };
        read.await.transpose()
    }
}
