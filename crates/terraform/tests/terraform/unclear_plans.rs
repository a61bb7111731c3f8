//! What a plan leaves open is never clear, and never certain.

use serde_json::{Value as Json, json};

use crate::unclear::{assert_outcome, outcome, report_of};
use trestle_terraform::Options;

/// A resource of a plan: its address, its provider's configuration, its values and what the configuration has of them.
struct Resource(&'static str, Option<&'static str>, Json, Json);

fn part(address: &str, at: usize) -> &str {
    address.split('.').nth(at).unwrap()
}

fn refers(to: &str) -> Json {
    let (node, _) = to.rsplit_once('.').unwrap();
    json!({ "references": [to, node] })
}

fn plan(resources: &[Resource], deferred: &[Resource]) -> Json {
    let configured =
        resources
            .iter()
            .chain(deferred)
            .map(|Resource(address, provider, _, expressions)| {
                let mut resource = json!({ "address": address, "expressions": expressions });
                if let Some(provider) = provider {
                    resource["provider_config_key"] = json!(provider);
                }
                resource
            });
    let planned = resources.iter().map(|Resource(address, _, values, _)| {
        json!({ "address": address, "mode": "managed", "type": part(address, 0), "name": part(address, 1), "values": values })
    });
    let marked = resources
        .iter()
        .map(|Resource(address, _, values, expressions)| {
            let names = expressions.as_object().unwrap().keys();
            let unknown = names.filter(|name| values.get(name).is_none());
            let unknown: serde_json::Map<_, _> =
                unknown.map(|name| (name.clone(), json!(true))).collect();
            json!({ "address": address, "change": { "after_unknown": unknown } })
        });
    let left = deferred.iter().map(|Resource(address, _, values, _)| {
        let (mode, address) = match address.strip_prefix("data.") {
            Some(rest) => ("data", rest),
            None => ("managed", *address),
        };
        let whole = if mode == "data" {
            format!("data.{address}")
        } else {
            address.to_owned()
        };
        json!({ "reason": "instance_count_unknown", "resource_change": {
            "address": whole, "mode": mode, "type": part(address, 0), "name": part(address, 1),
            "change": { "after": values },
        } })
    });
    json!({
        "planned_values": { "root_module": { "resources": planned.collect::<Vec<_>>() } },
        "resource_changes": marked.collect::<Vec<_>>(),
        "deferred_changes": left.collect::<Vec<_>>(),
        "configuration": { "root_module": { "resources": configured.collect::<Vec<_>>() } },
    })
}

fn report_of_plan(resources: &[Resource], deferred: &[Resource]) -> Json {
    let plan = plan(resources, deferred).to_string();
    report_of("plan.json", &plan, &Options::default())
}

#[test]
fn what_is_of_another_configuration_of_a_provider_protects_nothing_for_certain() {
    for (own, other, expected) in [
        (Some("aws"), Some("aws"), "clear"),
        (Some("module.m:aws"), Some("module.m:aws"), "clear"),
        (Some("aws"), Some("aws.other"), "undecided"),
        (Some("aws"), Some("module.m:aws"), "undecided"),
        (None, Some("aws"), "undecided"),
        (None, None, "undecided"),
    ] {
        let report = report_of_plan(
            &[
                Resource(
                    "aws_s3_bucket.a",
                    own,
                    json!({ "acl": "public-read" }),
                    json!({ "acl": {} }),
                ),
                Resource(
                    "aws_s3_account_public_access_block.a",
                    other,
                    json!({ "ignore_public_acls": true }),
                    json!({}),
                ),
                Resource("aws_ebs_volume.a", own, json!({}), json!({})),
                Resource(
                    "aws_ebs_encryption_by_default.a",
                    other,
                    json!({ "enabled": true }),
                    json!({}),
                ),
            ],
            &[],
        );
        for (rule, node) in [
            ("public-bucket", "aws_s3_bucket.a"),
            ("unencrypted-datastore", "aws_ebs_volume.a"),
        ] {
            assert_eq!(
                outcome(&report, rule, node),
                expected,
                "{own:?} {other:?} {node}"
            );
        }
    }
}

