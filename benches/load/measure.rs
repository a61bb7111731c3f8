//! Sends an operation many times and measures. Knows nothing of what the operations say.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use futures_util::future::join_all;

use crate::operations::Operation;

/// Linux counts a process's CPU time in hundredths of a second.
const TICKS_PER_SECOND: f64 = 100.0;

/// A server under load.
pub struct Target {
    pub name: String,
    pub kind: Kind,
    pub url: String,
    pub client: reqwest::Client,
    /// Of the server and of its store.
    processes: [u32; 2],
}

/// How a server is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    GraphQl,
    Raw,
}

/// One round.
pub struct Measured {
    /// Requests a second.
    pub rate: f64,
    /// Half of the requests were answered within this, in seconds.
    pub p50: f64,
    /// 99 of 100 requests were answered within this, in seconds.
    pub p99: f64,
    /// CPU seconds of the server's process for one request.
    pub cpu: f64,
    /// CPU seconds of its store's process for one request.
    pub store_cpu: f64,
}

impl Target {
    pub fn graphql(name: String, url: &str, processes: [u32; 2]) -> Self {
        Self::new(name, Kind::GraphQl, url, processes)
    }

    pub fn raw(url: &str, processes: [u32; 2]) -> Self {
        Self::new("raw".to_owned(), Kind::Raw, url, processes)
    }

    fn new(name: String, kind: Kind, url: &str, processes: [u32; 2]) -> Self {
        let client = reqwest::Client::builder().no_proxy().build();
        Self {
            name,
            kind,
            url: url.to_owned(),
            client: client.expect("a client"),
            processes,
        }
    }

    fn cpu(&self) -> [f64; 2] {
        self.processes.map(cpu)
    }
}

/// The CPU seconds that a process has used, those of threads that ended too.
fn cpu(process: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("it runs");
    // The second field, the name, is in parentheses and may hold spaces.
    let (_, rest) = stat.rsplit_once(')').expect("a name");
    let fields: Vec<_> = rest.split_whitespace().collect();
    let ticks = |field: usize| fields[field].parse::<f64>().expect("a number");
    (ticks(11) + ticks(12)) / TICKS_PER_SECOND
}

/// Sends `requests`, one after another on each connection, round the ids.
pub async fn run(
    target: &Target,
    operation: &Operation,
    ids: &[String],
    (requests, connections): (usize, usize),
) -> Measured {
    let next = AtomicUsize::new(0);
    let (cpu, start) = (target.cpu(), Instant::now());
    let connection = async || {
        let mut latencies = Vec::new();
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= requests {
                return latencies;
            }
            let sent = Instant::now();
            let answer = operation.send(target, &ids[number % ids.len()]).await;
            latencies.push(sent.elapsed().as_secs_f64());
            assert!(
                !answer.contains("\"errors\"") && !answer.contains("\"code\""),
                "{answer}"
            );
        }
    };
    let latencies = join_all((0..connections).map(|_| connection())).await;
    let (elapsed, after) = (start.elapsed().as_secs_f64(), target.cpu());
    let [server, store] = [after[0] - cpu[0], after[1] - cpu[1]].map(|cpu| cpu / requests as f64);
    let mut latencies = latencies.concat();
    latencies.sort_by(f64::total_cmp);
    Measured {
        rate: requests as f64 / elapsed,
        p50: latencies[latencies.len() / 2],
        p99: latencies[latencies.len() * 99 / 100],
        cpu: server,
        store_cpu: store,
    }
}

/// The middle of some values.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
