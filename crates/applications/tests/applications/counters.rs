//! The counters over time as they are stored: what they cost, and what keeps them equal to a full count.

use aws_sdk_dynamodb::types::AttributeValue::{L, N, Null};
use chrono::{Days, NaiveDate};
use futures_util::future::{join_all, join3};
use serde_json::{Value, json};
use trestle_applications::{Applications, Import, Imported, Record, Scope, TABLE};
use trestle_table::{Meter, Table};

use crate::ask::{Hands, named, number, start, text, with};
use crate::insight::{DAY, HOUR, applied, counters, expected, id};
use crate::support::Api;

/// The service's own store, for what the command line asks of it.
fn store(api: &Api, hands: &Hands) -> Applications {
    let table = Table::new(api.dynamodb.clone(), &TABLE, &api.table);
    Applications::new(table, Scope::Single, Meter::default(), hands.clock())
}

#[tokio::test]
async fn a_counter_costs_a_write_where_it_changes_and_nothing_else_does() {
    let (api, hands) = start().await;
    // The first one learns that the table is empty.
    api.create(named("Mastercard")).await;
    let cost = |name: &'static str, input: Value| {
        let api = &api;
        async move {
            let cost = api.mutate(name, input).await.cost();
            assert_eq!((cost.writes, cost.retries), (1, 0));
            cost.write_units
        }
    };
    // The same size to the letter, but for the counter of the week.
    let unsubmitted = with(named("Visa"), json!({ "notes": "ten letter" }));
    let without = cost("createApplication", unsubmitted).await;
    let with_date = cost("createApplication", applied("2026-11-20")).await;
    assert_eq!(with_date - without, 2.0);

    let made = api.create(applied("2026-11-20")).await;
    let patch = |patch: Value| with(json!({ "id": id(&made) }), patch);
    let notes = cost("updateApplication", patch(json!({ "notes": "n" }))).await;
    let same_week = json!({ "dateApplied": "2026-11-16" });
    assert_eq!(cost("updateApplication", patch(same_week)).await, notes);
    let another_week = json!({ "dateApplied": "2026-11-13" });
    assert_eq!(
        cost("updateApplication", patch(another_week)).await,
        notes + 2.0
    );
    let another_year = json!({ "dateApplied": "2025-11-13" });
    assert_eq!(
        cost("updateApplication", patch(another_year)).await,
        notes + 4.0
    );
    // It waits since then, and since its creation again.
    api.update(id(&made), json!({ "dateApplied": "2026-11-20" }))
        .await;
    let slip = cost("updateApplication", patch(json!({ "status": "REJECTED" }))).await;
    hands.go(2 * HOUR);
    let stay = cost("updateApplication", patch(json!({ "status": "NO_OFFER" }))).await;
    assert_eq!(stay - slip, 2.0);
}

#[tokio::test]
async fn what_other_programs_put_beside_the_counters_counts_nothing() {
    let (api, _) = start().await;
    api.create(applied("2026-11-20")).await;
    let item = |sort_key: &str, attributes: &[(&str, aws_sdk_dynamodb::types::AttributeValue)]| {
        let keys = [("PK", text("INSIGHT")), ("SK", text(sort_key))];
        let all = keys.iter().chain(attributes);
        all.map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect()
    };
    let fraction = N("1.5".to_owned());
    let weeks = [
        ("W47", number(3)),
        ("W46", text("many")),
        ("W45", number(-2)),
        ("W44", fraction),
        ("W43", Null(true)),
        ("W42", number(99_999_999_999)),
        ("W99", number(7)),
        ("note", text("theirs")),
    ];
    api.put(item("APPLIED#2026", &weeks)).await;
    let stays = [
        ("applied#7", number(2)),
        ("applied#more", L(Vec::new())),
        ("applied#8", number(5)),
        ("ghosted#7", number(5)),
        ("rejected#3", number(-1)),
    ];
    api.put(item("STAYS", &stays)).await;
    let weeks = [("2026-10-12", i64::from(i32::MAX)), ("2026-11-16", 3)];
    assert_eq!(api.weeks().await, expected(&weeks));
    let told = json!([{ "status": "APPLIED", "count": 2, "medianDays": 5.0,
      "buckets": [{ "lessThanDays": 7, "count": 2 }] }]);
    assert_eq!(api.stays().await, told);
}

#[tokio::test]
async fn a_recount_puts_the_weeks_right_and_they_stay_so() {
    let (api, hands) = start().await;
    let made = api.create(applied("2026-11-20")).await;
    api.create(applied("2026-11-19")).await;
    api.create(applied("2019-12-31")).await;
    // Another program, which moves the date and knows no counter of weeks.
    let mut item = api.stored_application(id(&made)).await;
    item.insert("dateApplied".to_owned(), text("2026-10-02"));
    api.put(item).await;
    let mut year = api.stored_counters("APPLIED#2026").await;
    year.insert("W01".to_owned(), number(4));
    year.insert("note".to_owned(), text("theirs"));
    api.put(year).await;
    let mut lost = api.stored_counters("APPLIED#2020").await;
    lost.insert("SK".to_owned(), text("APPLIED#1999"));
    api.put(lost).await;

    let store = store(&api, &hands);
    // Of 2026 three weeks are off, and one that is of 2020 counts in 1999.
    assert_eq!(store.recount().await.unwrap(), 4);
    assert_eq!(store.recount().await.unwrap(), 0);
    let year = api.stored_counters("APPLIED#2026").await;
    assert_eq!(counters(&year), expected(&[("W40", 1), ("W47", 1)]));
    assert_eq!(year["note"], text("theirs"));
    let lost = api.stored_counters("APPLIED#1999").await;
    assert_eq!(counters(&lost), expected(&[]));

    // The newest snapshot still has the date of before.
    let input = json!({ "status": "INTERVIEWING" });
    let changed = api.update(id(&made), input).await;
    assert_eq!(changed["dateApplied"], "2026-10-02");
    api.done("deleteApplication", json!({ "id": made["id"] }))
        .await;
    assert_eq!(store.recount().await.unwrap(), 0);
}

