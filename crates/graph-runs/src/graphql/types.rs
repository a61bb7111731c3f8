//! The objects of the schema.

use async_graphql::{ComplexObject, Context, ID, Interface, SimpleObject};

use crate::graph::Picture;
use crate::model::{GraphHash, IacFormat, Run, RunId, Status, Timestamp, UserId};
use crate::store::Runs;
use trestle_api::viewer::Viewer;
use trestle_api::{
    self as api, ApiError, FromRequest, IdBytes, Kind, Listed, Node as _, Nodes, Url, page_args,
};
use trestle_files::SignedUrl as Signed;

use super::findings::{FindingConnection, FindingFilter, RunWarningConnection};
use super::graph::{
    GraphEdgeConnection, GraphEdgeFilter, GraphNodeConnection, GraphNodeFilter, GraphPath,
};

/// An object that can be fetched by its id.
#[derive(Interface)]
#[graphql(field(name = "id", ty = "ID", desc = "The node's id: opaque and stable."))]
pub enum Node {
    /// A run.
    Run(Run),
}

/// The store of the request.
///
/// # Errors
/// The request has no store, which is a fault of the server.
pub fn store<'c>(ctx: &Context<'c>) -> Result<&'c Runs, ApiError> {
    ctx.data_opt::<Runs>()
        .ok_or_else(|| ApiError::internal(std::io::Error::other("the request has no store")))
}

impl<'c> FromRequest<'c> for &'c Runs {
    fn from_request(ctx: &Context<'c>) -> Result<Self, ApiError> {
        store(ctx)
    }
}

/// A header of an HTTP request.
#[derive(SimpleObject)]
pub struct HttpHeader {
    /// Its name.
    name: String,
    /// Its value.
    value: String,
}

/// A URL that its holder may use until it expires.
#[derive(SimpleObject)]
pub struct SignedUrl {
    /// The URL.
    url: Url,
    /// The headers that the client must send.
    headers: Vec<HttpHeader>,
    /// When it expires.
    expires_at: Timestamp,
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
            expires_at: Timestamp::new(signed.expires),
        }
    }
}

/// Where a worker puts its results: `PUT` to each URL, then call `completeRun`.
#[derive(SimpleObject)]
pub struct WorkerUploads {
    /// For the graph.
    graph: SignedUrl,
    /// For the risk report.
    report: SignedUrl,
}

impl Run {
    async fn download(
        &self,
        ctx: &Context<'_>,
        key: Option<&str>,
        name: &str,
    ) -> Option<Result<SignedUrl, ApiError>> {
        let key = key?;
        let name = format!("{}-{name}", self.id);
        let signed = async {
            let signed = store(ctx)?.download_url(key, name).await;
            Ok(signed?.into())
        };
        Some(signed.await)
    }
}

impl Listed for Run {
    const PAGE: &'static str = "A page of runs.";
    const EDGE: &'static str = "A run in a list.";
}

/// Its id for clients: its creation time and its own id, which together are its place in its owner's list.
impl api::Node for Run {
    const TAG: u8 = b'R';

    fn write_id(&self, to: &mut Vec<u8>) {
        (self.created_at, self.id.clone()).write(to);
    }

    fn read_id(from: &mut &[u8], viewer: &Viewer) -> Option<Self::Id> {
        let (at, id) = IdBytes::read(from)?;
        Some((UserId::new(viewer.subject()), at, id))
    }
}

impl IdBytes for RunId {
    fn write(&self, to: &mut Vec<u8>) {
        to.extend(self.as_str().as_bytes());
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        Self::parse(std::str::from_utf8(std::mem::take(from)).ok()?).ok()
    }
}

impl Nodes for Node {
    const KINDS: &'static [Kind<Self>] = &[Kind::of::<Run>()];
}

#[ComplexObject]
impl Run {
    /// The id for `node`.
    async fn id(&self) -> ID {
        self.node_id()
    }

    /// The id in the table and in objects' keys, and the one that mutations take.
    async fn run_id(&self) -> &str {
        self.id.as_str()
    }

    /// The format of the file.
    async fn iac_format(&self) -> IacFormat {
        self.upload.format
    }

    /// Whether the run has been processing for too long. A stuck run can be retried or failed.
    #[graphql(name = "isStuck")]
    async fn stuck(&self, ctx: &Context<'_>) -> Result<bool, ApiError> {
        let store = store(ctx)?;
        Ok(self.is_stuck(store.now(), store.settings().stuck_after))
    }

    /// `sha256:` and the SHA-256 of the graph's canonical JSON (RFC 8785). Null until the run is COMPLETE.
    async fn graph_hash(&self) -> Option<&str> {
        self.graph_hash.as_ref().map(GraphHash::as_str)
    }

    /// The folder of the root module in the file, as the creator chose it. Null if it was not chosen.
    #[graphql(name = "root")]
    async fn root_folder(&self) -> Option<String> {
        self.upload.root.as_ref().map(ToString::to_string)
    }

    /// Where to `PUT` the file, as often as needed until the run starts. Null after that.
    async fn iac_upload(&self, ctx: &Context<'_>) -> Option<Result<SignedUrl, ApiError>> {
        if self.status != Status::Uploaded {
            return None;
        }
        let signed = async { Ok(store(ctx)?.upload_url(&self.upload).await?.into()) };
        Some(signed.await)
    }

