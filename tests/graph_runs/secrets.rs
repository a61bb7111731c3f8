//! Secrets are in nothing that is shown: the graph, the report, SARIF and the program's output.

use serde_json::{Value, json};

use crate::setups::analyze;

const MARK: &str = "(sensitive value)";

fn shown(name: &str, text: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let path = match name {
        "main.tf" => folder.path(),
        _ => path.as_path(),
    };
    for format in ["text", "json", "sarif"] {
        let (_, printed) = analyze(path, &["--format", format, "--fail-on", "never"]);
        assert!(!printed.contains("hunter2"), "{format}: {printed}");
    }
    let (code, printed) = analyze(path, &["--format", "graph", "--fail-on", "never"]);
    assert_eq!(code, Some(0), "{printed}");
    assert!(!printed.contains("hunter2"), "{printed}");
    serde_json::from_str(&printed).unwrap()
}

#[test]
fn secrets_of_a_configuration_are_marked() {
    let text = r#"
variable "pin" {
  default   = "hunter2"
  sensitive = true
}
locals { hidden = sensitive("hunter2") }
resource "aws_ssm_parameter" "p" { value = "hunter2" }
resource "aws_ecs_task_definition" "t" {
  container_definitions = jsonencode([{
    name        = "web"
    image       = "web:1"
    environment = [{ name = "GREETING", value = "hunter2" }, { name = "TABLE", value = aws_dynamodb_table.t.name }]
  }])
}
resource "aws_ecs_task_definition" "text" {
  container_definitions = "[{\"name\":\"web\",\"environment\":[{\"name\":\"GREETING\",\"value\":\"hunter2\"}]}]"
}
resource "aws_ecs_task_definition" "unknown" {
  container_definitions = templatefile("x.json", { greeting = "hunter2" })
}
resource "aws_lambda_function" "f" {
  environment { variables = { GREETING = "hunter2", TABLE = aws_dynamodb_table.t.name } }
}
resource "aws_dynamodb_table" "t" {
  name = local.hidden
  tags = { a = var.pin, b = upper(sensitive("hunter2")), environment = "prod" }
}
resource "aws_s3_bucket" "b" {
  bucket = "a-${sensitive("hunter2")}"
  acl    = sensitive("hunter2")
}
"#;
    let graph = shown("main.tf", text);
    let nodes = graph["nodes"].as_array().unwrap().iter();
    let attributes: serde_json::Map<_, _> = nodes
        .map(|node| {
            (
                node["id"].as_str().unwrap().to_owned(),
                node["attributes"].clone(),
            )
        })
        .collect();
    let expected = json!({
        "aws_dynamodb_table.t": {
            "name": MARK,
            "tags": { "a": "${var.pin}", "b": "${upper(sensitive(…))}", "environment": "prod" },
        },
        "aws_ecs_task_definition.t": { "container_definitions": [{
            "name": "web", "image": "web:1",
            "environment": [{ "name": "GREETING", "value": MARK }, { "name": "TABLE", "value": "${aws_dynamodb_table.t.name}" }],
        }] },
        "aws_ecs_task_definition.text": { "container_definitions": [{ "name": "web", "environment": [{ "name": "GREETING", "value": MARK }] }] },
        "aws_ecs_task_definition.unknown": { "container_definitions": MARK },
        "aws_lambda_function.f": { "environment": [{ "variables": { "GREETING": MARK, "TABLE": "${aws_dynamodb_table.t.name}" } }] },
        "aws_s3_bucket.b": { "acl": MARK, "bucket": "${\"a-${sensitive(…)}\"}" },
        "aws_ssm_parameter.p": { "value": MARK },
    });
    assert_eq!(Value::Object(attributes), expected);
}

