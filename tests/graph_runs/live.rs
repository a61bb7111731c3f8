//! Changes of runs as they happen, the work list, and the metrics of what waits.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::graph_runs::program::Program;
use crate::graph_runs::server::{ANN, Api, BOB, WORKER};

/// A bound on what has to come, so that a test which fails ends.
const PATIENCE: Duration = Duration::from_secs(60);
const GRAPH: &str = r#"{"nodes":[{"id":"a"}],"edges":[]}"#;

/// Someone who watches runs.
struct Watcher {
    events: reqwest::Response,
    read: String,
}

impl Watcher {
    /// Watches from now on: what is made until then comes too late or not at all.
    async fn start(api: &Api, viewer: &str, query: &str) -> Self {
        let events = api.events(viewer, query).await;
        assert_eq!(events.status(), 200);
        let read = String::new();
        Self { events, read }
    }

    /// The next event: what happened, and to which run.
    async fn next(&mut self) -> (String, String) {
        loop {
            if let Some((event, rest)) = self.read.split_once("\n\n") {
                let data = event.lines().find_map(|line| line.strip_prefix("data:"));
                let data: Option<Value> =
                    data.and_then(|data| serde_json::from_str(data.trim()).ok());
                self.read = rest.to_owned();
                let change = data.map(|data| data["data"]["runChanged"].clone());
                if let Some(change) = change.filter(|change| !change.is_null()) {
                    let text = |value: &Value| value.as_str().expect("text").to_owned();
                    let run = &change["run"];
                    let what = format!("{} {}", text(&change["kind"]), text(&run["status"]));
                    return (what, text(&run["runId"]));
                }
                continue;
            }
            let chunk = timeout(PATIENCE, self.events.chunk()).await;
            let chunk = chunk.expect("an event in time").expect("the connection");
            let chunk = chunk.expect("an event");
            self.read
                .push_str(std::str::from_utf8(&chunk).expect("text"));
        }
    }

    /// Waits until it listens, by making runs of `viewer` until one is seen.
    async fn listens(&mut self, api: &Api, viewer: &str) {
        let (input, mut made) = (
            json!({ "environment": "DEV", "iacFormat": "HCL" }),
            Vec::new(),
        );
        loop {
            made.push(api.create(viewer, input.clone()).await.0);
            let seen = timeout(Duration::from_millis(200), self.next()).await;
            let Ok((_, mut last)) = seen else { continue };
            while Some(&last) != made.last() {
                last = self.next().await.1;
            }
            return;
        }
    }
}

const WATCH: &str = "subscription { runChanged { kind run { runId status } } }";

#[tokio::test]
async fn each_move_of_a_run_reaches_its_owner_and_workers_and_nobody_else() {
    let api = Api::start().await;
    let mut ann = Watcher::start(&api, ANN, WATCH).await;
    ann.listens(&api, ANN).await;
    let mut worker = Watcher::start(&api, WORKER, WATCH).await;
    worker.listens(&api, BOB).await;
    let mut bob = Watcher::start(&api, BOB, WATCH).await;
    bob.listens(&api, BOB).await;
    while worker.read.contains("\n\n") {
        worker.next().await;
    }
    let id = api.complete(ANN, GRAPH).await;
    // A repeated callback changes nothing, so that nothing is announced.
    api.change(WORKER, "completeRun", json!({}), &id).await;
    let delete = "mutation($id: String!) { deleteRun(input: { runId: $id }) { run { runId } } }";
    api.field(ANN, delete, json!({ "id": id })).await;
    for what in [
        "CREATED UPLOADED",
        "CHANGED PROCESSING",
        "CHANGED COMPLETE",
        "DELETED COMPLETE",
    ] {
        assert_eq!(ann.next().await, (what.to_owned(), id.clone()));
    }
    // The worker may still have some of Bob's from the beginning.
    let mut seen = Vec::new();
    while seen.last().map(String::as_str) != Some("DELETED COMPLETE") {
        let (what, run) = worker.next().await;
        seen.extend((run == id).then_some(what));
    }
    assert_eq!(seen.len(), 4);
    // What Bob sees next is his own.
    let (own, _) = api
        .create(BOB, json!({ "environment": "DEV", "iacFormat": "HCL" }))
        .await;
    assert_eq!(bob.next().await, ("CREATED UPLOADED".to_owned(), own));
}

