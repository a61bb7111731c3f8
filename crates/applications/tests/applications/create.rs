//! Creating applications.

use serde_json::json;

use crate::ask::{FIELDS, errors, named, start, with};
use crate::support::Api;

const ID: &str = "7f1d2a4e-9c3b-4f5e-8a6d-0b1c2d3e4f50";

#[tokio::test]
async fn a_new_application_is_unsubmitted_and_costs_one_transaction() {
    let api = Api::start().await;
    // The first one learns that the table is empty.
    api.create(named("Mastercard")).await;
    api.calls.reset();
    let answer = api.mutate("createApplication", named("Visa")).await;
    let application = answer.data()["createApplication"]["application"].clone();
    assert_eq!(application["status"], "UNSUBMITTED");
    assert_eq!(application["dateApplied"], json!(null));
    assert_eq!(application["version"], 1);
    assert_eq!((answer.cost().reads, answer.cost().writes), (0, 1));
    assert_eq!(
        api.calls.counts(),
        [("TransactWriteItems".to_owned(), 1)].into()
    );
}

#[tokio::test]
async fn what_is_not_given_is_empty_and_what_is_given_comes_back() {
    let (api, _) = start().await;
    let bare = api.create(named("Visa")).await;
    let empty = [
        "dateApplied",
        "offerDueDate",
        "companyUrl",
        "jobPostingUrl",
        "companyCareerUrl",
        "companyCategory",
        "jobSource",
        "skillsMatch",
        "coverLetterRequired",
        "specialRequirements",
        "notes",
        "salaryMin",
        "salaryMax",
    ];
    for field in empty {
        assert_eq!(bare[field], json!(null), "{field}");
    }
    assert_eq!(bare["isArchived"], false);
    assert_eq!(bare["createdAt"], "2026-11-20T09:30:00.000Z");
    assert_eq!(bare["updatedAt"], bare["createdAt"]);

    let full = json!({
        "companyName": "Ünïcode & Söhne",
        "positionTitle": "Engineer #1",
        "status": "GIVEN_OFFER",
        "dateApplied": "2026-10-01",
        "offerDueDate": "2026-12-24",
        "companyUrl": "https://example.com",
        "jobPostingUrl": "https://example.com/jobs?id=1&ref=%20x",
        "companyCareerUrl": "http://example.com/careers",
        "companyCategory": "ENTERPRISE_SOFTWARE",
        "jobSource": "COMPANY_WEBSITE",
        "skillsMatch": 5,
        "coverLetterRequired": false,
        "specialRequirements": "a".repeat(5000),
        "notes": "line one\nline two",
        "salaryMin": 0,
        "salaryMax": 2_147_483_647,
    });
    let made = api.create(full.clone()).await;
    let id = made["id"].as_str().unwrap();
    let read = api.read(id).await;
    for (field, value) in full.as_object().unwrap() {
        assert_eq!(made[field], *value, "{field}");
        assert_eq!(read[field], *value, "{field}, read again");
    }
}

#[tokio::test]
async fn text_loses_the_white_space_around_it_and_blank_text_is_none() {
    let (api, _) = start().await;
    let input = json!({ "companyName": "  Visa\n", "positionTitle": "\tEngineer", "notes": "  " });
    let made = api.create(input).await;
    assert_eq!(made["companyName"], "Visa");
    assert_eq!(made["positionTitle"], "Engineer");
    assert_eq!(made["notes"], json!(null));
}

