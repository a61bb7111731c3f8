//! `trestle graph analyze --import`: findings of other programs beside those of the rules.

use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::analyze::analyze;

const MAIN: &str = r#"variable "acl" { default = "private" }

resource "aws_s3_bucket" "data" {
  bucket = "data"
}

resource "aws_s3_bucket" "each" {
  for_each = toset(["a", "b"])
  bucket   = each.key
}

module "db" {
  source = "./db"
}
"#;
const DB: &str = "resource \"aws_db_instance\" \"main\" {\n  storage_encrypted = true\n}\n";

/// A folder with a configuration.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("db")).unwrap();
    std::fs::write(folder.path().join("main.tf"), MAIN).unwrap();
    std::fs::write(folder.path().join("db/main.tf"), DB).unwrap();
    folder
}

/// What the command answers with a report of another program.
fn with(folder: &Path, imported: &Value, options: &[&str]) -> (Option<i32>, String) {
    let path = folder.join("imported.json");
    std::fs::write(&path, imported.to_string()).unwrap();
    let import = ["--import", path.to_str().unwrap()];
    analyze(folder, &[&import, options].concat())
}

fn report(folder: &Path, imported: &Value) -> Value {
    let (code, text) = with(
        folder,
        imported,
        &["--format", "json", "--fail-on", "never"],
    );
    assert_eq!(code, Some(0), "{text}");
    serde_json::from_str(&text).unwrap()
}

/// A failed check of checkov.
fn check(id: &str, resource: &str, file: &str, line: usize) -> Value {
    json!({
        "check_id": id, "bc_check_id": "BC_1", "check_name": "Ensure it", "check_result": { "result": "FAILED", "evaluated_keys": [] },
        "code_block": [[1, "secret = \"hunter2\"\n"]], "file_path": file, "file_abs_path": "/src/main.tf",
        "file_line_range": [line, line + 2], "resource": resource, "evaluations": null, "severity": null,
        "resource_address": null, "guideline": "https://docs.example.com/check",
    })
}

fn checkov(failed: &[Value]) -> Value {
    json!({ "check_type": "terraform", "results": { "passed_checks": [{}, {}], "failed_checks": failed, "skipped_checks": [], "parsing_errors": [] },
        "summary": { "passed": 2, "failed": failed.len() }, "url": "Add an api key" })
}

/// A misconfiguration of trivy.
fn cause(id: &str, severity: &str, resource: &str, line: usize) -> Value {
    json!({ "Type": "Terraform Security Check", "ID": id, "AVDID": id, "Title": "No logging", "Message": "Bucket has logging disabled",
        "Severity": severity, "PrimaryURL": "https://avd.example.com", "Status": "FAIL",
        "CauseMetadata": { "Resource": resource, "Provider": "AWS", "StartLine": line, "EndLine": line + 2 } })
}

fn trivy(target: &str, found: &[Value]) -> Value {
    json!({ "SchemaVersion": 2, "ArtifactName": ".", "Results": [
        { "Target": ".", "Class": "config", "Type": "terraform", "MisconfSummary": { "Successes": 3, "Failures": 0 } },
        { "Target": target, "Class": "config", "Type": "terraform", "MisconfSummary": { "Successes": 1, "Failures": found.len() }, "Misconfigurations": found },
    ] })
}

fn sarif(rules: Value, results: Value) -> Value {
    json!({ "version": "2.1.0", "$schema": "x", "runs": [{
        "tool": { "driver": { "name": "Some Scanner", "rules": rules } }, "results": results }] })
}

fn result(rule: &str, uri: &str, line: usize) -> Value {
    json!({ "ruleId": rule, "message": { "text": "It is open." }, "locations": [{ "physicalLocation": {
        "artifactLocation": { "uri": uri, "uriBaseId": "%SRCROOT%" }, "region": { "startLine": line } } }] })
}

