//! Expressions that are known in part decide as far as their parts do.

use crate::unclear::{assert_outcome, outcome, report_of, report_of_files};
use trestle_terraform::{Files, Given, Options};

const GROUP: &str = "open-security-group";

/// Checks the outcome for a security group with these sources.
#[track_caller]
fn assert_group(sources: &str, expected: &str) {
    let text = format!(
        "variable \"a\" {{}}\nvariable \"b\" {{}}\ndata \"aws_vpc\" \"v\" {{}}\ndata \"aws_ami\" \"v\" {{}}\nresource \"aws_security_group\" \"g\" {{\n  ingress {{\n    protocol = \"tcp\"\n    from_port = 22\n    to_port = 22\n    cidr_blocks = {sources}\n  }}\n}}"
    );
    assert_outcome(&text, (GROUP, "aws_security_group.g"), expected);
}

#[test]
fn a_list_with_an_open_part_is_open_whatever_the_rest_is() {
    for (sources, expected) in [
        ("concat([\"0.0.0.0/0\"], var.a)", "found"),
        ("concat(var.a, [\"0.0.0.0/0\"], var.b)", "found"),
        ("flatten([[\"0.0.0.0/0\"], var.a])", "found"),
        ("setunion([\"0.0.0.0/0\"], var.a)", "found"),
        ("distinct(concat([\"0.0.0.0/0\"], var.a))", "found"),
        ("[for one in concat([\"0.0.0.0/0\"], var.a) : one]", "found"),
        ("concat([\"10.0.0.0/8\"], var.a)", "undecided"),
        ("flatten([[\"10.0.0.0/8\"], var.a])", "undecided"),
        ("slice(concat(var.a, [\"10.0.0.0/8\"]), 0, 1)", "undecided"),
        ("[element(concat(var.a, [\"10.0.0.0/8\"]), 0)]", "undecided"),
        ("[concat(var.a, [\"10.0.0.0/8\"])[0]]", "undecided"),
        (
            "coalescelist(concat(var.a, []), [\"10.0.0.0/8\"])",
            "undecided",
        ),
        (
            "values(zipmap([\"x\"], concat(var.a, [\"10.0.0.0/8\"])))",
            "undecided",
        ),
        (
            "length(concat(var.a, [])) == 1 ? [\"0.0.0.0/0\"] : [\"10.0.0.0/8\"]",
            "undecided",
        ),
        (
            "concat(var.a, []) == [] ? [\"0.0.0.0/0\"] : [\"10.0.0.0/8\"]",
            "undecided",
        ),
        (
            "[var.a] == [\"x\"] ? [\"0.0.0.0/0\"] : [\"10.0.0.0/8\"]",
            "undecided",
        ),
    ] {
        assert_group(sources, expected);
    }
}

#[test]
fn a_choice_is_decided_if_all_its_branches_are() {
    for (sources, expected) in [
        ("var.a ? [\"10.0.0.0/8\"] : [\"192.168.0.0/16\"]", "clear"),
        ("var.a ? [\"10.0.0.0/8\"] : []", "clear"),
        ("[var.a ? \"10.0.0.0/8\" : \"192.168.0.0/16\"]", "clear"),
        (
            "var.a ? [\"0.0.0.0/0\"] : [\"0.0.0.0/0\", \"10.0.0.0/8\"]",
            "found",
        ),
        ("var.a ? [\"0.0.0.0/0\"] : [\"10.0.0.0/8\"]", "undecided"),
        ("var.a ? [\"10.0.0.0/8\"] : var.b", "undecided"),
        ("var.a ? [\"0.0.0.0/0\"] : var.b", "undecided"),
        (
            "concat([\"10.0.0.0/8\"], var.a ? [\"10.1.0.0/16\"] : [])",
            "clear",
        ),
        (
            "concat([\"10.0.0.0/8\"], var.a ? [\"0.0.0.0/0\"] : [])",
            "undecided",
        ),
        (
            "concat([\"0.0.0.0/0\"], var.a ? [\"10.1.0.0/16\"] : [])",
            "found",
        ),
        (
            "(var.a ? { x = [\"10.0.0.0/8\"] } : { x = [\"10.1.0.0/16\"] }).x",
            "clear",
        ),
        ("(var.a ? { x = [\"10.0.0.0/8\"] } : {}).x", "undecided"),
    ] {
        assert_group(sources, expected);
    }
    for (argument, expected) in [
        ("acl = var.a ? \"private\" : null", "clear"),
        (
            "acl = var.a ? \"private\" : \"log-delivery-write\"",
            "clear",
        ),
        (
            "acl = var.a ? \"public-read\" : \"authenticated-read\"",
            "found",
        ),
        ("acl = var.a ? \"public-read\" : \"private\"", "undecided"),
        (
            "policy = var.a ? jsonencode({ Statement = [] }) : null",
            "clear",
        ),
    ] {
        let text =
            format!("variable \"a\" {{}}\nresource \"aws_s3_bucket\" \"b\" {{ {argument} }}");
        assert_outcome(&text, ("public-bucket", "aws_s3_bucket.b"), expected);
    }
}

