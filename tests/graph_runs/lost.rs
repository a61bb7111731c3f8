//! Answers of the table that get lost: each move is made once.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use aws_smithy_runtime_api::client::http::SharedHttpConnector;
use chrono::{DateTime, TimeDelta};
use object_store::memory::InMemory;
use serde_json::{Value, json};
use trestle_dynamodb::Embedded;
use trestle_files::{Files, SigningKey};
use trestle_graph_runs::{Pipeline, Settings};
use trestle_table::Table;
use trestle_table::clock::Clock;

use crate::graph_runs::server::{ANN, Api, START, WORKER, settings};
use trestle_testing::faults::{Fault, Faults, Tokens};

const GRAPH: &str = r#"{"nodes":[{"id":"a"}],"edges":[]}"#;

/// A service on a table that fails as told, and forgets the tokens that make a repeated write one.
async fn failing() -> (Api, Faults) {
    let store = Embedded::memory().unwrap();
    let table = Table::new(store.client(), &trestle_graph_runs::TABLE, "runs-test");
    table.create().await.unwrap();
    let faults = Faults::none();
    let client = faults.client(SharedHttpConnector::new(store), 3);
    faults.tokens(Tokens::Stripped);
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
    let objects = Arc::new(InMemory::new());
    let files = Files::served("graph-runs", objects, key, None, clock.clone());
    let api = Api::start_behind(files, settings, (now, clock), client).await;
    (api, faults)
}

#[tokio::test]
async fn a_move_whose_answer_is_lost_is_made_once() {
    let (api, faults) = failing().await;
    let lose = || faults.next("TransactWriteItems", [Some(Fault::LostAnswer)]);
    let made = |changed: &Value, status: &str, attempt: u32| {
        assert_eq!(changed["userErrors"], json!([]), "{changed:#}");
        let run = &changed["run"];
        assert_eq!(
            (&run["status"], &run["attempt"]),
            (&json!(status), &json!(attempt))
        );
    };
    // Workers that say who they are, one that does not, and an owner.
    for (viewer, worker) in [
        (WORKER, json!({ "workerId": "w" })),
        (WORKER, json!({})),
        (ANN, json!({})),
    ] {
        lose();
        let id = api.uploaded(ANN, "HCL", "a").await;
        lose();
        made(
            &api.change(viewer, "startRun", worker.clone(), &id).await,
            "PROCESSING",
            1,
        );
        if viewer == WORKER {
            let other = api.change(WORKER, "startRun", json!({ "workerId": "other" }), &id);
            assert_eq!(other.await["userErrors"][0]["code"], "CONFLICT");
        }
        api.pass(61);
        lose();
        made(
            &api.change(viewer, "retryRun", worker, &id).await,
            "PROCESSING",
            2,
        );
        api.hand_in(&id, GRAPH).await;
        lose();
        made(
            &api.change(WORKER, "completeRun", json!({}), &id).await,
            "COMPLETE",
            2,
        );
        lose();
        let delete = "mutation($id: String!) { deleteRun(input: { runId: $id }) { run { status } userErrors { code } } }";
        let deleted = api.field(ANN, delete, json!({ "id": id })).await;
        assert_eq!(
            deleted,
            json!({ "run": { "status": "COMPLETE" }, "userErrors": [] })
        );
    }
    assert_eq!(faults.injected(), 15);
    assert_eq!(api.keys().await, [""; 0]);
}
