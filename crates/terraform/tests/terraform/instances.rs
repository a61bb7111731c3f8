//! Instances of `count` and `for_each`: each is a node of its own, with its own edges and its own answers.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use crate::analyze::{analyze, flagged};

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn graph_of(path: &Path) -> Value {
    let (code, text) = analyze(path, &["--format", "graph", "--fail-on", "never"]);
    assert_eq!(code, Some(0), "{text}");
    serde_json::from_str(&text).unwrap()
}

fn graph(files: &[(&str, &str)]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), files);
    graph_of(folder.path())
}

fn ids(graph: &Value) -> BTreeSet<&str> {
    let nodes = graph["nodes"].as_array().unwrap().iter();
    nodes.map(|node| node["id"].as_str().unwrap()).collect()
}

fn edges<'g>(graph: &'g Value, from: &str) -> BTreeSet<&'g str> {
    let edges = graph["edges"].as_array().unwrap().iter();
    let of = edges.filter(|edge| edge["from"] == from);
    of.map(|edge| edge["to"].as_str().unwrap()).collect()
}

const GROUPS: &str = r#"
resource "aws_security_group" "g" { for_each = toset(["db", "web"]) }
resource "aws_vpc_security_group_ingress_rule" "web" {
  security_group_id = aws_security_group.g["web"].id
  cidr_ipv4         = "0.0.0.0/0"
  ip_protocol       = "-1"
}
resource "aws_instance" "i" {
  for_each                    = aws_security_group.g
  associate_public_ip_address = true
  vpc_security_group_ids      = [each.value.id]
}
resource "aws_instance" "one" {
  count                       = 2
  associate_public_ip_address = true
  vpc_security_group_ids      = [aws_security_group.g[count.index == 0 ? "db" : "web"].id]
}
"#;

#[test]
fn a_rule_of_one_instance_says_nothing_about_the_others() {
    let graph = graph(&[("main.tf", GROUPS)]);
    let exposed = ["aws_instance.i[\"web\"]", "aws_instance.one[1]"];
    assert_eq!(flagged(&graph, "internetExposed"), BTreeSet::from(exposed));
    assert_eq!(flagged(&graph, "unresolved"), BTreeSet::new());
    let one = |id| BTreeSet::from([id]);
    for (from, to) in [
        ("aws_instance.i[\"db\"]", "aws_security_group.g[\"db\"]"),
        ("aws_instance.i[\"web\"]", "aws_security_group.g[\"web\"]"),
        ("aws_instance.one[0]", "aws_security_group.g[\"db\"]"),
        (
            "aws_vpc_security_group_ingress_rule.web",
            "aws_security_group.g[\"web\"]",
        ),
    ] {
        assert_eq!(edges(&graph, from), one(to), "{from}");
    }
}

#[test]
fn what_has_no_instances_is_not_there() {
    let main = r#"
variable "create" { default = false }
resource "aws_lb" "none" { count = var.create ? 1 : 0 }
resource "aws_lb" "no" { for_each = {} }
module "none" {
  source = "./m"
  count  = var.create ? 1 : 0
}
resource "aws_lb_listener" "a" {
  load_balancer_arn = try(aws_lb.none[0].arn, module.none[0].arn, one(aws_lb.no[*].arn), "")
}
"#;
    let module = "resource \"aws_lb\" \"a\" {}\noutput \"arn\" { value = aws_lb.a.arn }\n";
    let graph = graph(&[("main.tf", main), ("m/main.tf", module)]);
    assert_eq!(ids(&graph), BTreeSet::from(["aws_lb_listener.a"]));
    assert_eq!(graph["edges"], json!([]));
}

#[test]
fn splats_and_lists_of_instances_are_all_of_them() {
    let main = r#"
resource "aws_subnet" "a" { count = 3 }
resource "aws_lb" "all" { subnets = aws_subnet.a[*].id }
resource "aws_lb" "old" { subnets = aws_subnet.a.*.id }
resource "aws_lb" "two" { subnets = slice(aws_subnet.a[*].id, 0, 2) }
resource "aws_lb" "last" { subnets = [element(aws_subnet.a[*].id, 2)] }
"#;
    let graph = graph(&[("main.tf", main)]);
    let all = ["aws_subnet.a[0]", "aws_subnet.a[1]", "aws_subnet.a[2]"];
    for from in ["aws_lb.all", "aws_lb.old"] {
        assert_eq!(edges(&graph, from), BTreeSet::from(all), "{from}");
    }
    for from in ["aws_lb.two", "aws_lb.last"] {
        assert!(
            edges(&graph, from).is_subset(&BTreeSet::from(all)),
            "{from}"
        );
    }
}

