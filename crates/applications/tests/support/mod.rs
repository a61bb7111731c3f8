//! A server of the applications service on a port and a table of its own, asked over real HTTP. The calls
//! that reach the store are counted at the SDK's connector, apart from what the service's meter says.

#![allow(dead_code, reason = "each test target uses a part of it")]

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use clap::Parser;
use futures_util::future::BoxFuture;
use http::HeaderMap;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use trestle_api::viewer::Viewer;
use trestle_api::{Service as _, Viewers};
use trestle_applications::ApplicationsService;
use trestle_server::{Access, NoopObserver, Open, Parts, Server, ServerArgs};
use trestle_table::Table;
use trestle_table::clock::Clock;
#[allow(unused_imports, reason = "each test target uses a part of it")]
pub use trestle_testing::{Answer, Calls, hosted, moto, stores};

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
            None => hosted::embedded(&calls),
        };
        Self::start_on(client, calls, clock).await
    }

    /// On whatever answers `client`. The table is created.
    pub async fn start_on(dynamodb: Client, calls: Calls, clock: Clock) -> Self {
        Self::start_set(dynamodb, calls, |table| {
            ApplicationsService::new(table, clock)
        })
        .await
    }

    /// On whatever answers `client`, with a service that is set otherwise. The table is created.
    pub async fn start_set(
        dynamodb: Client,
        calls: Calls,
        service: impl FnOnce(Table) -> ApplicationsService,
    ) -> Self {
        let table = Table::new(
            dynamodb.clone(),
            &trestle_applications::TABLE,
            "applications-test",
        );
        table.create().await.expect("the table is created");
        let name = table.name().to_owned();
        let service = service(table).hosted();
        service.set_authenticator(Arc::new(Everyone));
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
            observer: Arc::new(NoopObserver),
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
