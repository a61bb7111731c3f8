//! What is read in two steps while someone changes it in between: the answer is one version, whole.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::foreign::program::set_stage;
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

/// Takes an item out of an application's partition.
async fn take_away(world: &World, id: &str, sort_key: &str) -> HashMap<String, AttributeValue> {
    let text = |text: String| AttributeValue::S(text);
    let delete = world.plain.delete_item().table_name(&world.api.table);
    let delete = delete
        .key("PK", text(format!("APP#{id}")))
        .key("SK", text(sort_key.to_owned()))
        .return_values(ReturnValue::AllOld);
    delete.send().await.unwrap().attributes.unwrap()
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

/// An application with a stage and more history than one Query of a detail reads.
async fn long(world: &World, id: Uuid) -> String {
    let id = world.application(json!({ "id": id })).await;
    world.stage(&id, "Old").await;
    for number in 0..40 {
        let input = json!({ "id": id, "notes": format!("note {number}") });
        world.mutate("updateApplication", input).await.done();
    }
    id
}

const DETAIL: &str = "query($id: ID!) { application(id: $id) { version interviewStages { name }
  history(first: 2) { totalCount edges { node { sequence } } } } }";

#[tokio::test(flavor = "multi_thread")]
async fn a_detail_of_an_application_that_is_changed_and_then_deleted_is_not_half_there() {
    let world = World::start(ATTEMPTS).await;
    let id = long(&world, Uuid::new_v4()).await;
    world.faults.hold_after("GetItem", 0);
    let (answered, ()) = tokio::join!(world.api.data(DETAIL, json!({ "id": id })), async {
        world.faults.held().await;
        world.stage(&id, "Added meanwhile").await;
        // What comes behind the application, which is of a later version than its history was.
        world.faults.hold_after("Query", 0);
        world.faults.release();
        world.faults.held().await;
        world
            .mutate("deleteApplication", json!({ "id": id }))
            .await
            .done();
        world.faults.release();
    });
    assert_eq!(answered["application"], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_detail_of_an_application_that_is_made_anew_has_nothing_of_the_one_before() {
    let world = World::start(ATTEMPTS).await;
    let client_made = Uuid::new_v4();
    let id = long(&world, client_made).await;
    world.faults.hold_after("GetItem", 0);
    let (answered, ()) = tokio::join!(world.api.data(DETAIL, json!({ "id": id })), async {
        world.faults.held().await;
        world
            .mutate("deleteApplication", json!({ "id": id }))
            .await
            .done();
        world.application(json!({ "id": client_made })).await;
        world.faults.release();
    });
    let new = json!({ "version": 1, "interviewStages": [],
        "history": { "totalCount": 1, "edges": [{ "node": { "sequence": 1 } }] } });
    assert_eq!(answered["application"], new);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_answers_no_stages_of_a_later_version() {
    const LIST: &str = "{ applications { edges { node { version interviewStages { name } } } } }";
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({})).await;
    world.stage(&id, "One").await;
    world.faults.hold_after("BatchGetItem", 0);
    let (list, ()) = tokio::join!(world.api.data(LIST, json!({})), async {
        world.faults.held().await;
        world.stage(&id, "Two").await;
        // As an eventually consistent read may, it misses the newest snapshot that it knows of.
        let entry = take_away(&world, &id, "HIST#00000002").await;
        world.faults.hold_after("Query", 0);
        world.faults.release();
        world.faults.held().await;
        let put = world.plain.put_item().table_name(&world.api.table);
        put.set_item(Some(entry)).send().await.unwrap();
        world.faults.release();
    });
    let node = &list["applications"]["edges"][0]["node"];
    assert_eq!((&node["version"], names(node)), (&json!(2), vec!["One"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_answers_no_stages_of_an_application_that_was_made_anew() {
    const LIST: &str = "{ applications { edges { node { version interviewStages { name } } } } }";
    let client_made = Uuid::new_v4();
    // The history of the new one ends before the old one's version, or reaches it.
    for changes in [0, 1, 2] {
        let world = World::start(ATTEMPTS).await;
        let id = world.application(json!({ "id": client_made })).await;
        world.stage(&id, "Old").await;
        let update = json!({ "id": id, "notes": "changed" });
        world.mutate("updateApplication", update).await.done();
        world.faults.hold_after("BatchGetItem", 0);
        let (list, ()) = tokio::join!(world.api.data(LIST, json!({})), async {
            world.faults.held().await;
            let delete = json!({ "id": id });
            world.mutate("deleteApplication", delete).await.done();
            world.application(json!({ "id": client_made })).await;
            world.stage(&id, "New").await;
            for change in 0..changes {
                let update = json!({ "id": id, "notes": format!("changed {change}") });
                world.mutate("updateApplication", update).await.done();
            }
            world.faults.release();
        });
        let node = &list["applications"]["edges"][0]["node"];
        assert_eq!((&node["version"], names(node)), (&json!(3), vec![]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_records_what_another_program_changed_once() {
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({})).await;
    let stage = world.stage(&id, "Phone").await;
    set_stage(&world, &id, &stage, "Telephone").await;
    // Its newest entry does not say what is there. Before it reads what is there, a change records it.
    world.faults.hold_after("GetItem", 1);
    let restore = json!({ "id": id, "sequence": 1 });
    let (restored, ()) = tokio::join!(world.mutate("restoreApplication", restore), async {
        world.faults.held().await;
        let update = json!({ "id": id, "notes": "changed meanwhile" });
        world.mutate("updateApplication", update).await.done();
        world.faults.release();
    });
    assert_eq!(restored.done()["application"]["version"], 4);
    check_table(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn totals_are_known_though_the_first_application_comes_while_they_are_read() {
    let world = World::start(ATTEMPTS).await;
    world.faults.hold_after("Query", 0);
    let asked = world.api.data("{ applicationStats { active } }", json!({}));
    let (answered, ()) = tokio::join!(asked, async {
        world.faults.held().await;
        world.application(json!({})).await;
        world.faults.release();
    });
    assert_eq!(answered["applicationStats"]["active"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_made_anew_is_not_restored_to_the_one_before() {
    let world = World::start(ATTEMPTS).await;
    let client_made = Uuid::new_v4();
    let id = world
        .application(json!({ "id": client_made, "notes": "before" }))
        .await;
    world.faults.hold_after("Query", 0);
    let restore = json!({ "id": id, "sequence": 1 });
    let (restored, ()) = tokio::join!(world.mutate("restoreApplication", restore), async {
        world.faults.held().await;
        world
            .mutate("deleteApplication", json!({ "id": id }))
            .await
            .done();
        world.application(json!({ "id": client_made })).await;
        world.faults.release();
    });
    let (codes, _) = restored.refused();
    assert_eq!(codes, ["NOT_FOUND"]);
    assert_eq!(world.version(&id).await, 1);
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
