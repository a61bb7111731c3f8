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

/// Something that opens one of its kind: the other kind, the rule about that, and the way to name one.
struct Opener {
    of: &'static str,
    rule: &'static str,
    node: &'static str,
    beside: &'static str,
    kind: &'static str,
    path: &'static str,
    attribute: &'static str,
    arguments: &'static str,
}

const OPENERS: [Opener; 5] = [
    Opener {
        of: "aws_s3_bucket",
        rule: "public-bucket",
        node: "aws_s3_bucket.mine",
        beside: "resource \"aws_s3_bucket\" \"mine\" { bucket = \"mine\" }",
        kind: "aws_s3_bucket_policy",
        path: "bucket",
        attribute: "id",
        arguments: "policy = jsonencode({ Statement = [{ Effect = \"Allow\", Principal = \"*\", Action = \"*\", Resource = \"*\" }] })",
    },
    Opener {
        of: "aws_sqs_queue",
        rule: "public-queue",
        node: "aws_sqs_queue.mine",
        beside: "resource \"aws_sqs_queue\" \"mine\" { name = \"mine\" }",
        kind: "aws_sqs_queue_policy",
        path: "queue_url",
        attribute: "url",
        arguments: "policy = jsonencode({ Statement = [{ Effect = \"Allow\", Principal = \"*\", Action = \"*\", Resource = \"*\" }] })",
    },
    Opener {
        of: "aws_security_group",
        rule: "internet-exposed",
        node: "aws_instance.mine",
        beside: "resource \"aws_security_group\" \"mine\" { name = \"mine\" }\nresource \"aws_instance\" \"mine\" {\n associate_public_ip_address = true\n vpc_security_group_ids = [aws_security_group.mine.id]\n}",
        kind: "aws_vpc_security_group_ingress_rule",
        path: "security_group_id",
        attribute: "id",
        arguments: "from_port = 22\n to_port = 22\n ip_protocol = \"tcp\"\n cidr_ipv4 = \"0.0.0.0/0\"",
    },
    Opener {
        of: "azurerm_mssql_server",
        rule: "public-datastore",
        node: "azurerm_mssql_server.mine",
        beside: "resource \"azurerm_mssql_server\" \"mine\" { name = \"mine\" }",
        kind: "azurerm_mssql_firewall_rule",
        path: "server_id",
        attribute: "id",
        arguments: "start_ip_address = \"0.0.0.0\"\n end_ip_address = \"255.255.255.255\"",
    },
    Opener {
        of: "google_compute_network",
        rule: "internet-exposed",
        node: "google_compute_instance.mine",
        beside: "resource \"google_compute_network\" \"mine\" { name = \"mine\" }\nresource \"google_compute_instance\" \"mine\" {\n network_interface {\n network = google_compute_network.mine.id\n access_config {}\n }\n}",
        kind: "google_compute_firewall",
        path: "network",
        attribute: "name",
        arguments: "source_ranges = [\"0.0.0.0/0\"]\n allow {\n protocol = \"tcp\"\n }",
    },
];

#[test]
fn what_is_about_a_block_without_instances_or_of_another_root_leaves_others_decided() {
    for one in OPENERS {
        let opener = |name: &str| {
            format!(
                "variable \"name\" {{}}\nvariable \"all\" {{}}\nresource \"{}\" \"r\" {{\n for_each = var.all\n {} = {name}\n {}\n}}\n",
                one.kind, one.path, one.arguments
            )
        };
        let off = format!(
            "resource \"{}\" \"off\" {{\n count = 0\n name = \"off\"\n}}\n",
            one.of
        );
        let of_none = format!("{}.off[0].{}", one.of, one.attribute);
        let text = format!("{}\n{off}{}", one.beside, opener(&of_none));
        assert_eq!(outcome(&read(&text), one.rule, one.node), "clear", "{text}");
        // A value that is not known may name it.
        let text = format!("{}\n{off}{}", one.beside, opener("var.name"));
        assert_eq!(
            outcome(&read(&text), one.rule, one.node),
            "undecided",
            "{text}"
        );
        let other = opener("var.name");
        let report = report_of(&[("a/main.tf", one.beside), ("b/main.tf", &other)]);
        let node = format!("a/{}", one.node);
        assert_eq!(outcome(&report, one.rule, &node), "clear", "{other}");
    }
}

#[test]
fn a_container_is_as_public_as_its_account_allows() {
    let container = |path: &str, of: &str| {
        format!(
            "resource \"azurerm_storage_container\" \"c\" {{\n {path} = {of}\n container_access_type = \"blob\"\n}}\n"
        )
    };
    let versions = |version: &str| {
        format!(
            "terraform {{\n required_providers {{\n azurerm = {{\n source = \"hashicorp/azurerm\"\n version = \"{version}\"\n }}\n }}\n}}\n"
        )
    };
    let node = "azurerm_storage_container.c";
    for (path, attribute) in [
        ("storage_account_name", "name"),
        ("storage_account_id", "id"),
    ] {
        let absent = "module \"a\" { source = \"git::https://example.com/a.git\" }\n";
        let account = |arguments: &str| {
            format!("resource \"azurerm_storage_account\" \"a\" {{ {arguments} }}\n")
        };
        let own = format!("azurerm_storage_account.a.{attribute}");
        for (beside, of, expected) in [
            (
                absent.to_owned(),
                format!("module.a.{attribute}"),
                "undecided",
            ),
            (
                "variable \"a\" {}\n".to_owned(),
                "var.a".to_owned(),
                "undecided",
            ),
            (account("name = \"a\""), own.clone(), "undecided"),
            (
                account("allow_nested_items_to_be_public = true"),
                own.clone(),
                "found",
            ),
            (
                account("allow_nested_items_to_be_public = false"),
                own.clone(),
                "clear",
            ),
            (account("") + &versions("~> 4.1"), own.clone(), "found"),
            (account("") + &versions("~> 5.0"), own.clone(), "clear"),
        ] {
            let text = beside + &container(path, &of);
            assert_eq!(
                outcome(&read(&text), "public-bucket", node),
                expected,
                "{text}"
            );
        }
    }
}

#[test]
fn actions_that_read_every_resource_are_not_writes() {
    for (action, expected) in [
        ("dynamodb:Query", "clear"),
        ("dynamodb:Scan", "clear"),
        ("dynamodb:PartiQLSelect", "clear"),
        ("ecr:BatchCheckLayerAvailability", "clear"),
        ("logs:FilterLogEvents", "clear"),
        ("codecommit:GitPull", "clear"),
        ("aps:QueryMetrics", "clear"),
        ("config:SelectResourceConfig", "clear"),
        ("dynamodb:PutItem", "found"),
        ("codecommit:GitPush", "found"),
        ("ecr:BatchDeleteImage", "found"),
    ] {
        let text = format!(
            "resource \"aws_iam_policy\" \"p\" {{\n policy = jsonencode({{ Statement = [{{ Effect = \"Allow\", Action = \"{action}\", Resource = \"*\" }}] }})\n}}\n"
        );
        let found = outcome(&read(&text), "iam-wildcard-resource", "aws_iam_policy.p");
        assert_eq!(found, expected, "{action}");
    }
}
