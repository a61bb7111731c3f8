//! What is unknown is never clear, and what is decided is not unknown: configurations and plans with the counts of a rule.

use serde_json::{Value as Json, json};

use trestle_terraform::{Files, Given, Options, file, files, report};

/// How many nodes of a configuration or a plan a rule finds, leaves undecided, and clears.
type Counts = (u64, u64, u64);
/// A finding.
const FOUND: Counts = (1, 0, 0);
/// Not decided.
const UNDECIDED: Counts = (0, 1, 0);
/// Nothing found.
const CLEAR: Counts = (0, 0, 1);

pub fn report_of(name: &str, text: &str, options: &Options) -> Json {
    let built = file(name, text.as_bytes(), options);
    report(&built.unwrap_or_else(|e| panic!("{e}: {text}")))
}

/// The report of the files of a configuration.
pub fn report_of_files(of: &Files) -> Json {
    report(&files(of, &Options::default()).unwrap())
}

/// The outcome of a rule for a node.
pub fn outcome(report: &Json, rule: &str, node: &str) -> &'static str {
    let has = |list: &str| {
        let mut list = report[list].as_array().unwrap().iter();
        list.any(|one| one["rule"] == rule && one["node"] == node)
    };
    match (has("findings"), has("unresolved") || has("notes")) {
        (true, _) => "found",
        (false, true) => "undecided",
        (false, false) => "clear",
    }
}

/// Checks the outcome of a rule for a node of a configuration.
#[track_caller]
pub fn assert_outcome(text: &str, (rule, node): (&str, &str), expected: &str) {
    let report = report_of("main.tf", text, &Options::default());
    assert_eq!(
        outcome(&report, rule, node),
        expected,
        "{rule}, {node}: {text}"
    );
}

/// The arguments of a rule of a network security group. `access` and `source` are expressions.
pub fn rule_of_azure(priority: &str, access: &str, source: &str, port: &str) -> String {
    format!(
        "priority = {priority}\n direction = \"Inbound\"\n access = {access}\n protocol = \"Tcp\"\n source_address_prefix = {source}\n source_port_range = \"*\"\n destination_address_prefix = \"*\"\n destination_port_range = \"{port}\"\n"
    )
}

fn counts(report: &Json, rule: &str) -> Counts {
    let mut rules = report["rules"].as_array().unwrap().iter();
    let counted = rules.find(|one| one["rule"] == rule).unwrap();
    let count = |name: &str| counted[name].as_u64().unwrap();
    (count("found"), count("undecided"), count("clear"))
}

fn severity(text: &str, rule: &str) -> String {
    let report = report_of("main.tf", text, &Options::default());
    let mut findings = report["findings"].as_array().unwrap().iter();
    let found = findings.find(|one| one["rule"] == rule).unwrap();
    found["severity"].as_str().unwrap().to_owned()
}

/// A policy that allows these actions for a resource.
fn policy(actions: &str, resource: &str) -> String {
    format!(
        "resource \"aws_iam_policy\" \"a\" {{ policy = jsonencode({{ Statement = {{ Effect = \"Allow\", {actions}, Resource = \"{resource}\" }} }}) }}"
    )
}

