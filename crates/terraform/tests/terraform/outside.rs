//! What something outside of a configuration gives its variables: the default is never taken for the value.

use std::io::Write as _;

use serde_json::Value as Json;
use trestle_terraform::{Files, Options, file, files, folder, report};

use crate::unclear::outcome;

/// How a value reaches the variable `public` of the module in `modules/db`, or of that beside the file.
struct Way {
    name: &'static str,
    /// Files by their paths, in which `VALUE` stands for the value.
    files: &'static [(&'static str, &'static str)],
    /// Where the module is.
    module: &'static str,
    /// The file that is named if the value is not known; `None` if it is.
    unread: Option<&'static str>,
}

const HERE: &str = "";
const THERE: &str = "modules/db";

const WAYS: [Way; 20] = [
    Way {
        name: "inputs beside the module",
        files: &[("terragrunt.hcl", "inputs = { public = VALUE }")],
        module: HERE,
        unread: None,
    },
    Way {
        name: "inputs of a unit that runs the module",
        files: &[(
            "live/p/terragrunt.hcl",
            "terraform { source = \"../../modules/db\" }\ninputs = { public = VALUE }",
        )],
        module: THERE,
        unread: None,
    },
    Way {
        name: "a source with two slashes",
        files: &[(
            "live/p/terragrunt.hcl",
            "terraform { source = \"../../modules//db\" }\ninputs = { public = VALUE }",
        )],
        module: THERE,
        unread: None,
    },
    Way {
        name: "a module at the top that a unit runs",
        files: &[(
            "live/p/terragrunt.hcl",
            "terraform { source = \"../..\" }\ninputs = { public = VALUE }",
        )],
        module: HERE,
        unread: None,
    },
    Way {
        name: "a local value",
        files: &[(
            "terragrunt.hcl",
            "locals { open = VALUE }\ninputs = { public = local.open }",
        )],
        module: HERE,
        unread: None,
    },
    Way {
        name: "inputs that are merged",
        files: &[(
            "terragrunt.hcl",
            "locals { all = { public = VALUE } }\ninputs = merge({ public = !VALUE }, local.all)",
        )],
        module: HERE,
        unread: None,
    },
    Way {
        name: "a file that is generated",
        files: &[(
            "live/p/terragrunt.hcl",
            "terraform { source = \"../../modules/db\" }\ngenerate \"g\" {\n  path = \"override.tf\"\n  if_exists = \"overwrite\"\n  contents = <<EOF\nvariable \"public\" { default = VALUE }\nEOF\n}",
        )],
        module: THERE,
        unread: None,
    },
    Way {
        name: "OpenTofu's file in the place of Terraform's",
        files: &[("variables.tofu", "variable \"public\" { default = VALUE }")],
        module: HERE,
        unread: None,
    },
    Way {
        name: "a file of OpenTofu in JSON",
        files: &[(
            "override.tofu.json",
            "{ \"variable\": { \"public\": { \"default\": VALUE } } }",
        )],
        module: HERE,
        unread: None,
    },
    Way {
        name: "the environment, as Terragrunt reads it",
        files: &[(
            "terragrunt.hcl",
            "inputs = { public = get_env(\"PUBLIC\", \"VALUE\") }",
        )],
        module: HERE,
        unread: Some(""),
    },
    Way {
        name: "an output of another unit",
        files: &[(
            "terragrunt.hcl",
            "dependency \"a\" { config_path = \"../a\" }\ninputs = { public = dependency.a.outputs.VALUE }",
        )],
        module: HERE,
        unread: Some(""),
    },
    Way {
        name: "inputs that are read from elsewhere",
        files: &[(
            "terragrunt.hcl",
            "inputs = read_terragrunt_config(\"VALUE.hcl\").inputs",
        )],
        module: HERE,
        unread: Some("terragrunt.hcl"),
    },
    Way {
        name: "an included file",
        files: &[
            ("root.hcl", "inputs = { public = VALUE }"),
            (
                "live/p/terragrunt.hcl",
                "include \"root\" { path = find_in_parent_folders(\"root.hcl\") }\nterraform { source = \"../../modules/db\" }",
            ),
        ],
        module: THERE,
        unread: Some("live/p/terragrunt.hcl"),
    },
    Way {
        name: "arguments of Terraform",
        files: &[(
            "terragrunt.hcl",
            "terraform {\n  extra_arguments \"a\" {\n    commands = [\"plan\"]\n    arguments = [\"-var\", \"public=VALUE\"]\n  }\n}",
        )],
        module: HERE,
        unread: Some("terragrunt.hcl"),
    },
    Way {
        name: "a command before Terraform",
        files: &[(
            "terragrunt.hcl",
            "terraform {\n  before_hook \"a\" {\n    commands = [\"plan\"]\n    execute = [\"write\", \"VALUE\"]\n  }\n}",
        )],
        module: HERE,
        unread: Some("terragrunt.hcl"),
    },
    Way {
        name: "a unit in JSON",
        files: &[(
            "terragrunt.hcl.json",
            "{ \"inputs\": { \"public\": VALUE } }",
        )],
        module: HERE,
        unread: Some("terragrunt.hcl.json"),
    },
    Way {
        name: "a stack",
        files: &[(
            "terragrunt.stack.hcl",
            "unit \"p\" {\n  source = \"./modules/db\"\n  path = \"p\"\n  values = { public = VALUE }\n}",
        )],
        module: THERE,
        unread: Some("terragrunt.stack.hcl"),
    },
    Way {
        name: "a source that only Terragrunt knows",
        files: &[(
            "live/p/terragrunt.hcl",
            "terraform { source = \"${get_repo_root()}/modules/db\" }\ninputs = { public = VALUE }",
        )],
        module: THERE,
        unread: Some("live/p/terragrunt.hcl"),
    },
    Way {
        name: "a file that cannot be read",
        files: &[("terragrunt.hcl", "inputs = { public = VALUE")],
        module: HERE,
        unread: Some("terragrunt.hcl"),
    },
    Way {
        name: "a source elsewhere beside a configuration",
        files: &[(
            "terragrunt.hcl",
            "terraform { source = \"git::https://example.com/db.git\" }\ninputs = { other = VALUE }",
        )],
        module: HERE,
        unread: Some("terragrunt.hcl"),
    },
];

