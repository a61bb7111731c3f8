//! What is exposed is reported as exposed or as not decided, however its parts name each other.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::analyze::{analyze, flagged};
use crate::open_cases::{self, Case};
use crate::setups::OPEN;

const POLICY: &str = r#"
locals {
  name   = "shop"
  public = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*" }] })
}
variable "name" {}
variable "group" {}
variable "known" { default = "shop" }
"#;

const CASES: [Case; 22] = [
    (
        "a policy names a bucket by a literal, a local value and a variable",
        r#"
resource "aws_s3_bucket" "a" { bucket = "shop" }
resource "aws_s3_bucket_policy" "a" {
  bucket = var.known
  policy = local.public
}
"#,
        &["aws_s3_bucket.a"],
        &[],
    ),
    (
        "a variable without a value names the same bucket twice",
        r#"
resource "aws_s3_bucket" "a" { bucket = var.name }
resource "aws_s3_bucket" "b" { bucket = "other" }
resource "aws_s3_bucket_policy" "a" {
  bucket = var.name
  policy = local.public
}
"#,
        &["aws_s3_bucket.a"],
        &[],
    ),
    (
        "a policy of any bucket",
        r#"
resource "aws_s3_bucket" "a" { bucket = "shop" }
resource "aws_s3_bucket_policy" "a" {
  bucket = var.name
  policy = local.public
}
"#,
        &[],
        &["aws_s3_bucket.a", "aws_s3_bucket_policy.a"],
    ),
    (
        "a policy of a bucket elsewhere",
        r#"
resource "aws_s3_bucket" "a" { bucket = "shop" }
resource "aws_s3_bucket_policy" "a" {
  bucket = "elsewhere"
  policy = local.public
}
"#,
        &[],
        &["aws_s3_bucket_policy.a"],
    ),
    (
        "a block of another bucket with the same literal in its name",
        r#"
resource "aws_s3_bucket" "a" {
  bucket = "a"
  acl    = "public-read"
}
resource "aws_s3_bucket_public_access_block" "b" {
  bucket             = "b"
  ignore_public_acls = true
}
"#,
        &["aws_s3_bucket.a"],
        &[],
    ),
    (
        "a block of any bucket",
        r#"
resource "aws_s3_bucket" "a" { acl = "public-read" }
resource "aws_s3_bucket_public_access_block" "b" {
  bucket             = var.name
  ignore_public_acls = true
}
"#,
        &[],
        &["aws_s3_bucket.a"],
    ),
    (
        "a block of one of two buckets",
        r#"
resource "aws_s3_bucket" "a" {
  for_each = toset(["x", "y"])
  acl      = "public-read"
}
resource "aws_s3_bucket_public_access_block" "x" {
  bucket             = aws_s3_bucket.a["x"].id
  ignore_public_acls = true
}
"#,
        &["aws_s3_bucket.a[\"y\"]"],
        &[],
    ),
    (
        "a block of each of two buckets, and a policy by way of the block",
        r#"
resource "aws_s3_bucket" "a" { for_each = toset(["x", "y"]) }
resource "aws_s3_bucket_public_access_block" "a" {
  for_each                = aws_s3_bucket.a
  bucket                  = each.value.id
  restrict_public_buckets = true
}
resource "aws_s3_bucket" "b" {}
resource "aws_s3_bucket_public_access_block" "b" { bucket = aws_s3_bucket.b.id }
resource "aws_s3_bucket_policy" "b" {
  bucket = aws_s3_bucket_public_access_block.b.bucket
  policy = local.public
}
"#,
        &["aws_s3_bucket.b"],
        &[],
    ),
    (
        "a rule of any group",
        r#"
resource "aws_security_group" "a" {}
resource "aws_security_group_rule" "a" {
  type              = "ingress"
  security_group_id = var.group
  cidr_blocks       = ["0.0.0.0/0"]
}
resource "aws_instance" "a" {
  associate_public_ip_address = true
  vpc_security_group_ids      = [aws_security_group.a.id]
}
"#,
        &[],
        &["aws_instance.a", "aws_security_group_rule.a"],
    ),
    (
        "a rule of any group that lets nobody in from the internet",
        r#"
resource "aws_security_group" "a" {}
resource "aws_vpc_security_group_ingress_rule" "a" {
  security_group_id = "sg-0123"
  cidr_ipv4         = "10.0.0.0/8"
}
resource "aws_instance" "a" {
  associate_public_ip_address = true
  vpc_security_group_ids      = [aws_security_group.a.id]
}
"#,
        &[],
        &[],
    ),
    (
        "rules of each of the groups",
        r#"
resource "aws_security_group" "a" { for_each = toset(["x", "y"]) }
resource "aws_vpc_security_group_ingress_rule" "a" {
  for_each          = aws_security_group.a
  security_group_id = each.value.id
  cidr_ipv4         = "0.0.0.0/0"
}
resource "aws_instance" "a" {
  associate_public_ip_address = true
  vpc_security_group_ids      = [for group in ["x"] : aws_security_group.a[group].id]
}
"#,
        &["aws_instance.a"],
        &[],
    ),
    (
        "two halves of the internet",
        r#"
resource "aws_security_group" "a" {
  ingress { cidr_blocks = ["0.0.0.0/1", "128.0.0.0/1"] }
}
resource "aws_security_group" "b" {
  ingress { ipv6_cidr_blocks = ["8000::/1"] }
}
resource "aws_instance" "a" {
  associate_public_ip_address = true
  vpc_security_group_ids      = [aws_security_group.a.id]
}
resource "aws_instance" "b" {
  associate_public_ip_address = true
  vpc_security_group_ids      = [aws_security_group.b.id]
}
"#,
        &["aws_instance.a", "aws_instance.b"],
        &[],
    ),
    (
        "prefix lists",
        r#"
resource "aws_ec2_managed_prefix_list" "a" {
  entry { cidr = "0.0.0.0/0" }
}
resource "aws_security_group" "a" {
  ingress { prefix_list_ids = [aws_ec2_managed_prefix_list.a.id] }
}
resource "aws_security_group" "b" {
  ingress { prefix_list_ids = ["pl-0123"] }
}
resource "aws_instance" "a" {
  associate_public_ip_address = true
  vpc_security_group_ids      = [aws_security_group.a.id]
}
resource "aws_instance" "b" {
  associate_public_ip_address = true
  vpc_security_group_ids      = [aws_security_group.b.id]
}
"#,
        &["aws_instance.a"],
        &["aws_instance.b", "aws_security_group.b"],
    ),
    (
        "databases behind groups",
        r#"
resource "aws_security_group" "closed" {}
resource "aws_db_instance" "open" {
  publicly_accessible    = true
  vpc_security_group_ids = [aws_security_group.open.id]
}
resource "aws_db_instance" "closed" {
  publicly_accessible    = true
  vpc_security_group_ids = [aws_security_group.closed.id]
}
resource "aws_db_instance" "default" {
  publicly_accessible    = true
  vpc_security_group_ids = []
}
resource "aws_db_instance" "unknown" {
  publicly_accessible    = true
  vpc_security_group_ids = [var.group]
}
"#,
        &["aws_db_instance.open"],
        &["aws_db_instance.default", "aws_db_instance.unknown"],
    ),
    (
        "load balancers behind groups",
        r#"
resource "aws_lb" "open" { security_groups = [aws_security_group.open.id] }
resource "aws_lb" "default" { security_groups = [] }
resource "aws_lb" "network" {
  load_balancer_type = "network"
  security_groups    = []
}
resource "aws_elb" "default" { security_groups = [] }
"#,
        &["aws_lb.network", "aws_lb.open"],
        &["aws_elb.default", "aws_lb.default"],
    ),
    (
        "instances of clusters",
        r#"
resource "aws_rds_cluster" "a" { vpc_security_group_ids = [aws_security_group.open.id] }
resource "aws_rds_cluster_instance" "a" {
  cluster_identifier  = aws_rds_cluster.a.id
  publicly_accessible = true
}
resource "aws_rds_cluster" "b" { vpc_security_group_ids = [] }
resource "aws_rds_cluster_instance" "b" {
  cluster_identifier  = aws_rds_cluster.b.id
  publicly_accessible = true
}
"#,
        &["aws_rds_cluster_instance.a"],
        &["aws_rds_cluster_instance.b"],
    ),
    (
        "queues and topics",
        r#"
resource "aws_sqs_queue" "a" {}
resource "aws_sqs_queue_policy" "a" {
  queue_url = aws_sqs_queue.a.url
  policy    = local.public
}
resource "aws_sqs_queue" "own" {
  policy = jsonencode({ Statement = { Effect = "Allow", Principal = { AWS = aws_iam_role.a.arn } } })
}
resource "aws_iam_role" "a" {}
resource "aws_sns_topic" "a" { policy = var.name }
"#,
        &["aws_sqs_queue.a"],
        &["aws_sns_topic.a"],
    ),
    (
        "a module that is not there",
        "module \"a\" { source = \"../a\" }",
        &[],
        &["module.a"],
    ),
    (
        "a direction that is not known",
        r#"
resource "aws_security_group" "a" {}
resource "aws_security_group_rule" "a" {
  type              = var.name
  security_group_id = aws_security_group.a.id
  cidr_blocks       = ["0.0.0.0/0"]
}
resource "aws_instance" "a" {
  associate_public_ip_address = true
  vpc_security_group_ids      = [aws_security_group.a.id]
}
"#,
        &[],
        &["aws_instance.a", "aws_security_group.a"],
    ),
    (
        "everyone but one",
        r#"
resource "aws_s3_bucket" "a" {
  policy = jsonencode({ Statement = [{ Effect = "Allow", NotPrincipal = { AWS = "1" } }] })
}
"#,
        &["aws_s3_bucket.a"],
        &[],
    ),
    (
        "an account without public buckets",
        r#"
resource "aws_s3_bucket" "a" { acl = "public-read" }
resource "aws_s3_account_public_access_block" "a" { ignore_public_acls = true }
"#,
        &[],
        &[],
    ),
    (
        "a group of a data source",
        r#"
data "aws_security_group" "a" { name = "a" }
resource "aws_instance" "a" {
  associate_public_ip_address = true
  vpc_security_group_ids      = [data.aws_security_group.a.id]
}
"#,
        &[],
        &["aws_instance.a"],
    ),
];

