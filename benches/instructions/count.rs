//! Running a path under callgrind.

use std::env;
use std::process::{Command, Stdio};
use std::thread;

/// Each path with its instructions of one request.
pub type Counts = Vec<(String, u64)>;

/// Counts every path. One process at a time for each half of a pair.
///
/// # Errors
/// A sentence that says what is missing.
pub fn all(names: &[&str], times: usize) -> Result<Counts, String> {
    let mut counts = Vec::new();
    for name in names {
        let twice = thread::scope(|scope| {
            let twice = scope.spawn(|| collected(name, 2 * times));
            let once = collected(name, times)?;
            let twice = twice.join().map_err(|_| "counting panicked".to_owned())??;
            Ok::<_, String>(twice.saturating_sub(once))
        })?;
        counts.push(((*name).to_owned(), twice / times as u64));
    }
    Ok(counts)
}

/// The instructions of a whole process that takes a path so many times.
fn collected(name: &str, times: usize) -> Result<u64, String> {
    let own = env::current_exe().map_err(|error| error.to_string())?;
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(own)
        .args(["--path", name, "--times", &times.to_string()])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| {
            format!("valgrind does not run: {error}. Install it, of Debian `valgrind`.")
        })?;
    let told = String::from_utf8_lossy(&run.stderr);
    if !run.status.success() {
        return Err(format!("{name} under valgrind: {}\n{told}", run.status));
    }
    let collected = told
        .lines()
        .find_map(|line| line.split_once("Collected : "));
    let count = collected.and_then(|(_, count)| count.trim().parse().ok());
    count.ok_or_else(|| format!("valgrind did not say what it collected:\n{told}"))
}
