//! What the tests of this service ask again and again, and its table as another program sees it.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use trestle_applications::{Details, IfEmpty};
use trestle_table::clock::Clock;

use crate::support::{Answer, Api};

/// Every field of an application that lies in its own item.
pub const FIELDS: &str = "id companyName positionTitle status dateApplied offerDueDate companyUrl
  jobPostingUrl companyCareerUrl companyCategory jobSource skillsMatch coverLetterRequired
  specialRequirements notes salaryMin salaryMax isArchived version createdAt updatedAt statusSince";
/// The other fields that lie there: what is stored only if it is set.
pub const MORE_FIELDS: OnlyIfSet = OnlyIfSet;

/// Writes the names of all fields that are stored only if they are set.
pub struct OnlyIfSet;

impl fmt::Display for OnlyIfSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = Details::FIELDS.iter();
        let mut fields = fields.filter(|field| field.if_empty == IfEmpty::Missing);
        fields.try_for_each(|field| write!(f, "{} ", field.name))
    }
}
/// Every field of a stage.
pub const STAGE: &str = "id stageId name order isCompleted completedDate notes performanceRating";

/// An item as it is stored.
pub type Item = HashMap<String, AttributeValue>;

/// A clock that stands still until it is told otherwise.
#[derive(Clone, Debug)]
pub struct Hands(Arc<AtomicI64>);

impl Hands {
    /// A clock that says `moment`.
    pub fn at(moment: &str) -> Self {
        Self(Arc::new(AtomicI64::new(millis(moment))))
    }

    /// Says `moment` from now on.
    pub fn set(&self, moment: &str) {
        self.0.store(millis(moment), SeqCst);
    }

    /// Goes `by` milliseconds on.
    pub fn go(&self, by: i64) {
        self.0.fetch_add(by, SeqCst);
    }

    /// The clock for a service.
    pub fn clock(&self) -> Clock {
        let hands = self.0.clone();
        Clock::new(move || DateTime::<Utc>::from_timestamp_millis(hands.load(SeqCst)).unwrap())
    }
}

fn millis(moment: &str) -> i64 {
    moment.parse::<DateTime<Utc>>().unwrap().timestamp_millis()
}

/// A service whose clock stands at 2026-11-20T09:30:00.000Z.
pub async fn start() -> (Api, Hands) {
    let hands = Hands::at("2026-11-20T09:30:00.000Z");
    let api = Api::start_with(hands.clock()).await;
    (api, hands)
}

/// An application's required fields.
pub fn named(company: &str) -> Value {
    json!({ "companyName": company, "positionTitle": "Engineer" })
}

/// `base` with the fields of `more` over it.
pub fn with(base: Value, more: Value) -> Value {
    let mut base = base;
    let fields = more.as_object().unwrap().clone();
    base.as_object_mut().unwrap().extend(fields);
    base
}

/// An id that names nothing.
pub const NOBODY: &str = "00000000-0000-4000-8000-00000000dead";

