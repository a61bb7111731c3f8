//! Files that are not what they should be: each is read as far as it can be, or fails with what to do about it.

use std::io::Write as _;

use serde_json::json;

use crate::graph_runs::program::{analyze, trestle};

/// What is printed of a file, and its exit code.
fn printed(name: &str, bytes: &[u8]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let path = match name {
        "main.tf" => folder.path(),
        _ => path.as_path(),
    };
    analyze(path, &["--fail-on", "never"])
}

fn utf16(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

/// A zip archive with an entry twice.
fn twice() -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for name in ["a/main.tf", "b/main.tf"] {
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(name, options).unwrap();
        archive.write_all(b"resource \"aws_lb\" \"a\" {}").unwrap();
    }
    let mut bytes = archive.finish().unwrap().into_inner();
    let places: Vec<_> = (0..bytes.len())
        .filter(|at| bytes[*at..].starts_with(b"b/main.tf"))
        .collect();
    places.into_iter().for_each(|at| bytes[at] = b'a');
    bytes
}

/// A zip archive with a link to a file.
fn linked(to: &str) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    archive.add_symlink("net.tf", to, options).unwrap();
    for (name, text) in [
        ("main.tf", "resource \"aws_lb\" \"a\" {}"),
        ("shared/net.tf", "resource \"aws_elb\" \"linked\" {}"),
    ] {
        archive.start_file(name, options).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

const PLAN: &str = r#"{ "planned_values": { "root_module": {} }, "resource_changes": [] }"#;
const STATE: &str =
    r#"{ "version": 4, "terraform_version": "1.9.0", "lineage": "x", "resources": [] }"#;

#[test]
fn files_of_another_form_fail_with_what_to_do() {
    let long = format!("resource \"aws_lb\" \"{}\" {{}}", "a".repeat(3_000));
    for (name, bytes, reason) in [
        (
            "main.tf",
            utf16("locals {}"),
            "main.tf is text in UTF-16. Save it as UTF-8.",
        ),
        (
            "main.tf",
            PLAN.into(),
            "main.tf is a plan. Create the run with the format PLAN.",
        ),
        (
            "main.tf",
            STATE.into(),
            "main.tf is a state file. Upload the configuration",
        ),
        (
            "main.tf",
            b"{ \"resource\": {} }".into(),
            "main.tf is JSON. Create the run with the format JSON.",
        ),
        (
            "main.tf",
            b"PK\x03\x04tfplan".into(),
            "what `terraform show -json` prints",
        ),
        (
            "plan.json",
            b"PK\x03\x04tfplan".into(),
            "what `terraform show -json` prints",
        ),
        ("plan.json", STATE.into(), "The file is a state file."),
        (
            "main.tf",
            long.into(),
            "the limit is 1024. Shorten the names",
        ),
        (
            "module.zip",
            twice(),
            "The archive has \"a/main.tf\" twice.",
        ),
        (
            "plan.json",
            PLAN.replacen('{', "{ \"errored\": true,", 1).into(),
            "The plan is incomplete",
        ),
    ] {
        let (code, text) = printed(name, &bytes);
        assert_eq!(code, Some(1), "{reason}: {text}");
        assert!(text.contains(reason), "{reason}: {text}");
    }
}

#[test]
fn a_plan_may_be_text_in_utf_16() {
    let (code, text) = printed("plan.json", &utf16(PLAN));
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn a_link_in_an_archive_is_followed_or_reported() {
    let (code, text) = printed("module.zip", &linked("shared/net.tf"));
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("aws_elb.linked") && !text.contains("NOT READ"),
        "{text}"
    );
    let (code, text) = printed("module.zip", &linked("../net.tf"));
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("NOT READ net.tf is a link"), "{text}");
    assert!(text.contains("internet-exposed aws_lb.a"), "{text}");
}