#[test]
fn what_is_exposed_is_exposed_or_not_decided() {
    let options = ["--format", "graph", "--fail-on", "never"];
    for (name, text, exposed, unresolved) in CASES.into_iter().chain(open_cases::CASES) {
        let folder = tempfile::tempdir().unwrap();
        let whole = format!("{OPEN}{POLICY}{text}");
        std::fs::write(folder.path().join("main.tf"), whole).unwrap();
        let (code, text) = analyze(folder.path(), &options);
        assert_eq!(code, Some(0), "{name}: {text}");
        let graph: Value = serde_json::from_str(&text).unwrap();
        for (flag, ids) in [("internetExposed", exposed), ("unresolved", unresolved)] {
            let ids: BTreeSet<_> = ids.iter().copied().collect();
            assert_eq!(flagged(&graph, flag), ids, "{name}: {flag}");
        }
    }
}

#[test]
fn an_open_instance_of_a_cluster_is_as_severe_as_an_open_database() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("main.tf");
    for kind in ["aws_db_instance", "aws_rds_cluster_instance"] {
        let text = format!("resource \"{kind}\" \"a\" {{\n  publicly_accessible = true\n}}\n");
        std::fs::write(&file, text).unwrap();
        let (code, text) = analyze(folder.path(), &["--fail-on", "high"]);
        assert_eq!(code, Some(3), "{text}");
        assert!(
            text.contains(&format!("HIGH public-datastore {kind}.a")),
            "{text}"
        );
    }
}
