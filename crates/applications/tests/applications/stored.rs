//! What is stored, to the letter: other programs read the same table.

use aws_sdk_dynamodb::types::AttributeValue::{Bool, L, M, N, Null};
use serde_json::json;

use crate::ask::{Item, named, number, start, text, with};

const ID: &str = "7f1d2a4e-9c3b-4f5e-8a6d-0b1c2d3e4f50";
const STAGE: &str = "11111111-2222-4333-8444-555555555555";
const NOW: &str = "2026-11-20T09:30:00.000Z";

fn item<const LEN: usize>(
    attributes: [(&str, aws_sdk_dynamodb::types::AttributeValue); LEN],
) -> Item {
    attributes
        .map(|(name, value)| (name.to_owned(), value))
        .into()
}

/// An application of which everything that may be empty is, without its keys.
fn bare() -> Item {
    item([
        ("id", text(ID)),
        ("companyName", text("Visa")),
        ("positionTitle", text("Engineer")),
        ("status", text("unsubmitted")),
        ("dateApplied", Null(true)),
        ("offerDueDate", Null(true)),
        ("companyUrl", Null(true)),
        ("jobPostingUrl", Null(true)),
        ("companyCareerUrl", Null(true)),
        ("companyCategory", Null(true)),
        ("jobSource", Null(true)),
        ("skillsMatch", Null(true)),
        ("coverLetterRequired", Null(true)),
        ("specialRequirements", Null(true)),
        ("notes", Null(true)),
        ("salaryMin", Null(true)),
        ("salaryMax", Null(true)),
        ("isArchived", Bool(false)),
        ("historySequence", number(1)),
        ("createdAt", text(NOW)),
        ("updatedAt", text(NOW)),
        ("statusSince", text(NOW)),
        ("statusSinceStatus", text("unsubmitted")),
    ])
}

fn keys(status: &str) -> Item {
    let place = format!("UPDATED#{NOW}#{ID}");
    item([
        ("PK", text(&format!("APP#{ID}"))),
        ("SK", text(&format!("APP#{ID}"))),
        ("GSI1PK", text(&format!("STATUS#{status}#ARCHIVED#0"))),
        ("GSI1SK", text(&place)),
        ("GSI2PK", text("ACTIVE")),
        ("GSI2SK", text(&place)),
    ])
}

/// `base` with the attributes of `over` instead of its own.
fn over(base: Item, over: Item) -> Item {
    base.into_iter().chain(over).collect()
}

#[tokio::test]
async fn an_application_is_stored_as_the_contract_says() {
    let (api, hands) = start().await;
    api.create(with(named("Visa"), json!({ "id": ID }))).await;
    assert_eq!(
        api.stored_application(ID).await,
        over(bare(), keys("unsubmitted"))
    );

    // Every attribute with a value, by an update after an hour: a status that is left earlier is not kept.
    hands.go(60 * 60 * 1000);
    let full = json!({
        "status": "GIVEN_OFFER", "dateApplied": "2026-10-01", "offerDueDate": "2026-12-24",
        "companyUrl": "https://a.example", "jobPostingUrl": "https://a.example/1",
        "companyCareerUrl": "https://a.example/c", "companyCategory": "ENTERPRISE_SOFTWARE",
        "jobSource": "COMPANY_WEBSITE", "skillsMatch": 5, "coverLetterRequired": false,
        "specialRequirements": "a licence", "notes": "n#1", "salaryMin": 0, "salaryMax": 2_147_483_647,
    });
    api.update(ID, full).await;
    let later = "2026-11-20T10:30:00.000Z";
    let place = format!("UPDATED#{later}#{ID}");
    let changed = item([
        ("status", text("given offer")),
        ("dateApplied", text("2026-10-01")),
        ("offerDueDate", text("2026-12-24")),
        ("companyUrl", text("https://a.example")),
        ("jobPostingUrl", text("https://a.example/1")),
        ("companyCareerUrl", text("https://a.example/c")),
        ("companyCategory", text("enterprise-software")),
        ("jobSource", text("company-website")),
        ("skillsMatch", N("5".to_owned())),
        ("coverLetterRequired", Bool(false)),
        ("specialRequirements", text("a licence")),
        ("notes", text("n#1")),
        ("salaryMin", number(0)),
        ("salaryMax", number(2_147_483_647)),
        ("historySequence", number(2)),
        ("updatedAt", text(later)),
        ("statusSince", text(later)),
        ("statusSinceStatus", text("given offer")),
        ("pastStatuses", L(vec![text("unsubmitted")])),
        ("GSI1PK", text("STATUS#given offer#ARCHIVED#0")),
        ("GSI1SK", text(&place)),
        ("GSI2SK", text(&place)),
    ]);
    let expected = over(over(bare(), keys("unsubmitted")), changed);
    assert_eq!(api.stored_application(ID).await, expected);

    // Cleared again, each is an explicit NULL.
    let cleared = json!({
        "status": "UNSUBMITTED", "offerDueDate": null, "companyUrl": null, "jobPostingUrl": null,
        "companyCareerUrl": null, "companyCategory": null, "jobSource": null, "skillsMatch": null,
        "coverLetterRequired": null, "specialRequirements": null, "notes": null, "salaryMin": null,
        "salaryMax": null,
    });
    api.update(ID, cleared).await;
    let stored = api.stored_application(ID).await;
    for (name, value) in bare() {
        // The status goes on: within an hour it was left by mistake.
        if !["historySequence", "updatedAt"].contains(&name.as_str()) {
            assert_eq!(stored[&name], value, "{name}");
        }
    }
    assert_eq!(stored["statusSince"], text("2026-11-20T09:30:00.000Z"));
}

