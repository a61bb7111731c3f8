//! What the clients share: where the server is at the moment, who they are, and how much is acknowledged.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tokio::sync::{Notify, watch};

use super::store::Store;
use crate::authentication::provider::{Key, Provider};
use crate::live::events_client::Events;
use crate::process::Process;

/// A bound on one operation, so that a test which fails ends.
const PATIENCE: Duration = Duration::from_secs(120);

/// Why a try has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// It may have been done: there is no answer, or one that says so.
    Unclear,
    /// The answer says that nothing was done.
    Undone,
}

pub struct World {
    origin: watch::Receiver<String>,
    http: reqwest::Client,
    key: Key,
    wanted: u64,
    pub acknowledged: AtomicU64,
    /// Answers that did not come, or do not say whether something was done.
    pub unclear: AtomicU64,
    /// Changes that subscriptions told.
    pub told: AtomicU64,
    has_failed: AtomicBool,
    progress: Notify,
    /// Whether servers are killed and the store fails no more.
    has_settled: watch::Sender<bool>,
    _provider: Provider,
}

/// The server, of which there is one at a time.
pub struct Servers {
    store: Store,
    arguments: Vec<String>,
    server: Option<Process>,
    origin: watch::Sender<String>,
}

impl Servers {
    /// Starts a server. A database that fails meanwhile would end it, and whoever watches it would start it again.
    pub async fn start(&mut self) {
        self.store.calm();
        let arguments: Vec<_> = self.arguments.iter().map(String::as_str).collect();
        let variables = self.store.variables();
        let mut variables: Vec<_> = variables
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        variables.push(("TRESTLE_LOG", "error"));
        let server = Process::start_with(&arguments, &variables).await;
        let path = server.url.find("/graphql").unwrap();
        let origin = server.url[..path].to_owned();
        self.server = Some(server);
        self.store.fail();
        self.origin.send_replace(origin);
    }

    /// Kills the server with SIGKILL.
    pub async fn kill(&mut self) {
        if let Some(server) = self.server.take() {
            server.kill();
            let log = server.ended().await.log;
            assert!(!log.contains("panicked"), "{log}");
        }
    }

    /// Nothing fails any more, and the indexes have everything.
    pub async fn settle(&self, world: &World) {
        self.store.settle().await;
        world.has_settled.send_replace(true);
    }

    /// What the store has done to the servers, in words.
    pub async fn done(&self) -> String {
        format!(
            "{} faults, {} of them lost answers of writes with another answer after them, {} answers of indexes that were behind, \
             {} children of shards that were listed late",
            self.store.faults(),
            self.store.followed(),
            self.store.behind(),
            self.store.late().await
        )
    }

    /// Stops the server, and looks at what is stored.
    pub async fn check(mut self) {
        self.kill().await;
        self.store.check().await;
    }
}

impl World {
    pub async fn start(store: Store, wanted: u64) -> (Arc<Self>, Servers) {
        let key = Key::ed("k");
        let provider = Provider::start(&[&key]).await;
        let mut arguments: Vec<_> = [
            "--service=applications,graph-runs,job-board,collab-hub,shareables",
            "--tenancy=owner",
            "--jwt-issuer=test",
            "--jwt-audience=test",
            "--requests-per-minute=100000000",
            "--cost-per-minute=4000000000",
            "--max-concurrent=1000",
            "--request-timeout=60s",
            "--graph-runs-pipeline=external",
            "--job-board-suggestions=none",
            "--shareables-pool=0",
            "--shareables-secret=the-same-secret-in-all-processes-0123456789",
            "--shareables-opens-per-minute=1000000",
            "--shareables-hash-memory=8",
        ]
        .map(str::to_owned)
        .into();
        arguments.push(format!("--jwt-jwks-url={}", provider.jwks_url()));
        arguments.extend(store.arguments());
        if let Store::Faulty { .. } = store {
            let services = "applications,graph-runs,job-board,collab-hub,shareables";
            store
                .good(&["table", "create", "--service", services])
                .await;
        }
        let (origin, watched) = watch::channel(String::new());
        let mut servers = Servers {
            store,
            arguments,
            server: None,
            origin,
        };
        servers.start().await;
        let world = Self {
            origin: watched,
            http: reqwest::Client::builder()
                .no_proxy()
                .timeout(PATIENCE)
                .build()
                .unwrap(),
            key,
            wanted,
            acknowledged: AtomicU64::new(0),
            unclear: AtomicU64::new(0),
            told: AtomicU64::new(0),
            has_failed: AtomicBool::new(false),
            progress: Notify::new(),
            has_settled: watch::Sender::new(false),
            _provider: provider,
        };
        (Arc::new(world), servers)
    }

    /// Credentials for a day, of a user whose address is verified.
    pub fn token(&self, name: &str, roles: &[&str]) -> String {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_secs();
        let roles: Vec<_> = ["write"].iter().chain(roles).collect();
        self.key.sign(&json!({
            "iss": "test", "aud": "test", "sub": name, "iat": now - 60, "exp": now + 86_400, "roles": roles,
            "email": format!("{name}@example.com"), "email_verified": true,
        }))
    }

    pub fn is_enough(&self) -> bool {
        self.acknowledged.load(Relaxed) >= self.wanted
    }

