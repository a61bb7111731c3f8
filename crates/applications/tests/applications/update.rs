//! Patching applications: what is left out stays, what is null becomes empty.

use serde_json::{Value, json};

use crate::ask::{NOBODY, errors, named, start, with};
use crate::support::Api;

/// Every field that may be empty, with two values for it.
fn nullable() -> Vec<(&'static str, Value, Value)> {
    vec![
        ("offerDueDate", json!("2026-12-01"), json!("2026-12-02")),
        (
            "companyUrl",
            json!("https://a.example"),
            json!("https://b.example"),
        ),
        (
            "jobPostingUrl",
            json!("https://a.example/1"),
            json!("https://a.example/2"),
        ),
        (
            "companyCareerUrl",
            json!("https://a.example/c"),
            json!("https://b.example/c"),
        ),
        ("companyCategory", json!("AI"), json!("E_COMMERCE")),
        ("jobSource", json!("FRIEND"), json!("LINKEDIN")),
        ("skillsMatch", json!(1), json!(5)),
        ("coverLetterRequired", json!(true), json!(false)),
        (
            "specialRequirements",
            json!("a driving licence"),
            json!("two references"),
        ),
        ("notes", json!("call back"), json!("called back")),
        ("salaryMin", json!(1), json!(2)),
        ("salaryMax", json!(10), json!(20)),
    ]
}

/// `after` is `before` but for the named fields and the version.
fn differs_in(before: &Value, after: &Value, fields: &[&str]) {
    for (field, value) in after.as_object().unwrap() {
        let may = fields.contains(&field.as_str()) || ["version", "updatedAt"].contains(&&**field);
        assert!(may || before[field] == *value, "{field} changed too");
    }
    assert_eq!(
        after["version"].as_i64().unwrap(),
        before["version"].as_i64().unwrap() + 1
    );
}

async fn unchanged(api: &Api, application: &Value) {
    let read = api.read(application["id"].as_str().unwrap()).await;
    for (field, value) in application.as_object().unwrap() {
        assert_eq!(read[field], *value, "{field}");
    }
    let entries = read["history"]["edges"].as_array().unwrap().len();
    assert_eq!(json!(entries), application["version"]);
}

#[tokio::test]
async fn each_nullable_field_is_kept_set_and_cleared_alone() {
    let (api, hands) = start().await;
    for (field, first, second) in nullable() {
        let made = api
            .create(with(named("Visa"), json!({ field: first })))
            .await;
        let id = made["id"].as_str().unwrap();
        hands.go(1000);
        let kept = api
            .update(id, json!({ "companyName": "Visa Europe" }))
            .await;
        differs_in(&made, &kept, &["companyName"]);
        let set = api.update(id, json!({ field: second })).await;
        differs_in(&kept, &set, &[field]);
        assert_eq!(set[field], second, "{field}");
        let cleared = api.update(id, json!({ field: null })).await;
        differs_in(&set, &cleared, &[field]);
        assert_eq!(cleared[field], json!(null), "{field}");
        unchanged(&api, &cleared).await;
    }
}

#[tokio::test]
async fn a_variable_that_is_left_out_keeps_its_field() {
    let (api, _) = start().await;
    let made = api
        .create(with(named("Visa"), json!({ "notes": "call back" })))
        .await;
    const UPDATE: &str = "mutation($id: ID!, $company: String, $notes: String) {
      updateApplication(input: { id: $id, companyName: $company, notes: $notes }) {
        application { companyName notes } userErrors { message } } }";
    let id = &made["id"];
    let data = api
        .data(UPDATE, json!({ "id": id, "company": "Visa Europe" }))
        .await;
    let application = json!({ "companyName": "Visa Europe", "notes": "call back" });
    assert_eq!(data["updateApplication"]["application"], application);
    let data = api.data(UPDATE, json!({ "id": id, "notes": null })).await;
    let application = json!({ "companyName": "Visa Europe", "notes": null });
    assert_eq!(data["updateApplication"]["application"], application);
}

#[tokio::test]
async fn a_required_field_cannot_become_empty_and_all_errors_come_together() {
    let (api, _) = start().await;
    let made = api.create(named("Visa")).await;
    let id = &made["id"];
    let input = json!({
        "id": id, "companyName": null, "positionTitle": " ", "status": null, "skillsMatch": 0,
    });
    let expected = errors(&[
        ("REQUIRED", "companyName"),
        ("REQUIRED", "positionTitle"),
        ("REQUIRED", "status"),
        ("OUT_OF_RANGE", "skillsMatch"),
    ]);
    assert_eq!(api.refused("updateApplication", input).await, expected);
    unchanged(&api, &made).await;
}

