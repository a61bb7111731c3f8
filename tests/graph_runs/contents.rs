//! Nodes, edges and findings of complete runs, page by page.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::graph_runs::server::{ANN, Api, BOB, WORKER};

const GRAPH: &str = r#"{"edges":[
  {"from":"aws_instance.a","to":"aws_s3_bucket.c","kind":"reference"},
  {"from":"aws_instance.b","to":"aws_s3_bucket.c","kind":"reference"},
  {"from":"aws_instance.b","to":"aws_instance.a","kind":"depends_on"}],
 "nodes":[
  {"id":"aws_instance.a","type":"aws_instance","kind":"resource","name":"a","file":"main.tf","line":3,"instances":2,
   "internetExposed":true,"attributes":{"ami":"ami-1"}},
  {"id":"aws_instance.b","type":"aws_instance","kind":"resource","name":"b","unresolved":true},
  {"id":"aws_s3_bucket.c","type":"aws_s3_bucket","datastore":true,"instances":"many"}]}"#;

fn finding(rule: &str, node: &str, severity: &str) -> Value {
    json!({ "rule": rule, "node": node, "severity": severity, "message": "It is open.", "file": "main.tf", "line": 3,
        "remediation": "Close it." })
}

/// A complete run with a graph and a report.
async fn complete(api: &Api, viewer: &str, findings: Value) -> String {
    complete_with(api, viewer, GRAPH, findings).await
}

async fn complete_with(api: &Api, viewer: &str, graph: &str, findings: Value) -> String {
    let id = api.processing(viewer).await;
    let query = "query($id: String!) { run(runId: $id) { workerUploads { graph { url headers { name value } } report { url headers { name value } } } } }";
    let uploads = api.field(WORKER, query, json!({ "id": id })).await["workerUploads"].clone();
    api.put(&uploads["graph"], graph.into()).await;
    let report = json!({ "findings": findings }).to_string();
    api.put(&uploads["report"], report.into_bytes()).await;
    let done = api.change(WORKER, "completeRun", json!({}), &id).await;
    assert_eq!(done["run"]["status"], "COMPLETE", "{done:#}");
    id
}

/// A connection of a run.
async fn list(api: &Api, id: &str, field: &str) -> Value {
    let query = format!("query($id: String!) {{ run(runId: $id) {{ list: {field} }} }}");
    let run = api.field(ANN, &query, json!({ "id": id })).await;
    run["list"].clone()
}