#[tokio::test]
async fn the_moment_of_another_programs_status_is_unknown() {
    let (api, hands) = start().await;
    let made = api.create(applied("2026-11-20")).await;
    hands.go(2 * DAY);
    let mut item = api.stored_application(id(&made)).await;
    item.insert("status".to_owned(), text("interviewing"));
    item.insert("updatedAt".to_owned(), text("2026-11-21T09:30:00.000Z"));
    api.put(item).await;
    let noted = api.update(id(&made), json!({ "notes": "n" })).await;
    assert_eq!(
        (&noted["status"], &noted["statusSince"]),
        (&json!("INTERVIEWING"), &Value::Null)
    );
    let read = api.read(id(&made)).await;
    assert_eq!(read["statusSince"], Value::Null);
    hands.go(2 * DAY);
    let left = api.update(id(&made), json!({ "status": "REJECTED" })).await;
    assert_eq!(left["statusSince"], left["updatedAt"]);
    assert_eq!(api.stays().await, json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn many_writers_keep_the_counters_equal_to_a_full_count() {
    const LIVES: usize = 12;
    let (api, hands) = start().await;
    let made = join_all((0..LIVES).map(|i| {
        let day = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap() - Days::new(9 * i as u64);
        api.create(applied(&day.to_string()))
    }))
    .await;
    assert_eq!(api.weeks().await, api.counted_weeks().await);
    hands.go(2 * DAY);
    // Two change the status of each at once, so one of them ends the stay and the other one's was a slip;
    // and a third one changes the week.
    join_all(made.iter().enumerate().map(|(i, made)| {
        let api = &api;
        async move {
            let day = format!("2026-0{}-01", 1 + i % 9);
            let moved = api.update(id(made), json!({ "dateApplied": day }));
            let one = api.update(id(made), json!({ "status": "INTERVIEWING" }));
            let other = api.update(id(made), json!({ "status": "REJECTED" }));
            join3(moved, one, other).await;
            if i % 3 == 0 {
                let input = json!({ "id": made["id"] });
                api.done("deleteApplication", input).await;
            }
        }
    }))
    .await;
    assert_eq!(api.weeks().await, api.counted_weeks().await);
    // How long each was depends on the date that it had when it ended.
    let stays = counters(&api.stored_counters("STAYS").await);
    assert!(
        stays.keys().all(|name| name.starts_with("applied#")),
        "{stays:?}"
    );
    assert_eq!(stays.values().sum::<i64>(), LIVES as i64);
}

#[tokio::test]
async fn records_bring_their_weeks_and_their_stays_along() {
    let (api, hands) = start().await;
    for company in ["One", "Two", "Three"] {
        let made = api
            .create(with(applied("2026-01-02"), named(company)))
            .await;
        hands.go(20 * DAY);
        api.update(id(&made), json!({ "status": "INTERVIEWING" }))
            .await;
        api.update(id(&made), json!({ "status": "NO_OFFER" })).await;
        hands.go(4 * DAY);
        api.update(id(&made), json!({ "status": "INTERVIEWING" }))
            .await;
    }
    let exported = store(&api, &hands).export(10, None).await.unwrap();
    let records: Vec<Record> = exported
        .into_iter()
        .map(|(_, record)| record.unwrap().unwrap())
        .collect();
    let (other, hands) = start().await;
    let store = store(&other, &hands);
    let took = store.import_records(records.clone(), Import::Write).await;
    assert_eq!(took.unwrap(), vec![Imported::Created; 3]);
    let again = store.import_records(records.clone(), Import::Write).await;
    assert_eq!(again.unwrap(), vec![Imported::AlreadyThere; 3]);
    for sort_key in ["COUNT", "APPLIED#2026", "STAYS"] {
        let took = other.stored_counters(sort_key).await;
        let had = api.stored_counters(sort_key).await;
        assert_eq!(counters(&took), counters(&had), "{sort_key}");
    }
    for record in records {
        let id = record.id().to_string();
        assert_eq!(other.stored(&id).await, api.stored(&id).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recount_beside_writers_loses_nothing() {
    let (api, hands) = start().await;
    let ids = join_all((0..8).map(|_| api.create(applied("2026-11-20")))).await;
    let mut meta = api.stored_meta().await;
    meta.insert("count".to_owned(), text("many"));
    meta.insert("STATUS#applied#ARCHIVED#0".to_owned(), number(70));
    api.put(meta).await;
    let store = store(&api, &hands);
    store.recount().await.unwrap();
    let move_on = async |made: &Value| {
        for status in ["INTERVIEWING", "APPLIED", "REJECTED"] {
            api.update(id(made), json!({ "status": status })).await;
        }
    };
    let recounts = async {
        for _ in 0..5 {
            // Refused if the writers were in the way each time, which loses nothing either.
            let _ = store.recount().await;
        }
    };
    tokio::join!(join_all(ids.iter().map(move_on)), recounts);
    assert_eq!(store.recount().await.unwrap(), 0);
    let (active, archived, _) = api.stats().await;
    assert_eq!((active, archived), (8, 0));
}
