//! GraphQL over server-sent events, one operation for each request.

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use serde_json::json;

use crate::live::board::{Board, Keys};
use crate::live::events_client::Events;
use trestle_testing::socket::{Socket, WATCH};

#[tokio::test(flavor = "multi_thread")]
async fn events_and_a_socket_stay_in_step() {
    let board = Board::start(&[]).await;
    let mut events = Events::open(&board, WATCH, json!({})).await;
    let mut socket = Socket::open(&board.url).await;
    socket.subscribe("1", WATCH, json!({})).await;
    let id = board.create("Acme").await;
    board.note(&id, "two\nlines").await;
    for kind in ["CREATED", "UPDATED"] {
        let told = events.next().await["data"].clone();
        assert_eq!(told, socket.next("1").await);
        assert_eq!(told["applicationChanged"]["kind"], kind);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_or_mutation_has_one_event() {
    let board = Board::start(&[]).await;
    let query = "{ applicationStats { active } }";
    let mut events = Events::open(&board, query, json!({})).await;
    let answer = json!({ "data": { "applicationStats": { "active": 0 } } });
    assert_eq!(events.next().await, answer);
    events.completes().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_graphql_refuses_is_an_event() {
    let board = Board::start(&[]).await;
    for (query, code) in [
        ("subscription { nothing }", "GRAPHQL_VALIDATION_FAILED"),
        ("subscription {", "GRAPHQL_PARSE_FAILED"),
        (
            "subscription { applicationChanged(ids: [\"\"]) { kind } }",
            "BAD_USER_INPUT",
        ),
        (
            "subscription A { applicationChanged { kind } } query B { applicationStats { active } }",
            "OPERATION_RESOLUTION_FAILURE",
        ),
    ] {
        let mut events = Events::open(&board, query, json!({})).await;
        let answer = events.next().await;
        assert_eq!(answer["errors"][0]["extensions"]["code"], code, "{query}");
        events.completes().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_http_refuses_is_a_status() {
    let keys = Keys::of(&[("reader", trestle_api::viewer::Access::Read)]);
    let board = Board::start_locked(&["--max-subscriptions=1"], keys).await;
    let unknown = Events::ask(&board, WATCH, json!({}), "nobody").await;
    assert_eq!(unknown.status(), 401);
    let plain = [
        (ACCEPT, HeaderValue::from_static("text/event-stream")),
        (CONTENT_TYPE, HeaderValue::from_static("text/plain")),
    ];
    let text = board
        .post(WATCH, json!({}))
        .headers(HeaderMap::from_iter(plain));
    let text = text.bearer_auth("reader");
    assert_eq!(text.send().await.expect("it answers").status(), 415);
    let first = Events::of(Events::ask(&board, WATCH, json!({}), "reader").await);
    let second = Events::ask(&board, WATCH, json!({}), "reader").await;
    assert_eq!(second.status(), 503);
    drop(first);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_that_asks_for_one_answer_is_told_how_to_ask() {
    let board = Board::start(&[]).await;
    let response = board
        .post(WATCH, json!({}))
        .header("accept", "application/json")
        .send()
        .await
        .expect("it answers");
    let answer: serde_json::Value = response.json().await.expect("JSON");
    let error = &answer["errors"][0];
    assert_eq!(error["extensions"]["code"], "OPERATION_RESOLUTION_FAILURE");
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains("graphql-transport-ws"), "{message}");
    assert!(message.contains("text/event-stream"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_takes_events_beside_others_gets_events_of_subscriptions_alone() {
    let board = Board::start(&[]).await;
    for accept in [
        "*/*",
        "text/event-stream, application/json",
        "application/json, text/event-stream",
        "application/graphql-response+json, text/event-stream;q=0.1",
        "application/json;q=0.5, */*;q=0.1",
    ] {
        let ask = async |query: &str| {
            let request = board.post(query, json!({})).header(ACCEPT, accept);
            request.send().await.expect("an answer")
        };
        let kind = |response: &reqwest::Response| {
            let kind = response.headers()["content-type"].to_str();
            kind.expect("text").to_owned()
        };
        let subscribed = ask(WATCH).await;
        assert_eq!(kind(&subscribed), "text/event-stream; charset=utf-8");
        let mut events = Events::of(subscribed);
        board.create("Acme").await;
        let told = events.next().await["data"].clone();
        assert_eq!(told["applicationChanged"]["kind"], "CREATED", "{accept}");
        for query in [
            "{ applicationStats { active } }",
            "subscription { nothing }",
        ] {
            let answered = ask(query).await;
            assert!(kind(&answered).contains("json"), "{accept}: {query}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_gives_its_place_back() {
    let board = Board::start(&["--max-subscriptions=1"]).await;
    drop(Events::open(&board, WATCH, json!({})).await);
    // The server learns of it in its own time.
    while Events::ask(&board, WATCH, json!({}), "").await.status() == 503 {
        tokio::task::yield_now().await;
    }
}
