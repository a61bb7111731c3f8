//! What holds for every request holds for subscriptions, and some things more.

use serde_json::json;

use crate::live::board::{Board, Keys};
use crate::live::events_client::Events;
use trestle_api::viewer::Access;
use trestle_testing::socket::{Socket, WATCH};

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_checked() {
    let board = Board::start(&["--max-depth=3", "--max-cost=50"]).await;
    let mut socket = Socket::open(&board.url).await;
    for (query, code) in [
        ("subscription { nothing }", "GRAPHQL_VALIDATION_FAILED"),
        ("subscription {", "GRAPHQL_PARSE_FAILED"),
        (
            "subscription { applicationChanged { kind } a: applicationChanged { kind } }",
            "GRAPHQL_VALIDATION_FAILED",
        ),
        (
            "subscription { applicationChanged { application { history { edges { cursor } } } } }",
            "GRAPHQL_VALIDATION_FAILED",
        ),
        (
            "subscription { applicationChanged(ids: [\"\"]) { kind } }",
            "BAD_USER_INPUT",
        ),
        (
            "subscription($ids: [ID!]!) { applicationChanged(ids: $ids) { kind } }",
            "BAD_USER_INPUT",
        ),
    ] {
        socket.ask("1", query, json!({})).await;
        assert_eq!(socket.error("1").await, code, "{query}");
    }
    let many: Vec<_> = (0..101).map(|_| uuid::Uuid::new_v4()).collect();
    socket.ask("1", WATCH, json!({ "ids": many })).await;
    assert_eq!(socket.error("1").await, "BAD_USER_INPUT");
    socket.subscribe("1", WATCH, json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_dearer_than_allowed_does_not_run() {
    let board = Board::start(&["--max-cost=50"]).await;
    let mut socket = Socket::open(&board.url).await;
    let dear = "subscription { applicationChanged { application {
        history(first: 100) { edges { node { id } } } } } }";
    socket.ask("1", dear, json!({})).await;
    assert_eq!(socket.error("1").await, "GRAPHQL_VALIDATION_FAILED");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_has_so_many_operations_and_no_more() {
    let board = Board::start(&["--max-connection-operations=2"]).await;
    let mut socket = Socket::open(&board.url).await;
    socket.subscribe("1", WATCH, json!({})).await;
    socket.subscribe("2", WATCH, json!({})).await;
    socket.ask("3", WATCH, json!({})).await;
    assert_eq!(socket.error("3").await, "RATE_LIMITED");
    socket.say(json!({ "type": "complete", "id": "1" })).await;
    socket.subscribe("3", WATCH, json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_connections_together_have_so_many_subscriptions() {
    let board = Board::start(&["--max-subscriptions=2"]).await;
    let mut one = Socket::open(&board.url).await;
    let mut two = Socket::open(&board.url).await;
    one.subscribe("1", WATCH, json!({})).await;
    let events = Events::open(&board, WATCH, json!({})).await;
    two.ask("1", WATCH, json!({})).await;
    assert_eq!(two.error("1").await, "SERVICE_UNAVAILABLE");
    // Queries need no such place.
    two.ask("2", "{ applicationStats { active } }", json!({}))
        .await;
    two.next("2").await;
    one.say(json!({ "type": "complete", "id": "1" })).await;
    one.subscribe("2", WATCH, json!({})).await;
    drop(events);
}

#[tokio::test(flavor = "multi_thread")]
async fn operations_over_a_connection_count_as_requests() {
    let keys = Keys::of(&[("key", Access::Write)]);
    let board = Board::start_locked(&["--requests-per-minute=2"], keys).await;
    let headers = [("authorization", "Bearer key")];
    let mut socket = Socket::connect(&board.url, &headers).await.ok().unwrap();
    socket.say(json!({ "type": "connection_init" })).await;
    socket.hear().await;
    socket.subscribe("1", WATCH, json!({})).await;
    socket.subscribe("2", WATCH, json!({})).await;
    socket.ask("3", WATCH, json!({})).await;
    assert_eq!(socket.error("3").await, "RATE_LIMITED");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_event_is_paid_for() {
    let board = Board::start(&["--cost-per-minute=1000"]).await;
    let mut socket = Socket::open(&board.url).await;
    let dear = "subscription { applicationChanged { application {
        history(first: 100) { edges { node { id } } } } } }";
    socket.subscribe("1", dear, json!({})).await;
    // About 200 each time, of 1,000 a minute: the board's own writes cost some, too.
    for number in 0..8 {
        board.create(&format!("Company {number}")).await;
    }
    let mut told = 0;
    loop {
        let message = socket.hear().await;
        if message["type"] == "error" {
            let code = &message["payload"][0]["extensions"]["code"];
            assert_eq!(code, "RATE_LIMITED");
            break;
        }
        assert_eq!(message["type"], "next");
        told += 1;
    }
    assert!(told < 8, "{told}");
}

fn ann_and_ben() -> Keys {
    Keys::of(&[("ann", Access::Write), ("ben", Access::Write)])
}

async fn connected(board: &Board, name: &str) -> Socket {
    let bearer = format!("Bearer {name}");
    let headers = [("authorization", bearer.as_str())];
    let mut socket = Socket::connect(&board.url, &headers).await.ok().unwrap();
    socket.say(json!({ "type": "connection_init" })).await;
    assert_eq!(socket.hear().await["type"], "connection_ack");
    socket
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_keeps_more_than_a_share_of_the_connections_from_others() {
    let board = Board::start_locked(&["--max-websockets=2"], ann_and_ben()).await;
    let mut anns = connected(&board, "ann").await;
    let mut anns_newest = connected(&board, "ann").await;
    let mut bens = connected(&board, "ben").await;
    assert_eq!(anns_newest.closed().await, 1013);
    // Each has one now, and keeps it.
    let refused = Socket::connect(&board.url, &[("authorization", "Bearer ann")]).await;
    assert_eq!(refused.err(), Some(503));
    anns.subscribe("1", WATCH, json!({})).await;
    bens.subscribe("1", WATCH, json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_never_authenticate_keep_nobody_out() {
    let board = Board::start_locked(&["--max-websockets=2"], ann_and_ben()).await;
    let mut silent = Vec::new();
    for _ in 0..2 {
        silent.push(Socket::connect(&board.url, &[]).await.ok().unwrap());
    }
    assert_eq!(Socket::connect(&board.url, &[]).await.err(), Some(503));
    let mut anns = connected(&board, "ann").await;
    assert_eq!(silent[1].closed().await, 1013);
    anns.subscribe("1", WATCH, json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_keeps_more_than_a_share_of_the_subscriptions_from_others() {
    let board = Board::start_locked(&["--max-subscriptions=2"], ann_and_ben()).await;
    let mut anns = connected(&board, "ann").await;
    anns.subscribe("1", WATCH, json!({})).await;
    anns.subscribe("2", WATCH, json!({})).await;
    let mut bens = connected(&board, "ben").await;
    bens.subscribe("1", WATCH, json!({})).await;
    assert_eq!(anns.error("2").await, "SERVICE_UNAVAILABLE");
    anns.ask("3", WATCH, json!({})).await;
    assert_eq!(anns.error("3").await, "SERVICE_UNAVAILABLE");
}
