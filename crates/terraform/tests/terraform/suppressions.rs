//! Comments that suppress findings, and what is said of those that do not.

use serde_json::Value;

use crate::analyze::analyze;

fn report_of(text: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("main.tf"), text).unwrap();
    let (_, text) = analyze(folder.path(), &["--format", "json", "--fail-on", "never"]);
    serde_json::from_str(&text).unwrap()
}

/// The nodes that a rule finds something of.
fn found(report: &Value, rule: &str) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap().iter();
    let findings = findings.filter(|one| one["rule"] == rule);
    findings
        .map(|one| one["node"].as_str().unwrap().to_owned())
        .collect()
}

fn warnings(report: &Value) -> Vec<(u64, &str)> {
    let warnings = report["warnings"].as_array().unwrap().iter();
    warnings
        .map(|one| {
            let line = one["line"].as_u64().unwrap();
            (line, one["message"].as_str().unwrap())
        })
        .collect()
}

#[test]
fn what_looks_like_a_comment_in_a_text_suppresses_nothing() {
    let text = r##"
resource "aws_s3_bucket" "text" {
  acl    = "public-read"
  bucket = "a #trestle:ignore public-bucket It is text."
}
resource "aws_s3_bucket" "template" {
  acl    = "public-read"
  bucket = "${upper("#trestle:ignore public-bucket It is text.")}"
}
resource "aws_s3_bucket" "heredoc" {
  acl    = "public-read"
  bucket = <<-END
    #trestle:ignore public-bucket It is text.
    // trestle:ignore public-bucket It is text.
  END
}
resource "aws_s3_bucket" "real" {
  bucket = "https://example.com/" # trestle:ignore public-bucket It is a website.
  acl    = "public-read"
}
resource "aws_s3_bucket" "lines" {
  /* The website.
   * trestle:ignore public-bucket It is a website, too. */
  acl = "public-read"
}
"##;
    let report = report_of(text);
    let open = ["heredoc", "template", "text"].map(|name| format!("aws_s3_bucket.{name}"));
    assert_eq!(found(&report, "public-bucket"), open);
    assert_eq!(warnings(&report), []);
    let reasons = report["suppressed"].as_array().unwrap().iter();
    let reasons: Vec<_> = reasons.map(|one| one["reason"].as_str().unwrap()).collect();
    assert!(reasons.contains(&"It is a website."), "{reasons:?}");
    assert!(reasons.contains(&"It is a website, too."), "{reasons:?}");
}

#[test]
fn a_comment_that_suppresses_nothing_is_a_warning() {
    let text = r#"
#trestle:ignore public-bucket Far from everything.

locals {
  a = 1 #trestle:ignore public-bucket It is in no resource.
}
#trestle:ignore public-bucket It is private.
resource "aws_s3_bucket" "a" {}
#trestle:ignore public-bucket
resource "aws_s3_bucket" "b" { acl = "public-read" }
#trestle:ignore public-buckets It is a website.
resource "aws_s3_bucket" "c" { acl = "public-read" }
#trestle:ignore
resource "aws_s3_bucket" "d" { acl = "public-read" }
#trestle:ignored public-bucket It is a website.
resource "aws_s3_bucket" "e" { acl = "public-read" }
# One may write trestle:ignore in a comment.
resource "aws_s3_bucket" "f" {
  count = 0 #trestle:ignore public-bucket There is none here.
}
"#;
    let report = report_of(text);
    let said = warnings(&report);
    let expected = [
        (2, "suppresses nothing, because it is not in"),
        (5, "suppresses nothing, because it is not in"),
        (7, "`trestle:ignore public-bucket` suppresses nothing."),
        (9, "has no reason, and does not count."),
        (11, "names `public-buckets`, which is not a rule"),
        (13, "names no rule, and does not count."),
        (15, "`trestle:ignored` does not count."),
    ];
    assert_eq!(said.len(), expected.len(), "{said:#?}");
    for ((line, message), (wanted, part)) in said.iter().zip(expected) {
        assert_eq!(*line, wanted, "{message}");
        assert!(message.contains(part), "{message}");
    }
    let open = ["b", "c", "d", "e"].map(|name| format!("aws_s3_bucket.{name}"));
    assert_eq!(found(&report, "public-bucket"), open);
}

#[test]
fn warnings_are_printed_and_in_sarif() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        "#trestle:ignore public-bucket It is private.\nresource \"aws_s3_bucket\" \"a\" {}\n";
    std::fs::write(folder.path().join("main.tf"), text).unwrap();
    let (code, printed) = analyze(folder.path(), &[]);
    assert_eq!(code, Some(0), "{printed}");
    let line = "main.tf:1: WARNING `trestle:ignore public-bucket` suppresses nothing. Remove it.";
    assert!(printed.contains(line), "{printed}");
    assert!(printed.contains(" unresolved, "), "{printed}");
    assert!(printed.trim_end().ends_with(", 1 warning"), "{printed}");
    let (_, text) = analyze(folder.path(), &["--format", "sarif"]);
    let sarif: Value = serde_json::from_str(&text).unwrap();
    let said = &sarif["runs"][0]["invocations"][0]["toolConfigurationNotifications"][0];
    assert_eq!(said["level"], "warning");
    assert_eq!(
        said["locations"][0]["physicalLocation"]["region"]["startLine"],
        1
    );
}

const GROUP: &str = r#"
variable "source" {}
resource "aws_security_group" "a" {}
resource "aws_security_group_rule" "a" {
  #trestle:ignore open-security-group Everyone may visit the shop.
  type              = "ingress"
  protocol          = "tcp"
  from_port         = 8443
  to_port           = 8443
  cidr_blocks       = ["0.0.0.0/0"]
  security_group_id = aws_security_group.a.id
}
resource "aws_security_group" "b" {}
#trestle:ignore open-security-group The partner changes its addresses.
resource "aws_vpc_security_group_ingress_rule" "b" {
  ip_protocol       = "tcp"
  from_port         = 22
  to_port           = 22
  cidr_ipv4         = var.source
  security_group_id = aws_security_group.b.id
}
"#;

#[test]
fn a_comment_at_a_rule_is_about_its_group_as_far_as_the_rule_is() {
    let report = report_of(GROUP);
    assert_eq!(found(&report, "open-security-group"), [""; 0]);
    assert_eq!(warnings(&report), []);
    let suppressed = report["suppressed"].as_array().unwrap().iter();
    let suppressed: Vec<_> = suppressed
        .map(|one| {
            (
                one["node"].as_str().unwrap(),
                one["reason"].as_str().unwrap(),
            )
        })
        .collect();
    let expected = [
        ("aws_security_group.a", "Everyone may visit the shop."),
        ("aws_security_group.b", "The partner changes its addresses."),
    ];
    assert_eq!(suppressed, expected);
    assert_eq!(report["summary"]["undecidedCount"], 0);
    // Another rule of the group with the same ports is not suppressed by it.
    let other = r#"
resource "aws_vpc_security_group_ingress_rule" "c" {
  ip_protocol       = "tcp"
  from_port         = 8443
  to_port           = 8443
  cidr_ipv4         = "0.0.0.0/0"
  security_group_id = aws_security_group.a.id
}
"#;
    let report = report_of(&[GROUP, other].concat());
    let group = ["aws_security_group.a"];
    assert_eq!(found(&report, "open-security-group"), group);
}
