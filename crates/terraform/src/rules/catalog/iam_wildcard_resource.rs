//! A policy allows actions that write on every resource.

use crate::finding::Severity;
use crate::rules::rule::Rule;

pub const RULE: Rule = Rule {
    id: "iam-wildcard-resource",
    severity: Severity::Low,
    weakness: 732,
    title: "A policy allows actions that write on every resource",
    remediation: "Name the resources in the statement.",
    details: "Looks at statements that allow other actions than `Describe`, `Get` and `List` on `*`, or on everything of a service, such as `arn:aws:s3:::*`.",
    bad: r#"data "aws_iam_policy_document" "a" {
  statement {
    actions   = ["dynamodb:PutItem"]
    resources = ["*"]
  }
}
resource "aws_iam_policy" "a" { policy = data.aws_iam_policy_document.a.json }
"#,
    good: r#"data "aws_iam_policy_document" "a" {
  statement {
    actions   = ["dynamodb:PutItem"]
    resources = [aws_dynamodb_table.a.arn]
  }
}
resource "aws_dynamodb_table" "a" { name = "a" }
resource "aws_iam_policy" "a" { policy = data.aws_iam_policy_document.a.json }
"#,
};
