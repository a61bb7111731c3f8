# undecided open-security-group aws_security_group.switched
# found open-security-group aws_security_group.on
# clear open-security-group aws_security_group.off
# found open-security-group aws_security_group.with_rule[0]
# undecided public-bucket aws_s3_bucket.switched
# clear public-queue aws_sns_topic.uploads
# found public-queue aws_sns_topic.any

variable "open" { type = bool }
resource "aws_security_group" "switched" {}
resource "aws_security_group_rule" "switched" {
  count             = var.open ? 1 : 0
  type              = "ingress"
  from_port         = 22
  to_port           = 22
  protocol          = "tcp"
  cidr_blocks       = ["0.0.0.0/0"]
  security_group_id = aws_security_group.switched.id
}
resource "aws_security_group" "on" {}
resource "aws_security_group_rule" "on" {
  count             = 1
  type              = "ingress"
  from_port         = 22
  to_port           = 22
  protocol          = "tcp"
  cidr_blocks       = ["0.0.0.0/0"]
  security_group_id = aws_security_group.on.id
}
resource "aws_security_group" "off" {}
resource "aws_security_group_rule" "off" {
  count             = 0
  type              = "ingress"
  from_port         = 22
  to_port           = 22
  protocol          = "tcp"
  cidr_blocks       = ["0.0.0.0/0"]
  security_group_id = aws_security_group.off.id
}
resource "aws_security_group" "with_rule" { count = 1 }
resource "aws_vpc_security_group_ingress_rule" "with_rule" {
  count             = 1
  from_port         = 22
  to_port           = 22
  ip_protocol       = "tcp"
  cidr_ipv4         = "0.0.0.0/0"
  security_group_id = aws_security_group.with_rule[0].id
}
resource "aws_s3_bucket" "switched" { bucket = "acme-switched" }
resource "aws_s3_bucket_acl" "switched" {
  count  = var.open ? 1 : 0
  bucket = aws_s3_bucket.switched.id
  acl    = "public-read"
}
resource "aws_sns_topic" "uploads" {
  policy = jsonencode({ Statement = [{
    Effect    = "Allow"
    Principal = { AWS = "*" }
    Action    = "sns:Publish"
    Resource  = "*"
    Condition = { ArnLike = { "aws:SourceArn" = "arn:aws:s3:*:*:acme-uploads" } }
  }] })
}
resource "aws_sns_topic" "any" {
  policy = jsonencode({ Statement = [{
    Effect    = "Allow"
    Principal = { AWS = "*" }
    Action    = "sns:Publish"
    Resource  = "*"
    Condition = { ArnLike = { "aws:SourceArn" = "arn:aws:s3:*:*:*" } }
  }] })
}
