//! *raw*: an axum server that makes the DynamoDB calls of the operations by hand and writes their
//! JSON by hand, with the same SDK. It checks nothing, limits nothing and logs nothing.

mod create;

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes, Put, TransactWriteItem, Update};
use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use chrono::{SecondsFormat, Utc};
use serde_json::{Map, Value, json};
use trestle_applications::TABLE;

type Item = HashMap<String, AttributeValue>;

/// Serves on a free port, which it prints.
pub async fn serve() {
    let router = Router::new()
        .route("/detail", post(detail))
        .route("/list", post(list))
        .route("/stages", post(stages))
        .route("/update", post(update))
        .route("/create", post(create::create))
        .with_state(trestle_dynamodb::connect_aws().await);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("a port");
    println!("http://{}", listener.local_addr().expect("an address"));
    axum::serve(listener, router).await.expect("it serves");
}

const APPLICATION: [&str; 14] = [
    "id",
    "historySequence",
    "companyName",
    "positionTitle",
    "status",
    "dateApplied",
    "jobPostingUrl",
    "companyCategory",
    "notes",
    "salaryMin",
    "salaryMax",
    "isArchived",
    "createdAt",
    "updatedAt",
];
const CARD: [&str; 9] = [
    "id",
    "historySequence",
    "companyName",
    "positionTitle",
    "status",
    "dateApplied",
    "jobPostingUrl",
    "companyCategory",
    "updatedAt",
];
const STAGE: [&str; 6] = [
    "name",
    "order",
    "isCompleted",
    "completedDate",
    "notes",
    "performanceRating",
];
const ENTRY: [&str; 3] = ["sequence", "description", "createdAt"];
const PAGE: usize = 20;
const ENTRIES: usize = 20;
const STAGES: usize = 30;

async fn detail(State(client): State<Client>, Json(asked): Json<Value>) -> Json<Value> {
    let attributes = APPLICATION.iter().chain(&STAGE).chain(&ENTRY);
    let attributes = attributes.chain(&["SK", "applicationId"]);
    let (expression, mut names) = projection(attributes.copied());
    names.insert("#pk".to_owned(), "PK".to_owned());
    let key = format!("APP#{}", asked["id"].as_str().expect("an id"));
    let answer = client
        .query()
        .table_name(TABLE.default_name)
        .key_condition_expression("#pk = :pk")
        .projection_expression(expression)
        .set_expression_attribute_names(Some(names))
        .expression_attribute_values(":pk", AttributeValue::S(key))
        .scan_index_forward(false)
        .limit((STAGES + ENTRIES + 2) as i32)
        .consistent_read(true)
        .send()
        .await
        .expect("an answer");
    let (mut application, mut stages, mut entries) = (Map::new(), Vec::new(), Vec::new());
    for item in answer.items() {
        let sort_key = item["SK"].as_s().expect("a sort key");
        if sort_key.starts_with("STAGE#") {
            stages.push(object(item, &STAGE));
        } else if sort_key.starts_with("HIST#") {
            entries.push(object(item, &ENTRY));
        } else {
            application = object(item, &APPLICATION);
        }
    }
    if application.is_empty() {
        application = read(&client, asked["id"].as_str().expect("an id")).await;
    }
    stages.sort_by_key(|stage| stage["order"].as_i64());
    let more = entries.len() > ENTRIES;
    entries.truncate(ENTRIES);
    let edges: Vec<_> = entries
        .into_iter()
        .map(|node| json!({ "node": node }))
        .collect();
    application.insert("interviewStages".to_owned(), json!(stages));
    application.insert(
        "history".to_owned(),
        json!({ "edges": edges, "pageInfo": { "hasNextPage": more } }),
    );
    Json(json!({ "data": { "application": application } }))
}

/// The application by itself, where its history is longer than what was asked for.
async fn read(client: &Client, id: &str) -> Map<String, Value> {
    let (expression, names) = projection(APPLICATION);
    let key = AttributeValue::S(format!("APP#{id}"));
    let answer = client
        .get_item()
        .table_name(TABLE.default_name)
        .key("PK", key.clone())
        .key("SK", key)
        .projection_expression(expression)
        .set_expression_attribute_names(Some(names))
        .consistent_read(true)
        .send()
        .await
        .expect("an answer");
    object(answer.item().expect("an application"), &APPLICATION)
}

