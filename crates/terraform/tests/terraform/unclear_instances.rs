//! Several instances that are one node: arguments in which they differ are not known, and what only some of them deny is
//! undecided.

use trestle_terraform::{Files, Options, file, report};

use crate::unclear::{assert_outcome, outcome, report_of_files, rule_of_azure};

const GROUP: &str = "open-security-group";
const STORE: &str = "public-datastore";

#[test]
fn a_module_is_judged_by_what_all_of_its_instances_are_given() {
    let inner = "variable \"cidr\" {}\nresource \"aws_security_group\" \"g\" {\n  ingress {\n    protocol = \"tcp\"\n    from_port = 22\n    to_port = 22\n    cidr_blocks = [var.cidr]\n  }\n}";
    for (each, cidr, expected) in [
        (
            "toset(concat([\"10.0.0.0/8\", \"0.0.0.0/0\"], var.more))",
            "each.value",
            "undecided",
        ),
        ("toset([\"10.0.0.0/8\", var.x])", "each.value", "undecided"),
        ("toset([\"10.0.0.0/8\", var.x])", "\"10.0.0.0/8\"", "clear"),
        ("toset([\"10.0.0.0/8\", var.x])", "\"0.0.0.0/0\"", "found"),
    ] {
        let outer = format!(
            "variable \"more\" {{}}\nvariable \"x\" {{}}\nmodule \"m\" {{\n  source = \"./m\"\n  for_each = {each}\n  cidr = {cidr}\n}}"
        );
        let files = [("main.tf", outer.as_str()), ("m/main.tf", inner)];
        let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        let report = report_of_files(&Files::from(files));
        let found = outcome(&report, GROUP, "module.m.aws_security_group.g");
        assert_eq!(found, expected, "{each} {cidr}");
    }
}

#[test]
fn a_port_that_is_inherited_is_not_the_engines() {
    for (source, expected) in [
        ("", "clear"),
        ("port = 6000\n snapshot_identifier = \"s\"", "clear"),
        ("port = 443\n snapshot_identifier = \"s\"", "found"),
        ("snapshot_identifier = \"s\"", "undecided"),
        ("replicate_source_db = \"s\"", "undecided"),
        ("snapshot_identifier = null", "clear"),
        (
            "restore_to_point_in_time {\n source_db_instance_identifier = \"s\"\n }",
            "undecided",
        ),
        ("s3_import {\n bucket_name = \"s\"\n }", "undecided"),
    ] {
        let text = format!(
            "resource \"aws_security_group\" \"g\" {{\n  ingress {{\n    protocol = \"tcp\"\n    from_port = 443\n    to_port = 443\n    cidr_blocks = [\"0.0.0.0/0\"]\n  }}\n}}\nresource \"aws_db_instance\" \"d\" {{\n  engine = \"postgres\"\n  {source}\n  publicly_accessible = true\n  vpc_security_group_ids = [aws_security_group.g.id]\n}}"
        );
        assert_outcome(&text, (STORE, "aws_db_instance.d"), expected);
    }
}

/// A rule of a network security group.
fn rule(priority: u32, access: &str, (source, destination): (&str, &str)) -> String {
    let rule = rule_of_azure(
        &priority.to_string(),
        &format!("\"{access}\""),
        source,
        "22",
    );
    let rule = rule.replace(
        "destination_address_prefix = \"*\"",
        &format!("destination_address_prefix = \"{destination}\""),
    );
    format!("  security_rule {{\n{rule}  }}\n")
}

#[test]
fn a_denial_of_ipv4_does_not_keep_ipv6_out() {
    for (denied, allowed, expected) in [
        (("0.0.0.0/0", "*"), ("0.0.0.0/0", "*"), "clear"),
        (("0.0.0.0/0", "0.0.0.0/0"), ("0.0.0.0/0", "*"), "clear"),
        (("*", "0.0.0.0/0"), ("*", "10.0.0.4"), "clear"),
        (("*", "*"), ("::/0", "*"), "clear"),
        (("0.0.0.0/0", "*"), ("::/0", "*"), "undecided"),
        (("0.0.0.0/0", "*"), ("*", "*"), "undecided"),
        (("0.0.0.0/0", "*"), ("Internet", "*"), "undecided"),
        (("*", "0.0.0.0/0"), ("*", "*"), "undecided"),
        (("*", "0.0.0.0/0"), ("::/0", "*"), "undecided"),
    ] {
        let quoted = |source: &str| format!("\"{source}\"");
        let text = format!(
            "resource \"azurerm_network_security_group\" \"g\" {{\n{}{}}}",
            rule(100, "Deny", (&quoted(denied.0), denied.1)),
            rule(200, "Allow", (&quoted(allowed.0), allowed.1))
        );
        assert_outcome(&text, (GROUP, "azurerm_network_security_group.g"), expected);
    }
}

