//! What is read in two steps while someone changes it in between: the answer is one version, whole.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::invariants::check_table;
use crate::world::{ATTEMPTS, Outcome, World};

/// Runs `asked`, holds its next request of `operation`, and adds a stage in between.
async fn add_a_stage_within<T>(
    world: &World,
    id: &str,
    operation: &str,
    asked: impl Future<Output = T>,
) -> T {
    world.faults.hold_after(operation, 0);
    let (answered, ()) = tokio::join!(asked, async {
        world.faults.held().await;
        world.stage(id, "Added meanwhile").await;
        world.faults.release();
    });
    answered
}

fn names(application: &Value) -> Vec<&str> {
    let stages = application["interviewStages"].as_array().unwrap();
    stages
        .iter()
        .map(|stage| stage["name"].as_str().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_create_that_is_sent_again_answers_one_version() {
    let world = World::start(ATTEMPTS).await;
    let id = Uuid::new_v4().to_string();
    let input = json!({ "id": id, "companyName": "Visa", "positionTitle": "Engineer" });
    world
        .mutate("createApplication", input.clone())
        .await
        .done();
    let again = world.mutate("createApplication", input.clone());
    let answered = add_a_stage_within(&world, &id, "GetItem", again)
        .await
        .done();
    let application = &answered["application"];
    assert_eq!(
        (&application["version"], names(application)),
        (&json!(1), vec![])
    );
    // And after the change, the newest.
    let again = world.mutate("createApplication", input);
    let answered = add_a_stage_within(&world, &id, "GetItem", again)
        .await
        .done();
    let application = &answered["application"];
    assert_eq!(application["version"], 3);
    assert_eq!(names(application), ["Added meanwhile", "Added meanwhile"]);
    check_table(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_create_that_is_sent_again_while_it_is_deleted_answers_no_half_of_it() {
    let world = World::start(ATTEMPTS).await;
    let id = Uuid::new_v4().to_string();
    let input = json!({ "id": id, "companyName": "Visa", "positionTitle": "Engineer" });
    world
        .mutate("createApplication", input.clone())
        .await
        .done();
    world.stage(&id, "Phone").await;
    // What it reads of the application, behind the one that told it that the id is taken.
    world.faults.hold_after("GetItem", 0);
    let (again, ()) = tokio::join!(world.mutate("createApplication", input), async {
        world.faults.held().await;
        // A delete reads it, too, and is not held.
        world
            .mutate("deleteApplication", json!({ "id": id }))
            .await
            .done();
        world.faults.release();
    });
    let Outcome::Refused(codes, _) = again else {
        panic!("{again:?}");
    };
    assert_eq!(codes, ["CONFLICT"]);
    check_table(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_detail_whose_history_is_long_is_of_one_version() {
    const QUERY: &str = "query($id: ID!) { application(id: $id) { version interviewStages { name }
      history(first: 2) { totalCount edges { node { sequence snapshot { version interviewStages { name } } } } } } }";
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({})).await;
    // More items than one Query of the detail reads.
    for number in 0..40 {
        let input = json!({ "id": id, "notes": format!("note {number}") });
        world.mutate("updateApplication", input).await.done();
    }
    for selected in ["version", "description"] {
        let before = world.version(&id).await.as_u64().unwrap();
        let query = QUERY.replace(
            "snapshot { version interviewStages { name } }",
            match selected {
                "version" => "snapshot { version interviewStages { name } }",
                other => other,
            },
        );
        let asked = world.api.data(&query, json!({ "id": id }));
        let answered = add_a_stage_within(&world, &id, "GetItem", asked).await;
        let application = &answered["application"];
        assert_eq!(application["version"], before + 1);
        assert_eq!(names(application).len() as u64, before - 40);
        let entries = application["history"]["edges"].as_array().unwrap();
        let sequences: Vec<_> = entries
            .iter()
            .map(|e| e["node"]["sequence"].as_u64())
            .collect();
        assert_eq!(sequences, [Some(before + 1), Some(before)]);
        if selected == "version" {
            let snapshot = &entries[0]["node"]["snapshot"];
            assert_eq!(snapshot["interviewStages"], application["interviewStages"]);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_changes_nothing_answers_one_version_though_others_change_it_twice() {
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({})).await;
    world.faults.hold_after("GetItem", 0);
    let nothing = json!({ "id": id, "companyName": "Visa" });
    let others = async {
        world.faults.held().await;
        world.stage(&id, "First").await;
        // Should it read the application and then its stages, the second change comes in between.
        world.faults.hold_after("Query", 1);
        world.faults.release();
        world.faults.held().await;
        world.stage(&id, "Second").await;
        world.faults.release();
        std::future::pending().await
    };
    let answered = tokio::select! {
        answered = world.mutate("updateApplication", nothing) => answered.done(),
        () = others => unreachable!(),
    };
    let application = &answered["application"];
    assert_eq!(application["version"], 2);
    assert_eq!(names(application), ["First"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_takes_several_queries_has_an_application_once_though_it_moves_meanwhile() {
    const QUERY: &str = "query($filter: ApplicationFilter) {
      applications(filter: $filter, orderBy: UPDATED_AT_ASC, first: 2) {
        edges { node { id version } } pageInfo { hasNextPage } } }";
    let world = World::start(ATTEMPTS).await;
    let first = world.application(json!({})).await;
    for _ in 0..4 {
        let other = json!({ "companyName": "Stripe" });
        world.application(other).await;
    }
    let last = world.application(json!({})).await;
    // The first Query finds one of the two; before the next, that one becomes the newest.
    world.faults.hold_after("Query", 1);
    let variables = json!({ "filter": { "text": "visa" } });
    let (page, ()) = tokio::join!(world.api.data(QUERY, variables), async {
        world.faults.held().await;
        world.stage(&first, "Added meanwhile").await;
        world.faults.release();
    });
    let listed = json!({
        "edges": [{ "node": { "id": first, "version": 1 } }, { "node": { "id": last, "version": 1 } }],
        "pageInfo": { "hasNextPage": false },
    });
    assert_eq!(page["applications"], listed);
}
