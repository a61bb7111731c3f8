//! Every way of reading runs, and what it costs.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::graph_runs::server::{ANN, Api, BOB, START, START_TEXT, WORKER};

const LIST: &str = "query($filter: RunFilter, $order: RunOrder, $first: Int, $after: String, $last: Int, $before: String) {
  runs(filter: $filter, orderBy: $order, first: $first, after: $after, last: $last, before: $before) {
    edges { cursor node { runId environment status createdAt } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}";

async fn create(api: &Api, viewer: &str, environment: &str) -> String {
    let input = json!({ "environment": environment, "iacFormat": "HCL" });
    api.create(viewer, input).await.0
}

fn ids(page: &Value) -> Vec<String> {
    let edges = page["edges"].as_array().expect("edges");
    let id = |edge: &Value| edge["node"]["runId"].as_str().expect("an id").to_owned();
    edges.iter().map(id).collect()
}

#[tokio::test]
async fn a_new_run_is_one_write_with_its_note_and_stands_in_the_table_as_agreed() {
    let api = Api::start().await;
    let input = json!({
        "environment": "PROD", "iacFormat": "JSON", "iacCommitSha": "abc", "terraformWorkspace": "w",
        "accountId": "123456789012", "region": "eu-central-1",
    });
    let answer = api
        .run(
            "a#b/c write",
            crate::graph_runs::server::CREATE,
            json!({ "input": input }),
        )
        .await;
    assert_eq!((answer.cost().reads, answer.cost().writes), (0, 1));
    assert_eq!(
        (answer.cost().read_units, answer.cost().write_units),
        (0.0, 7.0)
    );
    let run = &answer.data()["createRun"]["run"];
    assert_eq!(
        (&run["status"], &run["attempt"]),
        (&json!("UPLOADED"), &json!(0))
    );
    assert_eq!(
        (&run["createdAt"], &run["userId"]),
        (&json!("2026-02-22T19:12:11.000Z"), &json!("a#b/c"))
    );
    let id = run["runId"].as_str().unwrap();

    let text = |text: String| AttributeValue::S(text);
    let stored = api
        .dynamodb
        .get_item()
        .table_name("runs-test")
        .key("PK", text("USER#a%23b/c".to_owned()))
        .key("SK", text(format!("RUN#{START_TEXT}#{id}")));
    let mut item = stored.send().await.unwrap().item.unwrap();
    let mut text = |name: &str| match item.remove(name) {
        Some(AttributeValue::S(text)) => text,
        other => panic!("{name}: {other:?}"),
    };
    // What a user is called forges no segment of a key.
    for (name, value) in [
        ("PK", "USER#a%23b/c".to_owned()),
        ("SK", format!("RUN#{START_TEXT}#{id}")),
        ("GSI1PK", format!("RUN#{id}")),
        ("GSI1SK", "USER#a%23b/c".to_owned()),
        ("runId", id.to_owned()),
        ("userId", "a#b/c".to_owned()),
        ("status", "UPLOADED".to_owned()),
        ("environment", "prod".to_owned()),
        ("createdAt", START_TEXT.to_owned()),
        ("updatedAt", START_TEXT.to_owned()),
        (
            "iacS3Key",
            format!("uploads/prod/a=23b=2Fc/{id}/incoming-main.tf.json"),
        ),
        ("iacFormat", "json".to_owned()),
        ("iacCommitSha", "abc".to_owned()),
        ("terraformWorkspace", "w".to_owned()),
        ("accountId", "123456789012".to_owned()),
        ("region", "eu-central-1".to_owned()),
    ] {
        assert_eq!(text(name), value, "{name}");
    }
    let tomorrow = AttributeValue::N((START + 86_400).to_string());
    assert_eq!(item.remove("expiresAt"), Some(tomorrow));
    assert_eq!(item.into_keys().collect::<Vec<_>>(), ["attempt"]);
}

#[tokio::test]
async fn each_access_pattern_is_one_call() {
    let api = Api::start().await;
    let mut runs = Vec::new();
    for _ in 0..3 {
        runs.push(create(&api, ANN, "DEV").await);
        api.pass(1);
    }
    let later = json!({ "filter": { "createdFrom": "2026-02-22T19:12:12Z", "createdTo": "2026-02-22T19:12:12Z" } });
    for (query, variables, found) in [
        (LIST, json!({}), vec![2, 1, 0]),
        (
            LIST,
            json!({ "order": "CREATED_AT_ASC", "first": 2 }),
            vec![0, 1],
        ),
        (LIST, later, vec![1]),
        (
            LIST,
            json!({ "filter": { "createdTo": START_TEXT } }),
            vec![0],
        ),
        (
            LIST,
            json!({ "filter": { "createdFrom": "2026-02-22T19:12:13Z" } }),
            vec![2],
        ),
        (
            LIST,
            json!({ "filter": { "environment": "DEV", "statuses": ["UPLOADED", "FAILED"] } }),
            vec![2, 1, 0],
        ),
    ] {
        let answer = api.run(ANN, query, variables.clone()).await;
        let found: Vec<_> = found
            .into_iter()
            .map(|place: usize| runs[place].clone())
            .collect();
        assert_eq!(ids(&answer.data()["runs"]), found, "{variables}");
        assert_eq!(
            (answer.cost().reads, answer.cost().writes),
            (1, 0),
            "{variables}"
        );
    }
    for (query, variables, expected) in [
        ("query { latestRun { runId } }", json!({}), &runs[2]),
        (
            "query($id: String!) { run(runId: $id) { runId } }",
            json!({ "id": runs[1] }),
            &runs[1],
        ),
    ] {
        let answer = api.run(ANN, query, variables).await;
        let data = answer.data();
        let run = data.as_object().unwrap().values().next().unwrap();
        assert_eq!(&run["runId"], expected);
        assert_eq!(
            (answer.cost().reads, answer.cost().writes),
            (1, 0),
            "{query}"
        );
    }
}

#[tokio::test]
async fn many_runs_by_their_ids_are_one_call() {
    let api = Api::start().await;
    let mine = [
        create(&api, ANN, "DEV").await,
        create(&api, ANN, "PROD").await,
    ];
    let theirs = create(&api, BOB, "DEV").await;
    let id = async |viewer: &str, run: &str| {
        let query = "query($id: String!) { run(runId: $id) { id } }";
        api.field(viewer, query, json!({ "id": run })).await["id"].clone()
    };
    let ids = [
        id(ANN, &mine[1]).await,
        id(BOB, &theirs).await,
        json!("nonsense"),
        id(ANN, &mine[0]).await,
    ];
    let query = "query($ids: [ID!]!) { nodes(ids: $ids) { id ... on Run { runId } } }";
    let answer = api.run(ANN, query, json!({ "ids": ids })).await;
    let nodes = answer.data()["nodes"].clone();
    let found: Vec<_> = nodes
        .as_array()
        .unwrap()
        .iter()
        .map(|node| node["runId"].clone())
        .collect();
    assert_eq!(
        found,
        [json!(mine[1]), json!(null), json!(null), json!(mine[0])]
    );
    assert_eq!(nodes[0]["id"], ids[0]);
    assert_eq!((answer.cost().reads, answer.cost().writes), (1, 0));
}

#[tokio::test]
async fn a_filtered_list_fills_its_pages() {
    let api = Api::start().await;
    let mut prod = Vec::new();
    for place in 0..23 {
        let environment = if place % 5 == 0 { "PROD" } else { "DEV" };
        let id = create(&api, ANN, environment).await;
        if environment == "PROD" {
            prod.push(id);
        }
        // Some share a second: then their ids order them.
        api.pass(i64::from(place % 2 == 0));
    }
    let filter = json!({ "environment": "PROD" });
    let all = api
        .field(
            ANN,
            LIST,
            json!({ "filter": filter, "order": "CREATED_AT_ASC" }),
        )
        .await;
    assert_eq!(
        ids(&all).into_iter().collect::<BTreeSet<_>>(),
        prod.iter().cloned().collect()
    );
    let all = ids(&all);
    for (order, expected) in [
        ("CREATED_AT_ASC", all.clone()),
        ("CREATED_AT_DESC", all.iter().rev().cloned().collect()),
    ] {
        let (mut seen, mut after) = (Vec::new(), Value::Null);
        loop {
            let page = api
                .field(
                    ANN,
                    LIST,
                    json!({ "filter": filter, "order": order, "first": 2, "after": after }),
                )
                .await;
            seen.extend(ids(&page));
            after = page["pageInfo"]["endCursor"].clone();
            if page["pageInfo"]["hasNextPage"] == json!(false) {
                break;
            }
            assert_eq!(page["edges"].as_array().unwrap().len(), 2);
        }
        assert_eq!(seen, expected, "{order}");
        let (mut seen, mut before) = (Vec::new(), Value::Null);
        loop {
            let page = api
                .field(
                    ANN,
                    LIST,
                    json!({ "filter": filter, "order": order, "last": 2, "before": before }),
                )
                .await;
            seen.splice(0..0, ids(&page));
            before = page["pageInfo"]["startCursor"].clone();
            if page["pageInfo"]["hasPreviousPage"] == json!(false) {
                break;
            }
        }
        assert_eq!(seen, expected, "{order} backwards");
    }
}

#[tokio::test]
async fn a_cursor_is_good_for_its_list_alone_and_wrong_arguments_are_refused() {
    let api = Api::start().await;
    create(&api, ANN, "DEV").await;
    let page = api.field(ANN, LIST, json!({ "first": 1 })).await;
    let cursor = &page["pageInfo"]["endCursor"];
    for variables in [
        json!({ "after": cursor, "order": "CREATED_AT_ASC" }),
        json!({ "after": cursor, "filter": { "environment": "DEV" } }),
        json!({ "after": "nonsense" }),
        json!({ "first": 1, "last": 1 }),
        json!({ "first": -1 }),
        json!({ "filter": { "createdFrom": "yesterday" } }),
    ] {
        assert_eq!(api.run(ANN, LIST, variables).await.code(), "BAD_USER_INPUT");
    }
    let empty =
        json!({ "filter": { "createdFrom": "2027-01-01T00:00:00Z", "createdTo": START_TEXT } });
    assert_eq!(
        ids(&api.field(ANN, LIST, empty).await),
        Vec::<String>::new()
    );
    assert_eq!(
        ids(&api.field(ANN, LIST, json!({ "after": cursor })).await),
        Vec::<String>::new()
    );
}

#[tokio::test]
async fn items_of_other_programs_are_read_and_broken_ones_stay_in_their_place() {
    let api = Api::start().await;
    let text = |text: &str| AttributeValue::S(text.to_owned());
    for (id, status) in [("c8a91e", "COMPLETE"), ("c8a91f", "BROKEN")] {
        api.dynamodb
            .put_item()
            .table_name("runs-test")
            .item("PK", text("USER#ann"))
            .item("SK", text(&format!("RUN#2026-02-22T19:12:11Z#{id}")))
            .item("GSI1PK", text(&format!("RUN#{id}")))
            .item("GSI1SK", text("USER#ann"))
            .item("runId", text(id))
            .item("status", text(status))
            .item("environment", text("dev"))
            .item("createdAt", text("2026-02-22T19:12:11Z"))
            .item("updatedAt", text("2026-02-22T19:13:00Z"))
            .item("graphS3Key", text("graphs/dev/ann/c8a91e/graph.json"))
            .item("iacS3Key", text("uploads/dev/ann/incoming-main.tf.json"))
            .item("analysisS3Key", text("reports/dev/ann/c8a91e/risk.json"))
            .item("nodeCount", AttributeValue::N("5".into()))
            .item("edgeCount", AttributeValue::N("4".into()))
            .item("internetExposedCount", AttributeValue::N("1".into()))
            .item("datastoreCount", AttributeValue::N("2".into()))
            .send()
            .await
            .unwrap();
    }
    let query = "query { runs { edges { node { runId userId iacFormat summary { nodeCount datastoreCount } } } } }";
    let answer = api.run(ANN, query, json!({})).await;
    let edges = &answer.body["data"]["runs"]["edges"];
    assert_eq!(edges[0]["node"], json!(null));
    assert_eq!(answer.code(), "UNREADABLE");
    let run = json!({ "runId": "c8a91e", "userId": "ann", "iacFormat": "JSON", "summary": { "nodeCount": 5, "datastoreCount": 2 } });
    assert_eq!(edges[1]["node"], run);
    let query = "query { run(runId: \"c8a91e\") { runId } }";
    assert_eq!(api.field(ANN, query, json!({})).await["runId"], "c8a91e");
    assert_eq!(api.field(WORKER, query, json!({})).await["runId"], "c8a91e");
}
