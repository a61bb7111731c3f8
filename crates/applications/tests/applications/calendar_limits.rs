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
    assert_eq!(api.get(&wrong(60)).await.status(), 429);
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
async fn a_right_address_is_answered_however_many_wrong_ones_its_network_tries() {
    let wrong = |n: usize| format!("/applications/calendar/{n:048x}.ics");
    // Wrong ones before, whether the address was read before them, and wrong ones that wait meanwhile.
    for before in [0, 1, 59, 60, 61, 100] {
        for is_known in [false, true] {
            for meanwhile in [0, 8] {
                let (api, _hands) = start().await;
                let path = made(&api, "createCalendarAddress", json!({})).await;
                if is_known {
                    read(&api, &path).await;
                }
                for n in 0..before {
                    let status = if n < 60 { 404 } else { 429 };
                    assert_eq!(api.get(&wrong(n)).await.status(), status);
                }
                let others = (0..meanwhile).map(|n| wrong(1_000 + n));
                let others: Vec<_> = others.collect();
                let others = others.iter().map(|path| api.get(path));
                let others = futures_util::future::join_all(others);
                let (_, ()) = futures_util::join!(others, async {
                    read(&api, &path).await;
                });
                // Revoked, it is a wrong one like others.
                let path = made(&api, "renewCalendarAddress", json!({})).await;
                read(&api, &path).await;
            }
        }
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
