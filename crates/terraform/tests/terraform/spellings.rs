//! What means the same has the same answer, however it is written.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use trestle_terraform::{Files, Options, files, report};

/// The report of files.
fn of(all: &[(&str, &str)]) -> Json {
    let all: Files = all
        .iter()
        .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()))
        .collect();
    let built = files(&all, &Options::default());
    report(&built.unwrap_or_else(|error| panic!("{error}: {all:?}")))
}

/// What a list of a report says: the rule and the node, without the number of the instance.
fn said(report: &Json, list: &str) -> BTreeSet<String> {
    let all = report[list].as_array().unwrap().iter();
    all.map(|one| {
        let node = one["node"].as_str().unwrap().replace("[0]", "");
        format!("{} {node}", one["rule"].as_str().unwrap_or_default())
    })
    .collect()
}

fn finds(report: &Json, rule: &str, node: &str) -> bool {
    said(report, "findings").contains(&format!("{rule} {node}"))
}

/// A block that may be turned off: `OFF` is where it says so, and its module, if it calls one.
struct Setup {
    text: &'static str,
    module: &'static str,
}

const SETUPS: [Setup; 4] = [
    Setup {
        text: r#"resource "aws_s3_bucket" "b" { bucket = "shop" }
resource "aws_s3_bucket_policy" "p" {
  bucket = aws_s3_bucket.b.id
  policy = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "s3:GetObject", Resource = "*" }] })
}
resource "aws_s3_bucket_public_access_block" "x" {
  bucket                  = aws_s3_bucket.b.id
  ignore_public_acls      = true
  restrict_public_buckets = true
  OFF
}
"#,
        module: "",
    },
    Setup {
        text: r#"resource "azurerm_network_security_group" "g" { name = "g" }
resource "azurerm_network_security_rule" "deny" {
  priority                    = 100
  direction                   = "Inbound"
  access                      = "Deny"
  protocol                    = "*"
  source_port_range           = "*"
  destination_port_range      = "*"
  source_address_prefix       = "*"
  destination_address_prefix  = "*"
  network_security_group_name = azurerm_network_security_group.g.name
  OFF
}
resource "azurerm_network_security_rule" "allow" {
  priority                    = 200
  direction                   = "Inbound"
  access                      = "Allow"
  protocol                    = "*"
  source_port_range           = "*"
  destination_port_range      = "22"
  source_address_prefix       = "*"
  destination_address_prefix  = "*"
  network_security_group_name = azurerm_network_security_group.g.name
}
"#,
        module: "",
    },
    Setup {
        text: "resource \"aws_db_instance\" \"a\" {\n  publicly_accessible = true\n  OFF\n}\n",
        module: "",
    },
    Setup {
        text: "module \"m\" {\n  source = \"./m\"\n  OFF\n}\n",
        module: "resource \"aws_s3_bucket\" \"a\" { acl = \"public-read\" }\n",
    },
];