#[test]
fn what_a_plan_marks_as_sensitive_is_marked() {
    let plan = json!({
        "variables": { "pin": { "value": "hunter2" } },
        "planned_values": { "root_module": { "resources": [{
            "address": "aws_dynamodb_table.t", "mode": "managed", "type": "aws_dynamodb_table", "name": "t",
            "values": { "name": "hunter2", "tags": { "a": "hunter2", "b": "c" }, "attribute": [{ "name": "hunter2", "type": "S" }] },
            "sensitive_values": { "name": true, "attribute": [{ "name": true }] },
        }] } },
        "resource_changes": [{ "address": "aws_dynamodb_table.t", "change": { "after_sensitive": { "tags": { "a": true } } } }],
    });
    let graph = shown("plan.json", &plan.to_string());
    let expected = json!({
        "name": MARK, "tags": { "a": MARK, "b": "c" }, "attribute": [{ "name": MARK, "type": "S" }],
    });
    assert_eq!(graph["nodes"][0]["attributes"], expected);
}

/// What every form of the output with messages has of a file.
fn printed(name: &str, text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    if name != "main.tf" && name.contains(".tfvars") {
        let used = "resource \"aws_lb\" \"a\" {}";
        std::fs::write(folder.path().join("main.tf"), used).unwrap();
    }
    let path = match name {
        "plan.json" => folder.path().join(name),
        _ => folder.path().to_owned(),
    };
    let formats = ["text", "json", "sarif"];
    let printed =
        formats.map(|format| analyze(&path, &["--format", format, "--fail-on", "never"]).1);
    printed.concat()
}

#[test]
fn messages_quote_no_secrets() {
    for (name, text, expected) in [
        (
            "main.tf",
            r#"resource "aws_lb" "a" { internal = var.a == "hunter2" }"#,
            r#"`var.a == "…"`"#,
        ),
        (
            "main.tf",
            r#"resource "aws_lb" "a" { count = f("hunter2") }"#,
            "`count` is `f(",
        ),
        (
            "main.tf",
            r#"resource "aws_s3_bucket" "a" { acl = "hunter2-${var.a}" }"#,
            "",
        ),
        (
            "main.tf",
            r#"module "a" { source = "git::https://u:hunter2@example.com/a?token=hunter2" }"#,
            "`git::https://…@example.com/a?…`",
        ),
        (
            "main.tf",
            "resource \"aws_lb\" \"a\" {\n  password = \"hunter2\" x\n}\n",
            "main.tf is not Terraform: HCL parse error in line 2, column",
        ),
        (
            "terraform.tfvars",
            "password = \"hunter2\" x\n",
            "terraform.tfvars has no variable values: HCL parse error in line 1, column",
        ),
        (
            "terraform.tfvars.json",
            r#"{ "password": "hunter2 ${" }"#,
            "terraform.tfvars.json: in `password`, a text is not a template of Terraform.",
        ),
        (
            "main.tf.json",
            r#"{ "resource": { "aws_lb": { "a": { "password": "hunter2 ${" } } } }"#,
            "main.tf.json: in `a`, a text is not a template of Terraform.",
        ),
        (
            "plan.json",
            r#"{ "planned_values": "hunter2" }"#,
            r#"invalid type: string "…""#,
        ),
    ] {
        let printed = printed(name, text);
        assert!(!printed.contains("hunter2"), "{text}: {printed}");
        assert!(printed.contains(expected), "{text}: {printed}");
    }
}

#[test]
fn secrets_of_types_and_forms_are_marked() {
    let text = r#"
resource "aws_api_gateway_api_key" "a" { value = "hunter2" }
resource "aws_elasticache_user" "a" { passwords = ["hunter2"] }
resource "kubernetes_secret" "a" { data = { a = "hunter2" } }
resource "local_sensitive_file" "a" { content = "hunter2" }
resource "aws_cloudfront_distribution" "a" {
  origin {
    custom_header {
      name  = "X-Origin"
      value = "hunter2"
    }
  }
}
resource "aws_dynamodb_table" "a" {
  tags = {
    a = "x ghp_hunter2hunter2hunter2"
    b = "x AKIAhunter2hunter2hunter2"
    c = "Bearer hunter2hunter2"
    d = "a bearer of good news"
  }
}
"#;
    let graph = shown("main.tf", text);
    let table = graph["nodes"].as_array().unwrap();
    let table = table
        .iter()
        .find(|node| node["id"] == "aws_dynamodb_table.a");
    let tags = json!({ "a": MARK, "b": MARK, "c": MARK, "d": "a bearer of good news" });
    assert_eq!(table.unwrap()["attributes"]["tags"], tags);
}
