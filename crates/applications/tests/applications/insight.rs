//! What the counters tell over time: the weeks in which applications were sent, and the stays in a status.

use std::collections::BTreeMap;

use chrono::{NaiveDate, Weekday};
use serde_json::{Value, json};

use crate::ask::{Item, named, start, with};
use crate::support::Api;

pub const DAY: i64 = 24 * 60 * 60 * 1000;
pub const HOUR: i64 = 60 * 60 * 1000;

pub fn applied(day: &str) -> Value {
    with(
        named("Visa"),
        json!({ "status": "APPLIED", "dateApplied": day }),
    )
}

pub fn id(application: &Value) -> &str {
    application["id"].as_str().unwrap()
}

/// The counters of an item, without its keys and those that are 0.
pub fn counters(item: &Item) -> BTreeMap<String, i64> {
    let counters = item.iter().filter_map(|(name, value)| {
        let count = value.as_n().ok()?.parse().ok()?;
        (count != 0).then(|| (name.clone(), count))
    });
    counters.collect()
}

pub fn expected(counts: &[(&str, i64)]) -> BTreeMap<String, i64> {
    counts
        .iter()
        .map(|(name, count)| ((*name).to_owned(), *count))
        .collect()
}

impl Api {
    /// The weeks that have applications, by their Mondays.
    pub async fn weeks(&self) -> BTreeMap<String, i64> {
        const WEEKS: &str = "{ applicationInsight { weeks(last: 104) { monday applied } } }";
        let weeks = self.data(WEEKS, json!({})).await["applicationInsight"]["weeks"].clone();
        let weeks = weeks.as_array().unwrap().iter().map(|week| {
            let monday = week["monday"].as_str().unwrap().to_owned();
            (monday, week["applied"].as_i64().unwrap())
        });
        weeks.filter(|(_, applied)| *applied != 0).collect()
    }

    /// What [`Api::weeks`] has to be, counted from the applications.
    pub async fn counted_weeks(&self) -> BTreeMap<String, i64> {
        const LIST: &str = "{ applications(filter: { archived: INCLUDE }, first: 100) {
          edges { node { dateApplied } } pageInfo { hasNextPage } } }";
        let list = self.data(LIST, json!({})).await["applications"].clone();
        assert_eq!(list["pageInfo"]["hasNextPage"], false);
        let mut counted = BTreeMap::new();
        for edge in list["edges"].as_array().unwrap() {
            if let Some(day) = edge["node"]["dateApplied"].as_str() {
                let monday = day.parse::<NaiveDate>().unwrap().week(Weekday::Mon);
                *counted.entry(monday.first_day().to_string()).or_default() += 1;
            }
        }
        counted
    }

    /// The stays: of each status its count, median, and the buckets that have some by their bounds.
    pub async fn stays(&self) -> Value {
        const STAYS: &str = "{ applicationInsight { stays { status count medianDays
          buckets { lessThanDays count } } } }";
        let mut stays = self.data(STAYS, json!({})).await["applicationInsight"]["stays"].clone();
        for status in stays.as_array_mut().unwrap() {
            let buckets = status["buckets"].as_array_mut().unwrap();
            let bounds: Vec<_> = buckets.iter().map(|b| b["lessThanDays"].clone()).collect();
            assert_eq!(json!(bounds), json!([1, 3, 7, 14, 30, 60, 90, null]));
            buckets.retain(|bucket| bucket["count"] != 0);
        }
        stays
    }
}

