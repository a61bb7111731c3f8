//! Complete runs never change, whatever is still under way.

use serde_json::{Value, json};

use crate::graph_runs::server::{ANN, Api, WORKER, hash};

/// How often the race is run, unless `TRESTLE_ROUNDS` says otherwise.
const ROUNDS: usize = 100;

async fn uploads(api: &Api, id: &str) -> Value {
    let query = "query($id: String!) { run(runId: $id) { workerUploads { graph { url headers { name value } } report { url headers { name value } } } } }";
    api.field(WORKER, query, json!({ "id": id })).await["workerUploads"].clone()
}

async fn text(api: &Api, id: &str, name: &str) -> String {
    let query = format!("query($id: String!) {{ run(runId: $id) {{ {name} {{ url }} }} }}");
    let found = api.field(ANN, &query, json!({ "id": id })).await;
    let url = found[name]["url"].as_str().unwrap();
    let answer = api.http.get(url).send().await.unwrap();
    answer.text().await.unwrap()
}

#[tokio::test]
async fn an_attempt_that_finishes_late_changes_nothing_of_a_completed_run() {
    let api = Api::start().await;
    let rounds = std::env::var("TRESTLE_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    for round in 0..rounds {
        let id = api.processing(ANN).await;
        let first = uploads(&api, &id).await;
        let nodes: Vec<_> = (0..2_000)
            .map(|n| json!({ "id": format!("old-{round}-{n}") }))
            .collect();
        let old = json!({ "nodes": nodes, "edges": [] }).to_string();
        api.put(&first["graph"], old.clone().into_bytes()).await;
        api.put(&first["report"], b"\"old\"".to_vec()).await;
        api.pass(61);
        let retried = api.change(ANN, "retryRun", json!({}), &id).await;
        assert_eq!(retried["run"]["attempt"], 2);
        let second = uploads(&api, &id).await;
        let new = format!(r#"{{"nodes":[{{"id":"new-{round}"}}],"edges":[]}}"#);
        api.put(&second["graph"], new.clone().into_bytes()).await;
        api.put(&second["report"], b"\"new\"".to_vec()).await;
        let late = async {
            let late = api
                .change(WORKER, "completeRun", json!({ "attempt": 1 }), &id)
                .await;
            // Refused, or told of the completed run, as it came before or after it.
            assert_ne!(late["run"]["graphHash"], json!(hash(&old)));
            api.put(&first["graph"], old.clone().into_bytes()).await;
            api.put(&first["report"], b"\"old\"".to_vec()).await;
        };
        let complete = api.change(WORKER, "completeRun", json!({ "attempt": 2 }), &id);
        let (done, ()) = futures_util::join!(complete, late);
        assert_eq!(done["run"]["status"], "COMPLETE", "{done:#}");
        api.put(&second["graph"], old.clone().into_bytes()).await;
        api.put(&second["report"], b"\"old\"".to_vec()).await;
        let again = api.change(WORKER, "completeRun", json!({}), &id).await;
        assert_eq!(again["run"]["graphHash"], hash(&new));
        let found = text(&api, &id, "graphDownload").await;
        assert_eq!((hash(&found), found), (hash(&new), new));
        assert_eq!(text(&api, &id, "reportDownload").await, "\"new\"");
    }
}

#[tokio::test]
async fn runs_of_one_second_are_in_the_order_of_their_creation() {
    let api = Api::start().await;
    let mut ids = Vec::new();
    for _ in 0..40 {
        let input = json!({ "environment": "DEV", "iacFormat": "HCL" });
        let (id, _) = api.create(ANN, input).await;
        let latest = api
            .field(ANN, "query { latestRun { runId } }", json!({}))
            .await;
        assert_eq!(latest["runId"], json!(id));
        ids.push(id);
    }
    assert!(ids.is_sorted(), "{ids:?}");
}
