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

/// The board on a server that asks for API keys: one that may write, and one that may not.
pub fn sign_in() -> Result<(), Failed> {
    let clients = [["write", "--access", "write"], ["read", "--access", "read"]];
    run_with_keys("e2e/sign-in.mjs", &clients, &[])
}

/// The board on a server with a list of applications for each owner.
pub fn owners() -> Result<(), Failed> {
    let clients = [
        ["ada", "--access", "write", "--owner", "auth0|ada"],
        ["grace", "--access", "write", "--owner", "auth0|grace"],
    ];
    run_with_keys("e2e/owners.mjs", &clients, &["--tenancy", "owner"])
}

/// Runs a script on a server that knows these clients, with their keys as its arguments. A client is
/// what `trestle api-key` takes.
fn run_with_keys<const N: usize>(
    script: &str,
    clients: &[[&str; N]],
    flags: &[&str],
) -> Result<(), Failed> {
    let mut file = tempfile::NamedTempFile::new()?;
    let mut secrets = Vec::new();
    for client in clients {
        let Output { stdout, stderr, .. } = Command::new(env!("CARGO_BIN_EXE_trestle"))
            .arg("api-key")
            .args(client)
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
    let flags = [&["--board", "--api-keys", path], flags].concat();
    run_with(script, &flags, &keys)
}

/// Runs a script that starts servers of its own, on what it imported before.
pub fn run_on_import(script: &str) -> Result<(), Failed> {
    let said = node(script, &[env!("CARGO_BIN_EXE_trestle")])?;
    said.map_or(Ok(()), |said| Err(said.into()))
}

fn run_with(script: &str, flags: &[&str], arguments: &[&str]) -> Result<(), Failed> {
    // A machine that is busy with other tests takes long for a batch of a hundred changes.
    let server = Server::start(&[&["--request-timeout", "60s"], flags].concat())?;
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