/// Rule, node, severity and tool of the findings that are imported.
fn joined(report: &Value) -> Vec<[String; 3]> {
    let all = report["findings"].as_array().unwrap().iter();
    let all = all.filter(|one| one.get("tool").is_some());
    let text = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
    all.map(|one| ["rule", "node", "severity"].map(|name| text(one, name)))
        .collect()
}

fn texts(rows: &[[&str; 3]]) -> Vec<[String; 3]> {
    rows.iter().map(|row| row.map(str::to_owned)).collect()
}

#[test]
fn findings_of_checkov_are_joined_by_address_and_by_place() {
    let folder = folder();
    let failed = [
        check("CKV_AWS_18", "aws_s3_bucket.data", "/main.tf", 3),
        check("CKV_AWS_21", "aws_s3_bucket.each[\"a\"]", "/main.tf", 7),
        check("CKV_AWS_22", "aws_s3_bucket.each", "/main.tf", 7),
        check(
            "CKV_AWS_16",
            "module.db.aws_db_instance.main",
            "/db/main.tf",
            1,
        ),
        check(
            "CKV_SECRET_6",
            "3f786850e387550fdab836ed7e6dc881de23001b",
            "/main.tf",
            4,
        ),
    ];
    let found = report(folder.path(), &checkov(&failed));
    let expected = [
        ["checkov/CKV_SECRET_6", "aws_s3_bucket.data", "UNKNOWN"],
        ["checkov/CKV_AWS_18", "aws_s3_bucket.data", "UNKNOWN"],
        ["checkov/CKV_AWS_21", "aws_s3_bucket.each[\"a\"]", "UNKNOWN"],
        ["checkov/CKV_AWS_22", "aws_s3_bucket.each[\"a\"]", "UNKNOWN"],
        ["checkov/CKV_AWS_22", "aws_s3_bucket.each[\"b\"]", "UNKNOWN"],
        [
            "checkov/CKV_AWS_16",
            "module.db.aws_db_instance.main",
            "UNKNOWN",
        ],
    ];
    let mut joined = joined(&found);
    let mut expected = texts(&expected);
    joined.sort();
    expected.sort();
    assert_eq!(joined, expected);
    let import = &found["imports"][0];
    let counts = [
        "findingCount",
        "joinedCount",
        "notJoinedCount",
        "otherCount",
    ]
    .map(|name| import[name].as_u64().unwrap());
    assert_eq!(counts, [5, 5, 0, 2], "{import:#}");
    assert_eq!(found["notJoined"], json!([]));
    // The code that a report quotes may have secrets.
    assert!(!found.to_string().contains("hunter2"));
}