#[test]
fn rules_decide_what_the_files_tell() {
    let admin = "resource \"aws_iam_role_policy_attachment\" \"a\" {\n  role = \"a\"\n  policy_arn = data.aws_iam_policy.a.arn\n}\nvariable \"name\" {}\n";
    let attached = |by: &str| format!("{admin}data \"aws_iam_policy\" \"a\" {{ {by} }}");
    let cases = [
        ("iam-admin", attached("name = \"AdministratorAccess\""), FOUND),
        ("iam-admin", attached("arn = \"arn:aws:iam::aws:policy/AdministratorAccess\""), FOUND),
        ("iam-admin", attached("name = var.name"), UNDECIDED),
        ("iam-admin", attached("name = \"ReadOnlyAccess\""), CLEAR),
        ("iam-admin", "resource \"azurerm_role_definition\" \"a\" {\n  permissions { actions = [\"*\"] }\n}".to_owned(), FOUND),
        ("iam-admin", "resource \"azurerm_role_assignment\" \"a\" { role_definition_name = \"Owner\" }".to_owned(), FOUND),
        ("iam-admin", "resource \"azurerm_role_assignment\" \"a\" { role_definition_name = \"Reader\" }".to_owned(), CLEAR),
        ("iam-admin", "resource \"google_project_iam_member\" \"a\" { role = \"roles/owner\" }".to_owned(), FOUND),
        ("public-bucket", "resource \"google_storage_bucket_acl\" \"a\" { role_entity = [\"READER:allUsers\"] }".to_owned(), FOUND),
        ("public-bucket", "resource \"google_storage_bucket_acl\" \"a\" { role_entity = [var.a] }".to_owned(), UNDECIDED),
        ("public-policy", "resource \"google_bigquery_dataset\" \"a\" {\n  access { iam_member = \"allUsers\" }\n}".to_owned(), FOUND),
        ("public-bucket", "resource \"google_storage_bucket\" \"a\" { public_access_prevention = \"enforced\" }\nresource \"google_storage_bucket_iam_member\" \"a\" {\n  bucket = google_storage_bucket.a.name\n  member = \"allUsers\"\n}".to_owned(), CLEAR),
        ("unencrypted-datastore", "resource \"aws_sqs_queue\" \"a\" {\n  sqs_managed_sse_enabled = false\n  kms_master_key_id = var.k\n}".to_owned(), UNDECIDED),
        ("unencrypted-datastore", "resource \"aws_spot_instance_request\" \"a\" {\n  root_block_device { encrypted = false }\n}".to_owned(), FOUND),
        ("unencrypted-datastore", "resource \"aws_workspaces_workspace\" \"a\" { root_volume_encryption_enabled = true }".to_owned(), FOUND),
        ("unencrypted-datastore", "resource \"aws_workspaces_workspace\" \"a\" {\n  root_volume_encryption_enabled = true\n  user_volume_encryption_enabled = var.k\n}".to_owned(), UNDECIDED),
        ("unencrypted-datastore", "resource \"aws_kinesis_firehose_delivery_stream\" \"a\" {\n  kinesis_source_configuration { kinesis_stream_arn = var.k }\n}".to_owned(), UNDECIDED),
        ("iam-pass-role", policy("Action = \"iam:PassRole\"", "arn:aws:iam::123456789012:role/*"), FOUND),
        ("iam-pass-role", policy("Action = \"iam:PassRole\"", "arn:aws:iam::*:role/*"), FOUND),
        ("iam-pass-role", policy("Action = \"iam:PassRole\"", "arn:aws:iam::*:role/a"), CLEAR),
        ("iam-pass-role", policy("Action = \"iam:PassRole\"", "arn:aws:iam::1:role/${var.prefix}*"), UNDECIDED),
        ("iam-pass-role", policy("Action = \"iam:PassRole\"", "arn:aws:iam::${var.account}:role/${var.prefix}*"), UNDECIDED),
        ("iam-pass-role", policy("Action = \"iam:PassRole\"", "arn:aws:iam::${data.aws_caller_identity.a.account_id}:role/${var.prefix}*"), UNDECIDED),
        ("iam-pass-role", policy("Action = \"iam:PassRole\"", "arn:aws:iam::${var.account}:role/*"), FOUND),
        ("iam-pass-role", policy("Action = \"iam:PassRole\"", "arn:aws:iam::${var.account}:role/app-${var.prefix}*"), CLEAR),
        ("iam-pass-role", policy("Action = \"iam:PassRole\"", "arn:aws:iam::${var.account}:role/${aws_iam_role.a.name}*"), CLEAR),
        ("iam-wildcard-resource", policy("Action = \"s3:PutObject\"", "arn:aws:s3:::${var.prefix}*"), UNDECIDED),
        ("iam-wildcard-resource", policy("Action = \"s3:PutObject\"", "arn:aws:s3:::${var.bucket}/*"), CLEAR),
        ("iam-wildcard-resource", policy("Action = \"s3:PutObject\"", "arn:aws:s3:::*"), FOUND),
        ("iam-wildcard-action", policy("Action = \"s3:?*\"", "arn:aws:s3:::a"), FOUND),
        ("iam-wildcard-action", policy("NotAction = [\"iam:*\"]", "*"), FOUND),
        ("iam-admin", policy("NotAction = [\"iam:*\", \"organizations:*\", \"account:*\"]", "*"), FOUND),
        ("iam-admin", policy("NotAction = [\"iam:*\"]", "arn:aws:s3:::a"), CLEAR),
        ("iam-admin", policy("NotAction = [\"*\"]", "*"), CLEAR),
        ("iam-admin", policy("Action = \"*\"", "arn:aws:*:*:*:*"), FOUND),
        ("iam-admin", policy("Action = \"*\"", "arn:aws:s3:*:*:*"), CLEAR),
        ("iam-admin", policy("Action = \"iam:*\"", "*"), FOUND),
        ("iam-admin", policy("Action = [\"iam:PutRolePolicy\", \"iam:AttachRolePolicy\"]", "*"), FOUND),
        ("iam-admin", policy("Action = \"iam:Put*\"", "*"), FOUND),
        ("iam-admin", policy("Action = \"iam:Get*\"", "*"), CLEAR),
        ("iam-admin", policy("Action = \"iam:PutRolePolicy\"", "arn:aws:iam::123456789012:role/app-*"), CLEAR),
        ("iam-admin", policy("Action = \"iam:PutRolePolicy\", Condition = { StringEquals = { \"iam:PermissionsBoundary\" = \"a\" } }", "*"), UNDECIDED),
        ("iam-admin", policy("Action = \"iam:*\", Condition = { Bool = { \"aws:MultiFactorAuthPresent\" = \"true\" } }", "*"), FOUND),
        ("iam-pass-role", policy("NotAction = [\"iam:*\"]", "*"), CLEAR),
        ("iam-pass-role", policy("NotAction = [\"s3:*\"]", "*"), FOUND),
        ("open-security-group", "resource \"azurerm_network_security_rule\" \"a\" {\n  direction = \"inbound\"\n  access = \"allow\"\n  source_address_prefix = \"*\"\n}".to_owned(), FOUND),
        ("open-security-group", "resource \"google_compute_firewall\" \"a\" {\n  allow { protocol = \"tcp\" }\n}".to_owned(), UNDECIDED),
        ("exposed-uses-datastore", "resource \"google_storage_bucket\" \"a\" { name = \"a\" }\nresource \"google_cloud_run_v2_service\" \"a\" {\n  template {\n    containers {\n      env {\n        name = \"B\"\n        value = google_storage_bucket.a.name\n      }\n    }\n  }\n}\nresource \"google_cloud_run_v2_service_iam_member\" \"a\" {\n  name = google_cloud_run_v2_service.a.name\n  member = \"allUsers\"\n}".to_owned(), FOUND),
    ];
    for (rule, text, expected) in cases {
        let report = report_of("main.tf", &text, &Options::default());
        assert_eq!(counts(&report, rule), expected, "{rule}: {text}");
    }
}

