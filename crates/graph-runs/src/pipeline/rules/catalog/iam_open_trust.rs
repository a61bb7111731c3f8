//! Anyone can assume a role.

use crate::pipeline::finding::Severity;
use crate::pipeline::rules::rule::Rule;

/// The rule.
pub const RULE: Rule = Rule {
    id: "iam-open-trust",
    severity: Severity::High,
    weakness: 284,
    title: "Anyone can assume a role",
    remediation: "Name the accounts, services or identities that may assume the role.",
    details: "Looks at `assume_role_policy` of `aws_iam_role`. A condition leaves it undecided.",
    bad: r#"resource "aws_iam_role" "a" {
  assume_role_policy = <<-EOT
    { "Statement": [{ "Effect": "Allow", "Action": "sts:AssumeRole", "Principal": { "AWS": "*" } }] }
  EOT
}
"#,
    good: r#"data "aws_caller_identity" "current" {}
resource "aws_iam_role" "a" {
  assume_role_policy = <<-EOT
    { "Statement": [{ "Effect": "Allow", "Action": "sts:AssumeRole", "Principal": { "AWS": "arn:aws:iam::${data.aws_caller_identity.current.account_id}:root" } }] }
  EOT
}
"#,
};