#[test]
fn what_null_leaves_to_another_resource_is_not_decided_by_a_default() {
    let text = "variable \"a\" {}\nresource \"aws_security_group\" \"g\" {\n  ingress { cidr_blocks = [\"0.0.0.0/0\"] }\n}\nresource \"aws_instance\" \"i\" {\n  associate_public_ip_address = var.a ? false : null\n  vpc_security_group_ids = [aws_security_group.g.id]\n  subnet_id = \"subnet-1\"\n}";
    assert_outcome(text, ("internet-exposed", "aws_instance.i"), "undecided");
}

#[test]
fn a_dynamic_block_that_may_be_there_is_clear_if_it_lets_nobody_in() {
    for (source, expected) in [("10.0.0.0/8", "clear"), ("0.0.0.0/0", "undecided")] {
        let text = format!(
            "variable \"a\" {{}}\nresource \"aws_security_group\" \"g\" {{\n  dynamic \"ingress\" {{\n    for_each = var.a ? [1] : []\n    content {{ cidr_blocks = [\"{source}\"] }}\n  }}\n}}"
        );
        assert_outcome(&text, (GROUP, "aws_security_group.g"), expected);
    }
    let text = "variable \"a\" {}\nresource \"aws_security_group\" \"g\" {\n  dynamic \"ingress\" {\n    for_each = concat([\"0.0.0.0/0\"], var.a)\n    content { cidr_blocks = [ingress.value] }\n  }\n}";
    assert_outcome(text, (GROUP, "aws_security_group.g"), "found");
}

#[test]
fn the_range_of_a_network_is_not_the_internet() {
    for (sources, expected) in [
        ("[data.aws_vpc.v.cidr_block]", "clear"),
        ("[data.aws_vpc.v.cidr_block, \"0.0.0.0/0\"]", "found"),
        ("[data.aws_ami.v.cidr_block]", "undecided"),
        ("[data.aws_vpc.v.id]", "undecided"),
    ] {
        assert_group(sources, expected);
    }
}

#[test]
fn files_that_are_there_are_read() {
    let policy = |principal: &str| {
        format!(
            "{{ \"Statement\": [{{ \"Effect\": \"Allow\", \"Principal\": \"{principal}\", \"Action\": \"*\" }}] }}"
        )
    };
    let main = |value: &str| {
        format!("variable \"who\" {{}}\nresource \"aws_kms_key\" \"k\" {{ policy = {value} }}\n")
    };
    for (value, expected) in [
        ("file(\"${path.module}/open.json\")", "found"),
        ("file(\"open.json\")", "found"),
        ("file(\"${path.root}/../root/closed.json\")", "clear"),
        ("file(\"closed.json\")", "clear"),
        ("file(\"missing.json\")", "undecided"),
        ("file(\"${var.who}.json\")", "undecided"),
        ("file(\"/open.json\")", "undecided"),
        ("file(\"secrets/open.json\")", "undecided"),
        ("templatefile(\"t.tftpl\", { who = \"*\" })", "found"),
        (
            "templatefile(\"t.tftpl\", { who = \"arn:aws:iam::1:root\" })",
            "clear",
        ),
        ("templatefile(\"t.tftpl\", { who = var.who })", "undecided"),
        ("templatefile(\"t.tftpl\", var.who)", "undecided"),
        ("templatefile(\"d.tftpl\", {})", "undecided"),
        ("templatefile(\"d.tftpl\", { open = true })", "found"),
        ("templatefile(\"d.tftpl\", { open = false })", "clear"),
        ("templatefile(\"d.tftpl\", { open = var.who })", "undecided"),
        ("templatefile(\"l.tftpl\", { all = [\"*\"] })", "found"),
        (
            "templatefile(\"l.tftpl\", { all = [\"arn:aws:iam::1:root\"] })",
            "clear",
        ),
        ("templatefile(\"l.tftpl\", { all = var.who })", "undecided"),
    ] {
        let files = Files::from([
            ("root/main.tf".to_owned(), main(value).into_bytes()),
            ("root/open.json".to_owned(), policy("*").into_bytes()),
            (
                "root/secrets/open.json".to_owned(),
                policy("*").into_bytes(),
            ),
            (
                "root/closed.json".to_owned(),
                policy("arn:aws:iam::1:root").into_bytes(),
            ),
            ("root/t.tftpl".to_owned(), policy("${who}").into_bytes()),
            (
                "root/d.tftpl".to_owned(),
                policy("%{ if open }*%{ else }arn:aws:iam::1:root%{ endif }").into_bytes(),
            ),
            (
                "root/l.tftpl".to_owned(),
                policy("%{ for one in all ~} ${one} %{~ endfor }").into_bytes(),
            ),
        ]);
        let report = report_of_files(&files);
        assert_eq!(
            outcome(&report, "public-policy", "aws_kms_key.k"),
            expected,
            "{value}"
        );
    }
}

