//! Taking an application back to what it was.

use aws_sdk_dynamodb::types::AttributeValue::M;
use serde_json::{Value, json};

use crate::ask::{FIELDS, NOBODY, errors, named, start, text, with};

#[tokio::test]
async fn a_restored_application_is_what_it_was_but_younger() {
    let (api, hands) = start().await;
    let first = json!({ "status": "APPLIED", "notes": "n", "salaryMin": 1, "salaryMax": 2 });
    let made = api.create(with(named("Visa"), first)).await;
    let id = made["id"].as_str().unwrap();
    let a = api
        .add_stage(id, json!({ "name": "A", "notes": "first" }))
        .await["id"]
        .clone();
    api.add_stage(id, json!({ "name": "B" })).await;
    let then = api.read(id).await;
    hands.set("2026-12-24T18:00:00.000Z");
    api.update(
        id,
        json!({ "notes": null, "salaryMin": 50, "salaryMax": 60, "companyName": "V" }),
    )
    .await;
    api.done("removeInterviewStage", json!({ "id": a })).await;
    api.add_stage(id, json!({ "name": "C" })).await;
    api.done("archiveApplication", json!({ "id": id })).await;

    let input = json!({ "id": id, "sequence": 3, "expectedVersion": 7 });
    let restored = api.done("restoreApplication", input).await["application"].clone();
    for field in FIELDS.split_whitespace().chain(["interviewStages"]) {
        match field {
            "version" => assert_eq!(restored[field], 8),
            "updatedAt" => assert!(restored[field].as_str() > Some("2026-12-24T18:00:00.000Z")),
            _ => assert_eq!(restored[field], then[field], "{field}"),
        }
    }
    let read = api.read(id).await;
    assert_eq!(read["interviewStages"], then["interviewStages"]);
    let stored = api.stored(id).await;
    assert_eq!(
        stored.keys().filter(|sk| sk.starts_with("STAGE#")).count(),
        2
    );
    let newest = &read["history"]["edges"][0]["node"];
    assert_eq!(newest["sequence"], 8);
    let description = newest["description"].as_str().unwrap();
    let expected = "Restored to entry 3: Company changed from V to Visa; Notes added; Unarchived; \
                    Salary range set to 1-2; Interview stage \"A\" added; Interview stage \"C\" removed";
    assert_eq!(description, expected);
    // Nothing of what was in between is lost, and it can be taken back as well.
    assert_eq!(read["history"]["edges"].as_array().unwrap().len(), 8);
    let back = json!({ "id": id, "sequence": 7 });
    let back = api.done("restoreApplication", back).await["application"].clone();
    assert_eq!(
        (&back["companyName"], &back["isArchived"]),
        (&json!("V"), &json!(true))
    );
}

#[tokio::test]
async fn restoring_to_the_same_state_writes_nothing() {
    let (api, hands) = start().await;
    let made = api.create(named("Visa")).await;
    let id = made["id"].as_str().unwrap();
    hands.go(1000);
    api.update(id, json!({ "notes": "n" })).await;
    let there = api.update(id, json!({ "notes": null })).await;
    hands.go(1000);
    for sequence in [1, 3] {
        api.calls.reset();
        let input = json!({ "id": id, "sequence": sequence });
        let same = api.done("restoreApplication", input).await["application"].clone();
        assert_eq!(same, there);
        assert_eq!(api.calls.counts().get("TransactWriteItems"), None);
    }
    assert_eq!(api.story(id).await.len(), 3);
}

#[tokio::test]
async fn an_entry_that_is_not_there_is_not_found() {
    let (api, _) = start().await;
    let made = api.create(named("Visa")).await;
    for sequence in [0_u32, 2, 99_999_999, 100_000_001, i32::MAX.unsigned_abs()] {
        let input = json!({ "id": made["id"], "sequence": sequence });
        let refused = api.refused("restoreApplication", input).await;
        assert_eq!(refused, errors(&[("NOT_FOUND", "sequence")]), "{sequence}");
    }
    let nobody: Value = json!({ "id": NOBODY, "sequence": 1 });
    let refused = api.refused("restoreApplication", nobody).await;
    assert_eq!(refused, errors(&[("NOT_FOUND", "id")]));
}

#[tokio::test]
async fn what_another_program_made_too_large_to_store_twice_is_refused_in_words() {
    let (api, _) = start().await;
    let made = api.create(named("Visa")).await;
    let id = made["id"].as_str().unwrap();
    let there = api.update(id, json!({ "notes": "n" })).await;
    let mut entry = api.stored(id).await["HIST#00000001"].clone();
    let M(snapshot) = entry.get_mut("snapshot").unwrap() else {
        panic!("no snapshot")
    };
    snapshot.insert("salaryMax".to_owned(), text(&"x".repeat(300_000)));
    api.put(entry).await;

    let answer = api
        .mutate("restoreApplication", json!({ "id": id, "sequence": 1 }))
        .await;
    let error = &answer.body["errors"][0];
    assert_eq!(error["extensions"]["code"], "UNREADABLE", "{}", answer.body);
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("400 KB") && message.len() < 300,
        "{message}"
    );
    let read = api.read(id).await;
    assert_eq!(
        (&read["version"], &read["notes"]),
        (&there["version"], &json!("n"))
    );
}
