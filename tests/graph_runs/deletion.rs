//! Deleting runs with their files, by their owners and when they expire.

use std::time::Duration;

use serde_json::{Value, json};
use trestle_graph_runs::Pipeline;

use crate::graph_runs::program::Program;
use crate::graph_runs::server::{ANN, Api, BOB, WORKER};

/// A bound on what has to come, so that a test which fails ends.
const PATIENCE: Duration = Duration::from_secs(60);
const GRAPH: &str = r#"{"nodes":[{"id":"a"}],"edges":[]}"#;
const OTHER: &str = r#"{"nodes":[{"id":"b"}],"edges":[]}"#;
const RUN: &str = "query($id: String!) { run(runId: $id) { runId status expiresAt } }";

async fn delete(api: &Api, viewer: &str, id: &str) -> Value {
    let query = "mutation($input: DeleteRunInput!) { deleteRun(input: $input) { run { runId status } userErrors { code field } } }";
    api.field(viewer, query, json!({ "input": { "runId": id } }))
        .await
}

/// Waits until the run is gone and no file is left of it.
async fn gone(api: &Api, viewer: &str, id: &str) {
    let gone = async {
        loop {
            let run = api.field(viewer, RUN, json!({ "id": id })).await;
            let is_left = api.keys().await.iter().any(|key| key.contains(id));
            if run.is_null() && !is_left {
                return;
            }
        }
    };
    tokio::time::timeout(PATIENCE, gone)
        .await
        .expect("it is deleted");
}

#[tokio::test]
async fn a_run_is_deleted_with_all_its_files() {
    let api = Api::start().await;
    let (id, other) = (
        api.complete(ANN, GRAPH).await,
        api.complete(ANN, OTHER).await,
    );
    let difference = "query($a: String!, $b: String!) { runDifference(fromRunId: $a, toRunId: $b) { added { nodes } } }";
    for (a, b) in [(&id, &other), (&other, &id)] {
        api.field(ANN, difference, json!({ "a": a, "b": b })).await;
    }
    let picture = "query($id: String!) { run(runId: $id) { graph(format: SVG) { url } } }";
    api.field(ANN, picture, json!({ "id": id })).await;
    let of = async |id: &str| {
        let keys = api.keys().await;
        keys.iter().filter(|key| key.contains(id)).count()
    };
    assert!(of(&id).await >= 7, "{:?}", api.keys().await);
    let deleted = delete(&api, ANN, &id).await;
    assert_eq!(
        deleted,
        json!({ "run": { "runId": id, "status": "COMPLETE" }, "userErrors": [] })
    );
    assert_eq!(
        (
            of(&id).await,
            api.field(ANN, RUN, json!({ "id": id })).await
        ),
        (0, json!(null))
    );
    assert_eq!(
        api.field(ANN, RUN, json!({ "id": other })).await["status"],
        "COMPLETE"
    );
    assert!(of(&other).await > 0);
}

#[tokio::test]
async fn deleting_twice_and_deleting_what_is_others_return_not_found() {
    let api = Api::start().await;
    let id = api.complete(ANN, GRAPH).await;
    let missing =
        json!({ "run": null, "userErrors": [{ "code": "NOT_FOUND", "field": ["runId"] }] });
    for viewer in [BOB, WORKER] {
        assert_eq!(delete(&api, viewer, &id).await, missing, "{viewer}");
    }
    assert_eq!(delete(&api, ANN, "a/b").await, missing);
    assert_eq!(delete(&api, ANN, &id).await["userErrors"], json!([]));
    assert_eq!(delete(&api, ANN, &id).await, missing);
}

#[tokio::test]
async fn deleting_a_run_is_two_reads_and_one_write() {
    let api = Api::start().await;
    let id = api.complete(ANN, GRAPH).await;
    let query =
        "mutation($id: String!) { deleteRun(input: { runId: $id }) { userErrors { code } } }";
    let deleted = api.run(ANN, query, json!({ "id": id })).await;
    assert_eq!(deleted.data()["deleteRun"]["userErrors"], json!([]));
    let cost = deleted.cost();
    assert_eq!((cost.reads, cost.writes), (2, 1));
    let work = api
        .run(WORKER, "query { workList { edges { cursor } } }", json!({}))
        .await;
    assert_eq!((work.cost().reads, work.cost().writes), (1, 0));
}

#[tokio::test]
async fn a_batch_is_answered_in_the_order_of_its_input() {
    let api = Api::start().await;
    let (first, second) = (
        api.complete(ANN, GRAPH).await,
        api.uploaded(ANN, "HCL", "a").await,
    );
    let query = "mutation($input: DeleteRunsInput!) { deleteRuns(input: $input) { results { run { runId } userErrors { code } } userErrors { code field } } }";
    let ids = json!({ "input": { "runIds": [second, "none", first] } });
    let deleted = api.field(ANN, query, ids).await;
    let run = |id: &str| json!({ "run": { "runId": id }, "userErrors": [] });
    let missing = json!({ "run": null, "userErrors": [{ "code": "NOT_FOUND" }] });
    assert_eq!(
        deleted["results"],
        json!([run(&second), missing, run(&first)])
    );
    assert_eq!(api.keys().await, [""; 0]);
    let many: Vec<_> = (0..101).map(|n| n.to_string()).collect();
    let refused = api
        .field(ANN, query, json!({ "input": { "runIds": many } }))
        .await;
    let limit =
        json!({ "results": [], "userErrors": [{ "code": "LIMIT_REACHED", "field": ["runIds"] }] });
    assert_eq!(refused, limit);
}

