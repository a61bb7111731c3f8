//! `trestle graph analyze` as continuous integration calls it.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::graph_runs::program::{analyze, flagged, trestle};

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// The exit code and the output of a command in a folder.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = trestle()
        .current_dir(folder)
        .args(["graph", "analyze"])
        .args(arguments)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

fn report(folder: &Path, arguments: &[&str]) -> Value {
    let options = [arguments, &["--format", "json", "--fail-on", "never"]].concat();
    let (code, text) = run(folder, &options);
    assert_eq!(code, Some(0), "{text}");
    serde_json::from_str(&text).unwrap()
}

fn count(report: &Value, rule: &str, what: &str) -> u64 {
    let mut rules = report["rules"].as_array().unwrap().iter();
    let counted = rules.find(|one| one["rule"] == rule).unwrap();
    counted[what].as_u64().unwrap()
}

const MODULE: &str = r#"
variable "allowed" { type = list(string) }
resource "aws_security_group" "db" {
  ingress {
    protocol    = "tcp"
    from_port   = 5432
    to_port     = 5432
    cidr_blocks = var.allowed
  }
}
"#;
const CALL: &str = r#"
variable "allowed" { type = list(string) }
module "db" {
  source  = "../../modules/db"
  allowed = var.allowed
}
"#;

fn environments() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("modules/db/main.tf", MODULE),
        ("envs/dev/main.tf", CALL),
        ("envs/prod/main.tf", CALL),
        ("envs/prod/prod.tfvars", "allowed = [\"0.0.0.0/0\"]\n"),
        ("envs/dev/terraform.tfvars", "allowed = [\"10.0.0.0/8\"]\n"),
    ];
    write(folder.path(), &files);
    folder
}

#[test]
fn the_command_of_a_pipeline_fails_on_a_finding_and_writes_sarif() {
    let folder = environments();
    let arguments = [
        "--root",
        "envs/prod",
        "--var-file",
        "prod.tfvars",
        "--fail-on",
        "high",
        "--sarif",
        "out.sarif",
    ];
    let (code, text) = run(folder.path(), &arguments);
    assert_eq!(code, Some(3), "{text}");
    assert!(
        text.contains("HIGH open-security-group module.db.aws_security_group.db"),
        "{text}"
    );
    assert!(
        text.contains("Values used: envs/prod/prod.tfvars"),
        "{text}"
    );
    let sarif = std::fs::read_to_string(folder.path().join("out.sarif")).unwrap();
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    assert_eq!(
        sarif["runs"][0]["results"][0]["ruleId"],
        "open-security-group"
    );
}

#[test]
fn a_source_that_is_not_known_is_never_clear() {
    let folder = environments();
    let found = report(folder.path(), &["--root", "envs/prod"]);
    assert_eq!(found["roots"], serde_json::json!(["envs/prod"]));
    let counts =
        ["found", "undecided", "clear"].map(|what| count(&found, "open-security-group", what));
    assert_eq!(counts, [0, 1, 0], "{found:#}");
    let arguments = ["--root", "envs/prod", "--fail-on-unresolved"];
    let (code, text) = run(folder.path(), &arguments);
    assert_eq!(code, Some(3), "{text}");
    let ignored = found["valueFiles"]["ignored"].as_array().unwrap();
    assert!(
        ignored.contains(&"envs/prod/prod.tfvars".into()),
        "{ignored:?}"
    );
}

#[test]
fn without_a_root_every_folder_that_no_other_calls_is_one() {
    let folder = environments();
    let found = report(folder.path(), &["--var", "allowed=[\"0.0.0.0/0\"]"]);
    assert_eq!(found["roots"], serde_json::json!(["envs/dev", "envs/prod"]));
    let findings = found["findings"].as_array().unwrap().iter();
    let nodes: BTreeSet<_> = findings.map(|one| one["node"].as_str().unwrap()).collect();
    let expected =
        ["envs/dev", "envs/prod"].map(|root| format!("{root}/module.db.aws_security_group.db"));
    assert_eq!(nodes, expected.iter().map(String::as_str).collect());
}

