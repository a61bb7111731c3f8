//! A root module that cannot be analyzed is refused alone, and the others are analyzed as if it were not there.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use trestle_terraform::{Files, Options, files, report};

const GOOD: &str =
    "resource \"aws_s3_bucket\" \"open\" { acl = \"public-read\" }\nvariable \"x\" {}\n";
/// The roots, in the order of their names.
const ROOTS: [&str; 3] = ["envs/a", "envs/b", "envs/c"];

/// What is wrong with a root: its name, and files in the root that make it so.
struct Fault {
    name: &'static str,
    files: Vec<(&'static str, Vec<u8>)>,
}

fn faults() -> Vec<Fault> {
    let text = |name, files: &[(&'static str, &str)]| Fault {
        name,
        files: files
            .iter()
            .map(|(path, text)| (*path, text.as_bytes().to_vec()))
            .collect(),
    };
    let long = format!("resource \"aws_lb\" \"{}\" {{}}", "x".repeat(2_000));
    vec![
        text(
            "a resource twice in a file",
            &[(
                "t.tf",
                "resource \"aws_sns_topic\" \"t\" {}\nresource \"aws_sns_topic\" \"t\" {}",
            )],
        ),
        text(
            "a resource twice in two files",
            &[
                ("t.tf", GOOD),
                (
                    "u.tf.json",
                    "{ \"resource\": { \"aws_s3_bucket\": { \"open\": {} } } }",
                ),
            ],
        ),
        text(
            "a module that calls itself",
            &[
                ("t.tf", "module \"m\" { source = \"./m\" }"),
                ("m/t.tf", "module \"m\" { source = \"./\" }"),
            ],
        ),
        text("an address that is too long", &[("t.tf", &long)]),
        text(
            "values that are not values",
            &[("terraform.tfvars", "x = [")],
        ),
        text(
            "values in JSON that are not",
            &[("terraform.tfvars.json", "[")],
        ),
        Fault {
            name: "values that are not text",
            files: vec![("a.auto.tfvars", vec![0xC0, 0x80])],
        },
        text(
            "a list of modules that is not one",
            &[(".terraform/modules/modules.json", "{")],
        ),
    ]
}

/// The roots; what is wrong is in these.
fn with(fault: &Fault, broken: &[&str]) -> Files {
    let mut all = Files::new();
    for root in ROOTS {
        all.insert(format!("{root}/main.tf"), GOOD.as_bytes().to_vec());
        if broken.contains(&root) {
            for (path, bytes) in &fault.files {
                all.insert(format!("{root}/{path}"), bytes.clone());
            }
        }
    }
    all
}

/// What a report says of nodes of a root.
fn about(report: &Json, root: &str) -> BTreeSet<String> {
    let lists = ["findings", "unresolved", "notes", "suppressed"];
    let all = lists
        .iter()
        .flat_map(|list| report[*list].as_array().unwrap());
    all.filter(|one| one["node"].as_str().unwrap().starts_with(root))
        .map(Json::to_string)
        .collect()
}

#[test]
fn the_others_are_analyzed_as_if_it_were_not_there() {
    let options = Options::default();
    for fault in faults() {
        let name = fault.name;
        let whole = report(&files(&with(&fault, &[]), &options).unwrap());
        for broken in ROOTS {
            let built = files(&with(&fault, &[broken]), &options);
            let report = report(&built.unwrap_or_else(|error| panic!("{name}: {error}")));
            for root in ROOTS {
                let expected = if root == broken {
                    BTreeSet::new()
                } else {
                    about(&whole, root)
                };
                assert_eq!(about(&report, root), expected, "{name} in {broken}: {root}");
            }
            let mut unread = report["unread"].as_array().unwrap().iter();
            let named = unread.find(|one| one["file"] == broken).unwrap();
            let reason = named["reason"].as_str().unwrap();
            assert!(
                reason.starts_with(&format!("{broken} is not analyzed: ")),
                "{name}: {reason}"
            );
            let roots = report["roots"].as_array().unwrap();
            assert_eq!(roots.len(), 2, "{name}: {roots:?}");
        }
    }
}

#[test]
fn nothing_is_analyzed_if_no_root_can_be() {
    for fault in faults() {
        let name = fault.name;
        let all = files(&with(&fault, &ROOTS), &Options::default());
        assert!(all.is_err(), "{name}");
        let options = Options {
            root: Some("envs/b".to_owned()),
            ..Options::default()
        };
        let named = files(&with(&fault, &["envs/b"]), &options);
        assert!(named.is_err(), "{name}");
        let other = files(&with(&fault, &["envs/a"]), &options);
        assert!(other.is_ok(), "{name}: {other:?}");
    }
}
