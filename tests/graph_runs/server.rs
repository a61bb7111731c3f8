//! A server of graph-runs on a port, a table and files of its own, asked over real HTTP by whoever a test says.

#![allow(dead_code, reason = "each file uses a part of it")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use axum::http::HeaderMap;
use chrono::{DateTime, TimeDelta};
use clap::{Args as _, FromArgMatches as _, Parser};
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use object_store::memory::InMemory;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use trestle_api::viewer::{Access, Viewer};
use trestle_dynamodb::Embedded;
use trestle_files::{Files, SigningKey};
use trestle_graph_runs::{Pipeline, Settings};
use trestle_server::{
    Access as Credentials, Authenticate, NoopObserver, Parts, Server, ServerArgs, Unauthenticated,
};
use trestle_table::Table;
use trestle_table::clock::Clock;

use trestle_testing::Answer;

/// When the tests' clock starts.
pub const START: i64 = 1_771_787_531;
/// That, as it stands in keys.
pub const START_TEXT: &str = "2026-02-22T19:12:11Z";

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    server: ServerArgs,
}

/// Who a request says that it is from, without proof: `name read|write role...`.
struct Said;

impl Authenticate for Said {
    fn authenticate<'a>(
        &'a self,
        headers: &'a HeaderMap,
    ) -> BoxFuture<'a, Result<Viewer, Unauthenticated>> {
        let said = headers.get("x-said").and_then(|said| said.to_str().ok());
        let mut words = said.unwrap_or_default().split(' ').map(str::to_owned);
        let viewer = match (words.next(), words.next().as_deref()) {
            (Some(name), Some("write")) => Ok(Viewer::new(name, Access::Write).with_roles(words)),
            (Some(name), Some("read")) => Ok(Viewer::new(name, Access::Read).with_roles(words)),
            _ => Err(Unauthenticated),
        };
        Box::pin(std::future::ready(viewer))
    }
}

/// What an empty command line says, but for the program that analyzes files: the tests' own is another one.
pub fn settings() -> Settings {
    let command = Settings::augment_args(clap::Command::new("graph-runs"));
    let given = command.get_matches_from(["graph-runs"]);
    let mut settings = Settings::from_arg_matches(&given).expect("the defaults");
    settings.worker.program = Some(env!("CARGO_BIN_EXE_trestle").into());
    settings
}

pub const ANN: &str = "ann write";
pub const BOB: &str = "bob write";
pub const WORKER: &str = "pipeline write graph-runs-worker";

/// A running service. It stops when this is dropped.
pub struct Api {
    pub origin: String,
    pub http: reqwest::Client,
    pub dynamodb: aws_sdk_dynamodb::Client,
    pub files: Files,
    clock: Arc<AtomicI64>,
    _stop: oneshot::Sender<()>,
}

impl Api {
    /// With workers elsewhere, and everything in memory.
    pub async fn start() -> Self {
        Self::start_with(Pipeline::External).await
    }

    pub async fn start_with(pipeline: Pipeline) -> Self {
        Self::keeping(pipeline, None).await
    }

    /// With runs that are deleted so many seconds after their start.
    pub async fn keeping(pipeline: Pipeline, seconds: Option<i64>) -> Self {
        let clock = Arc::new(AtomicI64::new(START));
        let mut settings = Settings {
            pipeline,
            stuck_after: TimeDelta::seconds(60),
            max_upload: 64 * 1024,
            max_graph: 1024 * 1024,
            expire_every: Duration::from_millis(100),
            ..settings()
        };
        settings.retention.started = seconds.map(TimeDelta::seconds);
        let now = Arc::clone(&clock);
        let clock_of = Clock::new(move || {
            DateTime::from_timestamp(now.load(Ordering::SeqCst), 0).expect("a moment")
        });
        let key = SigningKey::random().expect("randomness");
        let store = Arc::new(InMemory::new());
        let files = Files::served("graph-runs", store, key, None, clock_of.clone());
        Self::start_on(files, settings, (clock, clock_of)).await
    }

    pub async fn start_on(
        files: Files,
        settings: Settings,
        clock: (Arc<AtomicI64>, Clock),
    ) -> Self {
        let store = Embedded::memory().expect("a store in memory");
        let dynamodb = store.client();
        let table = Table::new(dynamodb.clone(), &trestle_graph_runs::TABLE, "runs-test");
        table.create().await.expect("the table is created");
        Self::start_behind(files, settings, clock, dynamodb).await
    }

    /// On a store whose table exists, and which this client reaches.
    pub async fn start_behind(
        files: Files,
        settings: Settings,
        (clock, clock_of): (Arc<AtomicI64>, Clock),
        dynamodb: aws_sdk_dynamodb::Client,
    ) -> Self {
        let kept = files.clone();
        let table = Table::new(dynamodb.clone(), &trestle_graph_runs::TABLE, "runs-test");
        let service = trestle_graph_runs::service(
            trestle_table::Tables::new([table], clock_of),
            files,
            settings,
        );
        let flags = [
            "test",
            "--expose-cost",
            "--drain-grace=0ms",
            "--max-concurrent=1000",
        ];
        let parts = Parts {
            services: vec![Arc::new(service)],
            authenticate: Arc::new(Said),
            access: Credentials::Authenticated,
            observer: Arc::new(NoopObserver),
            metrics: Arc::new(String::new),
        };
        let server = Server::new(Cli::parse_from(flags).server, parts).expect("fine settings");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let (stop, stopped) = oneshot::channel();
        tokio::spawn(async move {
            let router = server.router();
            server
                .serve(listener, router, async { drop(stopped.await) })
                .await;
        });
        Self {
            origin: format!("http://{address}"),
            http: reqwest::Client::builder()
                .no_proxy()
                .build()
                .expect("a client"),
            dynamodb,
            files: kept,
            clock,
            _stop: stop,
        }
    }