#[test]
fn the_top_is_the_root_even_if_an_example_calls_it() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("main.tf", "resource \"aws_lb\" \"a\" {}\n"),
        (
            "examples/full/main.tf",
            "module \"a\" { source = \"../..\" }\n",
        ),
    ];
    write(folder.path(), &files);
    let (_, text) = analyze(folder.path(), &["--format", "graph"]);
    let graph: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        flagged(&graph, "internetExposed"),
        BTreeSet::from(["aws_lb.a"])
    );
}

#[test]
fn a_module_has_the_instances_that_terraform_makes() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        (
            "main.tf",
            r#"
module "none" {
  source = "./db"
  count  = 0
  public = true
}
module "no" {
  source   = "./db"
  for_each = {}
  public   = true
}
module "each" {
  source   = "./db"
  for_each = { open = true, closed = false }
  public   = each.value
}
"#,
        ),
        (
            "db/main.tf",
            r#"
variable "public" {}
resource "aws_db_instance" "a" {
  publicly_accessible = var.public
  storage_encrypted   = true
}
"#,
        ),
    ];
    write(folder.path(), &files);
    let (_, text) = analyze(folder.path(), &["--format", "graph", "--fail-on", "never"]);
    let graph: Value = serde_json::from_str(&text).unwrap();
    let exposed = "module.each[\"open\"].aws_db_instance.a";
    assert_eq!(
        flagged(&graph, "internetExposed"),
        BTreeSet::from([exposed])
    );
    assert_eq!(flagged(&graph, "datastore").len(), 2, "{text}");
}

#[test]
fn a_comment_with_a_reason_and_a_baseline_suppress_findings() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
# The website of the shop.
#trestle:ignore public-bucket It is a website.
resource "aws_s3_bucket" "site" { acl = "public-read" }
resource "aws_s3_bucket" "other" {
  acl = "public-read" #trestle:ignore public-bucket
}
"#;
    write(folder.path(), &[("main.tf", text)]);
    let found = report(folder.path(), &[]);
    let nodes = |found: &Value, rule: &str| {
        let findings = found["findings"].as_array().unwrap().iter();
        let findings = findings.filter(|one| one["rule"] == rule);
        findings
            .map(|one| one["node"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(nodes(&found, "public-bucket"), ["aws_s3_bucket.other"]);
    assert_eq!(found["suppressed"][0]["reason"], "It is a website.");
    assert_eq!(count(&found, "public-bucket", "suppressed"), 1);
    assert!(
        found["notes"].to_string().contains("has no reason"),
        "{found:#}"
    );
    write(folder.path(), &[("baseline.json", &found.to_string())]);
    let (code, printed) = run(
        folder.path(),
        &["--baseline", "baseline.json", "--fail-on", "low"],
    );
    assert_eq!(code, Some(0), "{printed}");
    write(
        folder.path(),
        &[(
            "rules.json",
            r#"{ "public-bucket": "off", "public-datastore": "low" }"#,
        )],
    );
    let (code, printed) = run(
        folder.path(),
        &["--rules", "rules.json", "--fail-on", "medium"],
    );
    assert_eq!(code, Some(0), "{printed}");
    write(
        folder.path(),
        &[("rules.json", r#"{ "public-buckets": "off" }"#)],
    );
    let (code, printed) = run(folder.path(), &["--rules", "rules.json"]);
    assert_eq!(code, Some(1), "{printed}");
}

#[test]
fn modules_that_init_has_installed_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = r#"{"Modules":[{"Key":"","Source":"","Dir":"."},{"Key":"web","Source":"registry.terraform.io/x/web/aws","Version":"1.0.0","Dir":".terraform/modules/web"}]}"#;
    let files = [
        ("main.tf", "module \"web\" { source = \"x/web/aws\" }\n"),
        (".terraform/modules/modules.json", manifest),
        (
            ".terraform/modules/web/main.tf",
            "resource \"aws_lb\" \"a\" {}\n",
        ),
    ];
    write(folder.path(), &files);
    let (_, text) = analyze(folder.path(), &["--format", "graph"]);
    let graph: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        flagged(&graph, "internetExposed"),
        BTreeSet::from(["module.web.aws_lb.a"])
    );
}

#[test]
fn values_outside_of_the_list_are_not_stored_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
resource "helm_release" "a" {
  name   = "app"
  values = [yamlencode({ key = "hunter2" })]
  set {
    name  = "db.key"
    value = "hunter2"
  }
}
resource "aws_elastic_beanstalk_environment" "a" {
  setting {
    namespace = "aws:elasticbeanstalk:application:environment"
    name      = "KEY"
    value     = "hunter2"
  }
}
resource "azurerm_linux_web_app" "a" { app_settings = { KEY = "hunter2" } }
resource "azurerm_linux_virtual_machine" "a" { custom_data = "hunter2" }
resource "google_compute_instance" "a" { metadata_startup_script = "export KEY=hunter2" }
resource "github_actions_secret" "a" { plaintext_value = "hunter2" }
resource "terraform_data" "a" {
  provisioner "remote-exec" { inline = ["echo hunter2"] }
}
resource "aws_sns_topic_subscription" "a" { endpoint = "https://hooks.example.com/hunter2" }
resource "aws_s3_bucket" "a" { bucket = format("%s-hunter2", var.name) }
variable "name" {}
"#;
    write(folder.path(), &[("main.tf", text)]);
    for format in ["text", "json", "sarif", "graph"] {
        let (_, printed) = analyze(folder.path(), &["--format", format, "--fail-on", "never"]);
        assert!(!printed.contains("hunter2"), "{format}: {printed}");
    }
    let found = report(folder.path(), &[]);
    assert!(found["redacted"].as_u64().unwrap() >= 7, "{found:#}");
    let others = found["notLookedAt"].as_array().unwrap();
    assert!(
        others
            .iter()
            .any(|one| one["type"] == "aws_sns_topic_subscription"),
        "{others:#?}"
    );
}

#[test]
fn what_a_resource_only_depends_on_is_one_edge() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
resource "aws_sqs_queue" "a" {}
resource "aws_sns_topic" "b" { depends_on = [aws_sqs_queue.a] }
"#;
    write(folder.path(), &[("main.tf", text)]);
    let (_, text) = analyze(folder.path(), &["--format", "graph"]);
    let graph: Value = serde_json::from_str(&text).unwrap();
    let edges = serde_json::json!([{ "from": "aws_sns_topic.b", "to": "aws_sqs_queue.a", "kind": "depends_on" }]);
    assert_eq!(graph["edges"], edges);
}

