//! What another program leaves in the table: a history that lags, counters that it does not know.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;

use crate::ask::{named, start, text};

const LIST: &str =
    "query($filter: ApplicationFilter) { applications(filter: $filter) { totalCount } }";
const STATS: &str = "{ applicationStats { active archived byStatus { status } } }";

#[tokio::test]
async fn counters_that_another_program_does_not_keep_are_not_made_up() {
    let (api, _) = start().await;
    api.create(named("Visa")).await;
    api.dynamodb
        .update_item()
        .table_name(&api.table)
        .key("PK", text("META"))
        .key("SK", text("COUNT"))
        .update_expression("ADD #count :one")
        .expression_attribute_names("#count", "count")
        .expression_attribute_values(":one", AttributeValue::N("1".into()))
        .send()
        .await
        .unwrap();
    let stats = api.data(STATS, json!({})).await["applicationStats"].clone();
    assert_eq!(
        stats,
        json!({ "active": 2, "archived": null, "byStatus": null })
    );
    let total = async |filter| {
        api.data(LIST, json!({ "filter": filter })).await["applications"]["totalCount"].clone()
    };
    assert_eq!(total(json!(null)).await, 2);
    assert_eq!(
        total(json!({ "statuses": ["UNSUBMITTED"] })).await,
        json!(null)
    );
    assert_eq!(total(json!({ "archived": "INCLUDE" })).await, json!(null));
}

#[tokio::test]
async fn a_history_that_lags_ends_in_a_list_too_and_the_application_can_be_changed() {
    let (api, _) = start().await;
    let id = api.create(named("Visa")).await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    api.dynamodb
        .update_item()
        .table_name(&api.table)
        .key("PK", text(&format!("APP#{id}")))
        .key("SK", text(&format!("APP#{id}")))
        .update_expression("SET historySequence = :five, updatedAt = :later, notes = :notes")
        .expression_attribute_values(":five", AttributeValue::N("5".into()))
        .expression_attribute_values(":later", text("2026-11-20T10:00:00.000Z"))
        .expression_attribute_values(":notes", text("theirs"))
        .send()
        .await
        .unwrap();
    const HISTORY: &str = "{ applications { edges { node { version
      history(first: 3) { edges { node { sequence } } pageInfo { hasNextPage } } } } } }";
    let data = api.data(HISTORY, json!({})).await;
    let node = &data["applications"]["edges"][0]["node"];
    assert_eq!(node["version"], 5);
    let expected = json!({
        "edges": [{ "node": { "sequence": 1 } }], "pageInfo": { "hasNextPage": false },
    });
    assert_eq!(node["history"], expected);
    let changed = api.update(&id, json!({ "status": "APPLIED" })).await;
    assert_eq!(
        (&changed["version"], &changed["notes"]),
        (&json!(6), &json!("theirs"))
    );
    assert_eq!(
        api.read(&id).await["history"]["edges"][0]["node"]["sequence"],
        6
    );
}
