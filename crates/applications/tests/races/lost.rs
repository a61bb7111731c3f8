//! Answers that are lost on the way: the SDK sends the transaction again, and nobody is told of a conflict
//! with themselves. With the store remembering what it was asked, and without.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::time::timeout;
use trestle_applications::{ApplicationId, Change, DetailsChange, Import, Imported, NewRow};
use uuid::Uuid;

use crate::foreign::application_without_history;
use crate::invariants::{check_table, stored};
use crate::world::{ATTEMPTS, Outcome, World};
use trestle_testing::faults::{Fault, Tokens};

const TRANSACTION: &str = "TransactWriteItems";

/// Every mutation by its name, with what it is asked.
async fn mutations(world: &World) -> Vec<(&'static str, Value)> {
    let id = world.application(json!({ "status": "APPLIED" })).await;
    let one = world.stage(&id, "One").await;
    let two = world.stage(&id, "Two").await;
    let three = world.stage(&id, "Three").await;
    let new = json!({ "id": Uuid::new_v4(), "companyName": "New", "positionTitle": "Engineer" });
    let unnamed = json!({ "companyName": "Unnamed", "positionTitle": "Engineer" });
    let stage = json!({ "applicationId": id, "stageId": Uuid::new_v4(), "name": "Given id" });
    vec![
        ("createApplication", new),
        ("createApplication", unnamed),
        (
            "updateApplication",
            json!({ "id": id, "status": "INTERVIEWING", "notes": "lost" }),
        ),
        ("archiveApplication", json!({ "id": id })),
        ("unarchiveApplication", json!({ "id": id })),
        ("addInterviewStage", stage),
        (
            "addInterviewStage",
            json!({ "applicationId": id, "name": "No id" }),
        ),
        (
            "updateInterviewStage",
            json!({ "id": one, "notes": "lost" }),
        ),
        (
            "completeInterviewStage",
            json!({ "id": two, "performanceRating": 4 }),
        ),
        ("removeInterviewStage", json!({ "id": three })),
        ("restoreApplication", json!({ "id": id, "sequence": 1 })),
        ("deleteApplication", json!({ "id": id })),
    ]
}

