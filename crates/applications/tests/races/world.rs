//! A server on a store that can fail, and its mutations by their names.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::{RetryConfig, RetryPartition};
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Config, Credentials, Region};
use aws_smithy_runtime_api::client::http::SharedHttpConnector;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use trestle_applications::{Applications, Scope, TABLE};
use trestle_dynamodb::Embedded;
use trestle_table::clock::Clock;
use trestle_table::{Meter, Table};

use crate::support::{Api, Calls};
use trestle_testing::faults::Faults;
use trestle_testing::wire::Wire;

/// How often the SDK sends a request in a deployment.
pub const ATTEMPTS: u32 = 3;

const APPLICATION: &str = "application { id version status isArchived notes companyName updatedAt
  interviewStages { id stageId name order isCompleted } }";

/// Whether a code means that the store failed, not the caller.
pub fn is_outage(code: &str) -> bool {
    ["SERVICE_UNAVAILABLE", "OUTCOME_UNKNOWN"].contains(&code)
}

/// The outcome of a mutation.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Its payload.
    Done(Value),
    /// The codes of its user errors.
    Refused(Vec<String>, Value),
    /// The code of the error it ended with: whether it happened is not known.
    Failed(String),
}

impl Outcome {
    pub fn done(self) -> Value {
        match self {
            Outcome::Done(payload) => payload,
            other => panic!("not done: {other:?}"),
        }
    }

    pub fn refused(self) -> (Vec<String>, Value) {
        match self {
            Outcome::Refused(codes, errors) => (codes, errors),
            other => panic!("not refused: {other:?}"),
        }
    }
}

async fn store_on_socket() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let database = dynoxide::Database::memory().unwrap();
    tokio::spawn(dynoxide::server::serve_on(listener, database));
    address
}

fn endpoint(url: &str) -> aws_sdk_dynamodb::config::Builder {
    Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("eu-central-1"))
        .credentials_provider(Credentials::new("test", "test", None, None, "test"))
        .endpoint_url(url)
}

pub struct World {
    pub api: Api,
    pub faults: Faults,
    /// A client without faults, for looking and for writing as another program would.
    pub plain: Client,
    /// By which the service goes.
    pub clock: Clock,
    /// The store, if it is of this process.
    store: Option<Embedded>,
}

impl World {
    /// On an embedded store behind faults.
    pub async fn start(attempts: u32) -> Self {
        Self::start_at(attempts, Clock::system()).await
    }

    /// On an embedded store behind faults, with a clock.
    pub async fn start_at(attempts: u32, clock: Clock) -> Self {
        let store = Embedded::memory().unwrap();
        Self::of(store, attempts, clock).await
    }

    async fn of(store: Embedded, attempts: u32, clock: Clock) -> Self {
        let faults = Faults::none();
        let client = faults.client(SharedHttpConnector::new(store.clone()), attempts);
        let api = Api::start_on(client, Calls::default(), clock.clone()).await;
        Self {
            api,
            faults,
            plain: store.client(),
            clock,
            store: Some(store),
        }
    }

    /// Another process on the same embedded store, with faults of its own.
    pub async fn beside(&self) -> Self {
        let store = self.store.clone().expect("an embedded store");
        Self::of(store, ATTEMPTS, self.clock.clone()).await
    }

    /// On the store that a process left in `folder`.
    #[allow(dead_code, reason = "each test target uses a part of it")]
    pub async fn left_in(folder: &Path) -> Self {
        let plain = Embedded::open(folder).unwrap().client();
        Self::on(plain).await
    }

    /// On a store of its own behind a socket, with the SDK's own HTTP client.
    pub async fn start_on_socket() -> Self {
        Self::at(&format!("http://{}", store_on_socket().await)).await
    }

