//! What clients can make the real binary hold, measured as its resident memory.

use std::time::Duration;

use futures_util::future::join_all;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::process::{Process, command, ended};

pub const MB: u64 = 1024 * 1024;
/// A bound on waiting for what has to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// The process's resident bytes. The page size of every platform that the tests run on is 4 KiB or more.
pub fn resident(process: &Process) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.unwrap().trim().trim_end_matches(" kB");
    kilobytes.parse::<u64>().unwrap() * 1024
}

/// Waits until the process's memory is back within `most` of `before`.
pub async fn returns(process: &Process, before: u64, most: u64) {
    let returned = async {
        while resident(process) > before + most {
            // Memory is returned while the process works.
            process.query("{ __typename }").await;
            sleep(Duration::from_millis(50)).await;
        }
    };
    let returned = timeout(PATIENCE, returned).await;
    let now = resident(process);
    assert!(
        returned.is_ok(),
        "{} MB before, {} MB now",
        before / MB,
        now / MB
    );
}

/// 100 applications with the longest notes.
pub async fn fill(process: &Process) {
    let note = "\u{1F600}".repeat(5_000);
    let create = "createApplication(input: { companyName: \"A\", positionTitle: \"B\", status: APPLIED, notes: $n })
        { userErrors { message } }";
    let fields: Vec<_> = (0..20).map(|n| format!("c{n}: {create}")).collect();
    let document = format!("mutation($n: String) {{ {} }}", fields.join(" "));
    let body = json!({ "query": document, "variables": { "n": note } });
    for _ in 0..5 {
        let answer = process.post(&body, &[]).await;
        assert_eq!(
            answer.body()["data"]["c0"]["userErrors"],
            json!([]),
            "{}",
            answer.text
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_bounded_and_its_memory_is_returned() {
    let process = Process::start(&["--max-cost", "100000", "--request-timeout", "60s"]).await;
    fill(&process).await;
    let ordinary =
        json!({ "query": "{ applications(first: 20) { edges { node { companyName notes } } } }" });
    assert_eq!(process.post(&ordinary, &[]).await.code(), None);
    returns(&process, 0, 400 * MB).await;
    let before = resident(&process);

    let pages: Vec<_> = (0..8)
        .map(|n| format!("a{n}: applications(first: 100) {{ edges {{ node {{ notes }} }} }}"))
        .collect();
    let document = format!("{{ {} }}", pages.join(" "));
    assert!(document.len() < 700, "{}", document.len());
    let body = json!({ "query": document });
    for _ in 0..4 {
        let asked = (0..4).map(|_| process.post(&body, &[("accept-encoding", "identity")]));
        for answer in join_all(asked).await {
            assert_eq!(
                answer.code().as_deref(),
                Some("ANSWER_TOO_LARGE"),
                "{:.300}",
                answer.text
            );
            assert!(answer.body().get("data").is_none_or(Value::is_null));
        }
    }
    returns(&process, before, 50 * MB).await;
    assert_eq!(process.post(&ordinary, &[]).await.code(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn long_keys_count_as_well() {
    let process = Process::start(&["--max-answer-bytes", "20000"]).await;
    let key = "k".repeat(2_000);
    let keys: Vec<_> = (0..12).map(|n| format!("{key}{n}: __typename")).collect();
    let answer = process.query(&format!("{{ {} }}", keys.join(" "))).await;
    assert_eq!(
        answer.code().as_deref(),
        Some("ANSWER_TOO_LARGE"),
        "{:.300}",
        answer.text
    );
}

/// What 1,500 connections cost that send half of a body each.
async fn cost_of_half_bodies(process: &Process) -> u64 {
    let before = resident(process);
    let address = process
        .url
        .trim_start_matches("http://")
        .trim_end_matches("/graphql");
    let head = "POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                content-length: 1048576\r\n\r\n";
    let half = [head.as_bytes(), &b" ".repeat(512 * 1024)].concat();
    let send = async || {
        let mut stream = TcpStream::connect(address).await.unwrap();
        // The server need not take all of it, and may close the connection.
        let _ = timeout(Duration::from_secs(2), stream.write_all(&half)).await;
        stream
    };
    let mut most = before;
    let mut open = Vec::new();
    for _ in 0..10 {
        open.extend(join_all((0..150).map(|_| send())).await);
        most = most.max(resident(process));
    }
    assert_eq!(process.get("/livez").await.status, 200);
    most.max(resident(process)) - before
}

#[tokio::test(flavor = "multi_thread")]
async fn half_bodies_cost_little() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    setrlimit(Resource::Nofile, raised).unwrap();
    let keys = tempfile::NamedTempFile::new().unwrap();
    let line = ended(command(&["api-key", "ann"])).await.output;
    std::fs::write(keys.path(), line).unwrap();
    let path = keys.path().to_str().unwrap();
    for arguments in [&["--api-keys", path][..], &[]] {
        let process = Process::start(arguments).await;
        let cost = cost_of_half_bodies(&process).await;
        assert!(cost < 100 * MB, "{arguments:?}: {} MB", cost / MB);
    }
}