#[test]
fn a_file_that_cannot_be_read_is_reported_and_the_rest_is_analyzed() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("main.tf", "resource \"aws_lb\" \"a\" {}\n");
    write("odd.tf", "resource \"aws_lb\" {\n");
    let (code, text) = analyze(folder.path(), &["--fail-on", "never"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("NOT READ odd.tf is not Terraform"), "{text}");
    assert!(text.contains("internet-exposed aws_lb.a"), "{text}");
    let (code, text) = analyze(folder.path(), &["--fail-on-unresolved"]);
    assert_eq!(code, Some(3), "{text}");
    let (_, text) = analyze(folder.path(), &["--format", "json", "--fail-on", "never"]);
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["unread"][0]["file"], "odd.tf");
}

#[test]
fn lines_of_a_for_expression_may_begin_with_an_operator() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
locals {
  all = { for key in ["a", "b"] : key => key == "a"
    ? true
    : false
  }
}
action "aws_lambda_invoke" "a" {
  config { function_name = "a" }
}
resource "aws_lb" "a" {
  internal = local.all["a"]
}
"#;
    std::fs::write(folder.path().join("main.tf"), text).unwrap();
    let (code, text) = analyze(folder.path(), &["--format", "graph", "--fail-on", "never"]);
    assert_eq!(code, Some(0), "{text}");
    let graph: serde_json::Value = serde_json::from_str(&text).unwrap();
    let node = &graph["nodes"][0];
    assert_eq!(
        (&node["line"], &node["internetExposed"]),
        (&json!(11), &json!(false))
    );
}

#[test]
fn a_plan_may_have_a_byte_order_mark() {
    let (code, text) = printed("plan.json", format!("\u{feff}{PLAN}").as_bytes());
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn long_chains_of_operators_are_read() {
    let chain = |one: &str, operator: &str, count: usize| vec![one; count].join(operator);
    for (value, is_internal) in [
        (chain("var.a == \"x\"", " || ", 66), false),
        (chain("var.a == \"b\"", " && ", 1_000), true),
        (
            format!("({})", chain("var.a == \"x\" && true", "\n ||\n ", 700)),
            false,
        ),
        (
            format!("!({}) ? true : false", chain("var.a == \"x\"", " || ", 400)),
            true,
        ),
        (
            format!("[{}, false][0]", chain("false", " || ", 300)),
            false,
        ),
    ] {
        let text = format!(
            "variable \"a\" {{ default = \"b\" }}\nresource \"aws_lb\" \"a\" {{\n  # a || b\n  name     = \"a || b\"\n  internal = {value}\n}}\n"
        );
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("main.tf"), text).unwrap();
        let options = ["--format", "graph", "--fail-on", "never"];
        let (code, text) = analyze(folder.path(), &options);
        assert_eq!(code, Some(0), "{text}");
        let graph: serde_json::Value = serde_json::from_str(&text).unwrap();
        let shown = json!({ "name": "a || b", "internal": is_internal });
        assert_eq!(graph["nodes"][0]["attributes"], shown);
        assert_eq!(graph["nodes"][0]["line"], 2);
    }
    let (code, text) = printed(
        "main.tf",
        format!("locals {{ a = {} }}", chain("1", " || ", 100_000)).as_bytes(),
    );
    assert_eq!(code, Some(1));
    assert!(text.contains("operators"), "{text}");
}

#[test]
fn it_is_reported_which_values_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "main.tf",
        "resource \"aws_lb\" \"a\" { internal = var.a }\nvariable \"a\" { default = true }\n",
    );
    write("prod.tfvars", "a = false\n");
    let (_, text) = analyze(folder.path(), &["--var-file", "prod.tfvars"]);
    assert!(text.contains("Values used: prod.tfvars"), "{text}");
    write("dev.tfvars", "a = true\n");
    let (_, text) = analyze(folder.path(), &["--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        report["valueFiles"],
        json!({ "used": [], "ignored": ["dev.tfvars", "prod.tfvars"] })
    );
}

