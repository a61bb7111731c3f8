//! How many applications ever had a status: by what happened to them, not by their present status.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use serde_json::{Value, json};
use trestle_applications::{Applications, Import, Imported, Scope, TABLE};
use trestle_table::{Meter, Table};

use crate::ask::{Hands, named, number, start, text};
use crate::insight::{HOUR, id};
use crate::support::Api;

fn store(api: &Api, hands: &Hands) -> Applications {
    let table = Table::new(api.dynamodb.clone(), &TABLE, &api.table);
    Applications::new(table, Scope::Single, Meter::default(), hands.clock())
}

/// The statuses that applications reached, with how many did.
async fn reached(api: &Api) -> BTreeMap<String, i64> {
    const STATS: &str = "{ applicationStats { byStatus { status active archived reached } } }";
    let stats = api.data(STATS, json!({})).await["applicationStats"]["byStatus"].clone();
    let mut reached = BTreeMap::new();
    for row in stats.as_array().unwrap() {
        let count = row["reached"].as_i64().unwrap();
        assert!(count >= row["active"].as_i64().unwrap() + row["archived"].as_i64().unwrap());
        if count != 0 {
            reached.insert(row["status"].as_str().unwrap().to_owned(), count);
        }
    }
    reached
}

fn counts<const N: usize>(counts: [(&str, i64); N]) -> BTreeMap<String, i64> {
    counts
        .map(|(status, count)| (status.to_owned(), count))
        .into()
}

/// An application that has each of these statuses for an hour, so that none is a mistake.
async fn through(api: &Api, hands: &Hands, statuses: &[&str]) -> Value {
    let made = api.create(named("Visa")).await;
    hands.go(HOUR);
    for status in statuses {
        api.update(id(&made), json!({ "status": status })).await;
        hands.go(HOUR);
    }
    made
}

#[tokio::test]
async fn an_application_counts_once_in_each_status_that_it_ever_had() {
    let (api, hands) = start().await;
    let back_and_forth = [
        "APPLIED",
        "INTERVIEWING",
        "APPLIED",
        "INTERVIEWING",
        "REJECTED",
    ];
    let rejected = through(&api, &hands, &back_and_forth).await;
    let applied = through(&api, &hands, &["APPLIED"]).await;
    let expected = counts([
        ("UNSUBMITTED", 2),
        ("APPLIED", 2),
        ("INTERVIEWING", 1),
        ("REJECTED", 1),
    ]);
    assert_eq!(reached(&api).await, expected);

    // An edit, an archive and a restore to an entry of another status forget nothing.
    api.update(id(&rejected), json!({ "notes": "n" })).await;
    let input = json!({ "id": rejected["id"] });
    api.done("archiveApplication", input.clone()).await;
    assert_eq!(reached(&api).await, expected);
    let restore = json!({ "id": rejected["id"], "sequence": 2 });
    api.done("restoreApplication", restore).await;
    assert_eq!(reached(&api).await, expected);
    let stored = api.stored_application(id(&rejected)).await;
    let words = ["unsubmitted", "applied", "rejected", "interviewing"];
    let past = stored["pastStatuses"].as_l().unwrap();
    assert_eq!(past, &words.map(text));

    // What is deleted does not count, and a full count agrees.
    assert_eq!(store(&api, &hands).recount().await.unwrap(), 0);
    api.done("deleteApplication", input).await;
    let left = counts([("UNSUBMITTED", 1), ("APPLIED", 1)]);
    assert_eq!(reached(&api).await, left);
    assert_eq!(store(&api, &hands).recount().await.unwrap(), 0);
    let input = json!({ "id": applied["id"] });
    api.done("deleteApplication", input).await;
    assert_eq!(reached(&api).await, counts([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recount_corrects_what_was_reached_beside_writers() {
    let (api, hands) = start().await;
    let made = join_all((0..6).map(|_| through(&api, &hands, &["APPLIED", "INTERVIEWING"]))).await;
    let mut meta = api.stored_meta().await;
    assert_eq!(meta["PAST#applied"], number(6));
    meta.insert("PAST#applied".to_owned(), number(40));
    meta.insert("PAST#rejected".to_owned(), text("many"));
    api.put(meta).await;
    let store = store(&api, &hands);
    let reject = join_all(made.iter().map(|made| async {
        api.update(id(made), json!({ "status": "REJECTED" })).await;
    }));
    let (recounted, _) = futures_util::future::join(store.recount(), reject).await;
    recounted.unwrap();
    store.recount().await.unwrap();
    let expected = ["UNSUBMITTED", "APPLIED", "INTERVIEWING", "REJECTED"].map(|word| (word, 6));
    assert_eq!(reached(&api).await, counts(expected));
}

#[tokio::test]
async fn records_without_past_statuses_take_them_from_their_history() {
    let (api, hands) = start().await;
    let made = through(&api, &hands, &["APPLIED", "INTERVIEWING", "REJECTED"]).await;
    let exported = store(&api, &hands).export(10, None).await.unwrap();
    let record = exported.into_iter().next().unwrap().1.unwrap().unwrap();
    let mut without = serde_json::to_value(&record).unwrap();
    without.as_object_mut().unwrap().remove("pastStatuses");
    for entry in without["history"].as_array_mut().unwrap() {
        entry["snapshot"]
            .as_object_mut()
            .unwrap()
            .remove("pastStatuses");
    }
    let (other, hands) = start().await;
    hands.go(6 * HOUR);
    let restored = serde_json::from_value(without).unwrap();
    let restored = trestle_applications::Record::keyed(restored).unwrap();
    let applications = store(&other, &hands);
    let imported = applications
        .import_records(vec![restored], Import::Write)
        .await;
    assert_eq!(imported.unwrap(), [Imported::Created]);
    assert_eq!(reached(&other).await, reached(&api).await);
    other
        .update(id(&made), json!({ "status": "NO_OFFER" }))
        .await;
    assert_eq!(reached(&other).await["REJECTED"], 1);
    assert_eq!(reached(&other).await["INTERVIEWING"], 1);
    assert_eq!(applications.recount().await.unwrap(), 0);
}
