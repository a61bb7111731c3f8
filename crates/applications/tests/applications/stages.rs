//! Interview stages.

use serde_json::{Value, json};

use crate::ask::{NOBODY, errors, named, start, with};
use crate::support::Api;

const STAGE_ID: &str = "11111111-2222-4333-8444-555555555555";

async fn application(api: &Api) -> String {
    api.create(named("Visa")).await["id"]
        .as_str()
        .unwrap()
        .to_owned()
}

async fn names(api: &Api, id: &str) -> Vec<(String, i64)> {
    let read = api.read(id).await;
    let stages = read["interviewStages"].as_array().unwrap();
    let name = |stage: &Value| {
        let name = stage["name"].as_str().unwrap().to_owned();
        (name, stage["order"].as_i64().unwrap())
    };
    stages.iter().map(name).collect()
}

fn ordered(expected: &[(&str, i64)]) -> Vec<(String, i64)> {
    expected
        .iter()
        .map(|(name, order)| ((*name).to_owned(), *order))
        .collect()
}

#[tokio::test]
async fn stages_stand_by_their_order_the_new_ones_last() {
    let (api, _) = start().await;
    let id = application(&api).await;
    let first = api
        .add_stage(&id, json!({ "name": " Phone screen " }))
        .await;
    let expected = json!({
        "id": first["id"], "stageId": first["stageId"], "name": "Phone screen", "order": 0,
        "isCompleted": false, "completedDate": null, "notes": null, "performanceRating": null,
    });
    assert_eq!(first, expected);
    api.add_stage(&id, json!({ "name": "Onsite", "order": 5 }))
        .await;
    api.add_stage(&id, json!({ "name": "Offer" })).await;
    api.add_stage(&id, json!({ "name": "Coding", "order": 3 }))
        .await;
    let expected = ordered(&[
        ("Phone screen", 0),
        ("Coding", 3),
        ("Onsite", 5),
        ("Offer", 6),
    ]);
    assert_eq!(names(&api, &id).await, expected);
    assert_eq!(api.read(&id).await["version"], 5);
}

/// Every set of up to three orders, and a stage that is added at each of them or between.
#[tokio::test]
async fn a_stage_added_at_an_order_comes_before_the_stage_that_is_there() {
    let (api, _) = start().await;
    for orders in [
        [0, 1, 2],
        [0, 0, 1],
        [1, 1, 1],
        [0, 2, 3],
        [0, 5, 5],
        [3, 4, 9],
    ] {
        for order in 0..=6 {
            let id = application(&api).await;
            for (at, taken) in orders.into_iter().enumerate() {
                let stage = json!({ "name": format!("{at}"), "order": 10 + at });
                let stage = api.add_stage(&id, stage).await["id"].clone();
                api.done(
                    "updateInterviewStage",
                    json!({ "id": stage, "order": taken }),
                )
                .await;
            }
            let before = names(&api, &id).await;
            api.add_stage(&id, json!({ "name": "new", "order": order }))
                .await;
            let mut expected: Vec<_> = before.iter().map(|(name, _)| name.as_str()).collect();
            let place = before
                .iter()
                .take_while(|(_, taken)| *taken < order)
                .count();
            expected.insert(place, "new");
            let after = names(&api, &id).await;
            let found: Vec<_> = after.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(found, expected, "{order} among {before:?}");
            assert_eq!(after[place].1, order);
        }
    }
}

#[tokio::test]
async fn a_stage_is_checked_as_a_whole() {
    let (api, _) = start().await;
    let id = application(&api).await;
    let wrong = json!({
        "applicationId": id, "name": "a".repeat(101), "order": -1, "completedDate": "soon",
        "notes": "a".repeat(2001), "performanceRating": 6,
    });
    let expected = errors(&[
        ("TOO_LONG", "name"),
        ("OUT_OF_RANGE", "order"),
        ("INVALID", "completedDate"),
        ("TOO_LONG", "notes"),
        ("OUT_OF_RANGE", "performanceRating"),
    ]);
    assert_eq!(api.refused("addInterviewStage", wrong).await, expected);
    let unnamed = json!({ "applicationId": id, "name": " " });
    let expected = errors(&[("REQUIRED", "name")]);
    assert_eq!(api.refused("addInterviewStage", unnamed).await, expected);
    assert_eq!(api.read(&id).await["version"], 1);
}

