//! What a service does from its first mutation to its last: each mutation of its schema, on what those before it made.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use apollo_compiler::Schema;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_runtime_api::client::http::SharedHttpConnector;
use serde_json::{Value, json};
use trestle_dynamodb::Embedded;
use trestle_service::Registered;
use trestle_testing::faults::Faults;
use trestle_testing::hosted::{TestClock, TestServer};
use trestle_testing::lagging::Lagging;

use crate::promises::strangers::schema::document;

pub type Item = HashMap<String, AttributeValue>;
pub type Items = BTreeMap<String, Item>;

/// A mutation that succeeds on these items.
pub struct Step {
    pub mutation: String,
    pub who: String,
    pub input: Value,
    pub before: Items,
    /// Where the bytes of an upload go that the mutation takes.
    pub upload: Option<(Value, String)>,
}

/// What the indexes of a store have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexes {
    Current,
    /// They are behind by at most so much, once [`Story::lagging`] is told to be.
    Behind(Duration),
}

pub struct Story {
    pub service: &'static Registered,
    pub server: TestServer,
    pub faults: Faults,
    pub schema: Schema,
    /// A client of the same store that no fault happens to.
    pub plain: Client,
    pub lagging: Option<Lagging>,
    pub steps: Vec<Step>,
    upload: Option<(Value, String)>,
}

impl Story {
    pub async fn start(service: &'static Registered, indexes: Indexes, options: &[&str]) -> Self {
        let mut store = SharedHttpConnector::new(Embedded::memory().unwrap());
        let (mut lag, mut lagging) = (Duration::ZERO, None);
        if let Indexes::Behind(most) = indexes {
            let behind = Lagging::on(store, Duration::ZERO);
            store = SharedHttpConnector::new(behind.clone());
            (lag, lagging) = (most, Some(behind));
        }
        let faults = Faults::none();
        let client = faults.client(store.clone(), 3);
        let clock = TestClock::default();
        let server = TestServer::start_behind_lag(service, client, clock, options, lag).await;
        Self {
            service,
            server,
            faults,
            schema: Schema::parse((service.sdl)(), "schema.graphql").unwrap(),
            plain: Faults::none().client(store, 3),
            lagging,
            steps: Vec::new(),
            upload: None,
        }
    }

    /// The items of all tables, by their keys.
    #[allow(clippy::disallowed_methods, reason = "a test looks at everything")]
    pub async fn items(&self) -> Items {
        let mut all = Items::new();
        for table in self.service.tables {
            let scan = self.plain.scan().table_name(table.default_name);
            let page = scan.send().await.unwrap();
            assert!(page.last_evaluated_key.is_none(), "more than one page");
            for item in page.items.unwrap_or_default() {
                let [pk, sk] = [table.partition_key, table.sort_key].map(|key| &item[key.name]);
                all.insert(format!("{} {pk:?} {sk:?}", table.default_name), item);
            }
        }
        all
    }

    /// Makes the tables hold these items alone.
    pub async fn reset(&self, wanted: &Items) {
        let there = self.items().await;
        for table in self.service.tables {
            let of_table = format!("{} ", table.default_name);
            let own = |key: &&String| key.starts_with(&of_table);
            for key in there
                .keys()
                .filter(own)
                .filter(|key| !wanted.contains_key(*key))
            {
                let mut delete = self.plain.delete_item().table_name(table.default_name);
                for name in [table.partition_key.name, table.sort_key.name] {
                    delete = delete.key(name, there[key][name].clone());
                }
                delete.send().await.unwrap();
            }
            for key in wanted
                .keys()
                .filter(own)
                .filter(|key| there.get(*key) != wanted.get(*key))
            {
                let put = self.plain.put_item().table_name(table.default_name);
                put.set_item(Some(wanted[key].clone()))
                    .send()
                    .await
                    .unwrap();
            }
        }
    }

    /// Sends a mutation; the body of the answer.
    pub async fn ask(&self, who: &str, mutation: &str, input: &Value) -> Value {
        let document = document(&self.schema, mutation);
        let variables = json!({ "input": input });
        self.server.run(who, &document, variables).await.body
    }

    /// Does a mutation, which must succeed, and keeps what was there before. Its payload.
    pub async fn step(&mut self, who: &str, mutation: &str, input: Value) -> Value {
        let before = self.items().await;
        let answer = self.ask(who, mutation, &input).await;
        assert!(!super::is_refused(&answer), "{mutation}: {answer:#}");
        self.steps.push(Step {
            mutation: mutation.to_owned(),
            who: who.to_owned(),
            input,
            before,
            upload: self.upload.take(),
        });
        answer["data"][mutation].clone()
    }

    /// The first id of a list.
    pub async fn first(&self, who: &str, list: &str) -> Value {
        let query = format!("{{ {list} {{ edges {{ node {{ id }} }} }} }}");
        let data = self.server.data(who, &query, Value::Null).await;
        let name = list.split('(').next().unwrap();
        data[name]["edges"][0]["node"]["id"].clone()
    }

    /// Puts bytes where an upload says, for the next mutation.
    pub async fn upload(&mut self, upload: &Value, bytes: &str) {
        assert_eq!(self.put(upload, bytes).await, 200);
        self.upload = Some((upload.clone(), bytes.to_owned()));
    }

    /// Makes everything what it was before a step.
    pub async fn back_to(&self, step: &Step) {
        self.reset(&step.before).await;
        if let Some((upload, bytes)) = &step.upload {
            // Refused if they are still there.
            self.put(upload, bytes).await;
        }
    }

    async fn put(&self, upload: &Value, bytes: &str) -> u16 {
        let request = self.server.http.put(upload["url"].as_str().unwrap());
        let headers = upload["headers"].as_array().unwrap().iter();
        let request = headers.fold(request, |request, header| {
            let [name, value] = ["name", "value"].map(|field| header[field].as_str().unwrap());
            request.header(name, value)
        });
        let put = request.body(bytes.to_owned()).send().await.unwrap();
        put.status().as_u16()
    }
}
