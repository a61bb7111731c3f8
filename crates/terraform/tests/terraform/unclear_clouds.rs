//! Rules about what one cloud does: no false alarm, and nothing unknown that is clear.

use crate::unclear::assert_outcome;

const BUCKET: &str = "public-bucket";

#[test]
fn an_account_of_storage_is_public_if_its_containers_may_be() {
    for (account, container, of_account, of_container) in [
        ("", "private", "undecided", "clear"),
        ("", "blob", "undecided", "undecided"),
        (
            "public_network_access_enabled = true\n  network_rules { default_action = \"Allow\" }",
            "private",
            "undecided",
            "clear",
        ),
        (
            "allow_nested_items_to_be_public = true",
            "private",
            "found",
            "clear",
        ),
        (
            "allow_nested_items_to_be_public = var.a",
            "private",
            "undecided",
            "clear",
        ),
        (
            "allow_nested_items_to_be_public = true\n  network_rules { default_action = \"Deny\" }",
            "blob",
            "clear",
            "clear",
        ),
        (
            "allow_nested_items_to_be_public = true\n  network_rules {\n    default_action = \"Deny\"\n    ip_rules = [\"0.0.0.0/1\"]\n  }",
            "blob",
            "found",
            "found",
        ),
        (
            "allow_nested_items_to_be_public = true\n  network_rules { default_action = var.a }",
            "blob",
            "undecided",
            "undecided",
        ),
    ] {
        let text = format!(
            "variable \"a\" {{}}\nresource \"azurerm_storage_account\" \"a\" {{\n  name = \"a\"\n  {account}\n}}\nresource \"azurerm_storage_container\" \"c\" {{\n  storage_account_name = azurerm_storage_account.a.name\n  container_access_type = \"{container}\"\n}}"
        );
        assert_outcome(&text, (BUCKET, "azurerm_storage_account.a"), of_account);
        assert_outcome(&text, (BUCKET, "azurerm_storage_container.c"), of_container);
    }
    for (count, action, expected) in [
        ("", "Deny", "clear"),
        ("", "Allow", "found"),
        ("count = var.a", "Deny", "undecided"),
    ] {
        let text = format!(
            "variable \"a\" {{}}\nresource \"azurerm_storage_account\" \"a\" {{ allow_nested_items_to_be_public = true }}\nresource \"azurerm_storage_account_network_rules\" \"r\" {{\n  {count}\n  storage_account_id = azurerm_storage_account.a.id\n  default_action = \"{action}\"\n}}"
        );
        assert_outcome(&text, (BUCKET, "azurerm_storage_account.a"), expected);
    }
}

#[test]
fn a_datastore_is_exposed_by_its_own_port() {
    for (store, ingress, expected) in [
        (
            "engine = \"postgres\"",
            "protocol = \"tcp\"\n from_port = 443\n to_port = 443",
            "clear",
        ),
        (
            "engine = \"postgres\"",
            "protocol = \"tcp\"\n from_port = 5432\n to_port = 5432",
            "found",
        ),
        (
            "engine = \"postgres\"",
            "protocol = \"tcp\"\n from_port = 0\n to_port = 65535",
            "found",
        ),
        (
            "engine = \"postgres\"",
            "protocol = \"-1\"\n from_port = 0\n to_port = 0",
            "found",
        ),
        (
            "engine = \"postgres\"",
            "protocol = \"udp\"\n from_port = 5432\n to_port = 5432",
            "clear",
        ),
        (
            "engine = \"postgres\"\n port = 6000",
            "protocol = \"tcp\"\n from_port = 5432\n to_port = 5432",
            "clear",
        ),
        (
            "engine = \"postgres\"\n port = var.a",
            "protocol = \"tcp\"\n from_port = 5432\n to_port = 5432",
            "undecided",
        ),
        (
            "replicate_source_db = \"x\"",
            "protocol = \"tcp\"\n from_port = 5432\n to_port = 5432",
            "undecided",
        ),
        (
            "engine = var.a",
            "protocol = \"tcp\"\n from_port = 5432\n to_port = 5432",
            "undecided",
        ),
        (
            "engine = \"postgres\"",
            "protocol = \"tcp\"\n from_port = var.a\n to_port = 5432",
            "undecided",
        ),
        (
            "engine = \"postgres\"",
            "protocol = var.a\n from_port = 443\n to_port = 443",
            "undecided",
        ),
        (
            "engine = \"sqlserver-ex\"",
            "protocol = \"tcp\"\n from_port = 1433\n to_port = 1433",
            "found",
        ),
    ] {
        let text = format!(
            "variable \"a\" {{}}\nresource \"aws_security_group\" \"g\" {{\n  ingress {{\n    {ingress}\n    cidr_blocks = [\"0.0.0.0/0\"]\n  }}\n}}\nresource \"aws_db_instance\" \"d\" {{\n  {store}\n  publicly_accessible = true\n  vpc_security_group_ids = [aws_security_group.g.id]\n}}"
        );
        assert_outcome(&text, ("public-datastore", "aws_db_instance.d"), expected);
    }
}