#[tokio::test]
async fn the_same_stage_sent_twice_is_added_once() {
    let (api, hands) = start().await;
    let id = application(&api).await;
    api.add_stage(&id, json!({ "name": "Phone screen" })).await;
    for stage in [
        json!({ "stageId": STAGE_ID, "name": "Onsite", "notes": "bring papers" }),
        // Filled in with the day it is sent on, which is another one the second time.
        json!({ "stageId": STAGE_ID, "name": "Onsite", "isCompleted": true, "order": 4 }),
    ] {
        let added = api.add_stage(&id, stage.clone()).await;
        assert_eq!(added["stageId"], STAGE_ID);
        let version = api.read(&id).await["version"].clone();
        hands.go(24 * 3600 * 1000);
        assert_eq!(api.add_stage(&id, stage.clone()).await, added);
        assert_eq!(api.read(&id).await["version"], version);
        for other in [
            json!({ "name": "Offer" }),
            json!({ "performanceRating": 3 }),
        ] {
            let input = with(with(json!({ "applicationId": id }), stage.clone()), other);
            let refused = api.refused("addInterviewStage", input).await;
            assert_eq!(refused, errors(&[("CONFLICT", "stageId")]));
        }
        api.done("removeInterviewStage", json!({ "id": added["id"] }))
            .await;
    }
}

#[tokio::test]
async fn an_application_holds_thirty_stages() {
    let (api, _) = start().await;
    let id = application(&api).await;
    for i in 0..30 {
        api.add_stage(
            &id,
            json!({ "name": format!("Stage {i}"), "notes": "n".repeat(2000) }),
        )
        .await;
    }
    let input = json!({ "applicationId": id, "name": "One more" });
    let refused = api.refused("addInterviewStage", input.clone()).await;
    assert_eq!(refused, errors(&[("LIMIT_REACHED", "applicationId")]));
    let read = api.read(&id).await;
    let stages = read["interviewStages"].as_array().unwrap();
    assert_eq!((stages.len(), &read["version"]), (30, &json!(31)));
    // All thirty can still be changed in one go, which is one transaction.
    let reversed: Vec<_> = stages
        .iter()
        .rev()
        .map(|stage| stage["id"].clone())
        .collect();
    let input = json!({ "applicationId": id, "stageIds": reversed });
    api.done("reorderInterviewStages", input).await;
    assert_eq!(names(&api, &id).await[0], ("Stage 29".to_owned(), 0));
    api.done("removeInterviewStage", json!({ "id": reversed[0] }))
        .await;
    api.add_stage(&id, json!({ "name": "One more" })).await;
}

#[tokio::test]
async fn a_stage_is_patched_field_by_field() {
    let (api, _) = start().await;
    let id = application(&api).await;
    let full = json!({ "name": "Phone screen", "notes": "call at ten", "performanceRating": 2 });
    let stage = api.add_stage(&id, full).await;
    let patch = |changes: Value| with(json!({ "id": stage["id"] }), changes);
    for (changes, field, value) in [
        (json!({ "name": "Phone call" }), "name", json!("Phone call")),
        (json!({ "order": 7 }), "order", json!(7)),
        (
            json!({ "notes": "call at eleven" }),
            "notes",
            json!("call at eleven"),
        ),
        (json!({ "notes": null }), "notes", json!(null)),
        (
            json!({ "performanceRating": 5 }),
            "performanceRating",
            json!(5),
        ),
        (
            json!({ "performanceRating": null }),
            "performanceRating",
            json!(null),
        ),
        (
            json!({ "completedDate": "2026-11-01" }),
            "completedDate",
            json!("2026-11-01"),
        ),
        (
            json!({ "completedDate": null }),
            "completedDate",
            json!(null),
        ),
    ] {
        let before = api.read(&id).await["interviewStages"][0].clone();
        let payload = api.done("updateInterviewStage", patch(changes)).await;
        let after = payload["interviewStage"].clone();
        assert_eq!(after, with(before, json!({ field: value })));
        assert_eq!(payload["application"]["interviewStages"], json!([after]));
    }
    let version = api.read(&id).await["version"].clone();
    let same = json!({ "name": "Phone call", "order": 7, "isCompleted": false });
    let payload = api.done("updateInterviewStage", patch(same)).await;
    assert_eq!(payload["application"]["version"], version);
    let empty = json!({ "name": null, "order": null, "isCompleted": null });
    let expected = errors(&[
        ("REQUIRED", "name"),
        ("REQUIRED", "order"),
        ("REQUIRED", "isCompleted"),
    ]);
    assert_eq!(
        api.refused("updateInterviewStage", patch(empty)).await,
        expected
    );
}

