//! A type that no rule looks at is reported as that, and as nothing else.

use proptest::prelude::*;
use serde_json::{Value as Json, json};
use trestle_terraform::{Options, file, report};

/// Providers with rules, providers without, and one whose resources are nothing in a network.
const PROVIDERS: [&str; 9] = [
    "aws",
    "azurerm",
    "datadog",
    "github",
    "google",
    "kubernetes",
    "pagerduty",
    "random",
    "vault",
];
/// What types are called: some of these have rules with some of the providers.
const THINGS: [&str; 12] = [
    "bucket",
    "db_instance",
    "iam_policy",
    "instance",
    "lb",
    "namespace",
    "s3_bucket",
    "security_group",
    "service",
    "storage_bucket",
    "subnet",
    "team_repository",
];

/// The same resource in each form.
fn forms(kind: &str) -> [(&'static str, String); 3] {
    let address = format!("{kind}.a");
    let plan = json!({
        "planned_values": { "root_module": { "resources": [
            { "address": address, "mode": "managed", "type": kind, "name": "a", "values": {} },
        ] } },
        "configuration": { "root_module": { "resources": [{ "address": address, "expressions": {} }] } },
    });
    [
        ("main.tf", format!("resource \"{kind}\" \"a\" {{}}")),
        (
            "main.tf.json",
            json!({ "resource": { (kind): { "a": {} } } }).to_string(),
        ),
        ("plan.json", plan.to_string()),
    ]
}

fn names(report: &Json, list: &str, node: &str) -> bool {
    let mut list = report[list].as_array().unwrap().iter();
    list.any(|one| one["node"] == node)
}

fn check(kind: &str) -> Result<(), TestCaseError> {
    let node = format!("{kind}.a");
    for (name, text) in forms(kind) {
        let built = file(name, text.as_bytes(), &Options::default()).unwrap();
        let report = report(&built);
        let is_looked_at = built.not_looked_at.is_empty();
        let count = u64::from(!is_looked_at);
        prop_assert_eq!(&report["summary"]["notLookedAtCount"], &json!(count));
        let has_answer = ["findings", "unresolved", "notes"]
            .iter()
            .any(|list| names(&report, list, &node));
        prop_assert!(is_looked_at || !has_answer, "{name}: {report:#}");
        let graph = built.graph();
        let is_unresolved = graph["nodes"][0]["unresolved"] == true;
        prop_assert!(is_looked_at || !is_unresolved, "{name}: {graph:#}");
    }
    Ok(())
}

#[test]
fn a_type_without_rules_has_one_answer() {
    for provider in PROVIDERS {
        for thing in THINGS {
            check(&format!("{provider}_{thing}")).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_type_has_one_answer(kind in "[a-z]{1,8}(_[a-z0-9]{1,8}){0,3}") {
        check(&kind)?;
    }
}
