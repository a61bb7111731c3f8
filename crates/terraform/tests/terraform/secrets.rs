//! Secrets are in nothing that is shown: the graph, the report, SARIF and the program's output.

use serde_json::{Value, json};

use crate::analyze::analyze;

const MARK: &str = "(sensitive value)";

/// The graph of a file; the secret is in no other form of the output.
pub fn graph_of(name: &str, text: &str) -> Value {
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
    let graph = graph_of("main.tf", text);
    let nodes = graph["nodes"].as_array().unwrap().iter();
    let attributes: serde_json::Map<_, _> = nodes
        .map(|node| {
            (
                node["id"].as_str().unwrap().to_owned(),
                node["attributes"].clone(),
            )
        })
        .collect();
    // Of tags, only the name is shown.
    let hashed = &attributes["aws_dynamodb_table.t"]["tags"];
    assert!(
        hashed["environment"]
            .as_str()
            .unwrap()
            .starts_with("sha256:")
    );
    let expected = json!({
        "aws_dynamodb_table.t": {
            "name": MARK,
            "tags": { "a": "${var.pin}", "b": "${upper(sensitive(…))}", "environment": hashed["environment"] },
        },
        "aws_ecs_task_definition.t": { "container_definitions": [{
            "name": "web", "image": "web:1",
            "environment": [{ "name": "GREETING", "value": MARK }, { "name": "TABLE", "value": "${aws_dynamodb_table.t.name}" }],
        }] },
        "aws_ecs_task_definition.text": { "container_definitions": [{ "name": "web", "environment": [{ "name": "GREETING", "value": MARK }] }] },
        "aws_ecs_task_definition.unknown": { "container_definitions": MARK },
        "aws_lambda_function.f": { "environment": [{ "variables": { "GREETING": MARK, "TABLE": "${aws_dynamodb_table.t.name}" } }] },
        "aws_s3_bucket.b": { "acl": MARK, "bucket": "${\"…${sensitive(…)}\"}" },
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
            "values": { "name": "hunter2", "tags": { "a": "hunter2", "Name": "c" }, "attribute": [{ "name": "hunter2", "type": "S" }] },
            "sensitive_values": { "name": true, "attribute": [{ "name": true }] },
        }] } },
        "resource_changes": [{ "address": "aws_dynamodb_table.t", "change": { "after_sensitive": { "tags": { "a": true } } } }],
    });
    let graph = graph_of("plan.json", &plan.to_string());
    let expected = json!({
        "name": MARK, "tags": { "a": MARK, "Name": "c" }, "attribute": [{ "name": MARK, "type": "S" }],
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
    Name = "a bearer of good news"
  }
}
"#;
    let graph = graph_of("main.tf", text);
    let table = graph["nodes"].as_array().unwrap();
    let table = table
        .iter()
        .find(|node| node["id"] == "aws_dynamodb_table.a");
    let tags = json!({ "a": MARK, "b": MARK, "c": MARK, "Name": "a bearer of good news" });
    assert_eq!(table.unwrap()["attributes"]["tags"], tags);
}