#[test]
fn an_account_that_forbids_public_containers_keeps_everyone_out() {
    let text = "resource \"azurerm_storage_account\" \"a\" { allow_nested_items_to_be_public = false }\nresource \"azurerm_storage_container\" \"a\" {\n  storage_account_name = azurerm_storage_account.a.name\n  container_access_type = \"blob\"\n}";
    let report = report_of("main.tf", text, &Options::default());
    assert_eq!(counts(&report, "public-bucket"), (0, 0, 2));
}

#[test]
fn open_ports_are_as_severe_in_every_cloud() {
    let google = |allow: &str| {
        format!(
            "resource \"google_compute_firewall\" \"a\" {{\n  source_ranges = [\"0.0.0.0/0\"]\n  allow {{\n    {allow}\n  }}\n}}"
        )
    };
    let azure = |port: &str| {
        format!(
            "resource \"azurerm_network_security_group\" \"a\" {{\n  security_rule {{\n    direction = \"Inbound\"\n    access = \"Allow\"\n    protocol = \"Tcp\"\n    source_address_prefix = \"*\"\n    destination_port_range = \"{port}\"\n  }}\n}}"
        )
    };
    for (text, expected) in [
        (google("protocol = \"tcp\"\n    ports = [\"443\"]"), "LOW"),
        (
            google("protocol = \"tcp\"\n    ports = [\"80\", \"22\"]"),
            "HIGH",
        ),
        (google("protocol = \"tcp\""), "HIGH"),
        (google("protocol = \"icmp\""), "MEDIUM"),
        (azure("443"), "LOW"),
        (azure("*"), "HIGH"),
        (azure("8080"), "MEDIUM"),
    ] {
        assert_eq!(severity(&text, "open-security-group"), expected, "{text}");
    }
}

