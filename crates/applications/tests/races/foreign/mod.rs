//! Other programs write the table too, and not all as carefully: what they leave is read as it is, and the
//! next mutation leaves things right.

pub mod program;

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::invariants::{check_counters, check_index_keys, stored};
use crate::world::{ATTEMPTS, World};
pub use program::application_without_history;
use program::{n, put, s, set, set_stage};

const LATER: &str = "2031-05-06T07:08:09.010Z";

/// The same from the detail, and from a list with stages and the newest entry.
async fn read_both_ways(world: &World, id: &str) -> Value {
    const LIST: &str = "{ applications(filter: { archived: INCLUDE }, first: 10) { edges { node {
      id version status isArchived notes companyName updatedAt
      interviewStages { id stageId name order isCompleted }
      history(first: 1) { edges { node { sequence } } } } } } }";
    let mut detail = world.read(id).await;
    let listed = world.api.data(LIST, json!({})).await;
    let edges = listed["applications"]["edges"].as_array().unwrap();
    let found = edges
        .iter()
        .map(|e| &e["node"])
        .find(|node| node["id"] == id);
    let mut found = found.expect("it is listed").clone();
    detail.as_object_mut().unwrap().remove("history");
    found.as_object_mut().unwrap().remove("history");
    assert_eq!(detail, found, "detail and list");
    detail
}

/// What must hold after the next mutation: the newest snapshot and the items agree, keys included.
async fn is_right(world: &World, id: &str) -> u64 {
    let stored = stored(world, id).await;
    let application = stored.application.as_ref().unwrap();
    check_index_keys(application, id);
    let (newest, entry) = stored.history.last_key_value().unwrap();
    let mut snapshot = entry["snapshot"].as_object().unwrap().clone();
    let told = snapshot.remove("interviewStages").unwrap();
    for (name, value) in &snapshot {
        assert_eq!(
            application.get(name).unwrap_or(&Value::Null),
            value,
            "{name}"
        );
    }
    assert_eq!(application["historySequence"], *newest);
    let mut names: Vec<_> = stored
        .stages
        .iter()
        .map(|stage| stage["name"].clone())
        .collect();
    let mut told: Vec<_> = told
        .as_array()
        .unwrap()
        .iter()
        .map(|stage| stage["name"].clone())
        .collect();
    names.sort_by_key(Value::to_string);
    told.sort_by_key(Value::to_string);
    assert_eq!(told, names);
    check_counters(world).await;
    *newest
}

