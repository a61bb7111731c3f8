//! Who may open a WebSocket connection at all.

use serde_json::json;

use crate::live::board::Board;
use trestle_testing::socket::{Socket, WATCH};

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_other_origins_may_not_connect() {
    let board = Board::start(&["--cors-origins=https://board.example"]).await;
    let own = format!("http://{}", board.host());
    for origin in [own.as_str(), "https://board.example"] {
        let connected = Socket::connect(&board.url, &[("origin", origin)]).await;
        assert!(connected.is_ok(), "{origin}");
    }
    for origin in ["https://evil.example", "null", "http://127.0.0.1:1"] {
        let refused = Socket::connect(&board.url, &[("origin", origin)]).await;
        assert_eq!(refused.err(), Some(403), "{origin}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_one_protocol_is_spoken() {
    let board = Board::start(&[]).await;
    for protocols in ["", "graphql-ws", "soap"] {
        let headers = [("sec-websocket-protocol", protocols)];
        let refused = Socket::connect(&board.url, &headers).await;
        assert_eq!(refused.err(), Some(400), "{protocols:?}");
    }
    let headers = [("sec-websocket-protocol", "graphql-ws, graphql-transport-ws")];
    assert!(Socket::connect(&board.url, &headers).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_have_a_bound_and_give_their_places_back() {
    let board = Board::start(&["--max-websockets=1"]).await;
    let first = Socket::open(&board.url).await;
    let second = Socket::connect(&board.url, &[]).await;
    assert_eq!(second.err(), Some(503));
    drop(first);
    // The server learns of it in its own time.
    let mut socket = loop {
        match Socket::connect(&board.url, &[]).await {
            Ok(socket) => break socket,
            Err(status) => assert_eq!(status, 503),
        }
        tokio::task::yield_now().await;
    };
    socket.say(json!({ "type": "connection_init" })).await;
    socket.hear().await;
    socket.subscribe("1", WATCH, json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handshake_is_of_version_13_and_has_a_key() {
    let board = Board::start(&[]).await;
    const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";
    for (key, version, status) in [
        ("", "13", 400),
        ("abc", "13", 400),
        ("YWJj", "13", 400),
        (KEY, "8", 426),
        (KEY, "", 426),
        (KEY, "13", 101),
    ] {
        let headers = [
            ("connection", "upgrade"),
            ("upgrade", "websocket"),
            ("sec-websocket-key", key),
            ("sec-websocket-protocol", "graphql-transport-ws"),
            ("sec-websocket-version", version),
        ];
        let client = reqwest::Client::new();
        let request = client.get(&board.url).headers(
            headers
                .into_iter()
                .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
                .collect(),
        );
        let answer = request.send().await.expect("it answers");
        assert_eq!(answer.status(), status, "{key:?} {version:?}");
        let told = answer.headers().get("sec-websocket-version");
        assert_eq!(told.is_some_and(|told| told == "13"), status == 426);
    }
}
