//! A delete that crashes between its transaction and its batches: gone for everyone, and finished later.

use serde_json::{Value, json};

use crate::faults::Fault;
use crate::invariants::{check_table, stored};
use crate::world::{ATTEMPTS, Outcome, World};

async fn half_deleted(world: &World) -> (String, String) {
    let input = json!({ "companyName": "Visa", "positionTitle": "Engineer",
        "id": uuid::Uuid::new_v4() });
    let id = world.application(input).await;
    let stage = world.stage(&id, "One").await;
    world.stage(&id, "Two").await;
    let archived = world
        .mutate("archiveApplication", json!({ "id": id }))
        .await;
    archived.done();
    world.faults.always("BatchWriteItem", Fault::LostRequest);
    let failed = world.mutate("deleteApplication", json!({ "id": id })).await;
    assert!(matches!(failed, Outcome::Failed(code) if code == "SERVICE_UNAVAILABLE"));
    world.faults.stop();
    assert!(
        !stored(world, &id).await.history.is_empty(),
        "its children are left"
    );
    (id, stage)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_half_deleted_application_is_gone_for_every_query() {
    const ALL: &str = "query($id: ID!, $ids: [ID!]!) {
      application(id: $id) { id }
      whole: application(id: $id) { id interviewStages { id } history(first: 1) { edges { node { id } } } }
      node(id: $id) { id }
      nodes(ids: $ids) { id }
      applications(filter: { archived: INCLUDE }) { edges { node { id } } totalCount }
      applicationStats { active archived } }";
    let world = World::start(ATTEMPTS).await;
    let (id, stage) = half_deleted(&world).await;
    let data = world
        .api
        .data(ALL, json!({ "id": id, "ids": [id, stage] }))
        .await;
    assert_eq!(data["application"], Value::Null);
    assert_eq!(data["whole"], Value::Null);
    assert_eq!(data["node"], Value::Null);
    assert_eq!(data["nodes"], json!([null, null]));
    assert_eq!(
        data["applications"],
        json!({ "edges": [], "totalCount": 0 })
    );
    assert_eq!(
        data["applicationStats"],
        json!({ "active": 0, "archived": 0 })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_half_deleted_application_takes_no_change_and_its_id_is_kept_until_it_is_gone() {
    let world = World::start(ATTEMPTS).await;
    let (id, stage) = half_deleted(&world).await;
    for (name, input) in [
        ("updateApplication", json!({ "id": id, "notes": "?" })),
        ("updateApplication", json!({ "id": id })),
        ("unarchiveApplication", json!({ "id": id })),
        ("restoreApplication", json!({ "id": id, "sequence": 1 })),
        ("restoreApplication", json!({ "id": id, "sequence": 99 })),
        (
            "addInterviewStage",
            json!({ "applicationId": id, "name": "?" }),
        ),
        ("removeInterviewStage", json!({ "id": stage })),
        ("updateInterviewStage", json!({ "id": stage, "notes": "?" })),
    ] {
        let (codes, errors) = world.mutate(name, input).await.refused();
        assert_eq!(codes, ["NOT_FOUND"], "{name}: {errors}");
    }
    let create = json!({ "id": id, "companyName": "Visa", "positionTitle": "Engineer" });
    let (codes, errors) = world
        .mutate("createApplication", create.clone())
        .await
        .refused();
    assert_eq!(
        (codes[0].as_str(), &errors[0]["field"]),
        ("CONFLICT", &json!(["id"]))
    );
    assert_eq!(check_table(&world).await, [""; 0]);

    let payload = world
        .mutate("deleteApplication", json!({ "id": id }))
        .await
        .done();
    assert_eq!(payload["deletedApplicationId"], id);
    let left = stored(&world, &id).await;
    assert!(left.history.is_empty() && left.stages.is_empty());
    let (codes, _) = world
        .mutate("deleteApplication", json!({ "id": id }))
        .await
        .refused();
    assert_eq!(codes, ["NOT_FOUND"]);

    let made = world.mutate("createApplication", create).await.done();
    assert_eq!(made["application"]["version"], 1);
    assert_eq!(made["application"]["interviewStages"], json!([]));
    assert_eq!(check_table(&world).await, [id]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_history_is_deleted_whole_though_batches_are_done_in_parts() {
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({})).await;
    for i in 0..60 {
        let input = json!({ "id": id, "notes": i.to_string() });
        world.mutate("updateApplication", input).await.done();
    }
    // Each request is done by half, in all more often than one that stands still may be sent again.
    world
        .faults
        .next("BatchWriteItem", [Some(Fault::Unprocessed); 14]);
    world
        .mutate("deleteApplication", json!({ "id": id }))
        .await
        .done();
    let left = stored(&world, &id).await;
    assert!(left.history.is_empty(), "{} left", left.history.len());
    assert_eq!(world.faults.injected(), 14);
}
