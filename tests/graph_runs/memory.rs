//! What an analysis of many instances takes in the process of a worker.

use std::io::Write as _;
use std::process::Stdio;

use crate::graph_runs::program::trestle;

/// What the program without optimizations takes of addresses: its code, a stack of 64 MB and what its allocator reserves.
const PROGRAM: u64 = 256;

/// What the worker answers of a file within limits on its memory in MB and its processor time in seconds.
fn worker(memory: u64, cpu: u64, text: &str) -> String {
    let mut child = trestle()
        .args(["graph-worker", "--format", "hcl"])
        .args(["--memory", &(memory * 1024 * 1024).to_string()])
        .args(["--cpu", &cpu.to_string()])
        .env("MIMALLOC_ARENA_RESERVE", "64MiB")
        .env("TRESTLE_GRAPH_WORKER_KEY", "0a".repeat(32))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let text = text.to_owned();
    let sent = std::thread::spawn(move || {
        let _ = input.write_all(text.as_bytes());
    });
    let output = child.wait_with_output().unwrap();
    sent.join().unwrap();
    let first = output.stdout.split(|byte| *byte == b'\n').next().unwrap();
    String::from_utf8_lossy(first).into_owned()
}

#[test]
fn a_for_each_of_20_000_objects_fits_into_384_mb() {
    let object =
        |n| format!("    k{n} = {{ name = \"n{n}\", cidr = \"10.0.0.0/8\", port = {n} }}\n");
    let objects: String = (0..20_000).map(object).collect();
    let text = format!(
        "locals {{\n  all = {{\n{objects}  }}\n}}\nresource \"aws_security_group\" \"a\" {{\n  for_each = local.all\n  name     = each.value.name\n  ingress {{\n    protocol    = \"tcp\"\n    from_port   = each.value.port\n    to_port     = each.value.port\n    cidr_blocks = [each.value.cidr]\n  }}\n}}\n"
    );
    // The limit is on addresses, not on what is used of them.
    let answer = worker(384 + PROGRAM, 120, &text);
    assert!(answer.starts_with("made "), "{answer}");
}