#[tokio::test]
async fn completing_dates_a_stage_and_reopening_takes_the_date_back() {
    let (api, hands) = start().await;
    let id = application(&api).await;
    let stage = api.add_stage(&id, json!({ "name": "Onsite" })).await;
    let of_stage = |more: Value| with(json!({ "id": stage["id"] }), more);
    let payload = api
        .done("completeInterviewStage", of_stage(json!({})))
        .await;
    assert_eq!(payload["interviewStage"]["isCompleted"], true);
    assert_eq!(payload["interviewStage"]["completedDate"], "2026-11-20");
    hands.set("2026-11-25T09:30:00.000Z");
    let again = api
        .done("completeInterviewStage", of_stage(json!({})))
        .await;
    assert_eq!(
        again["application"]["version"],
        payload["application"]["version"]
    );
    assert_eq!(again["interviewStage"]["completedDate"], "2026-11-20");
    let reopen = of_stage(json!({ "isCompleted": false }));
    let reopened = api.done("updateInterviewStage", reopen).await["interviewStage"].clone();
    assert_eq!(
        (&reopened["isCompleted"], &reopened["completedDate"]),
        (&json!(false), &json!(null))
    );
    let dated = of_stage(json!({ "completedDate": "2026-11-22", "performanceRating": 4 }));
    let payload = api.done("completeInterviewStage", dated).await;
    assert_eq!(payload["interviewStage"]["completedDate"], "2026-11-22");
    assert_eq!(payload["interviewStage"]["performanceRating"], 4);
    let undated = of_stage(json!({ "completedDate": null }));
    let payload = api.done("updateInterviewStage", undated).await;
    assert_eq!(payload["interviewStage"]["completedDate"], "2026-11-25");
    let expected = [
        "Interview stage \"Onsite\" added",
        "Interview stage \"Onsite\" completed",
        "Interview stage \"Onsite\" reopened",
        "Interview stage \"Onsite\" completed; Interview stage \"Onsite\" rated 4",
        "Interview stage \"Onsite\" dated 2026-11-25",
    ];
    assert_eq!(api.story(&id).await[1..], expected);
}

#[tokio::test]
async fn reordering_takes_every_stage_once() {
    let (api, _) = start().await;
    let (id, other) = (application(&api).await, application(&api).await);
    let foreign = api.add_stage(&other, json!({ "name": "Elsewhere" })).await["id"].clone();
    let reorder = |stages: &[&Value]| json!({ "applicationId": id, "stageIds": stages });
    let wrong = errors(&[("INVALID", "stageIds")]);
    let unknown = errors(&[("NOT_FOUND", "stageIds")]);
    // A stage of another application is none of this one's, which has none yet.
    assert_eq!(
        api.refused("reorderInterviewStages", reorder(&[&foreign]))
            .await,
        unknown
    );
    let a = api.add_stage(&id, json!({ "name": "A" })).await["id"].clone();
    let b = api.add_stage(&id, json!({ "name": "B" })).await["id"].clone();
    let c = api.add_stage(&id, json!({ "name": "C" })).await["id"].clone();
    let payload = api
        .done("reorderInterviewStages", reorder(&[&c, &a, &b]))
        .await;
    assert_eq!(payload["application"]["version"], 5);
    assert_eq!(
        names(&api, &id).await,
        ordered(&[("C", 0), ("A", 1), ("B", 2)])
    );
    let same = api
        .done("reorderInterviewStages", reorder(&[&c, &a, &b]))
        .await;
    assert_eq!(same["application"]["version"], 5);
    let nonsense = json!("nonsense");
    for (list, expected) in [
        (vec![&a, &b], &wrong),
        (vec![&a, &b, &b], &wrong),
        (vec![&a, &b, &c, &c], &wrong),
        (vec![], &wrong),
        (vec![&a, &b, &foreign], &unknown),
        (vec![&a, &b, &c, &foreign], &unknown),
        (vec![&a, &b, &nonsense], &unknown),
    ] {
        assert_eq!(
            &api.refused("reorderInterviewStages", reorder(&list)).await,
            expected,
            "{list:?}"
        );
    }
    let nobody = json!({ "applicationId": NOBODY, "stageIds": [] });
    let refused = api.refused("reorderInterviewStages", nobody).await;
    assert_eq!(refused[0].0, "NOT_FOUND");
    assert_eq!(
        names(&api, &id).await,
        ordered(&[("C", 0), ("A", 1), ("B", 2)])
    );
}