    /// On a store of its own behind connections that break, with the SDK's own HTTP client, which waits
    /// `patience` for each answer.
    pub async fn start_on_wire(clock: Clock, patience: Duration) -> (Self, Wire) {
        let address = store_on_socket().await;
        let wire = Wire::start(address).await;
        let patience = TimeoutConfig::builder().operation_attempt_timeout(patience);
        let pause = Duration::from_millis(1);
        let broken = endpoint(&format!("http://{}", wire.address))
            .timeout_config(patience.build())
            .retry_config(
                RetryConfig::standard()
                    .with_max_attempts(ATTEMPTS)
                    .with_initial_backoff(pause),
            )
            // The SDK stops retrying when much fails in a partition; tests do not share theirs.
            .retry_partition(RetryPartition::new(uuid::Uuid::new_v4().to_string()));
        let api = Api::start_on(
            Client::from_conf(broken.build()),
            Calls::default(),
            clock.clone(),
        )
        .await;
        let world = Self {
            api,
            faults: Faults::none(),
            plain: Client::from_conf(endpoint(&format!("http://{address}")).build()),
            clock,
            store: None,
        };
        (world, wire)
    }

    /// The same store through a service of its own that has no faults.
    pub async fn without_faults(&self) -> Self {
        Self::on(self.plain.clone()).await
    }

    /// On whatever speaks the protocol at `url`.
    pub async fn at(url: &str) -> Self {
        Self::on(Client::from_conf(endpoint(url).build())).await
    }

    async fn on(plain: Client) -> Self {
        let clock = Clock::system();
        let api = Api::start_on(plain.clone(), Calls::default(), clock.clone()).await;
        Self {
            api,
            faults: Faults::none(),
            plain,
            clock,
            store: None,
        }
    }

    /// The store behind the service, as commands use it.
    pub fn applications(&self) -> Applications {
        let table = Table::new(self.api.dynamodb.clone(), &TABLE, &self.api.table);
        Applications::new(table, Scope::Single, Meter::default(), self.clock.clone())
    }

    /// Runs the mutation `name`.
    pub async fn mutate(&self, name: &str, input: Value) -> Outcome {
        let answered = match name {
            "deleteApplication" => "deletedApplicationId",
            _ => APPLICATION,
        };
        self.mutate_for(name, input, answered).await
    }

    /// Runs the mutation `name` and selects so much of its payload.
    pub async fn mutate_for(&self, name: &str, input: Value, answered: &str) -> Outcome {
        let mut upper = name.to_owned();
        upper[..1].make_ascii_uppercase();
        let query = format!(
            "mutation($input: {upper}Input!) {{ {name}(input: $input) {{ {answered}
               userErrors {{ code message field currentVersion }} }} }}"
        );
        let answer = self.api.run(&query, json!({ "input": input })).await;
        if answer.body.get("errors").is_some() {
            return Outcome::Failed(answer.code().to_owned());
        }
        let payload = answer.body["data"][name].clone();
        let errors = payload["userErrors"].as_array().expect("a list");
        if errors.is_empty() {
            return Outcome::Done(payload);
        }
        let code = |error: &Value| error["code"].as_str().expect("a code").to_owned();
        Outcome::Refused(
            errors.iter().map(code).collect(),
            payload["userErrors"].clone(),
        )
    }

    /// Makes an application without faults, and answers its id.
    pub async fn application(&self, more: Value) -> String {
        let mut input = json!({ "companyName": "Visa", "positionTitle": "Engineer" });
        if let (Some(input), Value::Object(more)) = (input.as_object_mut(), more) {
            input.extend(more);
        }
        let payload = self.mutate("createApplication", input).await.done();
        text(&payload["application"]["id"])
    }

    /// Adds a stage without faults, and answers its global id.
    pub async fn stage(&self, application: &str, name: &str) -> String {
        let input = json!({ "applicationId": application, "name": name });
        let payload = self.mutate("addInterviewStage", input).await.done();
        let stages = payload["application"]["interviewStages"].as_array();
        let added = stages.unwrap().iter().find(|stage| stage["name"] == name);
        text(&added.unwrap()["id"])
    }

    /// The application's version.
    pub async fn version(&self, id: &str) -> Value {
        const QUERY: &str = "query($id: ID!) { application(id: $id) { version } }";
        self.api.data(QUERY, json!({ "id": id })).await["application"]["version"].clone()
    }

    /// The application as it is answered.
    pub async fn read(&self, id: &str) -> Value {
        const QUERY: &str = "query($id: ID!) { application(id: $id) { id version status isArchived
          notes companyName updatedAt interviewStages { id stageId name order isCompleted }
          history(first: 100) { edges { node { sequence description snapshot { notes version } } } } } }";
        self.api.data(QUERY, json!({ "id": id })).await["application"].clone()
    }
}

pub fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}
