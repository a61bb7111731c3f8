//! `trestle graph analyze`: modules beside the folder, places in SARIF, and edges that no reference makes.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::setups::{analyze, flagged};

#[test]
fn a_module_beside_the_folder_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(
        "live/prod/main.tf",
        "module \"a\" { source = \"../../modules/a\" }\nmodule \"gone\" { source = \"../gone\" }\n",
    );
    write("modules/a/main.tf", "module \"b\" { source = \"../b\" }\n");
    write("modules/b/my main.tf", "resource \"aws_lb\" \"web\" {}\n");
    write(
        "modules/other/main.tf",
        "resource \"aws_lb\" \"other\" {}\n",
    );
    let options = ["--format", "sarif", "--fail-on-unresolved"];
    let (code, text) = analyze(&folder.path().join("live/prod"), &options);
    assert_eq!(code, Some(3), "{text}");
    let sarif: Value = serde_json::from_str(&text).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap().iter();
    let (others, exposed): (Vec<_>, Vec<_>) =
        results.partition(|result| result["ruleId"] == "unresolved");
    assert_eq!(exposed[0]["ruleId"], "internet-exposed");
    let [only] = others.as_slice() else {
        panic!("{text}")
    };
    assert_eq!(
        (&only["ruleId"], &only["level"]),
        (&json!("unresolved"), &json!("note"))
    );
    assert!(
        only["message"]["text"]
            .as_str()
            .unwrap()
            .contains("`../gone`")
    );
    let (_, text) = analyze(&folder.path().join("live/prod"), &["--format", "graph"]);
    let graph: Value = serde_json::from_str(&text).unwrap();
    let exposed = ["module.a.module.b.aws_lb.web"];
    assert_eq!(flagged(&graph, "internetExposed"), BTreeSet::from(exposed));
    let (code, text) = analyze(&folder.path().join("live/prod"), &[]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("UNRESOLVED module.gone"), "{text}");
}

#[test]
fn places_in_sarif_are_references_below_a_root() {
    let folder = tempfile::tempdir().unwrap();
    let text = "resource \"aws_lambda_function_url\" \"a\" { authorization_type = \"NONE\" }\n";
    std::fs::write(folder.path().join("mein größtes.tf"), text).unwrap();
    let (_, text) = analyze(folder.path(), &["--format", "sarif"]);
    let sarif: Value = serde_json::from_str(&text).unwrap();
    let run = &sarif["runs"][0];
    let place = &run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
    let expected = json!({ "uri": "mein%20gr%C3%B6%C3%9Ftes.tf", "uriBaseId": "%SRCROOT%" });
    assert_eq!(*place, expected);
    let root = run["originalUriBaseIds"]["%SRCROOT%"]["uri"]
        .as_str()
        .unwrap();
    assert!(
        root.starts_with("file:///") && root.ends_with('/'),
        "{root}"
    );
}

#[test]
fn a_function_has_an_edge_to_what_its_role_may_use() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
resource "aws_dynamodb_table" "a" {}
resource "aws_sqs_queue" "a" { name = "jobs" }
resource "aws_iam_role" "a" { name = "api" }
data "aws_iam_policy_document" "a" {
  statement { resources = [aws_dynamodb_table.a.arn] }
}
resource "aws_iam_policy" "a" { policy = data.aws_iam_policy_document.a.json }
resource "aws_iam_role_policy_attachment" "a" {
  role       = "api"
  policy_arn = aws_iam_policy.a.arn
}
resource "aws_lambda_function" "a" { role = aws_iam_role.a.arn }
resource "aws_lambda_event_source_mapping" "a" {
  event_source_arn = aws_sqs_queue.a.arn
  function_name    = aws_lambda_function.a.arn
}
"#;
    std::fs::write(folder.path().join("main.tf"), text).unwrap();
    let (_, text) = analyze(folder.path(), &["--format", "graph"]);
    let graph: Value = serde_json::from_str(&text).unwrap();
    let edges = graph["edges"].as_array().unwrap();
    for to in ["aws_dynamodb_table.a", "aws_sqs_queue.a"] {
        let edge = json!({ "from": "aws_lambda_function.a", "to": to, "kind": "access" });
        assert!(edges.contains(&edge), "{to}: {edges:#?}");
    }
}
