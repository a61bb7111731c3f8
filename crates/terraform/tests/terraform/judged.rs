//! Setups as teams write them, each with what a person found in it before: the comments at the top of its `main.tf`, such as
//! `# found public-bucket aws_s3_bucket.site`.

use std::path::Path;

use serde_json::Value;

use crate::analyze::analyze;

/// What a report says of a rule and a node.
fn outcome(report: &Value, rule: &str, node: &str) -> &'static str {
    let has = |list: &str| {
        let mut list = report[list].as_array().unwrap().iter();
        list.any(|one| one["rule"] == rule && one["node"] == node)
    };
    match (has("findings"), has("unresolved") || has("notes")) {
        (true, _) => "found",
        (false, true) => "undecided",
        (false, false) => "clear",
    }
}

/// What differs from the comments of a setup.
fn differences(setup: &Path) -> Vec<String> {
    let options = ["--format", "json", "--fail-on", "never"];
    let (code, text) = analyze(setup, &options);
    assert_eq!(code, Some(0), "{}: {text}", setup.display());
    let report: Value = serde_json::from_str(&text).unwrap();
    let main = std::fs::read_to_string(setup.join("main.tf")).unwrap();
    let expected = main.lines().take_while(|line| !line.is_empty());
    let expected: Vec<Vec<&str>> = expected
        .map(|line| line.trim_start_matches("# ").splitn(3, ' ').collect())
        .collect();
    assert!(!expected.is_empty(), "{}", setup.display());
    let different = expected.iter().filter_map(|expected| {
        let [wanted, rule, node] = expected.as_slice() else {
            return Some(format!(
                "a comment that is not an expectation: {expected:?}"
            ));
        };
        let said = outcome(&report, rule, node);
        (said != *wanted).then(|| format!("{rule} of {node} is {said}, not {wanted}"))
    });
    different.collect()
}

#[test]
fn setups_are_judged_as_a_person_did() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/terraform/judged");
    let mut wrong = Vec::new();
    for setup in std::fs::read_dir(folder).unwrap() {
        let setup = setup.unwrap().path();
        let of_setup = differences(&setup).into_iter();
        wrong.extend(of_setup.map(|text| format!("{}: {text}", setup.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