#[tokio::test]
async fn one_run_can_be_watched_alone() {
    let api = Api::start().await;
    let id = api.processing(ANN).await;
    let query =
        format!("subscription {{ runChanged(runId: \"{id}\") {{ kind run {{ runId status }} }} }}");
    let mut watcher = Watcher::start(&api, ANN, &query).await;
    let retry = async || {
        api.pass(61);
        let retried = api.change(ANN, "retryRun", json!({}), &id).await;
        assert_eq!(retried["userErrors"], json!([]));
    };
    // Retried until the first event shows that it listens.
    loop {
        retry().await;
        let seen = timeout(Duration::from_millis(200), watcher.next()).await;
        if seen.is_ok() {
            break;
        }
    }
    let other = api.processing(ANN).await;
    api.change(WORKER, "failRun", json!({ "reason": "r" }), &other)
        .await;
    api.change(WORKER, "failRun", json!({ "reason": "r" }), &id)
        .await;
    loop {
        let (what, run) = watcher.next().await;
        assert_eq!(run, id);
        if what == "CHANGED FAILED" {
            break;
        }
    }
}

#[tokio::test]
async fn workers_find_what_waits_and_who_has_it() {
    let api = Api::start().await;
    let start = async |viewer: &str, id: &str, input: Value| {
        let started = api.change(viewer, "startRun", input, id).await;
        assert_eq!(started["userErrors"], json!([]), "{started:#}");
    };
    let taken = api.uploaded(ANN, "HCL", "").await;
    start(WORKER, &taken, json!({ "workerId": "w1" })).await;
    api.pass(1);
    let waiting = api.uploaded(BOB, "HCL", "").await;
    start(BOB, &waiting, json!({})).await;
    let query = "query { workList(first: 10) { edges { node { runId attempt queuedAt tries leasedUntil isFree } } pageInfo { hasNextPage } } }";
    let list = api.field(WORKER, query, json!({})).await;
    let node = |id: &str, at: &str, until: Value, is_free: bool| json!({ "node": { "runId": id, "attempt": 1, "queuedAt": at, "tries": 0, "leasedUntil": until, "isFree": is_free } });
    let expected = json!([
        node(
            &taken,
            "2026-02-22T19:12:11.000Z",
            json!("2026-02-22T19:13:11.000Z"),
            false
        ),
        node(&waiting, "2026-02-22T19:12:12.000Z", json!(null), true),
    ]);
    assert_eq!(list["edges"], expected);
    // A lease that is over lets others have the run.
    api.pass(61);
    let list = api.field(WORKER, query, json!({})).await;
    assert_eq!(list["edges"][0]["node"]["isFree"], true);
    start(WORKER, &waiting, json!({ "workerId": "w2" })).await;
    let list = api.field(WORKER, query, json!({})).await;
    assert_eq!(list["edges"][1]["node"]["isFree"], false);
    let refused = api.run(ANN, query, json!({})).await;
    assert_eq!(refused.body["errors"][0]["extensions"]["code"], "FORBIDDEN");
}

#[tokio::test]
async fn what_waits_and_what_ends_is_in_the_metrics() {
    let flags = [
        "--memory",
        "--service",
        "graph-runs",
        "--graph-runs-expire-every",
        "1s",
    ];
    let server = Program::serve(
        &[&flags[..], &["--graph-runs-pipeline", "external"]].concat(),
        &[],
    );
    let graphql = "/graphql";
    let create = "mutation { createRun(input: { environment: DEV, iacFormat: HCL }) { run { runId } upload { url headers { name value } } } }";
    let mut ids = Vec::new();
    for _ in 0..3 {
        let created = server.field(graphql, create, json!({})).await;
        server.put(&created["upload"], "").await;
        ids.push(created["run"]["runId"].clone());
    }
    for id in &ids[..2] {
        let start = "mutation($id: String!) { startRun(input: { runId: $id }) { run { status } } }";
        server.field(graphql, start, json!({ "id": id })).await;
    }
    let fail = "mutation($id: String!) { failRun(input: { runId: $id, reason: \"r\" }) { run { status } } }";
    server.field(graphql, fail, json!({ "id": ids[2] })).await;
    let expected = [
        "trestle_work_queued{service=\"graph-runs\"} 0",
        "trestle_work_running{service=\"graph-runs\"} 2",
        "trestle_work_duration_seconds_count{service=\"graph-runs\",outcome=\"FAILED\"} 1",
    ];
    let shown = async {
        loop {
            let page = server
                .http
                .get(format!("{}/metrics", server.origin))
                .send()
                .await
                .unwrap();
            let page = page.text().await.unwrap();
            if expected
                .iter()
                .all(|line| page.lines().any(|found| found == *line))
            {
                return;
            }
        }
    };
    timeout(PATIENCE, shown)
        .await
        .expect("the metrics are shown");
}
