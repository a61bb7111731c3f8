//! A run that was created just now, when the index of ids does not have it yet: whoever knows its id changes it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use aws_smithy_runtime_api::client::http::SharedHttpConnector;
use chrono::{DateTime, TimeDelta};
use object_store::memory::InMemory;
use serde_json::json;
use trestle_dynamodb::Embedded;
use trestle_files::{Files, SigningKey};
use trestle_graph_runs::{Pipeline, Settings};
use trestle_table::Table;
use trestle_table::clock::Clock;
use trestle_testing::lagging::Lagging;

use crate::graph_runs::server::{ANN, Api, BOB, START, WORKER, settings};

async fn lagging() -> Api {
    let store = Embedded::memory().unwrap();
    // The indexes never have anything.
    let client =
        store.client_behind(|inner| SharedHttpConnector::new(Lagging::on(inner, Duration::MAX)));
    let table = Table::new(client.clone(), &trestle_graph_runs::TABLE, "runs-test");
    table.create().await.unwrap();
    let now = Arc::new(AtomicI64::new(START));
    let clock = {
        let now = Arc::clone(&now);
        Clock::new(move || DateTime::from_timestamp(now.load(Ordering::SeqCst), 0).unwrap())
    };
    let settings = Settings {
        pipeline: Pipeline::External,
        stuck_after: TimeDelta::seconds(60),
        ..settings()
    };
    let key = SigningKey::random().unwrap();
    let files = Files::served(
        "graph-runs",
        Arc::new(InMemory::new()),
        key,
        None,
        clock.clone(),
    );
    Api::start_behind(files, settings, (now, clock), client).await
}

/// Every change of a run by its id, by everyone who may make it, right after the run was created. Whoever may not learns
/// nothing.
#[tokio::test]
async fn a_run_is_changed_by_its_id_before_the_index_has_it() {
    let api = lagging().await;
    for viewer in [ANN, WORKER] {
        for change in ["startRun", "failRun", "deleteRun"] {
            if viewer == WORKER && change == "deleteRun" {
                continue;
            }
            let id = api.uploaded(ANN, "HCL", "").await;
            let input = if change == "failRun" {
                json!({ "reason": "because" })
            } else {
                json!({})
            };
            let hidden = api.change(BOB, change, input.clone(), &id).await;
            assert_eq!(
                hidden["userErrors"][0]["code"], "NOT_FOUND",
                "{change}: {hidden:#}"
            );
            let changed = api.change(viewer, change, input, &id).await;
            assert_eq!(
                changed["userErrors"],
                json!([]),
                "{change} by {viewer}: {changed:#}"
            );
            if change == "deleteRun" {
                let again = api.change(viewer, change, json!({}), &id).await;
                assert_eq!(again["userErrors"][0]["code"], "NOT_FOUND", "{again:#}");
            }
        }
    }
}