fn names<'l>(list: &'l Value, field: &str) -> Vec<&'l str> {
    let edges = list["edges"].as_array().unwrap().iter();
    edges
        .map(|edge| edge["node"][field].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn nodes_are_listed_with_what_the_graph_says_of_them() {
    let api = Api::start().await;
    let id = complete(&api, ANN, json!([])).await;
    let fields = "edges { node { nodeId kind type name file line instances internetExposed datastore unresolved attributes } } totalCount";
    let all = list(&api, &id, &format!("nodes {{ {fields} }}")).await;
    assert_eq!(all["totalCount"], 3);
    let first = json!({ "nodeId": "aws_instance.a", "kind": "resource", "type": "aws_instance", "name": "a",
        "file": "main.tf", "line": 3, "instances": 2, "internetExposed": true, "datastore": false,
        "unresolved": false, "attributes": "{\"ami\":\"ami-1\"}" });
    assert_eq!(all["edges"][0]["node"], first);
    // Another program's graph may say less, or in another form.
    let last = &all["edges"][2]["node"];
    assert_eq!(
        (&last["kind"], &last["instances"]),
        (&json!(null), &json!(null))
    );
    for (filter, expected) in [
        ("{ internetExposed: true }", vec!["aws_instance.a"]),
        ("{ datastore: true }", vec!["aws_s3_bucket.c"]),
        (
            "{ unresolved: false, types: [\"aws_instance\"] }",
            vec!["aws_instance.a"],
        ),
        (
            "{ idContains: \"instance.\" }",
            vec!["aws_instance.a", "aws_instance.b"],
        ),
        ("{ types: [\"google_storage_bucket\"] }", vec![]),
    ] {
        let found = list(
            &api,
            &id,
            &format!("nodes(filter: {filter}) {{ {fields} }}"),
        )
        .await;
        assert_eq!(names(&found, "nodeId"), expected, "{filter}");
        assert_eq!(found["totalCount"], json!(expected.len()), "{filter}");
    }
}

#[tokio::test]
async fn edges_are_listed_by_their_ends() {
    let api = Api::start().await;
    let id = complete(&api, ANN, json!([])).await;
    for (filter, expected) in [
        (
            "{}",
            vec!["aws_s3_bucket.c", "aws_s3_bucket.c", "aws_instance.a"],
        ),
        (
            "{ from: \"aws_instance.b\" }",
            vec!["aws_s3_bucket.c", "aws_instance.a"],
        ),
        ("{ to: \"aws_instance.a\" }", vec!["aws_instance.a"]),
        (
            "{ kind: \"reference\", from: \"aws_instance.a\" }",
            vec!["aws_s3_bucket.c"],
        ),
    ] {
        let field =
            format!("edges(filter: {filter}) {{ edges {{ node {{ from to kind }} }} totalCount }}");
        let found = list(&api, &id, &field).await;
        assert_eq!(names(&found, "to"), expected, "{filter}");
        assert_eq!(found["totalCount"], json!(expected.len()), "{filter}");
    }
}

#[tokio::test]
async fn pages_join_in_both_directions_and_a_cursor_is_of_its_list() {
    let api = Api::start().await;
    let id = complete(&api, ANN, json!([])).await;
    let page = "{ edges { cursor node { nodeId } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount }";
    let first = list(&api, &id, &format!("nodes(first: 2) {page}")).await;
    assert_eq!(
        names(&first, "nodeId"),
        ["aws_instance.a", "aws_instance.b"]
    );
    assert_eq!(first["pageInfo"]["hasNextPage"], true);
    let end = first["pageInfo"]["endCursor"].as_str().unwrap();
    let second = list(
        &api,
        &id,
        &format!("nodes(first: 2, after: \"{end}\") {page}"),
    )
    .await;
    assert_eq!(names(&second, "nodeId"), ["aws_s3_bucket.c"]);
    assert_eq!(
        (&second["pageInfo"]["hasNextPage"], &second["totalCount"]),
        (&json!(false), &json!(3))
    );
    let start = second["pageInfo"]["startCursor"].as_str().unwrap();
    let back = list(
        &api,
        &id,
        &format!("nodes(last: 1, before: \"{start}\") {page}"),
    )
    .await;
    assert_eq!(names(&back, "nodeId"), ["aws_instance.b"]);
    // Another filter, another list, another run of the same graph.
    let other = complete(&api, ANN, json!([])).await;
    for (id, field) in [
        (
            &id,
            format!("nodes(after: \"{end}\", filter: {{ datastore: true }}) {{ totalCount }}"),
        ),
        (&id, format!("edges(after: \"{end}\") {{ totalCount }}")),
        (&other, format!("nodes(after: \"{end}\") {{ totalCount }}")),
    ] {
        let query = format!("query($id: String!) {{ run(runId: $id) {{ {field} }} }}");
        let answer = api.run(ANN, &query, json!({ "id": id })).await;
        assert_eq!(
            answer.body["errors"][0]["extensions"]["code"], "BAD_USER_INPUT",
            "{field}"
        );
    }
}

#[tokio::test]
async fn findings_are_listed_with_their_places_and_remedies() {
    let api = Api::start().await;
    let findings = json!([
        finding("public-bucket", "aws_s3_bucket.c", "HIGH"),
        finding("open-security-group", "aws_instance.a", "LOW"),
        { "rule": "own-rule", "node": "aws_instance.a", "severity": "DIRE" },
    ]);
    let id = complete(&api, ANN, findings).await;
    let fields = "edges { node { rule severity nodeId file line message remedy } } totalCount";
    let all = list(&api, &id, &format!("findings {{ {fields} }}")).await;
    let first = json!({ "rule": "public-bucket", "severity": "HIGH", "nodeId": "aws_s3_bucket.c", "file": "main.tf",
        "line": 3, "message": "It is open.", "remedy": "Close it." });
    assert_eq!(
        (&all["edges"][0]["node"], &all["totalCount"]),
        (&first, &json!(3))
    );
    assert_eq!(all["edges"][2]["node"]["severity"], json!(null));
    for (filter, expected) in [
        ("{ severities: [HIGH, MEDIUM] }", vec!["public-bucket"]),
        ("{ rules: [\"own-rule\"] }", vec!["own-rule"]),
        (
            "{ nodeId: \"aws_instance.a\" }",
            vec!["open-security-group", "own-rule"],
        ),
    ] {
        let found = list(
            &api,
            &id,
            &format!("findings(filter: {filter}) {{ {fields} }}"),
        )
        .await;
        assert_eq!(names(&found, "rule"), expected, "{filter}");
    }
}

#[tokio::test]
async fn findings_of_two_runs_differ_by_rule_and_node_and_not_by_line() {
    let api = Api::start().await;
    let (stays, gone) = (finding("a", "x", "HIGH"), finding("b", "x", "LOW"));
    let from = complete(&api, ANN, json!([stays, gone])).await;
    let mut moved = stays.clone();
    moved["line"] = json!(70);
    let to = complete(&api, ANN, json!([moved, finding("a", "y", "HIGH")])).await;
    let query =
        "query($from: String!, $to: String!) { runDifference(fromRunId: $from, toRunId: $to) {
      findings { totalCount edges { node { kind finding { rule nodeId } } } } } }";
    let found = api
        .field(ANN, query, json!({ "from": from, "to": to }))
        .await;
    let edges = found["findings"]["edges"].as_array().unwrap();
    let changes: BTreeSet<_> = edges.iter().map(|edge| edge["node"].to_string()).collect();
    let change = |kind: &str, rule: &str, node: &str| {
        json!({ "kind": kind, "finding": { "rule": rule, "nodeId": node } }).to_string()
    };
    assert_eq!(
        changes,
        BTreeSet::from([change("ADDED", "a", "y"), change("REMOVED", "b", "x")])
    );
    assert_eq!(found["findings"]["totalCount"], 2);
}

