//! Load over HTTP: throughput, latency and CPU per request of the release binary, beside two servers in the same run:
//! *raw* makes the same DynamoDB calls and writes the same JSON without GraphQL, *plain* is what one writes first with
//! the same libraries. Each has a store in a process of its own, so that the CPU of the server and of the store are
//! measured apart. Run it with `cargo bench --bench load`. It is changed by `TRESTLE_ROUNDS`, `TRESTLE_REQUESTS` (of a
//! round), `TRESTLE_CONNECTIONS` (numbers, each measured) and `TRESTLE_OPERATIONS` (names). `TRESTLE_OTHERS` measures
//! other builds or settings beside them: `before=PATH`, or `quiet=PATH --log off`, divided by commas.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a benchmark that cannot go on fails"
)]

#[path = "../support/machine.rs"]
mod machine;
mod measure;
mod operations;
mod plain;
#[path = "../../tests/support/process.rs"]
mod process;
mod raw;
mod seed;
mod store;

use std::path::Path;
use std::process::Stdio;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use measure::{Measured, Target, median};
use operations::{OPERATIONS, Operation};
use process::Process;

#[tokio::main]
async fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["raw"] => return raw::serve().await,
        ["plain"] => return plain::serve().await,
        ["store", folder] => return store::serve(Path::new(folder)).await,
        _ => {}
    }
    let folder = tempfile::tempdir().expect("a folder");
    let ids = seed::fill(folder.path()).await;

    let (raw, plain) = (
        Peer::start("raw", &folder).await,
        Peer::start("plain", &folder).await,
    );
    let mut targets = vec![
        Target::raw(&raw.server.url, raw.processes()),
        Target::graphql("plain".to_owned(), &plain.server.url, plain.processes()),
    ];
    let own = format!("Trestle={}", env!("CARGO_BIN_EXE_trestle"));
    let others = std::env::var("TRESTLE_OTHERS").unwrap_or_default();
    let others = others.split(',').filter(|other| !other.is_empty());
    let mut servers = Vec::new();
    for build in std::iter::once(own.as_str()).chain(others) {
        let (name, command) = build.split_once('=').expect("NAME=PATH OPTIONS");
        let store = Store::start(&folder).await;
        let server = serve(command, &store.own.url).await;
        let processes = [server.id(), store.own.id()];
        targets.push(Target::graphql(name.to_owned(), &server.url, processes));
        servers.push((server, store));
    }
    let chosen = std::env::var("TRESTLE_OPERATIONS").unwrap_or_default();
    let is_chosen = |operation: &&Operation| {
        chosen.is_empty() || chosen.split(',').any(|name| name == operation.name)
    };
    let chosen: Vec<_> = OPERATIONS.iter().filter(is_chosen).collect();
    for operation in &chosen {
        operations::compare(operation, &targets, &ids[0]).await;
    }

    let rounds = number("TRESTLE_ROUNDS", 7);
    let requests = number("TRESTLE_REQUESTS", 2000);
    println!("{}", machine::describe());
    println!("{rounds} rounds of {requests} requests each\n");
    println!(
        "| operation | connections | server | requests/s | p50 | p99 | CPU of the server per request | of raw's | CPU of its store |"
    );
    println!("|---|--:|---|--:|--:|--:|--:|--:|--:|");
    for operation in chosen {
        for connections in connections() {
            if operation.is_contended && connections == 1 {
                continue;
            }
            let ids = if operation.is_contended {
                ids.get(..1).expect("an application")
            } else {
                &ids
            };
            let amount = (rounds, requests, connections);
            compare(&targets, operation, ids, amount).await;
        }
    }
    for (server, _) in servers {
        server.stop().await;
    }
}

/// Measures an operation of all servers in turns, and prints a row for each.
async fn compare(
    targets: &[Target],
    operation: &Operation,
    ids: &[String],
    (rounds, requests, connections): (usize, usize, usize),
) {
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
        let name = format!("| {} | {connections} | {} |", operation.name, target.name);
        println!("{name}{}", row(rounds, &measured[0]));
    }
}

/// A server's figures, with its CPU as a multiple of raw's. The CPU time of all rounds together: the system counts it
/// in hundredths of a second.
fn row(measured: &[Measured], raw: &[Measured]) -> String {
    let mean = |rounds: &[Measured], value: fn(&Measured) -> f64| {
        rounds.iter().map(value).sum::<f64>() / rounds.len() as f64
    };
    let of = |value: fn(&Measured) -> f64| median(measured.iter().map(value));
    let [rate, p50, p99] = [of(|m| m.rate), of(|m| m.p50), of(|m| m.p99)];
    let (cpu, store) = (mean(measured, |m| m.cpu), mean(measured, |m| m.store_cpu));
    let ratio = cpu / mean(raw, |m| m.cpu);
    format!(
        " {rate:.0} | {:.1} ms | {:.1} ms | {:.0} us | {ratio:.2} | {:.0} us |",
        p50 * 1e3,
        p99 * 1e3,
        cpu * 1e6,
        store * 1e6
    )
}

/// A build with options, on a store at a URL.
async fn serve(command: &str, store: &str) -> Process {
    let mut words = command.split_whitespace();
    let binary = words.next().expect("a path");
    let mut command = process::command_of(
        binary.as_ref(),
        &[
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--max-concurrent",
            "256",
        ],
    );
    command.args(words).envs(store::variables(store));
    Process::run(command).await
}

/// A copy of the filled store, and what serves it.
struct Store {
    own: Own,
    _folder: TempDir,
}

impl Store {
    async fn start(filled: &TempDir) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        seed::copy(filled.path(), folder.path());
        let path = folder.path().to_str().expect("UTF-8");
        Self {
            own: Own::start(&["store", path], &[]).await,
            _folder: folder,
        }
    }
}

/// A server of this program, with its store.
struct Peer {
    server: Own,
    store: Store,
}

impl Peer {
    async fn start(name: &str, filled: &TempDir) -> Self {
        let store = Store::start(filled).await;
        Self {
            server: Own::start(&[name], &store::variables(&store.own.url)).await,
            store,
        }
    }

    fn processes(&self) -> [u32; 2] {
        [self.server.id(), self.store.own.id()]
    }
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

fn number(name: &str, otherwise: usize) -> usize {
    std::env::var(name).map_or(otherwise, |value| value.parse().expect("a number"))
}

/// How many connections are measured, one after the other.
fn connections() -> Vec<usize> {
    let given = std::env::var("TRESTLE_CONNECTIONS").unwrap_or("16,1".to_owned());
    let each = given.split(',').map(|number| number.parse());
    each.collect::<Result<_, _>>().expect("numbers")
}
