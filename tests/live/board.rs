//! The applications service on a port and an embedded store of its own, with the server's flags and the
//! way of authenticating that a test needs.

use std::sync::{Arc, Mutex};

use axum::http::HeaderMap;
use clap::Parser;
use futures_util::future::{BoxFuture, ready};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use trestle_api::viewer::{Access, Viewer};
use trestle_applications::ApplicationsService;
use trestle_dynamodb::Embedded;
use trestle_server::{
    self, Authenticate, NoopObserver, Open, Parts, Server, ServerArgs, Unauthenticated,
};
use trestle_table::Table;
use trestle_table::clock::Clock;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    server: ServerArgs,
}

/// A running server. It stops when this is dropped.
pub struct Board {
    /// Where it answers GraphQL.
    pub url: String,
    http: reqwest::Client,
    stop: Option<oneshot::Sender<()>>,
    ended: JoinHandle<()>,
}

impl Board {
    /// Open to everyone.
    pub async fn start(flags: &[&str]) -> Self {
        Self::start_with(flags, None).await
    }

    /// For those with keys.
    pub async fn start_locked(flags: &[&str], keys: Keys) -> Self {
        Self::start_with(flags, Some(keys)).await
    }

    async fn start_with(flags: &[&str], keys: Option<Keys>) -> Self {
        let client = Embedded::memory().expect("a store in memory").client();
        let table = Table::new(client, &trestle_applications::TABLE, "applications-test");
        table.create().await.expect("the table is created");
        Self::serve(
            ApplicationsService::new(table, Clock::system()),
            flags,
            keys,
        )
        .await
    }

    /// Serves `service`, which has its table.
    pub async fn serve(service: ApplicationsService, flags: &[&str], keys: Option<Keys>) -> Self {
        let flags = [&["test", "--drain-grace=0ms"], flags].concat();
        let args = Cli::parse_from(flags).server;
        let (authenticate, access): (Arc<dyn Authenticate>, _) = match keys {
            Some(keys) => (Arc::new(keys), trestle_server::Access::Authenticated),
            None => (Arc::new(Open), trestle_server::Access::Open),
        };
        let parts = Parts {
            services: vec![Arc::new(service.hosted())],
            authenticate,
            access,
            observer: Arc::new(NoopObserver),
            metrics: Arc::new(String::new),
        };
        let server = Server::new(args, parts).expect("the settings are fine");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let (stop, stopped) = oneshot::channel();
        let ended = tokio::spawn(async move {
            let router = server.router();
            server
                .serve(listener, router, async { drop(stopped.await) })
                .await;
        });
        Self {
            url: format!("http://{address}/graphql"),
            http: reqwest::Client::builder()
                .no_proxy()
                .build()
                .expect("a client"),
            stop: Some(stop),
            ended,
        }
    }

    /// Tells the server to stop, as SIGTERM does.
    pub fn stop(&mut self) {
        drop(self.stop.take());
    }

    /// Waits until the server has stopped.
    pub async fn stopped(self) {
        self.ended.await.expect("the server ends without a panic");
    }

    /// The host and port.
    pub fn host(&self) -> &str {
        self.url
            .trim_start_matches("http://")
            .trim_end_matches("/graphql")
    }

    /// A POST of one operation.
    pub fn post(&self, query: &str, variables: Value) -> reqwest::RequestBuilder {
        self.http
            .post(&self.url)
            .json(&json!({ "query": query, "variables": variables }))
    }

    /// Sends an operation that has to succeed, and answers its `data`.
    pub async fn data(&self, query: &str, variables: Value) -> Value {
        let response = self.post(query, variables).send().await;
        let answer: Value = response.expect("it answers").json().await.expect("JSON");
        assert!(answer.get("errors").is_none(), "{answer:#}");
        answer["data"].clone()
    }

    /// Makes an application and answers its id.
    pub async fn create(&self, company: &str) -> String {
        let create = "mutation($company: String!) { createApplication(input: {
            companyName: $company, positionTitle: \"Engineer\" }) {
            application { id } userErrors { message } } }";
        let data = self.data(create, json!({ "company": company })).await;
        let id = &data["createApplication"]["application"]["id"];
        id.as_str().expect("an id").to_owned()
    }

    /// Writes an application's notes.
    pub async fn note(&self, id: &str, notes: &str) {
        let update = "mutation($id: ID!, $notes: String) {
            updateApplication(input: { id: $id, notes: $notes }) { userErrors { message } } }";
        let data = self.data(update, json!({ "id": id, "notes": notes })).await;
        assert_eq!(data["updateApplication"]["userErrors"], json!([]));
    }
}

/// Who may come in: bearer tokens, which can be withdrawn.
#[derive(Clone, Default)]
pub struct Keys(Arc<Mutex<Vec<(&'static str, Access)>>>);

impl Keys {
    pub fn of(keys: &[(&'static str, Access)]) -> Self {
        Self(Arc::new(Mutex::new(keys.to_vec())))
    }

    pub fn withdraw(&self, key: &str) {
        self.0.lock().unwrap().retain(|(known, _)| *known != key);
    }
}

impl Authenticate for Keys {
    fn authenticate<'a>(
        &'a self,
        headers: &'a HeaderMap,
    ) -> BoxFuture<'a, Result<Viewer, Unauthenticated>> {
        let sent = headers.get("authorization").and_then(|v| v.to_str().ok());
        let key = sent.and_then(|value| value.strip_prefix("Bearer "));
        let keys = self.0.lock().unwrap();
        let known = keys.iter().find(|(known, _)| Some(*known) == key);
        let viewer = known.map(|(key, access)| Viewer::new(*key, *access));
        Box::pin(ready(viewer.ok_or(Unauthenticated)))
    }
}
