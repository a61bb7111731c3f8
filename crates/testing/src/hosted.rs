//! Any registered service on a port and tables of its own, asked over real HTTP by whichever viewer a test names.
//! Its calls to DynamoDB are counted at the SDK's connector.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_runtime_api::client::http::SharedHttpConnector;
use axum::http::HeaderMap;
use chrono::DateTime;
use clap::{Command, Parser};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use trestle_api::Service;
use trestle_api::viewer::{Access, Owner, Viewer};
use trestle_dynamodb::Embedded;
use trestle_server::{
    Access as Credentials, Authenticate, NoopObserver, Parts, Server, ServerArgs, Unauthenticated,
};
use trestle_service::{Failure, Registered, ServiceContext, Streams};
use trestle_table::clock::Clock;
use trestle_table::{StreamReader, Table, Tables};

use super::faults::Faults;
use super::{Answer, Calls, Counting};

/// When the tests' clock starts: 2026-02-22T19:12:11Z.
pub const START: i64 = 1_771_787_531;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    server: ServerArgs,
}

/// Believes the header `x-said`: `name read|write role...`. A word `email=ada@example.com` is a verified address, a word
/// `owner=ada` says whose data it works with.
/// Without the header a request is unauthenticated. A WebSocket says it in `x-api-key`, which is among the headers that the
/// server takes for credentials there.
struct Said;

impl Authenticate for Said {
    fn authenticate<'a>(
        &'a self,
        headers: &'a HeaderMap,
    ) -> BoxFuture<'a, Result<Viewer, Unauthenticated>> {
        let said = headers.get("x-said").or_else(|| headers.get("x-api-key"));
        let said = said.and_then(|said| said.to_str().ok());
        let mut words = said.unwrap_or_default().split(' ').map(str::to_owned);
        let access = |word: &str| match word {
            "write" => Ok(Access::Write),
            "read" => Ok(Access::Read),
            _ => Err(Unauthenticated),
        };
        let viewer = match (words.next(), words.next()) {
            (Some(name), Some(word)) => access(&word).map(|access| {
                let (said, roles): (Vec<_>, Vec<_>) = words.partition(|word| word.contains('='));
                let viewer = Viewer::new(name, access).with_roles(roles);
                said.iter()
                    .fold(viewer, |viewer, word| match word.split_once('=') {
                        Some(("email", address)) => viewer.with_email(address),
                        Some(("owner", owner)) => viewer.with_owner(Owner::new(owner)),
                        _ => viewer,
                    })
            }),
            _ => Err(Unauthenticated),
        };
        std::future::ready(viewer).boxed()
    }
}

/// The streams of a store that has none.
pub struct NoStreams;

impl Streams for NoStreams {
    fn open<'s>(&'s self, _: &'s Table) -> BoxFuture<'s, Result<StreamReader, Failure>> {
        std::future::ready(Err(Failure::new("The test has no streams."))).boxed()
    }
}

/// The moment that a test's service takes for now. It moves only when the test moves it.
#[derive(Clone, Debug)]
pub struct TestClock(Arc<AtomicI64>);

impl Default for TestClock {
    fn default() -> Self {
        Self(Arc::new(AtomicI64::new(START * 1000)))
    }
}

impl TestClock {
    /// Moves on by so many seconds.
    pub fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1000, Ordering::SeqCst);
    }

    /// The clock for a service.
    pub fn clock(&self) -> Clock {
        let now = Arc::clone(&self.0);
        Clock::new(move || {
            DateTime::from_timestamp_millis(now.load(Ordering::SeqCst)).expect("a moment")
        })
    }
}

/// A running service. It stops when this is dropped.
pub struct TestServer {
    pub origin: String,
    pub url: String,
    pub http: reqwest::Client,
    /// The client that the service uses, for reading and writing its tables as another program would.
    pub dynamodb: Client,
    pub calls: Calls,
    pub clock: TestClock,
    pub service: Arc<dyn Service>,
    _stop: oneshot::Sender<()>,
}

impl TestServer {
    /// The service as `trestle serve` opens it without options, on an embedded store in memory.
    pub async fn start(service: &'static Registered) -> Self {
        let (client, calls) = memory();
        Self::start_on(service, client, calls, TestClock::default(), &[]).await
    }

    /// The service with these options, on whatever answers `dynamodb`. Its tables are created under their default
    /// names unless they are there.
    pub async fn start_on(
        service: &'static Registered,
        dynamodb: Client,
        calls: Calls,
        clock: TestClock,
        options: &[&str],
    ) -> Self {
        let opened = Self::opened(service, &dynamodb, &clock, options, Duration::ZERO).await;
        Self::serving(opened, dynamodb, calls, clock).await
    }

    /// As [`TestServer::start_on`], on a store whose indexes are behind by `lag` at most.
    pub async fn start_behind_lag(
        service: &'static Registered,
        dynamodb: Client,
        clock: TestClock,
        options: &[&str],
        lag: Duration,
    ) -> Self {
        let opened = Self::opened(service, &dynamodb, &clock, options, lag).await;
        Self::serving(opened, dynamodb, Calls::default(), clock).await
    }