async fn list(State(client): State<Client>) -> Json<Value> {
    let (expression, mut names) = projection(CARD.into_iter().chain(["GSI2SK"]));
    names.insert("#pk".to_owned(), "GSI2PK".to_owned());
    let answer = client
        .query()
        .table_name(TABLE.default_name)
        .index_name("GSI2")
        .key_condition_expression("#pk = :pk")
        .projection_expression(expression)
        .set_expression_attribute_names(Some(names))
        .expression_attribute_values(":pk", AttributeValue::S("ACTIVE".to_owned()))
        .scan_index_forward(false)
        .limit((PAGE + 1) as i32)
        .send()
        .await
        .expect("an answer");
    let items = answer.items();
    let edges: Vec<_> = items
        .iter()
        .take(PAGE)
        .map(|item| json!({ "node": object(item, &CARD) }))
        .collect();
    let page_info = json!({ "hasNextPage": items.len() > PAGE });
    Json(json!({ "data": { "applications": { "edges": edges, "pageInfo": page_info } } }))
}

/// A page of applications, and the stages of each from its newest snapshot: one Query, one BatchGetItem.
async fn stages(State(client): State<Client>) -> Json<Value> {
    let Json(mut page) = list(State(client.clone())).await;
    let edges = page["data"]["applications"]["edges"]
        .as_array_mut()
        .expect("edges");
    let key = |node: &Value| {
        let id = node["id"].as_str().expect("an id");
        let sequence = node["version"].as_i64().expect("a version");
        [
            ("PK".to_owned(), AttributeValue::S(format!("APP#{id}"))),
            (
                "SK".to_owned(),
                AttributeValue::S(format!("HIST#{sequence:08}")),
            ),
        ]
    };
    let keys = edges.iter().map(|edge| HashMap::from(key(&edge["node"])));
    let asked = KeysAndAttributes::builder()
        .set_keys(Some(keys.collect()))
        .projection_expression("PK, #s.#i")
        .expression_attribute_names("#s", "snapshot")
        .expression_attribute_names("#i", "interviewStages")
        .consistent_read(true)
        .build()
        .expect("keys");
    let answer = client
        .batch_get_item()
        .request_items(TABLE.default_name, asked)
        .send()
        .await
        .expect("an answer");
    let items = answer
        .responses
        .and_then(|mut tables| tables.remove(TABLE.default_name));
    let of = |item: &Item| {
        let list = item["snapshot"].as_m().expect("a map")["interviewStages"].as_l();
        let mut stages: Vec<_> = list
            .expect("a list")
            .iter()
            .map(|stage| object(stage.as_m().expect("a map"), &STAGE))
            .collect();
        stages.sort_by_key(|stage| stage["order"].as_i64());
        (item["PK"].as_s().expect("a key").clone(), stages)
    };
    let found: HashMap<_, _> = items.expect("items").iter().map(of).collect();
    for edge in edges {
        let id = edge["node"]["id"].as_str().expect("an id");
        let stages = json!(found[&format!("APP#{id}")]);
        edge["node"]["interviewStages"] = stages;
    }
    Json(page)
}

async fn update(State(client): State<Client>, Json(asked): Json<Value>) -> Json<Value> {
    loop {
        if let Some(application) = try_update(&client, &asked["input"]).await {
            let payload = json!({ "application": application, "userErrors": [] });
            return Json(json!({ "data": { "updateApplication": payload } }));
        }
    }
}

