//! Applications of fixed sizes, so that their capacity is the same in every run.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::ask::{Item, with};
use crate::support::Api;

use super::QUERY;

/// The stages that a large application has: as many as one can have.
pub const STAGES: usize = 30;
/// The entries that a large application's history has.
pub const ENTRIES: usize = 500;

/// Everything in an application's partition, by its sort key.
pub type Partition = BTreeMap<String, Item>;

/// An application that is there.
pub struct Subject {
    pub id: String,
    /// Its stages' ids by their order.
    pub stages: Vec<Value>,
    /// How long its history is.
    pub entries: usize,
}

/// How large the items are, in bytes.
pub struct Sizes {
    pub application: usize,
    pub stage: usize,
    /// A history entry of an application without stages.
    pub entry: usize,
    /// A history entry of an application with [`STAGES`].
    pub large_entry: usize,
}

/// Text of `length` bytes.
pub fn filled(letter: &str, length: usize) -> String {
    letter.repeat(length)
}

/// Everything that an application can have, as input.
pub fn fields() -> Value {
    json!({
        "companyName": filled("c", 20),
        "positionTitle": filled("p", 30),
        "status": "APPLIED",
        "dateApplied": "2026-11-01",
        "offerDueDate": "2026-12-01",
        "companyUrl": "https://company.example/about",
        "jobPostingUrl": "https://company.example/jobs/1",
        "companyCareerUrl": "https://company.example/jobs",
        "companyCategory": "ENTERPRISE_SOFTWARE",
        "jobSource": "LINKEDIN",
        "skillsMatch": 4,
        "coverLetterRequired": true,
        "specialRequirements": "none",
        "notes": filled("n", 30),
        "salaryMin": 100_000,
        "salaryMax": 120_000,
    })
}

/// A stage's name, of one length.
pub fn stage_name(order: usize) -> String {
    format!("Interview stage {order:02}")
}

impl Subject {
    /// What a change reads: the newest history entry with up to three stages, or else these by a Query each.
    pub fn read_by_change(&self) -> (&'static str, u64) {
        if self.stages.len() > 3 {
            ("Query", 3)
        } else {
            QUERY
        }
    }
}

/// Makes an application with so many stages, each a change of its own.
pub async fn make(api: &Api, stages: usize) -> Subject {
    let made = api.create(fields()).await;
    let id = made["id"].as_str().unwrap().to_owned();
    for order in 0..stages {
        api.add_stage(&id, json!({ "name": stage_name(order) }))
            .await;
    }
    subject(api, id, stages + 1).await
}

/// An application with so many stages and entries.
pub async fn grown(api: &Api, stages: usize, entries: usize) -> Subject {
    let made = make(api, stages).await;
    api.grow(&made.id, entries).await;
    Subject { entries, ..made }
}

/// A copy of `template`, with a history of so many entries.
pub async fn copied(api: &Api, template: &Partition, entries: usize) -> Subject {
    let id = copy(api, template, 1).await.remove(0);
    api.grow(&id, entries).await;
    subject(api, id, entries).await
}

/// Copies of `template`, under ids of their own; the ids.
pub async fn copy(api: &Api, template: &Partition, copies: usize) -> Vec<String> {
    let id = template.keys().next().unwrap().trim_start_matches("APP#");
    let copies: Vec<_> = (0..copies).map(|_| Uuid::new_v4().to_string()).collect();
    let mut items = Vec::new();
    for copy in &copies {
        for item in template.values() {
            let value = AttributeValue::M(item.clone());
            items.push(renamed(&value, id, copy).as_m().unwrap().clone());
        }
    }
    api.put_all(items).await;
    copies
}

fn renamed(value: &AttributeValue, from: &str, to: &str) -> AttributeValue {
    match value {
        AttributeValue::S(text) => AttributeValue::S(text.replace(from, to)),
        AttributeValue::L(list) => {
            AttributeValue::L(list.iter().map(|value| renamed(value, from, to)).collect())
        }
        AttributeValue::M(map) => {
            let fields = map.iter();
            AttributeValue::M(
                fields
                    .map(|(name, value)| (name.clone(), renamed(value, from, to)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

async fn subject(api: &Api, id: String, entries: usize) -> Subject {
    const STAGE_IDS: &str = "query($id: ID!) { application(id: $id) { interviewStages { id } } }";
    let data = api.data(STAGE_IDS, json!({ "id": id })).await;
    let stages = data["application"]["interviewStages"].as_array().unwrap();
    let stages = stages.iter().map(|stage| stage["id"].clone()).collect();
    Subject {
        id,
        stages,
        entries,
    }
}

/// The sizes of the items of an application without stages and of one with [`STAGES`].
pub fn sizes(small: &Partition, large: &Partition) -> Sizes {
    let size_of = |partition: &Partition, prefix: &str| {
        let found = partition
            .iter()
            .rev()
            .find(|(key, _)| key.starts_with(prefix));
        size(found.unwrap().1)
    };
    Sizes {
        application: size_of(small, "APP#"),
        stage: size_of(large, "STAGE#"),
        entry: size_of(small, "HIST#"),
        large_entry: size_of(large, "HIST#"),
    }
}

/// An item's size in bytes, as DynamoDB counts it: names and values, a number by its digits.
pub fn size(item: &Item) -> usize {
    let fields = item.iter();
    fields
        .map(|(name, value)| name.len() + value_size(value))
        .sum()
}

fn value_size(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(digits) => digits.len().div_ceil(2) + 1,
        AttributeValue::L(list) => {
            3 + list
                .iter()
                .map(|value| 1 + value_size(value))
                .sum::<usize>()
        }
        AttributeValue::M(map) => 3 + map.len() + size(map),
        _ => 1,
    }
}

/// What an update writes into the notes: as long as what was there.
pub fn other_notes(id: &str, letter: &str) -> Value {
    let length = fields()["notes"].as_str().unwrap().len();
    with(
        json!({ "id": id }),
        json!({ "notes": filled(letter, length) }),
    )
}