#[test]
fn values_of_what_is_not_a_variable_are_refused_or_warned_of() {
    let text =
        "variable \"a\" { default = \"x\" }\nresource \"aws_s3_bucket\" \"b\" { acl = var.a }";
    let given = |given: Given| Options {
        given: vec![given],
        ..Options::default()
    };
    let value = given(Given::Value("b".to_owned(), "x".to_owned()));
    let problem = trestle_terraform::file("main.tf", text.as_bytes(), &value).unwrap_err();
    assert!(problem.0.contains("`b`"), "{problem}");
    let file = b"a = \"public-read\"\nb = \"HUNTER2\"\n".to_vec();
    let found = report_of(
        "main.tf",
        text,
        &given(Given::File("x.tfvars".to_owned(), file)),
    );
    assert_eq!(outcome(&found, "public-bucket", "aws_s3_bucket.b"), "found");
    let warnings = found["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert_eq!(
        (&warnings[0]["file"], &warnings[0]["line"]),
        (&"x.tfvars".into(), &2.into())
    );
    assert!(!found.to_string().contains("HUNTER2"));
    let environment = Options {
        environment: vec![
            ("a".to_owned(), "public-read".into()),
            ("b".to_owned(), "x".into()),
        ],
        ..Options::default()
    };
    let found = report_of("main.tf", text, &environment);
    assert_eq!(outcome(&found, "public-bucket", "aws_s3_bucket.b"), "found");
    assert_eq!(
        found["valueFiles"]["environment"],
        serde_json::json!(["TF_VAR_a"])
    );
    assert_eq!(found["warnings"], serde_json::json!([]));
}

#[test]
fn no_message_has_a_literal() {
    let text = r#"
resource "aws_lb" "a" { internal = "hunter2" }
resource "aws_s3_bucket_policy" "a" {
  bucket = "hunter2"
  policy = "hunter2"
}
resource "aws_security_group_rule" "a" {
  type              = "ingress"
  protocol          = "hunter2"
  from_port         = "hunter2"
  security_group_id = "hunter2"
  cidr_blocks       = ["0.0.0.0/0", "hunter2"]
}
resource "aws_security_group" "a" {
  ingress {
    protocol    = "hunter2"
    cidr_blocks = ["0.0.0.0/0"]
  }
}
resource "aws_instance" "a" { vpc_security_group_ids = ["hunter2"] }
resource "aws_iam_policy" "a" {
  policy = jsonencode({ Statement = [{ Effect = "Allow", Action = ["hunter2", "hunter2:*", "s3:*"], Resource = "*" }] })
}
variable "x" {}
resource "aws_iam_policy" "b" {
  policy = "{ \"Statement\": [{ \"Effect\": \"Allow\", \"Action\": \"s3:hunter2 ${var.x}\", \"Resource\": \"arn:hunter2/${var.x}/*\" }] }"
}
resource "google_compute_firewall" "a" {
  source_ranges = ["0.0.0.0/0"]
  allow { protocol = "hunter2" }
}
resource "azurerm_mssql_firewall_rule" "a" {
  start_ip_address = "hunter2"
  end_ip_address   = "hunter2"
}
"#;
    let found = report_of("main.tf", text, &Options::default());
    for list in ["findings", "unresolved", "notes"] {
        for one in found[list].as_array().unwrap() {
            let message = one["message"].as_str().unwrap();
            assert!(
                !message.contains("hunter2 ")
                    && !message.contains("`hunter2`")
                    && !message.contains("hunter2/"),
                "{message}"
            );
            assert!(!message.contains("`not "), "{message}");
        }
    }
}