#[test]
fn a_source_that_is_known_in_part_is_not_clear() {
    for (source, expected) in [
        ("\"0.0.0.0/${var.a}\"", "undecided"),
        ("\"${var.a}/0\"", "undecided"),
        ("\"${var.a}/32\"", "clear"),
        ("\"Storage.${var.a}\"", "clear"),
    ] {
        let text = format!(
            "variable \"a\" {{}}\nresource \"azurerm_network_security_group\" \"g\" {{\n{}}}",
            rule(200, "Allow", (source, "*"))
        );
        assert_outcome(&text, (GROUP, "azurerm_network_security_group.g"), expected);
    }
}

#[test]
fn what_only_some_instances_keep_out_is_not_clear() {
    let each = "for_each = toset(concat([\"Deny\", \"Allow\"], var.more))";
    let name = "network_security_group_name = azurerm_network_security_group.g.name";
    let arguments = |priority, access| rule_of_azure(priority, access, "\"*\"", "22");
    for (access, expected) in [("each.value", "undecided"), ("\"Deny\"", "undecided")] {
        let text = format!(
            "variable \"more\" {{}}\nresource \"azurerm_network_security_group\" \"g\" {{ name = \"g\" }}\nresource \"azurerm_network_security_rule\" \"a\" {{\n  {name}\n{}}}\nresource \"azurerm_network_security_rule\" \"d\" {{\n  {each}\n  {name}\n{}}}",
            arguments("200", "\"Allow\""),
            arguments("100", access),
        );
        assert_outcome(&text, (GROUP, "azurerm_network_security_rule.a"), expected);
    }
    // Of groups that are not told apart, one denies everyone, and another one not.
    for (source, expected) in [("each.value", "undecided"), ("\"*\"", "clear")] {
        let each = "for_each = toset(concat([\"*\", \"10.0.0.0/8\"], var.more))";
        let text = format!(
            "variable \"more\" {{}}\nresource \"azurerm_network_security_group\" \"g\" {{\n  {each}\n{}{}}}",
            rule(100, "Deny", (source, "*")),
            rule(200, "Allow", ("\"*\"", "*")),
        );
        assert_outcome(&text, (GROUP, "azurerm_network_security_group.g"), expected);
    }
    let container = "resource \"azurerm_storage_container\" \"c\" {\n  storage_account_name = azurerm_storage_account.a[\"x\"].name\n  container_access_type = \"blob\"\n}";
    for (flag, expected) in [("each.value", "undecided"), ("false", "clear")] {
        let text = format!(
            "variable \"more\" {{}}\nresource \"azurerm_storage_account\" \"a\" {{\n  for_each = toset(concat([\"false\", \"true\"], var.more))\n  allow_nested_items_to_be_public = {flag}\n}}\n{container}"
        );
        assert_outcome(
            &text,
            ("public-bucket", "azurerm_storage_container.c"),
            expected,
        );
    }
    for (action, expected) in [("each.value", "undecided"), ("\"Deny\"", "clear")] {
        let text = format!(
            "variable \"more\" {{}}\nresource \"azurerm_storage_account\" \"a\" {{\n  {each}\n  network_rules {{ default_action = {action} }}\n}}\n{container}"
        );
        assert_outcome(
            &text,
            ("public-bucket", "azurerm_storage_container.c"),
            expected,
        );
    }
}

#[test]
fn a_text_that_is_joined_of_a_list_with_unknown_elements_may_be_shorter() {
    for (acl, expected) in [
        ("join(\"-\", concat(var.p, [\"public-read\"]))", "undecided"),
        ("join(\"\", concat(var.p, [\"public-read\"]))", "undecided"),
        (
            "join(\"-\", concat([\"public\"], var.p, [\"read\"]))",
            "undecided",
        ),
        ("join(\"-\", concat(var.p, [\"x\"]))", "clear"),
        ("join(\"-\", [\"public\", \"read\"])", "found"),
        ("join(\"-\", [var.p, \"read\"])", "undecided"),
    ] {
        let text =
            format!("variable \"p\" {{}}\nresource \"aws_s3_bucket\" \"b\" {{ acl = {acl} }}");
        assert_outcome(&text, ("public-bucket", "aws_s3_bucket.b"), expected);
    }
}

#[test]
fn a_text_that_may_be_a_wildcard_is_not_clear() {
    for (who, expected) in [
        ("[\"${var.p}*\"]", "undecided"),
        ("[\"*${var.p}\"]", "undecided"),
        ("[\"arn:aws:iam::${var.p}:root\"]", "clear"),
        ("[\"${var.p}:x:${var.p}\"]", "clear"),
        ("[\"${var.p.arn}*\"]", "undecided"),
        ("[\"${aws_iam_role.r.arn}*\"]", "clear"),
    ] {
        let text = format!(
            "variable \"p\" {{}}\nresource \"aws_iam_role\" \"r\" {{}}\nresource \"aws_kms_key\" \"k\" {{ policy = jsonencode({{ Statement = [{{ Effect = \"Allow\", Action = \"kms:Decrypt\", Resource = \"*\", Principal = {{ AWS = {who} }} }}] }}) }}"
        );
        assert_outcome(&text, ("public-policy", "aws_kms_key.k"), expected);
    }
}