#[test]
fn findings_about_wildcards_name_the_actions() {
    let text = policy("Action = [\"s3:*\", \"sqs:*\"]", "arn:aws:s3:::a");
    let report = report_of("main.tf", &text, &Options::default());
    let message = report["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("`s3:*`, `sqs:*`"), "{message}");
}

/// A plan with one resource: its values, and what is known after the apply.
fn plan(kind: &str, values: Json, unknown: Json, has_configuration: bool) -> Json {
    let address = format!("{kind}.a");
    let mut plan = json!({
        "planned_values": { "root_module": { "resources": [
            { "address": address, "mode": "managed", "type": kind, "name": "a", "values": values },
        ] } },
        "resource_changes": [{ "address": address, "change": { "after_unknown": unknown } }],
    });
    if has_configuration {
        let resource = json!({ "address": address, "expressions": {} });
        plan["configuration"] = json!({ "root_module": { "resources": [resource] } });
    }
    plan
}

#[test]
fn what_a_plan_knows_after_the_apply_is_not_clear() {
    let rule = json!({ "from_port": 22, "to_port": 22, "protocol": "tcp", "cidr_blocks": [null] });
    let group = json!({ "ingress": [rule] });
    let (group_rule, store) = ("open-security-group", "unencrypted-datastore");
    for has_configuration in [true, false] {
        for (kind, values, unknown, rule) in [
            (
                "aws_security_group",
                &group,
                json!({ "ingress": [{ "cidr_blocks": [true] }] }),
                group_rule,
            ),
            (
                "aws_security_group",
                &group,
                json!({ "ingress": [{ "cidr_blocks": true }] }),
                group_rule,
            ),
            (
                "aws_security_group",
                &group,
                json!({ "ingress": { "cidr_blocks": true } }),
                group_rule,
            ),
            (
                "aws_security_group",
                &json!({}),
                json!({ "ingress": [{ "cidr_blocks": true }] }),
                group_rule,
            ),
            (
                "aws_dax_cluster",
                &json!({}),
                json!({ "server_side_encryption": true }),
                store,
            ),
        ] {
            let plan = plan(kind, values.clone(), unknown, has_configuration).to_string();
            let report = report_of("plan.json", &plan, &Options::default());
            assert_eq!(counts(&report, rule), UNDECIDED, "{plan}");
        }
    }
}

#[test]
fn what_a_plan_leaves_for_another_one_is_not_clear() {
    let mut deferred = plan("aws_sqs_queue", json!({}), json!({}), true);
    deferred["deferred_changes"] = json!([{
        "reason": "instance_count_unknown",
        "resource_change": { "address": "aws_s3_bucket.b", "mode": "managed", "type": "aws_s3_bucket", "name": "b" },
    }]);
    let report = report_of("plan.json", &deferred.to_string(), &Options::default());
    assert_eq!(report["unresolved"][0]["node"], "aws_s3_bucket.b");
    let mut incomplete = plan("aws_sqs_queue", json!({}), json!({}), true);
    incomplete["complete"] = json!(false);
    let report = report_of("plan.json", &incomplete.to_string(), &Options::default());
    assert_eq!(report["unread"][0]["file"], "plan");
}

#[test]
fn of_values_that_are_given_the_last_one_counts() {
    let text = "variable \"acl\" {}\nresource \"aws_s3_bucket\" \"a\" { acl = var.acl }";
    let file = Given::File("a.tfvars".to_owned(), b"acl = \"private\"".to_vec());
    let value = Given::Value("acl".to_owned(), "public-read".to_owned());
    for (given, expected) in [
        (vec![file.clone(), value.clone()], FOUND),
        (vec![value, file], CLEAR),
    ] {
        let options = Options {
            given,
            ..Options::default()
        };
        let report = report_of("main.tf", text, &options);
        assert_eq!(counts(&report, "public-bucket"), expected);
    }
}

#[test]
fn a_default_counts_in_the_place_of_null() {
    let text = "variable \"acl\" {\n  default = \"public-read\"\n  nullable = false\n}\nresource \"aws_s3_bucket\" \"a\" { acl = var.acl }";
    let null = Given::File("a.tfvars".to_owned(), b"acl = null".to_vec());
    let options = Options {
        given: vec![null],
        ..Options::default()
    };
    assert_eq!(
        counts(&report_of("main.tf", text, &options), "public-bucket"),
        FOUND
    );
}

#[test]
fn a_top_folder_without_resources_is_not_the_root() {
    let files = Files::from([
        ("versions.tf".to_owned(), b"terraform {}".to_vec()),
        (
            "envs/p/main.tf".to_owned(),
            b"resource \"aws_s3_bucket\" \"a\" {}".to_vec(),
        ),
    ]);
    let built = trestle_terraform::files(&files, &Options::default()).unwrap();
    assert_eq!(built.roots, ["envs/p"]);
}
