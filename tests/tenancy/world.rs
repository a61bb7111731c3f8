//! A server of a table with owners, real credentials, and each way of sending an operation.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use axum::http::HeaderMap;
use chrono::DateTime;
use clap::Parser;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use trestle_api::viewer::{self, Owner, Viewer};
use trestle_api::{Service as _, Viewers};
use trestle_applications::{self, Announcers, ApplicationsService, Changes, Tenancy, claim};
use trestle_dynamodb::Embedded;
use trestle_server::authentication::{AuthenticationArgs, Authenticator, NewKey};
use trestle_server::{Access, Authenticate as _, NoopObserver, Parts, Server, ServerArgs};
use trestle_table::clock::Clock;
use trestle_table::{StreamReader, Table};

use crate::authentication::provider::{Key, Provider};
use crate::tenancy::who::ALICE;
pub use crate::tenancy::who::{Answer, Thing, Transport, Who, secret};
use trestle_testing::socket::Socket;

/// 2026-11-20T12:00:00Z.
const NOON: i64 = 1_795_176_000;
const TABLE: &str = "applications-test";
/// More requests per minute than a test sends.
pub const UNLIMITED: u32 = 1_000_000;

#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    authentication: AuthenticationArgs,
}

/// The server's credentials, for plain HTTP.
struct Known(Arc<Authenticator>);

impl Viewers for Known {
    fn viewer<'a>(&'a self, headers: &'a HeaderMap) -> BoxFuture<'a, Option<Viewer>> {
        Box::pin(async move { self.0.authenticate(headers).await.ok() })
    }
}

/// A running server.
pub struct World {
    pub url: String,
    pub dynamodb: Client,
    http: reqwest::Client,
    signing: Key,
    reader: String,
    _provider: Provider,
    _folder: tempfile::TempDir,
    _stop: oneshot::Sender<()>,
}

impl World {
    /// A server of a table with owners that announces its own changes, on a store of its own.
    pub async fn start() -> Self {
        Self::of(Tenancy::Owner, UNLIMITED).await
    }

    /// The same, of a table of this kind, with so many requests per minute.
    pub async fn of(tenancy: Tenancy, requests: u32) -> Self {
        let client = Embedded::memory().expect("a store in memory").client();
        let table = Table::new(client.clone(), &trestle_applications::TABLE, TABLE);
        table.create().await.expect("the table is created");
        claim(&table, tenancy).await.expect("it is empty");
        let service = ApplicationsService::new(table, Clock::system());
        Self::serve(client, service.with_tenancy(tenancy), requests).await
    }

    /// A server that announces what the stream of its table says.
    pub async fn following(store: &Embedded) -> Self {
        let table = Table::new(store.client(), &trestle_applications::TABLE, TABLE);
        table.create().await.expect("the table is created");
        claim(&table, Tenancy::Owner)
            .await
            .expect("it is empty, or has owners");
        table.enable_stream().await.expect("it has a stream");
        let stream = table
            .stream()
            .await
            .expect("it is there")
            .expect("a stream");
        let reader = StreamReader::open(store.streams_client(), stream).await;
        let changes = Changes::default();
        tokio::spawn(trestle_applications::follow(
            reader.expect("it is read"),
            changes.clone(),
            Tenancy::Owner,
        ));
        let others = Announcers::Others;
        let service = ApplicationsService::watching(table, Clock::system(), changes, others);
        let service = service.with_tenancy(Tenancy::Owner);
        Self::serve(store.client(), service, UNLIMITED).await
    }

