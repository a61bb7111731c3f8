//! Defaults and names of arguments that depend on the version of a provider.

use trestle_terraform::{Files, Options, files, report};

use crate::unclear::outcome;

/// What is found of the nested items of a storage account, which the block leaves out, in versions of the provider.
const VERSIONS: [(&str, &str); 7] = [
    ("2.29.0", "undecided"),
    ("2.99.0", "clear"),
    ("3.0.0", "found"),
    ("3.116.0", "found"),
    ("4.1.0", "found"),
    ("5.0.0", "clear"),
    ("5.7.1", "clear"),
];

/// A way to say which version of the provider counts; `VERSION` stands for it.
struct Way {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
}

const LOCK: &str = "provider \"registry.terraform.io/hashicorp/azurerm\" {\n  version = \"VERSION\"\n  constraints = \">= 1.0.0\"\n}\n";
const OF_TOFU: &str =
    "provider \"registry.opentofu.org/hashicorp/azurerm\" {\n  version = \"VERSION\"\n}\n";

const WAYS: [Way; 9] = [
    Way {
        name: "a requirement",
        files: &[(
            "v.tf",
            "terraform {\n  required_providers {\n    azurerm = {\n      source = \"hashicorp/azurerm\"\n      version = \"VERSION\"\n    }\n  }\n}\n",
        )],
    },
    Way {
        name: "a requirement without a source",
        files: &[(
            "v.tf",
            "terraform {\n  required_providers {\n    azurerm = { version = \"= VERSION\" }\n  }\n}\n",
        )],
    },
    Way {
        name: "a requirement that is a text",
        files: &[(
            "v.tf",
            "terraform {\n  required_providers {\n    azurerm = \"VERSION\"\n  }\n}\n",
        )],
    },
    Way {
        name: "a requirement in JSON",
        files: &[(
            "v.tf.json",
            "{ \"terraform\": { \"required_providers\": { \"azurerm\": { \"source\": \"registry.terraform.io/hashicorp/azurerm\", \"version\": \"VERSION\" } } } }",
        )],
    },
    Way {
        name: "a provider with a version",
        files: &[(
            "v.tf",
            "provider \"azurerm\" {\n  version = \"VERSION\"\n  features {}\n}\n",
        )],
    },
    Way {
        name: "two requirements",
        files: &[
            (
                "v.tf",
                "terraform {\n  required_providers {\n    azurerm = { version = \">= VERSION\" }\n  }\n}\n",
            ),
            (
                "w.tf",
                "terraform {\n  required_providers {\n    azurerm = { version = \"<= VERSION\" }\n  }\n}\n",
            ),
        ],
    },
    Way {
        name: "a requirement of a module",
        files: &[
            ("v.tf", "module \"m\" { source = \"./m\" }\n"),
            (
                "m/v.tf",
                "terraform {\n  required_providers {\n    azurerm = { version = \"VERSION\" }\n  }\n}\n",
            ),
        ],
    },
    Way {
        name: "a lock of Terraform",
        files: &[(".terraform.lock.hcl", LOCK)],
    },
    Way {
        name: "a lock of OpenTofu",
        files: &[
            (".terraform.lock.hcl", OF_TOFU),
            (
                "v.tf",
                "terraform {\n  required_providers {\n    azurerm = { version = \">= 2.0\" }\n  }\n}\n",
            ),
        ],
    },
];

fn outcome_of(all: &[(&str, String)], body: &str) -> &'static str {
    let mut files_of = Files::new();
    let main = format!("resource \"azurerm_storage_account\" \"a\" {{\n  name = \"a\"\n{body}}}\n");
    files_of.insert("main.tf".to_owned(), main.into_bytes());
    for (path, text) in all {
        files_of.insert((*path).to_owned(), text.clone().into_bytes());
    }
    let report = report(&files(&files_of, &Options::default()).unwrap());
    outcome(&report, "public-bucket", "azurerm_storage_account.a")
}

#[test]
fn a_default_is_that_of_the_version_however_it_is_given() {
    let mut wrong = Vec::new();
    for way in &WAYS {
        for (version, expected) in VERSIONS {
            let all = way.files.iter();
            let all: Vec<_> = all
                .map(|(path, text)| (*path, text.replace("VERSION", version)))
                .collect();
            for (body, expected) in [
                ("", expected),
                ("  allow_nested_items_to_be_public = null\n", expected),
                ("  allow_nested_items_to_be_public = true\n", "found"),
                ("  allow_nested_items_to_be_public = false\n", "clear"),
                ("  allow_blob_public_access = true\n", "found"),
                ("  allow_blob_public_access = false\n", "clear"),
                ("  allow_nested_items_to_be_public = var.x\n", "undecided"),
                ("  provider = other.x\n", "undecided"),
            ] {
                let found = outcome_of(&all, body);
                if found != expected {
                    wrong.push(format!("{}, {version}, {body:?}: {found}", way.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_default_is_not_known_if_versions_are_possible_that_differ() {
    for (constraint, source, expected) in [
        ("~> 3.0", "hashicorp/azurerm", "found"),
        ("~> 3.0.2", "hashicorp/azurerm", "found"),
        (">= 3.0, < 5.0", "hashicorp/azurerm", "found"),
        (">= 3.0, < 5.0.1", "hashicorp/azurerm", "undecided"),
        (">= 3.0, <= 5.0.0", "hashicorp/azurerm", "undecided"),
        (">= 3.0", "hashicorp/azurerm", "undecided"),
        ("~> 3", "hashicorp/azurerm", "undecided"),
        ("> 5.0", "hashicorp/azurerm", "clear"),
        ("~> 5.0", "hashicorp/azurerm", "clear"),
        ("!= 3.0.0", "hashicorp/azurerm", "undecided"),
        ("5.0.0-beta1", "hashicorp/azurerm", "undecided"),
        ("", "hashicorp/azurerm", "undecided"),
        ("~> 3.0", "example/azurerm", "undecided"),
        (
            "~> 3.0",
            "registry.example.com/hashicorp/azurerm",
            "undecided",
        ),
    ] {
        let text = format!(
            "terraform {{\n  required_providers {{\n    azurerm = {{\n      source = \"{source}\"\n      version = \"{constraint}\"\n    }}\n  }}\n}}\n"
        );
        let found = outcome_of(&[("v.tf", text)], "");
        assert_eq!(found, expected, "{constraint} of {source}");
    }
}