#[tokio::test]
async fn the_date_applied_follows_the_status() {
    let (api, hands) = start().await;
    let made = api.create(named("Visa")).await;
    let id = made["id"].as_str().unwrap();
    let early = api.update(id, json!({ "dateApplied": "2026-11-01" })).await;
    assert_eq!(
        (&early["status"], &early["dateApplied"]),
        (&json!("UNSUBMITTED"), &json!("2026-11-01"))
    );
    let noted = api.update(id, json!({ "notes": "n" })).await;
    assert_eq!(noted["dateApplied"], "2026-11-01");
    let undated = api.update(id, json!({ "dateApplied": null })).await;
    assert_eq!(undated["dateApplied"], json!(null));
    let applied = api.update(id, json!({ "status": "APPLIED" })).await;
    assert_eq!(applied["dateApplied"], "2026-11-20");
    hands.set("2026-11-25T23:59:59.999Z");
    let later = api.update(id, json!({ "status": "INTERVIEWING" })).await;
    assert_eq!(later["dateApplied"], "2026-11-20");
    let corrected = api.update(id, json!({ "dateApplied": "2026-11-19" })).await;
    assert_eq!(corrected["dateApplied"], "2026-11-19");
    let cleared = api.update(id, json!({ "dateApplied": null })).await;
    assert_eq!(cleared["dateApplied"], json!(null));
    let kept = api.update(id, json!({ "status": "NO_OFFER" })).await;
    assert_eq!(kept["dateApplied"], json!(null));
    let back = api.update(id, json!({ "status": "UNSUBMITTED" })).await;
    assert_eq!(back["dateApplied"], json!(null));
    let both = json!({ "status": "REJECTED", "dateApplied": "2026-01-01" });
    assert_eq!(api.update(id, both).await["dateApplied"], "2026-01-01");
}

#[tokio::test]
async fn the_salary_rule_holds_across_stored_and_new_values() {
    let (api, _) = start().await;
    let made = api
        .create(with(named("Visa"), json!({ "salaryMin": 100 })))
        .await;
    let id = made["id"].as_str().unwrap();
    let patch = |changes: Value| with(json!({ "id": id }), changes);
    let low = patch(json!({ "salaryMax": 99 }));
    assert_eq!(
        api.refused("updateApplication", low).await,
        errors(&[("INVALID", "salaryMax")])
    );
    unchanged(&api, &made).await;
    assert_eq!(
        api.update(id, json!({ "salaryMax": 100 })).await["salaryMax"],
        100
    );
    let high = patch(json!({ "salaryMin": 101 }));
    assert_eq!(
        api.refused("updateApplication", high).await,
        errors(&[("INVALID", "salaryMin")])
    );
    let moved = api
        .update(id, json!({ "salaryMin": 101, "salaryMax": 102 }))
        .await;
    assert_eq!(
        (&moved["salaryMin"], &moved["salaryMax"]),
        (&json!(101), &json!(102))
    );
    let open = api
        .update(id, json!({ "salaryMin": 500, "salaryMax": null }))
        .await;
    assert_eq!(
        (&open["salaryMin"], &open["salaryMax"]),
        (&json!(500), &json!(null))
    );
}

#[tokio::test]
async fn a_version_that_is_not_the_expected_one_is_a_conflict_that_tells_it() {
    let (api, _) = start().await;
    let made = api.create(named("Visa")).await;
    let id = made["id"].as_str().unwrap();
    let seen = json!({ "id": id, "expectedVersion": 1, "notes": "first" });
    let first = api.done("updateApplication", seen).await["application"].clone();
    assert_eq!(first["version"], 2);
    let stale = |more: Value| with(json!({ "id": id, "expectedVersion": 1 }), more);
    let stage = api.add_stage(id, json!({ "name": "Phone screen" })).await;
    let of_stage = |more: Value| with(json!({ "id": stage["id"], "expectedVersion": 1 }), more);
    let of_application = json!({ "applicationId": id, "expectedVersion": 1 });
    let mutations = [
        ("updateApplication", stale(json!({ "notes": "second" }))),
        // What would change nothing is a conflict too: it was decided on something else.
        ("updateApplication", stale(json!({ "notes": "first" }))),
        ("archiveApplication", stale(json!({}))),
        ("unarchiveApplication", stale(json!({}))),
        ("restoreApplication", stale(json!({ "sequence": 1 }))),
        ("deleteApplication", stale(json!({}))),
        (
            "addInterviewStage",
            with(of_application.clone(), json!({ "name": "Onsite" })),
        ),
        (
            "updateInterviewStage",
            of_stage(json!({ "name": "Onsite" })),
        ),
        ("completeInterviewStage", of_stage(json!({}))),
        ("removeInterviewStage", of_stage(json!({}))),
        (
            "reorderInterviewStages",
            with(of_application, json!({ "stageIds": [stage["id"]] })),
        ),
    ];
    for (name, input) in mutations {
        let payload = api.mutate(name, input).await.data()[name].clone();
        let error = &payload["userErrors"][0];
        assert_eq!(error["code"], "CONFLICT", "{name}");
        assert_eq!(error["field"], json!(["expectedVersion"]), "{name}");
        assert_eq!(error["currentVersion"], 3, "{name}");
        assert_eq!(payload["application"]["notes"], "first", "{name}");
    }
    let read = api.read(id).await;
    assert_eq!(
        (&read["notes"], &read["version"]),
        (&json!("first"), &json!(3))
    );
}