/// `None` where another writer was first.
async fn try_update(client: &Client, input: &Value) -> Option<Value> {
    let (id, notes) = (input["id"].as_str()?, input["notes"].as_str()?);
    let key = AttributeValue::S(format!("APP#{id}"));
    let answer = client
        .query()
        .table_name(TABLE.default_name)
        .key_condition_expression("PK = :pk AND begins_with(SK, :prefix)")
        .expression_attribute_values(":pk", key.clone())
        .expression_attribute_values(":prefix", AttributeValue::S("HIST#".to_owned()))
        .scan_index_forward(false)
        .limit(1)
        .consistent_read(true)
        .send()
        .await
        .expect("an answer");
    let mut entry = answer.items?.pop()?;
    let now = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let before: i64 = entry["sequence"].as_n().ok()?.parse().ok()?;
    let version = AttributeValue::N((before + 1).to_string());
    let snapshot = match entry.get_mut("snapshot")? {
        AttributeValue::M(snapshot) => snapshot,
        _ => return None,
    };
    let updated_before = snapshot.insert("updatedAt".to_owned(), text(&now))?;
    snapshot.insert("notes".to_owned(), text(notes));
    snapshot.insert("historySequence".to_owned(), version.clone());
    let place = text(&format!("UPDATED#{now}#{id}"));
    let update = Update::builder()
        .table_name(TABLE.default_name)
        .key("PK", key.clone())
        .key("SK", key)
        .update_expression(
            "SET notes = :notes, historySequence = :new, updatedAt = :now, GSI1SK = :place, GSI2SK = :place",
        )
        .condition_expression(
            "updatedAt = :then AND #status = :status AND isArchived = :archived AND historySequence = :old",
        )
        .expression_attribute_names("#status", "status")
        .expression_attribute_values(":notes", text(notes))
        .expression_attribute_values(":new", version.clone())
        .expression_attribute_values(":now", text(&now))
        .expression_attribute_values(":place", place)
        .expression_attribute_values(":then", updated_before)
        .expression_attribute_values(":status", snapshot["status"].clone())
        .expression_attribute_values(":archived", snapshot["isArchived"].clone())
        .expression_attribute_values(":old", AttributeValue::N(before.to_string()))
        .build()
        .ok()?;
    for (name, value) in [
        ("SK", text(&format!("HIST#{:08}", before + 1))),
        ("id", text(&uuid::Uuid::new_v4().to_string())),
        ("sequence", version),
        ("description", text("Notes changed")),
        ("createdAt", text(&now)),
    ] {
        entry.insert(name.to_owned(), value);
    }
    let put = Put::builder()
        .table_name(TABLE.default_name)
        .set_item(Some(entry))
        .condition_expression("attribute_not_exists(PK)")
        .build()
        .ok()?;
    client
        .transact_write_items()
        .transact_items(TransactWriteItem::builder().update(update).build())
        .transact_items(TransactWriteItem::builder().put(put).build())
        .send()
        .await
        .ok()?;
    Some(json!({ "id": id, "version": before + 1, "notes": notes, "updatedAt": now }))
}

/// A projection of these attributes, with a name for each: some are reserved words.
fn projection(
    attributes: impl IntoIterator<Item = &'static str>,
) -> (String, HashMap<String, String>) {
    let mut attributes: Vec<_> = attributes.into_iter().collect();
    attributes.sort_unstable();
    attributes.dedup();
    let names = attributes.iter().enumerate();
    let names: Vec<_> = names
        .map(|(at, name)| (format!("#n{at}"), (*name).to_owned()))
        .collect();
    let placeholders: Vec<_> = names
        .iter()
        .map(|(placeholder, _)| placeholder.as_str())
        .collect();
    (placeholders.join(", "), names.into_iter().collect())
}

/// An item's attributes as the API answers them.
fn object(item: &Item, attributes: &[&str]) -> Map<String, Value> {
    let field = |name: &&str| {
        let value = match (*name, item.get(*name)) {
            (_, Some(AttributeValue::N(number))) => {
                json!(number.parse::<i64>().expect("an integer"))
            }
            (_, Some(AttributeValue::Bool(flag))) => json!(flag),
            ("status" | "companyCategory", Some(AttributeValue::S(word))) => {
                json!(word.to_uppercase().replace([' ', '-'], "_"))
            }
            (_, Some(AttributeValue::S(text))) => json!(text),
            _ => Value::Null,
        };
        let name = if *name == "historySequence" {
            "version"
        } else {
            name
        };
        (name.to_owned(), value)
    };
    attributes.iter().map(field).collect()
}
