//! The pipeline inside the server: Terraform goes up, a graph and a risk report come down.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use trestle_graph_runs::Pipeline;

use crate::graph_runs::server::{ANN, Api, RUN, hash};

/// How long a run may take before the test gives up on it.
const PATIENCE: Duration = Duration::from_secs(60);

pub async fn processed(api: &Api, format: &str, file: &str) -> Value {
    processed_of(api, ANN, (format, file)).await
}

/// A run of a viewer, once it has ended.
pub async fn processed_of(api: &Api, viewer: &str, (format, file): (&str, &str)) -> Value {
    let id = api.uploaded(viewer, format, file).await;
    let started = api.change(viewer, "startRun", json!({}), &id).await;
    assert_eq!(started["userErrors"], json!([]));
    ended(api, viewer, &id).await
}

async fn ended(api: &Api, viewer: &str, id: &str) -> Value {
    let query = format!(
        "query($id: String!) {{ run(runId: $id) {{ {RUN} graphDownload {{ url }} reportDownload {{ url }} }} }}"
    );
    let ended = async {
        loop {
            let run = api.field(viewer, &query, json!({ "id": id })).await;
            if run["status"] != "PROCESSING" {
                return run;
            }
        }
    };
    tokio::time::timeout(PATIENCE, ended)
        .await
        .expect("the run ends")
}

struct Outcome {
    run: Value,
    text: String,
    graph: Value,
    report: Value,
}

async fn outcome(format: &str, file: &str) -> Outcome {
    let api = Api::start_with(Pipeline::InProcess).await;
    let run = processed(&api, format, file).await;
    assert_eq!(run["status"], "COMPLETE", "{run:#}");
    let get = async |name: &str| {
        let url = run[name]["url"].as_str().unwrap();
        api.http
            .get(url)
            .send()
            .await
            .unwrap()
            .text()
            .await
            .unwrap()
    };
    let text = get("graphDownload").await;
    let report = get("reportDownload").await;
    Outcome {
        graph: serde_json::from_str(&text).unwrap(),
        report: serde_json::from_str(&report).unwrap(),
        text,
        run,
    }
}

impl Outcome {
    fn nodes(&self, flag: &str) -> BTreeSet<&str> {
        let nodes = self.graph["nodes"].as_array().unwrap().iter();
        let flagged = nodes.filter(|node| node[flag] == json!(true));
        flagged.map(|node| node["id"].as_str().unwrap()).collect()
    }

    fn node(&self, id: &str) -> &Value {
        let nodes = self.graph["nodes"].as_array().unwrap();
        nodes.iter().find(|node| node["id"] == id).unwrap()
    }

    fn edges_from(&self, id: &str) -> BTreeSet<(&str, &str)> {
        let edges = self.graph["edges"].as_array().unwrap().iter();
        let of = edges.filter(|edge| edge["from"] == id);
        of.map(|edge| (edge["to"].as_str().unwrap(), edge["kind"].as_str().unwrap()))
            .collect()
    }

    fn findings(&self) -> BTreeSet<(&str, &str, &str)> {
        let findings = self.report["findings"].as_array().unwrap().iter();
        findings
            .map(|f| {
                (
                    f["severity"].as_str().unwrap(),
                    f["rule"].as_str().unwrap(),
                    f["node"].as_str().unwrap(),
                )
            })
            .collect()
    }

    fn unresolved(&self, node: &str) -> Vec<&str> {
        let lists = ["unresolved", "notes"];
        let notes = lists
            .iter()
            .flat_map(|list| self.report[*list].as_array().unwrap());
        let of = notes.filter(|note| note["node"] == node);
        of.map(|note| note["message"].as_str().unwrap()).collect()
    }
}