#[test]
fn what_does_not_join_is_named_and_counted() {
    let folder = folder();
    let failed = [
        check("CKV_AWS_18", "aws_s3_bucket.gone", "/other.tf", 3),
        // The same address in another folder is another resource.
        check("CKV_AWS_18", "aws_s3_bucket.data", "/elsewhere/main.tf", 3),
        check("CKV_AWS_41", "aws.default", "/main.tf", 1),
        check("CKV_AWS_42", "aws_s3_bucket.data", "/main.tf", 3),
    ];
    let (code, text) = with(folder.path(), &checkov(&failed), &["--fail-on", "never"]);
    assert_eq!(code, Some(0), "{text}");
    for part in [
        "/other.tf:3: UNKNOWN checkov/CKV_AWS_18 aws_s3_bucket.gone: Ensure it (NOT JOINED: Its file has no resource of the analysis.)",
        "/elsewhere/main.tf:3: UNKNOWN checkov/CKV_AWS_18 aws_s3_bucket.data: Ensure it (NOT JOINED",
        "/main.tf:1: UNKNOWN checkov/CKV_AWS_41 aws.default: Ensure it (NOT JOINED: No resource of the analysis is at its line.)",
        "main.tf:3: UNKNOWN checkov/CKV_AWS_42 aws_s3_bucket.data: Ensure it\n",
        "of checkov: 4 findings, 1 joined, 3 not joined, 0 suppressed",
        ", 4 imported",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let found = report(folder.path(), &checkov(&failed));
    assert_eq!(found["notJoined"].as_array().unwrap().len(), 3, "{found:#}");
}

#[test]
fn severities_are_those_that_programs_publish() {
    let folder = folder();
    let words = ["CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN", ""];
    let expected = ["HIGH", "HIGH", "MEDIUM", "LOW", "UNKNOWN", "UNKNOWN"];
    for (word, expected) in words.into_iter().zip(expected) {
        let of_trivy = trivy(
            "main.tf",
            &[cause("AWS-0089", word, "aws_s3_bucket.data", 3)],
        );
        let found = report(folder.path(), &of_trivy);
        assert_eq!(
            joined(&found),
            texts(&[["trivy/AWS-0089", "aws_s3_bucket.data", expected]])
        );
        let mut of_checkov = check("CKV_AWS_18", "aws_s3_bucket.data", "/main.tf", 3);
        of_checkov["severity"] = json!(word);
        let found = report(folder.path(), &checkov(&[of_checkov]));
        assert_eq!(
            joined(&found),
            texts(&[["checkov/CKV_AWS_18", "aws_s3_bucket.data", expected]])
        );
    }
    let rule = |properties: Value| json!([{ "id": "R", "defaultConfiguration": { "level": "note" }, "properties": properties }]);
    for (rules, level, expected) in [
        (
            rule(json!({ "security-severity": "9.8" })),
            json!("note"),
            "HIGH",
        ),
        (
            rule(json!({ "security-severity": 5.0 })),
            json!("error"),
            "MEDIUM",
        ),
        (
            rule(json!({ "security-severity": "0.0" })),
            json!("error"),
            "UNKNOWN",
        ),
        (rule(json!({})), json!("error"), "HIGH"),
        (rule(json!({})), json!(null), "LOW"),
        (json!([]), json!(null), "MEDIUM"),
        (json!([]), json!("none"), "UNKNOWN"),
    ] {
        let mut one = result("R", "main.tf", 4);
        one["level"] = level;
        let found = report(folder.path(), &sarif(rules, json!([one])));
        assert_eq!(
            joined(&found),
            texts(&[["some-scanner/R", "aws_s3_bucket.data", expected]])
        );
    }
}

#[test]
fn results_of_sarif_that_are_no_findings_or_suppressed_do_not_count() {
    let folder = folder();
    let with = |name: &str, value: Value| {
        let mut one = result("R", "main.tf", 4);
        one[name] = value;
        one
    };
    let results = json!([
        with("kind", json!("pass")),
        with("kind", json!("notApplicable")),
        with("baselineState", json!("absent")),
        with("kind", json!("review")),
        with(
            "suppressions",
            json!([{ "kind": "external", "justification": "It is a test." }])
        ),
        with(
            "suppressions",
            json!([{ "kind": "external", "status": "rejected" }])
        ),
    ]);
    let found = report(folder.path(), &sarif(json!([]), results));
    let import = &found["imports"][0];
    let counts = ["findingCount", "suppressedCount", "otherCount"]
        .map(|name| import[name].as_u64().unwrap());
    assert_eq!(counts, [3, 1, 3], "{import:#}");
    let severities: Vec<_> = joined(&found)
        .into_iter()
        .map(|[.., severity]| severity)
        .collect();
    assert_eq!(severities, ["UNKNOWN", "MEDIUM"]);
    assert_eq!(found["suppressed"][0]["reason"], "It is a test.");
}

#[test]
fn the_gate_counts_them_and_the_baseline_and_the_rules_apply() {
    let folder = folder();
    let gate = |imported: &Value, options: &[&str]| with(folder.path(), imported, options).0;
    let high = trivy(
        "main.tf",
        &[cause("AWS-0089", "CRITICAL", "aws_s3_bucket.data", 3)],
    );
    assert_eq!(gate(&high, &["--fail-on", "high"]), Some(3));
    assert_eq!(gate(&high, &["--fail-on", "never"]), Some(0));
    // What is about no resource counts as much.
    let elsewhere = trivy(
        "gone.tf",
        &[cause("AWS-0089", "HIGH", "aws_s3_bucket.gone", 3)],
    );
    assert_eq!(gate(&elsewhere, &["--fail-on", "high"]), Some(3));
    let unknown = checkov(&[check("CKV_AWS_18", "aws_s3_bucket.data", "/main.tf", 3)]);
    assert_eq!(gate(&unknown, &["--fail-on", "medium"]), Some(0));
    assert_eq!(gate(&unknown, &["--fail-on", "low"]), Some(3));
    assert_eq!(
        gate(&unknown, &["--fail-on", "high", "--fail-on-unresolved"]),
        Some(3)
    );
    let rules = folder.path().join("rules.json");
    let rules_of = |severity: &str| {
        std::fs::write(
            &rules,
            json!({ "checkov/CKV_AWS_18": severity }).to_string(),
        )
        .unwrap();
        ["--fail-on", "high", "--rules", rules.to_str().unwrap()]
    };
    assert_eq!(gate(&unknown, &rules_of("high")), Some(3));
    assert_eq!(gate(&unknown, &rules_of("low")), Some(0));
    let off = [&rules_of("off")[..], &["--fail-on-unresolved"]].concat();
    assert_eq!(gate(&unknown, &off), Some(0));
    for imported in [high, elsewhere, unknown] {
        let baseline = folder.path().join("baseline.json");
        std::fs::write(&baseline, report(folder.path(), &imported).to_string()).unwrap();
        let options = [
            "--fail-on",
            "low",
            "--fail-on-unresolved",
            "--baseline",
            baseline.to_str().unwrap(),
        ];
        let (code, text) = with(folder.path(), &imported, &options);
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains("It is in the baseline."), "{text}");
    }
}

