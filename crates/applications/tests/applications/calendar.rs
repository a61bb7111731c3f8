//! The secret address at which calendars subscribe to the agenda.

use std::collections::BTreeSet;

use icalendar::{
    Calendar, CalendarComponent, CalendarDateTime, Component as _, DatePerhapsTime, Event,
};
use serde_json::{Value, json};

use crate::ask::{Item, named, start, text, with};
use crate::support::Api;

const MADE: &str = "calendarAddress { createdAt alarms } url path";
const REVOKED: &str = "revokedCalendarAddress { createdAt alarms }";

/// The payload of a mutation of the address.
async fn payload(api: &Api, name: &str, input: Value) -> Value {
    let answered = match name {
        "revokeCalendarAddress" => REVOKED,
        _ => MADE,
    };
    let kind = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
    let document = format!(
        "mutation($input: {kind}!) {{ {name}(input: $input) {{ {answered} userErrors {{ code field message }} }} }}"
    );
    let data = api.data(&document, json!({ "input": input })).await;
    data[name].clone()
}

/// A new address, as its path.
pub async fn made(api: &Api, name: &str, input: Value) -> String {
    let payload = payload(api, name, input).await;
    assert_eq!(payload["userErrors"], json!([]), "{name}");
    payload["path"].as_str().unwrap().to_owned()
}

/// The code and the field of the one user error.
async fn refused(api: &Api, name: &str, input: Value) -> (String, Value) {
    let payload = payload(api, name, input).await;
    let [error] = payload["userErrors"].as_array().unwrap().as_slice() else {
        panic!("{payload}");
    };
    let others = payload.as_object().unwrap().iter();
    let mut others = others.filter(|(field, _)| *field != "userErrors");
    assert!(others.all(|(_, value)| value.is_null()), "{payload}");
    (
        error["code"].as_str().unwrap().to_owned(),
        error["field"].clone(),
    )
}

async fn address(api: &Api) -> Value {
    let data = api
        .data("{ calendarAddress { createdAt alarms } }", json!({}))
        .await;
    data["calendarAddress"].clone()
}

pub async fn read(api: &Api, path: &str) -> (String, Calendar) {
    let answer = api.get(path).await;
    assert_eq!(answer.status(), 200, "{path}");
    let headers = answer.headers();
    assert_eq!(headers["content-type"], "text/calendar; charset=utf-8");
    assert_eq!(headers["cache-control"], "private, no-cache");
    let text = answer.text().await.unwrap();
    let calendar = text.parse().expect("a calendar");
    (text, calendar)
}

fn events(calendar: &Calendar) -> Vec<&Event> {
    let components = calendar.components.iter();
    components.filter_map(CalendarComponent::as_event).collect()
}

/// The items of a partition.
async fn partition(api: &Api, key: &str) -> Vec<Item> {
    let query = api.dynamodb.query().table_name(&api.table);
    let query = query.key_condition_expression("PK = :pk");
    let query = query.expression_attribute_values(":pk", text(key));
    query.send().await.unwrap().items.unwrap_or_default()
}

/// The subscriptions that are stored, by their sort keys.
async fn subscriptions(api: &Api) -> Vec<String> {
    let mut keys = Vec::new();
    for shard in 0..16 {
        let items = partition(api, &format!("CALENDARS#{shard}")).await;
        keys.extend(items.iter().map(|item| item["SK"].as_s().unwrap().clone()));
    }
    keys
}

