//! The objects of the schema.

use async_graphql::{Context, ID, Interface, Object, SimpleObject};

use crate::api::{ApiError, DateTime, Url};
use crate::graph_runs::artifacts::SignedUrl as Signed;
use crate::graph_runs::error::{ChangeError, StoreError};
use crate::graph_runs::model::{self, Text, Timestamp};
use crate::graph_runs::store::{NodeKey, Runs};

use super::enums::{Environment, IacFormat, RunStatus};
use super::id;

/// Anything that can be fetched again by its id.
#[derive(Interface)]
#[graphql(field(name = "id", ty = "ID", desc = "The thing's id: opaque, and stable."))]
pub enum Node {
    /// A run.
    Run(Box<Run>),
}

/// The store that the request brought.
///
/// # Errors
/// A fault of ours.
pub fn store<'c>(ctx: &Context<'c>) -> Result<&'c Runs, ApiError> {
    ctx.data_opt::<Runs>()
        .ok_or_else(|| ApiError::internal(std::io::Error::other("the request has no store")))
}

/// A moment as the API has it, with the milliseconds that the table does not keep.
pub fn moment(at: Timestamp) -> DateTime {
    DateTime(at.to_string().replace('Z', ".000Z"))
}

fn text<const MAX: usize>(text: &Option<Text<MAX>>) -> Option<String> {
    text.as_ref().map(|text| text.as_str().to_owned())
}

/// The figures of a graph.
#[derive(SimpleObject, Clone)]
pub struct RunSummary {
    /// How many nodes it has.
    node_count: u64,
    /// How many edges it has.
    edge_count: u64,
    /// How many of the nodes face the internet.
    internet_exposed_count: u64,
    /// How many of the nodes store data.
    datastore_count: u64,
}

impl From<model::Summary> for RunSummary {
    fn from(summary: model::Summary) -> Self {
        Self {
            node_count: summary.nodes,
            edge_count: summary.edges,
            internet_exposed_count: summary.internet_exposed,
            datastore_count: summary.datastores,
        }
    }
}

/// Where a file came from, as far as its sender said.
#[derive(SimpleObject)]
pub struct RunProvenance {
    /// The commit.
    iac_commit_sha: Option<String>,
    /// The Terraform workspace.
    terraform_workspace: Option<String>,
    /// The cloud account.
    account_id: Option<String>,
    /// The cloud region.
    region: Option<String>,
}

/// A header of an HTTP request.
#[derive(SimpleObject)]
pub struct HttpHeader {
    /// Its name.
    name: String,
    /// Its value.
    value: String,
}

/// A URL that may be used for a while, by whoever has it.
#[derive(SimpleObject)]
pub struct SignedUrl {
    /// The URL.
    url: Url,
    /// The headers that have to be sent with it.
    headers: Vec<HttpHeader>,
    /// Until when it is good.
    expires_at: DateTime,
}

impl From<Signed> for SignedUrl {
    fn from(signed: Signed) -> Self {
        let headers = signed.headers.into_iter().map(|(name, value)| HttpHeader {
            name: name.to_owned(),
            value,
        });
        Self {
            url: Url(signed.url.into()),
            headers: headers.collect(),
            expires_at: moment(Timestamp::new(signed.expires)),
        }
    }
}

/// Where a worker puts what it makes of a run: `PUT` to each URL, then `completeRun`.
#[derive(SimpleObject)]
pub struct WorkerUploads {
    /// For the graph.
    graph: SignedUrl,
    /// For the risk report.
    report: SignedUrl,
}

/// A run of the pipeline over one infrastructure-as-code file.
pub struct Run {
    run: model::Run,
}

impl From<model::Run> for Run {
    fn from(run: model::Run) -> Self {
        Self { run }
    }
}

impl Run {
    async fn download(
        &self,
        ctx: &Context<'_>,
        key: Option<&str>,
    ) -> Option<Result<SignedUrl, ApiError>> {
        let key = key?;
        let signed = async {
            let signed = store(ctx)?.artifacts().download_url(key).await;
            Ok(signed.map_err(StoreError::from)?.into())
        };
        Some(signed.await)
    }
}

/// A run of the pipeline over one infrastructure-as-code file.
#[Object]
impl Run {
    /// Its id, for `node`.
    async fn id(&self) -> ID {
        id::encode(&NodeKey {
            created_at: self.run.created_at,
            id: self.run.id.clone(),
        })
    }

