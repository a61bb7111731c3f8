//! Ids as other programs write them: an application is known by the text of its key, whatever its form.

use aws_sdk_dynamodb::types::AttributeValue::{L, M};
use serde_json::json;

use crate::ask::{Item, errors, named, start, text, with};
use crate::support::Api;

/// Ids that are not UUIDs as we write them.
const IDS: [&str; 7] = [
    "7C3E1F0A-9B54-4C7B-8E0D-2F6A51D0C9AB",
    "01JD8ZK3V6M2Q4R7T9W1X5Y8B0",
    "7c3e1f0a9b544c7b8e0d2f6a51d0c9ab",
    "team#7",
    "a%23b",
    "ü b",
    "UwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
];

/// Gives an application with a stage another id, in every key and attribute, as a program does that writes such ids.
pub async fn renamed(api: &Api, id: &str, stage: &str) {
    let made = api.create(named("Visa")).await["id"].clone();
    let made = made.as_str().unwrap();
    let its = api.add_stage(made, json!({ "name": "Onsite" })).await["stageId"].clone();
    let its = its.as_str().unwrap();
    let mut items = Vec::new();
    for item in api.stored(made).await.into_values() {
        api.remove(&item).await;
        items.push(rewritten(item, &[(made, id), (its, stage)]));
    }
    api.put_all(items).await;
}

fn rewritten(item: Item, pairs: &[(&str, &str)]) -> Item {
    item.into_iter()
        .map(|(name, value)| (name, value_rewritten(value, pairs)))
        .collect()
}

fn value_rewritten(
    value: aws_sdk_dynamodb::types::AttributeValue,
    pairs: &[(&str, &str)],
) -> aws_sdk_dynamodb::types::AttributeValue {
    match value {
        aws_sdk_dynamodb::types::AttributeValue::S(was) => {
            let replace = |text: String, (from, to): &(&str, &str)| text.replace(from, to);
            text(&pairs.iter().fold(was, replace))
        }
        M(map) => M(rewritten(map, pairs)),
        L(list) => L(list
            .into_iter()
            .map(|value| value_rewritten(value, pairs))
            .collect()),
        other => other,
    }
}

#[tokio::test]
async fn every_operation_takes_an_id_of_any_form() {
    for id in IDS {
        let (api, _) = start().await;
        renamed(&api, id, "stage one").await;
        let listed = api.listed(json!({})).await;
        let [known] = listed.as_slice() else {
            panic!("{id}: {listed:?}")
        };
        // An id that reads as another object's is answered in another form.
        assert_eq!(known == id, !id.starts_with("Uw"), "{id}");
        let read = api.read(known).await;
        assert_eq!(
            (&read["id"], &read["version"]),
            (&json!(known), &json!(2)),
            "{id}"
        );
        let stage = &read["interviewStages"][0];
        assert_eq!(stage["stageId"], "stage one");

        let updated = api.update(known, json!({ "notes": "n" })).await;
        assert_eq!(
            (&updated["id"], &updated["notes"]),
            (&json!(known), &json!("n"))
        );
        let second = api.add_stage(known, json!({ "name": "Offer" })).await;
        let reordered = json!({ "applicationId": known, "stageIds": [second["id"], stage["id"]] });
        api.done("reorderInterviewStages", reordered).await;
        api.done("completeInterviewStage", json!({ "id": stage["id"] }))
            .await;
        api.done(
            "removeInterviewStage",
            json!({ "id": "stage one", "applicationId": known }),
        )
        .await;
        api.done("restoreApplication", json!({ "id": known, "sequence": 2 }))
            .await;
        let nodes = "query($ids: [ID!]!) { nodes(ids: $ids) { id } }";
        let history = "query($id: ID!) { application(id: $id) { history(first: 1) { edges { node { id } } } } }";
        let entry = api.data(history, json!({ "id": known })).await;
        let entry = &entry["application"]["history"]["edges"][0]["node"]["id"];
        let ids = json!([known, stage["id"], entry]);
        let found = api.data(nodes, json!({ "ids": ids })).await;
        let found: Vec<_> = (0..3).map(|i| found["nodes"][i]["id"].clone()).collect();
        assert_eq!(json!(found), ids, "{id}");
        for (name, list) in [
            ("archiveApplications", "archived"),
            ("unarchiveApplications", "active"),
        ] {
            let document = format!(
                "mutation($ids: [ID!]!) {{ {name}(input: {{ ids: $ids }}) {{ results {{ userErrors {{ code }} }} }} }}"
            );
            let data = api.data(&document, json!({ "ids": [known] })).await;
            assert_eq!(
                data[name]["results"][0]["userErrors"],
                json!([]),
                "{id}: {list}"
            );
        }
        let deleted = api.done("deleteApplication", json!({ "id": known })).await;
        assert_eq!(deleted["deletedApplicationId"], json!(known));
        assert!(api.stored(id).await.is_empty(), "{id}");
    }
}

#[tokio::test]
async fn two_spellings_of_a_uuid_are_two_applications() {
    let (api, _) = start().await;
    let upper = IDS[0];
    let lower = upper.to_lowercase();
    renamed(&api, upper, "S").await;
    assert_eq!(api.read(upper).await["id"], upper);
    assert_eq!(api.read(&lower).await, json!(null));
    assert_eq!(
        api.refused("archiveApplication", json!({ "id": lower }))
            .await,
        errors(&[("NOT_FOUND", "id")])
    );
    api.create(with(named("Hooli"), json!({ "id": lower })))
        .await;
    assert_eq!(api.read(upper).await["companyName"], "Visa");
    assert_eq!(api.read(&lower).await["companyName"], "Hooli");
    // What this server has made is found in every spelling, if nothing else has it.
    api.done("deleteApplication", json!({ "id": upper })).await;
    assert_eq!(api.read(upper).await["companyName"], "Hooli");
}

#[tokio::test]
async fn two_stages_with_ids_of_any_form_are_told_apart() {
    let (api, _) = start().await;
    let id = api.create(named("Visa")).await["id"].clone();
    let id = id.as_str().unwrap();
    for (key, name) in [("one", "First"), ("two", "Second")] {
        let stage = crate::ask::number(0);
        let item = Item::from([
            ("PK".to_owned(), text(&format!("APP#{id}"))),
            ("SK".to_owned(), text(&format!("STAGE#{key}"))),
            ("id".to_owned(), text(key)),
            ("applicationId".to_owned(), text(id)),
            ("name".to_owned(), text(name)),
            ("order".to_owned(), stage),
            (
                "isCompleted".to_owned(),
                aws_sdk_dynamodb::types::AttributeValue::Bool(false),
            ),
        ]);
        api.put(item).await;
    }
    let input = json!({ "applicationId": id, "id": "two", "name": "Third" });
    let changed = api.done("updateInterviewStage", input).await;
    assert_eq!(changed["interviewStage"]["name"], "Third");
    let stages = api.read(id).await["interviewStages"].clone();
    assert_eq!(
        (&stages[0]["name"], &stages[1]["name"]),
        (&json!("First"), &json!("Third"))
    );
}
