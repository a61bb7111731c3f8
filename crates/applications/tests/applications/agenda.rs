//! The agenda, in GraphQL and as a file for calendars.

use icalendar::{Calendar, CalendarDateTime, Component as _, DatePerhapsTime};
use serde_json::{Value, json};

use crate::ask::{named, start, with};
use crate::insight::DAY;
use crate::support::Api;

const AGENDA: &str = "query($from: Date!, $to: Date!) { agenda(from: $from, to: $to) {
  kind date scheduledAt interviewStage { name } application { companyName nextAction } } }";

async fn agenda(api: &Api, from: &str, to: &str) -> Vec<Value> {
    let data = api.data(AGENDA, json!({ "from": from, "to": to })).await;
    data["agenda"].as_array().unwrap().clone()
}

fn kinds(entries: &[Value]) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let kind = |entry: &Value| (text(&entry["kind"]), text(&entry["date"]));
    entries.iter().map(kind).collect()
}

fn expected(entries: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(kind, date): &(&str, &str)| ((*kind).to_owned(), (*date).to_owned());
    entries.iter().map(owned).collect()
}

/// An application with a next action, an offer and two stages on days of December.
async fn busy(api: &Api) -> String {
    let dated = json!({ "nextAction": "Call back; ask, \"why\"?", "nextActionDate": "2026-12-02",
        "status": "GIVEN_OFFER", "offerDueDate": "2026-12-05", "jobPostingUrl": "https://example.com/a b/ü" });
    let made = api.create(with(named("Visa"), dated)).await;
    let id = made["id"].as_str().unwrap().to_owned();
    for (name, at) in [
        ("On site", "2026-12-02T15:00:00+01:00"),
        // The first of December in its own offset.
        ("Phone screen", "2026-12-01T23:30:00-05:00"),
    ] {
        let stage = json!({ "name": name, "scheduledAt": at });
        api.add_stage(&id, stage).await;
    }
    api.add_stage(&id, json!({ "name": "Not scheduled" })).await;
    id
}

#[tokio::test]
async fn entries_are_sorted_by_day_and_time_and_limited_to_the_days() {
    let (api, _) = start().await;
    let id = busy(&api).await;
    let all = [
        ("INTERVIEW_STAGE", "2026-12-01"),
        ("NEXT_ACTION", "2026-12-02"),
        ("INTERVIEW_STAGE", "2026-12-02"),
        ("OFFER_DUE", "2026-12-05"),
    ];
    let entries = agenda(&api, "2026-12-01", "2026-12-05").await;
    assert_eq!(kinds(&entries), expected(&all));
    assert_eq!(
        (
            &entries[0]["interviewStage"]["name"],
            &entries[0]["scheduledAt"]
        ),
        (&json!("Phone screen"), &json!("2026-12-01T23:30:00-05:00"))
    );
    assert_eq!(
        entries[1]["application"],
        json!({ "companyName": "Visa", "nextAction": "Call back; ask, \"why\"?" })
    );
    let some = agenda(&api, "2026-12-02", "2026-12-04").await;
    assert_eq!(kinds(&some), expected(&all[1..3]));
    assert!(agenda(&api, "2026-12-06", "2027-01-31").await.is_empty());

    api.done("archiveApplication", json!({ "id": id })).await;
    assert!(agenda(&api, "2026-12-01", "2026-12-05").await.is_empty());
}

#[tokio::test]
async fn what_is_done_or_decided_leaves_the_agenda() {
    let (api, _) = start().await;
    let id = busy(&api).await;
    let open = [
        ("INTERVIEW_STAGE", "2026-12-01"),
        ("NEXT_ACTION", "2026-12-02"),
        ("INTERVIEW_STAGE", "2026-12-02"),
    ];
    for (status, is_open) in [
        ("INTERVIEWING", true),
        ("ACCEPTED_OFFER", false),
        ("DECLINED_OFFER", false),
        ("REJECTED", false),
        ("NO_OFFER", false),
    ] {
        api.update(&id, json!({ "status": status })).await;
        let entries = agenda(&api, "2026-12-01", "2026-12-05").await;
        let all = expected(if is_open { &open } else { &[] });
        assert_eq!(kinds(&entries), all, "{status}");
        let file = api
            .get("/applications/agenda.ics?from=2026-12-01&to=2026-12-05")
            .await;
        let file = file.text().await.unwrap();
        assert_eq!(file.matches("BEGIN:VEVENT").count(), all.len(), "{status}");
    }
    api.update(&id, json!({ "status": "APPLIED", "nextActionDate": null }))
        .await;
    let read = api.read(&id).await;
    for stage in read["interviewStages"].as_array().unwrap() {
        api.done("completeInterviewStage", json!({ "id": stage["id"] }))
            .await;
    }
    assert!(agenda(&api, "2026-12-01", "2026-12-05").await.is_empty());
}

