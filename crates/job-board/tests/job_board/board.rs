//! A job board on tables of its own, with what tests do again and again. Suggestions are made when a test says so.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use chrono::DateTime;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use trestle_domain::Ulid;
use trestle_job_board::SERVICE;
use trestle_job_board::table::TABLE;
use trestle_service::{Failure, ServiceContext, Streams};
use trestle_table::{StreamReader, Table, Tables};

use trestle_testing::Calls;
use trestle_testing::hosted::{TestClock, TestServer, memory};

pub const ANN: &str = "ann write seeker";
pub const BOB: &str = "bob write seeker";
pub const ERIN: &str = "erin write employer";
pub const ELI: &str = "eli write employer";

pub type Item = HashMap<String, AttributeValue>;

pub struct Board(pub TestServer);

impl std::ops::Deref for Board {
    type Target = TestServer;

    fn deref(&self) -> &TestServer {
        &self.0
    }
}

struct NoStreams;

impl Streams for NoStreams {
    fn open<'s>(&'s self, _: &'s Table) -> BoxFuture<'s, Result<StreamReader, Failure>> {
        std::future::ready(Err(Failure::new("The test has no streams."))).boxed()
    }
}

/// A ULID of a moment, which differs by `n`.
pub fn ulid(moment: &str, n: u128) -> String {
    let moment = DateTime::parse_from_rfc3339(moment).unwrap().to_utc();
    Ulid::of(moment, n).to_string()
}

/// A job that fits the seeker of [`profile`]: R1.
pub fn job() -> Value {
    json!({
        "company": "Acme",
        "title": "Senior Rust Engineer",
        "skills": ["rust", "sql"],
        "places": [{ "city": "Montréal", "country": "CA", "zip": "H2X 1Y4" }],
        "payMin": 100_000,
        "payMax": 120_000,
    })
}

pub fn profile() -> Value {
    json!({
        "name": "Ann",
        "headline": "Rust engineer",
        "skills": ["Rust", "JS"],
        "places": [{ "city": "montreal", "country": "CA", "zip": "H2X 3K8" }],
        "minPay": 90_000,
    })
}

/// `base` with the fields of `changes`.
pub fn with(mut base: Value, changes: Value) -> Value {
    let fields = base.as_object_mut().unwrap();
    fields.extend(changes.as_object().unwrap().clone());
    base
}

/// The nodes of a connection.
pub fn nodes(connection: &Value) -> Vec<Value> {
    let edges = connection["edges"].as_array().unwrap().iter();
    edges.map(|edge| edge["node"].clone()).collect()
}

pub fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{value}"))
        .to_owned()
}

impl Board {
    pub async fn start() -> Self {
        Self::start_with("none").await
    }

    pub async fn start_with(suggestions: &str) -> Self {
        let (client, calls) = memory();
        Self::with(client, calls, suggestions).await
    }

    /// As [`Board::start`], on whatever answers this client.
    pub async fn start_on(client: Client) -> Self {
        Self::with(client, Calls::default(), "none").await
    }

    async fn with(client: Client, calls: Calls, suggestions: &str) -> Self {
        let option = format!("--job-board-suggestions={suggestions}");
        let clock = TestClock::default();
        Self(TestServer::start_on(&SERVICE, client, calls, clock, &[&option]).await)
    }

    /// The result of a mutation with one input.
    pub async fn mutate(&self, viewer: &str, name: &str, input: Value, selection: &str) -> Value {
        let (first, rest) = name.split_at(1);
        let input_type = format!("{}{rest}Input", first.to_uppercase());
        let document = format!(
            "mutation($input: {input_type}!) {{ {name}(input: $input) {{ {selection} userErrors {{ code field message }} }} }}"
        );
        let data = self
            .data(viewer, &document, json!({ "input": input }))
            .await;
        data[name].clone()
    }

    /// The result of a mutation that must succeed.
    pub async fn done(&self, viewer: &str, name: &str, input: Value, selection: &str) -> Value {
        let result = self.mutate(viewer, name, input, selection).await;
        assert_eq!(result["userErrors"], json!([]), "{name}");
        result
    }

    /// The codes of the user errors of a mutation.
    pub async fn codes(&self, viewer: &str, name: &str, input: Value) -> Vec<String> {
        let result = self.mutate(viewer, name, input, "").await;
        let errors = result["userErrors"].as_array().unwrap().iter();
        errors.map(|error| text(&error["code"])).collect()
    }

