//! Hostile files at the real binary: each fails its own run with a reason, and the server stays small and answers others.

use std::io::Write as _;

use serde_json::json;

use crate::graph_runs::program::{Program, peak};

/// The most memory of the server, in bytes.
const MEMORY: u64 = 200_000_000;

/// A configuration of one resource with a local value, among these.
fn with_locals(value: &str, locals: impl Iterator<Item = String>) -> Vec<u8> {
    let locals: String = locals.collect();
    let text = format!("resource \"aws_lb\" \"a\" {{ name = {value} }}\nlocals {{\n{locals}}}\n");
    text.into_bytes()
}

fn doubling() -> Vec<u8> {
    let double = |n| format!("  a{n} = \"${{local.a{0}}}${{local.a{0}}}\"\n", n - 1);
    let first = std::iter::once("  a0 = \"xxxxxxxxxxxxxxxx\"\n".to_owned());
    with_locals("local.a60", first.chain((1..=60).map(double)))
}

fn chained() -> Vec<u8> {
    let next = |n| format!("  a{n} = local.a{}\n", n - 1);
    let first = std::iter::once("  a0 = 1\n".to_owned());
    with_locals("local.a20000", first.chain((1..=20_000).map(next)))
}

fn nested() -> Vec<u8> {
    let deep = format!("{}1{}", "(".repeat(10_000), ")".repeat(10_000));
    with_locals(&deep, std::iter::empty())
}

fn many_instances() -> Vec<u8> {
    let resource = |n| {
        format!(
            "resource \"aws_instance\" \"r{n}\" {{\n  count = 100\n  ami = \"ami-${{count.index}}\"\n}}\n"
        )
    };
    (0..3_000).map(resource).collect::<String>().into_bytes()
}

/// A zip archive of one file.
fn zipped(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    archive.start_file(name, options).expect("an entry");
    archive.write_all(bytes).expect("its bytes");
    archive.finish().expect("an archive").into_inner()
}

#[tokio::test]
async fn each_hostile_file_fails_its_own_run_and_the_server_stays_small() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let server = Program::serve(&["--data", data, "--service", "graph-runs"], &[]);
    let start = async |format: &str, file: Vec<u8>| {
        let (id, upload) = server.create(json!({ "iacFormat": format })).await;
        assert_eq!(server.put(&upload, file).await.status(), 200);
        let started = server.mutate("startRun", json!({ "runId": id })).await;
        assert_eq!(started["userErrors"], json!([]));
        id
    };
    let bomb = zipped("main.tf", &vec![b'\n'; 24 * 1024 * 1024]);
    let outside = zipped("../main.tf", b"resource \"aws_lb\" \"a\" {}");
    for (format, file, reason) in [
        ("HCL", doubling(), "take more than"),
        ("HCL", chained(), "levels deep"),
        ("HCL", nested(), "nesting depth"),
        ("HCL", many_instances(), "instances that differ"),
        ("ZIP", bomb, "as large"),
        ("ZIP", outside, "outside of its folder"),
    ] {
        let hostile = start(format, file).await;
        let small = start("HCL", b"resource \"aws_lb\" \"a\" {}".to_vec()).await;
        assert_eq!(server.ended(&small).await["status"], "COMPLETE", "{reason}");
        let run = server.ended(&hostile).await;
        assert_eq!(run["status"], "FAILED", "{reason}");
        let why = run["failureReason"].as_str().unwrap();
        assert!(why.contains(reason), "{reason}: {why}");
    }
    let peak = peak(server.id());
    assert!(peak < MEMORY, "{peak} bytes");
}
