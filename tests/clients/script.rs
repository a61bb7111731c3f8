//! Runs one Node script and reads how it ended. Knows no server; each script has its own time limit.

use std::io;
use std::process::{Command, Stdio};

use crate::prerequisites::chromium;

/// How a script ended, with everything that it printed.
#[derive(Debug)]
pub enum Ending {
    /// With exit code 0.
    Success { output: String },
    /// With any other code, or by a signal.
    Failure { output: String },
}

/// Runs `tests/node/<name>` with `arguments` to its end.
///
/// # Errors
/// Node could not be started.
pub fn run(name: &str, arguments: &[&str]) -> io::Result<Ending> {
    let run = Command::new("node")
        .arg(name)
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/node"))
        .env("TRESTLE_CHROMIUM", chromium())
        .stdin(Stdio::null())
        .output()?;
    let (stdout, stderr) = (
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr),
    );
    let output = format!("{stdout}{stderr}");
    Ok(if run.status.success() {
        Ending::Success { output }
    } else {
        Ending::Failure { output }
    })
}
