//! `trestle graph diff`: what a change of the files changes, for whoever reviews it.

use std::path::Path;

use serde_json::{Value, json};
use trestle_terraform::{Options, command};

/// A bucket and its ACL.
const BUCKET: &str = "resource \"aws_s3_bucket\" \"site\" { bucket = \"site\" }\nresource \"aws_s3_bucket_acl\" \"site\" {\n  bucket = aws_s3_bucket.site.id\n  acl    = \"ACL\"\n}\n";
/// A function that reads a table, with a URL.
const FUNCTION: &str = "resource \"aws_dynamodb_table\" \"orders\" { name = \"orders\" }\nresource \"aws_lambda_function\" \"api\" {\n  function_name = \"api\"\n  environment {\n    variables = { TABLE = aws_dynamodb_table.orders.name }\n  }\n}\nresource \"aws_lambda_function_url\" \"api\" {\n  function_name      = aws_lambda_function.api.function_name\n  authorization_type = \"AUTH\"\n}\n";

/// What the command prints of two paths, and its exit code.
fn diff(base: &Path, head: &Path, options: &[&str]) -> (u8, String) {
    let mut words = vec!["graph", "diff"];
    words.extend(options);
    let (base, head) = (base.to_str().unwrap(), head.to_str().unwrap());
    words.extend([base, head]);
    let matches = command::command().get_matches_from(words);
    let output = command::output(&matches).unwrap();
    (output.code, output.text)
}

fn folder(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("main.tf"), text).unwrap();
    folder
}

fn compared(base: &str, head: &str, options: &[&str]) -> (u8, Value) {
    let (base, head) = (folder(base), folder(head));
    let mut all = vec!["--format", "json"];
    all.extend(options);
    let (code, text) = diff(base.path(), head.path(), &all);
    (code, serde_json::from_str(&text).unwrap())
}

#[test]
fn a_new_finding_has_what_decides_it_before_and_after() {
    let (code, text) = compared(
        &BUCKET.replace("ACL", "private"),
        &BUCKET.replace("ACL", "public-read"),
        &[],
    );
    assert_eq!(code, 3);
    let new = text["findings"]["new"].as_array().unwrap();
    let of_bucket = new
        .iter()
        .find(|one| one["rule"] == "public-bucket")
        .unwrap();
    assert_eq!(of_bucket["node"], "aws_s3_bucket.site");
    let cause = json!({
        "node": "aws_s3_bucket_acl.site",
        "change": "changed",
        "attributes": [{ "path": "acl", "before": "private", "after": "public-read" }],
    });
    assert_eq!(of_bucket["causes"], json!([cause]));
    assert_eq!(text["ways"]["new"], json!([["aws_s3_bucket.site"]]));
    assert_eq!(text["findings"]["gone"], json!([]));
}

#[test]
fn the_way_back_has_the_same_findings_as_gone_and_does_not_fail() {
    let (private, public) = (
        BUCKET.replace("ACL", "private"),
        BUCKET.replace("ACL", "public-read"),
    );
    let (_, there) = compared(&private, &public, &[]);
    let (code, back) = compared(&public, &private, &[]);
    assert_eq!(code, 0);
    assert_eq!(
        back["findings"]["gone"].as_array().map(Vec::len),
        there["findings"]["new"].as_array().map(Vec::len)
    );
    assert_eq!(back["ways"]["gone"], there["ways"]["new"]);
}

#[test]
fn a_new_way_goes_through_services_to_what_stores_data() {
    let (_, text) = compared(
        &FUNCTION.replace("AUTH", "AWS_IAM"),
        &FUNCTION.replace("AUTH", "NONE"),
        &["--fail-on", "low"],
    );
    let ways = text["ways"]["new"].as_array().unwrap();
    let way = json!([
        "aws_lambda_function_url.api",
        "aws_lambda_function.api",
        "aws_dynamodb_table.orders"
    ]);
    assert!(ways.contains(&way), "{ways:?}");
}

