//! The scripts of the board on servers that ask who one is, and on others.

use libtest_mimic::Failed;

use crate::node::{run_alone, run_node, run_with, run_with_keys};

/// Where the scripts run.
const BOARD: &str = "examples/board";

/// Runs a script to its end, which it has a time limit of its own for.
pub fn run(script: &str, flags: &[&str]) -> Result<(), Failed> {
    run_with(BOARD, script, flags, &[])
}

/// The board on a server that asks for API keys: one that may write, and one that may not.
pub fn sign_in() -> Result<(), Failed> {
    let clients = [["write", "--access", "write"], ["read", "--access", "read"]];
    run_with_keys(BOARD, "e2e/sign-in.mjs", &clients, &["--tenancy", "single"])
}

/// The board on a server with a list of applications for each owner.
pub fn owners() -> Result<(), Failed> {
    let clients = [
        ["ada", "--access", "write", "--owner", "auth0|ada"],
        ["grace", "--access", "write", "--owner", "auth0|grace"],
    ];
    let flags = ["--tenancy", "owner"];
    run_with_keys(BOARD, "e2e/owners.mjs", &clients, &flags)
}

/// Runs a script that starts servers of its own, on what it imported before.
pub fn run_on_import(script: &str) -> Result<(), Failed> {
    run_alone(BOARD, script)
}

/// Asks whether the pictures of a page are older than the page.
pub fn run_check(page: &str) -> Result<(), Failed> {
    run_node(
        &format!("examples/{page}"),
        "scripts/screenshots.mjs",
        &["--check"],
    )
}