    /// Its id in the table, in the objects' keys and for the callbacks.
    async fn run_id(&self) -> &str {
        self.run.id.as_str()
    }

    /// Whose it is.
    async fn user_id(&self) -> &str {
        self.run.user.as_str()
    }

    /// Where it stands.
    async fn status(&self) -> RunStatus {
        self.run.status.into()
    }

    /// Which environment the infrastructure is of.
    async fn environment(&self) -> Environment {
        self.run.environment.into()
    }

    /// The syntax of its file.
    async fn iac_format(&self) -> IacFormat {
        self.run.upload.format.into()
    }

    /// When it was made.
    async fn created_at(&self) -> DateTime {
        moment(self.run.created_at)
    }

    /// When it last changed. It never goes back.
    async fn updated_at(&self) -> DateTime {
        moment(self.run.updated_at)
    }

    /// How often it was started: 0 before the first time. A worker gives it back in its callbacks.
    async fn attempt(&self) -> u32 {
        self.run.attempt
    }

    /// When the present attempt started.
    async fn processing_at(&self) -> Option<DateTime> {
        self.run.processing_at.map(moment)
    }

    /// Whether it has been processing for too long: then it can be retried or failed.
    async fn is_stuck(&self, ctx: &Context<'_>) -> Result<bool, ApiError> {
        let store = store(ctx)?;
        Ok(self.run.is_stuck(store.now(), store.settings().stuck_after))
    }

    /// The figures of its graph; empty until it is complete.
    async fn summary(&self) -> Option<RunSummary> {
        self.run.summary.map(Into::into)
    }

    /// `sha256:` and the SHA-256 of the graph's canonical JSON (RFC 8785); empty until it is complete.
    async fn graph_hash(&self) -> Option<&str> {
        self.run.graph_hash.as_ref().map(model::GraphHash::as_str)
    }

    /// Why it failed.
    async fn failure_reason(&self) -> Option<String> {
        text(&self.run.failure)
    }

    /// Where the file came from.
    async fn provenance(&self) -> RunProvenance {
        let provenance = &self.run.provenance;
        RunProvenance {
            iac_commit_sha: text(&provenance.commit_sha),
            terraform_workspace: text(&provenance.workspace),
            account_id: text(&provenance.account_id),
            region: text(&provenance.region),
        }
    }

    /// Where to `PUT` its file, as often as needed until it starts; empty after that.
    async fn iac_upload(&self, ctx: &Context<'_>) -> Option<Result<SignedUrl, ApiError>> {
        if self.run.status != model::Status::Uploaded {
            return None;
        }
        let signed = async { Ok(store(ctx)?.upload_again(&self.run).await?.into()) };
        Some(signed.await)
    }

    /// Where to `GET` its file. There is nothing there before it is uploaded.
    async fn iac_download(&self, ctx: &Context<'_>) -> Option<Result<SignedUrl, ApiError>> {
        self.download(ctx, Some(&self.run.upload.key)).await
    }

    /// Where to `GET` its graph; empty until it is complete.
    async fn graph_download(&self, ctx: &Context<'_>) -> Option<Result<SignedUrl, ApiError>> {
        self.download(ctx, self.run.graph_key.as_deref()).await
    }

    /// Where to `GET` its risk report; empty until it is complete, and where its worker wrote none.
    async fn report_download(&self, ctx: &Context<'_>) -> Option<Result<SignedUrl, ApiError>> {
        self.download(ctx, self.run.report_key.as_deref()).await
    }

    /// Where a worker puts what it makes of the present attempt; empty for everyone else, and while the run
    /// is not being processed.
    async fn worker_uploads(&self, ctx: &Context<'_>) -> Option<Result<WorkerUploads, ApiError>> {
        if self.run.status != model::Status::Processing {
            return None;
        }
        let uploads = match store(ctx) {
            Ok(store) => store.worker_uploads(&self.run).await,
            Err(error) => return Some(Err(error)),
        };
        match uploads {
            Ok(uploads) => Some(Ok(WorkerUploads {
                graph: uploads.graph.into(),
                report: uploads.report.into(),
            })),
            Err(ChangeError::Store(error)) => Some(Err(error.into())),
            Err(_) => None,
        }
    }
}
