//! A policy allows to pass every role.

use crate::finding::Severity;
use crate::rules::rule::Rule;

pub const RULE: Rule = Rule {
    id: "iam-pass-role",
    severity: Severity::Medium,
    weakness: 269,
    title: "A policy allows to pass every role",
    remediation: "Name the roles in the resources of the statement.",
    details: "Looks at statements that allow `iam:PassRole` or `iam:*` for every resource, or every role of an account.",
    bad: r#"data "aws_iam_policy_document" "a" {
  statement {
    actions   = ["iam:PassRole"]
    resources = ["*"]
  }
}
"#,
    good: r#"data "aws_iam_policy_document" "a" {
  statement {
    actions   = ["iam:PassRole"]
    resources = ["arn:aws:iam::123456789012:role/app"]
  }
}
"#,
};
