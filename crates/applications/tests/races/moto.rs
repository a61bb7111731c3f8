//! A second opinion: every operation against moto, an implementation of DynamoDB by others.
//!
//! What is moto's own, and not asserted: it charges no capacity that could be compared; it remembers no
//! idempotency token; and it has no TransactionConflict, so nothing here runs side by side.

use serde_json::{Value, json};

use crate::invariants::{check_table, stored};
use crate::support::moto::Moto;
use crate::world::World;

async fn smoke(world: &World) {
    let id = world.application(json!({ "status": "APPLIED" })).await;
    let other = world.application(json!({})).await;
    let create = json!({ "id": other, "companyName": "Visa", "positionTitle": "Engineer" });
    let again = world
        .mutate("createApplication", create.clone())
        .await
        .done();
    assert_eq!(again["application"]["version"], 1);
    let mut taken = create;
    taken["companyName"] = json!("Another");
    assert_eq!(
        world.mutate("createApplication", taken).await.refused().0,
        ["CONFLICT"]
    );
    let (one, two) = (world.stage(&id, "One").await, world.stage(&id, "Two").await);
    for (name, input) in [
        (
            "updateApplication",
            json!({ "id": id, "notes": "noted", "salaryMax": 5 }),
        ),
        (
            "updateInterviewStage",
            json!({ "id": one, "notes": "noted" }),
        ),
        (
            "completeInterviewStage",
            json!({ "id": one, "performanceRating": 3 }),
        ),
        (
            "reorderInterviewStages",
            json!({ "applicationId": id, "stageIds": [two, one] }),
        ),
        ("removeInterviewStage", json!({ "id": two })),
        ("archiveApplication", json!({ "id": id })),
        ("restoreApplication", json!({ "id": id, "sequence": 3 })),
        ("archiveApplication", json!({ "id": id })),
        ("unarchiveApplication", json!({ "id": id })),
    ] {
        let payload = world.mutate(name, input).await.done();
        assert_eq!(payload["application"]["id"], id, "{name}");
    }
    let stale = json!({ "id": id, "notes": "stale", "expectedVersion": 1 });
    let (codes, errors) = world.mutate("updateApplication", stale).await.refused();
    assert_eq!(
        (codes[0].as_str(), &errors[0]["currentVersion"]),
        ("CONFLICT", &json!(12))
    );
    let read = world.read(&id).await;
    assert_eq!(read["interviewStages"].as_array().unwrap().len(), 2);
    assert_eq!(read["history"]["edges"].as_array().unwrap().len(), 12);
    const LIST: &str = "{ applications(first: 1) { edges { node { interviewStages { name }
      history(first: 2) { edges { node { sequence } } } } } pageInfo { hasNextPage } totalCount }
      applicationStats { active } }";
    let listed = world.api.data(LIST, json!({})).await;
    assert_eq!(listed["applications"]["totalCount"], 2);
    assert_eq!(listed["applications"]["pageInfo"]["hasNextPage"], true);
    assert_eq!(
        listed["applications"]["edges"][0]["node"]["history"]["edges"][1]["node"]["sequence"],
        11
    );
    check_table(world).await;
    world
        .mutate("deleteApplication", json!({ "id": id }))
        .await
        .done();
    assert_eq!(world.read(&id).await, Value::Null);
    assert!(stored(world, &id).await.history.is_empty());
    assert_eq!(check_table(world).await, [other]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_against_moto() {
    let Some(moto) = Moto::start() else { return };
    smoke(&World::at(&moto.endpoint).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_over_a_socket() {
    smoke(&World::start_on_socket().await).await;
}