#[tokio::test]
async fn a_service_in_terraforms_own_syntax() {
    let found = outcome("HCL", include_str!("terraform/service.tf")).await;
    assert_eq!(found.run["graphHash"], hash(&found.text));
    let counts = &found.report["summary"];
    for name in [
        "nodeCount",
        "edgeCount",
        "internetExposedCount",
        "datastoreCount",
    ] {
        assert_eq!(found.run["summary"][name], counts[name], "{name}");
    }
    assert_eq!(
        found.nodes("internetExposed"),
        BTreeSet::from(["aws_db_instance.main", "aws_instance.bastion", "aws_lb.web",])
    );
    assert_eq!(
        found.nodes("datastore"),
        BTreeSet::from([
            "aws_db_instance.main",
            "aws_elasticache_replication_group.cache"
        ])
    );
    for (id, instances) in [
        ("aws_subnet.private[2]", json!(1)),
        ("aws_instance.app[\"green\"]", json!(1)),
        ("aws_security_group.bastion[0]", json!(1)),
        ("aws_lb.web", json!(1)),
    ] {
        assert_eq!(found.node(id)["instances"], instances, "{id}");
    }
    let ids: Vec<_> = found.graph["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| &node["id"])
        .collect();
    assert!(!ids.contains(&&json!("aws_s3_bucket.none")), "{ids:?}");
    // Through a local value inside a heredoc; each.key and the loop's variable are no references.
    assert_eq!(
        found.edges_from("aws_instance.app[\"blue\"]"),
        BTreeSet::from([
            ("aws_db_instance.main", "reference"),
            ("aws_security_group.app", "reference"),
            ("aws_subnet.private[0]", "reference"),
            ("data.aws_ami.ubuntu", "reference"),
        ])
    );
    assert_eq!(
        found.edges_from("aws_lb.web"),
        BTreeSet::from([
            ("aws_security_group.web", "reference"),
            ("module.vpc", "depends_on"),
            ("module.vpc", "reference"),
        ])
    );
    assert_eq!(
        found.edges_from("aws_lb.inside"),
        BTreeSet::from([
            ("aws_subnet.private[0]", "reference"),
            ("aws_subnet.private[1]", "reference"),
            ("aws_subnet.private[2]", "reference"),
        ])
    );
    // `providers` and `ignore_changes` are no references.
    assert_eq!(
        found.edges_from("module.vpc"),
        BTreeSet::from([("data.aws_availability_zones.available", "reference")])
    );
    assert_eq!(
        found.edges_from("aws_security_group.web"),
        BTreeSet::from([("module.vpc", "reference")])
    );
    assert_eq!(
        found.findings(),
        BTreeSet::from([
            ("HIGH", "open-security-group", "aws_security_group.database"),
            ("HIGH", "public-datastore", "aws_db_instance.main"),
            ("LOW", "internet-exposed", "aws_instance.bastion"),
            ("LOW", "internet-exposed", "aws_lb.web"),
            ("LOW", "open-security-group", "aws_security_group.web"),
            ("MEDIUM", "unencrypted-datastore", "aws_db_instance.main"),
        ])
    );
}

#[tokio::test]
async fn what_the_file_does_not_tell_is_said_and_not_guessed() {
    let found = outcome("HCL", include_str!("terraform/service.tf")).await;
    for (node, part) in [
        (
            "module.vpc",
            "`terraform-aws-modules/vpc/aws` is not part of the upload",
        ),
        (
            "aws_instance.maybe",
            "decides whether it has a public address",
        ),
        (
            "aws_elasticache_replication_group.cache",
            "`aws_security_group.missing`, which is not declared",
        ),
    ] {
        let notes = found.unresolved(node);
        assert!(
            notes.iter().any(|note| note.contains(part)),
            "{node}: {notes:#?}"
        );
    }
    let not_looked_at = found.report["notLookedAt"].as_array().unwrap();
    let composer = json!({ "type": "google_composer_environment", "count": 1 });
    assert!(not_looked_at.contains(&composer), "{not_looked_at:#?}");
    for quiet in [
        "google_composer_environment.backup",
        "random_password.db",
        "aws_lb.inside",
        "aws_instance.app[\"blue\"]",
        "aws_subnet.private[0]",
    ] {
        assert_eq!(found.unresolved(quiet), Vec::<&str>::new(), "{quiet}");
    }
}

#[tokio::test]
async fn buckets_in_terraforms_json_syntax() {
    let found = outcome("JSON", include_str!("terraform/buckets.tf.json")).await;
    assert_eq!(
        found.nodes("internetExposed"),
        BTreeSet::from([
            "aws_lambda_function_url.api",
            "aws_s3_bucket.site[\"assets\"]"
        ])
    );
    assert_eq!(
        found.nodes("datastore"),
        BTreeSet::from([
            "aws_dynamodb_table.orders",
            "aws_s3_bucket.shielded",
            "aws_s3_bucket.site[\"assets\"]",
            "aws_s3_bucket.site[\"logs\"]",
            "aws_s3_bucket.unknown",
        ])
    );
    assert_eq!(
        found.edges_from("aws_lambda_function.api"),
        BTreeSet::from([
            ("aws_dynamodb_table.orders", "depends_on"),
            ("aws_dynamodb_table.orders", "reference"),
            ("aws_iam_role.api", "reference"),
            ("aws_s3_bucket.site[\"assets\"]", "reference"),
            ("aws_s3_bucket.site[\"logs\"]", "reference"),
        ])
    );
    assert_eq!(
        found.findings(),
        BTreeSet::from([
            ("HIGH", "public-bucket", "aws_s3_bucket.site[\"assets\"]"),
            ("HIGH", "public-datastore", "aws_s3_bucket.site[\"assets\"]"),
            ("LOW", "internet-exposed", "aws_lambda_function_url.api"),
            (
                "MEDIUM",
                "exposed-uses-datastore",
                "aws_lambda_function_url.api"
            ),
            (
                "MEDIUM",
                "unauthenticated-endpoint",
                "aws_lambda_function_url.api"
            ),
        ])
    );
    let notes = found.unresolved("aws_s3_bucket.unknown");
    // Once for each rule: of buckets, and of datastores.
    assert_eq!(notes, ["`acl` is not known: it is `var.acl`."; 2]);
}

#[tokio::test]
async fn what_is_not_terraform_fails_its_run_with_a_reason() {
    let api = Api::start_with(Pipeline::InProcess).await;
    let deep = format!("a = {}1{}", "(".repeat(10_000), ")".repeat(10_000));
    for (format, file, reason) in [
        (
            "HCL",
            "resource \"aws_instance\" {",
            "main.tf is not Terraform",
        ),
        ("HCL", "resource \"aws_instance\" {}", "wrong labels"),
        ("HCL", deep.as_str(), "main.tf is not Terraform"),
        (
            "HCL",
            "# Readme\n\nSome *Markdown*.\n",
            "main.tf is not Terraform",
        ),
        ("HCL", "", "The file is empty"),
        (
            "HCL",
            "# only a comment\n",
            "There is no Terraform configuration",
        ),
        ("JSON", "{", "main.tf.json is not JSON"),
        ("JSON", "[]", "not an object"),
        ("JSON", "{}", "There is no Terraform configuration"),
        (
            "JSON",
            r#"{"name":"app","version":"1.0.0","dependencies":{}}"#,
            "no `name` at the top",
        ),
        (
            "JSON",
            r#"{"format_version":"1.2","planned_values":{},"resource_changes":[]}"#,
            "with the format PLAN",
        ),
        (
            "JSON",
            r#"{"version":4,"terraform_version":"1.9.0","lineage":"x","resources":[]}"#,
            "is a state file",
        ),
        ("JSON", r#"{"locals":{"a":"${"}}"#, "not a template"),
        ("PLAN", "{}", "no `planned_values`"),
        ("ZIP", "no archive", "not a zip archive"),
        ("TAR_GZ", "no archive", "not a gzipped tar archive"),
    ] {
        let run = processed(&api, format, file).await;
        assert_eq!(run["status"], "FAILED", "{file}");
        let why = run["failureReason"].as_str().unwrap();
        assert!(why.contains(reason), "{file}: {why}");
    }
}

#[tokio::test]
async fn valid_terraform_of_unusual_form_completes() {
    let file = "\u{feff}locals {\r\n  twice = { a = 2 }\r\n  text = <<-EOT\r\n    ${local.twice.a}\r\n  EOT\r\n}\r\nresource \"aws_lb\" \"a\" {}\r\n";
    let found = outcome("HCL", file).await;
    assert_eq!(found.nodes("internetExposed"), BTreeSet::from(["aws_lb.a"]));
}

#[tokio::test]
async fn values_that_need_themselves_are_unknown() {
    let file = "locals {\n  x = local.y\n  y = local.x\n}\nresource \"aws_lb\" \"b\" {\n  internal = local.x\n}\n";
    let found = outcome("HCL", file).await;
    assert_eq!(found.unresolved("aws_lb.b").len(), 1);
}

#[tokio::test]
async fn a_hostile_file_fails_its_own_run_and_nobody_elses() {
    let api = Api::start_with(Pipeline::InProcess).await;
    let mut doubling = String::from(
        "resource \"aws_lb\" \"a\" {\n  name = local.a40\n}\nlocals {\n  a0 = \"xxxxxxxxxxxxxxxx\"\n",
    );
    for level in 1..=40 {
        let below = level - 1;
        doubling.push_str(&format!(
            "  a{level} = \"${{local.a{below}}}${{local.a{below}}}\"\n"
        ));
    }
    doubling.push('}');
    let mut chained =
        String::from("resource \"aws_lb\" \"a\" {\n  name = local.a1500\n}\nlocals {\n  a0 = 1\n");
    for level in 1..=1_500 {
        chained.push_str(&format!("  a{level} = local.a{}\n", level - 1));
    }
    chained.push('}');
    for (file, reason) in [(doubling, "take more than"), (chained, "levels deep")] {
        let hostile = api.uploaded("mallory write", "HCL", &file).await;
        api.change("mallory write", "startRun", json!({}), &hostile)
            .await;
        let run = processed(&api, "HCL", "resource \"aws_lb\" \"a\" {}").await;
        assert_eq!(run["status"], "COMPLETE");
        let run = ended(&api, "mallory write", &hostile).await;
        assert_eq!(run["status"], "FAILED");
        let why = run["failureReason"].as_str().unwrap();
        assert!(why.contains(reason), "{why}");
    }
}

#[tokio::test]
async fn the_workspace_of_a_run_is_the_one_of_its_configuration() {
    let api = Api::start_with(Pipeline::InProcess).await;
    let file = "resource \"aws_db_instance\" \"a\" {\n  publicly_accessible = terraform.workspace == \"prod\"\n  storage_encrypted = true\n}\n";
    for (workspace, findings, undecided) in [
        (json!("prod"), 1, 0),
        (json!("dev"), 0, 0),
        (json!(null), 0, 2),
    ] {
        let input =
            json!({ "environment": "DEV", "iacFormat": "HCL", "terraformWorkspace": workspace });
        let (id, upload) = api.create(ANN, input).await;
        let put = api.put(&upload, file.as_bytes().to_vec()).await;
        assert_eq!(put.status(), 200);
        api.change(ANN, "startRun", json!({}), &id).await;
        let run = ended(&api, ANN, &id).await;
        assert_eq!(run["status"], "COMPLETE", "{run:#}");
        let query =
            "query($id: String!) { run(runId: $id) { undecidedCount findings { totalCount } } }";
        let counts = api.field(ANN, query, json!({ "id": id })).await;
        let expected =
            json!({ "undecidedCount": undecided, "findings": { "totalCount": findings } });
        assert_eq!(counts, expected, "{workspace}");
    }
}
