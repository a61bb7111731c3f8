//! Completing runs: what is verified, what is refused; comparing graphs; figures over time.

use serde_json::{Value, json};

use crate::graph_runs::server::{ANN, Api, WORKER, hash};

const GRAPH: &str = r#"{
  "nodes": [{"id": "lb", "internetExposed": true}, {"id": "app"}, {"id": "db", "datastore": true}],
  "edges": [{"to": "app", "from": "lb", "kind": "reference"}, {"from": "app", "to": "db", "kind": "reference"}]
}"#;

#[tokio::test]
async fn a_complete_run_has_the_figures_and_the_hash_of_its_graph() {
    let api = Api::start().await;
    let run = api.processing(ANN).await;
    let claims = json!({ "nodeCount": -1, "datastoreCount": -7 });
    let payload = api.change(WORKER, "completeRun", claims, &run).await;
    let errors = payload["userErrors"].as_array().unwrap();
    let fields: Vec<_> = errors.iter().map(|error| &error["field"][0]).collect();
    assert_eq!(fields, ["nodeCount", "datastoreCount"]);
    api.hand_in(&run, GRAPH).await;
    let claims = json!({
        "attempt": 1, "graphHash": hash(GRAPH), "nodeCount": 3, "edgeCount": 2,
        "internetExposedCount": 1, "datastoreCount": 1,
    });
    let done = api.change(WORKER, "completeRun", claims, &run).await;
    assert_eq!(done["userErrors"], json!([]));
    let summary =
        json!({ "nodeCount": 3, "edgeCount": 2, "internetExposedCount": 1, "datastoreCount": 1 });
    assert_eq!(done["run"]["summary"], summary);
    assert_eq!(done["run"]["graphHash"], hash(GRAPH));
    let query =
        "query($id: String!) { run(runId: $id) { graphDownload { url } reportDownload { url } } }";
    let found = api.field(ANN, query, json!({ "id": run })).await;
    let url = found["graphDownload"]["url"].as_str().unwrap();
    assert_eq!(
        api.http
            .get(url)
            .send()
            .await
            .unwrap()
            .text()
            .await
            .unwrap(),
        GRAPH
    );
    assert_eq!(found["reportDownload"], json!(null));
}

#[tokio::test]
async fn claims_that_are_not_true_are_refused_by_their_fields() {
    let api = Api::start().await;
    let run = api.processing(ANN).await;
    api.hand_in(&run, GRAPH).await;
    let other = format!("sha256:{}", "0".repeat(64));
    let wrong = json!({
        "graphHash": other, "nodeCount": 4, "edgeCount": 1, "internetExposedCount": 0, "datastoreCount": 2,
    });
    let refused = async |claims: Value| {
        let payload = api.change(WORKER, "completeRun", claims, &run).await;
        let errors = payload["userErrors"].as_array().unwrap().clone();
        errors
            .into_iter()
            .map(|error| (error["field"][0].clone(), error["message"].clone()))
            .collect::<Vec<_>>()
    };
    let expected = [
        ("nodeCount", "4", "3"),
        ("edgeCount", "1", "2"),
        ("internetExposedCount", "0", "1"),
        ("datastoreCount", "2", "1"),
        ("graphHash", other.as_str(), &hash(GRAPH)),
    ];
    let expected: Vec<_> = expected
        .into_iter()
        .map(|(field, claimed, found)| {
            let message =
                format!("`{field}` must match the stored graph: it is {found}, not {claimed}.");
            (json!(field), json!(message))
        })
        .collect();
    assert_eq!(refused(wrong.clone()).await, expected);
    // Refused, it can still be completed; complete, other figures are refused just so.
    let done = api
        .change(WORKER, "completeRun", json!({ "nodeCount": 3 }), &run)
        .await;
    assert_eq!(done["run"]["status"], "COMPLETE");
    assert_eq!(refused(wrong).await, expected);
    assert_eq!(
        refused(json!({ "graphHash": "nonsense" })).await[0].0,
        "graphHash"
    );
}

