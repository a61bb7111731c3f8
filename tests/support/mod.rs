//! A server of the applications service on a port and a table of its own, asked over real HTTP. The calls
//! that reach the store are counted at the SDK's connector, apart from what the service's meter says.

#![allow(dead_code, reason = "each test target uses a part of it")]

pub mod hosted;
pub mod moto;
pub mod stores;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use clap::Parser;
use futures_util::future::BoxFuture;
use http::HeaderMap;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use trestle::api::{Service as _, Viewers};
use trestle::clock::Clock;
use trestle::dynamodb::Embedded;
use trestle::server::{Access, Open, Parts, Server, ServerArgs, Unobserved};
use trestle::services::applications::{self, ApplicationsService};
use trestle::table::Table;
use trestle::viewer::Viewer;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    server: ServerArgs,
}

/// A running service. It stops when this is dropped.
pub struct Api {
    pub url: String,
    /// The client that the service uses, for reading and writing its table as another program would.
    pub dynamodb: Client,
    pub table: String,
    pub calls: Calls,
    http: reqwest::Client,
    _stop: oneshot::Sender<()>,
}

/// What one request was answered.
#[derive(Clone, Debug)]
pub struct Answer {
    pub body: Value,
}

/// What one request asked of DynamoDB, by the service's own meter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    pub reads: u64,
    pub writes: u64,
    pub retries: u64,
    pub read_units: f64,
    pub write_units: f64,
}

/// Everyone may read.
struct Everyone;

impl Viewers for Everyone {
    fn viewer<'a>(&'a self, _headers: &'a HeaderMap) -> BoxFuture<'a, Option<Viewer>> {
        Box::pin(std::future::ready(Some(Viewer::local())))
    }
}

impl Api {
    /// On an embedded store in memory, or what [`stores::STORE`] names.
    pub async fn start() -> Self {
        Self::start_with(Clock::system()).await
    }

    /// On an embedded store in memory, or what [`stores::STORE`] names, with a clock.
    pub async fn start_with(clock: Clock) -> Self {
        let calls = Calls::default();
        let client = match stores::named(&calls).await {
            Some(client) => client,
            None => Self::embedded(&calls),
        };
        Self::start_on(client, calls, clock).await
    }

    fn embedded(calls: &Calls) -> Client {
        let store = Embedded::memory().expect("a store in memory");
        store.client_behind(|inner| {
            let calls = calls.clone();
            SharedHttpConnector::new(Counting { inner, calls })
        })
    }

    /// On whatever answers `client`. The table is created.
    pub async fn start_on(dynamodb: Client, calls: Calls, clock: Clock) -> Self {
        let table = Table::new(dynamodb.clone(), &applications::TABLE, "applications-test");
        table.create().await.expect("the table is created");
        let name = table.name().to_owned();
        let service = ApplicationsService::new(table, clock).hosted();
        service.know_viewers(Arc::new(Everyone));
        let flags = [
            "test",
            "--expose-cost",
            "--drain-grace=0ms",
            "--max-concurrent=1000",
            // A debug build, on a machine that may have other things to do.
            "--request-timeout=60s",
        ];
        let args = Cli::parse_from(flags).server;
        let parts = Parts {
            services: vec![Arc::new(service)],
            authenticate: Arc::new(Open),
            access: Access::Open,
            observer: Arc::new(Unobserved),
            metrics: Arc::new(String::new),
        };
        let server = Server::new(args, parts).expect("the settings are fine");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let (stop, stopped) = oneshot::channel();
        tokio::spawn(async move {
            let router = server.router();
            server
                .serve(listener, router, async { drop(stopped.await) })
                .await;
        });
        calls.reset();
        Self {
            url: format!("http://{address}/graphql"),
            dynamodb,
            table: name,
            calls,
            http: reqwest::Client::builder()
                .no_proxy()
                // The server closes a connection that is idle for longer: it is not to be met half closed.
                .pool_idle_timeout(Duration::from_secs(2))
                .build()
                .expect("a client"),
            _stop: stop,
        }
    }

    /// Sends one GraphQL request.
    pub async fn run(&self, query: &str, variables: Value) -> Answer {
        let request = self
            .http
            .post(&self.url)
            .header("x-trestle-cost", "1")
            .json(&json!({ "query": query, "variables": variables }));
        let response = request.send().await.expect("the server answers");
        Answer {
            body: response.json().await.expect("the answer is JSON"),
        }
    }