#[tokio::test]
async fn a_calendar_reads_the_agenda_at_the_address() {
    let (api, _) = start().await;
    assert_eq!(address(&api).await, Value::Null);
    let dated = json!({ "nextAction": "Call back", "nextActionDate": "2026-12-02",
        "status": "GIVEN_OFFER", "offerDueDate": "2026-12-05", "jobPostingUrl": "https://example.com/a" });
    let id = api.create(with(named("Visa"), dated)).await["id"].clone();
    let id = id.as_str().unwrap();
    for (name, at, minutes) in [
        ("On site", "2026-12-02T15:00:00+01:00", Some(240)),
        ("Phone screen", "2026-12-01T23:30:00-05:00", None),
        ("In London", "2026-12-03T15:00:00Z", None),
    ] {
        let stage = json!({ "name": name, "scheduledAt": at, "durationMinutes": minutes });
        api.add_stage(id, stage).await;
    }
    let payload = payload(&api, "createCalendarAddress", json!({})).await;
    let path = payload["path"].as_str().unwrap();
    assert_eq!(
        payload["url"],
        json!(api.url.replace("/graphql", path)),
        "where the server listens"
    );
    let (file, calendar) = read(&api, path).await;
    assert!(file.lines().all(|line| line.len() <= 75), "{file}");

    let zoned = |zone: &str, at: &str| {
        DatePerhapsTime::DateTime(CalendarDateTime::WithTimezone {
            date_time: at.parse().unwrap(),
            tzid: zone.to_owned(),
        })
    };
    let utc = |at: &str| DatePerhapsTime::DateTime(CalendarDateTime::Utc(at.parse().unwrap()));
    let day = |text: &str| DatePerhapsTime::Date(text.parse().unwrap());
    let expected = [
        // An hour, over midnight.
        (
            "Phone screen: Visa, Engineer",
            zoned("UTC-0500", "2026-12-01T23:30:00"),
            zoned("UTC-0500", "2026-12-02T00:30:00"),
            "-PT30M",
        ),
        (
            "Call back: Visa, Engineer",
            day("2026-12-02"),
            day("2026-12-03"),
            "PT9H",
        ),
        (
            "On site: Visa, Engineer",
            zoned("UTC+0100", "2026-12-02T15:00:00"),
            zoned("UTC+0100", "2026-12-02T19:00:00"),
            "-PT30M",
        ),
        (
            "In London: Visa, Engineer",
            utc("2026-12-03T15:00:00Z"),
            utc("2026-12-03T16:00:00Z"),
            "-PT30M",
        ),
        (
            "Offer due: Visa, Engineer",
            day("2026-12-05"),
            day("2026-12-06"),
            "-PT15H",
        ),
    ];
    let events = events(&calendar);
    assert_eq!(events.len(), expected.len());
    for (event, (summary, start, end, trigger)) in events.iter().zip(expected) {
        assert_eq!(event.get_summary(), Some(summary));
        assert_eq!(event.get_start(), Some(start), "{summary}");
        assert_eq!(event.get_end(), Some(end), "{summary}");
        let [alarm] = event.components() else {
            panic!("{summary}");
        };
        assert_eq!(alarm.component_kind(), "VALARM");
        assert_eq!(alarm.property_value("TRIGGER"), Some(trigger), "{summary}");
        assert_eq!(alarm.property_value("ACTION"), Some("DISPLAY"));
        assert_eq!(alarm.property_value("DESCRIPTION"), Some(summary));
    }
    // Each zone is declared, and no other.
    let declared: BTreeSet<_> = file
        .lines()
        .filter_map(|line| line.strip_prefix("TZID:"))
        .collect();
    assert_eq!(declared, BTreeSet::from(["UTC+0100", "UTC-0500"]));
    assert!(file.contains("TZOFFSETTO:-0500\r\n"), "{file}");
    assert_eq!(read(&api, path).await.0, file);
}

#[tokio::test]
async fn an_address_without_alarms_has_none() {
    let (api, _) = start().await;
    let dated = json!({ "nextActionDate": "2026-12-02" });
    api.create(with(named("Visa"), dated)).await;
    let path = made(&api, "createCalendarAddress", json!({ "alarms": false })).await;
    let is_quiet = async |path: &str| !read(&api, path).await.0.contains("VALARM");
    assert!(is_quiet(&path).await);
    // Renewed, it keeps its setting unless another is given.
    let path = made(&api, "renewCalendarAddress", json!({})).await;
    assert!(is_quiet(&path).await);
    assert_eq!(address(&api).await["alarms"], false);
    let path = made(&api, "renewCalendarAddress", json!({ "alarms": true })).await;
    assert!(!is_quiet(&path).await);
}

#[tokio::test]
async fn an_address_that_was_renewed_or_revoked_is_gone_as_if_it_had_never_been() {
    let (api, hands) = start().await;
    let first = made(&api, "createCalendarAddress", json!({})).await;
    let since = |moment: &str| json!({ "createdAt": moment, "alarms": true });
    assert_eq!(address(&api).await, since("2026-11-20T09:30:00.000Z"));
    read(&api, &first).await;
    hands.go(1_000);
    let second = made(&api, "renewCalendarAddress", json!({})).await;
    assert_ne!(first, second);
    assert_eq!(address(&api).await, since("2026-11-20T09:30:01.000Z"));
    read(&api, &second).await;
    let gone = async |path: &str| {
        let answer = api.get(path).await;
        assert_eq!(answer.status(), 404, "{path}");
        answer.text().await.unwrap()
    };
    let wrong = format!("/applications/calendar/{}.ics", "0".repeat(48));
    let said = gone(&wrong).await;
    assert_eq!(gone(&first).await, said);
    let revoked = payload(&api, "revokeCalendarAddress", json!({})).await;
    assert_eq!(
        revoked["revokedCalendarAddress"],
        since("2026-11-20T09:30:01.000Z")
    );
    assert_eq!(gone(&second).await, said);
    assert_eq!(address(&api).await, Value::Null);
    for path in [
        "/applications/calendar/x.ics",
        "/applications/calendar/.ics",
        second.strip_suffix(".ics").unwrap(),
        &second
            .to_uppercase()
            .replace("/APPLICATIONS/CALENDAR/", "/applications/calendar/"),
    ] {
        assert_eq!(gone(path).await, said, "{path}");
    }
    // Nothing is left of any.
    assert_eq!(subscriptions(&api).await, [""; 0]);
    assert!(partition(&api, "CALENDAR").await.is_empty());
    read(&api, &made(&api, "createCalendarAddress", json!({})).await).await;
}

