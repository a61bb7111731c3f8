//! Who may do what: every rule is a row.

use serde_json::{Value, json};

use crate::graph_runs::server::{ANN, Api, BOB, WORKER};

const GRAPH: &str = r#"{"nodes":[{"id":"a"}],"edges":[]}"#;
const READER: &str = "ann read";
const READING_WORKER: &str = "pipeline read graph-runs-worker";
const OTHER_ROLE: &str = "bob write admin";

/// What came of a request: its field was there, empty, refused to the person, or refused as such.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    Done,
    Empty,
    NotFound,
    Conflict,
    Forbidden,
}

fn outcome(body: &Value) -> Outcome {
    if let Some(error) = body["errors"].get(0) {
        assert_eq!(error["extensions"]["code"], "FORBIDDEN", "{body:#}");
        return Outcome::Forbidden;
    }
    let field = body["data"].as_object().unwrap().values().next().unwrap();
    match field["userErrors"][0]["code"].as_str() {
        Some("NOT_FOUND") => Outcome::NotFound,
        Some("CONFLICT") => Outcome::Conflict,
        Some(other) => panic!("{other}"),
        None if field.is_null() => Outcome::Empty,
        None => Outcome::Done,
    }
}

async fn request(api: &Api, viewer: &str, what: &str, run: &str) -> Value {
    let mutation = |name: &str| {
        let kind = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
        format!("mutation($input: {kind}!) {{ {name}(input: $input) {{ userErrors {{ code }} }} }}")
    };
    let input = json!({ "input": { "runId": run } });
    let (query, variables) = match what {
        "run" => ("query($id: String!) { run(runId: $id) { runId } }".to_owned(), json!({ "id": run })),
        "node" => {
            let query = "query($id: String!) { run(runId: $id) { id } }";
            let node = api.field(ANN, query, json!({ "id": run })).await["id"].clone();
            ("query($id: ID!) { node(id: $id) { id } }".to_owned(), json!({ "id": node }))
        }
        "runDifference" => (
            "query($id: String!) { runDifference(fromRunId: $id, toRunId: $id) { added { nodes } } }".to_owned(),
            json!({ "id": run }),
        ),
        "failRun" => (mutation(what), json!({ "input": { "runId": run, "reason": "r" } })),
        name => (mutation(name), input),
    };
    api.run(viewer, &query, variables).await.body
}

#[tokio::test]
async fn every_rule() {
    use Outcome::{Conflict, Done, Empty, Forbidden, NotFound};
    let api = Api::start().await;
    for (viewer, state, what, expected) in [
        // Reading.
        (ANN, "COMPLETE", "run", Done),
        (READER, "COMPLETE", "run", Done),
        (BOB, "COMPLETE", "run", Empty),
        (OTHER_ROLE, "COMPLETE", "run", Empty),
        (WORKER, "COMPLETE", "run", Done),
        (READING_WORKER, "COMPLETE", "run", Done),
        (ANN, "COMPLETE", "node", Done),
        (BOB, "COMPLETE", "node", Empty),
        (ANN, "COMPLETE", "runDifference", Done),
        (BOB, "COMPLETE", "runDifference", Empty),
        (WORKER, "COMPLETE", "runDifference", Done),
        // Starting.
        (ANN, "UPLOADED", "startRun", Done),
        (READER, "UPLOADED", "startRun", Forbidden),
        (BOB, "UPLOADED", "startRun", NotFound),
        (WORKER, "UPLOADED", "startRun", Done),
        (READING_WORKER, "UPLOADED", "startRun", Forbidden),
        // Completing.
        (ANN, "HANDED IN", "completeRun", Forbidden),
        (BOB, "HANDED IN", "completeRun", Forbidden),
        (OTHER_ROLE, "HANDED IN", "completeRun", Forbidden),
        (READING_WORKER, "HANDED IN", "completeRun", Forbidden),
        (WORKER, "HANDED IN", "completeRun", Done),
        // Failing: the owner only what no worker is at.
        (ANN, "UPLOADED", "failRun", Done),
        (ANN, "HANDED IN", "failRun", Conflict),
        (ANN, "STUCK", "failRun", Done),
        (READER, "UPLOADED", "failRun", Forbidden),
        (BOB, "STUCK", "failRun", NotFound),
        (WORKER, "HANDED IN", "failRun", Done),
        // Retrying.
        (ANN, "STUCK", "retryRun", Done),
        (BOB, "STUCK", "retryRun", NotFound),
        (READER, "STUCK", "retryRun", Forbidden),
        (WORKER, "STUCK", "retryRun", Done),
        (WORKER, "HANDED IN", "retryRun", Conflict),
    ] {
        let run = match state {
            "UPLOADED" => api.uploaded(ANN, "HCL", "").await,
            "COMPLETE" => api.complete(ANN, GRAPH).await,
            _ => {
                let run = api.processing(ANN).await;
                api.hand_in(&run, GRAPH).await;
                api.pass(if state == "STUCK" { 61 } else { 0 });
                run
            }
        };
        let body = request(&api, viewer, what, &run).await;
        assert_eq!(outcome(&body), expected, "{viewer}: {what} of {state}");
    }
}

#[tokio::test]
async fn lists_and_latest_and_figures_are_the_viewers_own() {
    let api = Api::start().await;
    let mine = api.complete(ANN, GRAPH).await;
    api.pass(1);
    api.complete(BOB, GRAPH).await;
    let query = "query { runs { edges { node { runId } } } latestRun { runId } runFigures { points { runId } } }";
    let data = api.run(ANN, query, json!({})).await.data();
    assert_eq!(
        data["runs"]["edges"],
        json!([{ "node": { "runId": mine } }])
    );
    assert_eq!(data["latestRun"]["runId"], json!(mine));
    assert_eq!(data["runFigures"]["points"], json!([{ "runId": mine }]));
    let none = api.run(WORKER, query, json!({})).await.data();
    assert_eq!(
        (&none["runs"]["edges"], &none["latestRun"]),
        (&json!([]), &json!(null))
    );
}

#[tokio::test]
async fn only_a_worker_of_a_run_that_is_processed_sees_where_to_put_its_graph() {
    let api = Api::start().await;
    let query = "query($id: String!) { run(runId: $id) { workerUploads { graph { url } report { url } } } }";
    let run = api.processing(ANN).await;
    let uploads = async |viewer: &str, run: &str| {
        let found = api.field(viewer, query, json!({ "id": run })).await;
        found["workerUploads"].is_object()
    };
    assert!(uploads(WORKER, &run).await);
    assert!(!uploads(ANN, &run).await);
    let done = api.complete(ANN, GRAPH).await;
    assert!(!uploads(WORKER, &done).await);
}

#[tokio::test]
async fn nobody_is_refused_before_anything_runs() {
    let api = Api::start().await;
    assert_eq!(
        api.run("", "query { latestRun { runId } }", json!({}))
            .await
            .code(),
        "UNAUTHENTICATED"
    );
}