#[test]
fn nobody_forges_lines_of_the_text_output() {
    let folder = tempfile::tempdir().unwrap();
    let name = "a\n0 nodes\u{1b}[2J.tf";
    let path = folder.path().join(name);
    let open = "resource \"aws_s3_bucket\" \"a\" {\n  acl = \"public-read\"\n}\n";
    for text in [open, "resource {"] {
        std::fs::write(&path, text).unwrap();
        let (_, text) = analyze(folder.path(), &["--fail-on", "never"]);
        assert!(text.contains("a\\n0 nodes\\u{1b}[2J.tf"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
        assert!(
            !text.lines().any(|line| line.starts_with("0 nodes")),
            "{text}"
        );
    }
}

#[cfg(unix)]
#[test]
fn only_regular_files_of_a_bounded_size_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.tf");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let (code, text) = analyze(folder.path(), &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("pipe.tf is not a regular file."), "{text}");
    std::fs::remove_file(&pipe).unwrap();

    let device = folder.path().join("device.tf");
    std::os::unix::fs::symlink("/dev/zero", &device).unwrap();
    let (_, text) = analyze(folder.path(), &[]);
    assert!(text.contains("device.tf is not a regular file."), "{text}");
    std::fs::remove_file(&device).unwrap();

    for name in ["a.tf", "b.tf"] {
        let file = std::fs::File::create(folder.path().join(name)).unwrap();
        file.set_len(16 * 1024 * 1024 + 1).unwrap();
    }
    let (code, text) = analyze(folder.path(), &[]);
    assert_eq!(code, Some(1), "{text}");
    let reason = "The folder's Terraform files have more than 33554432 bytes";
    assert!(text.contains(reason), "{text}");
}

#[test]
fn a_value_of_what_is_not_a_variable_is_refused_or_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let main = "variable \"acl\" { default = \"private\" }\nresource \"aws_s3_bucket\" \"a\" { acl = var.acl }";
    std::fs::write(folder.path().join("main.tf"), main).unwrap();
    let (code, text) = analyze(folder.path(), &["--var", "alc=public-read"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("`alc`"), "{text}");
    let values = "\nalc = \"public-read\"\n";
    std::fs::write(folder.path().join("x.auto.tfvars"), values).unwrap();
    let (code, text) = analyze(folder.path(), &[]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("x.auto.tfvars:2: WARNING"), "{text}");
    std::fs::remove_file(folder.path().join("x.auto.tfvars")).unwrap();
    // Terraform passes over a variable of the environment that is not declared.
    for (name, expected) in [("TF_VAR_acl", 3), ("TF_VAR_alc", 0)] {
        let mut command = trestle();
        command.args(["graph", "analyze"]).arg(folder.path());
        let output = command.env(name, "public-read").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(expected), "{text}");
        let names = text.contains("Values of the environment: TF_VAR_acl");
        assert_eq!(names, expected == 3, "{text}");
    }
}

#[test]
fn the_workspace_is_that_of_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let main = "resource \"aws_s3_bucket\" \"a\" { acl = terraform.workspace == \"prod\" ? \"public-read\" : \"private\" }";
    std::fs::write(folder.path().join("main.tf"), main).unwrap();
    for (workspace, expected) in [("prod", 3), ("dev", 0)] {
        let mut command = trestle();
        command.args(["graph", "analyze"]).arg(folder.path());
        let output = command.env("TF_WORKSPACE", workspace).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(expected), "{text}");
        assert!(text.contains(" 0 unresolved"), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn a_value_of_the_environment_that_is_not_utf_8_is_refused() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempfile::tempdir().unwrap();
    let main = "variable \"acl\" { default = \"private\" }\nresource \"aws_s3_bucket\" \"a\" { acl = var.acl }";
    std::fs::write(folder.path().join("main.tf"), main).unwrap();
    let value = std::ffi::OsStr::from_bytes(b"public\xff");
    // Terraform passes over a variable of the environment that is not declared.
    for (name, expected) in [("TF_VAR_acl", 1), ("TF_VAR_alc", 0)] {
        let mut command = trestle();
        command.args(["graph", "analyze"]).arg(folder.path());
        let output = command.env(name, value).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(expected), "{text}");
        let names = text.contains("The value of TF_VAR_acl is not UTF-8.");
        assert_eq!(names, expected == 1, "{text}");
    }
}