#[test]
fn a_block_that_is_not_enabled_is_as_one_whose_count_is_0() {
    let values = [
        "true",
        "false",
        "\"false\"",
        "local.off",
        "var.off",
        "var.unknown",
        "!var.unknown",
        "var.unknown == \"x\" ? false : false",
    ];
    let names =
        "locals { off = false }\nvariable \"off\" { default = false }\nvariable \"unknown\" {}\n";
    for setup in &SETUPS {
        for value in values {
            let counted = format!("count = ({value}) ? 1 : 0");
            let expected = of(&[
                (
                    "main.tf",
                    &(names.to_owned() + &setup.text.replace("OFF", &counted)),
                ),
                ("m/main.tf", setup.module),
            ]);
            let own = format!("lifecycle {{\n    enabled = {value}\n  }}");
            let other = "lifecycle {\n    ignore_changes = [tags]\n  }";
            let header = setup.text.split("OFF").next().unwrap();
            let header = header.rsplit("}\n").next().unwrap();
            let header = header.lines().next().unwrap();
            let plain = names.to_owned() + &setup.text.replace("OFF", "");
            let other_first = names.to_owned() + &setup.text.replace("OFF", other);
            let merged = format!("{header}\n  {own}\n}}\n");
            for (kind, main, over) in [
                (
                    "in a block",
                    names.to_owned() + &setup.text.replace("OFF", &own),
                    "",
                ),
                ("in an override", plain, merged.as_str()),
                ("beside another argument", other_first, merged.as_str()),
            ] {
                for name in ["main.tf", "main.tofu"] {
                    let mut all = vec![(name, main.as_str()), ("m/main.tf", setup.module)];
                    if !over.is_empty() {
                        all.push(("x_override.tf", over));
                    }
                    let report = of(&all);
                    for list in ["findings", "unresolved"] {
                        assert_eq!(
                            said(&report, list),
                            said(&expected, list),
                            "{list} of `{value}` {kind} of {name}: {header}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn a_block_that_is_not_enabled_in_json_has_no_instance() {
    for lifecycle in [
        "{ \"enabled\": false }",
        "{ \"enabled\": \"false\" }",
        "{ \"enabled\": \"${1 == 2}\" }",
        "[{ \"ignore_changes\": [] }, { \"enabled\": false }]",
    ] {
        let text = format!(
            "{{ \"resource\": {{ \"aws_s3_bucket\": {{ \"a\": {{ \"acl\": \"public-read\", \"lifecycle\": {lifecycle} }} }} }} }}"
        );
        let report = of(&[("main.tf.json", &text)]);
        assert_eq!(report["findings"], serde_json::json!([]), "{lifecycle}");
    }
}

/// A resource with a policy: `POLICY` is where that is.
const WITH_POLICIES: [(&str, &str, &str); 4] = [
    (
        "public-bucket",
        "aws_s3_bucket.a",
        "resource \"aws_s3_bucket\" \"a\" {}\nresource \"aws_s3_bucket_policy\" \"p\" {\n  bucket = aws_s3_bucket.a.id\n  policy = POLICY\n}\n",
    ),
    (
        "public-queue",
        "aws_sqs_queue.a",
        "resource \"aws_sqs_queue\" \"a\" { policy = POLICY }\n",
    ),
    (
        "public-policy",
        "aws_kms_key.a",
        "resource \"aws_kms_key\" \"a\" { policy = POLICY }\n",
    ),
    (
        "iam-open-trust",
        "aws_iam_role.a",
        "resource \"aws_iam_role\" \"a\" { assume_role_policy = POLICY }\n",
    ),
];

#[test]
fn everyone_is_everyone_in_every_shape_of_a_principal() {
    let own = "arn:aws:iam::123456789012:root";
    let lists = [
        ("\"*\"".to_owned(), true),
        ("[\"*\"]".to_owned(), true),
        (format!("[\"{own}\", \"*\"]"), true),
        (format!("\"{own}\""), false),
    ];
    let mut shapes = lists.to_vec();
    for (list, is_everyone) in &lists {
        for kind in ["AWS", "*"] {
            shapes.push((format!("{{ \"{kind}\": {list} }}"), *is_everyone));
            shapes.push((
                format!("{{ \"Service\": \"a.amazonaws.com\", \"{kind}\": {list} }}"),
                *is_everyone,
            ));
        }
    }
    for (shape, is_everyone) in shapes {
        let json = format!(
            "{{ \"Statement\": [{{ \"Effect\": \"Allow\", \"Principal\": {shape}, \"Action\": \"*\", \"Resource\": \"*\" }}] }}"
        );
        let encoded = format!("jsonencode({})", json.replace("\": ", "\" = "));
        let heredoc = format!("<<E\n{json}\nE\n");
        for policy in [&encoded, &heredoc] {
            for (rule, node, text) in WITH_POLICIES {
                let text = text.replace("{ policy", "{\npolicy");
                let text = text
                    .replace("{ assume", "{\nassume")
                    .replace(" }\n", "\n}\n");
                let report = of(&[("main.tf", &text.replace("POLICY", policy))]);
                assert_eq!(finds(&report, rule, node), is_everyone, "{node}: {policy}");
            }
        }
    }
}

#[test]
fn all_of_azure_is_found_at_every_server_with_such_a_rule() {
    for kind in [
        "azurerm_cosmosdb_postgresql_firewall_rule",
        "azurerm_mariadb_firewall_rule",
        "azurerm_mongo_cluster_firewall_rule",
        "azurerm_mssql_firewall_rule",
        "azurerm_mysql_firewall_rule",
        "azurerm_mysql_flexible_server_firewall_rule",
        "azurerm_postgresql_firewall_rule",
        "azurerm_postgresql_flexible_server_firewall_rule",
        "azurerm_sql_firewall_rule",
        "azurerm_synapse_firewall_rule",
    ] {
        let text = format!(
            "resource \"{kind}\" \"a\" {{\n  start_ip_address = \"0.0.0.0\"\n  end_ip_address = \"0.0.0.0\"\n}}\n"
        );
        let node = format!("{kind}.a");
        assert!(
            finds(&of(&[("main.tf", &text)]), "open-security-group", &node),
            "{kind}"
        );
    }
    // Before version 4 of the provider it is a text.
    for (filter, azure, internet) in [
        ("[]", false, true),
        ("\"\"", false, true),
        ("[\"0.0.0.0\"]", true, false),
        ("\"0.0.0.0\"", true, false),
        ("\"198.51.100.1,0.0.0.0\"", true, false),
        ("\"0.0.0.0, 198.51.100.0/24\"", true, false),
        ("[\"198.51.100.1\", \"0.0.0.0\"]", true, false),
        ("\"198.51.100.1,198.51.100.0/24\"", false, false),
        ("[\"198.51.100.1\"]", false, false),
        ("\"198.51.100.1,0.0.0.0/0\"", false, true),
        ("[\"0.0.0.0/0\"]", false, true),
    ] {
        let text = format!(
            "resource \"azurerm_cosmosdb_account\" \"a\" {{ ip_range_filter = {filter} }}\n"
        );
        let report = of(&[("main.tf", &text)]);
        let node = "azurerm_cosmosdb_account.a";
        assert_eq!(
            finds(&report, "open-security-group", node),
            azure,
            "{filter}"
        );
        assert_eq!(
            finds(&report, "public-datastore", node),
            internet,
            "{filter}"
        );
    }
}

#[test]
fn a_route_without_authorization_is_found_if_clients_may_call_it() {
    let rule = "unauthenticated-endpoint";
    for (key, http, socket) in [
        ("POST /admin", true, true),
        ("ANY /{proxy+}", true, true),
        ("OPTIONS /admin", false, false),
        ("$default", true, false),
        ("$connect", true, true),
        ("$disconnect", false, false),
        ("send", false, false),
    ] {
        for (protocol, found) in [("HTTP", http), ("WEBSOCKET", socket)] {
            for (authorization, is_open) in [
                ("", true),
                ("authorization_type = \"NONE\"", true),
                ("authorization_type = \"AWS_IAM\"", false),
                ("authorization_type = \"JWT\"", false),
            ] {
                let text = format!(
                    "resource \"aws_apigatewayv2_api\" \"a\" {{ protocol_type = \"{protocol}\" }}\nresource \"aws_apigatewayv2_route\" \"r\" {{\n  api_id = aws_apigatewayv2_api.a.id\n  route_key = \"{key}\"\n  {authorization}\n}}\n"
                );
                let report = of(&[("main.tf", &text)]);
                let is_found = finds(&report, rule, "aws_apigatewayv2_route.r");
                assert_eq!(is_found, found && is_open, "{text}");
            }
        }
    }
    for (api, method, found) in [
        (
            "",
            "http_method = \"POST\"\n  authorization = \"NONE\"",
            true,
        ),
        (
            "",
            "http_method = \"OPTIONS\"\n  authorization = \"NONE\"",
            false,
        ),
        (
            "",
            "http_method = \"POST\"\n  authorization = \"CUSTOM\"",
            false,
        ),
        (
            "",
            "http_method = \"POST\"\n  authorization = \"NONE\"\n  api_key_required = true",
            false,
        ),
        (
            "endpoint_configuration { types = [\"PRIVATE\"] }",
            "http_method = \"POST\"\n  authorization = \"NONE\"",
            false,
        ),
        (
            "policy = jsonencode({ Statement = [{ Effect = \"Allow\", Principal = { AWS = \"123456789012\" } }] })",
            "http_method = \"POST\"\n  authorization = \"NONE\"",
            false,
        ),
    ] {
        let text = format!(
            "resource \"aws_api_gateway_rest_api\" \"a\" {{\n  {api}\n}}\nresource \"aws_api_gateway_method\" \"m\" {{\n  rest_api_id = aws_api_gateway_rest_api.a.id\n  {method}\n}}\n"
        );
        let report = of(&[("main.tf", &text)]);
        assert_eq!(
            finds(&report, rule, "aws_api_gateway_method.m"),
            found,
            "{text}"
        );
    }
}

#[test]
fn every_one_of_a_kind_is_every_resource_of_an_action_on_that_kind() {
    let kinds = ["group", "policy", "role", "user"];
    for (action, on) in [
        ("AddUserToGroup", "group"),
        ("AttachGroupPolicy", "group"),
        ("PutGroupPolicy", "group"),
        ("CreatePolicyVersion", "policy"),
        ("SetDefaultPolicyVersion", "policy"),
        ("AttachRolePolicy", "role"),
        ("PutRolePolicy", "role"),
        ("UpdateAssumeRolePolicy", "role"),
        ("AttachUserPolicy", "user"),
        ("CreateAccessKey", "user"),
        ("CreateLoginProfile", "user"),
        ("PutUserPolicy", "user"),
        ("UpdateLoginProfile", "user"),
        ("PassRole", "role"),
    ] {
        let rule = if action == "PassRole" {
            "iam-pass-role"
        } else {
            "iam-admin"
        };
        for kind in kinds {
            for (resource, is_every) in [
                ("*".to_owned(), true),
                (format!("arn:aws:iam::123456789012:{kind}/*"), kind == on),
                (format!("arn:aws:iam::*:{kind}/*"), kind == on),
                (format!("arn:aws:iam::123456789012:{kind}/app-*"), false),
            ] {
                let text = format!(
                    "resource \"aws_iam_user_policy\" \"p\" {{\n  policy = jsonencode({{ Statement = [{{ Effect = \"Allow\", Action = [\"iam:{action}\"], Resource = \"{resource}\" }}] }})\n}}\n"
                );
                let report = of(&[("main.tf", &text)]);
                let found = finds(&report, rule, "aws_iam_user_policy.p");
                assert_eq!(found, is_every, "{action} on {resource}");
            }
        }
    }
}