#[test]
fn the_firewall_of_a_server_decides() {
    for (kind, path) in [
        ("mssql", "server_id"),
        ("mysql_flexible", "server_name"),
        ("mysql", "server_name"),
        ("postgresql_flexible", "server_id"),
        ("postgresql", "server_name"),
        ("sql", "server_name"),
    ] {
        let server = format!("azurerm_{kind}_server");
        let rule = if kind.ends_with("flexible") {
            format!("azurerm_{kind}_server_firewall_rule")
        } else {
            format!("azurerm_{kind}_firewall_rule")
        };
        let attribute = if path == "server_id" { "id" } else { "name" };
        for (named, count, from, to, expected) in [
            ("own", "", "0.0.0.0", "255.255.255.255", "found"),
            ("own", "", "0.0.0.1", "254.0.0.0", "found"),
            ("own", "", "0.0.0.0", "0.0.0.0", "clear"),
            ("own", "", "8.8.8.8", "8.8.8.8", "clear"),
            (
                "own",
                "count = var.a",
                "0.0.0.0",
                "255.255.255.255",
                "undecided",
            ),
            ("own", "", "${var.a}", "255.255.255.255", "undecided"),
            ("other", "", "0.0.0.0", "255.255.255.255", "undecided"),
        ] {
            let of = match named {
                "own" => format!("{server}.s.{attribute}"),
                _ => "var.a".to_owned(),
            };
            let text = format!(
                "variable \"a\" {{}}\nresource \"{server}\" \"s\" {{ name = \"s\" }}\nresource \"{rule}\" \"r\" {{\n  {count}\n  {path} = {of}\n  start_ip_address = \"{from}\"\n  end_ip_address = \"{to}\"\n}}"
            );
            assert_outcome(
                &text,
                ("public-datastore", &format!("{server}.s")),
                expected,
            );
        }
        let closed = format!("resource \"{server}\" \"s\" {{ name = \"s\" }}");
        assert_outcome(
            &closed,
            ("public-datastore", &format!("{server}.s")),
            "clear",
        );
    }
}

#[test]
fn whole_policies_of_google_are_looked_at() {
    let data = |members: &str| {
        format!(
            "variable \"a\" {{}}\ndata \"google_iam_policy\" \"p\" {{\n  binding {{\n    role = \"roles/owner\"\n    members = {members}\n  }}\n}}\n"
        )
    };
    let of = "data.google_iam_policy.p.policy_data";
    let json = "jsonencode({ bindings = [{ role = \"x\", members = [\"allUsers\"] }] })";
    for (kind, rule) in [
        ("google_storage_bucket_iam_policy", BUCKET),
        ("google_pubsub_topic_iam_policy", "public-policy"),
        ("google_project_iam_policy", "public-policy"),
        ("google_cloud_run_v2_service_iam_policy", "public-policy"),
        ("google_secret_manager_secret_iam_policy", "public-policy"),
    ] {
        for (members, policy, expected) in [
            ("[\"allUsers\"]", of, "found"),
            ("[\"user:a@example.com\"]", of, "clear"),
            ("var.a", of, "undecided"),
            ("[]", "var.a", "undecided"),
            ("[]", json, "found"),
            (
                "[]",
                "data.google_iam_policy.other.policy_data",
                "undecided",
            ),
        ] {
            let text = format!(
                "{}resource \"{kind}\" \"x\" {{ policy_data = {policy} }}",
                data(members)
            );
            assert_outcome(&text, (rule, &format!("{kind}.x")), expected);
        }
    }
    let text = format!(
        "{}resource \"google_project_iam_policy\" \"x\" {{ policy_data = {of} }}",
        data("[\"user:a@example.com\"]")
    );
    assert_outcome(&text, ("iam-admin", "google_project_iam_policy.x"), "found");
    let text = format!(
        "{}resource \"google_storage_bucket\" \"b\" {{ public_access_prevention = \"enforced\" }}\nresource \"google_storage_bucket_iam_policy\" \"x\" {{\n  bucket = google_storage_bucket.b.name\n  policy_data = {of}\n}}",
        data("[\"allUsers\"]")
    );
    assert_outcome(
        &text,
        (BUCKET, "google_storage_bucket_iam_policy.x"),
        "clear",
    );
}

