//! What must hold of a table whatever was done to it, checked on the stored items themselves.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use chrono::{Datelike, NaiveDate};
use serde_json::{Map, Value, json};

use crate::world::World;

const STATUSES: [&str; 8] = [
    "unsubmitted",
    "applied",
    "rejected",
    "interviewing",
    "given offer",
    "accepted offer",
    "declined offer",
    "no offer",
];

/// An application's partition as it is stored.
pub struct Stored {
    pub application: Option<Map<String, Value>>,
    pub stages: Vec<Map<String, Value>>,
    /// By sequence, as the sort keys have it.
    pub history: BTreeMap<u64, Map<String, Value>>,
}

fn value(stored: AttributeValue) -> Value {
    match stored {
        AttributeValue::S(text) => json!(text),
        AttributeValue::N(number) => json!(number.parse::<i64>().expect("an integer")),
        AttributeValue::Bool(flag) => json!(flag),
        AttributeValue::Null(_) => Value::Null,
        AttributeValue::L(list) => list.into_iter().map(value).collect(),
        AttributeValue::M(map) => Value::Object(plain(map)),
        other => panic!("no such type in the contract: {other:?}"),
    }
}

pub fn plain(item: HashMap<String, AttributeValue>) -> Map<String, Value> {
    let mut pairs: Vec<_> = item.into_iter().map(|(k, v)| (k, value(v))).collect();
    pairs.sort_by(|a, b| a.0.cmp(&b.0));
    pairs.into_iter().collect()
}

/// Every item of one partition, of the table or of an index.
pub async fn items(world: &World, index: Option<&str>, partition: &str) -> Vec<Map<String, Value>> {
    let key = index.map_or("PK".to_owned(), |index| format!("{index}PK"));
    let client: &Client = &world.plain;
    let pages = client
        .query()
        .table_name(&world.api.table)
        .set_index_name(index.map(str::to_owned))
        .key_condition_expression("#k = :k")
        .expression_attribute_names("#k", key)
        .expression_attribute_values(":k", AttributeValue::S(partition.to_owned()))
        .into_paginator()
        .items()
        .send()
        .collect::<Result<Vec<_>, _>>()
        .await;
    pages.expect("a query").into_iter().map(plain).collect()
}

pub async fn stored(world: &World, id: &str) -> Stored {
    let mut found = Stored {
        application: None,
        stages: Vec::new(),
        history: BTreeMap::new(),
    };
    for item in items(world, None, &format!("APP#{id}")).await {
        let sort_key = item["SK"].as_str().unwrap().to_owned();
        match sort_key.split_once('#').unwrap() {
            ("HIST", digits) => {
                assert_eq!(digits.len(), 8);
                found.history.insert(digits.parse().unwrap(), item);
            }
            ("STAGE", _) => found.stages.push(item),
            ("APP", _) => found.application = Some(item),
            _ => panic!("no such item in the contract: {sort_key}"),
        }
    }
    found
}

fn without_keys(item: &Map<String, Value>) -> Map<String, Value> {
    const KEYS: [&str; 6] = ["PK", "SK", "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK"];
    let mut item = item.clone();
    item.retain(|name, _| !KEYS.contains(&name.as_str()));
    item
}

/// The history counts from 1 without a gap, tells a change in each entry, and ends with what is stored.
pub async fn check_application(world: &World, id: &str) -> Stored {
    let stored = stored(world, id).await;
    let application = stored.application.as_ref().expect("the application");
    let version = application["historySequence"].as_u64().unwrap();
    let sequences: Vec<_> = stored.history.keys().copied().collect();
    assert_eq!(
        sequences,
        (1..=version).collect::<Vec<_>>(),
        "history of {id}"
    );
    let mut before: Option<Map<String, Value>> = None;
    for (sequence, entry) in &stored.history {
        assert_eq!(entry["sequence"], *sequence);
        let snapshot = entry["snapshot"].as_object().unwrap().clone();
        assert_eq!(snapshot["historySequence"], *sequence);
        if let Some(before) = &before {
            assert!(before["updatedAt"].as_str() < snapshot["updatedAt"].as_str());
            let said = |snapshot: &Map<String, Value>| {
                let mut said = snapshot.clone();
                said.retain(|name, _| name != "updatedAt" && name != "historySequence");
                said
            };
            assert_ne!(
                said(before),
                said(&snapshot),
                "entry {sequence} of {id} tells nothing"
            );
        }
        before = Some(snapshot);
    }
    let mut newest = before.expect("an entry");
    let Some(Value::Array(mut told)) = newest.remove("interviewStages") else {
        panic!("no stages");
    };
    assert_eq!(newest, without_keys(application), "newest snapshot of {id}");
    let mut stages: Vec<_> = stored
        .stages
        .iter()
        .map(without_keys)
        .map(Value::Object)
        .collect();
    let by_id = |stage: &Value| stage["id"].as_str().unwrap().to_owned();
    told.sort_by_key(by_id);
    stages.sort_by_key(by_id);
    assert_eq!(told, stages, "stages of {id}");
    check_index_keys(application, id);
    stored
}

