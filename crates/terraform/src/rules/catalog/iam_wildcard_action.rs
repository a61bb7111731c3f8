//! A policy allows every action of a service.

use crate::finding::Severity;
use crate::rules::rule::Rule;

pub const RULE: Rule = Rule {
    id: "iam-wildcard-action",
    severity: Severity::Medium,
    weakness: 250,
    title: "A policy allows every action of a service",
    remediation: "Name the actions that are needed.",
    details: "Looks at actions such as `*`, `s3:*` and `s3:?*`, at `NotAction` in statements that allow, and at roles of Azure with actions such as `Microsoft.Storage/*`, also on data.",
    bad: r#"resource "aws_iam_policy" "a" {
  policy = jsonencode({ Statement = { Effect = "Allow", Action = ["s3:*"], Resource = aws_s3_bucket.a.arn } })
}
resource "aws_s3_bucket" "a" {}
"#,
    good: r#"resource "aws_iam_policy" "a" {
  policy = jsonencode({ Statement = { Effect = "Allow", Action = ["s3:GetObject"], Resource = "${aws_s3_bucket.a.arn}/*" } })
}
resource "aws_s3_bucket" "a" {}
"#,
};