#[tokio::test]
async fn everything_wrong_with_an_input_is_told_at_once_and_nothing_is_asked_of_the_table() {
    let (api, _) = start().await;
    let input = json!({
        "companyName": " ",
        "positionTitle": "a".repeat(201),
        "dateApplied": "2026-11-31",
        "offerDueDate": "2026-02-30",
        "companyUrl": "nowhere",
        "jobPostingUrl": "ftp://example.com",
        "companyCareerUrl": format!("https://example.com/{}", "a".repeat(2048)),
        "skillsMatch": 6,
        "specialRequirements": "a".repeat(5001),
        "notes": "é".repeat(5001),
        "salaryMin": -1,
    });
    let expected = errors(&[
        ("REQUIRED", "companyName"),
        ("TOO_LONG", "positionTitle"),
        ("INVALID", "dateApplied"),
        ("INVALID", "offerDueDate"),
        ("INVALID", "companyUrl"),
        ("INVALID", "jobPostingUrl"),
        ("TOO_LONG", "companyCareerUrl"),
        ("OUT_OF_RANGE", "skillsMatch"),
        ("TOO_LONG", "specialRequirements"),
        ("TOO_LONG", "notes"),
        ("OUT_OF_RANGE", "salaryMin"),
    ]);
    assert_eq!(api.refused("createApplication", input).await, expected);
    assert_eq!(api.calls.counts(), [].into());
    let upside_down = with(named("Visa"), json!({ "salaryMin": 2, "salaryMax": 1 }));
    let expected = errors(&[("INVALID", "salaryMin")]);
    assert_eq!(
        api.refused("createApplication", upside_down).await,
        expected
    );
}

#[tokio::test]
async fn only_what_is_written_as_a_date_or_an_address_is_one() {
    let (api, _) = start().await;
    for date in [
        "tomorrow",
        "2026-2-03",
        "20260203",
        "2026-02-30",
        "2026-13-01",
        "2026- 1- 2",
        " 999-01-01",
        "-999-01-01",
        "+999-01-01",
        "2026-01-01T00:00:00Z",
        "2026/01/01",
    ] {
        let input = with(named("Visa"), json!({ "offerDueDate": date }));
        let refused = api.refused("createApplication", input).await;
        assert_eq!(refused, errors(&[("INVALID", "offerDueDate")]), "{date:?}");
    }
    for url in [
        "//example.com",
        "/jobs",
        "mailto:a@example.com",
        "javascript:alert(1)",
        "https://",
        "https:example.com",
        "https:/example.com",
        "https:\\\\example.com",
        "https://exa\nmple.com",
        "ht\ttps://example.com",
        "https://example.com/\u{0}",
    ] {
        let input = with(named("Visa"), json!({ "jobPostingUrl": url }));
        let refused = api.refused("createApplication", input).await;
        assert_eq!(refused, errors(&[("INVALID", "jobPostingUrl")]), "{url:?}");
    }
    for url in [
        "HTTPS://Example.com/a b?c=ü#d",
        "http://127.0.0.1:8080",
        "https://a.example/?q=a:b//c",
    ] {
        let made = api
            .create(with(named("Visa"), json!({ "jobPostingUrl": url })))
            .await;
        assert_eq!(made["jobPostingUrl"], url);
    }
}

#[tokio::test]
async fn every_status_but_unsubmitted_is_dated_today_by_default() {
    let (api, _) = start().await;
    let statuses = [
        "APPLIED",
        "REJECTED",
        "INTERVIEWING",
        "GIVEN_OFFER",
        "ACCEPTED_OFFER",
        "DECLINED_OFFER",
        "NO_OFFER",
    ];
    for status in statuses {
        let made = api
            .create(with(named("Visa"), json!({ "status": status })))
            .await;
        assert_eq!(
            (made["status"].as_str(), made["dateApplied"].as_str()),
            (Some(status), Some("2026-11-20"))
        );
    }
    let dated = json!({ "status": "APPLIED", "dateApplied": "2020-02-29" });
    let made = api.create(with(named("Visa"), dated)).await;
    assert_eq!(made["dateApplied"], "2020-02-29");
    let undated = json!({ "status": "UNSUBMITTED", "dateApplied": "2020-02-29" });
    let made = api.create(with(named("Visa"), undated)).await;
    assert_eq!(made["dateApplied"], "2020-02-29");
    let unknown = json!({ "status": "APPLIED", "dateApplied": null });
    let made = api.create(with(named("Visa"), unknown)).await;
    assert_eq!(made["dateApplied"], json!(null));
}

