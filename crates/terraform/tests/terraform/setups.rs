//! Ten small setups, each with the services that are exposed, the datastores, and what is not decided.

/// A setup: its configuration, the exposed nodes, the datastores, and the nodes that are not decided.
pub type Setup = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
);

pub const OPEN: &str = r#"
resource "aws_security_group" "open" {
  ingress {
    protocol    = "tcp"
    from_port   = 443
    to_port     = 443
    cidr_blocks = ["0.0.0.0/0"]
  }
}
"#;

pub const SETUPS: [Setup; 10] = [
    (
        "subnets",
        r#"
resource "aws_subnet" "public" {
  cidr_block              = "10.0.1.0/24"
  map_public_ip_on_launch = true
}
resource "aws_subnet" "private" { cidr_block = "10.0.2.0/24" }
resource "aws_nat_gateway" "a" { subnet_id = aws_subnet.public.id }
resource "aws_eip" "nat" { domain = "vpc" }
resource "aws_internet_gateway" "a" {}
resource "aws_instance" "web" {
  subnet_id              = "${aws_subnet.public.id}"
  vpc_security_group_ids = ["${aws_security_group.open.id}"]
}
resource "aws_instance" "app" {
  subnet_id              = resource.aws_subnet.private.id
  vpc_security_group_ids = [aws_security_group.open.id]
  depends_on             = ["aws_instance.web"]
}
resource "aws_instance" "elsewhere" {
  subnet_id              = var.subnet
  vpc_security_group_ids = [aws_security_group.open.id]
}
variable "subnet" {}
"#,
        &["aws_instance.web"],
        &[],
        &["aws_instance.elsewhere"],
    ),
    (
        "load balancers",
        r#"
resource "aws_lb" "web" { subnets = [] }
resource "aws_lb" "inside" { internal = true }
resource "aws_lb" "maybe" { internal = var.internal }
variable "internal" {}
"#,
        &["aws_lb.web"],
        &[],
        &["aws_lb.maybe"],
    ),
    (
        "containers",
        r#"
resource "aws_ecs_service" "web" {
  network_configuration {
    subnets          = []
    assign_public_ip = true
    security_groups  = [aws_security_group.open.id]
  }
}
resource "aws_ecs_service" "worker" {
  network_configuration {
    subnets         = []
    security_groups = [aws_security_group.open.id]
  }
}
"#,
        &["aws_ecs_service.web"],
        &[],
        &[],
    ),
    (
        "launch template",
        r#"
resource "aws_launch_template" "web" {
  network_interfaces {
    associate_public_ip_address = true
    security_groups             = [aws_security_group.open.id]
  }
}
resource "aws_autoscaling_group" "web" {
  launch_template { id = aws_launch_template.web.id }
}
resource "aws_launch_template" "app" {
  vpc_security_group_ids = [aws_security_group.open.id]
}
resource "aws_autoscaling_group" "app" {
  vpc_zone_identifier = [aws_subnet.private.id]
  launch_template { id = aws_launch_template.app.id }
}
resource "aws_subnet" "private" { cidr_block = "10.0.2.0/24" }
"#,
        &["aws_autoscaling_group.web"],
        &[],
        &[],
    ),
    (
        "API gateways",
        r#"
resource "aws_apigatewayv2_api" "on" { protocol_type = "HTTP" }
resource "aws_apigatewayv2_api" "off" { disable_execute_api_endpoint = true }
resource "aws_api_gateway_rest_api" "private" {
  endpoint_configuration { types = ["PRIVATE"] }
}
resource "aws_api_gateway_rest_api" "edge" { name = "edge" }
"#,
        &["aws_api_gateway_rest_api.edge", "aws_apigatewayv2_api.on"],
        &[],
        &[],
    ),
    (
        "distributions",
        r#"
resource "aws_cloudfront_distribution" "on" { enabled = true }
resource "aws_cloudfront_distribution" "off" { enabled = false }
"#,
        &["aws_cloudfront_distribution.on"],
        &[],
        &[],
    ),
    (
        "databases",
        r#"
variable "public" { default = true }
resource "aws_db_instance" "public" {
  publicly_accessible = var.public
  storage_encrypted   = true
}
resource "aws_db_instance" "private" { storage_encrypted = true }
"#,
        &["aws_db_instance.public"],
        &["aws_db_instance.private", "aws_db_instance.public"],
        &[],
    ),
    (
        "buckets",
        r#"
resource "aws_s3_bucket" "open" { bucket = "open" }
resource "aws_s3_bucket" "blocked" { bucket = "blocked" }
resource "aws_s3_bucket" "documented" { bucket = "documented" }
resource "aws_s3_bucket_public_access_block" "blocked" {
  bucket                  = aws_s3_bucket.blocked.id
  restrict_public_buckets = true
}
locals {
  policy = jsonencode({
    Statement = [{ Effect = "Allow", Principal = "*", Action = "s3:GetObject" }]
  })
}
resource "aws_s3_bucket_policy" "open" {
  bucket = aws_s3_bucket.open.id
  policy = local.policy
}
resource "aws_s3_bucket_policy" "blocked" {
  bucket = aws_s3_bucket.blocked.id
  policy = local.policy
}
resource "aws_s3_bucket_policy" "documented" {
  bucket = aws_s3_bucket.documented.id
  policy = data.aws_iam_policy_document.conditional.json
}
data "aws_iam_policy_document" "conditional" {
  statement {
    principals {
      type        = "*"
      identifiers = ["*"]
    }
    condition { test = "Bool" }
  }
}
"#,
        &["aws_s3_bucket.open"],
        &[
            "aws_s3_bucket.blocked",
            "aws_s3_bucket.documented",
            "aws_s3_bucket.open",
        ],
        &["aws_s3_bucket.documented"],
    ),
    (
        "function URLs",
        r#"
resource "aws_lambda_function_url" "anyone" { authorization_type = "NONE" }
resource "aws_lambda_function_url" "signed" { authorization_type = "AWS_IAM" }
"#,
        &["aws_lambda_function_url.anyone"],
        &[],
        &[],
    ),
    (
        "rules of groups",
        r#"
resource "aws_security_group" "ssh" { name = "ssh" }
resource "aws_security_group_rule" "ssh" {
  type              = "ingress"
  security_group_id = "${aws_security_group.ssh.id}"
  protocol          = "tcp"
  from_port         = 22
  to_port           = 22
  cidr_blocks       = ["0.0.0.0/0"]
}
resource "aws_security_group" "own" { name = "own" }
resource "aws_vpc_security_group_ingress_rule" "own" {
  security_group_id = aws_security_group.own.id
  ip_protocol       = "-1"
  cidr_ipv4         = "10.0.0.0/8"
}
resource "aws_instance" "ssh" {
  associate_public_ip_address = true
  vpc_security_group_ids      = [aws_security_group.ssh.id]
}
resource "aws_instance" "own" {
  associate_public_ip_address = true
  vpc_security_group_ids      = [aws_security_group.own.id]
}
"#,
        &["aws_instance.ssh"],
        &[],
        &[],
    ),
];
