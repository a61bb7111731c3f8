//! A policy allows everything.

use crate::finding::Severity;
use crate::rules::rule::Rule;

pub const RULE: Rule = Rule {
    id: "iam-admin",
    severity: Severity::High,
    weakness: 250,
    title: "A policy allows everything",
    remediation: "Name the actions and the resources that are needed.",
    details: "Looks at policies of IAM in all forms: JSON text, `jsonencode`, and `aws_iam_policy_document`; at attachments of `AdministratorAccess`, `PowerUserAccess` and `IAMFullAccess`. A policy is found, too, if it allows every action but some on every resource, or an action to give itself every right, such as `iam:PutRolePolicy`, `iam:AttachRolePolicy`, `iam:CreatePolicyVersion`, `iam:UpdateAssumeRolePolicy` and `iam:CreateAccessKey`. Of Azure, looks at assignments of Owner, User Access Administrator and Role Based Access Control Administrator, at Contributor for a subscription or more, and at roles whose patterns of actions include every action or giving and defining roles. Of Google, looks at Owner, Editor, Project IAM Admin, Security Admin and their like for folders and organizations, and at custom roles with permissions such as `resourcemanager.projects.setIamPolicy` (HIGH) and `storage.buckets.setIamPolicy` (MEDIUM).",
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