#[test]
fn what_has_only_moved_is_no_difference() {
    let text = BUCKET.replace("ACL", "public-read");
    let moved = format!("# A comment.\n\n{text}");
    let (code, text) = compared(&text, &moved, &["--fail-on", "low", "--fail-on-unresolved"]);
    assert_eq!(code, 0);
    assert_eq!(text["findings"], json!({ "new": [], "gone": [] }));
    assert_eq!(text["changed"], json!([]));
}

#[test]
fn what_is_not_decided_any_more_fails_if_asked() {
    let (private, unknown) = (
        BUCKET.replace("ACL", "private"),
        BUCKET.replace("\"ACL\"", "var.acl"),
    );
    let (code, text) = compared(&private, &unknown, &[]);
    assert_eq!(code, 0);
    assert_eq!(text["undecided"]["new"][0]["node"], "aws_s3_bucket.site");
    let (code, _) = compared(&private, &unknown, &["--fail-on-unresolved"]);
    assert_eq!(code, 3);
}

#[test]
fn sarif_has_the_state_of_each_result() {
    let (base, head) = (
        folder(&BUCKET.replace("ACL", "private")),
        folder(&BUCKET.replace("ACL", "public-read")),
    );
    for (from, to, expected) in [
        (&base, &head, "new"),
        (&head, &base, "absent"),
        (&head, &head, "unchanged"),
    ] {
        let (_, text) = diff(from.path(), to.path(), &["--format", "sarif"]);
        let sarif: Value = serde_json::from_str(&text).unwrap();
        let results = sarif["runs"][0]["results"].as_array().unwrap();
        let of_bucket = results
            .iter()
            .find(|one| one["ruleId"] == "public-bucket")
            .unwrap();
        assert_eq!(of_bucket["baselineState"], expected);
        let rules = sarif["runs"][0]["tool"]["driver"]["rules"]
            .as_array()
            .unwrap();
        assert!(rules.iter().any(|rule| rule["id"] == "public-bucket"));
    }
}

#[test]
fn markdown_cannot_be_forged_by_a_file() {
    let odd = "resource \"aws_s3_bucket\" \"a\" { acl = \"public-read`** <b>|\\n# x\" }\n";
    let base = folder("resource \"aws_s3_bucket\" \"a\" { acl = \"private\" }\n");
    let (_, text) = diff(base.path(), folder(odd).path(), &[]);
    assert!(
        text.lines().all(|line| line.is_empty()
            || line.starts_with(['#', '-', ' '])
            || line.contains("new finding")),
        "{text}"
    );
    assert!(!text.contains("\n# x"), "{text}");
    let line = text
        .lines()
        .find(|line| line.contains("public-read"))
        .unwrap();
    assert_eq!(line.matches('`').count() % 2, 0, "{line}");
}

