//! Many clients that write at the same time: the Meta item is in each of their transactions.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::ask::{named, start};
use crate::support::Api;

const STATS: &str = "{ applicationStats { active archived byStatus { status active } } }";

async fn active(api: &Api) -> Value {
    api.data(STATS, json!({})).await["applicationStats"]["active"].clone()
}

async fn of_status(api: &Api, status: &str) -> Value {
    let stats = api.data(STATS, json!({})).await["applicationStats"].clone();
    let all = stats["byStatus"].as_array().unwrap().clone();
    let found = all.into_iter().find(|one| one["status"] == status);
    found.unwrap()["active"].clone()
}

#[tokio::test]
async fn many_creates_at_the_same_time_all_succeed_and_share_transactions() {
    const CLIENTS: usize = 200;
    let (api, _) = start().await;
    api.create(named("First")).await;
    api.calls.reset();
    let creates = (0..CLIENTS).map(|i| api.create(named(&format!("C{i}"))));
    let made = join_all(creates).await;
    let ids: BTreeSet<_> = made.iter().map(|one| one["id"].to_string()).collect();
    assert_eq!(ids.len(), CLIENTS);
    let transactions = api.calls.counts()["TransactWriteItems"];
    assert!(transactions <= CLIENTS as u64 / 2, "{transactions}");
    assert_eq!(active(&api).await, CLIENTS + 1);
    for one in made {
        let read = api.read(one["id"].as_str().unwrap()).await;
        assert_eq!(read["companyName"], one["companyName"]);
        assert_eq!(read["history"]["edges"].as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn a_create_that_is_refused_does_not_affect_those_of_the_same_transaction() {
    let (api, _) = start().await;
    let id = "6f6a3c1e-0000-4000-8000-000000000001";
    let mine = json!({ "id": id, "companyName": "Mine", "positionTitle": "Engineer" });
    api.create(mine.clone()).await;
    let other = json!({ "id": id, "companyName": "Other", "positionTitle": "Engineer" });
    let many = (0..20).map(|i| api.create(named(&format!("C{i}"))));
    let refused = (0..5).map(|_| api.refused("createApplication", other.clone()));
    let again = (0..5).map(|_| api.create(mine.clone()));
    let (made, refused, again) = tokio::join!(join_all(many), join_all(refused), join_all(again));
    assert_eq!(made.len(), 20);
    for errors in refused {
        assert_eq!(errors, [("CONFLICT".to_owned(), "id".to_owned())]);
    }
    assert!(again.iter().all(|one| one["companyName"] == "Mine"));
    assert_eq!(active(&api).await, 21);
}

#[tokio::test]
async fn creates_with_the_same_id_at_the_same_time_make_one_application() {
    let (api, _) = start().await;
    let input = json!({ "id": "6f6a3c1e-0000-4000-8000-000000000001", "companyName": "Visa",
        "positionTitle": "Engineer" });
    let made = join_all((0..20).map(|_| api.create(input.clone()))).await;
    assert!(made.iter().all(|one| one["version"] == 1));
    assert_eq!(active(&api).await, 1);
}

#[tokio::test]
async fn status_changes_creates_archives_and_deletes_together_leave_exact_counters() {
    const EACH: usize = 12;
    let (api, _) = start().await;
    let ids = async |name: &str| -> Vec<String> {
        let made = join_all((0..EACH).map(|i| api.create(named(&format!("{name}{i}"))))).await;
        let id = |one: &Value| one["id"].as_str().unwrap().to_owned();
        made.iter().map(id).collect()
    };
    let (moved, archived, deleted) = (ids("M").await, ids("A").await, ids("D").await);
    api.calls.reset();
    let moves = moved
        .iter()
        .map(|id| api.update(id, json!({ "status": "APPLIED" })));
    let archives = archived
        .iter()
        .map(|id| api.done("archiveApplication", json!({ "id": id })));
    let deletes = deleted
        .iter()
        .map(|id| api.done("deleteApplication", json!({ "id": id })));
    let creates = (0..EACH).map(|i| api.create(named(&format!("N{i}"))));
    // All of one application: each waits for the one before.
    let same = (0..6).map(|i| {
        let status = ["REJECTED", "INTERVIEWING"][i % 2];
        api.update(&moved[0], json!({ "status": status }))
    });
    tokio::join!(
        join_all(moves),
        join_all(archives),
        join_all(deletes),
        join_all(creates),
        join_all(same)
    );
    let stats = api.data(STATS, json!({})).await["applicationStats"].clone();
    assert_eq!(
        (&stats["active"], &stats["archived"]),
        (&json!(2 * EACH), &json!(EACH))
    );
    let first = api.read(&moved[0]).await;
    let at_first = usize::from(first["status"] == "APPLIED");
    assert_eq!(of_status(&api, "APPLIED").await, EACH - 1 + at_first);
    assert_eq!(of_status(&api, "UNSUBMITTED").await, EACH);
    // Every change that was made has an entry, without gaps.
    let entries = first["history"]["edges"].as_array().unwrap();
    assert_eq!(first["version"], entries.len());
    for (at, entry) in entries.iter().rev().enumerate() {
        assert_eq!(entry["node"]["sequence"], at + 1);
    }
}
