//! A datastore is not encrypted at rest.

use crate::finding::Severity;
use crate::rules::rule::Rule;

pub const RULE: Rule = Rule {
    id: "unencrypted-datastore",
    severity: Severity::Medium,
    weakness: 311,
    title: "A datastore is not encrypted at rest",
    remediation: "Turn on encryption at rest. Most datastores have to be replaced for it: restore them from an encrypted snapshot.",
    details: "Looks at types that store data, with the provider's default for what is left out: see the table of types below. A replica is encrypted as its source is; if that is not in the files, it is undecided.",
    bad: r#"resource "aws_ebs_volume" "a" {
  availability_zone = "eu-central-1a"
  encrypted         = false
}
"#,
    good: r#"resource "aws_ebs_volume" "a" {
  availability_zone = "eu-central-1a"
  encrypted         = true
}
"#,
};
