//! What the protocol says of clients that do not keep to it.

use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use crate::live::board::Board;
use trestle_testing::socket::{Socket, WATCH};

async fn connected(board: &Board) -> Socket {
    Socket::connect(&board.url, &[])
        .await
        .expect("it lets us in")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_message_closes_the_connection() {
    let board = Board::start(&[]).await;
    for text in [
        "",
        "{",
        "[]",
        "{\"type\":\"start\"}",
        "{\"type\":\"subscribe\"}",
        "{\"type\":\"subscribe\",\"id\":1,\"payload\":{}}",
        "{\"type\":\"ping\",\"payload\":1}",
        "{\"type\":\"pong\",\"payload\":[]}",
    ] {
        let mut socket = Socket::open(&board.url).await;
        socket.say_text(text).await;
        assert_eq!(socket.closed().await, 4400, "{text}");
    }
    let mut socket = Socket::open(&board.url).await;
    socket.ask(&"x".repeat(129), WATCH, json!({})).await;
    assert_eq!(socket.closed().await, 4400);
    let mut socket = Socket::open(&board.url).await;
    let no_query = json!({ "type": "subscribe", "id": "1", "payload": { "variables": {} } });
    socket.say(no_query).await;
    assert_eq!(socket.closed().await, 4400);
    let mut socket = Socket::open(&board.url).await;
    socket.send(Message::binary(b"{}".to_vec())).await;
    assert_eq!(socket.closed().await, 1003);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_says_hello_first_and_once_and_in_time() {
    let board = Board::start(&["--connection-init-timeout=200ms"]).await;
    let mut hasty = connected(&board).await;
    hasty.ask("1", WATCH, json!({})).await;
    assert_eq!(hasty.closed().await, 4401);
    let mut twice = Socket::open(&board.url).await;
    twice
        .say(json!({ "type": "connection_init", "payload": {} }))
        .await;
    assert_eq!(twice.closed().await, 4429);
    let mut silent = connected(&board).await;
    assert_eq!(silent.closed().await, 4408);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_id_is_one_operation() {
    let board = Board::start(&[]).await;
    let mut socket = Socket::open(&board.url).await;
    socket.subscribe("1", WATCH, json!({})).await;
    socket.ask("1", WATCH, json!({})).await;
    assert_eq!(socket.closed().await, 4409);
}

#[tokio::test(flavor = "multi_thread")]
async fn pings_are_answered_before_and_after_hello() {
    let board = Board::start(&[]).await;
    let mut socket = connected(&board).await;
    socket
        .say(json!({ "type": "ping", "payload": { "any": 1 } }))
        .await;
    assert_eq!(socket.hear().await, json!({ "type": "pong" }));
    socket.say(json!({ "type": "connection_init" })).await;
    assert_eq!(socket.hear().await, json!({ "type": "connection_ack" }));
    socket.say(json!({ "type": "pong" })).await;
    socket.subscribe("1", WATCH, json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clients_close_frame_is_answered() {
    let board = Board::start(&[]).await;
    let mut socket = Socket::open(&board.url).await;
    socket.subscribe("1", WATCH, json!({})).await;
    socket.close(1000).await;
    assert_eq!(socket.closed().await, 1000);
    let mut unknown = connected(&board).await;
    unknown.close(4321).await;
    assert_eq!(unknown.closed().await, 4321);
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_frames_close_with_codes_of_their_own() {
    let board = Board::start(&[]).await;
    let mut large = Socket::open(&board.url).await;
    large.say_text(&" ".repeat(200_000)).await;
    assert_eq!(large.closed().await, 1009);
    for (frame, code) in [
        // A text frame that is not UTF-8; a reserved opcode. Both are masked with zeros.
        (&[0x81, 0x81, 0, 0, 0, 0, 0xff][..], 1007),
        (&[0x83, 0x80, 0, 0, 0, 0][..], 1002),
    ] {
        let mut socket = Socket::open(&board.url).await;
        socket.raw(frame).await;
        assert_eq!(socket.closed().await, code);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_host_cannot_connect_without_credentials() {
    let board = Board::start(&[]).await;
    for (headers, refused) in [
        (
            &[
                ("host", "evil.example:8000"),
                ("origin", "http://evil.example:8000"),
            ][..],
            true,
        ),
        (
            &[
                ("host", "localhost:8000"),
                ("origin", "http://localhost:8000"),
            ][..],
            false,
        ),
    ] {
        let answer = Socket::connect(&board.url, headers).await;
        assert_eq!(answer.err(), refused.then_some(403));
    }
}
