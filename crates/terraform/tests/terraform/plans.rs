//! Plans: what they know after the apply only is matched by what their configuration refers to.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::analyze::{analyze, flagged};

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

/// What a plan of these resources says: the nodes that are not decided by a rule.
fn undecided(resources: &[[Value; 3]], rule: &str) -> BTreeSet<String> {
    let list = |place: usize| {
        let all = resources.iter().map(|one| one[place].clone());
        json!(all.collect::<Vec<_>>())
    };
    let plan = json!({
        "planned_values": { "root_module": { "resources": list(0) } },
        "resource_changes": list(1),
        "configuration": { "root_module": { "resources": list(2) } },
    });
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plan.json");
    std::fs::write(&file, plan.to_string()).unwrap();
    let (_, text) = analyze(&file, &["--format", "json", "--fail-on", "never"]);
    let report: Value = serde_json::from_str(&text).unwrap();
    let lists = ["unresolved", "notes"].map(|name| report[name].as_array().unwrap().clone());
    let notes = lists.concat();
    let of = notes.iter().filter(|note| note["rule"] == rule);
    of.map(|note| note["node"].as_str().unwrap().to_owned())
        .collect()
}

/// A resource with a block that is marked, and that the configuration does not have.
fn marked(address: &str, block: &str) -> [Value; 3] {
    resource(address, json!({}), json!({ block: true }), json!({}))
}

#[test]
fn a_block_that_may_be_dynamic_is_unknown_whatever_the_provider_computes() {
    for (kind, block, rule) in [
        (
            "aws_default_security_group",
            "ingress",
            "open-security-group",
        ),
        (
            "aws_ec2_managed_prefix_list",
            "entry",
            "open-security-group",
        ),
        (
            "aws_elastic_beanstalk_environment",
            "setting",
            "internet-exposed",
        ),
        ("aws_iam_role", "inline_policy", "iam-admin"),
        ("aws_opensearch_domain", "vpc_options", "internet-exposed"),
        ("aws_s3_bucket", "grant", "public-bucket"),
        ("aws_security_group", "ingress", "open-security-group"),
        (
            "azurerm_network_security_group",
            "security_rule",
            "open-security-group",
        ),
        ("google_bigquery_dataset", "access", "public-policy"),
        ("google_compute_firewall", "allow", "open-security-group"),
        (
            "google_compute_instance",
            "network_interface",
            "internet-exposed",
        ),
    ] {
        let address = format!("{kind}.a");
        let mut own = marked(&address, block);
        let mut expected = address.clone();
        let mut others = Vec::new();
        if kind == "google_compute_firewall" {
            own[0]["values"] = json!({ "source_ranges": ["0.0.0.0/0"] });
        }
        if kind == "aws_ec2_managed_prefix_list" {
            expected = "aws_security_group.of".to_owned();
            let refers = json!({ "references": [format!("{address}.id"), address] });
            others.push(resource(
                "aws_security_group.of",
                json!({ "ingress": [{ "from_port": 22, "prefix_list_ids": [] }] }),
                json!({ "ingress": [{ "prefix_list_ids": true }] }),
                json!({ "ingress": [{ "prefix_list_ids": refers }] }),
            ));
        }
        others.push(own);
        let found = undecided(&others, rule);
        assert!(found.contains(&expected), "{kind}.{block}: {found:?}");
    }
}

#[test]
fn a_block_that_other_resources_take_the_place_of_is_left_out() {
    let names = |argument: &str, of: &str| json!({ argument: { "references": [of, of.rsplit_once('.').unwrap().0] } });
    let about = |address: &str, argument: &str, of: &str, values: Value| {
        resource(
            address,
            values,
            json!({ argument: true }),
            names(argument, of),
        )
    };
    let closed = json!({ "type": "ingress", "cidr_blocks": ["10.0.0.0/8"] });
    let rule = about(
        "aws_security_group_rule.a",
        "security_group_id",
        "aws_security_group.a.id",
        closed.clone(),
    );
    let group = || marked("aws_security_group.a", "ingress");
    let found = undecided(&[group(), rule], "open-security-group");
    assert_eq!(found, BTreeSet::new());
    // One that names it as a source only says nothing of its own rules.
    let source = about(
        "aws_security_group_rule.a",
        "source_security_group_id",
        "aws_security_group.a.id",
        closed,
    );
    let found = undecided(&[group(), source], "open-security-group");
    assert!(found.contains("aws_security_group.a"), "{found:?}");
    let bucket = marked("aws_s3_bucket.a", "grant");
    let acl = about(
        "aws_s3_bucket_acl.a",
        "bucket",
        "aws_s3_bucket.a.id",
        json!({ "acl": "private" }),
    );
    let mut acl = acl;
    acl[1]["change"]["after_unknown"]["access_control_policy"] = json!(true);
    assert_eq!(undecided(&[bucket, acl], "public-bucket"), BTreeSet::new());
    let role = marked("aws_iam_role.a", "inline_policy");
    let attachment = about(
        "aws_iam_role_policy_attachment.a",
        "role",
        "aws_iam_role.a.name",
        json!({}),
    );
    assert_eq!(undecided(&[role, attachment], "iam-admin"), BTreeSet::new());
}
