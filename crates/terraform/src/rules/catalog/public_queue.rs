//! Anyone can use a queue or a topic.

use crate::finding::Severity;
use crate::rules::rule::Rule;

pub const RULE: Rule = Rule {
    id: "public-queue",
    severity: Severity::High,
    weakness: 732,
    title: "Anyone can use a queue or a topic",
    remediation: "Name the principals in the policy that need access.",
    details: "Looks at policies of queues and topics. A condition counts if it names who may, or from where.",
    bad: r#"resource "aws_sqs_queue" "a" { name = "jobs" }
resource "aws_sqs_queue_policy" "a" {
  queue_url = aws_sqs_queue.a.url
  policy    = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "sqs:SendMessage" }] })
}
"#,
    good: r#"resource "aws_sqs_queue" "a" { name = "jobs" }
resource "aws_sqs_queue_policy" "a" {
  queue_url = aws_sqs_queue.a.url
  policy    = jsonencode({ Statement = [{ Effect = "Allow", Principal = { AWS = "arn:aws:iam::123456789012:root" }, Action = "sqs:SendMessage" }] })
}
"#,
};
