//! Literals of expressions that are not decided are in nothing that is stored or answered.

use serde_json::json;
use trestle_graph_runs::Pipeline;

use crate::graph_runs::pipeline::{processed, processed_of};
use crate::graph_runs::server::{ANN, Api, BOB, hash};

/// Expressions that only Terraform knows, with the secret as a text, a key or a number.
const KEYS: &str = r#"
variable "map" {}
resource "aws_lb" "a" { internal = { "hunter2-a" = var.map, hunter2_b = 1 }["hunter2-c"] }
resource "aws_lb" "b" { internal = var.map["hunter2-d"] }
resource "aws_s3_bucket" "a" { acl = local.none["hunter2-e"].acl["hunter2.f"] }
resource "aws_s3_bucket" "b" { acl = f({ hunter2_g = var.map, (var.map) = "hunter2" }) }
resource "aws_s3_bucket" "c" { bucket = module.none["hunter2-h"].name }
resource "aws_db_instance" "a" { for_each = var.map["hunter2-i"] }
resource "aws_security_group" "a" {
  ingress { cidr_blocks = [aws_subnet.none["hunter2-j"].cidr_block, "${var.map["hunter2-k"]}/8"] }
}
resource "aws_instance" "a" { count = var.map[20902090209] + 20902090209 }
resource "aws_instance" "b" { vpc_security_group_ids = [for k, v in var.map : v if k == "hunter2" || v == 20902090209] }
"#;

#[tokio::test]
async fn keys_and_numbers_in_expressions_are_in_no_answer_and_no_file() {
    let api = Api::start_with(Pipeline::InProcess).await;
    let run = processed(&api, "HCL", KEYS).await;
    assert_eq!(run["status"], "COMPLETE", "{run:#}");
    let query = "query($id: String!) { run(runId: $id) {
      nodes(first: 50) { edges { node { nodeId attributes } } }
      findings(first: 50) { edges { node { nodeId message } } }
      dot: graph(format: DOT) { url } mermaid: graph(format: MERMAID) { url } svg: graph(format: SVG) { url }
    } }";
    let listed = api.field(ANN, query, json!({ "id": run["runId"] })).await;
    let urls = ["graphDownload", "reportDownload"].map(|name| run[name]["url"].clone());
    let pictures = ["dot", "mermaid", "svg"].map(|name| listed[name]["url"].clone());
    let mut shown = vec![run.to_string(), listed.to_string()];
    for url in urls.iter().chain(&pictures) {
        let answer = api.http.get(url.as_str().unwrap()).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        shown.push(answer.text().await.unwrap());
    }
    for text in shown {
        for secret in ["hunter2", "20902090209"] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
    // What is left says which references are missing.
    let mut nodes = listed["nodes"]["edges"].as_array().unwrap().iter();
    let lb = nodes.find(|edge| edge["node"]["nodeId"] == "aws_lb.b");
    let attributes = lb.unwrap()["node"]["attributes"].as_str().unwrap();
    assert_eq!(attributes, r#"{"internal":"${var.map[\"…\"]}"}"#);
}

#[tokio::test]
async fn a_value_that_is_left_out_has_a_hash_that_only_runs_of_its_owner_share() {
    let api = Api::start_with(Pipeline::InProcess).await;
    let file = "resource \"aws_db_instance\" \"a\" { username = \"1234\" }";
    let mut shown = Vec::new();
    for viewer in [ANN, ANN, BOB] {
        let run = processed_of(&api, viewer, ("HCL", file)).await;
        assert_eq!(run["status"], "COMPLETE", "{run:#}");
        let query =
            "query($id: String!) { run(runId: $id) { nodes { edges { node { attributes } } } } }";
        let listed = api
            .field(viewer, query, json!({ "id": run["runId"] }))
            .await;
        let attributes = listed["nodes"]["edges"][0]["node"]["attributes"].clone();
        assert!(
            attributes.as_str().unwrap().contains("sha256:"),
            "{attributes}"
        );
        shown.push((run["graphHash"].clone(), attributes));
    }
    assert_eq!(shown[0], shown[1]);
    assert_ne!(shown[0], shown[2]);
    // Whoever guesses the value cannot confirm it.
    let plain = hash("1234");
    for (_, attributes) in &shown[..1] {
        assert!(
            !attributes.as_str().unwrap().contains(&plain[..13]),
            "{attributes}"
        );
    }
}
