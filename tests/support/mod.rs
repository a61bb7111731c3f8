//! A server of the applications service on a port and a table of its own, asked over real HTTP. The calls
//! that reach the store are counted at the SDK's connector, apart from what the service's meter says.

#![allow(dead_code, reason = "each test target uses a part of it")]

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::Client;
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use clap::Parser;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use trestle::applications::{self, ApplicationsService};
use trestle::clock::Clock;
use trestle::dynamodb::Embedded;
use trestle::server::{Access, Open, Parts, Server, ServerArgs, Unobserved};
use trestle::table::Table;

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

impl Api {
    /// On an embedded store in memory.
    pub async fn start() -> Self {
        Self::start_with(Clock::system(), |connector| connector).await
    }

    /// On an embedded store in memory, with a clock, and a connector around the store's.
    pub async fn start_with(
        clock: Clock,
        wrap: impl FnOnce(SharedHttpConnector) -> SharedHttpConnector,
    ) -> Self {
        let calls = Calls::default();
        let store = Embedded::memory().expect("a store in memory");
        let client = store.client_behind(|connector| {
            let inner = wrap(connector);
            SharedHttpConnector::new(Counting {
                inner,
                calls: calls.clone(),
            })
        });
        Self::start_on(client, calls, clock).await
    }

    /// On whatever answers `client`. The table is created.
    pub async fn start_on(dynamodb: Client, calls: Calls, clock: Clock) -> Self {
        let table = Table::new(dynamodb.clone(), &applications::TABLE, "applications-test");
        table.create().await.expect("the table is created");
        let name = table.name().to_owned();
        let service = ApplicationsService::new(table, clock);
        let flags = [
            "test",
            "--expose-cost",
            "--drain-grace=0ms",
            "--max-concurrent=1000",
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

/// How often each DynamoDB operation reached the store.
#[derive(Clone, Debug, Default)]
pub struct Calls(Arc<Mutex<BTreeMap<String, u64>>>);

impl Calls {
    /// The counts since the last reset.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        self.0.lock().expect("no panic while counting").clone()
    }

    /// Starts again from nothing.
    pub fn reset(&self) {
        self.0.lock().expect("no panic while counting").clear();
    }

    fn count(&self, request: &HttpRequest) {
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
        *self
            .0
            .lock()
            .expect("no panic while counting")
            .entry(operation)
            .or_default() += 1;
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
        self.calls.count(&request);
        self.inner.call(request)
    }
}