#[test]
fn a_key_that_may_be_missing_does_not_encrypt() {
    let rule = "unencrypted-datastore";
    for (key, expected) in [
        ("\"${var.p}${var.p}\"", "undecided"),
        ("\"alias/${var.p}\"", "clear"),
        ("concat(var.p, [])", "undecided"),
        ("sensitive(var.p)", "undecided"),
    ] {
        let text = format!(
            "variable \"p\" {{}}\nresource \"aws_sqs_queue\" \"q\" {{\n  sqs_managed_sse_enabled = false\n  kms_master_key_id = {key}\n}}"
        );
        assert_outcome(&text, (rule, "aws_sqs_queue.q"), expected);
    }
    let each = "for_each = toset(concat([\"false\", \"true\"], var.p))";
    for (flag, expected) in [("each.value", "undecided"), ("true", "clear")] {
        let text = format!(
            "variable \"p\" {{}}\nresource \"aws_ebs_encryption_by_default\" \"d\" {{\n  {each}\n  enabled = {flag}\n}}\nresource \"aws_ebs_volume\" \"v\" {{\n  {each}\n  size = 1\n}}"
        );
        assert_outcome(&text, (rule, "aws_ebs_volume.v"), expected);
    }
    let text = "variable \"p\" {}\nresource \"aws_sqs_queue\" \"q\" {\n  for_each = toset(concat([\"k\"], var.p))\n  sqs_managed_sse_enabled = false\n  kms_master_key_id = each.value\n}";
    assert_outcome(text, (rule, "aws_sqs_queue.q"), "undecided");
}

const POLICY: &str =
    "{ \"Statement\": [{ \"Effect\": \"Allow\", \"Principal\": \"WHO\", \"Action\": \"*\" }] }";

/// A gzipped tar archive of files and links.
fn tar(entries: &[(&str, Result<&str, &str>)]) -> Vec<u8> {
    let packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(packed);
    for (path, entry) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_mode(0o644);
        match entry {
            Ok(text) => {
                header.set_size(text.len() as u64);
                archive
                    .append_data(&mut header, path, text.as_bytes())
                    .unwrap();
            }
            Err(to) => {
                header.set_size(0);
                header.set_entry_type(tar::EntryType::Symlink);
                archive.append_link(&mut header, path, to).unwrap();
            }
        }
    }
    archive.into_inner().unwrap().finish().unwrap()
}

#[test]
fn a_file_that_an_archive_has_twice_is_not_known() {
    let main = "resource \"aws_kms_key\" \"k\" { policy = file(\"p.json\") }";
    let (open, closed) = (
        POLICY.replace("WHO", "*"),
        POLICY.replace("WHO", "arn:aws:iam::1:root"),
    );
    let long = format!("{open}{}", " ".repeat(300 * 1024));
    let (first, main) = (("p.json", Ok(closed.as_str())), ("main.tf", Ok(main)));
    for (second, expected) in [
        (None, "clear"),
        (Some(("./p.json", Ok(open.as_str()))), "undecided"),
        (Some(("p.json", Ok(long.as_str()))), "undecided"),
        (Some(("p.json", Err("q.json"))), "undecided"),
    ] {
        for is_first in [false, true] {
            let mut entries = vec![main, first];
            match (second, is_first) {
                (Some(second), true) => entries.insert(0, second),
                (Some(second), false) => entries.push(second),
                (None, _) => {}
            }
            let built = file("module.tar.gz", &tar(&entries), &Options::default());
            let report = report(&built.unwrap());
            let found = outcome(&report, "public-policy", "aws_kms_key.k");
            assert_eq!(found, expected, "{:?} {is_first}", second.map(|one| one.0));
        }
    }
}

#[test]
fn the_files_beside_a_configuration_are_read_first() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let main = "resource \"aws_kms_key\" \"k\" { policy = file(\"${path.module}/files/p.json\") }";
    write("m/main.tf", main);
    write("m/files/p.json", &POLICY.replace("WHO", "*"));
    for at in 0..1_000 {
        for other in ["a", "b", "x", "m/node_modules/y", "z"] {
            write(&format!("{other}/{at}.json"), "{}");
        }
    }
    let report = report(&trestle_terraform::folder(folder.path(), &Options::default()).unwrap());
    assert_eq!(outcome(&report, "public-policy", "aws_kms_key.k"), "found");
}