    async fn serve(dynamodb: Client, service: ApplicationsService, requests: u32) -> Self {
        let signing = Key::ed("k");
        let provider = Provider::start(&[&signing]).await;
        let folder = tempfile::tempdir().expect("a folder");
        let alice = Owner::new(ALICE);
        let reader = NewKey {
            name: "reader",
            access: viewer::Access::Read,
            roles: &[],
            owner: alice.as_ref(),
        };
        let reader = reader.generate([1; 32]).expect("a key");
        let file = folder.path().join("keys");
        std::fs::write(&file, reader.line).expect("a file");
        let url = provider.jwks_url();
        let flags = Flags::parse_from([
            "test",
            "--drain-grace=0ms",
            "--request-timeout=60s",
            "--max-document-bytes=1000000",
            "--max-fields=5000",
            "--max-aliases=500",
            "--max-tokens=50000",
            "--max-cost=10000000",
            "--cost-per-minute=4000000000",
            "--requests-per-minute",
            &requests.to_string(),
            "--jwt-issuer=test",
            "--jwt-audience=test",
            "--jwt-jwks-url",
            &url,
            "--tenant-claim=owner",
            "--api-keys",
            file.to_str().expect("a path"),
        ]);
        let clock = Clock::new(|| DateTime::from_timestamp(NOON, 0).expect("a moment"));
        let authenticator = Authenticator::from_args(&flags.authentication, clock);
        let authenticator = authenticator.expect("valid settings").expect("credentials");
        let authenticator = Arc::new(authenticator);
        let service = service.hosted();
        service.set_authenticator(Arc::new(Known(authenticator.clone())));
        let parts = Parts {
            services: vec![Arc::new(service)],
            authenticate: authenticator,
            access: Access::Authenticated,
            observer: Arc::new(NoopObserver),
            metrics: Arc::new(String::new),
        };
        let server = Server::new(flags.server, parts).expect("valid settings");
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
            url: format!("http://{address}/graphql"),
            dynamodb,
            http: reqwest::Client::builder()
                .no_proxy()
                .build()
                .expect("a client"),
            signing,
            reader: reader.secret,
            _provider: provider,
            _folder: folder,
            _stop: stop,
        }
    }

    fn credentials(&self, who: Who) -> Option<String> {
        let token = |owner: Option<&str>, roles: &[&str]| {
            let mut claims = json!({
                "iss": "test", "aud": "test", "sub": format!("{who:?}"), "exp": NOON + 600,
                "roles": roles,
            });
            if let Some(owner) = owner {
                claims["owner"] = json!(owner);
            }
            Some(format!("Bearer {}", self.signing.sign(&claims)))
        };
        let all = &["read", "write"];
        match who {
            Who::Alice | Who::Bob => token(Some(who.owner()), all),
            Who::AliceWithoutRoles => token(Some(ALICE), &[]),
            Who::Ownerless => token(None, all),
            Who::AlicesReader => Some(format!("Bearer {}", self.reader)),
            Who::Nobody => None,
        }
    }

    /// A POST of one operation.
    pub fn post(&self, who: Who, document: &str, variables: &Value) -> reqwest::RequestBuilder {
        let body = json!({ "query": document, "variables": variables });
        let request = self.http.post(&self.url).json(&body);
        match self.credentials(who) {
            Some(credentials) => request.header("authorization", credentials),
            None => request,
        }
    }

    /// Asks for another path.
    pub async fn get(&self, who: Who, path: &str) -> (u16, String) {
        let request = self.http.get(self.url.replace("/graphql", path));
        let request = match self.credentials(who) {
            Some(credentials) => request.header("authorization", credentials),
            None => request,
        };
        let response = request.send().await.expect("it answers");
        let status = response.status().as_u16();
        (status, response.text().await.expect("a body"))
    }

    /// A socket of this viewer, unless the server closes it.
    pub async fn socket(&self, who: Who) -> Option<Socket> {
        let credentials = self.credentials(who);
        let headers: Vec<_> = credentials
            .iter()
            .map(|credentials| ("authorization", credentials.as_str()))
            .collect();
        let mut socket = Socket::connect(&self.url, &headers)
            .await
            .expect("a socket");
        socket.say(json!({ "type": "connection_init" })).await;
        if credentials.is_none() {
            assert_eq!(socket.closed().await, 4403);
            return None;
        }
        assert_eq!(socket.hear().await["type"], "connection_ack");
        Some(socket)
    }

    /// Sends a query or mutation.
    pub async fn ask(
        &self,
        transport: Transport,
        who: Who,
        document: &str,
        variables: &Value,
    ) -> Answer {
        match transport {
            Transport::Http => {
                let request = self.post(who, document, variables);
                let request = request.header("accept", "application/json");
                let response = request.send().await;
                let body = response.expect("it answers").json().await.expect("JSON");
                Answer::of(&body)
            }
            Transport::Events => {
                let request = self.post(who, document, variables);
                let request = request.header("accept", "text/event-stream");
                let text = request.send().await.expect("it answers").text().await;
                let text = text.expect("a body");
                let data = text.lines().find_map(|line| line.strip_prefix("data:"));
                let body = data.map_or(text.as_str(), str::trim);
                Answer::of(&serde_json::from_str(body).expect("JSON"))
            }
            Transport::WebSocket => {
                let Some(mut socket) = self.socket(who).await else {
                    return Answer::refused("UNAUTHENTICATED");
                };
                socket.ask("1", document, variables.clone()).await;
                let message = socket.hear().await;
                match message["type"].as_str() {
                    Some("next") => Answer::of(&message["payload"]),
                    Some("error") => Answer::of(&json!({ "errors": message["payload"] })),
                    other => panic!("{other:?}"),
                }
            }
        }
    }

    /// Sends an operation that must succeed.
    pub async fn data(&self, who: Who, document: &str, variables: Value) -> Value {
        let answer = self.ask(Transport::Http, who, document, &variables).await;
        assert!(answer.codes.is_empty(), "{}", answer.text);
        answer.data
    }

    /// A new application with a stage, all of whose texts are its owner's.
    pub async fn thing(&self, of: Who) -> Thing {
        const CREATE: &str = "mutation($input: CreateApplicationInput!) {
            createApplication(input: $input) { application { id } userErrors { message } } }";
        const STAGE: &str = "mutation($input: AddInterviewStageInput!) {
            addInterviewStage(input: $input) { application {
                interviewStages { id } history(first: 1) { edges { node { id } } } }
                userErrors { message } } }";
        let text = secret(of);
        let new = json!({ "input": {
            "companyName": text, "positionTitle": text, "notes": text, "status": "APPLIED",
            "dateApplied": "2026-11-02", "nextAction": text, "nextActionDate": "2026-11-21",
            "offerDueDate": "2026-11-22", "jobPostingUrl": format!("https://{text}.example/"),
        } });
        let made = self.data(of, CREATE, new).await;
        let application = &made["createApplication"]["application"]["id"];
        let stage = json!({ "input": {
            "applicationId": application, "name": text, "notes": text,
            "scheduledAt": "2026-11-23T09:00:00+01:00",
        } });
        let added = self.data(of, STAGE, stage).await;
        let added = &added["addInterviewStage"]["application"];
        let id = |value: &Value| value.as_str().expect("an id").to_owned();
        Thing {
            of,
            application: id(application),
            stage: id(&added["interviewStages"][0]["id"]),
            entry: id(&added["history"]["edges"][0]["node"]["id"]),
        }
    }

    /// Every item, by its key.
    pub async fn items(&self) -> BTreeMap<String, HashMap<String, AttributeValue>> {
        every_item(&self.dynamodb, TABLE).await
    }

    /// Every item of an owner, by its key.
    pub async fn items_of(&self, owner: &str) -> BTreeMap<String, HashMap<String, AttributeValue>> {
        let prefix = format!("USER#{}#", owner.replace('#', "%23"));
        let mut all = self.items().await;
        all.retain(|key, _| key.starts_with(&prefix));
        all
    }
}

/// Every item of a table, by its key.
#[allow(clippy::disallowed_methods, reason = "a test looks at everything")]
pub async fn every_item(
    client: &Client,
    table: &str,
) -> BTreeMap<String, HashMap<String, AttributeValue>> {
    let mut items = BTreeMap::new();
    let mut start = None;
    loop {
        let scan = client.scan().table_name(table);
        let page = scan.set_exclusive_start_key(start).send().await;
        let page = page.expect("the table is read");
        for item in page.items.unwrap_or_default() {
            let part = |name: &str| item[name].as_s().expect("a text").clone();
            items.insert(format!("{} / {}", part("PK"), part("SK")), item);
        }
        start = page.last_evaluated_key;
        if start.is_none() {
            return items;
        }
    }
}