    /// Posts a job; its id.
    pub async fn post(&self, viewer: &str, job: Value) -> String {
        let posted = self.done(viewer, "createJob", job, "job { id }").await;
        text(&posted["job"]["id"])
    }

    pub async fn save(&self, viewer: &str, profile: Value) {
        self.done(viewer, "saveSeekerProfile", profile, "").await;
    }

    /// Runs a command of the service in this process.
    pub async fn command(&self, arguments: &[&str]) -> Result<std::process::ExitCode, Failure> {
        let named = |command: &&trestle_service::ServiceCommand| {
            (command.command)().get_name() == arguments[0]
        };
        let command = SERVICE.commands.iter().find(named).unwrap();
        let given = (command.command)().get_matches_from(arguments);
        let clock = self.clock.clock();
        let context = ServiceContext {
            tables: self.tables(),
            arguments: &given,
            clock,
            folder: None,
            is_in_memory: true,
            streams: &NoStreams,
        };
        (command.run)(&context).await
    }

    pub fn tables(&self) -> Tables {
        let table = Table::new(self.dynamodb.clone(), &TABLE, TABLE.default_name);
        Tables::new([table], self.clock.clock())
    }

    /// Makes the suggestions that are waiting to be made.
    pub async fn make(&self) {
        self.command(&["suggest"]).await.unwrap();
    }

    /// A seeker's suggestions.
    pub async fn suggestions(&self, viewer: &str) -> Vec<Value> {
        let document = "{ suggestions(first: 100) { edges { node { id relevance score expiresAt
            reasons { rule points text } job { id title isOpen } } } } }";
        nodes(&self.data(viewer, document, json!({})).await["suggestions"])
    }

    /// Posts a job that fits, saves a profile and makes the suggestion; the ids of the job and the suggestion.
    pub async fn suggested(&self) -> (String, String) {
        let posted = self.post(ERIN, job()).await;
        self.save(ANN, profile()).await;
        self.make().await;
        let suggestions = self.suggestions(ANN).await;
        assert_eq!(suggestions.len(), 1);
        (posted, text(&suggestions[0]["id"]))
    }

    /// As [`Board::suggested`], and the seeker is interested; the ids of the job and the interest.
    pub async fn interested(&self) -> (String, String) {
        let (posted, suggestion) = self.suggested().await;
        (posted, self.swipe(ANN, &suggestion, "RIGHT").await)
    }

    /// The id of the interest that a swipe makes.
    pub async fn swipe(&self, viewer: &str, suggestion: &str, direction: &str) -> String {
        let input = json!({ "suggestionId": suggestion, "direction": direction });
        let swiped = self.done(viewer, "swipe", input, "interest { id }").await;
        text(&swiped["interest"]["id"])
    }

    /// As [`Board::interested`], and the employer approves; the id of the match.
    pub async fn matched(&self) -> String {
        let (_, interest) = self.interested().await;
        self.approve(ERIN, &interest).await
    }

    pub async fn approve(&self, viewer: &str, interest: &str) -> String {
        let input = json!({ "id": interest });
        let approved = self
            .done(viewer, "approveInterest", input, "match { id }")
            .await;
        text(&approved["match"]["id"])
    }

    pub async fn send(&self, viewer: &str, of: &str, said: &str) -> String {
        let input = json!({ "matchId": of, "text": said });
        let sent = self
            .done(viewer, "sendMessage", input, "message { id }")
            .await;
        text(&sent["message"]["id"])
    }

    /// Every item of an entity type, as DynamoDB has it.
    pub async fn stored(&self, kind: &str) -> Vec<Item> {
        let mut items = self.items(TABLE.default_name).await;
        items.retain(|item| item["entityType"] == AttributeValue::S(kind.to_owned()));
        items
    }

    /// The sort keys of a partition of the table, or of the index.
    pub async fn partition(&self, index: Option<&str>, partition: &str) -> Vec<String> {
        let (pk, sk) = match index {
            None => ("pk", "sk"),
            Some(_) => ("GSI1PK", "GSI1SK"),
        };
        let query = self.dynamodb.query().table_name(TABLE.default_name);
        let query = query
            .set_index_name(index.map(str::to_owned))
            .key_condition_expression("#pk = :pk")
            .expression_attribute_names("#pk", pk)
            .expression_attribute_values(":pk", AttributeValue::S(partition.to_owned()));
        let items = query.send().await.unwrap().items.unwrap_or_default();
        items
            .iter()
            .map(|item| item[sk].as_s().unwrap().clone())
            .collect()
    }
}