/// Places where configurations have secrets, each with the same one.
const PLACES: &str = r#"
resource "aws_instance" "a" {
  user_data = "export KEY=hunter2"
  provisioner "remote-exec" { inline = ["echo hunter2"] }
  provisioner "local-exec" {
    command     = "echo hunter2"
    environment = { region = "hunter2" }
  }
  tags     = { Note = "hunter2" }
  metadata = { name = "hunter2" }
}
resource "aws_db_instance" "a" {
  username = "hunter2"
  timeouts { create = "1h" }
}
resource "aws_elastic_beanstalk_environment" "a" {
  setting {
    name  = "KEY"
    value = "hunter2"
  }
}
resource "aws_iam_policy" "a" {
  policy = jsonencode({ Statement = [{ Sid = "hunter2", Condition = { StringEquals = { "aws:UserAgent" = "hunter2" } } }] })
}
resource "aws_glue_job" "a" { default_arguments = { name = "hunter2", "--key" = "hunter2" } }
resource "aws_sns_topic_subscription" "a" { endpoint = "https://hooks.example.com/hunter2" }
resource "aws_batch_job_definition" "a" {
  container_properties = jsonencode({ image = "a", command = ["hunter2"], environment = [{ name = "A", value = "hunter2" }] })
}
resource "aws_cloudwatch_event_target" "a" { input = jsonencode({ name = "hunter2", version = "hunter2" }) }
resource "aws_lb_listener_rule" "a" {
  action {
    type = "fixed-response"
    fixed_response { message_body = "hunter2" }
  }
  condition {
    http_header {
      http_header_name = "X-Key"
      values           = ["hunter2"]
    }
  }
}
resource "aws_dms_endpoint" "a" { username = "hunter2" }
resource "aws_appconfig_hosted_configuration_version" "a" { content = "hunter2" }
resource "azurerm_linux_web_app" "a" {
  app_settings = { type = "hunter2", version = "hunter2", KEY = "hunter2" }
  connection_string {
    name  = "a"
    type  = "SQLAzure"
    value = "hunter2"
  }
}
resource "azurerm_linux_virtual_machine" "a" { custom_data = base64encode("hunter2") }
resource "azurerm_virtual_machine_extension" "a" { settings = jsonencode({ name = "hunter2", command = "hunter2" }) }
resource "azurerm_container_group" "a" {
  container {
    name                         = "a"
    environment_variables        = { name = "hunter2" }
    secure_environment_variables = { region = "hunter2" }
    commands                     = ["hunter2"]
  }
}
resource "google_compute_instance" "a" {
  metadata                = { startup-script = "hunter2", name = "hunter2" }
  metadata_startup_script = "hunter2"
}
resource "google_cloud_run_service" "a" {
  template {
    spec {
      containers {
        image = "a"
        env {
          name  = "KEY"
          value = "hunter2"
        }
      }
    }
  }
}
resource "google_cloudfunctions_function" "a" { environment_variables = { version = "hunter2" } }
resource "helm_release" "a" {
  name   = "a"
  values = [yamlencode({ key = "hunter2" })]
  set {
    name  = "db.key"
    value = "hunter2"
  }
}
resource "kubernetes_config_map" "a" { data = { name = "hunter2", key = "hunter2" } }
resource "kubernetes_secret_v1" "a" { data = { name = "hunter2" } }
resource "github_actions_secret" "a" { plaintext_value = "hunter2" }
resource "datadog_webhook" "a" { url = "https://example.com/hunter2" }
resource "terraform_data" "a" { input = { name = "hunter2" } }
resource "null_resource" "a" { triggers = { version = "hunter2" } }
resource "local_file" "a" { content = "hunter2" }
module "a" {
  source   = "./a"
  settings = { name = "hunter2", version = "hunter2" }
}
resource "aws_s3_bucket" "a" { bucket = format("%s-%s", var.missing, "hunter2") }
resource "aws_lb" "a" { internal = var.missing == "hunter2" ? true : lookup(var.missing, "hunter2", false) }
resource "aws_lambda_function" "a" {
  description = "hunter2"
  environment { variables = { name = "hunter2" } }
}
"#;

#[test]
fn no_place_of_a_configuration_gives_a_secret_away() {
    let graph = graph_of("main.tf", PLACES);
    let nodes = graph["nodes"].as_array().unwrap();
    let database = nodes.iter().find(|node| node["id"] == "aws_db_instance.a");
    let shown = &database.unwrap()["attributes"];
    assert_eq!(shown["timeouts"], json!([{ "create": "1h" }]));
    assert!(shown["username"].as_str().unwrap().starts_with("sha256:"));
}

#[test]
fn keys_in_references_of_a_plan_are_not_quoted() {
    let refers = |text: &str| json!({ "references": [text, "var.map"] });
    let plan = json!({
        "planned_values": { "root_module": { "resources": [{
            "address": "aws_lb.a", "mode": "managed", "type": "aws_lb", "name": "a", "values": {},
        }] } },
        "resource_changes": [{ "address": "aws_lb.a", "change": { "after_unknown": { "internal": true, "name": true } } }],
        "configuration": { "root_module": { "resources": [{
            "address": "aws_lb.a",
            "expressions": { "internal": refers("var.map[\"hunter2\"]"), "name": refers("aws_lb.gone[\"hunter2\"].name") },
        }] } },
    });
    let graph = graph_of("plan.json", &plan.to_string());
    let attributes = &graph["nodes"][0]["attributes"];
    assert_eq!(attributes["internal"], "${var.map[\"…\"]}");
}

/// Expressions that only Terraform knows, with the secret as a text, a key or a number.
const KEYS: &str = r#"
variable "map" {}
resource "aws_lb" "a" { internal = { "hunter2-a" = var.map, hunter2_b = 1 }["hunter2-c"] }
resource "aws_lb" "b" { internal = var.map["hunter2-d"] }
resource "aws_s3_bucket" "a" { acl = local.none["hunter2-e"].acl["hunter2.f"] }
resource "aws_s3_bucket" "b" { acl = f({ hunter2_g = var.map, (var.map) = "hunter2" }) }
resource "aws_s3_bucket" "c" { bucket = module.none["hunter2-h"].name }
resource "aws_db_instance" "a" { for_each = var.map["hunter2-i"] }
resource "aws_security_group" "a" {
  ingress { cidr_blocks = [aws_subnet.none["hunter2-j"].cidr_block, "${var.map["hunter2-k"]}/8"] }
}
resource "aws_instance" "a" { count = var.map[20902090209] + 20902090209 }
resource "aws_instance" "b" { vpc_security_group_ids = [for k, v in var.map : v if k == "hunter2" || v == 20902090209] }
"#;

#[test]
fn keys_and_numbers_in_expressions_are_in_no_form_of_the_output() {
    let graph = graph_of("main.tf", KEYS).to_string();
    assert!(!graph.contains("20902090209"), "{graph}");
}
