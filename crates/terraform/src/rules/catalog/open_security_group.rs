//! A security group lets the whole internet in.

use crate::finding::Severity;
use crate::rules::rule::Rule;

pub const RULE: Rule = Rule {
    id: "open-security-group",
    severity: Severity::High,
    weakness: 284,
    title: "A security group lets the whole internet in",
    remediation: "Replace 0.0.0.0/0 and ::/0 by the addresses or security groups that need access.",
    details: "Looks at the incoming rules of security groups of AWS, network security groups of Azure and firewalls of Google, in the group and as resources of their own. The severity depends on the ports: HIGH for shells, desktops, shared folders, databases, the management of machines and containers, and all ports, LOW for 80 and 443. A rule of Azure or Google is ignored if another one with a lower priority denies everything that it allows. All of Azure as a source, by the tag `AzureCloud` or by the addresses from 0.0.0.0 to 0.0.0.0 of a database server, is MEDIUM: anyone can rent a machine there.",
    bad: r#"resource "aws_security_group" "a" {
  ingress {
    protocol    = "tcp"
    from_port   = 22
    to_port     = 22
    cidr_blocks = ["0.0.0.0/0"]
  }
}
"#,
    good: r#"resource "aws_security_group" "a" {
  ingress {
    protocol    = "tcp"
    from_port   = 22
    to_port     = 22
    cidr_blocks = ["10.0.0.0/8"]
  }
}
"#,
};
