//! The internet reaches a service.

use crate::finding::Severity;
use crate::rules::rule::Rule;

pub const RULE: Rule = Rule {
    id: "internet-exposed",
    severity: Severity::Low,
    weakness: 668,
    title: "The internet reaches a service",
    remediation: "Make the service private if it is not meant for the internet. Otherwise suppress the finding with the reason.",
    details: "Looks at services with an address of their own: see the table of types below.",
    bad: r#"resource "aws_eks_cluster" "a" {
  vpc_config {
    endpoint_public_access = true
    public_access_cidrs    = ["0.0.0.0/0"]
  }
}
"#,
    good: r#"resource "aws_eks_cluster" "a" {
  vpc_config {
    endpoint_public_access = true
    public_access_cidrs    = ["198.51.100.7/32"]
  }
}
"#,
};
