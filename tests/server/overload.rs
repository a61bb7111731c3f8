//! More than the server takes on, and requests that take too long.

use std::pin::pin;
use std::sync::Arc;

use futures_util::future::select;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use trestle_server::Access;

use crate::server::support::{ByName, bearer, start, start_with};

#[tokio::test]
async fn what_neither_runs_nor_waits_is_turned_away() {
    let server = start(&["--max-concurrent", "2", "--max-queued", "1"]).await;
    let running = async { tokio::join!(server.query("{ wait }"), server.query("{ wait }")) };
    let others = async {
        server.probe.waiting(2).await;
        // One of these waits and the other is turned away, whichever comes first.
        let one = pin!(server.query("{ hello }"));
        let other = pin!(server.query("{ hello }"));
        let (turned_away, waits) = select(one, other).await.factor_first();
        turned_away.assert_refused(503, "SERVICE_UNAVAILABLE");
        assert_eq!(turned_away.header("retry-after"), Some("1"));
        server.probe.release(2);
        waits.await
    };
    let ((first, second), waited) = tokio::join!(running, others);
    assert_eq!(first.body, json!({ "data": { "wait": "done" } }));
    assert_eq!(second.body, json!({ "data": { "wait": "done" } }));
    assert_eq!(waited.body, json!({ "data": { "hello": "Hello, world" } }));
    server.still_answers().await;
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_cancelled() {
    let server = start(&["--request-timeout", "200ms"]).await;
    let answer = server.query("{ wait }").await;
    answer.assert_refused(504, "SERVICE_UNAVAILABLE");
    server.probe.cancelled().await;
    server.still_answers().await;
}

#[tokio::test]
async fn a_request_whose_client_has_gone_is_cancelled_and_recorded() {
    let server = start(&[]).await;
    tokio::select! {
        _ = server.query("{ wait }") => panic!("nobody released it"),
        () = server.probe.waiting(1) => {}
    }
    server.probe.cancelled().await;
    let records = server.records.first(1).await;
    assert_eq!(records[0].status, 499);
}

#[tokio::test]
async fn a_body_that_does_not_arrive_is_given_up() {
    let server = start(&["--request-timeout", "200ms"]).await;
    let answer = server
        .raw("POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{")
        .await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    server.still_answers().await;
}

#[tokio::test]
async fn subjects_are_limited_one_by_one() {
    let flags = ["--requests-per-minute", "3"];
    let server = start_with(&flags, Arc::new(ByName), Access::Authenticated).await;
    let query = json!({ "query": "{ hello }" });
    for _ in 0..3 {
        assert_eq!(server.post_as(query.clone(), bearer("a")).await.status, 200);
    }
    let answer = server.post_as(query.clone(), bearer("a")).await;
    answer.assert_refused(429, "RATE_LIMITED");
    let seconds: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!(
        (1..=20).contains(&seconds),
        "a third of a minute at most: {seconds}"
    );
    assert_eq!(
        answer.body["errors"][0]["extensions"]["retryAfter"],
        seconds
    );
    assert_eq!(server.post_as(query, bearer("b")).await.status, 200);
}

#[tokio::test]
async fn dear_operations_use_up_a_subjects_cost() {
    let flags = ["--cost-per-minute", "50"];
    let server = start_with(&flags, Arc::new(ByName), Access::Authenticated).await;
    let ask = |first: u32| json!({ "query": format!("{{ items(first: {first}) {{ edges {{ cursor }} }} }}") });
    assert_eq!(server.post_as(ask(30), bearer("a")).await.status, 200);
    server
        .post_as(ask(30), bearer("a"))
        .await
        .assert_refused(429, "RATE_LIMITED");
    assert_eq!(
        server.post_as(ask(10), bearer("a")).await.status,
        200,
        "what is left is enough"
    );
    server
        .post_as(ask(60), bearer("b"))
        .await
        .assert_refused(429, "RATE_LIMITED");
}

#[tokio::test]
async fn bodies_that_stop_to_arrive_give_way_to_others() {
    let server = start(&["--max-arriving-bytes", "1048576"]).await;
    let head = "POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                content-length: 1000000\r\n\r\n{";
    let mut half_sent = Vec::new();
    for _ in 0..4 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        half_sent.push(stream);
    }
    let long = " ".repeat(20 * 1024);
    let answer = server.query(&format!("{{ hello }}{long}")).await;
    assert_eq!(answer.status, 200);
    // The first of them had the room.
    let mut answer = [0; 12];
    half_sent[0].read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 408");
}
