//! Applications without an answer.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde_json::{Value, json};

use crate::ask::{named, start, text, with};
use crate::support::Api;

const STALE: &str = "query($days: Int! = 14, $on: Date, $first: Int, $after: String, $last: Int, $before: String) {
  stale(days: $days, on: $on, first: $first, after: $after, last: $last, before: $before) { totalCount
    edges { cursor node { companyName } } pageInfo { hasNextPage hasPreviousPage } } }";

async fn stale(api: &Api, variables: Value) -> Vec<String> {
    let data = api.data(STALE, variables).await;
    let edges = data["stale"]["edges"].as_array().unwrap();
    let names = edges
        .iter()
        .map(|edge| edge["node"]["companyName"].as_str());
    names.map(|name| name.unwrap().to_owned()).collect()
}

async fn created(api: &Api, company: &str, status: &str, more: Value) -> String {
    let input = with(named(company), json!({ "status": status }));
    let made = api.create(with(input, more)).await;
    made["id"].as_str().unwrap().to_owned()
}

const DAY: i64 = 86_400_000;

#[tokio::test]
async fn open_applications_whose_status_did_not_change_are_listed_longest_first() {
    let (api, hands) = start().await;
    for (company, status) in [
        ("Interviewing", "INTERVIEWING"),
        ("Applied", "APPLIED"),
        ("Unsubmitted", "UNSUBMITTED"),
        ("Rejected", "REJECTED"),
        ("Offer", "GIVEN_OFFER"),
        ("Accepted", "ACCEPTED_OFFER"),
        ("Declined", "DECLINED_OFFER"),
        ("None", "NO_OFFER"),
    ] {
        hands.go(1_000);
        created(&api, company, status, json!({})).await;
    }
    let archived = created(&api, "Archived", "APPLIED", json!({})).await;
    api.mutate("archiveApplication", json!({ "id": archived }))
        .await;
    let noted = created(&api, "Noted", "APPLIED", json!({})).await;
    hands.go(13 * DAY);
    assert_eq!(stale(&api, json!({})).await, [""; 0]);
    // Notes are no answer.
    api.update(&noted, json!({ "notes": "called" })).await;
    hands.go(DAY);
    let all = ["Interviewing", "Applied", "Noted"];
    assert_eq!(stale(&api, json!({})).await, all);
    assert_eq!(stale(&api, json!({ "days": 15 })).await, [""; 0]);
    let later = json!({ "days": 15, "on": "2026-12-05" });
    assert_eq!(stale(&api, later).await, all);
    // A change of the status is one.
    api.update(&noted, json!({ "status": "INTERVIEWING" }))
        .await;
    assert_eq!(stale(&api, json!({})).await, all[..2]);
}

#[tokio::test]
async fn what_is_planned_is_not_stale_until_its_day_has_passed() {
    let (api, hands) = start().await;
    let dated = |day: &str| json!({ "nextAction": "call", "nextActionDate": day });
    created(&api, "Past", "APPLIED", dated("2026-12-09")).await;
    created(&api, "Today", "APPLIED", dated("2026-12-10")).await;
    created(&api, "Undated", "APPLIED", json!({ "nextAction": "call" })).await;
    for (company, at) in [
        ("Held", "2026-12-09T23:00:00+01:00"),
        ("Scheduled", "2026-12-11T09:00:00+01:00"),
    ] {
        let id = created(&api, company, "INTERVIEWING", json!({})).await;
        api.add_stage(&id, json!({ "name": "On site", "scheduledAt": at }))
            .await;
    }
    hands.go(20 * DAY);
    let mut found = stale(&api, json!({})).await;
    found.sort();
    assert_eq!(found, ["Held", "Past", "Undated"]);
    let mut next = stale(&api, json!({ "on": "2026-12-12" })).await;
    next.sort();
    assert_eq!(next, ["Held", "Past", "Scheduled", "Today", "Undated"]);
}

#[tokio::test]
async fn after_another_programs_change_of_the_status_its_last_change_counts() {
    let (api, hands) = start().await;
    for (company, moment) in [
        ("Long", "2026-11-20T09:30:00.000Z"),
        ("Recent", "2026-12-08T09:30:00.000Z"),
    ] {
        let id = created(&api, company, "APPLIED", json!({})).await;
        let mut item = api.stored_application(&id).await;
        let status = "STATUS#interviewing#ARCHIVED#0";
        item.insert("status".to_owned(), text("interviewing"));
        item.insert("GSI1PK".to_owned(), text(status));
        item.insert("updatedAt".to_owned(), S(moment.to_owned()));
        api.put(item).await;
    }
    hands.go(20 * DAY);
    assert_eq!(stale(&api, json!({})).await, ["Long"]);
}

#[tokio::test]
async fn the_list_has_pages_both_ways() {
    let (api, hands) = start().await;
    for at in 0..5 {
        created(&api, &format!("C{at}"), "APPLIED", json!({})).await;
        hands.go(1_000);
    }
    hands.go(20 * DAY);
    let first = api.data(STALE, json!({ "first": 2 })).await["stale"].clone();
    assert_eq!(
        (&first["totalCount"], &first["pageInfo"]["hasNextPage"]),
        (&json!(5), &json!(true))
    );
    let after = first["edges"][1]["cursor"].clone();
    // The page may be requested on the next day.
    hands.go(DAY);
    let next = json!({ "first": 2, "after": after });
    assert_eq!(stale(&api, next).await, ["C2", "C3"]);
    let before = json!({ "last": 2, "before": after });
    assert_eq!(stale(&api, before).await, ["C0"]);
    let other = json!({ "days": 15, "first": 2, "after": after });
    assert_eq!(api.run(STALE, other).await.code(), "BAD_USER_INPUT");
    for bad in [
        json!({ "days": 0 }),
        json!({ "days": 3651 }),
        json!({ "on": "today" }),
        json!({ "first": 101 }),
    ] {
        assert_eq!(api.run(STALE, bad).await.code(), "BAD_USER_INPUT");
    }
}
