//! A run's life: every move from every state, repeated, late and out of order.

use serde_json::{Value, json};

use crate::graph_runs::server::{ANN, Api, RUN, WORKER};

const GRAPH: &str = r#"{"nodes":[{"id":"a"}],"edges":[]}"#;

/// Which user error a mutation was refused with, and the message.
fn refusal(payload: &Value) -> (String, String) {
    assert_eq!(payload["run"], json!(null), "{payload:#}");
    let error = &payload["userErrors"][0];
    let text = |name: &str| error[name].as_str().unwrap().to_owned();
    (text("code"), text("message"))
}

fn status(payload: &Value) -> &str {
    assert_eq!(payload["userErrors"], json!([]), "{payload:#}");
    payload["run"]["status"].as_str().unwrap()
}

async fn at(api: &Api, state: &str) -> String {
    match state {
        "UPLOADED" => api.uploaded(ANN, "HCL", "").await,
        "PROCESSING" => {
            let id = api.processing(ANN).await;
            api.hand_in(&id, GRAPH).await;
            id
        }
        "COMPLETE" => api.complete(ANN, GRAPH).await,
        "FAILED" => {
            let id = api.processing(ANN).await;
            api.change(WORKER, "failRun", json!({ "reason": "first" }), &id)
                .await;
            id
        }
        "FAILED EARLY" => {
            let id = api.uploaded(ANN, "HCL", "").await;
            api.change(WORKER, "failRun", json!({ "reason": "first" }), &id)
                .await;
            id
        }
        "STUCK" => {
            let id = api.processing(ANN).await;
            api.hand_in(&id, GRAPH).await;
            api.pass(61);
            id
        }
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn every_move_from_every_state() {
    let api = Api::start().await;
    for (from, name, expected) in [
        ("UPLOADED", "startRun", Ok("PROCESSING")),
        ("PROCESSING", "startRun", Err("Another worker has the run")),
        ("STUCK", "startRun", Ok("PROCESSING")),
        ("COMPLETE", "startRun", Ok("COMPLETE")),
        ("FAILED", "startRun", Ok("FAILED")),
        ("FAILED EARLY", "startRun", Err("is FAILED and stays so")),
        (
            "UPLOADED",
            "completeRun",
            Err("is UPLOADED: start it first"),
        ),
        ("PROCESSING", "completeRun", Ok("COMPLETE")),
        ("STUCK", "completeRun", Ok("COMPLETE")),
        ("COMPLETE", "completeRun", Ok("COMPLETE")),
        ("FAILED", "completeRun", Err("is FAILED and stays so")),
        ("UPLOADED", "failRun", Ok("FAILED")),
        ("PROCESSING", "failRun", Ok("FAILED")),
        ("STUCK", "failRun", Ok("FAILED")),
        ("COMPLETE", "failRun", Err("is COMPLETE and stays so")),
        ("FAILED", "failRun", Ok("FAILED")),
        ("UPLOADED", "retryRun", Err("is UPLOADED: start it first")),
        ("PROCESSING", "retryRun", Err("not stuck yet")),
        ("STUCK", "retryRun", Ok("PROCESSING")),
        ("COMPLETE", "retryRun", Err("is COMPLETE and stays so")),
        ("FAILED", "retryRun", Err("is FAILED and stays so")),
    ] {
        let id = at(&api, from).await;
        let input = match name {
            "failRun" => json!({ "reason": "second" }),
            _ => json!({}),
        };
        let payload = api.change(WORKER, name, input, &id).await;
        match expected {
            Ok(to) => assert_eq!(status(&payload), to, "{name} from {from}"),
            Err(reason) => {
                let (code, message) = refusal(&payload);
                assert_eq!(code, "CONFLICT", "{name} from {from}");
                assert!(message.contains(reason), "{name} from {from}: {message}");
            }
        }
        if (from, name) == ("FAILED", "failRun") {
            assert_eq!(payload["run"]["failureReason"], "first");
        }
    }
}

#[tokio::test]
async fn a_repeated_callback_writes_nothing() {
    let api = Api::start().await;
    let id = at(&api, "COMPLETE").await;
    let query = format!("query($id: String!) {{ run(runId: $id) {{ {RUN} }} }}");
    let before = api.field(ANN, &query, json!({ "id": id })).await;
    api.pass(30);
    let mutation = "mutation($input: CompleteRunInput!) { completeRun(input: $input) { run { status } userErrors { message } } }";
    let input = json!({ "runId": id, "nodeCount": 1, "graphHash": before["graphHash"] });
    let again = api.run(WORKER, mutation, json!({ "input": input })).await;
    assert_eq!(again.data()["completeRun"]["run"]["status"], "COMPLETE");
    assert_eq!((again.cost().reads, again.cost().writes), (1, 0));
    let start = "mutation($input: StartRunInput!) { startRun(input: $input) { run { status } userErrors { message } } }";
    let late = api
        .run(WORKER, start, json!({ "input": { "runId": id } }))
        .await;
    assert_eq!(late.data()["startRun"]["run"]["status"], "COMPLETE");
    assert_eq!((late.cost().reads, late.cost().writes), (1, 0));
    assert_eq!(api.field(ANN, &query, json!({ "id": id })).await, before);
}

#[tokio::test]
async fn each_callback_is_one_read_and_one_write() {
    let api = Api::start().await;
    let id = api.uploaded(ANN, "HCL", "").await;
    let run = async |name: &str, input: Value| {
        let kind = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
        let query = format!(
            "mutation($input: {kind}!) {{ {name}(input: $input) {{ run {{ status }} userErrors {{ message }} }} }}"
        );
        let answer = api.run(WORKER, &query, json!({ "input": input })).await;
        assert_eq!(answer.data()[name]["userErrors"], json!([]), "{name}");
        (answer.cost().reads, answer.cost().writes)
    };
    assert_eq!(run("startRun", json!({ "runId": id })).await, (1, 1));
    api.pass(61);
    assert_eq!(run("retryRun", json!({ "runId": id })).await, (1, 1));
    api.hand_in(&id, GRAPH).await;
    assert_eq!(run("completeRun", json!({ "runId": id })).await, (1, 1));
    let other = api.uploaded(ANN, "HCL", "").await;
    assert_eq!(
        run("failRun", json!({ "runId": other, "reason": "r" })).await,
        (1, 1)
    );
}

#[tokio::test]
async fn callbacks_of_an_attempt_that_is_over_change_nothing() {
    let api = Api::start().await;
    let id = at(&api, "STUCK").await;
    let query = format!("query($id: String!) {{ run(runId: $id) {{ {RUN} }} }}");
    let stuck = api.field(ANN, &query, json!({ "id": id })).await;
    assert_eq!(
        (&stuck["isStuck"], &stuck["attempt"]),
        (&json!(true), &json!(1))
    );
    let retried = api.change(ANN, "retryRun", json!({}), &id).await;
    assert_eq!(status(&retried), "PROCESSING");
    let run = &retried["run"];
    assert_eq!(
        (&run["isStuck"], &run["attempt"]),
        (&json!(false), &json!(2))
    );
    for (name, input) in [
        ("completeRun", json!({ "attempt": 1 })),
        ("failRun", json!({ "attempt": 1, "reason": "late" })),
    ] {
        let late = api.change(WORKER, name, input, &id).await;
        assert_eq!(refusal(&late).0, "CONFLICT");
        assert_eq!(late["userErrors"][0]["field"], json!(["attempt"]));
        assert_eq!(late["userErrors"][0]["currentVersion"], 2);
    }
    // What the first attempt handed in is not the second's.
    let early = api
        .change(WORKER, "completeRun", json!({ "attempt": 2 }), &id)
        .await;
    assert!(refusal(&early).1.contains("No graph is uploaded"));
    api.hand_in(&id, GRAPH).await;
    let done = api
        .change(WORKER, "completeRun", json!({ "attempt": 2 }), &id)
        .await;
    assert_eq!(status(&done), "COMPLETE");
}

#[tokio::test]
async fn many_callbacks_at_once_make_each_move_once() {
    let api = Api::start().await;
    let id = api.uploaded(ANN, "HCL", "").await;
    let start = |place: usize| {
        let input = json!({ "workerId": format!("w{}", place % 4) });
        api.change(WORKER, "startRun", input, &id)
    };
    let started = futures_util::future::join_all((0..8).map(start)).await;
    let (won, lost): (Vec<_>, Vec<_>) = started
        .iter()
        .partition(|payload| payload["userErrors"] == json!([]));
    // One worker has it, and repeats its request; the others are refused.
    assert_eq!((won.len(), lost.len()), (2, 6), "{started:#?}");
    for payload in &won {
        assert_eq!(status(payload), "PROCESSING");
        assert_eq!(payload["run"]["attempt"], 1);
    }
    for payload in &lost {
        assert_eq!(refusal(payload).0, "CONFLICT");
    }
    api.hand_in(&id, GRAPH).await;
    let end = |place: usize| {
        let (name, input) = match place % 2 {
            0 => ("completeRun", json!({})),
            _ => ("failRun", json!({ "reason": "r" })),
        };
        api.change(WORKER, name, input, &id)
    };
    let ended = futures_util::future::join_all((0..8).map(end)).await;
    let query = format!("query($id: String!) {{ run(runId: $id) {{ {RUN} }} }}");
    let run = api.field(ANN, &query, json!({ "id": id })).await;
    let end = run["status"].as_str().unwrap();
    assert!(matches!(end, "COMPLETE" | "FAILED"), "{end}");
    let won = ended
        .iter()
        .filter(|payload| payload["run"]["status"] == end)
        .count();
    let lost = ended
        .iter()
        .filter(|payload| payload["run"] == json!(null))
        .count();
    assert!(won >= 1 && won + lost == 8, "{ended:#?}");
}

#[tokio::test]
async fn nothing_starts_before_its_file_is_there() {
    let api = Api::start().await;
    let input = json!({ "environment": "DEV", "iacFormat": "HCL" });
    let (id, _) = api.create(ANN, input).await;
    let early = api.change(ANN, "startRun", json!({}), &id).await;
    assert_eq!(refusal(&early).0, "INVALID");
    let unknown = api.change(ANN, "startRun", json!({}), "nobody").await;
    assert_eq!(refusal(&unknown).0, "NOT_FOUND");
}