#[tokio::test]
async fn other_users_and_unfinished_runs_show_nothing() {
    let api = Api::start().await;
    let id = complete(&api, ANN, json!([])).await;
    let query = "query($id: String!) { run(runId: $id) { nodes { totalCount } edges { totalCount } findings { totalCount } } }";
    assert_eq!(
        api.field(BOB, query, json!({ "id": id })).await,
        json!(null)
    );
    let unfinished = api.processing(ANN).await;
    let run = api.field(ANN, query, json!({ "id": unfinished })).await;
    assert_eq!(
        run,
        json!({ "nodes": null, "edges": null, "findings": null })
    );
    // A complete run without a report, and one whose report another program wrote.
    let bare = api.complete(ANN, GRAPH).await;
    let run = api.field(ANN, query, json!({ "id": bare })).await;
    assert_eq!(
        (&run["nodes"]["totalCount"], &run["findings"]),
        (&json!(3), &json!(null))
    );
}

#[tokio::test]
async fn a_report_of_another_form_is_unreadable_and_not_empty() {
    let api = Api::start().await;
    let id = complete(&api, ANN, json!("none")).await;
    let query = "query($id: String!) { run(runId: $id) { status findings { totalCount } } }";
    let answer = api.run(ANN, query, json!({ "id": id })).await;
    assert_eq!(
        answer.body["data"]["run"],
        json!({ "status": "COMPLETE", "findings": null })
    );
    assert_eq!(answer.body["errors"][0]["extensions"]["code"], "UNREADABLE");
}

/// What can have become of a file.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Deleted,
    Empty,
    NoJson,
    /// Another program has stored what is no key.
    Named(&'static str),
}

const FATES: [Fate; 5] = [
    Fate::Deleted,
    Fate::Empty,
    Fate::NoJson,
    Fate::Named("a//b"),
    Fate::Named("../x"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_is_missing_is_named_by_every_field_that_needs_it() {
    for (attribute, fields) in [
        (
            "graphS3Key",
            &[
                "nodes { totalCount }",
                "edges { totalCount }",
                "reachableFrom(from: \"INTERNET\") { totalCount }",
            ][..],
        ),
        (
            "analysisS3Key",
            &[
                "findings { totalCount }",
                "warnings { totalCount }",
                "undecidedCount",
            ][..],
        ),
    ] {
        for fate in FATES {
            let api = Api::start().await;
            let id = complete(&api, ANN, json!([])).await;
            let other = complete_with(&api, ANN, REACH, json!([])).await;
            let found = api.dynamodb.query().table_name("runs-test");
            let found = found
                .index_name("GSI1")
                .key_condition_expression("GSI1PK = :run")
                .expression_attribute_values(":run", AttributeValue::S(format!("RUN#{id}")));
            let mut item = found.send().await.unwrap().items.unwrap().remove(0);
            let key = item[attribute].as_s().unwrap().clone();
            match fate {
                Fate::Deleted => api.files.delete(&key).await.unwrap(),
                Fate::Empty => api.files.put(&key, Vec::new()).await.unwrap(),
                Fate::NoJson => api.files.put(&key, b"<html>".to_vec()).await.unwrap(),
                Fate::Named(name) => {
                    let name = AttributeValue::S(name.to_owned());
                    item.insert(attribute.to_owned(), name);
                    let put = api.dynamodb.put_item().table_name("runs-test");
                    put.set_item(Some(item)).send().await.unwrap();
                }
            }
            let mut queries: Vec<_> = fields
                .iter()
                .map(|field| format!("query($id: String!, $other: String!) {{ run(runId: $id) {{ status {field} }} other: run(runId: $other) {{ {field} }} }}"))
                .collect();
            if attribute == "graphS3Key" {
                queries.push("query($id: String!, $other: String!) { runDifference(fromRunId: $id, toRunId: $other) { added { nodes } } }".to_owned());
            }
            for query in queries {
                let answer = api
                    .run(ANN, &query, json!({ "id": id, "other": other }))
                    .await;
                let about = format!("{fate:?} {query}: {}", answer.body);
                let errors = answer.body["errors"].as_array().expect(&about);
                assert_eq!(errors.len(), 1, "{about}");
                assert_eq!(errors[0]["extensions"]["code"], "UNREADABLE", "{about}");
                if query.contains("status") {
                    assert_eq!(answer.body["data"]["run"]["status"], "COMPLETE", "{about}");
                }
                // A report of another form has an error of its own.
                let is_form =
                    attribute == "analysisS3Key" && matches!(fate, Fate::Empty | Fate::NoJson);
                let message = errors[0]["message"].as_str().unwrap();
                assert!(is_form || message.contains(attribute), "{about}");
            }
        }
    }
}

const REACH: &str = r#"{"edges":[
  {"from":"listener","to":"lb","kind":"reference","carries":"backward"},
  {"from":"listener","to":"group","kind":"reference","carries":"forward"},
  {"from":"group","to":"vpc","kind":"reference"},
  {"from":"group","to":"db","kind":"access"},
  {"from":"db","to":"behind","kind":"reference","carries":"forward"}],
 "nodes":[
  {"id":"lb","internetExposed":true},{"id":"listener"},{"id":"group"},{"id":"vpc"},
  {"id":"db","datastore":true},{"id":"behind"}]}"#;