#[test]
fn policies_of_more_types_are_looked_at() {
    for (kind, path) in [
        ("aws_api_gateway_rest_api", "policy"),
        ("aws_api_gateway_rest_api_policy", "policy"),
        ("aws_ecrpublic_repository_policy", "policy"),
        ("aws_msk_cluster_policy", "policy"),
        ("aws_s3control_bucket_policy", "policy"),
        ("aws_s3tables_table_bucket_policy", "resource_policy"),
        ("aws_ses_identity_policy", "policy"),
        ("aws_sesv2_email_identity_policy", "policy"),
    ] {
        let everyone = "{ Effect = \"Allow\", Principal = \"*\", Action = \"*\" }";
        let source = "{ StringNotEquals = { \"aws:SourceVpce\" = \"vpce-1\" } }";
        let endpoint = "{ StringEquals = { \"aws:SourceVpce\" = \"vpce-1\" } }";
        let transport = "{ Bool = { \"aws:SecureTransport\" = \"false\" } }";
        let under = |effect: &str, who: &str, condition: &str| {
            format!("{{ Effect = {effect}, Principal = \"{who}\", Condition = {condition} }}")
        };
        let denied = |who: &str, condition: &str| {
            format!("{everyone}, {}", under("\"Deny\"", who, condition))
        };
        let of = |statements: String| format!("jsonencode({{ Statement = [{statements}] }})");
        for (policy, expected) in [
            (of(everyone.to_owned()), "found"),
            (of(under("\"Allow\"", "*", source)), "found"),
            (of(under("\"Allow\"", "*", endpoint)), "clear"),
            (of(under("\"Allow\"", "*", "var.a")), "undecided"),
            (of(denied("*", source)), "undecided"),
            (of(denied("*", transport)), "found"),
            (of(denied("*", "var.a")), "undecided"),
            (of(denied("arn:aws:iam::1:root", "var.a")), "found"),
            (
                of(format!("{everyone}, {}", under("var.a", "*", source))),
                "undecided",
            ),
            (of(format!("{everyone}, var.a")), "undecided"),
            ("var.a".to_owned(), "undecided"),
            (of(String::new()), "clear"),
        ] {
            let text =
                format!("variable \"a\" {{}}\nresource \"{kind}\" \"x\" {{ {path} = {policy} }}");
            assert_outcome(&text, ("public-policy", &format!("{kind}.x")), expected);
        }
    }
    for (text, node) in [
        (
            "resource \"aws_db_snapshot\" \"x\" { shared_accounts = [\"all\"] }",
            "aws_db_snapshot.x",
        ),
        (
            "resource \"aws_ssm_document\" \"x\" { permissions = { type = \"Share\", account_ids = \"All\" } }",
            "aws_ssm_document.x",
        ),
        (
            "resource \"aws_vpc_endpoint_service_allowed_principal\" \"x\" { principal_arn = \"*\" }",
            "aws_vpc_endpoint_service_allowed_principal.x",
        ),
        (
            "resource \"aws_cloudwatch_event_permission\" \"x\" { principal = \"*\" }",
            "aws_cloudwatch_event_permission.x",
        ),
        (
            "resource \"google_bigquery_dataset_access\" \"x\" { special_group = \"allAuthenticatedUsers\" }",
            "google_bigquery_dataset_access.x",
        ),
    ] {
        assert_outcome(text, ("public-policy", node), "found");
    }
}
