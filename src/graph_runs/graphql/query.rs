//! The queries.

use async_graphql::{Context, ID, InputObject, Object, SimpleObject};

use crate::api::{ApiError, DateTime, PageArgs, PageInfo};
use crate::graph_runs::error::StoreError;
use crate::graph_runs::keys::Place;
use crate::graph_runs::model::{self, Rule, RunId, Timestamp};
use crate::graph_runs::store::{CompareError, Figures, ListFilter, ListOrder};
use crate::table::cursor;

use super::connection::{RunConnection, RunEdge};
use super::difference::RunDifference;
use super::enums::{Environment, RunOrder, RunStatus};
use super::id;
use super::types::{Node, Run, RunSummary, moment, store};

/// The most ids that `nodes` takes.
const MAX_NODES: usize = 100;

/// Which runs to list: those that fit every field that is given.
#[derive(InputObject, Default)]
pub struct RunFilter {
    /// Only runs of this environment.
    environment: Option<Environment>,
    /// Only runs that stand so; all where the list is left out or empty.
    statuses: Option<Vec<RunStatus>>,
    /// Only runs made then or later.
    created_from: Option<DateTime>,
    /// Only runs made then or earlier.
    created_to: Option<DateTime>,
}

impl RunFilter {
    fn parse(self) -> Result<ListFilter, ApiError> {
        Ok(ListFilter {
            environment: self.environment.map(Into::into),
            statuses: self
                .statuses
                .into_iter()
                .flatten()
                .map(Into::into)
                .collect(),
            from: at("filter.createdFrom", self.created_from)?,
            to: at("filter.createdTo", self.created_to)?,
        })
    }
}

fn at(field: &str, text: Option<DateTime>) -> Result<Option<Timestamp>, ApiError> {
    let parsed = text.map(|text| Timestamp::parse(&text.0)).transpose();
    parsed.map_err(|rule| {
        let form = match rule {
            Rule::Invalid(form) => form,
            _ => "a moment",
        };
        ApiError::bad_input(format!("`{field}` has to be {form}."))
    })
}

/// The figures of complete runs over time.
#[derive(SimpleObject)]
pub struct RunFigures {
    /// One point for each complete run, the oldest first: 1,000 at most, the newest ones.
    points: Vec<RunFiguresPoint>,
    /// Whether there are older ones that did not fit: ask for them by `createdTo`.
    truncated: bool,
}

/// The figures of one complete run.
#[derive(SimpleObject)]
pub struct RunFiguresPoint {
    /// The run's id, for `run`.
    run_id: String,
    /// When the run was made.
    created_at: DateTime,
    /// Which environment the infrastructure is of.
    environment: Environment,
    /// The figures.
    summary: RunSummary,
}

impl From<Figures> for RunFigures {
    fn from(figures: Figures) -> Self {
        let readable = figures.runs.into_iter().filter_map(|run| match run {
            Ok(run) => Some(run),
            Err(error) => {
                tracing::warn!(%error, "a run's figures cannot be read");
                None
            }
        });
        let point = |run: model::Run| {
            Some(RunFiguresPoint {
                run_id: run.id.as_str().to_owned(),
                created_at: moment(run.created_at),
                environment: run.environment.into(),
                summary: run.summary?.into(),
            })
        };
        Self {
            points: readable.filter_map(point).collect(),
            truncated: figures.truncated,
        }
    }
}

/// What can be asked.
pub struct Query;

/// What can be asked.
#[Object]
impl Query {
    /// One run by the id that the table, the objects' keys and the callbacks have; empty where there is none,
    /// or where it is someone else's.
    async fn run(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The run's `runId`.")] run_id: String,
    ) -> Option<Result<Run, ApiError>> {
        let run = async {
            match RunId::parse(&run_id) {
                Ok(id) => Ok(store(ctx)?.run(&id).await?.map(Run::from)),
                Err(_) => Ok(None),
            }
        };
        run.await.transpose()
    }

    /// The viewer's latest run.
    async fn latest_run(&self, ctx: &Context<'_>) -> Option<Result<Run, ApiError>> {
        let run = async { Ok(store(ctx)?.latest().await?.map(Run::from)) };
        run.await.transpose()
    }

