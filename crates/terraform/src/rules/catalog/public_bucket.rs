//! Anyone can read or write a bucket.

use crate::finding::Severity;
use crate::rules::rule::Rule;

pub const RULE: Rule = Rule {
    id: "public-bucket",
    severity: Severity::High,
    weakness: 732,
    title: "Anyone can read or write a bucket",
    remediation: "Remove the public ACL or policy statement, and set all four arguments of aws_s3_bucket_public_access_block to true.",
    details: "Looks at ACLs, grants and policies of buckets, and whether public access is blocked; at containers and accounts of Azure Storage, and their firewalls (an account that leaves out `allow_nested_items_to_be_public` is undecided, because its default depends on the version of the provider); and at ACLs, members and policies of buckets of Google.",
    bad: r#"resource "aws_s3_bucket" "a" { bucket = "shop" }
resource "aws_s3_bucket_acl" "a" {
  bucket = aws_s3_bucket.a.id
  acl    = "public-read"
}
"#,
    good: r#"resource "aws_s3_bucket" "a" { bucket = "shop" }
resource "aws_s3_bucket_acl" "a" {
  bucket = aws_s3_bucket.a.id
  acl    = "private"
}
"#,
};