const MAIN: &str = "resource \"aws_db_instance\" \"a\" {\n  publicly_accessible = var.public\n  storage_encrypted   = true\n}\n";
const NODE: &str = "aws_db_instance.a";

fn at(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

/// The module with a default for its variable, and what gives a value to it.
fn given(way: &Way, default: &str, value: bool) -> Files {
    let variables = format!("variable \"public\" {{ {default} }}\n");
    let mut all = Files::from([
        (at(way.module, "main.tf"), MAIN.as_bytes().to_vec()),
        (at(way.module, "variables.tf"), variables.into_bytes()),
    ]);
    for (path, text) in way.files {
        let text = text.replace("VALUE", &value.to_string());
        all.insert((*path).to_owned(), text.into_bytes());
    }
    all
}

/// The reports of the same files in memory, in a folder and in an archive.
fn reports(all: &Files) -> [Json; 3] {
    let options = Options::default();
    let place = tempfile::tempdir().unwrap();
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (path, bytes) in all {
        let whole = place.path().join(path);
        std::fs::create_dir_all(whole.parent().unwrap()).unwrap();
        std::fs::write(whole, bytes).unwrap();
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(path, options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    let archive = archive.finish().unwrap().into_inner();
    [
        files(all, &options),
        folder(place.path(), &options),
        file("module.zip", &archive, &options),
    ]
    .map(|built| report(&built.unwrap()))
}

fn names_unread(report: &Json, file: &str) -> bool {
    let mut unread = report["unread"].as_array().unwrap().iter();
    unread.any(|one| one["file"] == file)
}

#[test]
fn a_default_is_not_the_value_if_something_outside_gives_one() {
    let mut wrong = Vec::new();
    for way in &WAYS {
        for default in ["default = true", "default = false", ""] {
            for value in [true, false] {
                let expected = match (way.unread, value) {
                    (Some(_), _) => "undecided",
                    (None, true) => "found",
                    (None, false) => "clear",
                };
                for report in reports(&given(way, default, value)) {
                    let found = outcome(&report, "public-datastore", NODE);
                    let is_named = way
                        .unread
                        .is_none_or(|file| file.is_empty() || names_unread(&report, file));
                    if found != expected || !is_named {
                        let name = way.name;
                        wrong.push(format!(
                            "{name}, {default:?}, {value}: {found}, not {expected}; named: {is_named}"
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_workspace_is_the_one_that_is_given_and_otherwise_not_known() {
    for (given, selected, expected) in [
        (Some("prod"), None, "found"),
        (Some("dev"), None, "clear"),
        (Some("prod"), Some("dev\n"), "found"),
        (None, Some("prod\n"), "found"),
        (None, Some("dev"), "clear"),
        (None, None, "undecided"),
    ] {
        let main = MAIN.replace("var.public", "terraform.workspace == \"prod\"");
        let mut all = Files::from([("main.tf".to_owned(), main.into_bytes())]);
        if let Some(selected) = selected {
            all.insert(".terraform/environment".to_owned(), selected.into());
        }
        let options = Options {
            workspace: given.map(str::to_owned),
            ..Options::default()
        };
        let report = report(&files(&all, &options).unwrap());
        let found = outcome(&report, "public-datastore", NODE);
        assert_eq!(found, expected, "{given:?} {selected:?}");
    }
}

#[test]
fn each_unit_that_runs_a_module_is_a_root_of_its_own() {
    let unit = |value| {
        format!("terraform {{ source = \"../../modules/db\" }}\ninputs = {{ public = {value} }}")
    };
    let all = Files::from([
        ("modules/db/main.tf".to_owned(), MAIN.as_bytes().to_vec()),
        (
            "modules/db/variables.tf".to_owned(),
            b"variable \"public\" { default = false }".to_vec(),
        ),
        (
            "live/dev/terragrunt.hcl".to_owned(),
            unit(false).into_bytes(),
        ),
        (
            "live/prod/terragrunt.hcl".to_owned(),
            unit(true).into_bytes(),
        ),
        (
            "live/terragrunt.hcl".to_owned(),
            b"locals { a = 1 }".to_vec(),
        ),
    ]);
    for report in reports(&all) {
        assert_eq!(
            report["roots"],
            serde_json::json!(["live/dev", "live/prod"])
        );
        for (root, expected) in [("live/dev", "clear"), ("live/prod", "found")] {
            let node = format!("{root}/{NODE}");
            let found = outcome(&report, "public-datastore", &node);
            assert_eq!(found, expected, "{report:#}");
        }
    }
}

#[test]
fn a_module_that_is_not_part_of_the_upload_is_named_with_its_unit() {
    let all = Files::from([
        ("other/main.tf".to_owned(), MAIN.as_bytes().to_vec()),
        (
            "live/terragrunt.hcl".to_owned(),
            b"terraform { source = \"git::https://user:hunter2@example.com/db.git\" }".to_vec(),
        ),
    ]);
    for report in reports(&all) {
        assert!(names_unread(&report, "live/terragrunt.hcl"), "{report:#}");
        assert!(!report.to_string().contains("hunter2"), "{report:#}");
    }
}

#[test]
fn units_without_any_module_are_refused_by_name() {
    for name in [
        "terragrunt.hcl",
        "terragrunt.hcl.json",
        "terragrunt.stack.hcl",
    ] {
        let path = format!("live/{name}");
        let all = Files::from([(
            path.clone(),
            b"terraform { source = \"tfr:///a/b/c\" }".to_vec(),
        )]);
        let refused = files(&all, &Options::default()).unwrap_err();
        assert!(refused.to_string().contains(&path), "{refused}");
    }
}

#[test]
fn a_unit_that_is_asked_for_has_nothing_of_others() {
    let module = "variable \"public\" {\n  default = false\n}\nresource \"aws_db_instance\" \"d\" {\n  publicly_accessible = var.public\n}\n";
    let whole = "terraform { source = \"../../mod\" }\ninputs = { public = false }\n";
    for other in [
        "terraform { source = get_env(\"SOURCE\") }\n",
        "include \"r\" { path = find_in_parent_folders() }\n",
        "terraform {",
        "terraform { source = \"git::https://example.com/m.git\" }\n",
    ] {
        let all = [
            ("mod/main.tf", module),
            ("plain/main.tf", module),
            ("live/a/terragrunt.hcl", whole),
            ("live/b/terragrunt.hcl", other),
        ];
        let all = all.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        let of = |root: &str| {
            let options = Options {
                root: Some(root.to_owned()),
                ..Options::default()
            };
            files(&Files::from(all.clone()), &options).unwrap()
        };
        let unit = of("live/a");
        assert!(unit.unread.is_empty(), "{other}: {:?}", unit.unread);
        assert!(unit.undecided_notes().next().is_none(), "{other}");
        // What no unit runs may be run by one whose module is not known.
        if !other.contains("git::") {
            assert!(!of("plain").unread.is_empty(), "{other}");
        }
    }
}
