//! One Node script of a front end against the real binary. Knows no front end.

#![allow(dead_code, reason = "each test target uses a part of it")]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use libtest_mimic::Failed;

use crate::prerequisites::chromium;
use crate::server::Server;

/// Runs a script on a server with these flags. The script has a time limit of its own, and gets the server's URL before
/// these arguments.
pub fn run_with(
    folder: &str,
    script: &str,
    flags: &[&str],
    arguments: &[&str],
) -> Result<(), Failed> {
    // A machine that is busy with other tests takes long for a batch of a hundred changes.
    let server = Server::start(&[&["--request-timeout", "60s"], flags].concat())?;
    let said = node(folder, script, &[&[server.url()], arguments].concat())?;
    said.map_or(Ok(()), |said| Err(server.failed(&said)))
}

/// Runs a script on a server that knows these clients, with their keys as its arguments. A client is
/// what `trestle api-key` takes.
pub fn run_with_keys<const N: usize>(
    folder: &str,
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
    let flags = [&["--api-keys", path], flags].concat();
    run_with(folder, script, &flags, &keys)
}

/// Runs a script that starts servers of its own.
pub fn run_alone(folder: &str, script: &str) -> Result<(), Failed> {
    run_node(folder, script, &[env!("CARGO_BIN_EXE_trestle")])
}

/// Runs a script that needs no server.
pub fn run_node(folder: &str, script: &str, arguments: &[&str]) -> Result<(), Failed> {
    let said = node(folder, script, arguments)?;
    said.map_or(Ok(()), |said| Err(said.into()))
}

/// Runs a script of a folder; what it said if it failed.
fn node(folder: &str, script: &str, arguments: &[&str]) -> Result<Option<String>, Failed> {
    let ended = Command::new("node")
        .arg(script)
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))
        .env("TRESTLE_PAGES_FOLDER", trestle_pages::FOLDER)
        .env("TRESTLE_CHROMIUM", chromium())
        .stdin(Stdio::null())
        .output()?;
    let (stdout, stderr) = (
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&ended.stderr),
    );
    Ok((!ended.status.success()).then(|| format!("{stdout}{stderr}")))
}
