//! Items as other programs write them: those of the design are read, changed and deleted; odd in every way, nothing of
//! them is lost or made up.

use serde_json::{Value, json};
use trestle_graph_runs::{SERVICE, TABLE};
use trestle_testing::hosted::{TestClock, TestServer, memory};
use trestle_testing::odd::item;
use trestle_testing::promise::{Asked, Promise};

use crate::graph_runs::server::{ANN, WORKER};

/// A run as another program writes it.
fn run(id: &str, at: &str, attributes: Value) -> Value {
    let mut run = json!({
        "PK": "USER#ann", "SK": format!("RUN#{at}#{id}"), "GSI1PK": format!("RUN#{id}"), "GSI1SK": "USER#ann",
        "runId": id, "createdAt": at, "updatedAt": at, "iacS3Key": format!("uploads/dev/ann/{id}.tf.json"),
    });
    run.as_object_mut()
        .unwrap()
        .extend(attributes.as_object().unwrap().clone());
    run
}

/// A run of each status, with the attributes of the design and no others.
fn designed() -> Vec<Value> {
    let hash = format!("sha256:{}", "0a".repeat(32));
    vec![
        run(
            "c8a91e",
            "2026-02-22T10:00:00Z",
            json!({ "status": "UPLOADED", "environment": "dev" }),
        ),
        run(
            "d1b2c3",
            "2026-02-22T11:00:00Z",
            json!({ "status": "PROCESSING", "environment": "prod" }),
        ),
        run(
            "e4f5a6",
            "2026-02-21T10:00:00Z",
            json!({
                "status": "COMPLETE", "environment": "dev", "graphS3Key": "graphs/dev/ann/e4f5a6/graph.json",
                "analysisS3Key": "reports/dev/ann/e4f5a6/risk.json", "nodeCount": 12, "edgeCount": 11,
                "internetExposedCount": 1, "datastoreCount": 2, "graphHash": hash, "iacCommitSha": "0a1b2c3d",
                "terraformWorkspace": "staging", "accountId": "123456789012", "region": "eu-central-1",
            }),
        ),
        run(
            "f7a8b9",
            "2026-02-20T10:00:00Z",
            json!({ "status": "FAILED", "environment": "dev" }),
        ),
    ]
}

const RUN: &str = "runId userId status environment createdAt updatedAt attempt graphHash failureReason iacFormat isStuck \
    summary { nodeCount edgeCount internetExposedCount datastoreCount } \
    provenance { iacCommitSha terraformWorkspace accountId region }";

fn reads() -> Vec<Asked> {
    let list =
        |arguments: &str| format!("{{ runs{arguments} {{ edges {{ node {{ {RUN} }} }} }} }}");
    [
        format!("{{ latestRun {{ {RUN} }} }}"),
        format!("{{ run(runId: \"e4f5a6\") {{ {RUN} graphDownload {{ expiresAt }} reportDownload {{ expiresAt }} }} }}"),
        format!("{{ run(runId: \"c8a91e\") {{ {RUN} }} }}"),
        list(""),
        list("(filter: { environment: DEV })"),
        list("(filter: { statuses: [COMPLETE] })"),
        "{ runFigures(createdFrom: \"2026-02-01T00:00:00Z\") { points { runId createdAt summary { nodeCount } } } }".to_owned(),
    ]
    .map(|document| Asked::query(ANN, document))
    .into()
}

fn changes() -> Vec<Asked> {
    [
        (
            WORKER,
            "failRun",
            json!({ "runId": "d1b2c3", "reason": "no file" }),
        ),
        (
            ANN,
            "failRun",
            json!({ "runId": "c8a91e", "reason": "a mistake" }),
        ),
        (ANN, "deleteRun", json!({ "runId": "e4f5a6" })),
        (ANN, "deleteRun", json!({ "runId": "f7a8b9" })),
    ]
    .map(|(viewer, name, input)| Asked::mutation(viewer, name, input))
    .into()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn items_of_the_design_are_read_and_changed_and_odd_ones_are_neither_lost_nor_made_up() {
    let (client, calls) = memory();
    let options = ["--graph-runs-pipeline=external"];
    let server =
        TestServer::start_on(&SERVICE, client, calls, TestClock::default(), &options).await;
    let promise = Promise {
        server: &server,
        table: &TABLE,
        right: designed().iter().map(item).collect(),
        reads: reads(),
        changes: changes(),
        // The format by the key of the file, which does not end as JSON does.
        defaults: &["HCL"],
        pinned: &[],
    };
    // A run that was not changed since it was created.
    promise.hold_without_what_keys_contain(&["updatedAt"]).await;
    promise.hold().await;
}
