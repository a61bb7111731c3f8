//! The commands of `docs/graph-runs.md`, word for word.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

/// The blocks of code in the guide that are in a language.
fn blocks(language: &str) -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/graph-runs.md");
    let guide = std::fs::read_to_string(path).unwrap();
    let start = format!("\n```{language}\n");
    let parts = guide.split(&start).skip(1);
    parts
        .map(|part| part.split_once("```").unwrap().0.to_owned())
        .collect()
}

fn commands() -> Vec<String> {
    let all = blocks("sh").concat();
    let lines = all
        .lines()
        .filter(|line| line.starts_with("trestle graph "));
    lines.map(str::to_owned).collect()
}

/// The exit code and the output of a line in a shell, with the program in its path.
fn run(folder: &Path, line: &str) -> (Option<i32>, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_trestle"));
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(program.parent().unwrap().to_owned());
    let paths = std::env::join_paths(folders.chain(std::env::split_paths(&paths))).unwrap();
    let output = Command::new("sh")
        .args(["-c", line])
        .env("PATH", paths)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

const PROD: &str = r#"
variable "allowed" {}
resource "aws_security_group" "web" {
  ingress {
    from_port   = 22
    to_port     = 22
    cidr_blocks = var.allowed
  }
}
"#;

#[test]
fn the_pipeline_of_the_guide_works() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "envs/prod/main.tf", PROD);
    write(
        folder,
        "envs/prod/prod.tfvars",
        "allowed = [\"0.0.0.0/0\"]\n",
    );
    let plan = json!({ "planned_values": { "root_module": { "resources": [{
        "address": "aws_lb.web", "mode": "managed", "type": "aws_lb", "name": "web", "values": { "internal": true },
    }] } } });
    write(folder, "plan.json", &plan.to_string());
    let failed = json!({ "check_id": "CKV_AWS_24", "severity": "HIGH", "file_path": "/envs/prod/main.tf",
        "file_line_range": [3, 9], "resource": "aws_security_group.web" });
    let checkov = json!({ "results": { "failed_checks": [failed] } });
    write(folder, "checkov.json", &checkov.to_string());
    // What a pipeline has: a clone with the branch that the pull request goes to.
    let (code, text) = run(
        folder,
        "git init --quiet && git add envs && git -c user.name=a -c user.email=a@example.com commit --quiet -m base \
         && git update-ref refs/remotes/origin/main HEAD",
    );
    assert_eq!(code, Some(0), "{text}");
    let values = "--root envs/prod --var-file prod.tfvars";
    let expected = [
        (
            format!("trestle graph analyze {values} --fail-on high --sarif out.sarif"),
            3,
        ),
        (
            format!("trestle graph analyze {values} --fail-on never --format json > baseline.json"),
            0,
        ),
        (
            format!("trestle graph analyze {values} --fail-on high --baseline baseline.json"),
            0,
        ),
        (
            "trestle graph diff origin/main . --root envs/prod --format markdown".to_owned(),
            0,
        ),
        (
            "trestle graph analyze plan.json --fail-on high".to_owned(),
            0,
        ),
        (
            "trestle graph analyze --root envs/prod --fail-on high --fail-on-unresolved".to_owned(),
            3,
        ),
        (
            "trestle graph inventory --format csv > inventory.csv".to_owned(),
            0,
        ),
        (
            "trestle graph draw --only-exposed > exposed.dot".to_owned(),
            0,
        ),
        (
            "trestle graph draw --format mermaid > graph.mmd".to_owned(),
            0,
        ),
        (
            "trestle graph analyze --root envs/prod --import checkov.json --fail-on high"
                .to_owned(),
            3,
        ),
    ];
    let lines: Vec<_> = expected.iter().map(|(line, _)| line.clone()).collect();
    assert_eq!(commands(), lines);
    for (line, wanted) in expected {
        let (code, text) = run(folder, &line);
        assert_eq!(code, Some(wanted), "{line}: {text}");
    }
    let sarif = std::fs::read_to_string(folder.join("out.sarif")).unwrap();
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "open-security-group");
    let inventory = std::fs::read_to_string(folder.join("inventory.csv")).unwrap();
    let row = "\r\nenvs/prod,aws_security_group.web,aws_security_group,aws,envs/prod/main.tf,3,";
    assert!(inventory.contains(row), "{inventory}");
    for (name, start) in [("exposed.dot", "digraph {"), ("graph.mmd", "flowchart LR")] {
        let drawn = std::fs::read_to_string(folder.join(name)).unwrap();
        assert!(drawn.starts_with(start), "{drawn}");
    }
    // What is new fails in spite of the baseline.
    let open = PROD
        .replace("\"web\"", "\"new\"")
        .replace("variable \"allowed\" {}", "");
    write(folder, "envs/prod/new.tf", &open);
    let (code, text) = run(
        folder,
        &format!("trestle graph analyze {values} --baseline baseline.json"),
    );
    assert_eq!(code, Some(3), "{text}");
}

#[test]
fn the_suppression_of_the_guide_works() {
    let blocks = blocks("hcl");
    let block = blocks.iter().find(|block| block.contains("trestle:ignore"));
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "main.tf", block.unwrap());
    let (code, text) = run(folder.path(), "trestle graph analyze --fail-on low");
    assert_eq!(code, Some(0), "{text}");
    let line = "SUPPRESSED public-bucket aws_s3_bucket.site: It is a website.";
    assert!(text.contains(line), "{text}");
}
