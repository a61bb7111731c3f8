//! Anyone can assume a role.

use crate::finding::Severity;
use crate::rules::rule::Rule;

pub const RULE: Rule = Rule {
    id: "iam-open-trust",
    severity: Severity::High,
    weakness: 284,
    title: "Anyone can assume a role",
    remediation: "Name the accounts, services or identities that may assume the role.",
    details: "Looks at `assume_role_policy` of `aws_iam_role`, at accounts and at providers of identities. A provider of OpenID Connect, such as GitHub, or Cognito is open unless a condition on `sub` (of Cognito: or `aud`) names who may, of GitHub the owner of the repositories; one of SAML is clear with a condition on `SAML:aud`. A condition on `aud` alone does not count for GitHub, GitLab and HCP Terraform, where everyone chooses it. Another condition leaves it undecided.",
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
