//! A server that stops says so to everyone who watches, and waits for them to have heard it.

use serde_json::json;

use crate::live::board::Board;
use crate::live::events_client::Events;
use trestle_testing::socket::{Socket, WATCH};

#[tokio::test(flavor = "multi_thread")]
async fn watchers_are_told_that_the_server_stops() {
    let mut board = Board::start(&["--drain-timeout=10m"]).await;
    let mut socket = Socket::open(&board.url).await;
    socket.subscribe("1", WATCH, json!({})).await;
    let mut idle = Socket::open(&board.url).await;
    let mut events = Events::open(&board, WATCH, json!({})).await;

    board.stop();
    assert_eq!(socket.closed().await, 1001);
    assert_eq!(idle.closed().await, 1001);
    let answer = events.next().await;
    let code = &answer["errors"][0]["extensions"]["code"];
    assert_eq!(code, "SERVICE_UNAVAILABLE");
    assert!(answer["errors"][0]["extensions"]["retryAfter"].is_number());
    events.completes().await;
    drop((socket, idle, events));
    board.stopped().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_does_not_say_goodbye_holds_up_nothing() {
    let mut board = Board::start(&["--drain-timeout=10m"]).await;
    let silent = Socket::open(&board.url).await;
    board.stop();
    board.stopped().await;
    drop(silent);
}
