//! Which machine the figures are of.

use std::fs;

/// Cores, the processor's name, the system's.
pub fn describe() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let processor = after("/proc/cpuinfo", "model name\t:").unwrap_or("unknown processor".into());
    let system = after("/etc/os-release", "PRETTY_NAME=").unwrap_or(std::env::consts::OS.into());
    format!("{cores} cores of {processor}, {system}.")
}

/// What follows the first `label` of a file, to the line's end.
fn after(file: &str, label: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(label))?;
    Some(value.trim().trim_matches('"').to_owned())
}
