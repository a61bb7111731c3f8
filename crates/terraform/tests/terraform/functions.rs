//! Expressions that Terraform decides from the files alone: they are decided here as well.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::analyze::{analyze, flagged};

/// Expressions that are true.
const TRUE: [&str; 58] = [
    "abs(-3) == 3",
    "alltrue([true, \"true\" == \"true\"])",
    "can(regex(\"^prod-\", var.name))",
    "!can(regex(\"^dev-\", var.name))",
    "!can(var.settings.missing)",
    "ceil(1.2) == 2",
    "chunklist([1, 2, 3], 2)[1][0] == 3",
    "chomp(\"a\\n\") == \"a\"",
    "cidrsubnets(\"10.0.0.0/8\", 8, 8)[1] == \"10.1.0.0/16\"",
    "coalesce(null, \"\", \"a\") == \"a\"",
    "coalescelist([], [\"a\"])[0] == \"a\"",
    "contains([\"a\", var.missing], \"a\")",
    "contains(keys(var.settings), \"open\")",
    "endswith(var.name, \"-eu\")",
    "flatten([[\"a\"], [[\"b\"]]])[1] == \"b\"",
    "floor(7 / 2) == 3",
    "format(\"%s-%02d%%\", \"a\", 3) == \"a-03%\"",
    "formatlist(\"%s-%s\", [\"a\", \"b\"], [\"c\", \"d\"])[1] == \"b-d\"",
    "join(\"-\", [\"a\", \"b\"]) == \"a-b\"",
    "jsondecode(\"{\\\"a\\\": [true]}\").a[0]",
    "jsondecode(jsonencode({ a = 1 })).a == 1",
    "length(regexall(\"[a-z]+\", var.name)) == 2",
    "lookup({ a = \"b\" }, \"c\", \"d\") == \"d\"",
    "lookup(var.settings, \"open\", false)",
    "max(1, 7 % 4, 2) == 3",
    "merge({ a = 1 }, { a = 2 }, null).a == 2",
    "one([\"a\"]) == \"a\"",
    "one([]) == null",
    "parseint(\"ff\", 16) == 255",
    "pow(2, 3) == 8",
    "regex(\"^(?P<stage>[a-z]+)-\", var.name).stage == \"prod\"",
    "regex(\"[a-z]+-([a-z]+)\", var.name)[0] == \"eu\"",
    "replace(\"a.b\", \".\", \"-\") == \"a-b\"",
    "replace(\"a1b2\", \"/[0-9]/\", \"\") == \"ab\"",
    "setintersection([\"b\", \"a\"], [\"a\", \"b\"]) == toset([\"a\", \"b\"])",
    "signum(-4) == -1",
    "split(\",\", \"a,b\")[1] == \"b\"",
    "startswith(var.name, \"prod\")",
    "strcontains(var.name, \"d-e\")",
    "strrev(\"ab\") == \"ba\"",
    "sum([1, 2]) == 3",
    "tolist(toset([\"b\", \"a\", \"b\"]))[0] == \"a\"",
    "tobool(\"true\")",
    "tonumber(\"3\") == 3",
    "try(var.settings.missing, var.settings.open)",
    "try(length(var.settings.missing), 5) == 5",
    "try(regex(\"^dev\", var.name), \"none\") == \"none\"",
    "try(tobool(var.settings.missing.more), true)",
    "values({ b = 1, a = 2 })[0] == 2",
    "var.flag",
    "var.flag ? true : false",
    "var.number + 1 == 4",
    "var.set == toset([\"a\", \"b\"])",
    "zipmap([\"a\"], [true]).a",
    "{ for k, v in { a = \"x\", b = \"x\" } : v => k... }[\"x\"][1] == \"b\"",
    "[for one in var.objects : one if one.open][0].name == \"b\"",
    "(var.objects[*].name)[1] == \"b\"",
    "module.outputs.settings.open",
];

#[test]
fn what_terraform_decides_is_decided() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = r#"
variable "missing" {}
variable "name" { default = "prod-eu" }
variable "settings" { default = { open = true } }
variable "flag" {
  type    = bool
  default = "true"
}
variable "number" {
  type    = number
  default = "3"
}
variable "set" {
  type    = set(string)
  default = ["b", "a", "b"]
}
variable "objects" {
  default = [{ name = "a", open = false }, { name = "b", open = true }]
}
module "outputs" { source = "./outputs" }
"#
    .to_owned();
    for (at, expression) in TRUE.iter().enumerate() {
        text.push_str(&format!(
            "resource \"aws_db_instance\" \"n{at}\" {{\n  publicly_accessible = {expression}\n}}\n"
        ));
    }
    std::fs::write(folder.path().join("main.tf"), text).unwrap();
    std::fs::create_dir(folder.path().join("outputs")).unwrap();
    let outputs = "locals {\n  base = { open = false }\n}\noutput \"settings\" { value = merge(local.base, { open = true }) }\n";
    std::fs::write(folder.path().join("outputs/main.tf"), outputs).unwrap();
    let (_, text) = analyze(folder.path(), &["--format", "graph", "--fail-on", "never"]);
    let graph: Value = serde_json::from_str(&text).unwrap();
    let exposed = flagged(&graph, "internetExposed");
    let missing: Vec<_> = (0..TRUE.len())
        .filter(|at| !exposed.contains(format!("aws_db_instance.n{at}").as_str()))
        .map(|at| TRUE[at])
        .collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn a_part_of_a_text_that_is_known_decides_whatever_function_makes_it() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
variable "missing" {}
resource "aws_security_group" "format" {
  ingress { cidr_blocks = [format("%s/32", var.missing)] }
}
resource "aws_security_group" "join" {
  ingress { cidr_blocks = [join("/", [var.missing, "16"])] }
}
resource "aws_security_group" "wide" {
  ingress { cidr_blocks = [join("/", [var.missing, "0"])] }
}
resource "aws_security_group" "dynamic" {
  dynamic "ingress" {
    for_each = toset(["10.0.0.0/8", "0.0.0.0/0"])
    content { cidr_blocks = [ingress.value] }
  }
}
"#;
    std::fs::write(folder.path().join("main.tf"), text).unwrap();
    let (_, text) = analyze(folder.path(), &["--format", "json", "--fail-on", "never"]);
    let report: Value = serde_json::from_str(&text).unwrap();
    let nodes = |list: &str| {
        let all = report[list].as_array().unwrap().iter();
        let nodes = all.map(|one| one["node"].as_str().unwrap().to_owned());
        nodes.collect::<BTreeSet<_>>()
    };
    let wide = BTreeSet::from(["aws_security_group.wide".to_owned()]);
    assert_eq!(nodes("unresolved"), wide);
    let open = BTreeSet::from(["aws_security_group.dynamic".to_owned()]);
    assert_eq!(nodes("findings"), open);
}