const UPDATE: &str = "mutation($input: UpdateApplicationInput!) {
  made: updateApplication(input: $input) { datesOffAgenda userErrors { code } } }";
const ARCHIVE: &str = "mutation($input: ArchiveApplicationInput!) {
  made: archiveApplication(input: $input) { datesOffAgenda userErrors { code } } }";

#[tokio::test]
async fn closing_says_how_many_dates_the_agenda_shows_no_longer() {
    for (status, days) in [
        ("UNSUBMITTED", 0),
        ("APPLIED", 0),
        ("INTERVIEWING", 0),
        ("GIVEN_OFFER", 0),
        ("ACCEPTED_OFFER", 0),
        ("DECLINED_OFFER", 0),
        ("REJECTED", 0),
        ("NO_OFFER", 0),
        // The second and third day of December come, and the stage of the first is over.
        ("REJECTED", 12),
        ("GIVEN_OFFER", 12),
    ] {
        let (api, hands) = start().await;
        let id = busy(&api).await;
        hands.go(days * DAY);
        let today = if days == 0 {
            "2026-11-20"
        } else {
            "2026-12-02"
        };
        let before = agenda(&api, today, "2026-12-31").await.len();
        let off = async |document: &str, input: Value| {
            let data = api.data(document, json!({ "input": input })).await;
            assert_eq!(data["made"]["userErrors"], json!([]));
            data["made"]["datesOffAgenda"].as_u64().unwrap() as usize
        };
        let closed = off(UPDATE, json!({ "id": id, "status": status })).await;
        let shown = agenda(&api, today, "2026-12-31").await.len();
        let expected = if shown == 0 { before } else { 0 };
        assert_eq!(closed, expected, "{status}");
        let archived = off(ARCHIVE, json!({ "id": id })).await;
        let expected = if shown == 0 { before } else { shown };
        assert_eq!(archived, expected, "{status}");
    }
}

#[tokio::test]
async fn a_stage_that_is_moved_or_removed_leaves_its_day() {
    let (api, _) = start().await;
    let made = api.create(named("Visa")).await;
    let id = made["id"].as_str().unwrap();
    let stage = json!({ "name": "On site", "scheduledAt": "2026-12-02T15:00:00Z" });
    let stage = api.add_stage(id, stage).await["id"].clone();
    let at = |moment| json!({ "id": stage, "scheduledAt": moment });
    api.done("updateInterviewStage", at(json!("2026-12-03T15:00:00Z")))
        .await;
    let moved = agenda(&api, "2026-12-01", "2026-12-05").await;
    assert_eq!(
        kinds(&moved),
        expected(&[("INTERVIEW_STAGE", "2026-12-03")])
    );
    api.done("updateInterviewStage", at(Value::Null)).await;
    assert!(agenda(&api, "2026-12-01", "2026-12-05").await.is_empty());
    api.done("updateInterviewStage", at(json!("2026-12-03T15:00:00Z")))
        .await;
    api.done("removeInterviewStage", json!({ "id": stage }))
        .await;
    assert!(agenda(&api, "2026-12-01", "2026-12-05").await.is_empty());
}

#[tokio::test]
async fn days_that_are_too_many_or_in_the_wrong_order_are_rejected() {
    let (api, _) = start().await;
    for (from, to) in [
        ("2026-12-02", "2026-12-01"),
        ("2026-01-01", "2027-01-02"),
        ("soon", "2026-12-01"),
    ] {
        let answer = api.run(AGENDA, json!({ "from": from, "to": to })).await;
        assert_eq!(answer.code(), "BAD_USER_INPUT", "{from} {to}");
        let path = format!("/applications/agenda.ics?from={from}&to={to}");
        let refused = api.get(&path).await;
        assert_eq!(refused.status(), 400);
        let body: Value = refused.json().await.unwrap();
        assert_eq!(body["errors"][0]["extensions"]["code"], "BAD_USER_INPUT");
    }
    let data = agenda(&api, "2026-01-01", "2027-01-01").await;
    assert!(data.is_empty());
}

async fn calendar(api: &Api, query: &str) -> (String, Calendar) {
    let answer = api.get(&format!("/applications/agenda.ics{query}")).await;
    assert_eq!(answer.status(), 200);
    assert_eq!(
        answer.headers()["content-type"],
        "text/calendar; charset=utf-8"
    );
    assert_eq!(answer.headers()["cache-control"], "private, no-cache");
    let text = answer.text().await.unwrap();
    let calendar = text.parse().expect("a calendar");
    (text, calendar)
}