    /// Lets time pass.
    pub fn pass(&self, seconds: i64) {
        self.clock.fetch_add(seconds, Ordering::SeqCst);
    }

    /// One GraphQL request as `viewer`.
    pub async fn run(&self, viewer: &str, query: &str, variables: Value) -> Answer {
        let request = self
            .http
            .post(format!("{}/graph-runs/graphql", self.origin))
            .header("x-said", viewer)
            .header("x-trestle-cost", "1")
            .json(&json!({ "query": query, "variables": variables }));
        let response = request.send().await.expect("the server answers");
        Answer {
            body: response.json().await.expect("the answer is JSON"),
        }
    }

    /// The first field of a request that has to succeed.
    pub async fn field(&self, viewer: &str, query: &str, variables: Value) -> Value {
        let data = self.run(viewer, query, variables).await.data();
        let fields = data.as_object().expect("data is an object");
        fields.values().next().expect("a field").clone()
    }

    /// A mutation of a run by its id, which answers `run` and `userErrors`.
    pub async fn change(&self, viewer: &str, name: &str, mut input: Value, run: &str) -> Value {
        input["runId"] = json!(run);
        let kind = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
        let query = format!(
            "mutation($input: {kind}!) {{ {name}(input: $input) {{ run {{ {RUN} }} userErrors {{ code field message currentVersion }} }} }}"
        );
        self.field(viewer, &query, json!({ "input": input })).await
    }

    /// The keys of all files.
    pub async fn keys(&self) -> Vec<String> {
        let keys = self.files.keys("").map(|key| key.expect("a key"));
        keys.collect().await
    }

    /// Opens a subscription as server-sent events. It may begin to listen a little later than this returns.
    pub async fn events(&self, viewer: &str, query: &str) -> reqwest::Response {
        let request = self
            .http
            .post(format!("{}/graph-runs/graphql", self.origin))
            .header("x-said", viewer)
            .header("accept", "text/event-stream")
            .json(&json!({ "query": query }));
        request.send().await.expect("the server answers")
    }

    /// A new run of `viewer`, and the URL for its file.
    pub async fn create(&self, viewer: &str, input: Value) -> (String, Value) {
        let created = self.field(viewer, CREATE, json!({ "input": input })).await;
        assert_eq!(created["userErrors"], json!([]), "{created:#}");
        let id = created["run"]["runId"].as_str().expect("an id");
        (id.to_owned(), created["upload"].clone())
    }

    /// A new run of `viewer` whose file is there.
    pub async fn uploaded(&self, viewer: &str, format: &str, file: &str) -> String {
        let input = json!({ "environment": "DEV", "iacFormat": format });
        let (id, upload) = self.create(viewer, input).await;
        let put = self.put(&upload, file.as_bytes().to_vec()).await;
        assert_eq!(put.status(), 200);
        id
    }

    /// A run of `viewer` that is being processed.
    pub async fn processing(&self, viewer: &str) -> String {
        let id = self.uploaded(viewer, "HCL", "").await;
        let started = self.change(WORKER, "startRun", json!({}), &id).await;
        assert_eq!(started["run"]["status"], "PROCESSING", "{started:#}");
        id
    }

    /// A complete run of `viewer` with this graph.
    pub async fn complete(&self, viewer: &str, graph: &str) -> String {
        let id = self.processing(viewer).await;
        self.hand_in(&id, graph).await;
        let done = self.change(WORKER, "completeRun", json!({}), &id).await;
        assert_eq!(done["run"]["status"], "COMPLETE", "{done:#}");
        id
    }

    /// A worker uploads a graph.
    pub async fn hand_in(&self, id: &str, graph: &str) {
        let query = "query($id: String!) { run(runId: $id) { workerUploads { graph { url headers { name value } } } } }";
        let run = self.field(WORKER, query, json!({ "id": id })).await;
        let upload = &run["workerUploads"]["graph"];
        assert_eq!(
            self.put(upload, graph.as_bytes().to_vec()).await.status(),
            200
        );
    }

    /// Puts bytes where a signed URL says.
    pub async fn put(&self, signed: &Value, bytes: Vec<u8>) -> reqwest::Response {
        let mut request = self.http.put(signed["url"].as_str().expect("a URL"));
        for header in signed["headers"].as_array().into_iter().flatten() {
            let (name, value) = (header["name"].as_str(), header["value"].as_str());
            request = request.header(name.expect("a name"), value.expect("a value"));
        }
        request.body(bytes).send().await.expect("an answer")
    }
}

pub const RUN: &str = "runId status attempt isStuck createdAt updatedAt processingAt failureReason graphHash summary { nodeCount edgeCount internetExposedCount datastoreCount }";

pub const CREATE: &str = "mutation($input: CreateRunInput!) {
  createRun(input: $input) {
    run { id runId userId status environment iacFormat createdAt attempt provenance { iacCommitSha terraformWorkspace accountId region } }
    upload { url expiresAt headers { name value } }
    userErrors { code field message }
  }
}";

/// `sha256:` of the canonical JSON of a document.
pub fn hash(text: &str) -> String {
    let value: Value = serde_json::from_str(text).expect("JSON");
    let canonical = serde_json_canonicalizer::to_vec(&value).expect("canonical JSON");
    let digest = Sha256::digest(canonical);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}