    /// Waits until what is stored can be compared with what was acknowledged.
    pub async fn until_settled(&self) {
        let mut settled = self.has_settled.subscribe();
        settled.wait_for(|settled| *settled).await.unwrap();
    }

    /// Waits until so many operations are acknowledged, or all of them.
    pub async fn until(&self, count: u64) {
        while self.acknowledged.load(Relaxed) < count.min(self.wanted) {
            self.progress.notified().await;
        }
    }

    /// Waits until a client has found something wrong.
    pub async fn until_failed(&self) {
        while !self.has_failed.load(Relaxed) {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    pub fn acknowledge(&self) {
        self.acknowledged.fetch_add(1, Relaxed);
        self.progress.notify_one();
    }

    /// The events of a subscription; `None` if the server does not take it.
    pub async fn events(&self, service: &str, token: &str, document: &str) -> Option<Events> {
        const FOR_GOOD: Duration = Duration::from_secs(86_400);
        let mut origin = self.origin.clone();
        let url = format!("{}/{service}/graphql", *origin.borrow_and_update());
        let request = self.http.post(url).bearer_auth(token).timeout(FOR_GOOD);
        let request = request.header("accept", "text/event-stream");
        let answer = request.json(&json!({ "query": document })).send().await;
        match answer {
            Ok(answer) if answer.status() == 200 => Some(Events::of(answer)),
            _ => {
                let _ = tokio::time::timeout(Duration::from_millis(200), origin.changed()).await;
                None
            }
        }
    }

    /// One try.
    pub async fn attempt(
        &self,
        service: &str,
        token: &str,
        document: &str,
        variables: &Value,
    ) -> Result<Value, Unanswered> {
        let mut origin = self.origin.clone();
        let url = format!("{}/{service}/graphql", *origin.borrow_and_update());
        let body = json!({ "query": document, "variables": variables });
        let request = self.http.post(url).bearer_auth(token).json(&body);
        let answered = async { request.send().await?.json::<Value>().await };
        let Ok(answer) = answered.await else {
            // Another server comes, or this one goes on.
            let _ = tokio::time::timeout(Duration::from_millis(200), origin.changed()).await;
            return Err(Unanswered::Unclear);
        };
        let Some(errors) = answer["errors"].as_array() else {
            return Ok(answer["data"].clone());
        };
        let code = errors[0]["extensions"]["code"].as_str().unwrap_or_default();
        let unanswered = match code {
            "OUTCOME_UNKNOWN" => Unanswered::Unclear,
            "SERVICE_UNAVAILABLE" | "CONTENDED" | "RATE_LIMITED" => Unanswered::Undone,
            _ => {
                self.has_failed.store(true, Relaxed);
                panic!("{document}: {answer}");
            }
        };
        tokio::task::yield_now().await;
        Err(unanswered)
    }

    /// Asks until there is an answer that says what became of it.
    pub async fn ask(&self, service: &str, token: &str, document: &str, variables: Value) -> Value {
        let asked = async {
            loop {
                if let Ok(data) = self.attempt(service, token, document, &variables).await {
                    return data;
                }
                self.unclear.fetch_add(1, Relaxed);
            }
        };
        self.patiently(document, asked).await
    }

    /// The payload of a mutation that may be sent again.
    pub async fn mutate(
        &self,
        service: &str,
        token: &str,
        name: &str,
        input: Value,
        selection: &str,
    ) -> Value {
        let data = self
            .ask(
                service,
                token,
                &document(name, selection),
                json!({ "input": input }),
            )
            .await;
        data[name].clone()
    }

    /// As [`World::mutate`], of what must succeed and counts as an operation.
    pub async fn done(
        &self,
        service: &str,
        token: &str,
        name: &str,
        input: Value,
        selection: &str,
    ) -> Value {
        let payload = self.mutate(service, token, name, input, selection).await;
        if payload["userErrors"] != json!([]) {
            self.has_failed.store(true, Relaxed);
            panic!("{name}: {payload}");
        }
        self.acknowledge();
        payload
    }

    /// Marks the run as failed if something does not come.
    pub async fn patiently<T>(&self, what: &str, coming: impl Future<Output = T>) -> T {
        match tokio::time::timeout(PATIENCE, coming).await {
            Ok(come) => come,
            Err(_) => {
                self.has_failed.store(true, Relaxed);
                panic!("it does not come: {what}");
            }
        }
    }

    /// Marks the run as failed unless what was found is what was expected.
    #[track_caller]
    pub fn expect(&self, what: &str, found: &Value, expected: &Value) {
        if found != expected {
            self.has_failed.store(true, Relaxed);
            panic!("{what}: stored {found}, acknowledged {expected}");
        }
    }
}

pub fn document(name: &str, selection: &str) -> String {
    let (first, rest) = name.split_at(1);
    let kind = format!("{}{rest}Input", first.to_uppercase());
    format!(
        "mutation($input: {kind}!) {{ {name}(input: $input) {{ {selection} userErrors {{ code field message }} }} }}"
    )
}

/// A ULID of now.
pub fn ulid() -> String {
    trestle_domain::Ulid::of(chrono::Utc::now(), uuid::Uuid::new_v4().as_u128()).to_string()
}

pub fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("no text: {value}"))
        .to_owned()
}
