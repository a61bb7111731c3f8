//! An exposed service uses a datastore.

use crate::finding::Severity;
use crate::rules::rule::Rule;

pub const RULE: Rule = Rule {
    id: "exposed-uses-datastore",
    severity: Severity::Medium,
    weakness: 668,
    title: "An exposed service uses a datastore",
    remediation: "Put a private service between the two, and give the exposed one only the access that it needs.",
    details: "Follows what carries traffic or access from each exposed service: listeners, target groups and their targets, integrations, task definitions, permissions of roles, and what the arguments of a machine or a function name. The message has the path. Buckets behind CloudFront and buckets of logs do not count.",
    bad: r#"resource "aws_apprunner_service" "api" {
  service_name = "api"
  source_configuration {
    image_repository {
      image_configuration {
        runtime_environment_variables = { TABLE = aws_dynamodb_table.orders.name }
      }
    }
  }
}
resource "aws_dynamodb_table" "orders" { name = "orders" }
"#,
    good: r#"resource "aws_apprunner_service" "api" {
  service_name = "api"
  network_configuration {
    ingress_configuration { is_publicly_accessible = false }
  }
  source_configuration {
    image_repository {
      image_configuration {
        runtime_environment_variables = { TABLE = aws_dynamodb_table.orders.name }
      }
    }
  }
}
resource "aws_dynamodb_table" "orders" { name = "orders" }
"#,
};
