//! Things by their ids: opaque, typed and stable.

use serde_json::{Value, json};

use crate::ask::{NOBODY, named, start, with};
use crate::support::Api;

const NODES: &str = "query($ids: [ID!]!) { nodes(ids: $ids) { __typename id
  ... on Application { companyName notes interviewStages { name } }
  ... on InterviewStage { name order }
  ... on HistoryEntry { sequence description changes { field before after }
                        snapshot { companyName interviewStages { name } } } } }";

/// An application with a stage and three entries: the ids of itself, its stage and its newest entry.
async fn three(api: &Api, company: &str) -> [Value; 3] {
    let made = api
        .create(with(named(company), json!({ "notes": "n" })))
        .await;
    let id = made["id"].as_str().unwrap();
    api.update(id, json!({ "notes": "m" })).await;
    let stage = api.add_stage(id, json!({ "name": "Onsite" })).await;
    const ENTRY: &str = "query($id: ID!) {
      application(id: $id) { history(first: 1) { edges { node { id } } } } }";
    let data = api.data(ENTRY, json!({ "id": id })).await;
    let entry = data["application"]["history"]["edges"][0]["node"]["id"].clone();
    [made["id"].clone(), stage["id"].clone(), entry]
}

#[tokio::test]
async fn all_three_types_are_found_by_their_ids() {
    let (api, _) = start().await;
    let ids = three(&api, "Visa").await;
    let data = api.data(NODES, json!({ "ids": ids })).await;
    let application = json!({
        "__typename": "Application", "id": ids[0], "companyName": "Visa", "notes": "m",
        "interviewStages": [{ "name": "Onsite" }],
    });
    let stage =
        json!({ "__typename": "InterviewStage", "id": ids[1], "name": "Onsite", "order": 0 });
    let entry = json!({
        "__typename": "HistoryEntry", "id": ids[2], "sequence": 3,
        "description": "Interview stage \"Onsite\" added",
        "changes": [
            { "field": "name", "before": null, "after": "Onsite" },
            { "field": "order", "before": null, "after": "0" },
            { "field": "isCompleted", "before": null, "after": "false" },
        ],
        "snapshot": { "companyName": "Visa", "interviewStages": [{ "name": "Onsite" }] },
    });
    let expected = [application, stage, entry];
    assert_eq!(data["nodes"], json!(expected));
    let one = NODES
        .replace("$ids: [ID!]!", "$id: ID!")
        .replace("nodes(ids: $ids)", "node(id: $id)");
    for (id, expected) in ids.iter().zip(expected) {
        assert_eq!(api.data(&one, json!({ "id": id })).await["node"], expected);
    }
}

#[tokio::test]
async fn ids_are_typed_and_tell_nothing() {
    let (api, _) = start().await;
    let [application, stage, entry] = three(&api, "Visa").await;
    const BY_ID: &str = "query($id: ID!) { application(id: $id) { id } }";
    for other in [&stage, &entry] {
        let data = api.data(BY_ID, json!({ "id": other })).await;
        assert_eq!(data["application"], json!(null));
        let text = other.as_str().unwrap();
        for part in ["APP", "STAGE", "HIST", application.as_str().unwrap()] {
            assert!(!text.contains(part), "{text} shows {part}");
        }
        assert!(
            text.chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)),
            "{text}"
        );
    }
}

#[tokio::test]
async fn what_is_missing_is_null_in_its_place() {
    let (api, _) = start().await;
    let [visa, stage, entry] = three(&api, "Visa").await;
    let [other, ..] = three(&api, "Mastercard").await;
    let chopped = &stage.as_str().unwrap()[..20];
    let padded = format!("{}=", entry.as_str().unwrap());
    let ids = json!([
        NOBODY, visa, "", "nonsense", other, chopped, padded, visa, "APP#1", "ä"
    ]);
    const IDS: &str = "query($ids: [ID!]!) { nodes(ids: $ids) { id } }";
    let data = api.data(IDS, json!({ "ids": ids })).await;
    let id = |id: &Value| json!({ "id": id });
    let expected = json!([
        null,
        id(&visa),
        null,
        null,
        id(&other),
        null,
        null,
        id(&visa),
        null,
        null
    ]);
    assert_eq!(data["nodes"], expected);
    assert_eq!(
        api.data(IDS, json!({ "ids": [] })).await["nodes"],
        json!([])
    );

    // What belongs to an application that is gone is gone with it, even if its items are left.
    api.dynamodb
        .delete_item()
        .table_name(&api.table)
        .key(
            "PK",
            crate::ask::text(&format!("APP#{}", visa.as_str().unwrap())),
        )
        .key(
            "SK",
            crate::ask::text(&format!("APP#{}", visa.as_str().unwrap())),
        )
        .send()
        .await
        .unwrap();
    let data = api.data(IDS, json!({ "ids": [visa, stage, entry] })).await;
    assert_eq!(data["nodes"], json!([null, null, null]));
}

#[tokio::test]
async fn a_hundred_are_answered_and_more_refused() {
    let (api, _) = start().await;
    let [visa, ..] = three(&api, "Visa").await;
    const IDS: &str = "query($ids: [ID!]!) { nodes(ids: $ids) { id } }";
    let many = |n: usize| {
        let id = |i| {
            if i == 50 {
                visa.clone()
            } else {
                json!(uuid::Uuid::from_u128(i).to_string())
            }
        };
        json!({ "ids": (0..n as u128).map(id).collect::<Vec<_>>() })
    };
    api.calls.reset();
    let data = api.data(IDS, many(100)).await;
    assert_eq!(data["nodes"].as_array().unwrap().len(), 100);
    assert_eq!(data["nodes"][50], json!({ "id": visa }));
    assert_eq!(api.calls.counts(), [("BatchGetItem".to_owned(), 1)].into());
    let answer = api.run(IDS, many(101)).await;
    assert_eq!(answer.code(), "BAD_USER_INPUT");
}