    /// Where to `GET` the file. The URL answers 404 before the upload.
    async fn iac_download(&self, ctx: &Context<'_>) -> Option<Result<SignedUrl, ApiError>> {
        self.download(ctx, Some(&self.upload.key), Runs::file_name(self))
            .await
    }

    /// Where to `GET` the graph. Null until the run is COMPLETE.
    async fn graph_download(&self, ctx: &Context<'_>) -> Option<Result<SignedUrl, ApiError>> {
        self.download(ctx, self.graph_key.as_deref(), "graph.json")
            .await
    }

    /// Where to `GET` a picture of the graph. Null until the run is COMPLETE.
    async fn graph(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The format of the picture.")] format: Picture,
    ) -> Option<Result<SignedUrl, ApiError>> {
        let signed = async {
            let signed = store(ctx)?.picture_url(self, format).await?;
            Ok(signed.map(Into::into))
        };
        signed.await.transpose()
    }

    /// Where to `GET` the risk report. Null until the run is COMPLETE, and if its worker wrote none.
    async fn report_download(&self, ctx: &Context<'_>) -> Option<Result<SignedUrl, ApiError>> {
        self.download(ctx, self.report_key.as_deref(), "report.json")
            .await
    }

    /// The nodes of the graph, in its order. Null until the run is COMPLETE.
    async fn nodes(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only nodes that match. Defaults to all.")] filter: Option<
            GraphNodeFilter,
        >,
    ) -> Option<Result<GraphNodeConnection, ApiError>> {
        let page = async {
            let filter = filter.unwrap_or_default();
            let args = page_args(ctx.field())?;
            GraphNodeConnection::page(store(ctx)?, self, filter, args).await
        };
        page.await.transpose()
    }

    /// The edges of the graph, in its order. Null until the run is COMPLETE.
    async fn edges(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only edges that match. Defaults to all.")] filter: Option<
            GraphEdgeFilter,
        >,
    ) -> Option<Result<GraphEdgeConnection, ApiError>> {
        let page = async {
            let filter = filter.unwrap_or_default();
            let args = page_args(ctx.field())?;
            GraphEdgeConnection::page(store(ctx)?, self, filter, args).await
        };
        page.await.transpose()
    }

    /// The nodes that a node reaches over edges that carry traffic or access, with the node itself. An id that the
    /// graph does not have is refused. Null until the run is COMPLETE.
    async fn reachable_from(
        &self,
        ctx: &Context<'_>,
        #[graphql(
            desc = "The id of the node, or `INTERNET` for all nodes that the internet reaches."
        )]
        from: String,
        #[graphql(desc = "Only nodes that match. Defaults to all.")] filter: Option<
            GraphNodeFilter,
        >,
    ) -> Option<Result<GraphNodeConnection, ApiError>> {
        let page = async {
            let filter = filter.unwrap_or_default();
            let args = page_args(ctx.field())?;
            GraphNodeConnection::reached(store(ctx)?, self, &from, filter, args).await
        };
        page.await.transpose()
    }

    /// The shortest path over edges that carry traffic or access. An id that the graph does not have is refused. Null if
    /// there is no path, and until the run is COMPLETE.
    async fn path(
        &self,
        ctx: &Context<'_>,
        #[graphql(
            desc = "The id of the first node, or `INTERNET` for any node that the internet reaches."
        )]
        from: String,
        #[graphql(desc = "The id of the last node.")] to: String,
    ) -> Option<Result<GraphPath, ApiError>> {
        let path = async { GraphPath::between(store(ctx)?, self, &from, &to).await };
        path.await.transpose()
    }

    /// The findings of the risk report, the most severe first. Null until the run is COMPLETE, and if its worker wrote no
    /// report.
    async fn findings(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only findings that match. Defaults to all.")] filter: Option<
            FindingFilter,
        >,
    ) -> Option<Result<FindingConnection, ApiError>> {
        let page = async {
            let filter = filter.unwrap_or_default();
            let args = page_args(ctx.field())?;
            FindingConnection::page(store(ctx)?, self, filter, args).await
        };
        page.await.transpose()
    }

    /// How often a rule is not decided for a node, which is no finding and not clear either. The risk report lists the reasons.
    /// Null until the run is COMPLETE, and if its worker wrote none or does not count them.
    async fn undecided_count(&self, ctx: &Context<'_>) -> Option<Result<u64, ApiError>> {
        let count = async {
            let report = store(ctx)?.report(self).await?;
            Ok(report.and_then(|report| report.undecided))
        };
        count.await.transpose()
    }

    /// What the author of the file should correct, such as comments that suppress nothing. Null until the run is COMPLETE,
    /// and if its worker wrote no report or lists no warnings in it.
    async fn warnings(&self, ctx: &Context<'_>) -> Option<Result<RunWarningConnection, ApiError>> {
        let page = async {
            let args = page_args(ctx.field())?;
            RunWarningConnection::page(store(ctx)?, self, args).await
        };
        page.await.transpose()
    }

    /// Where a worker puts the results of the present attempt. Null for other viewers, and unless the run is PROCESSING.
    async fn worker_uploads(&self, ctx: &Context<'_>) -> Option<Result<WorkerUploads, ApiError>> {
        let uploads = async {
            let uploads = store(ctx)?.worker_uploads(self).await?;
            Ok(uploads.map(|(graph, report)| WorkerUploads {
                graph: graph.into(),
                report: report.into(),
            }))
        };
        uploads.await.transpose()
    }
}