#[test]
fn a_datastore_behind_a_load_balancer_is_found_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
resource "aws_lb" "web" {
  access_logs { bucket = aws_s3_bucket.logs.id }
}
resource "aws_s3_bucket" "logs" {}
resource "aws_lb_target_group" "web" {}
resource "aws_lb_listener" "web" {
  load_balancer_arn = aws_lb.web.arn
  default_action { target_group_arn = aws_lb_target_group.web.arn }
}
resource "aws_lb_target_group_attachment" "web" {
  target_group_arn = aws_lb_target_group.web.arn
  target_id        = aws_instance.app.id
}
resource "aws_instance" "app" {
  subnet_id              = aws_subnet.a.id
  vpc_security_group_ids = []
  user_data              = "connect ${aws_db_instance.main.address}"
}
resource "aws_subnet" "a" {}
resource "aws_db_instance" "main" { storage_encrypted = true }
resource "aws_cloudfront_distribution" "site" {
  enabled = true
  origin { domain_name = aws_s3_bucket.site.bucket_regional_domain_name }
  logging_config { bucket = aws_s3_bucket.logs.bucket_domain_name }
}
resource "aws_s3_bucket" "site" {}
"#;
    write(folder.path(), &[("main.tf", text)]);
    let found = report(folder.path(), &[]);
    let findings = found["findings"].as_array().unwrap().iter();
    let uses: Vec<_> = findings
        .filter(|one| one["rule"] == "exposed-uses-datastore")
        .collect();
    let [only] = uses.as_slice() else {
        panic!("{uses:#?}")
    };
    assert_eq!(only["node"], "aws_lb.web");
    let path = "aws_lb.web → aws_lb_listener.web → aws_lb_target_group.web → aws_lb_target_group_attachment.web → aws_instance.app → aws_db_instance.main";
    assert!(only["message"].as_str().unwrap().contains(path), "{only:#}");
}