#[tokio::test]
async fn what_is_no_graph_is_refused_and_can_be_handed_in_again() {
    let api = Api::start().await;
    let run = api.processing(ANN).await;
    for (graph, reason) in [
        (
            r#"{"nodes":[{"id":"a"}],"edges":[{"from":"a","to":"b"}]}"#,
            "the node `b`, which is not there",
        ),
        (
            r#"{"nodes":[{"id":"a"},{"id":"a"}],"edges":[]}"#,
            "the node `a` twice",
        ),
        (r#"{"nodes":[{"id":"a"}]"#, "not JSON of its shape"),
        (r#"{"nodes":[{"id":"a"}]}"#, "`edges` once"),
    ] {
        api.hand_in(&run, graph).await;
        let payload = api.change(WORKER, "completeRun", json!({}), &run).await;
        let message = payload["userErrors"][0]["message"].as_str().unwrap();
        assert!(message.contains(reason), "{graph}: {message}");
        assert_eq!(payload["userErrors"][0]["code"], "INVALID");
    }
    api.hand_in(&run, GRAPH).await;
    let done = api.change(WORKER, "completeRun", json!({}), &run).await;
    assert_eq!(done["run"]["status"], "COMPLETE");
}

#[tokio::test]
async fn the_graph_of_a_complete_run_never_changes() {
    let api = Api::start().await;
    let run = api.processing(ANN).await;
    let query = "query($id: String!) { run(runId: $id) { graphHash workerUploads { graph { url headers { name value } } } graphDownload { url } } }";
    let uploads =
        api.field(WORKER, query, json!({ "id": run })).await["workerUploads"]["graph"].clone();
    api.put(&uploads, GRAPH.into()).await;
    api.change(WORKER, "completeRun", json!({}), &run).await;
    // The worker's URL is still good, and leads nowhere that anyone reads.
    let other = r#"{"nodes":[],"edges":[]}"#;
    assert_eq!(api.put(&uploads, other.into()).await.status(), 200);
    let late = api.change(WORKER, "completeRun", json!({}), &run).await;
    assert_eq!(late["run"]["graphHash"], hash(GRAPH));
    let found = api.field(ANN, query, json!({ "id": run })).await;
    let url = found["graphDownload"]["url"].as_str().unwrap();
    assert_eq!(
        api.http
            .get(url)
            .send()
            .await
            .unwrap()
            .text()
            .await
            .unwrap(),
        GRAPH
    );
}

const DIFFERENCE: &str = "query($from: String!, $to: String!, $first: Int, $after: String, $last: Int, $before: String) {
  runDifference(fromRunId: $from, toRunId: $to) {
    added { nodes edges } removed { nodes edges } changed { nodes edges }
    changes(first: $first, after: $after, last: $last, before: $before) {
      totalCount
      edges { cursor node { kind nodeId edge { from to kind } } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
}";

#[tokio::test]
async fn two_graphs_are_compared() {
    let api = Api::start().await;
    let before = api.complete(ANN, GRAPH).await;
    let after = r#"{
      "nodes": [{"id": "db", "datastore": true, "note": "new"}, {"internetExposed": true, "id": "lb"}, {"id": "web"}],
      "edges": [{"from": "lb", "to": "web", "kind": "reference"}, {"from": "web", "to": "db", "kind": "reference"}]
    }"#;
    let after = api.complete(ANN, after).await;
    let variables = json!({ "from": before, "to": after });
    let answer = api.run(ANN, DIFFERENCE, variables.clone()).await;
    // Each run by its id; the graphs are in the object store.
    assert_eq!((answer.cost().reads, answer.cost().writes), (2, 0));
    let found = answer.data()["runDifference"].clone();
    let counts = |nodes: u64, edges: u64| json!({ "nodes": nodes, "edges": edges });
    assert_eq!(found["added"], counts(1, 2));
    assert_eq!(found["removed"], counts(1, 2));
    assert_eq!(found["changed"], counts(1, 0));
    let node = |kind: &str, id: &str| json!({ "kind": kind, "nodeId": id, "edge": null });
    let edge = |kind: &str, from: &str, to: &str| json!({ "kind": kind, "nodeId": null, "edge": { "from": from, "to": to, "kind": "reference" } });
    let expected = [
        node("REMOVED", "app"),
        node("CHANGED", "db"),
        node("ADDED", "web"),
        edge("REMOVED", "app", "db"),
        edge("REMOVED", "lb", "app"),
        edge("ADDED", "lb", "web"),
        edge("ADDED", "web", "db"),
    ];
    let nodes = |page: &Value| {
        let edges = page["changes"]["edges"].as_array().unwrap();
        edges
            .iter()
            .map(|edge| edge["node"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(nodes(&found), expected);
    assert_eq!(found["changes"]["totalCount"], 7);

    let page = async |more: Value| {
        let mut variables = variables.clone();
        variables
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        api.field(ANN, DIFFERENCE, variables).await
    };
    let first = page(json!({ "first": 3 })).await;
    assert_eq!(nodes(&first), expected[..3]);
    let next =
        page(json!({ "first": 4, "after": first["changes"]["pageInfo"]["endCursor"] })).await;
    assert_eq!(nodes(&next), expected[3..]);
    assert_eq!(next["changes"]["pageInfo"]["hasNextPage"], false);
    let back =
        page(json!({ "last": 2, "before": next["changes"]["pageInfo"]["startCursor"] })).await;
    assert_eq!(nodes(&back), expected[1..3]);
    assert_eq!(back["changes"]["pageInfo"]["hasPreviousPage"], true);

    let same = api
        .field(ANN, DIFFERENCE, json!({ "from": before, "to": before }))
        .await;
    assert_eq!(nodes(&same), Vec::<Value>::new());
    let unfinished = api.processing(ANN).await;
    let answer = api
        .run(ANN, DIFFERENCE, json!({ "from": before, "to": unfinished }))
        .await;
    assert_eq!(answer.code(), "BAD_USER_INPUT");
}

#[tokio::test]
async fn figures_over_time_are_one_call() {
    let api = Api::start().await;
    let first = api.complete(ANN, r#"{"nodes":[],"edges":[]}"#).await;
    api.pass(10);
    api.processing(ANN).await;
    let second = api.complete(ANN, GRAPH).await;
    let query = "query($from: DateTime, $env: Environment) { runFigures(createdFrom: $from, environment: $env) { truncated points { runId createdAt environment summary { nodeCount internetExposedCount } } } }";
    let answer = api.run(ANN, query, json!({})).await;
    assert_eq!((answer.cost().reads, answer.cost().writes), (1, 0));
    let point = |run: &str, at: &str, nodes: u64, exposed: u64| json!({ "runId": run, "createdAt": at, "environment": "DEV", "summary": { "nodeCount": nodes, "internetExposedCount": exposed } });
    let expected = [
        point(&first, "2026-02-22T19:12:11.000Z", 0, 0),
        point(&second, "2026-02-22T19:12:21.000Z", 3, 1),
    ];
    assert_eq!(
        answer.data()["runFigures"],
        json!({ "truncated": false, "points": expected })
    );
    let later = api
        .field(ANN, query, json!({ "from": "2026-02-22T19:12:12Z" }))
        .await;
    assert_eq!(later["points"], json!([expected[1]]));
    let prod = api.field(ANN, query, json!({ "env": "PROD" })).await;
    assert_eq!(prod["points"], json!([]));
}