/// Runs Git in a folder.
fn git(folder: &Path, arguments: &[&str]) {
    let mut git = std::process::Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
    let output = git.current_dir(folder).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_folder_of_a_revision_has_the_modules_that_its_files_have() {
    let repository = tempfile::tempdir().unwrap();
    let at = |name: &str| repository.path().join(name);
    let topic = "resource \"aws_sns_topic\" \"t\" {}\n";
    for (folder, text) in [
        (
            "envs/prod",
            "module \"net\" { source = \"../../modules/net\" }\n",
        ),
        (
            "envs/prod/deep",
            "module \"net\" { source = \"../../../modules/net\" }\n",
        ),
        ("envs/test", "module \"own\" { source = \"./own\" }\n"),
        ("envs/test/own", topic),
        ("envs/stage", "module \"prod\" { source = \"../prod\" }\n"),
        ("modules/net", "module \"dns\" { source = \"../dns\" }\n"),
        ("modules/dns", topic),
        ("modules/unused", topic),
    ] {
        std::fs::create_dir_all(at(folder)).unwrap();
        std::fs::write(at(folder).join("main.tf"), text).unwrap();
    }
    git(repository.path(), &["init", "--quiet"]);
    git(repository.path(), &["add", "."]);
    git(repository.path(), &["commit", "--quiet", "-m", "first"]);
    let options = Options::default();
    for folder in [
        "",
        "envs",
        "envs/prod",
        "envs/prod/deep",
        "envs/test",
        "envs/test/own",
        "envs/stage",
        "modules",
        "modules/net",
        "modules/dns",
    ] {
        let whole = trestle_terraform::folder(&at(folder), &options).unwrap();
        let revision = trestle_terraform::revision(&at(folder), "HEAD", &options).unwrap();
        let nodes: Vec<_> = revision.nodes.keys().collect();
        assert_eq!(nodes, whole.nodes.keys().collect::<Vec<_>>(), "{folder}");
        assert_eq!(revision.roots, whole.roots, "{folder}");
    }
}

/// A block that is added to a resource, with a value in it that is not kept and one that is.
struct Added {
    resource: &'static str,
    block: &'static str,
    kept: &'static str,
}

#[test]
fn a_block_with_a_value_that_is_not_kept_is_shown_without_it() {
    for added in [
        Added {
            resource: "aws_security_group",
            block: "ingress {\n  description = \"for ann\"\n  from_port = 22\n  to_port = 22\n  protocol = \"tcp\"\n  cidr_blocks = [\"0.0.0.0/0\"]\n}",
            kept: "0.0.0.0/0",
        },
        Added {
            resource: "azurerm_network_security_group",
            block: "security_rule {\n  description = \"for ann\"\n  priority = 100\n  direction = \"Inbound\"\n  access = \"Allow\"\n  protocol = \"Tcp\"\n  source_address_prefix = \"*\"\n  destination_port_range = \"22\"\n}",
            kept: "Inbound",
        },
        Added {
            resource: "aws_sqs_queue",
            block: "policy = jsonencode({ Statement = [{ Sid = \"for ann\", Effect = \"Allow\", Principal = \"*\", Action = \"sqs:*\", Condition = { StringEquals = { \"kms:ViaService\" = \"for ann\" } } }] })",
            kept: "Allow",
        },
    ] {
        for before in ["", "tags = {}"] {
            let base = format!("resource \"{}\" \"a\" {{\n{before}\n}}\n", added.resource);
            let head = format!(
                "resource \"{}\" \"a\" {{\n{before}\n{}\n}}\n",
                added.resource, added.block
            );
            for (base, head) in [(&base, &head), (&head, &base)] {
                let (_, text) = compared(base, head, &[]);
                let changed = text["changed"].to_string();
                assert!(changed.contains(added.kept), "{}: {text}", added.block);
                assert!(!changed.contains("for ann"), "{changed}");
                assert!(!changed.contains("sha256:"), "{changed}");
            }
        }
    }
}

#[test]
fn new_and_gone_resources_that_rules_look_at_are_named() {
    let bucket = "resource \"aws_s3_bucket\" \"a\" { bucket = \"a\" }\n";
    for (id, text) in [
        (
            "aws_s3_bucket_public_access_block.a",
            "resource \"aws_s3_bucket_public_access_block\" \"a\" {\n  bucket = aws_s3_bucket.a.id\n  block_public_acls = true\n}\n",
        ),
        (
            "aws_iam_role.a",
            "resource \"aws_iam_role\" \"a\" {\n  assume_role_policy = jsonencode({ Statement = [{ Effect = \"Allow\", Action = \"sts:AssumeRole\", Principal = { AWS = \"arn:aws:iam::123456789012:root\" } }] })\n}\n",
        ),
        (
            "aws_vpc_security_group_ingress_rule.a",
            "resource \"aws_vpc_security_group_ingress_rule\" \"a\" {\n  security_group_id = \"sg-1\"\n  cidr_ipv4 = \"198.51.100.0/24\"\n  ip_protocol = \"tcp\"\n  from_port = 22\n  to_port = 22\n}\n",
        ),
    ] {
        let (small, large) = (bucket.to_owned(), format!("{bucket}{text}"));
        let (_, added) = compared(&small, &large, &[]);
        assert_eq!(added["resources"], json!({ "new": [id], "gone": [] }));
        let (_, gone) = compared(&large, &small, &[]);
        assert_eq!(gone["resources"], json!({ "new": [], "gone": [id] }));
        let (base, head) = (folder(&small), folder(&large));
        for (from, to) in [(&base, &head), (&head, &base)] {
            let (_, markdown) = diff(from.path(), to.path(), &[]);
            assert!(markdown.contains(&format!("`{id}`")), "{markdown}");
        }
    }
    // A type that no rule looks at.
    let other = format!("{bucket}resource \"aws_sns_topic_subscription\" \"a\" {{}}\n");
    let (_, text) = compared(bucket, &other, &[]);
    assert_eq!(text["resources"], json!({ "new": [], "gone": [] }));
}

#[test]
fn what_a_block_moved_names_is_no_difference() {
    let public = "{ acl = \"public-read\" }\n";
    let module = format!("resource \"aws_s3_bucket\" \"b\" {public}");
    for (base, head, from, to) in [
        ("a", format!("resource \"aws_s3_bucket\" \"b\" {public}"), "aws_s3_bucket.a", "aws_s3_bucket.b"),
        ("a", "module \"m\" { source = \"./m\" }\n".to_owned(), "aws_s3_bucket.a", "module.m.aws_s3_bucket.b"),
        (
            "a",
            "resource \"aws_s3_bucket\" \"a\" {\n  count = 1\n  acl = \"public-read\"\n}\n".to_owned(),
            "aws_s3_bucket.a",
            "aws_s3_bucket.a[0]",
        ),
        (
            "a",
            "resource \"aws_s3_bucket\" \"a\" {\n  for_each = toset([\"x\"])\n  acl = \"public-read\"\n}\n".to_owned(),
            "aws_s3_bucket.a",
            "aws_s3_bucket.a[\"x\"]",
        ),
    ] {
        let base = folder(&format!("resource \"aws_s3_bucket\" \"{base}\" {public}"));
        let quoted = to.replace('"', "\\\"");
        let in_hcl = format!("moved {{\n  from = {from}\n  to = {to}\n}}\n");
        let in_json = format!("{{ \"moved\": [{{ \"from\": \"{from}\", \"to\": \"{quoted}\" }}] }}");
        for (name, moved) in [("moved.tf", in_hcl), ("moved.tf.json", in_json)] {
            let head = folder(&head);
            std::fs::create_dir(head.path().join("m")).unwrap();
            std::fs::write(head.path().join("m/main.tf"), &module).unwrap();
            std::fs::write(head.path().join(name), moved).unwrap();
            let options = ["--root", ".", "--format", "json", "--fail-on", "low"];
            let (code, text) = diff(base.path(), head.path(), &options);
            let text: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(code, 0, "{to}: {text}");
            for list in ["findings", "ways", "resources", "undecided"] {
                assert_eq!(text[list], json!({ "new": [], "gone": [] }), "{to}: {text}");
            }
        }
    }
}

#[test]
fn what_cannot_be_read_is_not_gone() {
    for broken in ["envs/a", "envs/b"] {
        let (base, head) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for root in ["envs/a", "envs/b"] {
            let public = BUCKET.replace("ACL", "public-read");
            for version in [&base, &head] {
                std::fs::create_dir_all(version.path().join(root)).unwrap();
                std::fs::write(version.path().join(root).join("main.tf"), &public).unwrap();
            }
        }
        for fault in [
            "resource {",
            "resource \"aws_lb\" \"a\" {}\nresource \"aws_lb\" \"a\" {}\n",
        ] {
            std::fs::write(head.path().join(broken).join("main.tf"), fault).unwrap();
            let (_, text) = diff(base.path(), head.path(), &["--format", "json"]);
            let text: Value = serde_json::from_str(&text).unwrap();
            for list in ["findings", "ways", "resources", "undecided"] {
                assert_eq!(text[list]["gone"], json!([]), "{fault}: {text}");
            }
            assert_ne!(text["unread"], json!([]), "{fault}");
            let (code, _) = diff(base.path(), head.path(), &["--fail-on-unresolved"]);
            assert_eq!(code, 3, "{fault}");
        }
    }
}

/// A folder whose module `m` is called by a block, and is there or not.
fn with_module(call: &str, module: Option<&str>) -> tempfile::TempDir {
    let folder = folder(call);
    if let Some(module) = module {
        std::fs::create_dir(folder.path().join("m")).unwrap();
        std::fs::write(folder.path().join("m/main.tf"), module).unwrap();
    }
    folder
}

#[test]
fn what_a_module_has_that_is_absent_is_neither_gone_nor_new() {
    let public = BUCKET.replace("ACL", "public-read");
    let url = FUNCTION.replace("AUTH", "NONE");
    let policy = "variable \"bucket\" { default = \"\" }\nresource \"aws_s3_bucket_policy\" \"p\" {\n  bucket = var.bucket\n  policy = jsonencode({ Statement = [{ Effect = \"Allow\", Principal = \"*\", Action = \"*\", Resource = \"*\" }] })\n}\n";
    let beside = "resource \"aws_s3_bucket\" \"b\" {}\n";
    for (arguments, module) in [
        ("", public.as_str()),
        ("count = 2\n", &public),
        ("for_each = toset([\"x\", \"y\"])\n", &public),
        ("", &url),
        ("bucket = aws_s3_bucket.b.id\n", policy),
    ] {
        let call = |source: &str| {
            format!("module \"m\" {{\n  source = \"{source}\"\n  {arguments}}}\n{beside}")
        };
        let there = with_module(&call("./m"), Some(module));
        for absent in [
            with_module(&call("./m"), None),
            with_module(&call("acme/site/aws"), None),
            with_module(&call("git::https://example.com/m.git"), Some(module)),
        ] {
            let options = ["--format", "json", "--fail-on", "low"];
            let (_, text) = diff(there.path(), absent.path(), &options);
            let lost: Value = serde_json::from_str(&text).unwrap();
            for list in ["findings", "ways", "resources"] {
                assert_eq!(lost[list]["gone"], json!([]), "{arguments}: {lost}");
            }
            assert_ne!(lost["notKnown"], json!([]), "{arguments}: {lost}");
            let (code, text) = diff(absent.path(), there.path(), &options);
            let back: Value = serde_json::from_str(&text).unwrap();
            if module == policy {
                // The bucket itself can be read in both.
                assert_eq!(code, 3, "{back}");
                continue;
            }
            for list in ["findings", "ways", "resources", "undecided"] {
                assert_eq!(back[list]["new"], json!([]), "{arguments}: {back}");
            }
            assert_eq!(code, 0, "{arguments}: {back}");
            assert_eq!(lost["notKnown"], back["nowRead"], "{arguments}");
            let (code, _) = diff(there.path(), absent.path(), &["--fail-on-unresolved"]);
            assert_eq!(code, 3, "{arguments}");
            let sarif = ["--format", "sarif"];
            let (_, text) = diff(there.path(), absent.path(), &sarif);
            assert!(!text.contains("\"absent\""), "{arguments}: {text}");
            let (_, text) = diff(there.path(), absent.path(), &[]);
            assert!(text.contains("not known any more\n"), "{text}");
        }
    }
}

#[test]
fn a_finding_that_is_not_decided_any_more_is_not_gone() {
    let public = BUCKET.replace("ACL", "public-read");
    let (_, text) = compared(&public, &BUCKET.replace("\"ACL\"", "var.acl"), &[]);
    assert_eq!(text["findings"]["gone"], json!([]), "{text}");
    assert_eq!(text["notKnown"][0]["node"], "aws_s3_bucket.site");
}

#[test]
fn a_new_resource_is_not_one_that_is_not_decided_any_more() {
    let unknown = "variable \"acl\" {}\nresource \"aws_s3_bucket\" \"a\" { acl = var.acl }\n";
    let (small, large) = (folder("variable \"acl\" {}\n"), folder(unknown));
    let (_, added) = diff(small.path(), large.path(), &[]);
    assert!(!added.contains("Not decided any more"), "{added}");
    assert!(added.contains("Not decided for new resources"), "{added}");
    let (_, gone) = diff(large.path(), small.path(), &[]);
    assert!(!gone.contains("Decided now"), "{gone}");
}

#[test]
fn each_command_says_what_it_does() {
    let graph = command::command();
    let all = graph
        .get_subcommands()
        .map(|one| one.get_about().map(ToString::to_string));
    let all: Vec<_> = all.collect();
    let different: std::collections::BTreeSet<_> = all.iter().flatten().collect();
    assert_eq!(different.len(), all.len(), "{all:?}");
}
