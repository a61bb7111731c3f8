//! A create: the application, its first entry, and the counters of statuses and weeks.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, Put, TransactWriteItem, Update};
use axum::Json;
use axum::extract::State;
use chrono::{Datelike as _, NaiveDate, SecondsFormat, Utc};
use serde_json::{Value, json};
use trestle_applications::TABLE;

use super::Item;

/// Attributes that the benchmark gives no value.
const EMPTY: [&str; 8] = [
    "offerDueDate",
    "companyUrl",
    "companyCareerUrl",
    "jobSource",
    "skillsMatch",
    "coverLetterRequired",
    "specialRequirements",
    "notes",
];
/// Attributes that are text in the input.
const TEXTS: [&str; 4] = [
    "companyName",
    "positionTitle",
    "dateApplied",
    "jobPostingUrl",
];

pub async fn create(State(client): State<Client>, Json(asked): Json<Value>) -> Json<Value> {
    let input = &asked["input"];
    let id = input["id"].as_str().expect("an id");
    let status = word(&input["status"]).to_lowercase().replace('_', " ");
    let now = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
    let application = application(input, id, &status, &now);

    let key = text(&format!("APP#{id}"));
    let place = text(&format!("UPDATED#{now}#{id}"));
    let by_status = format!("STATUS#{status}#ARCHIVED#0");
    let mut item = application.clone();
    item.extend([
        ("PK".to_owned(), key.clone()),
        ("SK".to_owned(), key.clone()),
        ("GSI1PK".to_owned(), text(&by_status)),
        ("GSI1SK".to_owned(), place.clone()),
        ("GSI2PK".to_owned(), text("ACTIVE")),
        ("GSI2SK".to_owned(), place),
    ]);
    let mut snapshot = application;
    snapshot.insert("interviewStages".to_owned(), AttributeValue::L(Vec::new()));
    let entry = Item::from([
        ("PK".to_owned(), key),
        ("SK".to_owned(), text(&format!("HIST#{:08}", 1))),
        ("id".to_owned(), text(&uuid::Uuid::new_v4().to_string())),
        ("applicationId".to_owned(), text(id)),
        ("sequence".to_owned(), number(1)),
        ("description".to_owned(), text("Application created")),
        ("createdAt".to_owned(), text(&now)),
        ("snapshot".to_owned(), AttributeValue::M(snapshot)),
    ]);
    let date: NaiveDate = word(&input["dateApplied"]).parse().expect("a date");
    let week = date.iso_week();
    client
        .transact_write_items()
        .transact_items(put(item))
        .transact_items(put(entry))
        .transact_items(count("META", "COUNT", &["count", &by_status]))
        .transact_items(count(
            "INSIGHT",
            &format!("APPLIED#{:04}", week.year()),
            &[&format!("W{:02}", week.week())],
        ))
        .send()
        .await
        .expect("it is created");
    let application = json!({
        "id": id, "version": 1, "companyName": input["companyName"], "status": input["status"], "createdAt": now,
    });
    let payload = json!({ "application": application, "userErrors": [] });
    Json(json!({ "data": { "createApplication": payload } }))
}

fn application(input: &Value, id: &str, status: &str, now: &str) -> Item {
    let category = word(&input["companyCategory"])
        .to_lowercase()
        .replace('_', "-");
    let salary = |name: &str| number(input[name].as_i64().expect("a number"));
    let empty = EMPTY
        .iter()
        .map(|name| ((*name).to_owned(), AttributeValue::Null(true)));
    let texts = TEXTS
        .iter()
        .map(|name| ((*name).to_owned(), text(word(&input[*name]))));
    let mut item: Item = empty.chain(texts).collect();
    let given: HashMap<_, _> = HashMap::from([
        ("id", text(id)),
        ("status", text(status)),
        ("companyCategory", text(&category)),
        ("salaryMin", salary("salaryMin")),
        ("salaryMax", salary("salaryMax")),
        ("isArchived", AttributeValue::Bool(false)),
        ("historySequence", number(1)),
        ("createdAt", text(now)),
        ("updatedAt", text(now)),
        ("statusSince", text(now)),
        ("statusSinceStatus", text(status)),
    ]);
    item.extend(
        given
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value)),
    );
    item
}

fn put(item: Item) -> TransactWriteItem {
    let put = Put::builder()
        .table_name(TABLE.default_name)
        .set_item(Some(item));
    let put = put.condition_expression("attribute_not_exists(PK)").build();
    TransactWriteItem::builder()
        .put(put.expect("an item"))
        .build()
}

/// Adds one to counters of an item.
fn count(pk: &str, sk: &str, counters: &[&str]) -> TransactWriteItem {
    let adds: Vec<_> = (0..counters.len()).map(|n| format!("#c{n} :one")).collect();
    let mut update = Update::builder()
        .table_name(TABLE.default_name)
        .key("PK", text(pk))
        .key("SK", text(sk))
        .update_expression(format!("ADD {}", adds.join(", ")))
        .expression_attribute_values(":one", number(1));
    for (n, counter) in counters.iter().enumerate() {
        update = update.expression_attribute_names(format!("#c{n}"), *counter);
    }
    let update = update.build().expect("an update");
    TransactWriteItem::builder().update(update).build()
}

fn word(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn text(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

fn number(number: i64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}
