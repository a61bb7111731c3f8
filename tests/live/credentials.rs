//! Who subscribes, how they say so, and what becomes of those whose credentials are withdrawn.

use serde_json::json;
use trestle_api::viewer::Access;

use crate::live::board::{Board, Keys};
use crate::live::events_client::Events;
use trestle_testing::socket::{Socket, WATCH};

fn keys() -> Keys {
    Keys::of(&[("reader", Access::Read), ("writer", Access::Write)])
}

#[tokio::test(flavor = "multi_thread")]
async fn without_credentials_nobody_is_acknowledged() {
    let board = Board::start_locked(&[], keys()).await;
    let init = |payload| json!({ "type": "connection_init", "payload": payload });
    for payload in [
        json!({}),
        json!({ "authorization": "Bearer nobody" }),
        json!({ "authorization": 1 }),
        json!({ "authorization": "Bearer\nreader" }),
    ] {
        let mut socket = Socket::connect(&board.url, &[]).await.ok().unwrap();
        socket.say(init(payload.clone())).await;
        assert_eq!(socket.closed().await, 4403, "{payload}");
    }
    let headers = [("authorization", "Bearer nobody")];
    let refused = Socket::connect(&board.url, &headers).await;
    assert_eq!(refused.err(), Some(401));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_header_or_the_first_message_says_who_it_is() {
    let board = Board::start_locked(&[], keys()).await;
    let headers = [("authorization", "Bearer reader")];
    let mut by_header = Socket::connect(&board.url, &headers).await.ok().unwrap();
    by_header.say(json!({ "type": "connection_init" })).await;
    assert_eq!(by_header.hear().await["type"], "connection_ack");
    by_header.subscribe("1", WATCH, json!({})).await;

    let mut by_message = Socket::connect(&board.url, &[]).await.ok().unwrap();
    let payload = json!({ "Authorization": "Bearer reader", "other": [1] });
    let init = json!({ "type": "connection_init", "payload": payload });
    by_message.say(init).await;
    assert_eq!(by_message.hear().await["type"], "connection_ack");
    by_message.subscribe("1", WATCH, json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_only_read_writes_over_no_transport() {
    let board = Board::start_locked(&[], keys()).await;
    let write = "mutation { createApplication(input: {
        companyName: \"Acme\", positionTitle: \"Engineer\" }) { userErrors { code } } }";
    let headers = [("authorization", "Bearer reader")];
    let mut socket = Socket::connect(&board.url, &headers).await.ok().unwrap();
    socket.say(json!({ "type": "connection_init" })).await;
    socket.hear().await;
    socket.ask("1", write, json!({})).await;
    assert_eq!(socket.error("1").await, "FORBIDDEN");
    let answer = Events::ask(&board, write, json!({}), "reader").await;
    let answer = Events::of(answer).next().await;
    assert_eq!(answer["errors"][0]["extensions"]["code"], "FORBIDDEN");
}

#[tokio::test(flavor = "multi_thread")]
async fn withdrawn_credentials_end_what_runs() {
    let keys = keys();
    let board = Board::start_locked(&["--recheck-credentials=20ms"], keys.clone()).await;
    let headers = [("authorization", "Bearer reader")];
    let mut socket = Socket::connect(&board.url, &headers).await.ok().unwrap();
    socket.say(json!({ "type": "connection_init" })).await;
    socket.hear().await;
    socket.subscribe("1", WATCH, json!({})).await;
    let mut events = Events::of(Events::ask(&board, WATCH, json!({}), "reader").await);

    keys.withdraw("reader");
    assert_eq!(socket.closed().await, 4403);
    let answer = events.next().await;
    let code = &answer["errors"][0]["extensions"]["code"];
    assert_eq!(code, "UNAUTHENTICATED");
    events.completes().await;
}
