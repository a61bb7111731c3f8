//! A server on a port of its own, with a service made for what the tests ask.

pub mod service;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use clap::Parser;
use futures_util::future::BoxFuture;
use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;
use trestle_api::viewer::{self, Viewer};
use trestle_server::{
    Access, Authenticate, ConfigError, Observer, Open, Parts, RequestRecord, Server, ServerArgs,
    Unauthenticated,
};

use self::service::{Probe, TestService};

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    server: ServerArgs,
}

/// The settings that these flags mean.
pub fn args(flags: &[&str]) -> ServerArgs {
    let quick: &[&str] = if flags.contains(&"--drain-grace") {
        &[]
    } else {
        &["--drain-grace=0ms"]
    };
    Cli::parse_from(["test"].iter().chain(quick).chain(flags)).server
}

/// A server that answers until it is dropped or stopped.
pub struct Running {
    pub address: SocketAddr,
    pub client: reqwest::Client,
    pub probe: Probe,
    pub records: Arc<Records>,
    stop: Option<oneshot::Sender<()>>,
    pub ended: JoinHandle<()>,
}

/// A server with these flags that asks for no credentials.
pub async fn start(flags: &[&str]) -> Running {
    start_with(flags, Arc::new(Open), Access::Open).await
}

/// A server with these flags and this way of telling viewers apart.
pub async fn start_with(
    flags: &[&str],
    authenticate: Arc<dyn Authenticate>,
    access: Access,
) -> Running {
    let probe = Probe::default();
    let records = Arc::new(Records::default());
    let parts = parts(&probe, authenticate, access, Arc::clone(&records));
    let server = Server::new(args(flags), parts).expect("the settings are fine");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let (stop, stopped) = oneshot::channel::<()>();
    let ended = tokio::spawn(async move {
        let router = server.router();
        server
            .serve(listener, router, async { drop(stopped.await) })
            .await;
    });
    let client = reqwest::Client::new();
    Running {
        address,
        client,
        probe,
        records,
        stop: Some(stop),
        ended,
    }
}

/// What `Server::new` says to these flags.
pub fn refusal(flags: &[&str], access: Access) -> Option<ConfigError> {
    let probe = Probe::default();
    let parts = parts(&probe, Arc::new(Open), access, Arc::default());
    Server::new(args(flags), parts).err()
}

fn parts(
    probe: &Probe,
    authenticate: Arc<dyn Authenticate>,
    access: Access,
    observer: Arc<Records>,
) -> Parts {
    Parts {
        services: vec![Arc::new(TestService::new(probe.clone()))],
        authenticate,
        access,
        observer,
        metrics: Arc::new(|| "# EOF\n".to_owned()),
    }
}

impl Running {
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Posts a JSON body as most clients do.
    pub async fn post(&self, body: Value) -> Answer {
        self.post_as(body, HeaderMap::new()).await
    }

    pub async fn post_as(&self, body: Value, headers: HeaderMap) -> Answer {
        let request = self
            .client
            .post(self.url("/graphql"))
            .headers(headers)
            .json(&body);
        Answer::read(request.send().await.expect("an answer")).await
    }

    /// Posts a document, and gets what the stricter media type says of it.
    pub async fn query(&self, document: &str) -> Answer {
        let accept = HeaderValue::from_static("application/graphql-response+json");
        self.post_as(
            json!({ "query": document }),
            HeaderMap::from_iter([(ACCEPT, accept)]),
        )
        .await
    }

    /// What comes back for these bytes until the server closes the connection.
    pub async fn raw(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address).await.expect("it listens");
        stream
            .write_all(request.as_bytes())
            .await
            .expect("it reads");
        let mut answer = String::new();
        stream
            .read_to_string(&mut answer)
            .await
            .expect("it answers");
        answer
    }

    /// The server still answers others.
    pub async fn still_answers(&self) {
        let answer = self.query("{ hello }").await;
        assert_eq!(answer.body, json!({ "data": { "hello": "Hello, world" } }));
    }

    /// Tells the server to stop.
    pub fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }
}

const ACCEPT: reqwest::header::HeaderName = reqwest::header::ACCEPT;

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Answer {
    pub async fn read(response: reqwest::Response) -> Self {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let text = response.text().await.expect("a body");
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Self {
            status,
            headers,
            body,
        }
    }

    /// The first error's code.
    pub fn code(&self) -> Option<&str> {
        self.body["errors"][0]["extensions"]["code"].as_str()
    }

    pub fn message(&self) -> &str {
        self.body["errors"][0]["message"]
            .as_str()
            .unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The request was refused before anything ran, with this code.
    #[track_caller]
    pub fn assert_refused(&self, status: u16, code: &str) {
        assert_eq!(
            (self.status, self.code()),
            (status, Some(code)),
            "{}",
            self.body
        );
        assert!(self.body.get("data").is_none(), "{}", self.body);
    }
}

/// The records of the requests that have ended.
#[derive(Default)]
pub struct Records {
    ended: Mutex<Vec<RequestRecord>>,
    changed: Notify,
}

impl Observer for Records {
    fn finished(&self, record: &RequestRecord) {
        self.ended.lock().unwrap().push(record.clone());
        self.changed.notify_waiters();
    }
}

impl Records {
    /// The first `count` records, once there are as many.
    pub async fn first(&self, count: usize) -> Vec<RequestRecord> {
        loop {
            let changed = self.changed.notified();
            {
                let ended = self.ended.lock().unwrap();
                if ended.len() >= count {
                    return ended[..count].to_vec();
                }
            }
            changed.await;
        }
    }
}

/// Viewers by the header `authorization: Bearer NAME`; `reader` may only read, `scraper` may only read metrics, `wrong`
/// is nobody.
pub struct ByName;

impl Authenticate for ByName {
    fn authenticate<'a>(
        &'a self,
        headers: &'a axum::http::HeaderMap,
    ) -> BoxFuture<'a, Result<Viewer, Unauthenticated>> {
        Box::pin(async move {
            let value = headers
                .get("authorization")
                .and_then(|value| value.to_str().ok());
            match value.and_then(|value| value.strip_prefix("Bearer ")) {
                None | Some("wrong") => Err(Unauthenticated),
                Some("reader") => Ok(Viewer::new("reader", viewer::Access::Read)),
                Some("scraper") => {
                    Ok(Viewer::new("scraper", viewer::Access::None)
                        .with_roles(["metrics".to_owned()]))
                }
                Some(name) => Ok(Viewer::new(name, viewer::Access::Write)),
            }
        })
    }
}

/// The header that makes a request `name`'s.
pub fn bearer(name: &str) -> HeaderMap {
    let value = HeaderValue::from_str(&format!("Bearer {name}")).expect("a plain name");
    HeaderMap::from_iter([(reqwest::header::AUTHORIZATION, value)])
}
