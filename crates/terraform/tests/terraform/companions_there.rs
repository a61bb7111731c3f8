//! What only decides about another resource is found if it is certainly there, and decides about nothing in other places.

use serde_json::Value as Json;
use trestle_terraform::{Files, Options, file, files, report};

use crate::unclear::outcome;

/// A resource that opens another one: the other one, its own arguments, and what is found about it.
struct Companion {
    kind: &'static str,
    of: &'static str,
    arguments: &'static str,
    rule: &'static str,
}

const COMPANIONS: [Companion; 8] = [
    Companion {
        kind: "google_storage_bucket_iam_member",
        of: "google_storage_bucket",
        arguments: "bucket = OF.name\n role = \"roles/storage.objectViewer\"\n member = \"allUsers\"",
        rule: "public-bucket",
    },
    Companion {
        kind: "google_pubsub_topic_iam_binding",
        of: "google_pubsub_topic",
        arguments: "topic = OF.name\n role = \"roles/pubsub.publisher\"\n members = [\"allUsers\"]",
        rule: "public-policy",
    },
    Companion {
        kind: "google_project_iam_member",
        of: "google_service_account",
        arguments: "project = \"p\"\n role = \"roles/owner\"\n member = OF.member",
        rule: "iam-admin",
    },
    Companion {
        kind: "aws_lambda_permission",
        of: "aws_lambda_function",
        arguments: "action = \"lambda:InvokeFunction\"\n function_name = OF.function_name\n principal = \"*\"",
        rule: "public-policy",
    },
    Companion {
        kind: "aws_iam_role_policy_attachment",
        of: "aws_iam_role",
        arguments: "role = OF.name\n policy_arn = \"arn:aws:iam::aws:policy/AdministratorAccess\"",
        rule: "iam-admin",
    },
    Companion {
        kind: "aws_iam_role_policy",
        of: "aws_iam_role",
        arguments: "role = OF.name\n policy = jsonencode({ Statement = [{ Effect = \"Allow\", Action = \"*\", Resource = \"*\" }] })",
        rule: "iam-admin",
    },
    Companion {
        kind: "azurerm_mssql_firewall_rule",
        of: "azurerm_mssql_server",
        arguments: "server_id = OF.id\n start_ip_address = \"0.0.0.0\"\n end_ip_address = \"255.255.255.255\"",
        rule: "open-security-group",
    },
    Companion {
        kind: "azurerm_role_assignment",
        of: "azurerm_user_assigned_identity",
        arguments: "scope = \"/subscriptions/0\"\n role_definition_name = \"Owner\"\n principal_id = OF.principal_id",
        rule: "iam-admin",
    },
];

fn read(text: &str) -> Json {
    report(&file("main.tf", text.as_bytes(), &Options::default()).unwrap())
}

#[test]
fn a_companion_that_may_be_missing_is_not_found() {
    let variables = "variable \"open\" {}\nvariable \"all\" {}\n";
    let count = "count = var.open ? 1 : 0";
    let each = "for_each = var.all";
    for one in COMPANIONS {
        for (of, own, key, expected) in [
            ("", "", "", "found"),
            ("", count, "", "undecided"),
            ("", each, "", "undecided"),
            (count, count, "[0]", "found"),
            ("", "count = 1", "", "found"),
        ] {
            let named = format!("{}.o{key}", one.of);
            let arguments = one.arguments.replace("OF", &named);
            let text = format!(
                "{variables}resource \"{}\" \"o\" {{\n {of}\n}}\nresource \"{}\" \"c\" {{\n {own}\n {arguments}\n}}\n",
                one.of, one.kind
            );
            let end = if own == "count = 1" { "[0]" } else { "" };
            let node = format!("{}.c{end}", one.kind);
            let found = outcome(&read(&text), one.rule, &node);
            assert_eq!(found, expected, "{text}");
        }
    }
    // It is there as often as what it is about, in a module that may be missing.
    let inner = "resource \"aws_iam_role\" \"o\" {}\nresource \"aws_iam_role_policy_attachment\" \"c\" {\n role = aws_iam_role.o.name\n policy_arn = \"arn:aws:iam::aws:policy/AdministratorAccess\"\n}\n";
    let outer = format!("{variables}module \"m\" {{\n source = \"./m\"\n {count}\n}}\n");
    let all = [("main.tf", outer.as_str()), ("m/main.tf", inner)];
    let report = report_of(&all);
    let node = "module.m.aws_iam_role_policy_attachment.c";
    assert_eq!(outcome(&report, "iam-admin", node), "found");
}

fn report_of(all: &[(&str, &str)]) -> Json {
    let all = all.iter();
    let all = all.map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    report(&files(&Files::from_iter(all), &Options::default()).unwrap())
}