    /// Asks for a path beside `/graphql`.
    pub async fn get(&self, path: &str) -> reqwest::Response {
        let url = self.url.replace("/graphql", path);
        self.http.get(url).send().await.expect("the server answers")
    }

    /// Asks for a subscription's events: the answer is there as soon as changes are watched.
    pub async fn events(&self, query: &str) -> reqwest::Response {
        let request = self
            .http
            .post(&self.url)
            .header("accept", "text/event-stream")
            .json(&json!({ "query": query }));
        let response = request.send().await.expect("the server answers");
        assert_eq!(response.status(), 200);
        response
    }

    /// Sends one GraphQL request that has to succeed, and answers its `data`.
    pub async fn data(&self, query: &str, variables: Value) -> Value {
        self.run(query, variables).await.data()
    }
}

impl Answer {
    /// `data`, of an answer without errors.
    pub fn data(&self) -> Value {
        assert!(self.body.get("errors").is_none(), "{:#}", self.body);
        self.body["data"].clone()
    }

    /// `extensions.code` of the first error.
    pub fn code(&self) -> &str {
        self.body["errors"][0]["extensions"]["code"]
            .as_str()
            .unwrap_or("no error")
    }

    /// What the service says that the request cost.
    pub fn cost(&self) -> Cost {
        let cost = &self.body["extensions"]["cost"];
        let count = |name: &str| cost[name].as_u64().expect("a count");
        Cost {
            reads: count("reads"),
            writes: count("writes"),
            retries: count("retries"),
            read_units: cost["readUnits"].as_f64().expect("a number"),
            write_units: cost["writeUnits"].as_f64().expect("a number"),
        }
    }
}

/// How often each DynamoDB operation reached the store, and what that says it consumed.
#[derive(Clone, Debug, Default)]
pub struct Calls(Arc<Mutex<Seen>>);

#[derive(Debug, Default)]
struct Seen {
    counts: BTreeMap<String, u64>,
    read_units: f64,
    write_units: f64,
}

/// The part of the store's answer that tells the capacity.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answered {
    consumed_capacity: Option<Consumed>,
}

/// Of one table, or of each table that a batch or transaction asked.
#[derive(Deserialize)]
#[serde(untagged)]
enum Consumed {
    One(Capacity),
    Each(Vec<Capacity>),
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Capacity {
    capacity_units: f64,
}

impl Calls {
    /// The counts since the last reset.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        self.seen().counts.clone()
    }

    /// The read and the write units since the last reset, by the embedded store's answers.
    pub fn units(&self) -> (f64, f64) {
        let seen = self.seen();
        (seen.read_units, seen.write_units)
    }

    /// Starts again from nothing.
    pub fn reset(&self) {
        *self.seen() = Seen::default();
    }

    /// Counts a request; the name of its operation.
    fn count(&self, request: &HttpRequest) -> String {
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
        *self.seen().counts.entry(operation.clone()).or_default() += 1;
        operation
    }

    /// Adds up what an answer to `operation` says of capacity.
    fn consumed(&self, operation: &str, answer: &[u8]) {
        let Ok(Answered {
            consumed_capacity: Some(consumed),
        }) = serde_json::from_slice(answer)
        else {
            return;
        };
        let units: f64 = match consumed {
            Consumed::One(capacity) => capacity.capacity_units,
            Consumed::Each(each) => each.iter().map(|capacity| capacity.capacity_units).sum(),
        };
        let mut seen = self.seen();
        match operation {
            "GetItem" | "BatchGetItem" | "Query" => seen.read_units += units,
            _ => seen.write_units += units,
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().expect("no panic while counting")
    }
}

struct Counting {
    inner: SharedHttpConnector,
    calls: Calls,
}

impl fmt::Debug for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Counting")
    }
}

impl HttpConnector for Counting {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let operation = self.calls.count(&request);
        let calls = self.calls.clone();
        let answer = self.inner.call(request);
        HttpConnectorFuture::new(async move {
            let answer = answer.await?;
            // What lies in memory; a body that is still to come is not waited for.
            if let Some(body) = answer.body().bytes() {
                calls.consumed(&operation, body);
            }
            Ok(answer)
        })
    }
}
