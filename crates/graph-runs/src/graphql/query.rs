//! The queries.

use async_graphql::{Context, Enum, InputObject, MergedObject, Object, SimpleObject};

use crate::model::{Environment, Rule, Run, RunId, Status, Summary, Timestamp};
use crate::store::{Figures, ListFilter};
use trestle_api::{ApiError, Connection, DateTime, NodeQuery, QueryResult, page};
use trestle_table::Order;

use super::difference::RunDifference;
use super::types::{Node, store};
use super::work::WorkQuery;

/// The order of a list of runs.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "Order")]
pub enum RunOrder {
    /// Newest first.
    #[graphql(name = "CREATED_AT_DESC")]
    Descending,
    /// Oldest first.
    #[graphql(name = "CREATED_AT_ASC")]
    Ascending,
}

/// A filter of runs. Only runs that match every given field are listed.
#[derive(InputObject, Default)]
pub struct RunFilter {
    /// Only runs of this environment.
    environment: Option<Environment>,
    /// Only runs with one of these statuses. All if omitted or empty.
    statuses: Option<Vec<Status>>,
    /// Only runs created at this time or later.
    created_from: Option<DateTime>,
    /// Only runs created at this time or earlier.
    created_to: Option<DateTime>,
}

impl RunFilter {
    fn parse(self) -> Result<ListFilter, ApiError> {
        Ok(ListFilter {
            environment: self.environment,
            statuses: self.statuses.into_iter().flatten().collect(),
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
        ApiError::bad_input(format!("`{field}` must be {form}."))
    })
}

/// The figures of complete runs over time.
#[derive(SimpleObject)]
pub struct RunFigures {
    /// One point for each complete run, oldest first. At most the newest 1,000.
    points: Vec<RunFiguresPoint>,
    /// Whether there are older ones. Request them with `createdTo`.
    truncated: bool,
}

/// The figures of one complete run.
#[derive(SimpleObject)]
pub struct RunFiguresPoint {
    /// The run's id, for `run`.
    run_id: String,
    /// When the run was created.
    created_at: Timestamp,
    /// The environment of the infrastructure.
    environment: Environment,
    /// The figures.
    summary: Summary,
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
        let point = |run: Run| {
            Some(RunFiguresPoint {
                run_id: run.id.as_str().to_owned(),
                created_at: run.created_at,
                environment: run.environment,
                summary: run.summary?,
            })
        };
        Self {
            points: readable.filter_map(point).collect(),
            truncated: figures.truncated,
        }
    }
}

/// The most paths of one `readablePaths`.
const MAX_PATHS: usize = 1_000;

/// The paths of a folder that an analysis reads, in the order in which they were given.
#[derive(SimpleObject)]
pub struct ReadablePaths {
    /// Files of a configuration. Without one, there is nothing to analyze.
    configuration: Vec<String>,
    /// Files that `file` and `templatefile` may read.
    texts: Vec<String>,
    /// The most bytes of a file of `texts`. Larger ones are not read.
    max_text_bytes: i32,
    /// Folders that may contain such files.
    folders: Vec<String>,
}

/// The queries of graph-runs.
#[derive(MergedObject, Default)]
pub struct Query(RunQuery, WorkQuery, NodeQuery<Node>);

/// The queries of runs.
#[derive(Default)]
pub struct RunQuery;

#[Object]
impl RunQuery {
    /// A run by its `runId`, the id in the table and in objects' keys. Null if it does not exist or is not visible to the
    /// viewer.
    async fn run(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The run's `runId`.")] run_id: String,
    ) -> Option<Result<Run, ApiError>> {
        let run = async {
            match RunId::parse(&run_id) {
                Ok(id) => Ok(store(ctx)?.run(&id).await?),
                Err(_) => Ok(None),
            }
        };
        run.await.transpose()
    }

    /// The viewer's latest run.
    async fn latest_run(&self, ctx: &Context<'_>) -> Option<Result<Run, ApiError>> {
        let run = async { Ok(store(ctx)?.latest().await?) };
        run.await.transpose()
    }

    /// The viewer's runs, ordered by creation time.
    async fn runs(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only runs that match. Defaults to all.")] filter: Option<RunFilter>,
        #[graphql(desc = "The order. Defaults to CREATED_AT_DESC.")] order_by: Option<RunOrder>,
    ) -> QueryResult<Connection<Run>> {
        let order = order_by.map_or(Order::Descending, Order::from);
        let page = async {
            let runs = store(ctx)?.list(&filter.unwrap_or_default().parse()?, order);
            page(ctx, &runs, &()).await
        };
        Some(page.await)
    }

    /// The figures of the viewer's complete runs over time.
    async fn run_figures(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only runs of this environment.")] environment: Option<Environment>,
        #[graphql(desc = "Only runs created at this time or later.")] created_from: Option<
            DateTime,
        >,
        #[graphql(desc = "Only runs created at this time or earlier.")] created_to: Option<
            DateTime,
        >,
    ) -> Option<Result<RunFigures, ApiError>> {
        let figures = async {
            let filter = ListFilter {
                environment,
                from: at("createdFrom", created_from)?,
                to: at("createdTo", created_to)?,
                ..ListFilter::default()
            };
            Ok(store(ctx)?.figures(filter).await?.into())
        };
        Some(figures.await)
    }

    /// Selects the paths of a folder that an analysis reads: what to put into its archive.
    async fn readable_paths(
        &self,
        #[graphql(
            desc = "Paths relative to the folder, with `/` between their parts: at most 1,000. Those of folders end with `/`."
        )]
        paths: Vec<String>,
    ) -> Option<Result<ReadablePaths, ApiError>> {
        if paths.len() > MAX_PATHS {
            let message = format!("`paths` takes at most {MAX_PATHS} paths.");
            return Some(Err(ApiError::bad_input(message)));
        }
        let readable = trestle_terraform::readable(paths);
        Some(Ok(ReadablePaths {
            configuration: readable.configuration,
            texts: readable.texts,
            max_text_bytes: i32::try_from(trestle_terraform::MAX_TEXT_BYTES).unwrap_or(i32::MAX),
            folders: readable.folders,
        }))
    }

    /// The differences between the graphs of two complete runs. Null if one of them does not exist or is not visible to
    /// the viewer.
    async fn run_difference(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The `runId` of the first run.")] from_run_id: String,
        #[graphql(desc = "The `runId` of the second run.")] to_run_id: String,
    ) -> Option<Result<RunDifference, ApiError>> {
        difference(ctx, &from_run_id, &to_run_id).await.transpose()
    }
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
    let Some(differences) = store.differences(&from, &to).await? else {
        let message =
            "Only the graphs of COMPLETE runs can be compared. Wait until both runs are COMPLETE.";
        return Err(ApiError::bad_input(message));
    };
    Ok(Some(RunDifference::new((from, to), differences)))
}
