//! A root module that cannot be analyzed is refused alone, and the others are analyzed as if it were not there.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use trestle_terraform::{Files, Options, files, folder, report};

use crate::analyze::analyze;

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
    let mut doubling = "locals {\n  a0 = \"xxxxxxxxxxxxxxxx\"\n".to_owned();
    let mut chained = "locals {\n  a0 = 1\n".to_owned();
    for at in 1..=600 {
        chained.push_str(&format!("  a{at} = local.a{}\n", at - 1));
        if at <= 30 {
            doubling.push_str(&format!(
                "  a{at} = \"${{local.a{0}}}${{local.a{0}}}\"\n",
                at - 1
            ));
        }
    }
    doubling.push_str("}\nresource \"aws_lb\" \"l\" { name = local.a30 }\n");
    chained.push_str("}\nresource \"aws_lb\" \"l\" { name = local.a600 }\n");
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
        text("a syntax error", &[("main.tf", "resource {")]),
        text("another language", &[("main.tf", "{ \"a\": 1 }")]),
        text(
            "a file that says the same twice, and none that can be read",
            &[("main.tf", "x {"), ("t.tf.json", "[")],
        ),
        Fault {
            name: "text in UTF-16",
            files: vec![("main.tf", vec![0xFF, 0xFE, b'a', 0])],
        },
        text(
            "more instances than are told apart",
            &[(
                "t.tf",
                "resource \"aws_db_instance\" \"d\" {\n  count = 30000\n  identifier = \"a${count.index}\"\n}",
            )],
        ),
        text("values that multiply", &[("t.tf", &doubling)]),
        text(
            "values that lead to each other for long",
            &[("t.tf", &chained)],
        ),
        text(
            "a root that calls itself",
            &[("t.tf", "module \"m\" { source = \"./\" }")],
        ),
        text(
            "a circle of two modules",
            &[
                ("t.tf", "module \"m\" { source = \"./m\" }"),
                ("m/t.tf", "module \"m\" { source = \"../\" }"),
            ],
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
            let built = built.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(built.refused, BTreeSet::from([broken.to_owned()]), "{name}");
            let report = report(&built);
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

/// What stands in the place of a file of a folder.
#[derive(Clone, Copy, Debug)]
enum InItsPlace {
    LinkToNothing,
    LinkToFolder,
    LinkToItself,
    Folder,
}

/// A folder with the roots, in one of which a file cannot be read.
fn with_gap(broken: &str, name: &str, gap: InItsPlace) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for root in ROOTS {
        let root = place.path().join(root);
        std::fs::create_dir_all(&root).unwrap();
        std::fs::write(root.join("main.tf"), "resource \"aws_lb\" \"web\" {}\n").unwrap();
    }
    let at = place.path().join(broken).join(name);
    if name == "main.tf" {
        std::fs::remove_file(&at).unwrap();
    }
    let link = |to: &str| std::os::unix::fs::symlink(to, &at).unwrap();
    match gap {
        InItsPlace::LinkToNothing => link("nowhere"),
        InItsPlace::LinkToFolder => link("."),
        InItsPlace::LinkToItself => link(name),
        InItsPlace::Folder => std::fs::create_dir(&at).unwrap(),
    }
    place
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_of_its_root_alone() {
    use InItsPlace::{Folder, LinkToFolder, LinkToItself, LinkToNothing};
    for broken in ROOTS {
        for name in [
            "main.tf",
            "z.tf",
            "z.tf.json",
            "z.auto.tfvars",
            "terraform.tfvars.json",
        ] {
            for gap in [LinkToNothing, LinkToFolder, LinkToItself, Folder] {
                let place = with_gap(broken, name, gap);
                let case = format!("{gap:?} as {name} in {broken}");
                let built = folder(place.path(), &Options::default());
                let built = built.unwrap_or_else(|error| panic!("{case}: {error}"));
                let analyzed: BTreeSet<_> = built.nodes.keys().cloned().collect();
                // A folder with such a name is one of its own. A file of values decides about the whole root.
                let is_refused = !matches!(gap, Folder) && !name.starts_with("z.tf");
                let expected = ROOTS
                    .into_iter()
                    .filter(|root| *root != broken || !is_refused && name != "main.tf");
                let expected: BTreeSet<_> =
                    expected.map(|root| format!("{root}/aws_lb.web")).collect();
                assert_eq!(analyzed, expected, "{case}");
                let is_said = !built.unread.is_empty();
                assert_eq!(
                    is_said,
                    !matches!(gap, Folder),
                    "{case}: {:?}",
                    built.unread
                );
            }
        }
    }
}

#[test]
fn the_exit_code_is_not_zero_if_a_root_is_not_analyzed() {
    for broken in ROOTS {
        let place = tempfile::tempdir().unwrap();
        for root in ROOTS {
            let root_folder = place.path().join(root);
            std::fs::create_dir_all(&root_folder).unwrap();
            let text = if root == broken {
                "resource {"
            } else {
                "resource \"aws_lb\" \"web\" {}\n"
            };
            std::fs::write(root_folder.join("main.tf"), text).unwrap();
        }
        for (options, expected) in [
            (&["--fail-on", "never"][..], 1),
            (&[], 1),
            (&["--fail-on", "low"], 3),
            (&["--fail-on-unresolved"], 3),
        ] {
            let (code, text) = analyze(place.path(), options);
            assert_eq!(code, Some(expected), "{options:?}: {text}");
            assert!(
                text.contains(&format!("NOT READ {broken} is not analyzed")),
                "{text}"
            );
        }
    }
}

#[test]
fn a_large_root_gets_what_the_others_leave_wherever_it_is() {
    let large = |count: usize| {
        format!(
            "resource \"aws_db_instance\" \"d\" {{\n  count = {count}\n  identifier = \"a${{count.index}}\"\n}}\n"
        )
    };
    for counts in [[15_000, 1, 1], [9_000, 9_000, 1]] {
        for turned in 0..ROOTS.len() {
            let mut all = Files::new();
            let mut expected = 0;
            for (root, at) in ROOTS.iter().zip(turned..) {
                let count = counts[at % counts.len()];
                expected += count;
                all.insert(format!("{root}/main.tf"), large(count).into_bytes());
            }
            let built = files(&all, &Options::default()).unwrap();
            assert_eq!(built.refused, BTreeSet::new(), "{counts:?} from {turned}");
            assert_eq!(built.nodes.len(), expected, "{counts:?} from {turned}");
        }
    }
}