#[tokio::test]
async fn only_a_hash_of_the_token_is_stored() {
    let (api, _) = start().await;
    let path = made(&api, "createCalendarAddress", json!({})).await;
    let token = path.rsplit('/').next().unwrap().trim_end_matches(".ics");
    assert_eq!(token.len(), 48);
    let [stored] = &partition(&api, "CALENDAR").await[..] else {
        panic!("one address");
    };
    let hash = stored["tokenHash"].as_s().unwrap();
    assert_eq!(subscriptions(&api).await, [format!("TOKEN#{hash}")]);
    let mut items = vec![stored.clone()];
    for shard in 0..16 {
        items.extend(partition(&api, &format!("CALENDARS#{shard}")).await);
    }
    assert!(!format!("{items:?}").contains(token));
}

#[tokio::test]
async fn there_is_one_address_and_each_change_says_what_it_finds() {
    let (api, _) = start().await;
    let none = ("NOT_FOUND".to_owned(), Value::Null);
    for name in ["renewCalendarAddress", "revokeCalendarAddress"] {
        assert_eq!(refused(&api, name, json!({})).await, none, "{name}");
    }
    let path = made(&api, "createCalendarAddress", json!({})).await;
    let there = ("CONFLICT".to_owned(), Value::Null);
    assert_eq!(
        refused(&api, "createCalendarAddress", json!({})).await,
        there
    );
    let field = json!(["createdAt"]);
    for name in ["renewCalendarAddress", "revokeCalendarAddress"] {
        let other = json!({ "createdAt": "2026-11-20T09:30:00.001Z" });
        assert_eq!(
            refused(&api, name, other).await,
            ("CONFLICT".to_owned(), field.clone()),
            "{name}"
        );
        let never = json!({ "createdAt": "yesterday" });
        assert_eq!(
            refused(&api, name, never).await,
            ("INVALID".to_owned(), field.clone()),
            "{name}"
        );
    }
    read(&api, &path).await;
    let same = json!({ "createdAt": "2026-11-20T09:30:00.000Z" });
    let renewed = made(&api, "renewCalendarAddress", same.clone()).await;
    // Renewed in the same millisecond, it can still be told from the former one.
    assert_eq!(
        refused(&api, "revokeCalendarAddress", same).await.0,
        "CONFLICT"
    );
    read(&api, &renewed).await;
}

#[tokio::test]
async fn renewing_at_once_leaves_one_address() {
    let (api, _) = start().await;
    made(&api, "createCalendarAddress", json!({})).await;
    let renewing = (0..4).map(|_| made(&api, "renewCalendarAddress", json!({})));
    let paths = futures_util::future::join_all(renewing).await;
    let mut answered = 0;
    for path in &paths {
        answered += usize::from(api.get(path).await.status() == 200);
    }
    assert_eq!(answered, 1);
    assert_eq!(subscriptions(&api).await.len(), 1);
}

#[tokio::test]
async fn a_stage_says_how_long_it_takes() {
    let (api, _) = start().await;
    let id = api.create(named("Visa")).await["id"].clone();
    let id = id.as_str().unwrap();
    let stage = api.add_stage(id, json!({ "name": "On site" })).await["id"].clone();
    let lasting = |minutes: Value| json!({ "id": stage, "durationMinutes": minutes });
    for wrong in [json!(0), json!(-1), json!(10_081)] {
        let errors = api.refused("updateInterviewStage", lasting(wrong)).await;
        let expected = crate::ask::errors(&[("OUT_OF_RANGE", "durationMinutes")]);
        assert_eq!(errors, expected);
    }
    let stored = async || {
        let items = api.stored(id).await;
        let stage = items.iter().find(|(key, _)| key.starts_with("STAGE#"));
        stage.unwrap().1.get("durationMinutes").cloned()
    };
    assert_eq!(stored().await, None, "stored only if set");
    api.done("updateInterviewStage", lasting(json!(90))).await;
    assert_eq!(stored().await, Some(crate::ask::number(90)));
    const READ: &str = "query($id: ID!) { application(id: $id) {
        interviewStages { durationMinutes }
        history(first: 1) { edges { node { description changes { field before after } } } } } }";
    let minutes = async || {
        let read = api.data(READ, json!({ "id": id })).await;
        let application = &read["application"];
        let entry = application["history"]["edges"][0]["node"].clone();
        (
            application["interviewStages"][0]["durationMinutes"].clone(),
            entry,
        )
    };
    let (now, entry) = minutes().await;
    assert_eq!(now, 90);
    assert_eq!(
        entry,
        json!({ "description": "Interview stage \"On site\" takes 90 minutes",
            "changes": [{ "field": "durationMinutes", "before": null, "after": "90" }] })
    );
    api.done("updateInterviewStage", lasting(Value::Null)).await;
    let (now, entry) = minutes().await;
    assert_eq!(now, Value::Null);
    assert_eq!(
        entry["description"],
        "Duration of interview stage \"On site\" cleared"
    );
    let restored = json!({ "id": id, "sequence": 3 });
    api.done("restoreApplication", restored).await;
    assert_eq!(minutes().await.0, 90);
}
