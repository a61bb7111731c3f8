//! Ten small setups, each with the services that are exposed, the datastores, and what is not decided.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use crate::graph_runs::program::trestle;

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

/// What `trestle graph analyze` prints of a folder or a plan, and its exit code.
pub fn analyze(path: &Path, options: &[&str]) -> (Option<i32>, String) {
    let mut command = trestle();
    command.args(["graph", "analyze"]).args(options).arg(path);
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let problem = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), text + &problem)
}

fn graph(text: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("main.tf"), text).unwrap();
    let (code, text) = analyze(folder.path(), &["--format", "graph", "--fail-on", "never"]);
    assert_eq!(code, Some(0), "{text}");
    serde_json::from_str(&text).unwrap()
}

pub fn flagged<'g>(graph: &'g Value, flag: &str) -> BTreeSet<&'g str> {
    let nodes = graph["nodes"].as_array().unwrap().iter();
    let flagged = nodes.filter(|node| node[flag] == json!(true));
    flagged.map(|node| node["id"].as_str().unwrap()).collect()
}

#[test]
fn exposure_is_decided_as_the_provider_documents_it() {
    for (name, text, exposed, datastores, unresolved) in SETUPS {
        let graph = graph(&format!("{OPEN}{text}"));
        let expected = |ids: &[&'static str]| ids.iter().copied().collect::<BTreeSet<_>>();
        assert_eq!(
            flagged(&graph, "internetExposed"),
            expected(exposed),
            "{name}"
        );
        assert_eq!(flagged(&graph, "datastore"), expected(datastores), "{name}");
        assert_eq!(
            flagged(&graph, "unresolved"),
            expected(unresolved),
            "{name}"
        );
    }
}

#[test]
fn attributes_are_in_the_graph_and_secrets_are_not() {
    let text = r#"
variable "db_password" { default = "hunter2" }
resource "aws_db_instance" "main" {
  instance_class = "db.t3.micro"
  password       = "hunter2"
  username       = var.db_password
  tags           = { Name = "main", ApiKey = "hunter2" }
}
"#;
    let graph = graph(text);
    let node = &graph["nodes"][0];
    assert_eq!(
        (&node["file"], &node["line"]),
        (&json!("main.tf"), &json!(3))
    );
    let shown = json!({
        "instance_class": "db.t3.micro",
        "password": "(sensitive value)",
        "username": "${var.db_password}",
        "tags": { "Name": "main", "ApiKey": "(sensitive value)" },
    });
    assert_eq!(node["attributes"], shown);
    assert!(!graph.to_string().contains("hunter2"));
}

#[test]
fn a_module_with_a_local_module_and_values_fails_the_build_of_a_public_database() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(
        "main.tf",
        "variable \"public\" {}\nmodule \"db\" {\n  source = \"./modules/db\"\n  open   = var.public\n}\n",
    );
    write(
        "modules/db/main.tf",
        "variable \"open\" {}\nresource \"aws_db_instance\" \"main\" {\n  storage_encrypted   = true\n  publicly_accessible = var.open\n}\n",
    );
    write("terraform.tfvars", "public = true\n");
    let options = ["--fail-on", "high", "--format", "sarif"];
    let (code, text) = analyze(folder.path(), &options);
    assert_eq!(code, Some(3), "{text}");
    let sarif: Value = serde_json::from_str(&text).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(
        (&result["ruleId"], &result["level"]),
        (&json!("public-datastore"), &json!("error"))
    );
    let place = &result["locations"][0];
    assert_eq!(
        place["physicalLocation"]["artifactLocation"]["uri"],
        "modules/db/main.tf"
    );
    assert_eq!(place["physicalLocation"]["region"]["startLine"], 2);
    assert_eq!(
        place["logicalLocations"][0]["fullyQualifiedName"],
        "module.db.aws_db_instance.main"
    );
    write("terraform.tfvars", "public = false\n");
    assert_eq!(analyze(folder.path(), &options).0, Some(0));
    write("main.tf", "not terraform");
    let (code, text) = analyze(folder.path(), &options);
    assert_eq!(code, Some(1));
    assert!(text.contains("main.tf is not Terraform"), "{text}");
}

#[test]
fn a_plan_is_analyzed_with_its_modules_counts_and_values() {
    let resource = |name: &str, index: u64| {
        json!({
            "address": format!("module.a[0].aws_db_instance.{name}[{index}]"), "mode": "managed",
            "type": "aws_db_instance", "name": name, "index": index,
            "values": { "publicly_accessible": true, "storage_encrypted": true },
        })
    };
    let plan = json!({
        "format_version": "1.2",
        "planned_values": { "root_module": {
            "resources": [{ "address": "aws_lb.web", "mode": "managed", "type": "aws_lb", "name": "web", "values": { "internal": false } }],
            "child_modules": [{ "address": "module.a[0]", "resources": [resource("main", 0), resource("main", 1)] }],
        } },
        "configuration": { "root_module": {
            "resources": [{ "address": "aws_lb.web", "expressions": { "name": { "references": ["module.a[0].id", "module.a[0]", "module.a"] } } }],
            "module_calls": { "a": { "module": {} } },
        } },
    });
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plan.json");
    std::fs::write(&file, plan.to_string()).unwrap();
    let (code, text) = analyze(&file, &["--format", "graph"]);
    assert_eq!(code, Some(3), "{text}");
    let graph: Value = serde_json::from_str(&text).unwrap();
    let exposed = [
        "aws_lb.web",
        "module.a[0].aws_db_instance.main[0]",
        "module.a[0].aws_db_instance.main[1]",
    ];
    assert_eq!(flagged(&graph, "internetExposed"), BTreeSet::from(exposed));
    let edge = json!({ "from": "aws_lb.web", "to": "module.a[0]", "kind": "reference" });
    assert_eq!(graph["edges"], json!([edge]));
    std::fs::write(&file, "{}").unwrap();
    assert!(analyze(&file, &[]).1.contains("no `planned_values`"));
}
