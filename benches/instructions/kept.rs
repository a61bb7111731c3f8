//! The counts that the repository keeps, and what became of them.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value, json};

use crate::count::Counts;

/// Smaller changes are noise: maps are seeded anew in each process, threads meet differently.
const TOLERANCE: f64 = 2.0;

/// Keeps these counts, with the compiler and the target that they are of.
pub fn write(file: &Path, counts: &Counts) {
    let each = counts
        .iter()
        .map(|(name, count)| (name.clone(), json!(count)));
    let kept = json!({
        "what": "instructions of one request, by callgrind: `just instructions`",
        "toolchain": toolchain(),
        "counts": each.collect::<Map<_, _>>(),
    });
    let text = serde_json::to_string_pretty(&kept).expect("counts are JSON");
    fs::write(file, text + "\n").expect("the counts are written");
    println!("{} was written anew.", file.display());
}

/// Prints each count beside the one that is kept.
pub fn compare(file: &Path, counts: &Counts) {
    let kept = fs::read_to_string(file).unwrap_or_default();
    let kept: Value = serde_json::from_str(&kept).unwrap_or_default();
    let (theirs, ours) = (kept["toolchain"].as_str().unwrap_or("nothing"), toolchain());
    if theirs != ours {
        println!("The kept counts are of {theirs}, these of {ours}.\n");
    }
    println!("| path | kept | now | change |\n|---|--:|--:|--:|");
    let mut changed = false;
    for (name, now) in counts {
        let Some(before) = kept["counts"][name].as_u64() else {
            println!("| {name} | | {now} | new |");
            changed = true;
            continue;
        };
        let percent = 100.0 * (*now as f64 / before as f64 - 1.0);
        let beyond = percent.abs() > TOLERANCE;
        changed |= beyond;
        let mark = if beyond { "**" } else { "" };
        println!("| {name} | {before} | {now} | {mark}{percent:+.1} %{mark} |");
    }
    if changed {
        println!("\nBeyond {TOLERANCE} %: if that is meant, `just instructions --bless`.")
    } else {
        println!("\nWithin {TOLERANCE} %.")
    }
}

/// The compiler that built this, as `rustc` names itself, and the target.
fn toolchain() -> String {
    let told = Command::new("rustc").arg("--version").output();
    let told = told.map(|told| String::from_utf8_lossy(&told.stdout).trim().to_owned());
    let compiler = told.unwrap_or_else(|_| "an unknown compiler".to_owned());
    format!("{compiler}, {}", std::env::consts::ARCH)
}
