//! Valid Terraform of unusual form, and how much of it there may be: what `trestle graph analyze` makes of it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::analyze::{self, flagged};

/// What `trestle graph analyze` prints of one file, and whether it could be analyzed.
fn analyze(name: &str, text: &str) -> (bool, String) {
    analyze_files(&[(name, text)])
}

fn graph(name: &str, text: &str) -> Value {
    let (is_analyzed, printed) = analyze(name, text);
    assert!(is_analyzed, "{printed}");
    serde_json::from_str(&printed).unwrap()
}

fn node<'g>(graph: &'g Value, id: &str) -> &'g Value {
    let mut nodes = graph["nodes"].as_array().unwrap().iter();
    nodes.find(|node| node["id"] == id).unwrap()
}

fn edges(graph: &Value) -> BTreeSet<(&str, &str)> {
    let edges = graph["edges"].as_array().unwrap().iter();
    edges
        .map(|edge| (edge["from"].as_str().unwrap(), edge["to"].as_str().unwrap()))
        .collect()
}

#[test]
fn of_a_key_that_an_object_has_twice_the_last_value_counts() {
    let text = r#"
locals {
  flags = { internal = true, internal = false }
}
resource "aws_lb" "web" {
  internal = local.flags.internal
  name     = "${{ a = 1, a = "web" }.a}"
  tags = {
    Name   = "a"
    "Name" = "b"
    Name   = "c"
    Group  = aws_security_group.old.id
    Group  = aws_security_group.new.id
  }
}
resource "aws_security_group" "old" {}
resource "aws_security_group" "new" {}
"#;
    let graph = graph("main.tf", text);
    let web = node(&graph, "aws_lb.web");
    let shown = json!({
        "internal": false,
        "name": "web",
        "tags": { "Name": "c", "Group": "${aws_security_group.new.id}" },
    });
    assert_eq!(web["attributes"], shown);
    assert_eq!(
        (&web["line"], &web["internetExposed"]),
        (&json!(5), &json!(true))
    );
    // Terraform waits for both of them.
    let both = [
        ("aws_lb.web", "aws_security_group.new"),
        ("aws_lb.web", "aws_security_group.old"),
    ];
    assert_eq!(edges(&graph), BTreeSet::from(both));
}

#[test]
fn values_of_variables_may_have_a_key_twice() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "main.tf",
        "variable \"lb\" {}\nresource \"aws_lb\" \"web\" { internal = var.lb.internal }\n",
    );
    write(
        "terraform.tfvars",
        "lb = { internal = true, internal = false }\n",
    );
    let (_, text) = analyze::analyze(folder.path(), &["--format", "graph"]);
    let graph: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(graph["nodes"][0]["internetExposed"], true);
}

#[test]
fn a_member_that_json_has_twice_is_two_blocks() {
    let text = r#"{
  "resource": { "aws_lb": { "web": {} } },
  "resource": { "aws_lb": { "app": { "internal": true, "internal": false } } },
  "resource": { "aws_security_group": { "open": {
    "ingress": { "protocol": "tcp", "from_port": 443, "to_port": 443, "cidr_blocks": ["10.0.0.0/8"] },
    "ingress": [{ "protocol": "tcp", "from_port": 22, "to_port": 22, "cidr_blocks": ["0.0.0.0/0"] }]
  } } },
  "resource": { "aws_instance": { "web": {
    "associate_public_ip_address": true,
    "vpc_security_group_ids": ["${{ a = 1, a = aws_security_group.open.id }.a}"]
  } } }
}"#;
    let graph = graph("main.tf.json", text);
    for id in ["aws_lb.web", "aws_lb.app", "aws_instance.web"] {
        assert_eq!(node(&graph, id)["internetExposed"], true, "{id}");
    }
}

/// A file with `resources` resources, each repeated `count` times.
fn repeated(resources: usize, count: usize, argument: &str) -> String {
    let resource =
        |n| format!("resource \"aws_instance\" \"r{n}\" {{\n  count = {count}\n  {argument}\n}}\n");
    (0..resources).map(resource).collect()
}

#[test]
fn equal_instances_cost_as_much_as_one() {
    let graph = graph(
        "main.tf",
        &repeated(3_000, 100, "subnet_id = aws_instance.r0.id"),
    );
    // 20,000 besides the first of each block are nodes of their own; one stands for all in the blocks after these.
    assert_eq!(node(&graph, "aws_instance.r7[99]")["instances"], 1);
    assert_eq!(node(&graph, "aws_instance.r2999")["instances"], 100);
    let nodes = graph["nodes"].as_array().unwrap().len();
    assert!((3_000..=23_000).contains(&nodes), "{nodes}");
}

#[test]
fn too_many_instances_that_differ_fail_with_a_reason() {
    let (is_analyzed, printed) = analyze(
        "main.tf",
        &repeated(3_000, 100, "ami = \"ami-${count.index}\""),
    );
    assert!(!is_analyzed);
    assert!(
        printed.contains("more than 20000 instances that differ"),
        "{printed}"
    );
}

#[test]
fn every_instance_that_differs_is_looked_at() {
    let text =
        "resource \"aws_lb\" \"a\" {\n  count    = 150\n  internal = count.index != 149\n}\n";
    let before = graph("main.tf", text);
    assert_eq!(
        flagged(&before, "internetExposed"),
        BTreeSet::from(["aws_lb.a[149]"])
    );
    let after = graph("main.tf", &text.replace("149", "148"));
    assert_eq!(
        flagged(&after, "internetExposed"),
        BTreeSet::from(["aws_lb.a[148]"])
    );
}

/// What `trestle graph analyze` prints of several files, and whether they could be analyzed.
fn analyze_files(files: &[(&str, &str)]) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let options = ["--format", "graph", "--fail-on", "never"];
    let (code, printed) = analyze::analyze(folder.path(), &options);
    (code == Some(0), printed)
}

#[test]
fn an_override_file_changes_what_others_declare_and_nothing_else() {
    let main = r#"
variable "open" { default = false }
resource "aws_db_instance" "d" {
  publicly_accessible = var.open
  storage_encrypted   = true
  timeouts { create = "1h" }
  timeouts { delete = "1h" }
}
"#;
    let changed = r#"
variable "open" { default = true }
resource "aws_db_instance" "d" {
  instance_class = "db.t3.micro"
  timeouts { update = "2h" }
}
"#;
    let (is_analyzed, printed) = analyze_files(&[("a_override.tf", changed), ("main.tf", main)]);
    assert!(is_analyzed, "{printed}");
    let graph: Value = serde_json::from_str(&printed).unwrap();
    let database = node(&graph, "aws_db_instance.d");
    let shown = json!({
        "publicly_accessible": true, "storage_encrypted": true, "instance_class": "db.t3.micro",
        "timeouts": [{ "update": "2h" }],
    });
    assert_eq!(database["attributes"], shown);
    assert_eq!(database["file"], "main.tf");
}

#[test]
fn a_resource_that_is_declared_twice_is_refused_with_both_places() {
    let open = r#"resource "aws_security_group" "s" {
  ingress {
    from_port   = 22
    to_port     = 22
    cidr_blocks = ["0.0.0.0/0"]
  }
}
"#;
    let none = "\nresource \"aws_security_group\" \"s\" {}\n";
    let (is_analyzed, printed) = analyze_files(&[("a.tf", open), ("z.tf", none)]);
    assert!(!is_analyzed, "{printed}");
    let reason = "aws_security_group.s is declared twice: in a.tf:1 and in z.tf:2.";
    assert!(printed.contains(reason), "{printed}");
}