#[tokio::test]
async fn a_run_that_is_named_twice_is_deleted_once() {
    let api = Api::start().await;
    let query = "mutation($input: DeleteRunsInput!) { deleteRuns(input: $input) { results { run { runId } userErrors { code } } } }";
    let missing = json!({ "run": null, "userErrors": [{ "code": "NOT_FOUND" }] });
    for _ in 0..10 {
        let id = api.uploaded(ANN, "HCL", "a").await;
        let ids = json!({ "input": { "runIds": [id, id, id] } });
        let deleted = api.field(ANN, query, ids).await;
        let run = json!({ "run": { "runId": id }, "userErrors": [] });
        assert_eq!(deleted["results"], json!([run, missing, missing]));
    }
}

#[tokio::test]
async fn a_worker_of_a_deleted_run_is_refused_and_what_it_leaves_is_deleted() {
    let api = Api::start().await;
    let id = api.processing(ANN).await;
    let query = "query($id: String!) { run(runId: $id) { workerUploads { graph { url headers { name value } } } } }";
    let uploads = api.field(WORKER, query, json!({ "id": id })).await["workerUploads"].clone();
    delete(&api, ANN, &id).await;
    let work = "query { workList { edges { node { runId } } } }";
    assert_eq!(api.field(WORKER, work, json!({})).await["edges"], json!([]));
    // Its URL works until it expires.
    assert_eq!(api.put(&uploads["graph"], GRAPH.into()).await.status(), 200);
    let done = api.change(WORKER, "completeRun", json!({}), &id).await;
    assert_eq!(done["userErrors"][0]["code"], "NOT_FOUND");
    assert_eq!(api.keys().await.len(), 1);
    api.pass(3_601);
    gone(&api, ANN, &id).await;
}

#[tokio::test]
async fn runs_that_never_start_expire_and_others_are_kept() {
    let api = Api::start().await;
    let never = api.uploaded(ANN, "HCL", "a").await;
    let run = api.field(ANN, RUN, json!({ "id": never })).await;
    assert_eq!(run["expiresAt"], "2026-02-23T19:12:11.000Z");
    let kept = api.complete(ANN, GRAPH).await;
    assert_eq!(
        api.field(ANN, RUN, json!({ "id": kept })).await["expiresAt"],
        json!(null)
    );
    api.pass(86_399);
    let later = api.uploaded(ANN, "HCL", "a").await;
    api.pass(1);
    gone(&api, ANN, &never).await;
    for id in [&kept, &later] {
        let run = api.field(ANN, RUN, json!({ "id": id })).await;
        assert_eq!(run["runId"], json!(id));
    }
}

#[tokio::test]
async fn runs_can_be_kept_for_less_than_the_time_to_start_them() {
    let api = Api::keeping(Pipeline::External, Some(3_600)).await;
    let id = api.complete(ANN, GRAPH).await;
    api.pass(3_600);
    gone(&api, ANN, &id).await;
}

#[tokio::test]
async fn runs_are_kept_as_long_as_configured_after_their_start() {
    let week = 7 * 86_400;
    let api = Api::keeping(Pipeline::External, Some(week)).await;
    let never = api.uploaded(ANN, "HCL", "a").await;
    let complete = api.complete(ANN, GRAPH).await;
    let run = api.field(ANN, RUN, json!({ "id": complete })).await;
    assert_eq!(run["expiresAt"], "2026-03-01T19:12:11.000Z");
    // The first look finds that it was started, and notes when to look again.
    api.pass(86_400);
    gone(&api, ANN, &never).await;
    let processing = api.processing(ANN).await;
    let run = api.field(ANN, RUN, json!({ "id": complete })).await;
    assert_eq!(run["status"], "COMPLETE");
    api.pass(week - 86_400);
    gone(&api, ANN, &complete).await;
    assert!(
        !api.field(ANN, RUN, json!({ "id": processing }))
            .await
            .is_null()
    );
    // One that no worker takes ends with its time, and is not offered to workers any more.
    api.pass(86_400);
    gone(&api, ANN, &processing).await;
    let work = "query { workList { edges { node { runId } } } }";
    assert_eq!(api.field(WORKER, work, json!({})).await["edges"], json!([]));
}

#[tokio::test]
async fn a_run_that_is_deleted_while_it_is_processed_leaves_nothing() {
    let api = Api::start_with(Pipeline::InProcess).await;
    let resource = |n| format!("resource \"aws_lb\" \"r{n}\" {{}}\n");
    let file: String = (0..1_000).map(resource).collect();
    let id = api.uploaded(ANN, "HCL", &file).await;
    api.change(ANN, "startRun", json!({}), &id).await;
    // Its worker is writing by now, or about to.
    tokio::time::sleep(Duration::from_millis(100)).await;
    delete(&api, ANN, &id).await;
    let later = api.uploaded(ANN, "HCL", &file).await;
    api.change(ANN, "startRun", json!({}), &later).await;
    let ended = async {
        while api.field(ANN, RUN, json!({ "id": later })).await["status"] == "PROCESSING" {}
    };
    tokio::time::timeout(PATIENCE, ended)
        .await
        .expect("it ends");
    gone(&api, ANN, &id).await;
}

#[tokio::test]
async fn no_folder_of_a_deleted_run_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let server = Program::serve(&["--data", data, "--service", "graph-runs"], &[]);
    let (id, upload) = server.create(json!({})).await;
    assert_eq!(server.put(&upload, "locals {}").await.status(), 200);
    server.mutate("deleteRun", json!({ "runId": id })).await;
    let files = folder.path().join("artifacts/files");
    assert_eq!(std::fs::read_dir(files).unwrap().count(), 0);
}