    /// The viewer's runs by when they were made.
    #[expect(
        clippy::too_many_arguments,
        reason = "they are the field's arguments in the schema"
    )]
    async fn runs(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which runs: all unless said.")] filter: Option<RunFilter>,
        #[graphql(desc = "Their order: CREATED_AT_DESC unless said.")] order_by: Option<RunOrder>,
        #[graphql(desc = "How many from the list's start on: 1 to 100, 20 unless said.")]
        first: Option<i32>,
        #[graphql(desc = "Only those behind the one with this cursor.")] after: Option<String>,
        #[graphql(desc = "How many from the list's end on: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only those ahead of the one with this cursor.")] before: Option<String>,
    ) -> Option<Result<RunConnection, ApiError>> {
        let order = order_by.map(ListOrder::from).unwrap_or_default();
        let page = async {
            let args = PageArgs::parse(first, after, last, before)?;
            runs(ctx, filter.unwrap_or_default().parse()?, order, args).await
        };
        Some(page.await)
    }

    /// The figures of the viewer's complete runs over time.
    async fn run_figures(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only runs of this environment.")] environment: Option<Environment>,
        #[graphql(desc = "Only runs made then or later.")] created_from: Option<DateTime>,
        #[graphql(desc = "Only runs made then or earlier.")] created_to: Option<DateTime>,
    ) -> Option<Result<RunFigures, ApiError>> {
        let figures = async {
            let filter = ListFilter {
                environment: environment.map(Into::into),
                from: at("createdFrom", created_from)?,
                to: at("createdTo", created_to)?,
                ..ListFilter::default()
            };
            Ok(store(ctx)?.figures(filter).await?.into())
        };
        Some(figures.await)
    }

    /// What differs between the graphs of two complete runs; empty where one of them is not there, or someone
    /// else's.
    async fn run_difference(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The `runId` of the first run.")] from_run_id: String,
        #[graphql(desc = "The `runId` of the second run.")] to_run_id: String,
    ) -> Option<Result<RunDifference, ApiError>> {
        difference(ctx, &from_run_id, &to_run_id).await.transpose()
    }

    /// Anything of the viewer's by its id; empty where it is not there.
    async fn node(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The thing's id.")] id: ID,
    ) -> Option<Result<Node, ApiError>> {
        match nodes(ctx, &[id]).await {
            Ok(mut found) => found.pop().flatten(),
            Err(error) => Some(Err(error)),
        }
    }

    /// Many things by their ids, in the order of the ids; empty where one is not there.
    async fn nodes(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The things' ids: 100 at most.")] ids: Vec<ID>,
    ) -> Result<Vec<Option<Result<Node, ApiError>>>, ApiError> {
        nodes(ctx, &ids).await
    }
}

async fn runs(
    ctx: &Context<'_>,
    filter: ListFilter,
    order: ListOrder,
    args: PageArgs,
) -> Result<RunConnection, ApiError> {
    let list = filter.name(order);
    let place = args.place(&list, Place::from_bytes)?;
    let page = (args.size, args.direction, place.as_ref());
    let page = store(ctx)?.list(&filter, order, page).await?;
    let edges: Vec<_> = page
        .items
        .into_iter()
        .map(|listed| RunEdge {
            cursor: cursor::encode(&list, &listed.place.to_bytes()),
            run: listed.run,
        })
        .collect();
    let cursor = |edge: Option<&RunEdge>| edge.map(|edge| edge.cursor.clone());
    let page_info = PageInfo::of(
        &args,
        page.more,
        cursor(edges.first()),
        cursor(edges.last()),
    );
    Ok(RunConnection { edges, page_info })
}

async fn difference(
    ctx: &Context<'_>,
    from: &str,
    to: &str,
) -> Result<Option<RunDifference>, ApiError> {
    let store = store(ctx)?;
    let (Ok(from), Ok(to)) = (RunId::parse(from), RunId::parse(to)) else {
        return Ok(None);
    };
    let (from, to) = futures_util::try_join!(store.run(&from), store.run(&to))?;
    let (Some(from), Some(to)) = (from, to) else {
        return Ok(None);
    };
    let changes = match store.difference(&from, &to).await {
        Ok(changes) => changes,
        Err(CompareError::Store(error)) => return Err(error.into()),
        Err(CompareError::NotComplete) => {
            let message =
                "Only complete runs have graphs to compare: wait until both are COMPLETE.";
            return Err(ApiError::bad_input(message));
        }
    };
    let list = format!("difference {} {}", from.id, to.id);
    Ok(Some(RunDifference::new(list, changes)))
}

async fn nodes(
    ctx: &Context<'_>,
    ids: &[ID],
) -> Result<Vec<Option<Result<Node, ApiError>>>, ApiError> {
    if ids.len() > MAX_NODES {
        return Err(ApiError::bad_input(format!(
            "`ids` takes at most {MAX_NODES}."
        )));
    }
    let keys: Vec<_> = ids.iter().map(|id| id::decode(id)).collect();
    let found = store(ctx)?.nodes(&keys).await?;
    let node = |found: Result<model::Run, StoreError>| Ok(Node::Run(Box::new(found?.into())));
    Ok(found.into_iter().map(|found| found.map(node)).collect())
}