#[test]
fn modules_have_instances_with_keys_whose_outputs_lead_to_theirs() {
    let main = r#"
module "net" {
  source   = "./net"
  for_each = { open = "0.0.0.0/0", closed = "10.0.0.0/8" }
  range    = each.value
}
resource "aws_instance" "a" {
  for_each                    = module.net
  associate_public_ip_address = true
  vpc_security_group_ids      = [each.value.group]
}
resource "aws_instance" "b" {
  associate_public_ip_address = true
  vpc_security_group_ids      = [for net in module.net : net.group if false]
}
resource "aws_instance" "c" {
  associate_public_ip_address = true
  vpc_security_group_ids      = [module.net["closed"].group]
}
"#;
    let net = r#"
variable "range" {}
resource "aws_security_group" "a" {
  ingress {
    protocol    = "-1"
    cidr_blocks = [var.range]
  }
}
output "group" { value = aws_security_group.a.id }
"#;
    let graph = graph(&[("main.tf", main), ("net/main.tf", net)]);
    let expected = ["aws_instance.a[\"open\"]"];
    assert_eq!(flagged(&graph, "internetExposed"), BTreeSet::from(expected));
    let ids = ids(&graph);
    for id in [
        "module.net[\"open\"]",
        "module.net[\"closed\"].aws_security_group.a",
    ] {
        assert!(ids.contains(id), "{id}: {ids:?}");
    }
    assert!(
        edges(&graph, "aws_instance.c").contains("module.net[\"closed\"].aws_security_group.a")
    );
    assert!(!edges(&graph, "aws_instance.c").contains("module.net[\"open\"]"));
}

#[test]
fn instances_of_a_plan_have_their_addresses_and_their_own_edges() {
    let resource = |kind: &str, address: &str, values: Value| {
        let name = address.rsplit('.').next().unwrap();
        let name = name.split('[').next().unwrap();
        json!({ "address": address, "mode": "managed", "type": kind, "name": name, "values": values })
    };
    let group = |key: &str| {
        let address = format!("module.m[\"{key}\"].aws_security_group.g");
        resource("aws_security_group", &address, json!({ "ingress": [] }))
    };
    let rule = resource(
        "aws_vpc_security_group_ingress_rule",
        "aws_vpc_security_group_ingress_rule.web",
        json!({ "cidr_ipv4": "0.0.0.0/0", "ip_protocol": "-1" }),
    );
    let machine = |key: &str| {
        let values = json!({ "associate_public_ip_address": true });
        let address = format!("aws_instance.i[\"{key}\"]");
        resource("aws_instance", &address, values)
    };
    let child =
        |key: &str| json!({ "address": format!("module.m[\"{key}\"]"), "resources": [group(key)] });
    let unknown = |address: &str, name: &str, value: Value| json!({ "address": address, "change": { "after_unknown": { name: value } } });
    let plan = json!({
        "planned_values": { "root_module": {
            "resources": [rule, machine("db"), machine("web")],
            "child_modules": [child("db"), child("web")],
        } },
        "resource_changes": [
            unknown("aws_vpc_security_group_ingress_rule.web", "security_group_id", json!(true)),
            unknown("aws_instance.i[\"db\"]", "vpc_security_group_ids", json!(true)),
            unknown("aws_instance.i[\"web\"]", "vpc_security_group_ids", json!(true)),
        ],
        "configuration": { "root_module": {
            "resources": [
                {
                    "address": "aws_vpc_security_group_ingress_rule.web",
                    "expressions": { "security_group_id": { "references": ["module.m[\"web\"].id", "module.m[\"web\"]", "module.m"] } },
                },
                {
                    "address": "aws_instance.i",
                    "for_each_expression": { "constant_value": ["db", "web"] },
                    "expressions": { "vpc_security_group_ids": { "references": ["module.m", "each.key"] } },
                },
            ],
            "module_calls": { "m": {
                "for_each_expression": { "constant_value": ["db", "web"] },
                "module": {
                    "outputs": { "id": { "expression": { "references": ["aws_security_group.g.id", "aws_security_group.g"] } } },
                    "resources": [{ "address": "aws_security_group.g", "expressions": {} }],
                },
            } },
        } },
    });
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("plan.json", &plan.to_string())]);
    let graph = graph_of(&folder.path().join("plan.json"));
    assert_eq!(
        ids(&graph),
        BTreeSet::from([
            "aws_instance.i[\"db\"]",
            "aws_instance.i[\"web\"]",
            "aws_vpc_security_group_ingress_rule.web",
            "module.m[\"db\"]",
            "module.m[\"db\"].aws_security_group.g",
            "module.m[\"web\"]",
            "module.m[\"web\"].aws_security_group.g",
        ])
    );
    assert!(
        edges(&graph, "aws_vpc_security_group_ingress_rule.web")
            .contains("module.m[\"web\"].aws_security_group.g")
    );
    assert!(
        !edges(&graph, "aws_vpc_security_group_ingress_rule.web")
            .contains("module.m[\"db\"].aws_security_group.g")
    );
    // A plan does not name the output behind an index by `each.key`: neither is clear.
    let machines = ["aws_instance.i[\"db\"]", "aws_instance.i[\"web\"]"];
    assert_eq!(flagged(&graph, "internetExposed"), BTreeSet::new());
    assert_eq!(flagged(&graph, "unresolved"), BTreeSet::from(machines));
}
