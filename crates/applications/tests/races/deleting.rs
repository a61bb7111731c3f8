//! A delete that crashes between its transactions, or is overtaken: gone for everyone, and finished later.

use serde_json::{Value, json};

use crate::invariants::{check_table, stored};
use crate::world::{ATTEMPTS, Outcome, World};
use trestle_testing::faults::Fault;

const TRANSACTION: &str = "TransactWriteItems";

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
    // The application and its counters go, and then nothing.
    let lost = std::iter::repeat_n(Some(Fault::LostRequest), ATTEMPTS as usize);
    world
        .faults
        .next(TRANSACTION, std::iter::once(None).chain(lost));
    let failed = world.mutate("deleteApplication", json!({ "id": id })).await;
    assert!(matches!(failed, Outcome::Failed(code) if crate::world::is_outage(&code)));
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
async fn a_long_history_is_deleted_whole_though_a_part_of_it_is_lost() {
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({})).await;
    for i in 0..120 {
        let input = json!({ "id": id, "notes": i.to_string() });
        world.mutate("updateApplication", input).await.done();
    }
    // The application, 98 entries, and the rest with the first one.
    let lost = std::iter::repeat_n(Some(Fault::LostRequest), ATTEMPTS as usize);
    world
        .faults
        .next(TRANSACTION, [None, None].into_iter().chain(lost));
    let failed = world.mutate("deleteApplication", json!({ "id": id })).await;
    assert!(matches!(failed, Outcome::Failed(code) if crate::world::is_outage(&code)));
    let left = stored(&world, &id).await.history;
    let sequences: Vec<_> = left.into_keys().collect();
    assert_eq!(sequences, (1..=23).collect::<Vec<_>>());
    world
        .mutate("deleteApplication", json!({ "id": id }))
        .await
        .done();
    let left = stored(&world, &id).await;
    assert!(left.history.is_empty(), "{} left", left.history.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delete_that_comes_late_takes_nothing_of_an_application_made_since() {
    let world = World::start(ATTEMPTS).await;
    let create = json!({ "companyName": "Visa", "positionTitle": "Engineer",
        "id": uuid::Uuid::new_v4() });
    let id = world.application(create.clone()).await;
    world.stage(&id, "One").await;
    let delete = || world.mutate("deleteApplication", json!({ "id": id }));
    // Its second transaction, for the stage and the history.
    world.faults.hold_after(TRANSACTION, 1);
    let (late, ()) = tokio::join!(delete(), async {
        world.faults.held().await;
        delete().await.done();
        world.mutate("createApplication", create).await.done();
        world.stage(&id, "Of the new one").await;
        world.faults.release();
    });
    late.done();
    assert_eq!(check_table(&world).await, [id]);
}