pub fn check_index_keys(application: &Map<String, Value>, id: &str) {
    let archived = application["isArchived"].as_bool().unwrap();
    let status = application["status"].as_str().unwrap();
    let place = format!(
        "UPDATED#{}#{id}",
        application["updatedAt"].as_str().unwrap()
    );
    let partition = format!("STATUS#{status}#ARCHIVED#{}", u8::from(archived));
    assert_eq!(application["GSI1PK"], partition);
    assert_eq!(application["GSI1SK"], place);
    let sparse = |name: &str| application.get(name).cloned();
    assert_eq!(sparse("GSI2PK"), (!archived).then(|| json!("ACTIVE")));
    assert_eq!(sparse("GSI2SK"), (!archived).then(|| json!(place)));
}

/// The counters are what a full count of the indexes says. Answers the ids of all applications.
pub async fn check_counters(world: &World) -> Vec<String> {
    let meta = items(world, None, "META").await;
    let meta = meta.into_iter().find(|item| item["SK"] == "COUNT");
    let meta = meta.unwrap_or_default();
    let counter = |name: &str| meta.get(name).and_then(Value::as_i64).unwrap_or(0);
    let active = items(world, Some("GSI2"), "ACTIVE").await;
    assert_eq!(counter("count"), active.len() as i64, "count");
    let mut ids = Vec::new();
    let mut past_counted: BTreeMap<String, i64> = BTreeMap::new();
    for status in STATUSES {
        for archived in [0, 1] {
            let partition = format!("STATUS#{status}#ARCHIVED#{archived}");
            let found = items(world, Some("GSI1"), &partition).await;
            assert_eq!(counter(&partition), found.len() as i64, "{partition}");
            for item in &found {
                let past = item.get("pastStatuses").and_then(Value::as_array);
                let past = past.into_iter().flatten().filter_map(Value::as_str);
                let mut past: BTreeSet<_> = past.chain([status]).collect();
                if past.iter().any(|past| *past != "unsubmitted") {
                    past.insert("applied");
                }
                if past.contains("accepted offer") {
                    past.insert("given offer");
                }
                past.remove(status);
                for past in past {
                    *past_counted.entry(format!("PAST#{past}")).or_default() += 1;
                }
            }
            ids.extend(
                found
                    .iter()
                    .map(|item| item["id"].as_str().unwrap().to_owned()),
            );
        }
    }
    let past = meta.iter().filter(|(name, _)| name.starts_with("PAST#"));
    let past = past.map(|(name, count)| (name.clone(), count.as_i64().unwrap()));
    let past: BTreeMap<_, _> = past.filter(|(_, count)| *count != 0).collect();
    assert_eq!(past, past_counted, "statuses of the past");
    ids.sort_unstable();
    ids
}

/// The counters of weeks are what a full count of the applications says, one that is archived counted too.
async fn check_weeks(world: &World) {
    let mut counted: BTreeMap<String, i64> = BTreeMap::new();
    for status in STATUSES {
        for archived in [0, 1] {
            let partition = format!("STATUS#{status}#ARCHIVED#{archived}");
            for item in items(world, Some("GSI1"), &partition).await {
                if let Some(day) = item["dateApplied"].as_str() {
                    let week = day.parse::<NaiveDate>().unwrap().iso_week();
                    let counter = format!("APPLIED#{:04} W{:02}", week.year(), week.week());
                    *counted.entry(counter).or_default() += 1;
                }
            }
        }
    }
    let mut stored = BTreeMap::new();
    for item in items(world, None, "INSIGHT").await {
        let sort_key = item["SK"].as_str().unwrap();
        if sort_key.starts_with("APPLIED#") {
            let weeks = item.iter().filter(|(name, _)| name.starts_with('W'));
            let weeks = weeks.map(|(name, count)| (format!("{sort_key} {name}"), count));
            stored.extend(weeks.map(|(name, count)| (name, count.as_i64().unwrap())));
        }
    }
    stored.retain(|_, count| *count != 0);
    assert_eq!(stored, counted, "weeks");
}

/// Everything that must hold of the whole table. Answers the ids of all applications.
pub async fn check_table(world: &World) -> Vec<String> {
    let ids = check_counters(world).await;
    check_weeks(world).await;
    for id in &ids {
        check_application(world, id).await;
    }
    check_pages(world, &ids).await;
    ids
}

/// Pages over every order answer each application once.
async fn check_pages(world: &World, ids: &[String]) {
    const QUERY: &str =
        "query($order: ApplicationOrder!, $archived: ArchivedFilter!, $after: String) {
      applications(orderBy: $order, filter: { archived: $archived }, first: 7, after: $after) {
        edges { node { id isArchived } } pageInfo { endCursor hasNextPage } } }";
    for order in ["UPDATED_AT_DESC", "UPDATED_AT_ASC"] {
        let mut split = Vec::new();
        for archived in ["EXCLUDE", "ONLY", "INCLUDE"] {
            let mut listed = Vec::new();
            let mut after = Value::Null;
            loop {
                let variables = json!({ "order": order, "archived": archived, "after": after });
                let page = world.api.data(QUERY, variables).await["applications"].clone();
                let edges = page["edges"].as_array().unwrap();
                listed.extend(
                    edges
                        .iter()
                        .map(|e| e["node"]["id"].as_str().unwrap().to_owned()),
                );
                if page["pageInfo"]["hasNextPage"] == false {
                    break;
                }
                after = page["pageInfo"]["endCursor"].clone();
            }
            listed.sort_unstable();
            match archived {
                "INCLUDE" => assert_eq!(listed, ids, "{order}"),
                _ => split.extend(listed),
            }
        }
        split.sort_unstable();
        assert_eq!(split, ids, "{order}");
    }
}
