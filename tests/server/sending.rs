//! Clients that do not read their answers, against the real binary.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use futures_util::future::join_all;
use reqwest::{Client, Response};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};

use crate::process::Process;
use crate::server::memory::{MB, fill, resident, returns};

/// A bound on waiting for what has to come.
const PATIENCE: Duration = Duration::from_secs(60);
/// An answer of 6 MB.
const LARGE: &str = "{ a: applications(first: 100) { edges { node { notes } } }
    b: applications(first: 100) { edges { node { notes } } } c: applications(first: 100) { edges { node { notes } } } }";

/// A server that has large answers, and room for two at a time.
async fn bounded() -> Process {
    let bytes = (12 * MB).to_string();
    let limits = [
        "--max-cost=100000",
        "--request-timeout=60s",
        "--send-timeout=1h",
        "--max-sending-bytes",
        &bytes,
    ];
    let process = Process::start(&limits).await;
    fill(&process).await;
    process
}

/// Asks for a large answer and reads its beginning.
async fn begin_to_read(process: &Process, accept: &str) -> TcpStream {
    let url = reqwest::Url::parse(&process.url).unwrap();
    let address = url.socket_addrs(|| None).unwrap()[0];
    let socket = TcpSocket::new_v4().unwrap();
    // What the system takes, the server need not hold.
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let body = json!({ "query": LARGE }).to_string();
    let request = format!(
        "POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\naccept: {accept}\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut beginning = [0; 2048];
    let read = timeout(PATIENCE, stream.read_exact(&mut beginning)).await;
    assert!(matches!(read, Ok(Ok(_))), "{accept}: {read:?}");
    assert!(beginning.starts_with(b"HTTP/1.1 200 "));
    stream
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_nobody_reads_are_bounded_together() {
    let process = bounded().await;
    let body = json!({ "query": LARGE });
    let length = process.post(&body, &[]).await.text.len();
    assert!(length as u64 > 5 * MB, "{length}");
    let before = resident(&process);

    let accepted = ["application/json", "text/event-stream"]
        .into_iter()
        .cycle();
    let begun = accepted
        .take(14)
        .map(|accept| begin_to_read(&process, accept));
    let streams = join_all(begun).await;
    returns(&process, before, 40 * MB).await;

    // Who reads is answered.
    let answer = process.post(&body, &[]).await;
    assert_eq!((answer.status, answer.text.len()), (200, length));
    let mut complete = 0;
    for mut stream in streams {
        let mut rest = Vec::new();
        // A connection that was closed may be reset.
        let _ = stream.read_to_end(&mut rest).await;
        complete += u64::from(rest.len() >= length);
    }
    assert!(complete <= 2, "{complete}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_reads_slowly_is_not_given_up_for_those_who_read_nothing() {
    let process = bounded().await;
    let mut slow = begin_to_read(&process, "application/json").await;
    let ended = AtomicBool::new(false);
    let reading = async {
        let (mut length, mut part) = (0, vec![0; 64 * 1024]);
        while let Ok(read @ 1..) = slow.read(&mut part).await {
            length += read;
            // The pace of a slow network.
            sleep(Duration::from_millis(5)).await;
        }
        ended.store(true, Relaxed);
        length
    };
    let others = async {
        let mut others = Vec::new();
        while !ended.load(Relaxed) {
            others.push(begin_to_read(&process, "application/json").await);
        }
        others.len()
    };
    let (length, others) = tokio::join!(reading, others);
    assert!(length as u64 > 5 * MB, "{length} beside {others}");
    assert!(others > 2, "{others}");
}

/// Whether the system holds the server's side of a client's connection.
fn is_held(client: &TcpStream) -> bool {
    let port = |address: SocketAddr| format!("0100007F:{:04X}", address.port());
    let server = port(client.peer_addr().unwrap());
    let client = port(client.local_addr().unwrap());
    let connections = std::fs::read_to_string("/proc/net/tcp").unwrap();
    connections.lines().any(|line| {
        let mut fields = line.split_whitespace().skip(1);
        fields.next() == Some(&server) && fields.next() == Some(&client)
    })
}

/// Asks for a large answer over HTTP/2 and reads its head.
async fn begin_to_read_http2(process: &Process) -> Response {
    let client = Client::builder()
        .http2_prior_knowledge()
        .http2_initial_stream_window_size(65_535)
        .no_proxy();
    let request = client.build().unwrap().post(&process.url);
    let answer = request.json(&json!({ "query": LARGE })).send().await;
    let answer = answer.unwrap();
    assert_eq!(answer.status(), 200);
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_takes_nothing_is_disconnected() {
    let limits = [
        "--max-cost=100000",
        "--send-timeout=1s",
        "--keep-alive=1s",
        "--max-connections=1",
    ];
    let process = Process::start(&limits).await;
    fill(&process).await;
    // The only connection is taken until the server closes it. Others are answered once, or closed.
    let client = Client::builder().no_proxy().pool_max_idle_per_host(0);
    let client = client.build().unwrap();
    let is_free = async || {
        let asked = client
            .post(&process.url)
            .json(&json!({ "query": "{ __typename }" }));
        asked
            .send()
            .await
            .is_ok_and(|answer| answer.status() == 200)
    };
    let becomes_free = async || while !is_free().await {};
    let stalled = begin_to_read(&process, "application/json").await;
    timeout(PATIENCE, becomes_free()).await.expect("HTTP/1.1");
    // The system does not hold what it did not read, either.
    let is_forgotten = async || while is_held(&stalled) {};
    timeout(PATIENCE, is_forgotten()).await.expect("forgotten");
    drop(stalled);
    let stalled = begin_to_read_http2(&process).await;
    timeout(PATIENCE, becomes_free()).await.expect("HTTP/2");
    drop(stalled);
    // A client that waits for events takes what there is.
    let request = client
        .post(&process.url)
        .header("accept", "text/event-stream");
    let body = json!({ "query": "subscription { applicationChanged { version } }" });
    let mut quiet = request.json(&body).send().await.unwrap();
    let sign = timeout(PATIENCE, quiet.chunk())
        .await
        .expect("a sign of life");
    assert_eq!(sign.unwrap().unwrap(), ":\n\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_is_not_given_up_for_time_in_which_the_server_stood_still() {
    let process = Process::start(&["--max-cost=100000", "--send-timeout=2s"]).await;
    fill(&process).await;
    let body = json!({ "query": LARGE });
    let length = process.post(&body, &[]).await.text.len();
    let mut stream = begin_to_read(&process, "application/json").await;
    process.pause();
    // As many bytes as begin the answer, its head among them.
    let mut read = 2048;
    let mut part = vec![0; 64 * 1024];
    // What the system holds arrives; then nothing does for longer than the server waits for a client.
    while let Ok(more) = timeout(Duration::from_secs(3), stream.read(&mut part)).await {
        read += more.unwrap();
    }
    assert!(read < length, "{read}");
    process.go_on();
    while let Ok(more @ 1..) = stream.read(&mut part).await {
        read += more;
    }
    assert!(read >= length, "{read} of {length}");
}