async fn lose_every_answer(tokens: Tokens, fault: Fault) {
    let world = World::start(ATTEMPTS).await;
    world.faults.tokens(tokens);
    for (name, mut input) in mutations(&world).await {
        let id = input["applicationId"]
            .as_str()
            .or(input["id"].as_str())
            .map(str::to_owned);
        let id = id
            .and_then(|id| Uuid::try_parse(&id).ok())
            .map(|id| id.to_string());
        let before = match (&id, name) {
            (Some(id), "createApplication") | (Some(id), "deleteApplication") => {
                stored(&world, id).await.history.len()
            }
            (Some(id), _) => {
                let before = stored(&world, id).await.history.len();
                input["expectedVersion"] = json!(before);
                before
            }
            _ => 0,
        };
        world.faults.next(TRANSACTION, [Some(fault)]);
        let attempts = world.faults.attempts(TRANSACTION);
        let payload = world.mutate(name, input).await.done();
        assert!(
            world.faults.attempts(TRANSACTION) >= attempts + 2,
            "{name} was not sent again"
        );
        if let (Some(id), true) = (&id, name != "deleteApplication") {
            let after = stored(&world, id).await.history.len();
            assert_eq!(after, before + 1, "{name} is there once");
            assert_eq!(payload["application"]["version"], after, "{name}");
        }
        check_table(&world).await;
    }
    let ids = check_table(&world).await;
    assert_eq!(
        ids.len(),
        2,
        "both creates, each once; the deleted one is gone"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mutation_whose_answer_is_lost_is_there_once() {
    lose_every_answer(Tokens::Kept, Fault::LostAnswer).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mutation_whose_answer_is_lost_is_there_once_on_a_store_that_forgets() {
    lose_every_answer(Tokens::Stripped, Fault::LostAnswer).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mutation_that_was_lost_before_it_took_effect_is_there_once() {
    lose_every_answer(Tokens::Stripped, Fault::LostRequest).await;
}

/// Someone else writes between the effect and the SDK's next try: what was done must not be done again.
async fn overtaken(name: &str, input: fn(&str, &str) -> Value) {
    let world = World::start(ATTEMPTS).await;
    world.faults.tokens(Tokens::Stripped);
    let id = world.application(json!({})).await;
    let stage = world.stage(&id, "One").await;
    // The change loses its answer, and its second try waits behind the other writer's whole mutation:
    // the faults are taken in the order of the requests.
    world.faults.next(TRANSACTION, [Some(Fault::LostAnswer)]);
    world.faults.hold_after(TRANSACTION, 1);
    let (changed, ()) = tokio::join!(world.mutate(name, input(&id, &stage)), async {
        world.faults.held().await;
        let other = json!({ "id": id, "companyName": "Someone else's" });
        world.mutate("updateApplication", other).await.done();
        world.faults.release();
    });
    let payload = changed.done();
    assert_eq!(payload["application"]["version"], 3, "{name}: {payload}");
    let stored = stored(&world, &id).await;
    assert_eq!(
        stored.history.len(),
        4,
        "{name} is there once, and so is the other change"
    );
    check_table(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_that_was_overtaken_after_its_answer_was_lost_is_not_made_again() {
    overtaken(
        "updateApplication",
        |id, _| json!({ "id": id, "notes": "mine", "companyName": "Mine" }),
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removal_that_was_overtaken_after_its_answer_was_lost_is_not_refused() {
    overtaken("removeInterviewStage", |_, stage| json!({ "id": stage })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_expects_a_version_and_was_overtaken_after_its_answer_was_lost_is_no_conflict()
 {
    overtaken(
        "updateApplication",
        |id, _| json!({ "id": id, "notes": "mine", "expectedVersion": 2 }),
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_done_and_is_cancelled_when_it_is_sent_again_is_neither_refused_nor_done_twice() {
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({})).await;
    let stage = world.stage(&id, "One").await;
    for (name, input) in [
        (
            "updateApplication",
            json!({ "id": id, "notes": "mine", "expectedVersion": 2 }),
        ),
        ("removeInterviewStage", json!({ "id": stage })),
    ] {
        let before = world.version(&id).await.as_u64().unwrap();
        let done_then_cancelled = [Some(Fault::LostAnswer), Some(Fault::Canceled)];
        world.faults.next(TRANSACTION, done_then_cancelled);
        let payload = world.mutate(name, input).await.done();
        assert_eq!(payload["application"]["version"], before + 1, "{name}");
        assert_eq!(world.version(&id).await, before + 1, "{name}");
    }
    check_table(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_done_and_cancelled_is_not_done_again_over_what_came_since() {
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({})).await;
    // As often as the same call is sent again.
    let cancelled = std::iter::repeat_n(Some(Fault::Canceled), 9);
    let done_then_cancelled = std::iter::once(Some(Fault::LostAnswer)).chain(cancelled);
    world.faults.next(TRANSACTION, done_then_cancelled);
    // Its first look at the history is let through; the one after the cancellation waits.
    world.faults.hold_after("Query", 1);
    let mine = json!({ "id": id, "companyName": "Mine" });
    let (changed, ()) = tokio::join!(world.mutate("updateApplication", mine), async {
        world.faults.held().await;
        let other = json!({ "id": id, "companyName": "Someone else's" });
        world.mutate("updateApplication", other).await.done();
        world.faults.release();
    });
    assert_eq!(changed.done()["application"]["version"], 2);
    let read = world.read(&id).await;
    assert_eq!(
        (&read["version"], &read["companyName"]),
        (&json!(3), &json!("Someone else's"))
    );
    check_table(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_that_is_sent_again_is_no_conflict_though_a_read_fails() {
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({})).await;
    let stage = json!({ "applicationId": id, "stageId": Uuid::new_v4(), "name": "One", "expectedVersion": 1 });
    world
        .mutate("addInterviewStage", stage.clone())
        .await
        .done();
    world
        .faults
        .next("Query", [None, Some(Fault::CutAnswer), None]);
    let payload = world.mutate("addInterviewStage", stage).await.done();
    assert_eq!(payload["application"]["version"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delete_of_an_application_without_children_whose_answer_is_lost_is_done() {
    let world = World::start(ATTEMPTS).await;
    world.faults.tokens(Tokens::Stripped);
    let id = application_without_history(&world, "applied").await;
    world.faults.next(TRANSACTION, [Some(Fault::LostAnswer)]);
    let payload = world
        .mutate("deleteApplication", json!({ "id": id }))
        .await
        .done();
    assert_eq!(payload["deletedApplicationId"], id);
    assert_eq!(world.read(&id).await, Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stays_lost_is_unavailable_and_a_create_can_be_sent_again() {
    let world = World::start(ATTEMPTS).await;
    let id = Uuid::new_v4().to_string();
    let input = json!({ "id": id, "companyName": "Visa", "positionTitle": "Engineer" });
    world.faults.always(TRANSACTION, Fault::LostAnswer);
    let failed = world.mutate("createApplication", input.clone()).await;
    assert!(
        matches!(&failed, Outcome::Failed(code) if code == "OUTCOME_UNKNOWN"),
        "{failed:?}"
    );
    world.faults.stop();
    let payload = world.mutate("createApplication", input).await.done();
    assert_eq!(payload["application"]["version"], 1);
    assert_eq!(check_table(&world).await, [id]);
}

/// The reasons for which DynamoDB cancels a transaction. Source: the API reference of TransactWriteItems.
const REASONS: [&str; 6] = [
    "ConditionalCheckFailed",
    "ItemCollectionSizeLimitExceeded",
    "TransactionConflict",
    "ProvisionedThroughputExceeded",
    "ThrottlingError",
    "ValidationError",
];

/// How long an answer takes at most.
const PATIENCE: Duration = Duration::from_secs(60);

/// Every transaction of a mutation is cancelled for the same reason. The first create of a process looks whether there are
/// counters.
async fn is_bounded(name: &str, fault: Fault, is_first: bool) {
    let world = World::start(ATTEMPTS).await;
    let id = if is_first {
        application_without_history(&world, "applied").await
    } else {
        world.application(json!({})).await
    };
    let input = match name {
        "createApplication" => json!({ "companyName": "Visa", "positionTitle": "Engineer" }),
        "updateApplication" => json!({ "id": id, "status": "REJECTED" }),
        "addInterviewStage" => json!({ "applicationId": id, "name": "One" }),
        _ => json!({ "id": id }),
    };
    world.faults.always(TRANSACTION, fault);
    let before = world.faults.attempts(TRANSACTION);
    let answered = timeout(PATIENCE, world.mutate(name, input)).await;
    let tries = world.faults.attempts(TRANSACTION) - before;
    let what = format!("{name}, {fault:?}, first: {is_first}, {tries} tries");
    let answered = answered.unwrap_or_else(|_| panic!("no answer: {what}"));
    assert!(!matches!(answered, Outcome::Done(_)), "{what}");
    assert!(tries <= MOST_TRIES, "{what}");
}

/// The tries of one write at most: those of the SDK for each attempt of ours.
const MOST_TRIES: u64 = 25 * ATTEMPTS as u64;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_cancelled_again_and_again_ends_after_a_bounded_number_of_tries() {
    for reason in REASONS {
        let mut cases = Vec::new();
        // The counters are the last items.
        for fault in [Fault::CanceledFor(reason), Fault::CanceledForLast(reason)] {
            for name in [
                "createApplication",
                "updateApplication",
                "archiveApplication",
                "addInterviewStage",
                "deleteApplication",
            ] {
                cases.extend([true, false].map(|is_first| is_bounded(name, fault, is_first)));
            }
        }
        join_all(cases).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn imports_whose_answers_are_lost_say_that_they_made_what_they_made() {
    let world = World::start(ATTEMPTS).await;
    world.faults.tokens(Tokens::Stripped);
    let row = |i: usize| NewRow {
        id: ApplicationId::new(Uuid::new_v4()),
        fields: DetailsChange {
            company_name: Change::Set(format!("Company {i}")),
            position_title: Change::Set("Engineer".to_owned()),
            ..DetailsChange::default()
        },
        is_archived: false,
    };
    let rows: Vec<_> = (0..60).map(row).collect();
    let lost = || {
        world
            .faults
            .next(TRANSACTION, [Some(Fault::LostAnswer), None].repeat(2))
    };
    lost();
    let made = world
        .applications()
        .import_rows(rows.clone(), Import::Write, None, &mut None)
        .await
        .unwrap();
    assert_eq!(made, vec![Imported::Created; 60]);
    let again = world
        .applications()
        .import_rows(rows, Import::Write, None, &mut None)
        .await
        .unwrap();
    assert_eq!(again, vec![Imported::AlreadyThere; 60]);
    assert_eq!(check_table(&world).await.len(), 60);

    let exported = world.applications().export(60, None).await.unwrap();
    let records: Vec<_> = exported
        .into_iter()
        .map(|(_, record)| record.unwrap().unwrap())
        .collect();
    let world = World::start(ATTEMPTS).await;
    world.faults.tokens(Tokens::Stripped);
    world
        .faults
        .next(TRANSACTION, [Some(Fault::LostAnswer), None].repeat(2));
    let made = world
        .applications()
        .import_records(records.clone(), Import::Write)
        .await
        .unwrap();
    assert_eq!(made, vec![Imported::Created; 60]);
    let again = world
        .applications()
        .import_records(records, Import::Write)
        .await
        .unwrap();
    assert_eq!(again, vec![Imported::AlreadyThere; 60]);
    assert_eq!(check_table(&world).await.len(), 60);
}
