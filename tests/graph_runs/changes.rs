//! Changing one attribute shows in the difference: of each setup, what it changes.

use std::collections::BTreeSet;

use serde_json::json;
use trestle_graph_runs::Pipeline;

use crate::graph_runs::pipeline::processed;
use crate::graph_runs::server::{ANN, Api};
use crate::graph_runs::setups::{OPEN, SETUPS};

/// Of each setup: a part of its text, what stands there instead, and the nodes that it changes.
const CHANGES: [(&str, &str, &str, &[&str]); 10] = [
    (
        "subnets",
        "map_public_ip_on_launch = true",
        "map_public_ip_on_launch = false",
        &["aws_instance.web", "aws_subnet.public"],
    ),
    (
        "load balancers",
        "internal = true",
        "internal = false",
        &["aws_lb.inside"],
    ),
    (
        "containers",
        "assign_public_ip = true",
        "assign_public_ip = false",
        &["aws_ecs_service.web"],
    ),
    (
        "launch template",
        "associate_public_ip_address = true",
        "associate_public_ip_address = false",
        &["aws_autoscaling_group.web", "aws_launch_template.web"],
    ),
    (
        "API gateways",
        "disable_execute_api_endpoint = true",
        "disable_execute_api_endpoint = false",
        &["aws_apigatewayv2_api.off"],
    ),
    (
        "distributions",
        "enabled = false",
        "enabled = true",
        &["aws_cloudfront_distribution.off"],
    ),
    (
        "databases",
        "default = true",
        "default = false",
        &["aws_db_instance.public"],
    ),
    (
        "buckets",
        "restrict_public_buckets = true",
        "restrict_public_buckets = false",
        &[
            "aws_s3_bucket.blocked",
            "aws_s3_bucket_public_access_block.blocked",
        ],
    ),
    (
        "function URLs",
        "\"AWS_IAM\"",
        "\"NONE\"",
        &["aws_lambda_function_url.signed"],
    ),
    (
        "rules of groups",
        "\"10.0.0.0/8\"",
        "\"0.0.0.0/0\"",
        &[
            "aws_instance.own",
            "aws_vpc_security_group_ingress_rule.own",
        ],
    ),
];

#[tokio::test]
async fn changing_one_attribute_shows_in_the_difference() {
    let api = Api::start_with(Pipeline::InProcess).await;
    for ((name, text, ..), (of, part, other, nodes)) in SETUPS.into_iter().zip(CHANGES) {
        assert_eq!(name, of);
        assert!(text.contains(part), "{name}");
        let (before, after) = (format!("{OPEN}{text}"), text.replacen(part, other, 1));
        let mut runs = Vec::new();
        for file in [before, format!("{OPEN}{after}")] {
            let run = processed(&api, "HCL", &file).await;
            assert_eq!(run["status"], "COMPLETE", "{name}: {run:#}");
            runs.push(run["runId"].clone());
        }
        let query = "query($from: String!, $to: String!) { runDifference(fromRunId: $from, toRunId: $to) { changes { edges { node { kind nodeId } } } } }";
        let found = api
            .field(ANN, query, json!({ "from": runs[0], "to": runs[1] }))
            .await;
        let edges = found["changes"]["edges"].as_array().unwrap();
        let changes: BTreeSet<_> = edges.iter().map(|edge| edge["node"].to_string()).collect();
        let change = |node: &&str| json!({ "kind": "CHANGED", "nodeId": node }).to_string();
        assert_eq!(changes, nodes.iter().map(change).collect(), "{name}");
    }
}

#[tokio::test]
async fn a_node_that_has_only_moved_is_not_changed() {
    let api = Api::start_with(Pipeline::InProcess).await;
    let mut runs = Vec::new();
    for file in [OPEN.to_owned(), format!("\n\n{OPEN}")] {
        let run = processed(&api, "HCL", &file).await;
        runs.push(run["runId"].clone());
    }
    let query = "query($from: String!, $to: String!) { runDifference(fromRunId: $from, toRunId: $to) { changes { totalCount } } }";
    let ids = json!({ "from": runs[0], "to": runs[1] });
    let found = api.field(ANN, query, ids).await;
    assert_eq!(found["changes"]["totalCount"], 0);
}
