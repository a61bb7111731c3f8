//! How much memory the process may use.

use std::fs::read_to_string;

/// Assumed where the system does not say.
const USUAL: usize = 512 * 1024 * 1024;
/// Where control groups say how much a container may use: version 2, then version 1.
const GROUPS: [&str; 2] = [
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
];

/// Bytes that the process may use: those of its container, or those of the machine.
pub(super) fn available() -> usize {
    let group = GROUPS
        .iter()
        .find_map(|path| read_to_string(path).ok()?.trim().parse().ok());
    let machine = read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| total(&text));
    [group, machine]
        .into_iter()
        .flatten()
        .min()
        .unwrap_or(USUAL)
}

/// The total of `/proc/meminfo`, which is in units of 1,024 bytes.
fn total(text: &str) -> Option<usize> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let number: usize = line.trim().trim_end_matches(" kB").parse().ok()?;
    number.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_of_the_machine_is_read() {
        let text = "MemTotal:       24689764 kB\nMemFree:         1196688 kB\n";
        assert_eq!(total(text), Some(24_689_764 * 1024));
        assert_eq!(total("MemFree: 1 kB"), None);
    }
}