#[tokio::test]
async fn what_a_node_and_the_internet_reach_is_listed_with_the_path() {
    let api = Api::start().await;
    let id = complete_with(&api, ANN, REACH, json!([])).await;
    let reached = |from: &str| {
        format!("reachableFrom(from: \"{from}\") {{ totalCount edges {{ node {{ nodeId }} }} }}")
    };
    let all = list(&api, &id, &reached("INTERNET")).await;
    assert_eq!(names(&all, "nodeId"), ["lb", "listener", "group", "db"]);
    let some = list(&api, &id, &reached("group")).await;
    assert_eq!(names(&some, "nodeId"), ["group", "db"]);
    let stores = "reachableFrom(from: \"INTERNET\", filter: { datastore: true }) { edges { node { nodeId } } }";
    assert_eq!(names(&list(&api, &id, stores).await, "nodeId"), ["db"]);
    let path = |from: &str, to: &str| {
        format!("path(from: \"{from}\", to: \"{to}\") {{ nodes {{ nodeId }} }}")
    };
    let found = list(&api, &id, &path("INTERNET", "db")).await;
    let nodes = found["nodes"].as_array().unwrap().iter();
    let nodes: Vec<_> = nodes.map(|node| node["nodeId"].as_str().unwrap()).collect();
    assert_eq!(nodes, ["lb", "listener", "group", "db"]);
    for (field, argument) in [
        (reached("elsewhere"), "from"),
        (reached("internet"), "from"),
        (path("lb", "elsewhere"), "to"),
        (path("elsewhere", "lb"), "from"),
        (path("lb", "INTERNET"), "to"),
    ] {
        let query = format!("query($id: String!) {{ run(runId: $id) {{ {field} }} }}");
        let answer = api.run(ANN, &query, json!({ "id": id })).await;
        assert_eq!(answer.code(), "BAD_USER_INPUT", "{field}");
        let message = answer.body["errors"][0]["message"].as_str().unwrap();
        let reason = "the graph of the run has no such node";
        assert!(message.starts_with(&format!("`{argument}`")), "{message}");
        assert!(message.contains(reason), "{message}");
    }
    for (from, to) in [("INTERNET", "behind"), ("db", "lb")] {
        assert_eq!(
            list(&api, &id, &path(from, to)).await,
            Value::Null,
            "{from} {to}"
        );
    }
    let carries = list(
        &api,
        &id,
        "edges(filter: { from: \"listener\" }) { edges { node { to carries } } }",
    )
    .await;
    assert_eq!(
        carries["edges"][0]["node"],
        json!({ "to": "lb", "carries": "BACKWARD" })
    );
}

#[tokio::test]
async fn what_a_report_of_another_program_does_not_say_is_not_taken_for_none() {
    let api = Api::start().await;
    let id = complete(&api, ANN, json!([])).await;
    let query = "query($id: String!) { run(runId: $id) { findings { totalCount } warnings { totalCount } undecidedCount } }";
    let run = api.field(ANN, query, json!({ "id": id })).await;
    let expected =
        json!({ "findings": { "totalCount": 0 }, "warnings": null, "undecidedCount": null });
    assert_eq!(run, expected);
}
