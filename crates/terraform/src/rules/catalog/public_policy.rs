//! A resource policy lets everyone in.

use crate::finding::Severity;
use crate::rules::rule::Rule;

pub const RULE: Rule = Rule {
    id: "public-policy",
    severity: Severity::High,
    weakness: 732,
    title: "A resource policy lets everyone in",
    remediation: "Name the principals in the policy that need access.",
    details: "Looks at policies of keys, secrets, repositories, file systems, vaults, search domains, access points, event buses, Kafka clusters, email identities and REST APIs; at permissions of functions and layers; at shared images, snapshots and documents; at endpoint services; at registries of Azure that anyone may pull from; and at members and policies of resources of Google. A condition counts if it names who may, or from where. A statement that is not known leaves it undecided.",
    bad: r#"resource "aws_lambda_permission" "a" {
  action        = "lambda:InvokeFunction"
  function_name = "api"
  principal     = "*"
}
"#,
    good: r#"resource "aws_lambda_permission" "a" {
  action        = "lambda:InvokeFunction"
  function_name = "api"
  principal     = "events.amazonaws.com"
}
"#,
};
