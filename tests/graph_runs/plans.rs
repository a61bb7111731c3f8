//! Plans: what they know after the apply only is matched by what their configuration refers to.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::setups::{analyze, flagged};

/// What a plan says of a resource: its values, what is known after the apply, and its configuration.
fn resource(address: &str, values: Value, unknown: Value, expressions: Value) -> [Value; 3] {
    let (kind, name) = address
        .rsplit('.')
        .collect::<Vec<_>>()
        .split_first()
        .map(|(name, rest)| (rest[0], *name))
        .unwrap();
    [
        json!({ "address": address, "mode": "managed", "type": kind, "name": name, "values": values }),
        json!({ "address": address, "change": { "after_unknown": unknown } }),
        json!({ "address": format!("{kind}.{name}"), "expressions": expressions }),
    ]
}

#[test]
fn plans_are_matched_by_reference_through_modules() {
    let refers = |text: &str| json!({ "references": [text, text.rsplit_once('.').unwrap().0] });
    let bucket = resource(
        "aws_s3_bucket.a",
        json!({}),
        json!({ "id": true, "bucket": true }),
        json!({}),
    );
    let group = resource(
        "aws_security_group.a",
        json!({}),
        json!({ "id": true }),
        json!({}),
    );
    let policy = json!({ "Statement": [{ "Effect": "Allow", "Principal": "*" }] }).to_string();
    let public = resource(
        "module.m.aws_s3_bucket_policy.p",
        json!({ "policy": policy }),
        json!({ "bucket": true }),
        json!({ "bucket": { "references": ["var.bucket"] }, "policy": {} }),
    );
    let rule = resource(
        "module.m.aws_vpc_security_group_ingress_rule.r",
        json!({ "cidr_ipv4": "0.0.0.0/0" }),
        json!({ "security_group_id": true }),
        json!({ "security_group_id": { "references": ["var.groups[0]", "var.groups"] } }),
    );
    let web = resource(
        "aws_instance.web",
        json!({ "associate_public_ip_address": true, "vpc_security_group_ids": [null] }),
        json!({ "vpc_security_group_ids": [true], "arn": true }),
        json!({ "vpc_security_group_ids": refers("module.m.group_id") }),
    );
    // A source that is known after the apply only.
    let later = resource(
        "aws_security_group.later",
        json!({ "ingress": [{ "from_port": 22, "cidr_blocks": [] }] }),
        json!({ "ingress": [{ "cidr_blocks": true }] }),
        json!({ "ingress": [{ "cidr_blocks": { "references": ["data.http.me.body"] } }] }),
    );
    let app = resource(
        "aws_instance.app",
        json!({ "associate_public_ip_address": true }),
        json!({ "vpc_security_group_ids": true }),
        json!({ "vpc_security_group_ids": refers("aws_security_group.later.id") }),
    );
    let (root, inner) = ([&bucket, &group, &web, &later, &app], [&public, &rule]);
    let list = |of: &[&[Value; 3]], place: usize| {
        json!(of.iter().map(|one| one[place].clone()).collect::<Vec<_>>())
    };
    let plan = json!({
        "planned_values": { "root_module": {
            "resources": list(&root, 0),
            "child_modules": [{ "address": "module.m", "resources": list(&inner, 0) }],
        } },
        "resource_changes": list(&[&bucket, &group, &web, &later, &app, &public, &rule], 1),
        "configuration": { "root_module": {
            "resources": list(&root, 2),
            "module_calls": { "m": {
                "expressions": { "bucket": refers("aws_s3_bucket.a.id"), "groups": refers("aws_security_group.a.id") },
                "module": {
                    "resources": list(&inner, 2),
                    "outputs": { "group_id": { "expression": refers("var.groups.x") } },
                },
            } },
        } },
    });
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plan.json");
    std::fs::write(&file, plan.to_string()).unwrap();
    let (_, text) = analyze(&file, &["--format", "graph"]);
    let graph: Value = serde_json::from_str(&text).unwrap();
    let exposed = ["aws_instance.web", "aws_s3_bucket.a"];
    assert_eq!(flagged(&graph, "internetExposed"), BTreeSet::from(exposed));
    assert_eq!(
        flagged(&graph, "unresolved"),
        BTreeSet::from(["aws_instance.app", "aws_security_group.later"])
    );
}
