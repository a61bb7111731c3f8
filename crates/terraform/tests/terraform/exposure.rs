//! What the internet reaches, what stores data, and what of a configuration or a plan is shown.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::analyze::{analyze, flagged};
use crate::setups::{OPEN, SETUPS};

fn graph(text: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("main.tf"), text).unwrap();
    let (code, text) = analyze(folder.path(), &["--format", "graph", "--fail-on", "never"]);
    assert_eq!(code, Some(0), "{text}");
    serde_json::from_str(&text).unwrap()
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
