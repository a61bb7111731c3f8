//! More connections than the server takes.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::server::support::{Running, start};

const KEPT: &str = "GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n";
const WAITS: &str = "GET /graphql?query=%7Bwait%7D HTTP/1.1\r\nhost: localhost\r\n\r\n";

#[tokio::test]
async fn idle_connections_close_for_new_ones() {
    let server = start(&["--max-connections", "4"]).await;
    let mut idle = Vec::new();
    for _ in 0..4 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(KEPT.as_bytes()).await.unwrap();
        let mut answer = [0; 1024];
        assert!(stream.read(&mut answer).await.unwrap() > 0);
        idle.push(stream);
    }
    server.still_answers().await;
    // The one that has been idle for the longest time was closed, and it alone.
    let mut rest = Vec::new();
    assert_eq!(idle.remove(0).read_to_end(&mut rest).await.unwrap(), 0);
    let mut last = idle.pop().unwrap();
    last.write_all(KEPT.as_bytes()).await.unwrap();
    assert!(last.read(&mut [0; 1024]).await.unwrap() > 0);
}

#[tokio::test]
async fn connections_that_ask_nothing_close_for_new_ones() {
    let server = start(&["--max-connections", "2"]).await;
    let mut silent = Vec::new();
    for _ in 0..20 {
        silent.push(TcpStream::connect(server.address).await.unwrap());
    }
    server.still_answers().await;
}

#[tokio::test]
async fn health_answers_while_all_places_are_taken() {
    let server = start(&["--max-connections", "2"]).await;
    let mut busy = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(WAITS.as_bytes()).await.unwrap();
        server.probe.waiting(1).await;
        busy.push(stream);
    }
    let client = reqwest::Client::new();
    let live = client.get(server.url("/livez")).send().await.unwrap();
    assert_eq!(live.status(), 200);
    let query = client.get(server.url("/graphql?query=%7Bhello%7D"));
    let turned_away = query.send().await.unwrap();
    assert_eq!(turned_away.status(), 503);
    assert_eq!(turned_away.headers()["retry-after"], "1");
    server.probe.release(2);
    for mut stream in busy {
        let mut answer = [0; 1024];
        let read = stream.read(&mut answer).await.unwrap();
        assert!(answer[..read].starts_with(b"HTTP/1.1 200 "));
    }
}

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;

/// A frame of HTTP/2 on the connection itself.
fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).unwrap();
    [&[0, 0, length, kind, 0, 0, 0, 0, 0], payload].concat()
}

/// A connection that has begun with HTTP/2.
async fn begin_http2(server: &Running) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let begun = [PREFACE, &frame(SETTINGS, &[])].concat();
    stream.write_all(&begun).await.unwrap();
    stream
}

#[tokio::test]
async fn floods_of_frames_that_ask_for_nothing_end_the_connection() {
    let server = start(&[]).await;
    let floods = [
        frame(SETTINGS, &[]),
        frame(PING, &[0; 8]),
        frame(WINDOW_UPDATE, &[0, 0, 0, 1]),
    ];
    for flood in floods {
        let mut stream = begin_http2(&server).await;
        let (mut reading, mut writing) = stream.split();
        let many = flood.repeat(100);
        // As fast as the server takes them, for as long as it does.
        let sends = async { while writing.write_all(&many).await.is_ok() {} };
        let mut answers = Vec::new();
        let reads = reading.read_to_end(&mut answers);
        tokio::join!(sends, async { drop(reads.await) });
        server.still_answers().await;
    }
}

#[tokio::test]
async fn pings_and_windows_of_a_working_client_are_answered() {
    let server = start(&[]).await;
    let few = [
        frame(WINDOW_UPDATE, &[0, 0, 0, 1]).repeat(100),
        frame(PING, &[7; 8]).repeat(100),
    ];
    let mut stream = begin_http2(&server).await;
    stream.write_all(&few.concat()).await.unwrap();
    let pong = [&[0, 0, 8, PING, 1, 0, 0, 0, 0], &[7; 8][..]].concat();
    let mut answers = Vec::new();
    while answers.windows(pong.len()).filter(|it| *it == pong).count() < 100 {
        let mut part = [0; 4096];
        let read = stream.read(&mut part).await.unwrap();
        assert!(read > 0, "it closed the connection");
        answers.extend_from_slice(&part[..read]);
    }
}