#[tokio::test]
async fn an_archived_application_has_no_keys_in_the_index_of_the_active() {
    let (api, _) = start().await;
    api.create(with(
        named("Visa"),
        json!({ "id": ID, "status": "APPLIED" }),
    ))
    .await;
    api.done("archiveApplication", json!({ "id": ID })).await;
    let stored = api.stored_application(ID).await;
    assert_eq!(stored["isArchived"], Bool(true));
    assert_eq!(stored["GSI1PK"], text("STATUS#applied#ARCHIVED#1"));
    assert_eq!((stored.get("GSI2PK"), stored.get("GSI2SK")), (None, None));
    api.done("unarchiveApplication", json!({ "id": ID })).await;
    let stored = api.stored_application(ID).await;
    let place = text(&format!("UPDATED#2026-11-20T09:30:00.002Z#{ID}"));
    assert_eq!(stored["GSI1PK"], text("STATUS#applied#ARCHIVED#0"));
    assert_eq!((&stored["GSI1SK"], &stored["GSI2SK"]), (&place, &place));
    assert_eq!(stored["GSI2PK"], text("ACTIVE"));
}

#[tokio::test]
async fn every_enum_is_stored_as_its_word() {
    let (api, _) = start().await;
    let id = api.create(named("Visa")).await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let words = [
        (
            "status",
            "unsubmitted applied rejected interviewing given_offer accepted_offer declined_offer no_offer",
            ' ',
        ),
        (
            "companyCategory",
            "education health climate ai energy finance enterprise_software consumer_tech e_commerce \
             cybersecurity gaming media_entertainment consulting government nonprofit retail restaurant \
             hospitality other",
            '-',
        ),
        (
            "jobSource",
            "recruiter linkedin indeed friend colleague company_website other",
            '-',
        ),
    ];
    for (field, names, separator) in words {
        for name in names.split_whitespace() {
            api.update(&id, json!({ field: name.to_uppercase() })).await;
            let stored = api.stored_application(&id).await;
            let word = name.replace('_', &separator.to_string());
            assert_eq!(stored[field], text(&word), "{field}");
            if field == "status" {
                assert_eq!(stored["GSI1PK"], text(&format!("STATUS#{word}#ARCHIVED#0")));
            }
            let read = api.read(&id).await;
            assert_eq!(read[field], name.to_uppercase());
        }
    }
}

