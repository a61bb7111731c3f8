//! How often an address of a calendar is read and guessed, and what it allows.

use serde_json::{Value, json};

use crate::ask::start;
use crate::calendar::{made, read};

#[tokio::test]
async fn an_address_is_read_so_often_in_a_minute() {
    let (api, hands) = start().await;
    let path = made(&api, "createCalendarAddress", json!({})).await;
    for _ in 0..30 {
        read(&api, &path).await;
    }
    let refused = api.get(&path).await;
    assert_eq!(refused.status(), 429);
    assert_eq!(refused.headers()["retry-after"], "60");
    let body: Value = refused.json().await.unwrap();
    assert_eq!(body["errors"][0]["extensions"]["code"], "RATE_LIMITED");
    hands.go(60_000);
    read(&api, &path).await;
}

#[tokio::test]
async fn addresses_are_guessed_so_often_in_a_minute() {
    let (api, hands) = start().await;
    let path = made(&api, "createCalendarAddress", json!({})).await;
    let wrong = |n: usize| format!("/applications/calendar/{n:048x}.ics");
    for n in 0..60 {
        assert_eq!(api.get(&wrong(n)).await.status(), 404);
    }
    api.calls.reset();
    assert_eq!(api.get(&wrong(60)).await.status(), 429);
    assert!(api.calls.counts().is_empty(), "nothing is read for it");
    hands.go(60_000);
    // What is right is not counted.
    for _ in 0..20 {
        read(&api, &path).await;
    }
    for n in 0..60 {
        assert_eq!(api.get(&wrong(n)).await.status(), 404);
    }
}

#[tokio::test]
async fn an_address_only_reads() {
    let (api, _) = start().await;
    let path = made(&api, "createCalendarAddress", json!({})).await;
    let url = api.url.replace("/graphql", &path);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    for method in [
        reqwest::Method::POST,
        reqwest::Method::PUT,
        reqwest::Method::DELETE,
    ] {
        let refused = client.request(method, &url).send().await.unwrap();
        assert_eq!(refused.status(), 405);
        assert_eq!(refused.headers()["allow"], "GET, HEAD");
    }
    let head = client.head(&url).send().await.unwrap();
    assert_eq!(head.status(), 200);
}