#[tokio::test]
async fn the_same_create_sent_twice_makes_one_application_and_answers_it_both_times() {
    let (api, hands) = start().await;
    let input = with(named("Visa"), json!({ "id": ID, "status": "APPLIED" }));
    let first = api.create(input.clone()).await;
    assert_eq!(first["id"], ID);
    // The next day, the date that was filled in would be another one.
    hands.set("2026-11-21T00:30:00.000Z");
    assert_eq!(api.create(input.clone()).await, first);
    let upper = with(input.clone(), json!({ "id": ID.to_uppercase() }));
    assert_eq!(api.create(upper).await, first);
    assert_eq!(api.listed(json!({})).await, [ID]);
    assert_eq!(api.stats().await.0, 1);
    assert_eq!(api.story(ID).await, ["Application created"]);

    // Whatever became of it since, the answer is the application as it is.
    let updated = api
        .update(ID, json!({ "companyName": "Visa Europe" }))
        .await;
    api.add_stage(ID, json!({ "name": "Phone screen" })).await;
    let again = api.create(input).await;
    assert_eq!(again["companyName"], "Visa Europe");
    assert_eq!(again["createdAt"], updated["createdAt"]);
    assert_eq!(again["version"], 3);
    assert_eq!(again["interviewStages"][0]["name"], "Phone screen");
    assert_eq!(api.stats().await.0, 1);
}

#[tokio::test]
async fn the_same_id_with_other_content_is_a_conflict() {
    let (api, _) = start().await;
    let input = with(named("Visa"), json!({ "id": ID }));
    let made = api.create(input.clone()).await;
    api.update(ID, json!({ "companyName": "Mastercard" })).await;
    for other in [
        json!({ "companyName": "Mastercard" }),
        json!({ "notes": "call back" }),
        json!({ "status": "APPLIED" }),
    ] {
        let answer = api
            .mutate("createApplication", with(input.clone(), other))
            .await;
        let payload = answer.data()["createApplication"].clone();
        // It is another one, which can be read by its id.
        assert_eq!(payload["application"], json!(null));
        let error = &payload["userErrors"][0];
        assert_eq!(error["code"], "CONFLICT");
        assert_eq!(error["field"], json!(["id"]));
        assert_eq!(error["currentVersion"], json!(null));
    }
    assert_eq!(api.read(ID).await["createdAt"], made["createdAt"]);
    assert_eq!(api.stats().await.0, 1);
}

#[tokio::test]
async fn an_id_that_is_no_uuid_is_refused_before_anything_is_done() {
    let (api, _) = start().await;
    let input = with(named("Visa"), json!({ "id": "one" }));
    let errors = api.refused("createApplication", input).await;
    assert_eq!(errors, [("INVALID".to_owned(), "id".to_owned())]);
    assert_eq!(api.calls.counts(), [].into());
}

#[tokio::test]
async fn two_mutations_of_one_request_run_one_after_the_other() {
    let (api, _) = start().await;
    let document = format!(
        "mutation($id: UUID!, $ref: ID!) {{
           createApplication(input: {{ id: $id, companyName: \"Visa\", positionTitle: \"Engineer\" }}) {{
             application {{ {FIELDS} }} }}
           updateApplication(input: {{ id: $ref, notes: \"call back\" }}) {{
             application {{ version notes }} }} }}"
    );
    let data = api.data(&document, json!({ "id": ID, "ref": ID })).await;
    assert_eq!(data["createApplication"]["application"]["version"], 1);
    let updated = json!({ "version": 2, "notes": "call back" });
    assert_eq!(data["updateApplication"]["application"], updated);
}

#[tokio::test]
async fn a_link_without_a_scheme_gets_https() {
    let (api, _) = start().await;
    let pasted = json!({ "companyUrl": "example.com", "jobPostingUrl": " linkedin.com/jobs/1?a=b ",
        "companyCareerUrl": "www.example.com:8080/jobs" });
    let made = api.create(with(named("Visa"), pasted)).await;
    assert_eq!(made["companyUrl"], "https://example.com");
    assert_eq!(made["jobPostingUrl"], "https://linkedin.com/jobs/1?a=b");
    assert_eq!(
        made["companyCareerUrl"],
        "https://www.example.com:8080/jobs"
    );
    // Lists are filtered by the link as it was pasted.
    let filter = json!({ "jobPostingUrls": ["linkedin.com/jobs/1?a=b"] });
    assert_eq!(api.listed(filter).await.len(), 1);
}