    /// As [`TestServer::start_on`], behind a proxy: the address of a request is that of its `x-forwarded-for`.
    pub async fn start_behind_proxy(
        service: &'static Registered,
        dynamodb: Client,
        calls: Calls,
        clock: TestClock,
        options: &[&str],
    ) -> Self {
        let opened = Self::opened(service, &dynamodb, &clock, options, Duration::ZERO).await;
        Self::serving_with(opened, dynamodb, calls, clock, &["--trusted-proxies=1"]).await
    }

    async fn opened(
        service: &'static Registered,
        dynamodb: &Client,
        clock: &TestClock,
        options: &[&str],
        lag: Duration,
    ) -> Arc<dyn Service> {
        let definitions = service.tables.iter();
        let tables: Vec<_> = definitions
            .map(|definition| {
                Table::new(dynamodb.clone(), definition, definition.default_name)
                    .with_index_lag(lag)
            })
            .collect();
        for table in &tables {
            table.open_or_create().await.expect("the table is created");
        }
        let command = (service.arguments)(Command::new("serve"));
        let arguments = command.get_matches_from(std::iter::once(&"serve").chain(options));
        let context = ServiceContext {
            tables: Tables::new(tables, clock.clock()),
            arguments: &arguments,
            clock: clock.clock(),
            folder: None,
            is_in_memory: true,
            streams: &NoStreams,
        };
        (service.open)(&context).await.expect("the service opens")
    }

    /// A service that a test has opened itself.
    pub async fn serving(
        service: Arc<dyn Service>,
        dynamodb: Client,
        calls: Calls,
        clock: TestClock,
    ) -> Self {
        Self::serving_with(service, dynamodb, calls, clock, &[]).await
    }

    async fn serving_with(
        service: Arc<dyn Service>,
        dynamodb: Client,
        calls: Calls,
        clock: TestClock,
        more: &[&str],
    ) -> Self {
        let flags = [
            "test",
            "--expose-cost",
            "--drain-grace=0ms",
            "--introspection=on",
            "--max-concurrent=1000",
            // A debug build, on a machine that may have other things to do.
            "--request-timeout=60s",
        ];
        let flags = flags.iter().chain(more);
        let parts = Parts {
            services: vec![Arc::clone(&service)],
            authenticate: Arc::new(Said),
            access: Credentials::Authenticated,
            observer: Arc::new(NoopObserver),
            metrics: Arc::new(String::new),
        };
        let server = Server::new(Cli::parse_from(flags).server, parts).expect("valid settings");
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
            origin: format!("http://{address}"),
            url: format!("http://{address}/graphql"),
            http: reqwest::Client::builder()
                .no_proxy()
                .pool_idle_timeout(Duration::from_secs(2))
                .build()
                .expect("a client"),
            dynamodb,
            calls,
            clock,
            service,
            _stop: stop,
        }
    }

    /// Sends one GraphQL request as `viewer` (`name read|write role...` or `Bearer token`; empty for no credentials).
    pub async fn run(&self, viewer: &str, query: &str, variables: Value) -> Answer {
        let mut request = self
            .http
            .post(&self.url)
            .header("x-trestle-cost", "1")
            .json(&json!({ "query": query, "variables": variables }));
        if let Some(token) = viewer.strip_prefix("Bearer ") {
            request = request.bearer_auth(token);
        } else if !viewer.is_empty() {
            request = request.header("x-said", viewer);
        }
        let response = request.send().await.expect("the server answers");
        Answer {
            body: response.json().await.expect("the answer is JSON"),
        }
    }

    /// Every item of a table, as another program would read it.
    #[allow(clippy::disallowed_methods, reason = "a test looks at everything")]
    pub async fn items(&self, table: &str) -> Vec<HashMap<String, AttributeValue>> {
        let mut items = Vec::new();
        let mut start = None;
        loop {
            let scan = self.dynamodb.scan().table_name(table);
            let scan = scan.set_exclusive_start_key(start).send().await;
            let page = scan.expect("the table is read");
            items.extend(page.items.unwrap_or_default());
            start = page.last_evaluated_key;
            if start.is_none() {
                return items;
            }
        }
    }

    /// `data` of a request that must succeed.
    pub async fn data(&self, viewer: &str, query: &str, variables: Value) -> Value {
        self.run(viewer, query, variables).await.data()
    }

    /// Opens a subscription as server-sent events. It may begin to listen a little later than this returns.
    pub async fn events(&self, viewer: &str, query: &str) -> reqwest::Response {
        let mut request = self
            .http
            .post(&self.url)
            .header("accept", "text/event-stream")
            .json(&json!({ "query": query }));
        if !viewer.is_empty() {
            request = request.header("x-said", viewer);
        }
        let response = request.send().await.expect("the server answers");
        assert_eq!(response.status(), 200);
        response
    }
}

/// An embedded store in memory, its calls counted.
pub fn memory() -> (Client, Calls) {
    let calls = Calls::default();
    (embedded(&calls), calls)
}

/// An embedded store in memory behind faults.
pub fn faulty(faults: &Faults) -> Client {
    let store = Embedded::memory().expect("a store in memory");
    store.client_behind(|inner| faults.connector(inner))
}

/// An embedded store in memory whose calls are counted in `calls`.
pub fn embedded(calls: &Calls) -> Client {
    let store = Embedded::memory().expect("a store in memory");
    store.client_behind(|inner| {
        let calls = calls.clone();
        SharedHttpConnector::new(Counting { inner, calls })
    })
}
