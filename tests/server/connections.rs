//! More connections than the server takes.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::start;

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