#[test]
fn what_a_deferred_resource_is_about_is_undecided() {
    let public = json!({ "Statement": [{ "Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*" }] });
    let bucket = || {
        Resource(
            "aws_s3_bucket.a",
            Some("aws"),
            json!({ "bucket": "a" }),
            json!({ "bucket": {} }),
        )
    };
    let group = || Resource("aws_security_group.a", Some("aws"), json!({}), json!({}));
    for (subject, deferred, rule) in [
        (
            bucket(),
            Resource(
                "aws_s3_bucket_policy.d",
                Some("aws"),
                json!({ "policy": public.to_string() }),
                json!({ "bucket": refers("aws_s3_bucket.a.id"), "policy": {} }),
            ),
            "public-bucket",
        ),
        (
            bucket(),
            Resource(
                "aws_s3_bucket_policy.d",
                Some("aws"),
                json!({ "bucket": "a" }),
                json!({ "bucket": { "constant_value": "a" }, "policy": refers("data.aws_iam_policy_document.d.json") }),
            ),
            "public-bucket",
        ),
        (
            bucket(),
            Resource(
                "aws_s3_bucket_acl.d",
                Some("aws"),
                json!({}),
                json!({ "bucket": refers("aws_s3_bucket.a.id"), "acl": { "constant_value": "public-read" } }),
            ),
            "public-bucket",
        ),
        (
            group(),
            Resource(
                "aws_vpc_security_group_ingress_rule.d",
                Some("aws"),
                json!({}),
                json!({ "security_group_id": refers("aws_security_group.a.id"), "cidr_ipv4": { "constant_value": "0.0.0.0/0" } }),
            ),
            "open-security-group",
        ),
        (
            Resource("aws_kms_key.a", Some("aws"), json!({}), json!({})),
            Resource(
                "aws_kms_key_policy.d",
                Some("aws"),
                json!({}),
                json!({ "key_id": refers("aws_kms_key.a.id"), "policy": {} }),
            ),
            "public-policy",
        ),
        (
            Resource("aws_ebs_volume.a", Some("aws"), json!({}), json!({})),
            Resource(
                "aws_ebs_encryption_by_default.d",
                Some("aws"),
                json!({}),
                json!({}),
            ),
            "unencrypted-datastore",
        ),
        (
            Resource(
                "aws_s3_bucket.a",
                Some("aws"),
                json!({ "acl": "public-read" }),
                json!({ "acl": {} }),
            ),
            Resource(
                "aws_s3_bucket_public_access_block.d",
                Some("aws"),
                json!({}),
                json!({ "bucket": refers("aws_s3_bucket.a.id"), "ignore_public_acls": { "constant_value": true } }),
            ),
            "public-bucket",
        ),
    ] {
        let node = subject.0;
        let name = deferred.0;
        let report = report_of_plan(&[subject], &[deferred]);
        assert_eq!(
            outcome(&report, rule, node),
            "undecided",
            "{name}: {report:#}"
        );
    }
}

#[test]
fn a_group_and_a_document_that_are_deferred_decide_nothing() {
    let report = report_of_plan(
        &[
            Resource(
                "aws_instance.a",
                Some("aws"),
                json!({ "associate_public_ip_address": true }),
                json!({ "vpc_security_group_ids": refers("aws_security_group.d.id") }),
            ),
            Resource(
                "aws_kms_key.a",
                Some("aws"),
                json!({}),
                json!({ "policy": { "references": ["data.aws_iam_policy_document.d.json", "data.aws_iam_policy_document.d"] } }),
            ),
        ],
        &[
            Resource("aws_security_group.d", Some("aws"), json!({}), json!({})),
            Resource(
                "data.aws_iam_policy_document.d",
                Some("aws"),
                json!({}),
                json!({ "statement": [{ "actions": {} }] }),
            ),
        ],
    );
    assert_eq!(
        outcome(&report, "internet-exposed", "aws_instance.a"),
        "undecided"
    );
    assert_eq!(
        outcome(&report, "public-policy", "aws_kms_key.a"),
        "undecided"
    );
}

#[test]
fn a_deferred_rule_of_what_goes_out_lets_nobody_in() {
    for (kind, expected) in [("egress", "clear"), ("ingress", "undecided")] {
        let report = report_of_plan(
            &[Resource(
                "aws_security_group.a",
                Some("aws"),
                json!({}),
                json!({}),
            )],
            &[Resource(
                "aws_security_group_rule.d",
                Some("aws"),
                json!({}),
                json!({
                    "type": { "constant_value": kind },
                    "security_group_id": refers("aws_security_group.a.id"),
                    "cidr_blocks": { "constant_value": ["0.0.0.0/0"] },
                }),
            )],
        );
        let found = outcome(&report, "open-security-group", "aws_security_group.a");
        assert_eq!(found, expected, "{kind}");
    }
}

#[test]
fn a_deferred_resource_without_a_configuration_decides_nothing() {
    let mut plan = plan(
        &[Resource(
            "aws_s3_bucket.a",
            Some("aws"),
            json!({ "bucket": "a" }),
            json!({}),
        )],
        &[Resource(
            "aws_s3_bucket_policy.d",
            Some("aws"),
            json!({}),
            json!({}),
        )],
    );
    plan["configuration"] = Json::Null;
    let report = report_of("plan.json", &plan.to_string(), &Options::default());
    assert_eq!(
        outcome(&report, "public-bucket", "aws_s3_bucket.a"),
        "undecided"
    );
}

#[test]
fn values_of_variables_are_refused_for_a_plan() {
    let options = Options {
        given: vec![trestle_terraform::Given::Value(
            "a".to_owned(),
            "b".to_owned(),
        )],
        ..Options::default()
    };
    let plan = plan(&[], &[]).to_string();
    let problem = trestle_terraform::file("plan.json", plan.as_bytes(), &options).unwrap_err();
    assert!(problem.0.contains("leave out --var"), "{problem}");
}

#[test]
fn the_policy_of_a_key_that_is_not_known_leaves_the_key_undecided() {
    let text = "variable \"a\" {}\nresource \"aws_kms_key\" \"k\" {}\nresource \"aws_kms_key_policy\" \"p\" {\n  key_id = aws_kms_key.k.id\n  policy = var.a\n}";
    assert_outcome(text, ("public-policy", "aws_kms_key.k"), "undecided");
}