#[test]
fn sarif_has_a_run_for_each_program() {
    let folder = folder();
    let failed = [
        check("CKV_AWS_18", "aws_s3_bucket.data", "/main.tf", 3),
        check("CKV_AWS_19", "aws_s3_bucket.gone", "/gone.tf", 9),
    ];
    let (_, text) = with(
        folder.path(),
        &checkov(&failed),
        &["--format", "sarif", "--fail-on", "never"],
    );
    let sarif: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(sarif["runs"][0]["tool"]["driver"]["name"], "trestle");
    let run = &sarif["runs"][1];
    assert_eq!(run["tool"]["driver"]["name"], "checkov");
    let results = run["results"].as_array().unwrap();
    let [gone, data] = results.as_slice() else {
        panic!("{run:#}")
    };
    let place = |one: &Value| one["locations"][0].clone();
    assert_eq!(
        place(data)["physicalLocation"]["artifactLocation"]["uri"],
        "main.tf"
    );
    assert_eq!(
        place(data)["logicalLocations"][0]["fullyQualifiedName"],
        "aws_s3_bucket.data"
    );
    assert_eq!(
        place(gone)["physicalLocation"]["artifactLocation"]["uri"],
        "gone.tf"
    );
    assert_eq!(place(gone)["physicalLocation"]["region"]["startLine"], 9);
    for one in results {
        assert_eq!(one.get("level"), None);
        assert_eq!(one["properties"]["severity"], "UNKNOWN");
        assert!(one["partialFingerprints"].is_object());
    }
    // What it writes, it reads again.
    let again = report(folder.path(), &sarif);
    assert_eq!(again["imports"][0]["notJoinedCount"], 1, "{again:#}");
}

