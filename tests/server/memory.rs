//! What clients can make the real binary hold, measured as its resident memory.

use std::convert::Infallible;
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt as _};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
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

/// An answer of 6 MB, three pages of the longest notes.
const LARGE: &str = "{ a: applications(first: 100) { edges { node { notes } } }
    b: applications(first: 100) { edges { node { notes } } } c: applications(first: 100) { edges { node { notes } } } }";
/// An answer of 0.9 MB.
const MIDDLING: &str = "{ applications(first: 45) { edges { node { notes } } } }";
/// What the process may hold, whatever clients do.
const MOST: u64 = 512 * MB;

/// A server with its own limits, and as much data as large answers need.
async fn filled() -> Process {
    let process = Process::start(&["--max-cost=100000"]).await;
    fill(&process).await;
    process
}

/// The most that the process holds while something is done, which ends with an answer to someone else.
pub async fn peak<T>(process: &Process, work: impl Future<Output = T>) -> (u64, T) {
    let mut most = 0;
    let done = async {
        let done = work.await;
        let small = process.query("{ __typename }").await;
        assert_eq!(small.status, 200, "{}", small.text);
        done
    };
    let mut done = std::pin::pin!(done);
    loop {
        tokio::select! {
            done = &mut done => return (most.max(resident(process)), done),
            () = sleep(Duration::from_millis(20)) => most = most.max(resident(process)),
        }
    }
}

