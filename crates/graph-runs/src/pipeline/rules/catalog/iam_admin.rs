//! A policy allows everything.

use crate::pipeline::finding::Severity;
use crate::pipeline::rules::rule::Rule;

/// The rule.
pub const RULE: Rule = Rule {
    id: "iam-admin",
    severity: Severity::High,
    weakness: 250,
    title: "A policy allows everything",
    remediation: "Name the actions and the resources that are needed.",
    details: "Looks at policies of IAM in all forms: JSON text, `jsonencode`, and `aws_iam_policy_document`; at attachments of `AdministratorAccess`, `PowerUserAccess` and `IAMFullAccess`; at roles of Azure that allow every action, or are Owner; and at basic roles of Google.",
    bad: r#"resource "aws_iam_role_policy" "a" {
  role   = "app"
  policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "*", Resource = "*" }] })
}
"#,
    good: r#"resource "aws_iam_role_policy" "a" {
  role   = "app"
  policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "s3:GetObject", Resource = "arn:aws:s3:::shop/*" }] })
}
"#,
};
