//! The internet reaches a datastore.

use crate::finding::Severity;
use crate::rules::rule::Rule;

pub const RULE: Rule = Rule {
    id: "public-datastore",
    severity: Severity::High,
    weakness: 668,
    title: "The internet reaches a datastore",
    remediation: "Set publicly_accessible to false, or restrict access to private networks.",
    details: "Looks at datastores with an address: databases, clusters, search domains. A security group of AWS has to let the internet in by the port of the datastore. A database server of Azure is open to the ranges of its firewall rules.",
    bad: r#"resource "aws_db_instance" "a" {
  publicly_accessible = true
  storage_encrypted   = true
}
"#,
    good: r#"resource "aws_db_instance" "a" {
  publicly_accessible = false
  storage_encrypted   = true
}
"#,
};