#[test]
fn paths_are_those_that_programs_write() {
    let folder = folder();
    let absolute = folder.path().canonicalize().unwrap().join("db/main.tf");
    let absolute = absolute.to_str().unwrap();
    let uri = url::Url::from_file_path(absolute).unwrap().to_string();
    let name = folder.path().file_name().unwrap().to_str().unwrap();
    for path in [
        "db/main.tf",
        "/db/main.tf",
        "./db/main.tf",
        "db\\main.tf",
        absolute,
        &uri,
        &format!("{name}/db/main.tf"),
    ] {
        let found = report(
            folder.path(),
            &sarif(json!([]), json!([result("R", path, 2)])),
        );
        let expected = texts(&[["some-scanner/R", "module.db.aws_db_instance.main", "MEDIUM"]]);
        assert_eq!(joined(&found), expected, "{path}");
    }
    // It may be each of both.
    std::fs::create_dir(folder.path().join("two")).unwrap();
    std::fs::create_dir(folder.path().join("two/db")).unwrap();
    std::fs::write(folder.path().join("two/db/same.tf"), DB).unwrap();
    std::fs::write(folder.path().join("db/same.tf"), DB.replace("main", "same")).unwrap();
    let main = format!("{MAIN}module \"two\" {{\n  source = \"./two/db\"\n}}\n");
    std::fs::write(folder.path().join("main.tf"), main).unwrap();
    let found = report(
        folder.path(),
        &sarif(json!([]), json!([result("R", "same.tf", 2)])),
    );
    assert_eq!(
        found["notJoined"][0]["notJoined"],
        "Several files of the analysis have its name."
    );
}

#[test]
fn what_is_no_report_is_refused_with_its_name() {
    let folder = folder();
    let mut many = Vec::new();
    many.resize(
        50_001,
        check("CKV_AWS_18", "aws_s3_bucket.data", "/main.tf", 3),
    );
    let nested = (0..200).fold(json!(1), |inner, _| json!([inner]));
    let rule = json!([{ "id": "R", "properties": { "security-severity": nested } }]);
    for (imported, reason) in [
        (
            json!({}),
            "it is not SARIF, and not JSON of checkov or trivy",
        ),
        (
            json!([{ "a": 1 }]),
            "it is not SARIF, and not JSON of checkov or trivy",
        ),
        (
            json!("hunter2"),
            "it is not SARIF, and not JSON of checkov or trivy",
        ),
        (
            json!({ "runs": "hunter2" }),
            "it is not SARIF, and not JSON of checkov or trivy",
        ),
        (
            sarif(rule, json!([result("R", "main.tf", 4)])),
            "recursion limit exceeded",
        ),
        (checkov(&many), "it has more than 50000 findings"),
    ] {
        let (code, text) = with(folder.path(), &imported, &[]);
        assert_eq!(code, Some(1), "{text}");
        assert!(
            text.contains("imported.json: ") && text.contains(reason),
            "{text}"
        );
        assert!(!text.contains("hunter2"), "{text}");
    }
    // Programs that have found nothing print these.
    let empty = json!({ "passed": 0, "failed": 0, "skipped": 0, "parsing_errors": 0, "resource_count": 0, "checkov_version": "3" });
    for imported in [
        empty,
        json!([]),
        json!({ "SchemaVersion": 2 }),
        json!({ "version": "2.1.0", "runs": [] }),
    ] {
        let (code, text) = with(folder.path(), &imported, &[]);
        assert_eq!(code, Some(0), "{text}");
    }
}

#[test]
fn a_file_that_a_program_could_not_read_is_not_read() {
    let folder = folder();
    let mut imported = checkov(&[]);
    imported["results"]["parsing_errors"] = json!(["/broken.tf"]);
    let (code, text) = with(folder.path(), &imported, &["--fail-on-unresolved"]);
    assert_eq!(code, Some(3), "{text}");
    assert!(
        text.contains("NOT READ /broken.tf is not read by checkov."),
        "{text}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn every_finding_is_joined_or_named(
        resource in any::<String>(), file in any::<String>(), line in any::<u32>(), message in any::<String>(),
    ) {
        let folder = folder();
        let mut one = check("CKV_AWS_18", &resource, &file, line as usize);
        one["check_name"] = json!(message);
        let found = report(folder.path(), &checkov(&[one]));
        let count = joined(&found).len() + found["notJoined"].as_array().unwrap().len();
        prop_assert_eq!(count, 1, "{:#}", found);
    }
}
