//! Files outside of the folder that is analyzed: texts that its modules read, and modules that units of Terragrunt run.

use std::path::Path;

use trestle_terraform::{Options, folder, report};

use crate::unclear::outcome;

const POLICY: &str = "{ \"Statement\": [{ \"Effect\": \"Allow\", \"Principal\": \"*\", \"Action\": \"sqs:*\", \"Resource\": \"*\" }] }";

fn write(place: &Path, path: &str, text: &str) {
    let whole = place.join(path);
    std::fs::create_dir_all(whole.parent().unwrap()).unwrap();
    std::fs::write(whole, text).unwrap();
}

fn outcome_of(place: &Path, rule: &str, node: &str) -> &'static str {
    let built = folder(place, &Options::default()).unwrap();
    outcome(&report(&built), rule, node)
}

#[test]
fn a_text_outside_of_the_folder_is_read_however_it_is_named() {
    let declared = "variable \"name\" { default = \"x\" }\nlocals { name = \"x\" }\n";
    for policy in [
        "file(\"${path.module}/../../policies/x.json\")",
        "file(\"${path.root}/../../policies/x.json\")",
        "file(\"${path.cwd}/../../policies/x.json\")",
        "file(\"../../policies/x.json\")",
        "file(\"./../../policies/x.json\")",
        "file(\"${path.module}/../../policies/${var.name}.json\")",
        "file(format(\"%s/%s.json\", \"${path.module}/../../policies\", local.name))",
        "file(join(\"/\", [\"${path.module}/../../policies\", \"x.json\"]))",
        "templatefile(\"${path.module}/../../policies/x.json\", {})",
        "jsonencode(jsondecode(file(\"${path.module}/../../policies/x.json\")))",
    ] {
        let place = tempfile::tempdir().unwrap();
        write(place.path(), "policies/x.json", POLICY);
        write(place.path(), "policies/secret.json", "{}");
        // Nothing else there is analyzed.
        write(
            place.path(),
            "policies/main.tf",
            "resource \"aws_lb\" \"other\" {}\n",
        );
        let text = format!("{declared}resource \"aws_sqs_queue\" \"q\" {{ policy = {policy} }}\n");
        write(place.path(), "live/prod/main.tf", &text);
        let root = place.path().join("live/prod");
        let built = folder(&root, &Options::default()).unwrap();
        assert_eq!(
            outcome(&report(&built), "public-queue", "aws_sqs_queue.q"),
            "found",
            "{policy}"
        );
        assert_eq!(built.nodes.len(), 1, "{policy}");
    }
}

#[test]
fn a_text_beside_a_module_outside_of_the_folder_is_read() {
    let place = tempfile::tempdir().unwrap();
    write(
        place.path(),
        "live/prod/main.tf",
        "module \"m\" { source = \"../../modules/m\" }\n",
    );
    let text = "resource \"aws_sqs_queue\" \"q\" { policy = file(\"${path.module}/../policies/x.json\") }\n";
    write(place.path(), "modules/m/main.tf", text);
    write(place.path(), "modules/policies/x.json", POLICY);
    let root = place.path().join("live/prod");
    assert_eq!(
        outcome_of(&root, "public-queue", "module.m.aws_sqs_queue.q"),
        "found"
    );
}

#[test]
fn a_module_outside_of_the_folder_that_a_unit_runs_is_read() {
    let module = "variable \"public\" { default = false }\nresource \"aws_db_instance\" \"d\" {\n  publicly_accessible = var.public\n  storage_encrypted = true\n}\n";
    for source in [
        "../../../modules//db",
        "../../../modules/db",
        "./../../../modules/db//",
        "../../../modules/net/..//db",
    ] {
        for (public, expected) in [("true", "found"), ("false", "clear")] {
            for is_alone in [true, false] {
                let place = tempfile::tempdir().unwrap();
                write(place.path(), "modules/db/main.tf", module);
                write(
                    place.path(),
                    "modules/net/main.tf",
                    "resource \"aws_lb\" \"other\" {}\n",
                );
                let unit = format!(
                    "terraform {{ source = \"{source}\" }}\ninputs = {{ public = {public} }}\n"
                );
                write(place.path(), "live/prod/db/terragrunt.hcl", &unit);
                if !is_alone {
                    write(
                        place.path(),
                        "live/prod/web/main.tf",
                        "resource \"aws_sns_topic\" \"t\" {}\n",
                    );
                }
                let node = if is_alone {
                    "aws_db_instance.d"
                } else {
                    "db/aws_db_instance.d"
                };
                let root = place.path().join("live/prod");
                let found = outcome_of(&root, "public-datastore", node);
                assert_eq!(found, expected, "{source}, {public}, {is_alone}");
            }
        }
    }
}
