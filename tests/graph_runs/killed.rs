//! The real binary and its workers, killed again and again: every run ends without a hand, with the right graph.

use std::collections::BTreeSet;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::graph_runs::program::{PATIENCE, Program, trestle};
use crate::graph_runs::server::hash;
use trestle_testing::faults::Seeded;

/// How often the server is killed, unless `TRESTLE_ROUNDS` says otherwise.
const ROUNDS: usize = 4;
/// The most requests of a round until the kill.
const MOMENTS: u64 = 60;

/// Enough resources that a worker is busy for a while.
fn file() -> String {
    let resource = |n| {
        format!(
            "resource \"aws_lb\" \"r{n}\" {{\n  name = \"lb-{n}\"\n  subnets = [aws_lb.r{}.id]\n}}\n",
            n / 2
        )
    };
    (0..1_500).map(resource).collect()
}

/// However often servers end, the file is not the cause.
#[tokio::test]
async fn servers_that_are_killed_do_not_fail_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let flags = [
        "--service",
        "graph-runs",
        "--graph-runs-lease",
        "1s",
        "--data",
        data,
    ];
    let server = Program::serve(&flags, &[]);
    let (id, upload) = server.create(json!({})).await;
    assert_eq!(server.put(&upload, file()).await.status(), 200);
    let started = server.mutate("startRun", json!({ "runId": id })).await;
    assert_eq!(started["userErrors"], json!([]));
    drop(server);
    let query = "query($id: String!) { run(runId: $id) { attempt status } }";
    for attempt in 2..6 {
        let server = Program::serve(&flags, &[]);
        let taken = async {
            loop {
                let run = server.runs(query, json!({ "id": id })).await;
                if run["status"] != "PROCESSING" || run["attempt"] == attempt {
                    return;
                }
            }
        };
        tokio::time::timeout(PATIENCE, taken).await.unwrap();
        // Dropping it kills it.
    }
    let server = Program::serve(&flags, &[]);
    let run = server.ended(&id).await;
    assert_eq!(run["status"], "COMPLETE", "{run:#}");
}

#[tokio::test]
async fn a_file_that_is_absent_for_a_moment_is_not_taken_for_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let flags = ["--service", "graph-runs", "--data", data];
    let elsewhere = [
        "--graph-runs-pipeline",
        "external",
        "--graph-runs-stuck-after",
        "1s",
    ];
    let external = [&flags[..], &elsewhere].concat();
    for is_back in [true, false] {
        let server = Program::serve(&external, &[]);
        let (id, upload) = server.create(json!({})).await;
        assert_eq!(server.put(&upload, file()).await.status(), 200);
        let started = server.mutate("startRun", json!({ "runId": id })).await;
        assert_eq!(started["userErrors"], json!([]));
        drop(server);
        let uploads = folder.path().join("artifacts/files/uploads");
        let away = folder.path().join(format!("away-{id}"));
        std::fs::rename(&uploads, &away).unwrap();
        let log = folder.path().join(format!("log-{id}"));
        let server = Program::serve_logging(&flags, &log);
        let looked = async {
            while !std::fs::read_to_string(&log)
                .unwrap()
                .contains("looks again")
            {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, looked).await.unwrap();
        if is_back {
            std::fs::rename(&away, &uploads).unwrap();
        }
        let run = server.ended(&id).await;
        if is_back {
            assert_eq!(run["status"], "COMPLETE", "{run:#}")
        } else {
            assert_eq!(run["failureReason"], "The uploaded file was deleted.")
        }
    }
}

/// Kills the processes that analyze files for a server.
fn kill_workers(server: u32) {
    let tasks = std::fs::read_dir(format!("/proc/{server}/task")).unwrap();
    for task in tasks.filter_map(Result::ok) {
        // A task may end meanwhile.
        let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        for child in children.split_whitespace() {
            let child = Pid::from_raw(child.parse().unwrap()).unwrap();
            let _ = kill_process(child, Signal::KILL);
        }
    }
}