impl Api {
    /// Runs a mutation, its payload selected whole.
    pub async fn mutate(&self, name: &str, input: Value) -> Answer {
        let input_type = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
        let stages = format!("interviewStages {{ {STAGE} }}");
        let application = format!("application {{ {FIELDS} {stages} }}");
        let own = match name {
            "deleteApplication" => format!("deletedApplicationId {application}"),
            "addInterviewStage" | "updateInterviewStage" | "completeInterviewStage" => {
                format!("{application} interviewStage {{ {STAGE} }}")
            }
            "removeInterviewStage" => format!("{application} removedInterviewStageId"),
            _ => application,
        };
        let document = format!(
            "mutation($input: {input_type}!) {{ {name}(input: $input) {{
               {own} userErrors {{ code field message currentVersion }} }} }}"
        );
        self.run(&document, json!({ "input": input })).await
    }

    /// The payload of a mutation that has to be done.
    pub async fn done(&self, name: &str, input: Value) -> Value {
        let payload = self.mutate(name, input).await.data()[name].clone();
        assert_eq!(payload["userErrors"], json!([]), "{name}");
        payload
    }

    /// The user errors of a mutation that has to be refused: code and field. Nothing else is answered.
    pub async fn refused(&self, name: &str, input: Value) -> Vec<(String, String)> {
        let payload = self.mutate(name, input).await.data()[name].clone();
        let mut errors = Vec::new();
        let conflict = payload["userErrors"][0]["code"] == "CONFLICT";
        for (key, value) in payload.as_object().unwrap() {
            if key != "userErrors" && !(conflict && key == "application") {
                assert_eq!(*value, json!(null), "{key} of a refused {name}");
            }
        }
        for error in payload["userErrors"].as_array().unwrap() {
            assert!(error["message"].as_str().unwrap().ends_with('.'), "{error}");
            let field = error["field"].as_array().unwrap();
            let field: Vec<_> = field.iter().map(|part| part.as_str().unwrap()).collect();
            errors.push((error["code"].as_str().unwrap().to_owned(), field.join(".")));
        }
        assert!(!errors.is_empty(), "{name} was not refused: {payload:#}");
        errors
    }

    /// Makes an application and answers it.
    pub async fn create(&self, input: Value) -> Value {
        self.done("createApplication", input).await["application"].clone()
    }

    /// Patches an application and answers it.
    pub async fn update(&self, id: &str, changes: Value) -> Value {
        let input = with(json!({ "id": id }), changes);
        self.done("updateApplication", input).await["application"].clone()
    }

    /// Adds a stage and answers it.
    pub async fn add_stage(&self, application: &str, stage: Value) -> Value {
        let input = with(json!({ "applicationId": application }), stage);
        self.done("addInterviewStage", input).await["interviewStage"].clone()
    }

    /// An application with stages and its newest 100 history entries; null where it is not there.
    pub async fn read(&self, id: &str) -> Value {
        let document = format!(
            "query($id: ID!) {{ application(id: $id) {{ {FIELDS} interviewStages {{ {STAGE} }}
               history(first: 100) {{ edges {{ node {{ sequence description createdAt
                 changes {{ field before after interviewStageId }} }} }} }} }} }}"
        );
        self.data(&document, json!({ "id": id })).await["application"].clone()
    }

    /// The descriptions of an application's history, the oldest first.
    pub async fn story(&self, id: &str) -> Vec<String> {
        let application = self.read(id).await;
        let edges = application["history"]["edges"].as_array().unwrap();
        let description = |edge: &Value| edge["node"]["description"].as_str().unwrap().to_owned();
        edges.iter().rev().map(description).collect()
    }

    /// How many applications the counters say there are: active, archived, and by status both.
    pub async fn stats(&self) -> (i64, i64, BTreeMap<String, (i64, i64)>) {
        const STATS: &str =
            "{ applicationStats { active archived byStatus { status active archived } } }";
        let stats = self.data(STATS, json!({})).await["applicationStats"].clone();
        let number = |value: &Value, key: &str| value[key].as_i64().unwrap();
        let by_status = stats["byStatus"].as_array().unwrap().iter().map(|one| {
            let status = one["status"].as_str().unwrap().to_owned();
            (status, (number(one, "active"), number(one, "archived")))
        });
        (
            number(&stats, "active"),
            number(&stats, "archived"),
            by_status.collect(),
        )
    }

    /// The ids of a list's first page of 100.
    pub async fn listed(&self, filter: Value) -> Vec<String> {
        const LIST: &str = "query($filter: ApplicationFilter) {
          applications(filter: $filter, first: 100) { edges { node { id } } } }";
        let data = self.data(LIST, json!({ "filter": filter })).await;
        let edges = data["applications"]["edges"].as_array().unwrap();
        edges
            .iter()
            .map(|edge| edge["node"]["id"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Everything that is stored in an application's partition, by its sort key.
    pub async fn stored(&self, id: &str) -> BTreeMap<String, Item> {
        let query = self
            .dynamodb
            .query()
            .table_name(&self.table)
            .key_condition_expression("PK = :pk")
            .expression_attribute_values(":pk", text(&format!("APP#{id}")))
            .consistent_read(true);
        let mut items = BTreeMap::new();
        let mut start = None;
        loop {
            let page = query
                .clone()
                .set_exclusive_start_key(start)
                .send()
                .await
                .unwrap();
            let sort_key = |item: &Item| item["SK"].as_s().unwrap().clone();
            items.extend(
                page.items()
                    .iter()
                    .map(|item| (sort_key(item), item.clone())),
            );
            start = page.last_evaluated_key;
            if start.is_none() {
                return items;
            }
        }
    }

    /// The application's own stored item.
    pub async fn stored_application(&self, id: &str) -> Item {
        self.stored(id).await[&format!("APP#{id}")].clone()
    }

    /// Writes history entries behind an application's newest one, up to the sequence `to`, as if it had
    /// been changed so often: straight into the table, where each costs a fraction of a mutation.
    pub async fn grow(&self, id: &str, to: usize) {
        let stored = self.stored(id).await;
        let newest = stored.iter().rev().find(|(sk, _)| sk.starts_with("HIST#"));
        let newest = newest.unwrap().1;
        let from: usize = newest["sequence"].as_n().unwrap().parse().unwrap();
        let numbered = |n: usize| {
            let sequence = AttributeValue::N(n.to_string());
            let mut snapshot = newest["snapshot"].as_m().unwrap().clone();
            snapshot.insert("historySequence".to_owned(), sequence.clone());
            let mut entry = newest.clone();
            entry.insert("SK".to_owned(), AttributeValue::S(format!("HIST#{n:08}")));
            entry.insert("sequence".to_owned(), sequence);
            entry.insert("snapshot".to_owned(), AttributeValue::M(snapshot));
            entry
        };
        let mut items: Vec<_> = (from + 1..=to).map(numbered).collect();
        let mut application = stored[&format!("APP#{id}")].clone();
        let sequence = AttributeValue::N(to.max(from).to_string());
        application.insert("historySequence".to_owned(), sequence);
        items.push(application);
        self.put_all(items).await;
    }

    /// Writes items as another program would, many at a time.
    pub async fn put_all(&self, items: Vec<Item>) {
        let write = |item: &Item| {
            let put = PutRequest::builder().set_item(Some(item.clone())).build();
            WriteRequest::builder().put_request(put.unwrap()).build()
        };
        for part in items.chunks(25) {
            let writes = part.iter().map(write).collect();
            let request = self.dynamodb.batch_write_item();
            request
                .request_items(&self.table, writes)
                .send()
                .await
                .unwrap();
        }
    }

    /// The stored counters.
    pub async fn stored_meta(&self) -> Item {
        self.stored_counters("COUNT").await
    }

    /// An item of counters, which has to be there.
    pub async fn stored_counters(&self, sort_key: &str) -> Item {
        let answer = self
            .dynamodb
            .get_item()
            .table_name(&self.table)
            .key(
                "PK",
                text(if sort_key == "COUNT" {
                    "META"
                } else {
                    "INSIGHT"
                }),
            )
            .key("SK", text(sort_key))
            .send()
            .await
            .unwrap();
        answer.item.unwrap()
    }

    /// Deletes an item as another program would.
    pub async fn remove(&self, item: &Item) {
        let delete = self.dynamodb.delete_item().table_name(&self.table);
        let delete = delete
            .key("PK", item["PK"].clone())
            .key("SK", item["SK"].clone());
        delete.send().await.unwrap();
    }

    /// Writes an item as another program would.
    pub async fn put(&self, item: Item) {
        let put = self
            .dynamodb
            .put_item()
            .table_name(&self.table)
            .set_item(Some(item));
        put.send().await.unwrap();
    }
}

/// A string attribute.
pub fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}

/// A number attribute.
pub fn number(value: i64) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

/// The expected user errors in the form of [`Api::refused`].
pub fn errors(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected
        .iter()
        .map(|(code, field)| ((*code).to_owned(), (*field).to_owned()))
        .collect()
}
