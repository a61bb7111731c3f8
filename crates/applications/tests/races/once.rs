//! The same thing sent many times at once is there once, and every answer names it.

use futures_util::future::join_all;
use serde_json::json;
use uuid::Uuid;

use crate::invariants::{check_table, stored};
use crate::world::{ATTEMPTS, World};

#[tokio::test(flavor = "multi_thread")]
async fn a_create_sent_eight_times_at_once_makes_one_application() {
    let world = World::start(ATTEMPTS).await;
    let id = Uuid::new_v4().to_string();
    let input = json!({ "id": id, "companyName": "Visa", "positionTitle": "Engineer" });
    let sent = (0..8).map(|_| world.mutate("createApplication", input.clone()));
    for outcome in join_all(sent).await {
        let payload = outcome.done();
        assert_eq!(payload["application"]["id"], id);
        assert_eq!(payload["application"]["version"], 1);
    }
    assert_eq!(check_table(&world).await, [id]);
}

#[tokio::test(flavor = "multi_thread")]
async fn creates_with_the_same_id_and_other_content_leave_one_of_them() {
    let world = World::start(ATTEMPTS).await;
    let id = Uuid::new_v4().to_string();
    let sent = (0..8).map(|i| {
        let input =
            json!({ "id": id, "companyName": format!("Company {i}"), "positionTitle": "Engineer" });
        world.mutate("createApplication", input)
    });
    let mut done = Vec::new();
    for outcome in join_all(sent).await {
        match outcome {
            crate::world::Outcome::Done(payload) => done.push(payload),
            other => {
                let (codes, errors) = other.refused();
                assert_eq!(codes, ["CONFLICT"]);
                assert_eq!(errors[0]["field"], json!(["id"]));
            }
        }
    }
    assert_eq!(done.len(), 1);
    let kept = world.read(&id).await;
    assert_eq!(kept["companyName"], done[0]["application"]["companyName"]);
    check_table(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_sent_eight_times_at_once_is_added_once() {
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({})).await;
    world.stage(&id, "First").await;
    let stage = Uuid::new_v4().to_string();
    let input = json!({ "applicationId": id, "stageId": stage, "name": "Phone screen" });
    let sent = (0..8).map(|_| world.mutate("addInterviewStage", input.clone()));
    for outcome in join_all(sent).await {
        let stages = outcome.done()["application"]["interviewStages"].clone();
        let stages = stages.as_array().unwrap();
        assert!(stages.iter().any(|s| s["stageId"] == stage), "{stages:?}");
    }
    check_table(&world).await;
    let stored = stored(&world, &id).await;
    assert_eq!(stored.stages.len(), 2);
    assert_eq!(stored.history.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delete_sent_eight_times_at_once_deletes_once() {
    let world = World::start(ATTEMPTS).await;
    let (id, other) = (
        world.application(json!({})).await,
        world.application(json!({})).await,
    );
    let sent = (0..8).map(|_| world.mutate("deleteApplication", json!({ "id": id })));
    let mut done = 0;
    for outcome in join_all(sent).await {
        match outcome {
            crate::world::Outcome::Done(payload) => {
                assert_eq!(payload["deletedApplicationId"], id);
                done += 1;
            }
            refused => assert_eq!(refused.refused().0, ["NOT_FOUND"]),
        }
    }
    assert!(done >= 1);
    assert_eq!(check_table(&world).await, [other]);
    assert!(stored(&world, &id).await.history.is_empty());
}