/// The hash of the graph of the configuration in a folder.
fn analyzed(folder: &std::path::Path) -> String {
    let mut command = trestle();
    command.args([
        "graph",
        "analyze",
        "--format",
        "graph",
        "--fail-on",
        "never",
    ]);
    let output = command.arg(folder).output().unwrap();
    hash(std::str::from_utf8(&output.stdout).unwrap())
}

/// An upgrade replaces the file of a server that still runs. The other version, here a script, may make other graphs.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_whose_program_was_replaced_analyzes_as_before() {
    // Where the program is, so that it can be linked.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let program = folder.path().join("trestle");
    std::fs::hard_link(env!("CARGO_BIN_EXE_trestle"), &program).unwrap();
    let module = folder.path().join("module");
    std::fs::create_dir(&module).unwrap();
    std::fs::write(module.join("main.tf"), file()).unwrap();
    let data = folder.path().join("data");
    let flags = ["--service", "graph-runs", "--data", data.to_str().unwrap()];
    let server = Program::serve_at(&program, &flags);
    let other = folder.path().join("other");
    let graph = r#"{"edges":[],"nodes":[]}"#;
    let script = format!(
        "#!/bin/sh\nprintf 'made %d 2\\n%s{{}}' {} '{graph}'\n",
        graph.len()
    );
    std::fs::write(&other, script).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&other, executable).unwrap();
    std::fs::rename(&other, &program).unwrap();
    let (id, upload) = server.create(json!({})).await;
    assert_eq!(server.put(&upload, file()).await.status(), 200);
    let started = server.mutate("startRun", json!({ "runId": id })).await;
    assert_eq!(started["userErrors"], json!([]));
    let run = server.ended(&id).await;
    assert_eq!(run["graphHash"], analyzed(&module).as_str(), "{run:#}");
}

#[tokio::test]
async fn runs_end_right_whatever_is_killed() {
    let rounds = std::env::var("TRESTLE_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let mut random = Seeded::printed(uuid::Uuid::new_v4().as_u64_pair().0);
    let folder = tempfile::tempdir().unwrap();
    let file = file();
    std::fs::write(folder.path().join("main.tf"), &file).unwrap();
    let expected = analyzed(folder.path());

    let data = folder.path().join("data");
    let flags = [
        "--service",
        "graph-runs",
        "--graph-runs-lease",
        "4s",
        "--data",
        data.to_str().unwrap(),
    ];
    let mut ids = Vec::new();
    for round in 0..rounds {
        let server = Program::serve(&flags, &[]);
        let (id, upload) = server.create(json!({})).await;
        assert_eq!(server.put(&upload, file.clone()).await.status(), 200);
        let started = server.mutate("startRun", json!({ "runId": id })).await;
        assert_eq!(started["userErrors"], json!([]));
        ids.push(id);
        for _ in 0..random.below(MOMENTS) {
            server
                .runs("query { latestRun { status } }", json!({}))
                .await;
        }
        if round % 2 == 1 {
            kill_workers(server.id());
            server
                .runs("query { latestRun { status } }", json!({}))
                .await;
        }
        // Dropping it kills it.
    }
    let server = Program::serve(&flags, &[]);
    let mut statuses = BTreeSet::new();
    for id in &ids {
        let run = server.ended(id).await;
        let status = run["status"].as_str().unwrap().to_owned();
        match status.as_str() {
            "COMPLETE" => {
                assert_eq!(run["graphHash"], expected.as_str());
                let text = server
                    .get(&run["graphDownload"])
                    .await
                    .text()
                    .await
                    .unwrap();
                assert_eq!(hash(&text), expected);
            }
            // Only if workers were killed again and again.
            _ => assert!(
                run["failureReason"]
                    .as_str()
                    .unwrap()
                    .contains("workers ended"),
                "{run:#}"
            ),
        }
        statuses.insert(status);
    }
    assert!(statuses.contains("COMPLETE"), "{statuses:?}");
}