#[tokio::test]
async fn a_removed_stage_is_gone_and_the_others_stay() {
    let (api, _) = start().await;
    let id = application(&api).await;
    let a = api.add_stage(&id, json!({ "name": "A" })).await["id"].clone();
    api.add_stage(&id, json!({ "name": "B" })).await;
    let payload = api.done("removeInterviewStage", json!({ "id": a })).await;
    assert_eq!(payload["removedInterviewStageId"], a);
    assert_eq!(names(&api, &id).await, ordered(&[("B", 1)]));
    let stored = api.stored(&id).await;
    assert_eq!(
        stored.keys().filter(|sk| sk.starts_with("STAGE#")).count(),
        1
    );
    for name in [
        "removeInterviewStage",
        "updateInterviewStage",
        "completeInterviewStage",
    ] {
        let refused = api.refused(name, json!({ "id": a })).await;
        assert_eq!(refused, errors(&[("NOT_FOUND", "id")]), "{name}");
    }
}

#[tokio::test]
async fn a_stage_of_nothing_is_not_found() {
    let (api, _) = start().await;
    let id = application(&api).await;
    for wrong in [json!(NOBODY), json!("nonsense"), json!(id)] {
        for name in [
            "removeInterviewStage",
            "updateInterviewStage",
            "completeInterviewStage",
        ] {
            let refused = api.refused(name, json!({ "id": wrong })).await;
            assert_eq!(refused, errors(&[("NOT_FOUND", "id")]), "{name} of {wrong}");
        }
    }
    for (wrong, name) in [(NOBODY, "a UUID"), ("nonsense", "no id")] {
        let input = json!({ "applicationId": wrong, "name": "Onsite" });
        let refused = api.refused("addInterviewStage", input).await;
        assert_eq!(refused, errors(&[("NOT_FOUND", "applicationId")]), "{name}");
        let input = json!({ "applicationId": wrong, "stageIds": [] });
        let refused = api.refused("reorderInterviewStages", input).await;
        assert_eq!(refused, errors(&[("NOT_FOUND", "applicationId")]), "{name}");
    }
}

#[tokio::test]
async fn a_stage_sent_twice_with_the_version_it_was_made_for_is_answered_twice() {
    let (api, _) = start().await;
    let id = application(&api).await;
    let input = json!({ "stageId": STAGE_ID, "name": "Onsite", "expectedVersion": 1 });
    let first = api.add_stage(&id, input.clone()).await;
    assert_eq!(api.add_stage(&id, input).await, first);
    let other = json!({ "applicationId": id, "name": "Another", "expectedVersion": 1 });
    let refused = api.refused("addInterviewStage", other).await;
    assert_eq!(refused, errors(&[("CONFLICT", "expectedVersion")]));
    assert_eq!(api.read(&id).await["version"], 2);
}

#[tokio::test]
async fn stages_after_the_highest_order_have_orders_of_their_own() {
    let (api, _) = start().await;
    let id = api.create(named("Visa")).await["id"].clone();
    let id = id.as_str().unwrap();
    let range = errors(&[("OUT_OF_RANGE", "order")]);
    for order in [2_000_000_001, i32::MAX] {
        let input = json!({ "applicationId": id, "name": "late", "order": order });
        assert_eq!(api.refused("addInterviewStage", input).await, range);
    }
    for name in ["a", "b", "c"] {
        let stage = json!({ "name": name, "order": 2_000_000_000 });
        api.add_stage(id, stage).await;
        api.add_stage(id, json!({ "name": format!("after {name}") }))
            .await;
    }
    let expected = ["c", "b", "a", "after a", "after b", "after c"];
    let expected: Vec<_> = (2_000_000_000..)
        .zip(expected)
        .map(|(order, name)| (name, order))
        .collect();
    assert_eq!(names(&api, id).await, ordered(&expected));
}
