//! Numbers of the table at their extremes: whatever another program wrote, operations end, and cost what they cost.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::ask::{named, start};
use crate::history::with_entries;

/// Numbers that DynamoDB holds.
const EXTREMES: [&str; 9] = [
    "-1",
    "0",
    "0.5",
    "99999999",
    "100000000",
    "4294967295",
    "4294967296",
    "99999999999999999999999999999999999999",
    "9.9E+125",
];

const LIST: &str = "{ applications(first: 10) { edges { node { id version salaryMin salaryMax skillsMatch
    interviewStages { order performanceRating } history(last: 100) { edges { node { sequence } } } } } } }";

/// Whether nothing failed but values that cannot be read.
fn is_answered(body: &Value) -> bool {
    let mut errors = body["errors"].as_array().into_iter().flatten();
    errors.all(|error| error["extensions"]["code"] == "UNREADABLE")
}

#[tokio::test]
async fn every_number_of_an_application_can_be_at_its_extremes() {
    for attribute in ["historySequence", "salaryMin", "salaryMax", "skillsMatch"] {
        for extreme in EXTREMES {
            let (api, _) = start().await;
            let good = api.create(named("Good")).await["id"].clone();
            let id = with_entries(&api, 2).await;
            let mut item = api.stored_application(&id).await;
            item.insert(attribute.to_owned(), AttributeValue::N(extreme.to_owned()));
            api.put(item).await;
            let what = format!("{attribute} {extreme}");
            let listed = api.run(LIST, json!({})).await;
            let edges = listed.body["data"]["applications"]["edges"].as_array();
            let edges = edges.unwrap_or_else(|| panic!("{what}: {:#}", listed.body));
            assert!(
                edges.iter().any(|edge| edge["node"]["id"] == good),
                "{what}"
            );
            assert!(is_answered(&listed.body), "{what}: {:#}", listed.body);
            // As much is read as is there, whatever the number says.
            let first = "{ applications(first: 10) { edges { node { id history(first: 1) {
                totalCount pageInfo { hasNextPage } edges { node { sequence } } } } } } }";
            let listed = api.run(first, json!({})).await;
            assert!(is_answered(&listed.body), "{what}: {:#}", listed.body);
            let edges = listed.body["data"]["applications"]["edges"].as_array();
            for node in edges.unwrap().iter().map(|edge| &edge["node"]) {
                let entries = if node["id"] == good { 1 } else { 2 };
                assert_eq!(node["history"]["totalCount"], entries, "{what}: {node}");
                let newest = &node["history"]["edges"][0]["node"]["sequence"];
                assert_eq!(*newest, entries, "{what}: {node}");
            }
            let detail = "query($id: ID!) { application(id: $id) { version history(first: 100) { edges { node { sequence } } } } }";
            let read = api.run(detail, json!({ "id": id })).await;
            assert!(is_answered(&read.body), "{what}: {:#}", read.body);
            // What is acknowledged is a version that follows the one that was read.
            let change =
                "mutation($id: ID!) { updateApplication(input: { id: $id, notes: \"changed\" }) {
                application { version notes } userErrors { code } } }";
            let changed = api.run(change, json!({ "id": id })).await;
            let changed = &changed.body["data"]["updateApplication"]["application"];
            if changed.is_object() {
                assert!(
                    changed["version"]
                        .as_i64()
                        .is_none_or(|version| version > 1),
                    "{what}: {changed}"
                );
                assert_eq!(changed["notes"], "changed", "{what}");
            }
            let delete = "mutation($id: ID!) { deleteApplication(input: { id: $id }) { userErrors { code } } }";
            let deleted = api.run(delete, json!({ "id": id })).await;
            assert_eq!(
                deleted.body["data"]["deleteApplication"]["userErrors"],
                json!([]),
                "{what}: {:#}",
                deleted.body
            );
            assert!(api.stored(&id).await.is_empty(), "{what}");
        }
    }
}

#[tokio::test]
async fn every_number_of_a_stage_can_be_at_its_extremes() {
    for attribute in ["order", "performanceRating"] {
        for extreme in EXTREMES {
            let (api, _) = start().await;
            let id = with_entries(&api, 1).await;
            api.add_stage(&id, json!({ "name": "One" })).await;
            let stored = api.stored(&id).await;
            let (_, stage) = stored
                .iter()
                .find(|(key, _)| key.starts_with("STAGE#"))
                .unwrap();
            let mut stage = stage.clone();
            stage.insert(attribute.to_owned(), AttributeValue::N(extreme.to_owned()));
            api.put(stage).await;
            let what = format!("{attribute} {extreme}");
            let detail =
                "query($id: ID!) { application(id: $id) { companyName interviewStages { name } } }";
            let read = api.run(detail, json!({ "id": id })).await;
            assert!(
                read.body["data"]["application"]["companyName"].is_string(),
                "{what}: {:#}",
                read.body
            );
            let added = api.run(
                "mutation($id: ID!) { addInterviewStage(input: { applicationId: $id, name: \"Two\" }) { userErrors { code } } }",
                json!({ "id": id }),
            );
            let added = added.await;
            assert!(is_answered(&added.body), "{what}: {:#}", added.body);
        }
    }
}

#[tokio::test]
async fn no_version_follows_the_last() {
    let (api, _) = start().await;
    let id = with_entries(&api, 2).await;
    let mut item = api.stored_application(&id).await;
    let sequence = AttributeValue::N("99999998".to_owned());
    item.insert("historySequence".to_owned(), sequence);
    api.put(item).await;
    let update = "mutation($id: ID!, $notes: String!) {
        updateApplication(input: { id: $id, notes: $notes }) { application { version } userErrors { code field } } }";
    let run = async |notes: &str| {
        let answer = api.run(update, json!({ "id": id, "notes": notes })).await;
        answer.body["data"]["updateApplication"].clone()
    };
    let last = run("the last").await;
    assert_eq!(last["application"]["version"], 99_999_999, "{last}");
    // What changes nothing needs no version.
    assert_eq!(run("the last").await["userErrors"], json!([]));
    let refused = run("one more").await;
    assert_eq!(
        refused["userErrors"],
        json!([{ "code": "LIMIT_REACHED", "field": ["id"] }])
    );
    let stage = "mutation($id: ID!) {
        addInterviewStage(input: { applicationId: $id, name: \"One\" }) { userErrors { code } } }";
    let refused = api.run(stage, json!({ "id": id })).await;
    let refused = &refused.body["data"]["addInterviewStage"];
    assert_eq!(refused["userErrors"][0]["code"], "LIMIT_REACHED");
    let many = "mutation($id: ID!) { updateApplications(input: { applications: [{ id: $id, notes: \"many\" }] }) {
        results { userErrors { code } } } }";
    let refused = api.run(many, json!({ "id": id })).await;
    let refused = &refused.body["data"]["updateApplications"]["results"][0];
    assert_eq!(
        refused["userErrors"][0]["code"], "LIMIT_REACHED",
        "{refused}"
    );
    let read = "query($id: ID!) { application(id: $id) { version notes
        history(first: 2) { totalCount edges { node { sequence } } } } }";
    let read = api.run(read, json!({ "id": id })).await;
    let read = &read.body["data"]["application"];
    assert_eq!(read["notes"], "the last");
    assert_eq!(read["version"], 99_999_999);
    // Two from before, and the last one.
    assert_eq!(read["history"]["totalCount"], 3);
}
