//! Load over HTTP: throughput, latency and CPU per request of the release binary, beside a floor in the same
//! run, which makes the same DynamoDB calls and writes the same JSON without GraphQL. Run it with
//! `cargo bench --bench load`; `TRESTLE_ROUNDS` and `TRESTLE_REQUESTS` make it longer.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a benchmark that cannot go on fails"
)]

mod floor;
#[path = "../support/machine.rs"]
mod machine;
mod measure;
mod operations;
#[path = "../../tests/support/process.rs"]
mod process;
mod seed;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use measure::{Measured, Target, median};
use operations::OPERATIONS;
use process::Process;

#[tokio::main]
async fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if let [mode, folder] = arguments.as_slice()
        && mode == "floor"
    {
        return floor::serve(Path::new(folder)).await;
    }
    let trestle_data = tempfile::tempdir().expect("a folder");
    let floor_data = tempfile::tempdir().expect("a folder");
    let ids = seed::fill(trestle_data.path()).await;
    seed::copy(trestle_data.path(), floor_data.path());

    let data = trestle_data.path().to_str().expect("UTF-8");
    let trestle = Process::start_with(&["--data", data, "--max-concurrent", "256"], &[]).await;
    let (mut floor, floor_url) = start_floor(floor_data.path()).await;
    let targets = [
        Target::trestle(&trestle.url, trestle.id()),
        Target::floor(&floor_url, floor.id().expect("it runs")),
    ];
    for operation in &OPERATIONS {
        operations::compare(operation, &targets, &ids[0]).await;
    }

    let rounds = number("TRESTLE_ROUNDS", 7);
    let requests = number("TRESTLE_REQUESTS", 2000);
    println!("{}", machine::describe());
    println!(
        "{rounds} rounds of {requests} requests each, {} connections\n",
        measure::CONNECTIONS
    );
    println!("| operation | server | requests/s | p50 | p99 | CPU per request | of the floor's |");
    println!("|---|---|---|---|---|---|---|");
    for operation in &OPERATIONS {
        let mut measured: [Vec<Measured>; 2] = [Vec::new(), Vec::new()];
        // The first round warms both.
        for round in 0..=rounds {
            for (target, measured) in targets.iter().zip(&mut measured) {
                let one = measure::run(target, operation, &ids, requests).await;
                if round > 0 {
                    measured.push(one);
                }
            }
        }
        print!("{}", rows(operation.name, &measured));
    }
    floor.kill().await.expect("it ends");
    trestle.stop().await;
}

/// Two rows: Trestle and the floor.
fn rows(operation: &str, [trestle, floor]: &[Vec<Measured>; 2]) -> String {
    let ratio = median(
        trestle
            .iter()
            .zip(floor)
            .map(|(one, other)| one.cpu / other.cpu),
    );
    let mut text = String::new();
    for (name, measured, ratio) in [
        ("Trestle", trestle, format!("{ratio:.2}")),
        ("floor", floor, String::new()),
    ] {
        let of = |value: fn(&Measured) -> f64| median(measured.iter().map(value));
        let (rate, p50, p99, cpu) = (of(|m| m.rate), of(|m| m.p50), of(|m| m.p99), of(|m| m.cpu));
        writeln!(
            text,
            "| {operation} | {name} | {rate:.0} | {:.1} ms | {:.1} ms | {:.0} us | {ratio} |",
            p50 * 1e3,
            p99 * 1e3,
            cpu * 1e6
        )
        .expect("text");
    }
    text
}

/// The floor in a process of its own, so that its CPU time is its own.
async fn start_floor(data: &Path) -> (Child, String) {
    let program = std::env::current_exe().expect("this program");
    let mut child = Command::new(program)
        .arg("floor")
        .arg(data)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the floor runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let url = lines.next_line().await.expect("a line").expect("a URL");
    (child, url)
}

fn number(name: &str, otherwise: usize) -> usize {
    std::env::var(name).map_or(otherwise, |value| value.parse().expect("a number"))
}