#[tokio::test]
async fn the_file_has_the_events_of_the_agenda() {
    let (api, _) = start().await;
    busy(&api).await;
    let long = json!({ "companyName": "ü".repeat(200), "positionTitle": "line,s",
        "nextActionDate": "2026-12-03" });
    api.create(long).await;
    let (text, read) = calendar(&api, "?from=2026-12-01&to=2026-12-05").await;
    assert!(text.lines().all(|line| line.len() <= 75), "{text}");
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    let events: Vec<_> = read
        .components
        .iter()
        .filter_map(|one| one.as_event())
        .collect();
    let summaries: Vec<_> = events
        .iter()
        .map(|event| event.get_summary().unwrap())
        .collect();
    assert_eq!(
        summaries,
        [
            "Phone screen: Visa, Engineer".to_owned(),
            "Call back; ask, \"why\"?: Visa, Engineer".to_owned(),
            "On site: Visa, Engineer".to_owned(),
            format!("Next action: {}, line,s", "ü".repeat(200)),
            "Offer due: Visa, Engineer".to_owned(),
        ]
    );
    let starts: Vec<_> = events
        .iter()
        .map(|event| event.get_start().unwrap())
        .collect();
    let at = |text: &str| {
        let moment = text.parse::<chrono::DateTime<chrono::Utc>>().unwrap();
        DatePerhapsTime::DateTime(CalendarDateTime::Utc(moment))
    };
    let day = |text: &str| DatePerhapsTime::Date(text.parse().unwrap());
    assert_eq!(
        starts,
        [
            at("2026-12-02T04:30:00Z"),
            day("2026-12-02"),
            at("2026-12-02T14:00:00Z"),
            day("2026-12-03"),
            day("2026-12-05"),
        ]
    );
    assert_eq!(
        events[0].get_url(),
        Some("https://example.com/a%20b/%C3%BC")
    );
    let ids: std::collections::HashSet<_> = events.iter().map(|event| event.get_uid()).collect();
    assert_eq!(ids.len(), 5);

    // The same file again: calendars compare the events by their ids.
    assert_eq!(
        calendar(&api, "?from=2026-12-01&to=2026-12-05").await.0,
        text
    );
    // From 30 days ago on, for 366 days.
    assert_eq!(calendar(&api, "").await.1.components.len(), 5);
    assert_eq!(
        calendar(&api, "?from=2026-12-05").await.1.components.len(),
        1
    );
    assert_eq!(calendar(&api, "?to=2026-12-01").await.1.components.len(), 1);
}

#[tokio::test]
async fn text_of_other_programs_cannot_add_lines_to_the_file() {
    let (api, _) = start().await;
    let made = api
        .create(with(
            named("Visa"),
            json!({ "nextActionDate": "2026-12-03" }),
        ))
        .await;
    let id = made["id"].as_str().unwrap();
    let mut item = api.stored(id).await[&format!("APP#{id}")].clone();
    for (name, value) in [
        (
            "companyName",
            "A\r\nEND:VEVENT\r\nX-FORGED:1\u{7}".to_owned(),
        ),
        ("positionTitle", "p".repeat(100_000)),
        (
            "jobPostingUrl",
            "https://example.com/\r\nX-FORGED:1".to_owned(),
        ),
    ] {
        item.insert(name.to_owned(), crate::ask::text(&value));
    }
    api.put(item).await;
    let (text, read) = calendar(&api, "?from=2026-12-01&to=2026-12-05").await;
    assert!(
        !text.contains("\r\nX-FORGED") && !text.contains("\r\nEND:VEVENT\r\nX-"),
        "{text}"
    );
    assert!(text.len() < 2_000, "{}", text.len());
    assert_eq!(read.components.len(), 1);
}

#[tokio::test]
async fn the_file_can_only_be_read() {
    let (api, _) = start().await;
    let url = api.url.replace("/graphql", "/applications/agenda.ics");
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let refused = client.post(url).send().await.unwrap();
    assert_eq!(refused.status(), 405);
    assert_eq!(refused.headers()["allow"], "GET, HEAD");
}

#[tokio::test]
async fn closing_an_application_takes_its_interviews_out_and_reopening_brings_them_back() {
    let (api, _) = start().await;
    let id = busy(&api).await;
    for (status, is_open) in [
        ("REJECTED", false),
        ("UNSUBMITTED", true),
        ("ACCEPTED_OFFER", false),
        ("APPLIED", true),
        ("DECLINED_OFFER", false),
        ("INTERVIEWING", true),
        ("NO_OFFER", false),
        ("GIVEN_OFFER", true),
    ] {
        api.update(&id, json!({ "status": status })).await;
        let kinds = kinds(&agenda(&api, "2026-12-01", "2026-12-05").await);
        let interviews = kinds.iter().filter(|(kind, _)| kind == "INTERVIEW_STAGE");
        assert_eq!(interviews.count(), if is_open { 2 } else { 0 }, "{status}");
        assert_eq!(kinds.is_empty(), !is_open, "{status}");
    }
}
