//! `trestle graph analyze`: modules beside the folder, places in SARIF, and edges that no reference makes.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::analyze::{analyze, flagged};

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

/// Everything in a log that the standard restricts and that can be wrong here.
fn check_sarif(sarif: &Value) {
    assert_eq!(sarif["version"], "2.1.0");
    let [run] = sarif["runs"].as_array().unwrap().as_slice() else {
        panic!("{sarif:#}")
    };
    let driver = &run["tool"]["driver"];
    assert!(driver["name"].is_string() && driver["version"].is_string());
    let rules = driver["rules"].as_array().unwrap();
    let ids: BTreeSet<_> = rules
        .iter()
        .map(|rule| rule["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), rules.len(), "{rules:#?}");
    for rule in rules {
        let help = url::Url::parse(rule["helpUri"].as_str().unwrap()).unwrap();
        assert_eq!(help.scheme(), "https");
        assert!(rule["shortDescription"]["text"].is_string(), "{rule:#}");
        assert!(rule["help"]["text"].is_string(), "{rule:#}");
    }
    let bases = run["originalUriBaseIds"].as_object().unwrap();
    for base in bases.values() {
        let uri = url::Url::parse(base["uri"].as_str().unwrap()).unwrap();
        assert!(uri.scheme() == "file" && uri.path().ends_with('/'), "{uri}");
    }
    let mut prints = BTreeSet::new();
    for result in run["results"].as_array().unwrap() {
        assert!(
            ids.contains(result["ruleId"].as_str().unwrap()),
            "{result:#}"
        );
        let level = result["level"].as_str().unwrap();
        assert!(["error", "warning", "note"].contains(&level), "{level}");
        assert!(result["message"]["text"].is_string(), "{result:#}");
        let print = &result["partialFingerprints"]["trestle/v1"];
        assert!(prints.insert(print.as_str().unwrap()), "{result:#}");
        for place in result["locations"].as_array().unwrap() {
            let Some(place) = place.get("physicalLocation") else {
                continue;
            };
            if let Some(line) = place["region"].get("startLine") {
                assert!(line.as_u64().unwrap() > 0);
            }
            let artifact = &place["artifactLocation"];
            let uri = artifact["uri"].as_str().unwrap();
            match artifact.get("uriBaseId") {
                Some(base) => {
                    assert!(bases.contains_key(base.as_str().unwrap()));
                    let is_relative =
                        url::Url::parse(uri) == Err(url::ParseError::RelativeUrlWithoutBase);
                    assert!(is_relative && !uri.starts_with('/'), "{uri}");
                    assert!(!uri.split('/').any(|part| part == ".."), "{uri}");
                }
                None => assert_eq!(url::Url::parse(uri).unwrap().scheme(), "file"),
            }
        }
        for suppression in result["suppressions"].as_array().into_iter().flatten() {
            let kind = suppression["kind"].as_str().unwrap();
            assert!(["inSource", "external"].contains(&kind), "{kind}");
        }
    }
}

#[test]
fn sarif_keeps_to_the_standard_and_its_fingerprints_stay_when_lines_move() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let main = r#"
module "shared" { source = "../own modules/a" }
module "gone" { source = "../gone" }
resource "aws_s3_bucket" "a" { acl = "public-read" }
resource "aws_s3_bucket" "b" {
  acl = "public-read" #trestle:ignore public-bucket It is a website.
}
resource "aws_lb" "a" { internal = var.missing }
"#;
    write("prod/main.tf", main);
    write("prod/bad.tf", "resource {\n");
    write("own modules/a/main.tf", "resource \"aws_lb\" \"web\" {}\n");
    let path = folder.path().join("prod");
    let log = || {
        let (_, text) = analyze(&path, &["--format", "sarif", "--fail-on", "never"]);
        let sarif: Value = serde_json::from_str(&text).unwrap();
        check_sarif(&sarif);
        sarif["runs"][0]["results"].as_array().unwrap().clone()
    };
    let prints = |results: &[Value]| {
        let prints = results
            .iter()
            .map(|one| one["partialFingerprints"].to_string());
        prints.collect::<BTreeSet<_>>()
    };
    let before = log();
    let outside = before.iter().find(|one| {
        let text = one["message"]["text"].as_str().unwrap();
        text.starts_with("module.shared.aws_lb.web")
    });
    let place = &outside.unwrap()["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    let file = folder.path().canonicalize().unwrap();
    let file = url::Url::from_file_path(file.join("own modules/a/main.tf")).unwrap();
    assert_eq!(place, file.as_str());
    write("prod/main.tf", &format!("\n\n# Moved.\n{main}"));
    let after = log();
    assert_eq!(prints(&before), prints(&after));
    assert_ne!(before, after);
}