/// Sends a document on a connection of its own. What comes back is not read.
async fn ask(process: &Process, document: &str) -> TcpStream {
    let url = reqwest::Url::parse(&process.url).unwrap();
    let address = url.socket_addrs(|| None).unwrap()[0];
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let body = json!({ "query": document }).to_string();
    let request = format!(
        "POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// Waits for the first bytes of an answer, or for the end of the connection.
async fn begins(stream: &mut TcpStream) -> bool {
    let mut first = [0; 16];
    let read = timeout(PATIENCE, stream.peek(&mut first)).await;
    matches!(read.expect("an answer or its end"), Ok(1..))
}

#[tokio::test(flavor = "multi_thread")]
async fn eighty_readers_of_large_answers_cost_a_bounded_memory() {
    let process = Process::start(&["--max-cost=100000", "--request-timeout=30s"]).await;
    fill(&process).await;
    let body = json!({ "query": LARGE });
    let asked = join_all((0..80).map(|_| process.post(&body, &[])));
    let (most, answers) = peak(&process, asked).await;
    assert!(most < MOST, "{} MB", most / MB);
    let complete = answers.iter().filter(|answer| answer.status == 200);
    assert!(complete.count() > 0);
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        // Those that waited, and those that had begun and were slow.
        assert!(matches!(answer.status, 503 | 504), "{:.300}", answer.text);
        assert_eq!(answer.code().as_deref(), Some("SERVICE_UNAVAILABLE"));
        assert!(answer.header("retry-after").is_some());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn eighty_clients_that_read_nothing_cost_a_bounded_memory() {
    let process = filled().await;
    let asked = async {
        let mut streams = join_all((0..80).map(|_| ask(&process, LARGE))).await;
        join_all(streams.iter_mut().map(begins)).await;
        streams
    };
    let (most, _streams) = peak(&process, asked).await;
    assert!(most < MOST, "{} MB", most / MB);
}

#[tokio::test(flavor = "multi_thread")]
async fn eighty_streams_of_one_connection_cost_a_bounded_memory() {
    let process = filled().await;
    let client = reqwest::Client::builder()
        .http2_prior_knowledge()
        .http2_initial_stream_window_size(0)
        .no_proxy()
        .build()
        .unwrap();
    let asked = join_all((0..80).map(|_| {
        let request = client.post(&process.url).json(&json!({ "query": LARGE }));
        timeout(PATIENCE, request.send())
    }));
    let (most, answers) = peak(&process, asked).await;
    assert!(most < MOST, "{} MB", most / MB);
    assert!(
        answers.iter().all(Result::is_ok),
        "each is answered, or refused"
    );
}

/// The paths that answer without GraphQL: those that the server's own index names, and health.
async fn plain_paths(process: &Process) -> Vec<String> {
    let index = process.get("/").await.text;
    let words = index.split([' ', ',', '\n']).map(str::trim);
    let named = words.filter(|word| word.starts_with('/') && !word.ends_with("/graphql"));
    let mut paths: Vec<_> = named.map(str::to_owned).collect();
    paths.extend(["/", "/graphql", "/nothing"].map(str::to_owned));
    paths.sort();
    paths.dedup();
    paths
}

/// Streams of one connection for each path and coding.
const STREAMS: usize = 100;

#[tokio::test(flavor = "multi_thread")]
async fn plain_answers_that_are_not_read_cost_a_bounded_memory() {
    let all = trestle::services::names().collect::<Vec<_>>().join(",");
    let process = Process::start(&["--service", &all]).await;
    let paths = plain_paths(&process).await;
    let schemas = paths.iter().filter(|path| path.ends_with(".graphql"));
    assert_eq!(schemas.count(), trestle::services::names().count());
    let mut open = Vec::new();
    for path in &paths {
        for coding in ["identity", "br", "gzip", "zstd"] {
            let client = reqwest::Client::builder()
                .http2_prior_knowledge()
                .http2_initial_stream_window_size(0)
                .no_proxy()
                .build()
                .unwrap();
            let asked = join_all((0..STREAMS).map(|_| {
                let request = client.get(process.at(path));
                let request = request.header("accept-encoding", coding);
                timeout(
                    PATIENCE,
                    request.header("accept", "text/html, */*;q=0.5").send(),
                )
            }));
            let (most, answers) = peak(&process, asked).await;
            assert!(most < MOST, "{path} as {coding}: {} MB", most / MB);
            let answered = answers.iter().all(Result::is_ok);
            assert!(answered, "{path}: each is answered, or refused");
            assert_eq!(process.get("/livez").await.status, 200);
            open.push(answers);
        }
    }
}

/// Connections that each ask as much as HTTP/2 lets them.
const CONNECTIONS: usize = 45;

/// What a request can hold while nothing is read or sent.
#[derive(Clone, Copy, Debug)]
enum Held {
    Body,
    HeadAndBody,
    PartOfTheBody,
    Answer,
}

/// Sends one of many requests whose bodies or answers stay on their way.
async fn hold(
    client: &reqwest::Client,
    process: &Process,
    held: Held,
) -> reqwest::Result<reqwest::Response> {
    let part = match held {
        Held::PartOfTheBody => Some("{"),
        Held::Body | Held::HeadAndBody => None,
        Held::Answer => Some("{\"query\": \"{ __typename }\"}"),
    };
    let mut request = client
        .post(&process.url)
        .header("content-type", "application/json");
    if let Held::HeadAndBody = held {
        for name in ["x-a", "x-b", "x-c", "x-d"] {
            request = request.header(name, "a".repeat(3_500));
        }
    }
    let parts = stream::iter(part.map(Ok::<_, Infallible>));
    let body = match held {
        Held::Answer => reqwest::Body::wrap_stream(parts),
        _ => reqwest::Body::wrap_stream(parts.chain(stream::pending())),
    };
    request.body(body).send().await
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_http2_that_are_held_cost_a_bounded_memory() {
    let process = Process::start(&["--request-timeout=5s"]).await;
    let shapes = [
        Held::Body,
        Held::HeadAndBody,
        Held::PartOfTheBody,
        Held::Answer,
    ];
    for held in shapes {
        let clients: Vec<_> = (0..CONNECTIONS)
            .map(|_| {
                reqwest::Client::builder()
                    .http2_prior_knowledge()
                    .http2_initial_stream_window_size(0)
                    .no_proxy()
                    .build()
                    .unwrap()
            })
            .collect();
        let asked =
            join_all(clients.iter().flat_map(|client| {
                (0..128).map(|_| timeout(PATIENCE, hold(client, &process, held)))
            }));
        let (most, answers) = peak(&process, asked).await;
        assert_eq!(process.get("/livez").await.status, 200);
        assert!(most < MOST, "{held:?}: {} MB", most / MB);
        let answers = answers.into_iter().flatten().flatten();
        let statuses: Vec<_> = answers.map(|answer| answer.status().as_u16()).collect();
        let refused = statuses.iter().filter(|status| **status == 503).count();
        assert!(
            refused > 0,
            "{held:?}: none of {} was refused",
            statuses.len()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn four_hundred_clients_that_read_nothing_of_middling_answers_cost_a_bounded_memory() {
    let process = filled().await;
    let asked = async {
        let mut streams = join_all((0..400).map(|_| ask(&process, MIDDLING))).await;
        join_all(streams.iter_mut().map(begins)).await;
        streams
    };
    let (most, _streams) = peak(&process, asked).await;
    assert!(most < MOST, "{} MB", most / MB);
}

/// Opens a WebSocket connection, by bytes.
async fn open_socket(process: &Process) -> TcpStream {
    let url = reqwest::Url::parse(&process.url).unwrap();
    let address = url.socket_addrs(|| None).unwrap()[0];
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let head = "GET /graphql HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
                sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\
                sec-websocket-protocol: graphql-transport-ws\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        answer.push(stream.read_u8().await.unwrap());
    }
    assert!(answer.starts_with(b"HTTP/1.1 101 "));
    stream
}

/// A client's frame of a WebSocket connection. A mask of zeros leaves the payload as it is.
fn socket_frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).unwrap();
    [&[0x80 | opcode, 0x80 | length, 0, 0, 0, 0], payload].concat()
}

const TEXT: u8 = 1;
const PING: u8 = 9;
const PONG: u8 = 10;

/// What a client that reads nothing sends over and over, before and after `connection_init`.
fn floods() -> Vec<(&'static str, Vec<u8>, Vec<u8>)> {
    let init = socket_frame(TEXT, br#"{"type":"connection_init"}"#);
    let each = [
        ("pings", socket_frame(PING, &[b'x'; 120])),
        ("empty pings", socket_frame(PING, b"")),
        ("pongs", socket_frame(PONG, &[b'x'; 120])),
        ("messages", socket_frame(TEXT, br#"{"type":"ping"}"#)),
        (
            "operations",
            socket_frame(
                TEXT,
                br#"{"type":"subscribe","id":"1","payload":{"query":"{"}}"#,
            ),
        ),
    ];
    let before = each
        .iter()
        .map(|(name, frame)| (*name, Vec::new(), frame.clone()));
    let after = each
        .iter()
        .map(|(name, frame)| (*name, init.clone(), frame.clone()));
    before.chain(after).collect()
}

/// Bytes that a flood tries to send.
const FLOOD: usize = 64 * MB as usize;

#[tokio::test(flavor = "multi_thread")]
async fn what_a_library_answers_by_itself_costs_a_bounded_memory() {
    for (name, begins, frame) in floods() {
        let process = Process::start(&["--keep-alive=1s"]).await;
        process.query("{ __typename }").await;
        let before = resident(&process);
        let flood = async {
            let mut stream = open_socket(&process).await;
            stream.write_all(&begins).await.unwrap();
            let many = frame.repeat(64 * 1024 / frame.len());
            let mut sent = 0;
            while sent < FLOOD && stream.write_all(&many).await.is_ok() {
                sent += many.len();
            }
            sent
        };
        let (most, sent) = peak(&process, timeout(PATIENCE, flood)).await;
        let sent = sent.unwrap_or_else(|_| panic!("{name} after {begins:?}: it stays open"));
        assert!(
            most < before + 24 * MB,
            "{name} after {begins:?}: {} MB for {} MB",
            (most - before) / MB,
            sent as u64 / MB
        );
    }
}