#[tokio::test]
async fn a_change_that_changes_nothing_writes_nothing() {
    let (api, hands) = start().await;
    let full = json!({
        "status": "APPLIED", "notes": "call back", "skillsMatch": 3, "salaryMin": 5, "salaryMax": 6,
    });
    let made = api.create(with(named("Visa"), full.clone())).await;
    let id = made["id"].as_str().unwrap();
    hands.set("2026-11-25T09:30:00.000Z");
    api.calls.reset();
    for changes in [
        json!({}),
        full,
        json!({ "companyName": " Visa " }),
        json!({ "dateApplied": "2026-11-20" }),
    ] {
        assert_eq!(api.update(id, changes).await, made);
    }
    assert_eq!(api.calls.counts().get("TransactWriteItems"), None);
    unchanged(&api, &made).await;
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let (api, _) = start().await;
    let made = api.create(named("Visa")).await;
    let stage = api
        .add_stage(made["id"].as_str().unwrap(), json!({ "name": "Onsite" }))
        .await;
    let expected = errors(&[("NOT_FOUND", "id")]);
    for id in [
        json!(NOBODY),
        json!("nonsense"),
        json!(""),
        stage["id"].clone(),
    ] {
        let named = |more: Value| with(json!({ "id": id }), more);
        for (name, input) in [
            ("updateApplication", named(json!({ "notes": "x" }))),
            ("archiveApplication", named(json!({}))),
            ("unarchiveApplication", named(json!({}))),
            ("deleteApplication", named(json!({}))),
            ("restoreApplication", named(json!({ "sequence": 1 }))),
        ] {
            assert_eq!(api.refused(name, input).await, expected, "{name} of {id}");
        }
    }
}

#[tokio::test]
async fn updated_at_never_goes_back_whatever_the_clock_does() {
    let (api, hands) = start().await;
    let made = api.create(named("Visa")).await;
    let id = made["id"].as_str().unwrap();
    hands.set("2026-11-20T09:29:00.000Z");
    let earlier = api.update(id, json!({ "notes": "a minute before" })).await;
    assert_eq!(earlier["updatedAt"], "2026-11-20T09:30:00.001Z");
    let stopped = api.update(id, json!({ "notes": "and again" })).await;
    assert_eq!(stopped["updatedAt"], "2026-11-20T09:30:00.002Z");
    hands.set("1999-12-31T23:59:59.999Z");
    let archived = api.done("archiveApplication", json!({ "id": id })).await;
    assert_eq!(
        archived["application"]["updatedAt"],
        "2026-11-20T09:30:00.003Z"
    );
    api.add_stage(id, json!({ "name": "Onsite" })).await;
    hands.set("2026-11-20T09:31:00.000Z");
    let on = api
        .update(id, json!({ "notes": "the clock is right" }))
        .await;
    assert_eq!(on["updatedAt"], "2026-11-20T09:31:00.000Z");
    assert_eq!(on["createdAt"], "2026-11-20T09:30:00.000Z");
    let read = api.read(id).await;
    let edges = read["history"]["edges"].as_array().unwrap();
    let moments: Vec<_> = edges
        .iter()
        .map(|e| e["node"]["createdAt"].as_str().unwrap())
        .collect();
    assert!(
        moments.is_sorted_by(|newer, older| newer > older),
        "{moments:?}"
    );
}

#[tokio::test]
async fn blank_text_of_a_form_clears_a_field() {
    let (api, _) = start().await;
    let full =
        json!({ "notes": "n", "companyUrl": "https://example.com", "offerDueDate": "2026-12-01" });
    let made = api.create(with(named("Visa"), full)).await;
    let blank = json!({ "notes": " ", "companyUrl": "", "offerDueDate": "" });
    let changed = api.update(made["id"].as_str().unwrap(), blank).await;
    for field in ["notes", "companyUrl", "offerDueDate"] {
        assert_eq!(changed[field], json!(null), "{field}");
    }
}
