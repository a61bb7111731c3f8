//! One Node script of `examples/board` against the real binary. Knows no board.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use libtest_mimic::Failed;

use crate::server::Server;

/// Where the scripts run.
const BOARD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/board");

/// Runs a script to its end, which it has a time limit of its own for.
pub fn run(script: &str, flags: &[&str]) -> Result<(), Failed> {
    run_with(script, flags, &[])
}

/// The board on a server that asks for API keys.
pub fn sign_in() -> Result<(), Failed> {
    let mut file = tempfile::NamedTempFile::new()?;
    let mut secrets = Vec::new();
    for access in ["write", "read"] {
        let Output { stdout, stderr, .. } = Command::new(env!("CARGO_BIN_EXE_trestle"))
            .args(["api-key", access, "--access", access])
            .output()?;
        file.write_all(&stdout)?;
        let said = String::from_utf8(stderr)?;
        let secret = said
            .split_whitespace()
            .find(|word| word.starts_with("trk_"));
        secrets.push(secret.ok_or("there is no key")?.to_owned());
    }
    let path = file.path().to_str().ok_or("the file's name is no text")?;
    let keys: Vec<_> = secrets.iter().map(String::as_str).collect();
    run_with("e2e/sign-in.mjs", &["--board", "--api-keys", path], &keys)
}

/// Runs a script that starts servers of its own, on what it imported before.
pub fn run_on_import(script: &str) -> Result<(), Failed> {
    let said = node(script, &[env!("CARGO_BIN_EXE_trestle")])?;
    said.map_or(Ok(()), |said| Err(said.into()))
}

fn run_with(script: &str, flags: &[&str], arguments: &[&str]) -> Result<(), Failed> {
    let server = Server::start(flags)?;
    let said = node(script, &[&[server.url()], arguments].concat())?;
    said.map_or(Ok(()), |said| {
        let log = server.stop();
        Err(format!("{said}\n--- the server's log ---\n{log}").into())
    })
}

/// Runs a script; what it said if it failed.
fn node(script: &str, arguments: &[&str]) -> Result<Option<String>, Failed> {
    let ended = Command::new("node")
        .arg(script)
        .args(arguments)
        .current_dir(BOARD)
        .stdin(Stdio::null())
        .output()?;
    let (stdout, stderr) = (
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&ended.stderr),
    );
    Ok((!ended.status.success()).then(|| format!("{stdout}{stderr}")))
}
