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