#[tokio::test]
async fn stages_and_history_are_stored_as_the_contract_says() {
    let (api, _) = start().await;
    api.create(with(named("Visa"), json!({ "id": ID }))).await;
    let stage = json!({ "stageId": STAGE, "name": "Onsite", "order": 3 });
    let stage_id = api.add_stage(ID, stage).await["id"].clone();
    let stored = api.stored(ID).await;
    let sort_keys: Vec<_> = stored.keys().cloned().collect();
    let expected = [
        format!("APP#{ID}"),
        "HIST#00000001".to_owned(),
        "HIST#00000002".to_owned(),
        format!("STAGE#{STAGE}"),
    ];
    assert_eq!(sort_keys, expected);

    let stage = item([
        ("id", text(STAGE)),
        ("applicationId", text(ID)),
        ("name", text("Onsite")),
        ("order", number(3)),
        ("isCompleted", Bool(false)),
        ("completedDate", Null(true)),
        ("notes", Null(true)),
        ("performanceRating", Null(true)),
    ]);
    let key = |sort_key: &str| item([("PK", text(&format!("APP#{ID}"))), ("SK", text(sort_key))]);
    assert_eq!(stored[&expected[3]], over(stage.clone(), key(&expected[3])));

    for (sort_key, sequence, description, at, stages) in [
        ("HIST#00000001", 1, "Application created", NOW, vec![]),
        (
            "HIST#00000002",
            2,
            "Interview stage \"Onsite\" added",
            "2026-11-20T09:30:00.001Z",
            vec![M(stage.clone())],
        ),
    ] {
        let entry = &stored[sort_key];
        let entry_id = entry["id"].as_s().unwrap();
        assert_eq!(
            uuid::Uuid::try_parse(entry_id).unwrap().to_string(),
            *entry_id
        );
        let moment = item([
            ("historySequence", number(sequence)),
            ("updatedAt", text(at)),
            ("interviewStages", L(stages)),
        ]);
        let line = item([
            ("id", text(entry_id)),
            ("applicationId", text(ID)),
            ("sequence", number(sequence)),
            ("description", text(description)),
            ("snapshot", M(over(bare(), moment))),
            ("createdAt", text(at)),
        ]);
        assert_eq!(*entry, over(line, key(sort_key)));
    }

    let done = json!({ "id": stage_id, "performanceRating": 4 });
    api.done("completeInterviewStage", done).await;
    let patch = json!({ "id": stage_id, "notes": "papers" });
    api.done("updateInterviewStage", patch).await;
    let changed = item([
        ("isCompleted", Bool(true)),
        ("completedDate", text("2026-11-20")),
        ("notes", text("papers")),
        ("performanceRating", number(4)),
    ]);
    let expected = over(over(stage, key(&expected[3])), changed);
    assert_eq!(api.stored(ID).await[&format!("STAGE#{STAGE}")], expected);
}

#[tokio::test]
async fn the_counters_are_stored_beside_the_count() {
    let (api, _) = start().await;
    let status = |status: &str| with(named("Visa"), json!({ "status": status }));
    let first = api.create(status("APPLIED")).await;
    api.create(status("APPLIED")).await;
    api.create(status("GIVEN_OFFER")).await;
    let key = item([("PK", text("META")), ("SK", text("COUNT"))]);
    let counters = item([
        ("count", number(3)),
        ("countersComplete", Bool(true)),
        ("STATUS#applied#ARCHIVED#0", number(2)),
        ("STATUS#given offer#ARCHIVED#0", number(1)),
        // An offer follows an application that was sent.
        ("PAST#applied", number(1)),
    ]);
    assert_eq!(api.stored_meta().await, over(counters, key.clone()));
    api.done("archiveApplication", json!({ "id": first["id"] }))
        .await;
    let counters = item([
        ("count", number(2)),
        ("countersComplete", Bool(true)),
        ("STATUS#applied#ARCHIVED#0", number(1)),
        ("STATUS#applied#ARCHIVED#1", number(1)),
        ("STATUS#given offer#ARCHIVED#0", number(1)),
        ("PAST#applied", number(1)),
    ]);
    assert_eq!(api.stored_meta().await, over(counters, key));
}
