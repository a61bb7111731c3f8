//! Pictures of graphs, by URL.

use serde_json::{Value, json};

use crate::graph_runs::server::{ANN, Api, BOB};

/// A graph with a hostile name, a circle, and every look.
const GRAPH: &str = r#"{"edges":[
  {"from":"aws_lb.web","to":"aws_instance.app","kind":"reference"},
  {"from":"aws_instance.app","to":"aws_db_instance.main","kind":"reference"},
  {"from":"aws_db_instance.main","to":"aws_instance.app","kind":"depends_on"},
  {"from":"aws_lb.web","to":"a\"]--><script>alert(1)</script>&\n","kind":""}],
 "nodes":[
  {"id":"aws_lb.web","internetExposed":true},{"id":"aws_instance.app","unresolved":true},
  {"id":"aws_db_instance.main","datastore":true},{"id":"a\"]--><script>alert(1)</script>&\n"}]}"#;

async fn signed(api: &Api, viewer: &str, id: &str, format: &str) -> Value {
    let query = format!(
        "query($id: String!) {{ run(runId: $id) {{ graph(format: {format}) {{ url }} }} }}"
    );
    api.field(viewer, &query, json!({ "id": id })).await
}

async fn picture(api: &Api, id: &str, format: &str) -> (String, String) {
    let run = signed(api, ANN, id, format).await;
    let url = run["graph"]["url"].as_str().unwrap();
    let answer = api.http.get(url).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let kind = answer.headers()["content-type"]
        .to_str()
        .unwrap()
        .to_owned();
    (kind, answer.text().await.unwrap())
}

#[tokio::test]
async fn a_graph_is_drawn_in_three_formats_and_names_stay_text() {
    let api = Api::start().await;
    let id = api.complete(ANN, GRAPH).await;
    let (kind, dot) = picture(&api, &id, "DOT").await;
    assert_eq!(kind, "text/vnd.graphviz");
    assert!(
        dot.starts_with("digraph {") && dot.ends_with("}\n"),
        "{dot}"
    );
    assert!(
        dot.contains("\"aws_lb.web\" -> \"aws_instance.app\";"),
        "{dot}"
    );
    assert!(
        dot.contains("\"aws_db_instance.main\" -> \"aws_instance.app\" [style=dashed];"),
        "{dot}"
    );
    assert!(
        dot.contains(r#""a\"]--><script>alert(1)</script>& ""#),
        "{dot}"
    );
    let (_, mermaid) = picture(&api, &id, "MERMAID").await;
    assert!(mermaid.starts_with("flowchart LR\n"), "{mermaid}");
    assert!(
        mermaid.contains("n0[\"aws_lb.web\"]:::exposed"),
        "{mermaid}"
    );
    assert!(mermaid.contains("n2 -.-> n1"), "{mermaid}");
    assert!(mermaid.contains("a#quot;]-->#lt;script>"), "{mermaid}");
    let (kind, svg) = picture(&api, &id, "SVG").await;
    assert_eq!(kind, "image/svg+xml");
    assert_eq!(svg.matches("<rect ").count(), 4);
    assert_eq!(svg.matches("marker-end=").count(), 4);
    assert!(
        !svg.contains("<script") && svg.contains("&lt;script&gt;alert(1)&lt;/script&gt;&amp;"),
        "{svg}"
    );
    // Drawn once: the same picture again.
    assert_eq!(picture(&api, &id, "SVG").await.1, svg);
    let drawn = api.keys().await;
    assert_eq!(
        drawn
            .iter()
            .filter(|key| key.starts_with("pictures/dev/ann/"))
            .count(),
        3
    );
}

#[tokio::test]
async fn a_graph_that_is_too_large_is_refused_with_the_limit() {
    let api = Api::start().await;
    let nodes: Vec<_> = (0..1_001)
        .map(|n| json!({ "id": format!("n{n}") }))
        .collect();
    let id = api
        .complete(ANN, &json!({ "nodes": nodes, "edges": [] }).to_string())
        .await;
    for (format, limit) in [("MERMAID", "500 nodes"), ("SVG", "1000 nodes")] {
        let query = format!(
            "query($id: String!) {{ run(runId: $id) {{ graph(format: {format}) {{ url }} }} }}"
        );
        let answer = api.run(ANN, &query, json!({ "id": id })).await;
        let error = &answer.body["errors"][0];
        assert_eq!(error["extensions"]["code"], "BAD_USER_INPUT");
        assert!(
            error["message"].as_str().unwrap().contains(limit),
            "{error:#}"
        );
    }
    assert_eq!(picture(&api, &id, "DOT").await.1.lines().count(), 1_001 + 4);
}

#[tokio::test]
async fn other_users_and_unfinished_runs_have_no_picture() {
    let api = Api::start().await;
    let id = api.complete(ANN, GRAPH).await;
    assert_eq!(signed(&api, BOB, &id, "SVG").await, json!(null));
    let unfinished = api.processing(ANN).await;
    assert_eq!(
        signed(&api, ANN, &unfinished, "SVG").await,
        json!({ "graph": null })
    );
}