async fn update(world: &World, id: &str) -> Value {
    let input = json!({ "id": id, "notes": "ours" });
    let payload = world.mutate("updateApplication", input).await.done();
    payload["application"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_application_without_history_is_read_and_begins_one() {
    let world = World::start(ATTEMPTS).await;
    let id = application_without_history(&world, "applied").await;
    set_stage(&world, &id, &Uuid::new_v4().to_string(), "Theirs").await;
    let read = read_both_ways(&world, &id).await;
    assert_eq!(
        (&read["version"], &read["companyName"]),
        (&json!(0), &json!("Foreign"))
    );
    assert_eq!(read["interviewStages"][0]["name"], "Theirs");
    let input = json!({ "id": id, "notes": "ours", "expectedVersion": 0 });
    let changed = world.mutate("updateApplication", input).await.done();
    assert_eq!(
        changed["application"]["interviewStages"][0]["name"],
        "Theirs"
    );
    assert_eq!(is_right(&world, &id).await, 1);
    world
        .mutate("archiveApplication", json!({ "id": id }))
        .await
        .done();
    assert_eq!(is_right(&world, &id).await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_without_history_is_read_and_carried_on() {
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({})).await;
    world.stage(&id, "One").await;
    let changes = [
        ("companyName", Some(s("Theirs"))),
        ("updatedAt", Some(s(LATER))),
    ];
    set(&world, &id, &changes).await;
    let read = read_both_ways(&world, &id).await;
    assert_eq!(
        (&read["companyName"], &read["version"]),
        (&json!("Theirs"), &json!(2))
    );
    let changed = update(&world, &id).await;
    assert_eq!(
        (&changed["companyName"], &changed["version"]),
        (&json!("Theirs"), &json!(3))
    );
    assert!(
        changed["updatedAt"].as_str() > Some(LATER),
        "it never goes back"
    );
    assert_eq!(is_right(&world, &id).await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_changed_without_history_or_index_keys_is_put_right() {
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({})).await;
    set(
        &world,
        &id,
        &[
            ("status", Some(s("applied"))),
            ("updatedAt", Some(s(LATER))),
        ],
    )
    .await;
    assert_eq!(world.read(&id).await["status"], "APPLIED");
    update(&world, &id).await;
    let stored = stored(&world, &id).await;
    check_index_keys(stored.application.as_ref().unwrap(), &id);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_changed_behind_the_same_moment_does_not_hide_from_the_counters() {
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({})).await;
    set(
        &world,
        &id,
        &[
            ("status", Some(s("applied"))),
            ("isArchived", Some(AttributeValue::Bool(false))),
        ],
    )
    .await;
    let input = json!({ "id": id, "status": "REJECTED" });
    let changed = world.mutate("updateApplication", input).await.done();
    assert_eq!(changed["application"]["status"], "REJECTED");
    let stored = stored(&world, &id).await;
    let description = &stored.history[&2]["description"];
    let description = description.as_str().unwrap();
    assert!(
        description.starts_with("Status changed from applied to rejected"),
        "{description}"
    );
    check_index_keys(stored.application.as_ref().unwrap(), &id);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_application_that_lost_its_sequence_goes_on_from_its_history() {
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({})).await;
    world.stage(&id, "One").await;
    set(&world, &id, &[("historySequence", None)]).await;
    let read = read_both_ways(&world, &id).await;
    assert_eq!(
        (&read["version"], &read["interviewStages"][0]["name"]),
        (&json!(2), &json!("One"))
    );
    let changed = update(&world, &id).await;
    assert_eq!(changed["version"], 3);
    assert_eq!(is_right(&world, &id).await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_history_ahead_of_its_application_is_gone_on_from() {
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({})).await;
    let one = world.stage(&id, "One").await;
    update(&world, &id).await;
    set(
        &world,
        &id,
        &[
            ("historySequence", Some(n(2))),
            ("updatedAt", Some(s(LATER))),
        ],
    )
    .await;
    let read = read_both_ways(&world, &id).await;
    assert_eq!(
        (&read["version"], &read["interviewStages"][0]["id"]),
        (&json!(3), &json!(one)),
        "the version follows the history"
    );
    // The version that is read is the one to expect.
    let input = json!({ "id": id, "notes": "expected", "expectedVersion": read["version"] });
    let changed = world.mutate("updateApplication", input).await.done();
    assert_eq!(changed["application"]["version"], 4);
    assert_eq!(is_right(&world, &id).await, 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_application_ahead_of_its_history_is_gone_on_from() {
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({})).await;
    set(
        &world,
        &id,
        &[
            ("historySequence", Some(n(5))),
            ("updatedAt", Some(s(LATER))),
        ],
    )
    .await;
    assert_eq!(read_both_ways(&world, &id).await["version"], 5);
    let input = json!({ "id": id, "notes": "ours", "expectedVersion": 5 });
    world.mutate("updateApplication", input).await.done();
    assert_eq!(is_right(&world, &id).await, 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_that_cannot_be_read_is_gone_on_from() {
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({})).await;
    for sequence in 2..=4 {
        let item = HashMap::from([
            ("PK".to_owned(), s(&format!("APP#{id}"))),
            ("SK".to_owned(), s(&format!("HIST#{sequence:08}"))),
            ("note".to_owned(), s("of some other shape")),
        ]);
        put(&world, item).await;
    }
    let changed = update(&world, &id).await;
    assert_eq!(changed["version"], 5);
    assert_eq!(is_right(&world, &id).await, 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn stages_changed_along_with_the_application_are_read_and_kept() {
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({})).await;
    world.stage(&id, "One").await;
    let stage = world.read(&id).await["interviewStages"][0]["stageId"]
        .as_str()
        .unwrap()
        .to_owned();
    set_stage(&world, &id, &stage, "One, renamed").await;
    set_stage(&world, &id, &Uuid::new_v4().to_string(), "Theirs").await;
    set(&world, &id, &[("updatedAt", Some(s(LATER)))]).await;
    let names = |read: &Value| -> Vec<String> {
        let stages = read["interviewStages"].as_array().unwrap();
        let mut names: Vec<_> = stages
            .iter()
            .map(|s| s["name"].as_str().unwrap().to_owned())
            .collect();
        names.sort_unstable();
        names
    };
    assert_eq!(
        names(&read_both_ways(&world, &id).await),
        ["One, renamed", "Theirs"]
    );
    let changed = update(&world, &id).await;
    assert_eq!(names(&changed), ["One, renamed", "Theirs"]);
    assert_eq!(is_right(&world, &id).await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_to_change_is_said_of_what_is_there_and_not_of_what_was() {
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({ "notes": "before" })).await;
    set(
        &world,
        &id,
        &[("notes", Some(s("theirs"))), ("updatedAt", Some(s(LATER)))],
    )
    .await;
    // The snapshot has these notes, the application has others.
    let input = json!({ "id": id, "notes": "before" });
    let changed = world.mutate("updateApplication", input).await.done();
    assert_eq!(
        (
            &changed["application"]["notes"],
            &changed["application"]["version"]
        ),
        (&json!("before"), &json!(2))
    );
    assert_eq!(is_right(&world, &id).await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attribute_that_only_another_program_knows_stays() {
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({})).await;
    set(
        &world,
        &id,
        &[("theirs", Some(s("kept"))), ("updatedAt", Some(s(LATER)))],
    )
    .await;
    update(&world, &id).await;
    update(&world, &id).await;
    world
        .mutate("archiveApplication", json!({ "id": id }))
        .await
        .done();
    let stored = stored(&world, &id).await;
    assert_eq!(stored.application.unwrap()["theirs"], "kept");
}