#[tokio::test]
async fn weeks_go_over_the_end_of_a_year() {
    let (api, hands) = start().await;
    hands.set("2027-01-06T23:59:59.000Z");
    // Both of the days between which the year ends are in the 53rd week of 2026.
    for day in ["2026-12-27", "2026-12-31", "2027-01-01", "2027-01-04"] {
        api.create(applied(day)).await;
    }
    api.create(named("Unsubmitted")).await;
    const WEEKS: &str = "query($last: Int) {
      applicationInsight { weeks(last: $last) { monday applied } } }";
    let weeks = |last: Value| {
        let api = &api;
        async move {
            let data = api.data(WEEKS, json!({ "last": last })).await;
            data["applicationInsight"]["weeks"].clone()
        }
    };
    let week = |monday: &str, applied: i64| json!({ "monday": monday, "applied": applied });
    let four = json!([
        week("2026-12-14", 0),
        week("2026-12-21", 1),
        week("2026-12-28", 2),
        week("2027-01-04", 1),
    ]);
    assert_eq!(weeks(json!(4)).await, four);
    let long = weeks(json!(104)).await;
    assert_eq!(long.as_array().unwrap().len(), 104);
    assert_eq!(long[0], week("2025-01-13", 0));
    assert_eq!(weeks(Value::Null).await.as_array().unwrap().len(), 26);
    let unsaid = api.data(WEEKS, json!({})).await["applicationInsight"]["weeks"].clone();
    assert_eq!(unsaid, weeks(json!(26)).await);
    hands.set("2027-01-11T00:00:00.000Z");
    assert_eq!(
        weeks(json!(2)).await,
        json!([week("2027-01-04", 1), week("2027-01-11", 0)])
    );

    let years = [
        ("APPLIED#2026", expected(&[("W52", 1), ("W53", 2)])),
        ("APPLIED#2027", expected(&[("W01", 1)])),
    ];
    for (sort_key, weeks) in years {
        assert_eq!(counters(&api.stored_counters(sort_key).await), weeks);
    }
}

#[tokio::test]
async fn a_wrong_number_of_weeks_is_refused_beside_what_is_right() {
    let (api, _) = start().await;
    api.create(applied("2026-11-20")).await;
    for last in [0, 105, -1] {
        let document = format!(
            "{{ applicationInsight {{ weeks(last: {last}) {{ applied }}
               one: weeks(last: 1) {{ applied }} stays {{ count }} }} }}"
        );
        let answer = api.run(&document, json!({})).await;
        assert_eq!(answer.code(), "BAD_USER_INPUT");
        let path = &answer.body["errors"][0]["path"];
        assert_eq!(*path, json!(["applicationInsight", "weeks"]));
        let right = json!({ "weeks": null, "one": [{ "applied": 1 }], "stays": [] });
        assert_eq!(answer.body["data"]["applicationInsight"], right);
    }
}

#[tokio::test]
async fn an_application_counts_in_its_week_as_long_as_it_is_there() {
    let (api, hands) = start().await;
    hands.set("2027-01-15T09:30:00.000Z");
    let made = api.create(applied("2026-12-31")).await;
    let id = id(&made);
    let last = || expected(&[("2026-12-28", 1)]);
    let first = || expected(&[("2027-01-04", 1)]);
    assert_eq!(api.weeks().await, last());
    api.update(id, json!({ "dateApplied": "2027-01-01" })).await;
    assert_eq!(api.weeks().await, last());
    api.update(id, json!({ "dateApplied": "2027-01-04" })).await;
    assert_eq!(api.weeks().await, first());
    api.done("archiveApplication", json!({ "id": id })).await;
    assert_eq!(api.weeks().await, first());
    api.update(id, json!({ "status": "UNSUBMITTED" })).await;
    assert_eq!(api.weeks().await, expected(&[]));
    // Without a date it is today.
    api.update(id, json!({ "status": "INTERVIEWING" })).await;
    assert_eq!(api.weeks().await, expected(&[("2027-01-11", 1)]));
    for (sequence, weeks) in [(1, last()), (5, expected(&[])), (3, first())] {
        let input = json!({ "id": id, "sequence": sequence });
        api.done("restoreApplication", input).await;
        assert_eq!(api.weeks().await, weeks, "entry {sequence}");
    }
    api.done("deleteApplication", json!({ "id": id })).await;
    assert_eq!(api.weeks().await, expected(&[]));
}

