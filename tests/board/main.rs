//! The board of `examples/board` in a browser against the real binary.
//!
//! Each test is one script of `examples/board/e2e`, with a server and browsers of its own. It needs
//! Node, Chromium and the built board; where one is missing the test is reported as skipped, with what
//! it needs, and in CI it fails.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod prerequisites;
#[path = "../support/served.rs"]
mod server;

use std::process::{Command, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};

use prerequisites::Need;
use server::Server;

/// Where the scripts run.
const BOARD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/board");

fn main() {
    let mut arguments = Arguments::from_args();
    // Each test drives a browser: more of them at once only make each other slow.
    arguments.test_threads = arguments.test_threads.or(Some(2));
    let trials = vec![
        trial("an_application_is_added", "e2e/create.mjs"),
        trial("a_card_is_moved_archived_and_found", "e2e/drag.mjs"),
        trial("a_conflict_is_put_to_the_person", "e2e/conflict.mjs"),
        trial("fields_stages_and_history", "e2e/detail.mjs"),
        trial("a_file_is_imported_once", "e2e/import.mjs"),
        trial("offline_and_back", "e2e/offline.mjs"),
        trial("a_long_column_comes_by_pages", "e2e/paging.mjs"),
        trial("axe_finds_nothing_serious", "e2e/accessible.mjs"),
        trial("two_browsers_stay_in_step", "e2e/live.mjs"),
        trial("urql_and_plain_fetch", "scripts/other-clients.mjs"),
    ];
    libtest_mimic::run(&arguments, trials).exit();
}

/// A script against a server of its own, or its place in the report where a need is not met.
fn trial(name: &'static str, script: &'static str) -> Trial {
    let Some(need) = Need::ALL.iter().find(|need| !need.is_met()) else {
        return Trial::test(name, move || run(script));
    };
    let failure = format!("needs {need}");
    if std::env::var("CI").is_ok_and(|value| !value.is_empty() && value != "false") {
        return Trial::test(name, || Err(failure.into()));
    }
    // Asked for by `--ignored` it still cannot run, so it fails with what it needs.
    Trial::test(name, || Err(failure.into()))
        .with_kind(format!("skipped: needs {need}"))
        .with_ignored_flag(true)
}

/// Runs the script to its end; it has a time limit of its own.
fn run(script: &str) -> Result<(), Failed> {
    // The board sends hashes of its documents; the server has to have read all of them.
    let documents = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/examples/board/dist/persisted-documents.json"
    );
    let server = Server::start(&["--trusted-documents", documents])?;
    let ended = Command::new("node")
        .arg(script)
        .arg(server.url())
        .current_dir(BOARD)
        .stdin(Stdio::null())
        .output()?;
    if ended.status.success() {
        return Ok(());
    }
    let (stdout, stderr) = (
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&ended.stderr),
    );
    let log = server.stop();
    Err(format!("{stdout}{stderr}\n--- the server's log ---\n{log}").into())
}
