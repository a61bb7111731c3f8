//! Load over HTTP: throughput, latency and CPU per request of the release binary, beside a floor in the same
//! run, which makes the same DynamoDB calls and writes the same JSON without GraphQL. Each has a store in a
//! process of its own, so that the CPU of the server and of the store are measured apart. Run it with
//! `cargo bench --bench load`; `TRESTLE_ROUNDS`, `TRESTLE_REQUESTS` and `TRESTLE_CONNECTIONS` change it, and
//! `TRESTLE_BEFORE`, the path of another release's binary, measures that one beside them.

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
    let data = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
    let [folder, others @ ..] = data.each_ref().map(|folder| folder.path());
    let ids = seed::fill(folder).await;
    for other in others {
        seed::copy(folder, other);
    }

    let floor_store = Own::start(&["store", path(folder)], &[]).await;
    let floor = Own::start(&["floor"], &store::variables(&floor_store.url)).await;
    let mut targets = vec![Target::floor(&floor.url, [floor.id(), floor_store.id()])];
    let before = std::env::var_os("TRESTLE_BEFORE");
    let binaries = [
        ("Trestle", Some(env!("CARGO_BIN_EXE_trestle").into())),
        ("before", before),
    ];
    let mut servers = Vec::new();
    for ((name, binary), folder) in binaries.into_iter().zip(others) {
        let Some(binary) = binary else { continue };
        let store = Own::start(&["store", path(folder)], &[]).await;
        let mut command = process::command_of(
            &binary,
            &[
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--max-concurrent",
                "256",
            ],
        );
        command.envs(store::variables(&store.url));
        let server = Process::run(command).await;
        targets.push(Target::trestle(
            name,
            &server.url,
            [server.id(), store.id()],
        ));
        servers.push((server, store));
    }
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
        let ids = match operation.is_contended {
            true => ids.get(..1).expect("an application"),
            false => &ids,
        };
        let mut measured: Vec<_> = targets.iter().map(|_| Vec::new()).collect();
        // The first round warms them.
        for round in 0..=rounds {
            for (target, measured) in targets.iter().zip(&mut measured) {
                let one = measure::run(target, operation, ids, (requests, connections)).await;
                if round > 0 {
                    measured.push(one);
                }
            }
        }
        for (target, rounds) in targets.iter().zip(&measured) {
            print!("{}", row(operation.name, target.name, rounds, &measured[0]));
        }
    }
    for (server, _) in servers {
        server.stop().await;
    }
}

/// A server's row, with its CPU as a multiple of the floor's in the same round.
fn row(operation: &str, server: &str, measured: &[Measured], floor: &[Measured]) -> String {
    let rounds = measured.iter().zip(floor);
    let ratio = median(rounds.map(|(one, floor)| one.cpu / floor.cpu));
    let of = |value: fn(&Measured) -> f64| median(measured.iter().map(value));
    let [rate, p50, p99] = [of(|m| m.rate), of(|m| m.p50), of(|m| m.p99)];
    let (cpu, store) = (of(|m| m.cpu), of(|m| m.store_cpu));
    format!(
        "| {operation} | {server} | {rate:.0} | {:.1} ms | {:.1} ms | {:.0} us | {ratio:.2} | {:.0} us |\n",
        p50 * 1e3,
        p99 * 1e3,
        cpu * 1e6,
        store * 1e6
    )
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