#[tokio::test]
async fn a_stay_counts_when_it_ends_by_how_long_it_was() {
    let (api, hands) = start().await;
    assert_eq!(api.stays().await, json!([]));
    let made = api.create(named("Visa")).await;
    let id = id(&made);
    assert_eq!(made["statusSince"], made["createdAt"]);
    hands.go(HOUR);
    let sent = api.update(id, json!({ "status": "APPLIED" })).await;
    assert_eq!(sent["statusSince"], sent["updatedAt"]);
    hands.go(5 * DAY);
    let noted = api.update(id, json!({ "notes": "called" })).await;
    assert_eq!(noted["statusSince"], sent["statusSince"]);
    // A slip of the hand, corrected: it was not rejected at all.
    api.update(id, json!({ "status": "REJECTED" })).await;
    hands.go(HOUR - 1);
    api.update(id, json!({ "status": "INTERVIEWING" })).await;
    hands.go(90 * DAY);
    let restored = json!({ "id": id, "sequence": 2 });
    let restored = api.done("restoreApplication", restored).await["application"].clone();
    // It waits since the date of the application again.
    let sent_on = sent["dateApplied"].as_str().unwrap();
    assert_eq!(restored["statusSince"], format!("{sent_on}T00:00:00.000Z"));

    let stays = api.stays().await;
    let bucket = |bound: Value| json!([{ "lessThanDays": bound, "count": 1 }]);
    let of = |status: &str, median: Value, bound: Value| json!({ "status": status, "count": 1, "medianDays": median, "buckets": bucket(bound) });
    let told = json!([
        of("UNSUBMITTED", json!(0.5), json!(1)),
        of("APPLIED", json!(5.0), json!(7)),
        of("INTERVIEWING", Value::Null, Value::Null),
    ]);
    assert_eq!(stays, told);
    let names = [
        ("unsubmitted#1", 1),
        ("applied#7", 1),
        ("interviewing#more", 1),
    ];
    let stored = api.stored_counters("STAYS").await;
    assert_eq!(counters(&stored), expected(&names));

    const SNAPSHOTS: &str = "query($id: ID!) { application(id: $id) { statusSince
      history(last: 2) { edges { node { snapshot { statusSince } } } } } }";
    let data = api.data(SNAPSHOTS, json!({ "id": id })).await["application"].clone();
    assert_eq!(data["statusSince"], restored["statusSince"]);
    let edges = data["history"]["edges"].as_array().unwrap();
    let since = edges
        .iter()
        .map(|edge| edge["node"]["snapshot"]["statusSince"].clone());
    let moments = [sent["statusSince"].clone(), made["statusSince"].clone()];
    assert_eq!(since.collect::<Vec<_>>(), moments);

    // It tells what happened, whatever became of the application.
    api.done("deleteApplication", json!({ "id": id })).await;
    assert_eq!(api.stays().await, told);
}

#[tokio::test]
async fn insight_costs_half_a_unit_for_each_item_that_is_selected() {
    let (api, hands) = start().await;
    hands.set("2027-01-06T12:00:00.000Z");
    for day in ["2025-03-04", "2026-03-04", "2027-01-04"] {
        let made = api.create(applied(day)).await;
        hands.go(DAY);
        api.update(id(&made), json!({ "status": "REJECTED" })).await;
    }
    for (selection, calls, units) in [
        ("__typename", 0, 0.0),
        ("stays { count }", 1, 0.5),
        ("weeks(last: 1) { applied }", 1, 0.5),
        ("weeks { applied }", 1, 1.0),
        ("weeks(last: 104) { applied }", 1, 1.5),
        ("stays { count } ...Weeks", 1, 2.0),
        ("weeks(last: 0) { applied }", 0, 0.0),
        ("stays @skip(if: true) { count }", 0, 0.0),
    ] {
        let fragment = if selection.contains("...") {
            "fragment Weeks on ApplicationInsight { weeks(last: 104) { applied }
                   short: weeks(last: 1) { monday } }"
        } else {
            ""
        };
        let document = format!("{{ applicationInsight {{ {selection} }} }} {fragment}");
        api.calls.reset();
        let answer = api.run(&document, json!({})).await;
        let cost = answer.cost();
        assert_eq!(
            (cost.reads, cost.writes, cost.read_units),
            (calls, 0, units),
            "{selection}"
        );
        let reached = api.calls.counts();
        assert_eq!(reached.get("BatchGetItem").copied().unwrap_or(0), calls);
        assert_eq!(reached.values().sum::<u64>(), calls, "{selection}");
    }
}
