//! Load over HTTP: throughput, latency and CPU per request of the release binary, beside a floor in the same
//! run, which makes the same DynamoDB calls and writes the same JSON without GraphQL. Each has a store in a
//! process of its own, so that the CPU of the server and of the store are measured apart. Run it with
//! `cargo bench --bench load`; `TRESTLE_ROUNDS`, `TRESTLE_REQUESTS` and `TRESTLE_CONNECTIONS` change it.

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
mod store;

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
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["floor"] => return floor::serve().await,
        ["store", folder] => return store::serve(Path::new(folder)).await,
        _ => {}
    }
    let trestle_data = tempfile::tempdir().expect("a folder");
    let floor_data = tempfile::tempdir().expect("a folder");
    let ids = seed::fill(trestle_data.path()).await;
    seed::copy(trestle_data.path(), floor_data.path());

    let trestle_store = Own::start(&["store", path(trestle_data.path())], &[]).await;
    let floor_store = Own::start(&["store", path(floor_data.path())], &[]).await;
    let variables = store::variables(&trestle_store.url);
    let trestle = Process::start_with(&["--max-concurrent", "256"], &variables).await;
    let floor = Own::start(&["floor"], &store::variables(&floor_store.url)).await;
    let targets = [
        Target::trestle(&trestle.url, [trestle.id(), trestle_store.id()]),
        Target::floor(&floor.url, [floor.id(), floor_store.id()]),
    ];
    for operation in &OPERATIONS {
        operations::compare(operation, &targets, &ids[0]).await;
    }

    let rounds = number("TRESTLE_ROUNDS", 7);
    let requests = number("TRESTLE_REQUESTS", 2000);
    println!("{}", machine::describe());
    let connections = number("TRESTLE_CONNECTIONS", 16);
    println!("{rounds} rounds of {requests} requests each, {connections} at the same time\n");
    println!(
        "| operation | server | requests/s | p50 | p99 | CPU of the server per request | of the floor's | CPU of its store |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for operation in &OPERATIONS {
        let mut measured: [Vec<Measured>; 2] = [Vec::new(), Vec::new()];
        // The first round warms both.
        for round in 0..=rounds {
            for (target, measured) in targets.iter().zip(&mut measured) {
                let one = measure::run(target, operation, &ids, (requests, connections)).await;
                if round > 0 {
                    measured.push(one);
                }
            }
        }
        print!("{}", rows(operation.name, &measured));
    }
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
        let [rate, p50, p99] = [of(|m| m.rate), of(|m| m.p50), of(|m| m.p99)];
        let (cpu, store) = (of(|m| m.cpu), of(|m| m.store_cpu));
        writeln!(
            text,
            "| {operation} | {name} | {rate:.0} | {:.1} ms | {:.1} ms | {:.0} us | {ratio} | {:.0} us |",
            p50 * 1e3,
            p99 * 1e3,
            cpu * 1e6,
            store * 1e6
        )
        .expect("text");
    }
    text
}

/// This program in a process of its own, so that its CPU time is its own. Dropping it ends the process.
struct Own {
    child: Child,
    url: String,
}

impl Own {
    async fn start(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let program = std::env::current_exe().expect("this program");
        let mut child = Command::new(program)
            .args(arguments)
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("it runs");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let url = lines.next_line().await.expect("a line").expect("a URL");
        Self { child, url }
    }

    fn id(&self) -> u32 {
        self.child.id().expect("it runs")
    }
}

fn path(folder: &Path) -> &str {
    folder.to_str().expect("UTF-8")
}

fn number(name: &str, otherwise: usize) -> usize {
    std::env::var(name).map_or(otherwise, |value| value.parse().expect("a number"))
}
