//! Hosts, methods and encodings that are refused before a request is looked at.

use std::sync::Arc;

use reqwest::Method;
use reqwest::header::HOST;
use serde_json::json;
use trestle_server::Access;

use crate::server::support::{Answer, ByName, Running, bearer, start, start_with};

async fn asked_as(server: &Running, host: &str) -> Answer {
    let request = server
        .client
        .post(server.url("/graphql"))
        .header(HOST, host);
    let request = request.json(&json!({ "query": "mutation { bump }" }));
    Answer::read(request.send().await.unwrap()).await
}

#[tokio::test]
async fn an_open_loopback_server_answers_no_foreign_host() {
    let server = start(&["--allowed-hosts", "board.example"]).await;
    for host in [
        "evil.example",
        "127.0.0.1.evil.example",
        "evil.example:8000",
    ] {
        asked_as(&server, host)
            .await
            .assert_refused(403, "FORBIDDEN");
    }
    assert_eq!(server.probe.bumps(), 0);
    for host in ["localhost", "LOCALHOST:1234", "[::1]:80", "board.example"] {
        assert_eq!(asked_as(&server, host).await.status, 200, "{host}");
    }
    // A probe knows no name, and learns nothing.
    let request = server
        .client
        .get(server.url("/livez"))
        .header(HOST, "10.1.2.3");
    assert_eq!(request.send().await.unwrap().status(), 200);
    let request = server
        .client
        .get(server.url("/metrics"))
        .header(HOST, "10.1.2.3");
    assert_eq!(request.send().await.unwrap().status(), 403);
}

#[tokio::test]
async fn an_open_server_that_others_reach_answers_to_addresses_and_not_to_names_of_pages() {
    let flags = [
        "--listen=0.0.0.0:0",
        "--insecure",
        "--allowed-hosts=trestle",
    ];
    let server = start(&flags).await;
    for host in ["evil.example", "evil.example:8000", "10.0.0.1.evil.example"] {
        asked_as(&server, host)
            .await
            .assert_refused(403, "FORBIDDEN");
    }
    assert_eq!(server.probe.bumps(), 0);
    for host in [
        "localhost:8000",
        "10.1.2.3:8000",
        "[2001:db8::1]",
        "trestle:8000",
    ] {
        assert_eq!(asked_as(&server, host).await.status, 200, "{host}");
    }
}

#[tokio::test]
async fn with_credentials_every_host_is_answered_unless_some_are_listed() {
    let ask = async |flags: &[&str]| {
        let server = start_with(flags, Arc::new(ByName), Access::Authenticated).await;
        let request = server.client.post(server.url("/graphql"));
        let request = request.headers(bearer("ann")).header(HOST, "api.example");
        let request = request.json(&json!({ "query": "{ hello }" }));
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(ask(&[]).await, 200);
    assert_eq!(ask(&["--allowed-hosts", ""]).await, 200);
    assert_eq!(ask(&["--allowed-hosts", "api.example"]).await, 200);
    assert_eq!(ask(&["--allowed-hosts", "other.example"]).await, 403);
}

#[tokio::test]
async fn a_request_names_one_host() {
    let server = start(&[]).await;
    for hosts in ["", "host: localhost\r\nhost: localhost\r\n"] {
        let answer = server
            .raw(&format!("GET /livez HTTP/1.1\r\n{hosts}\r\n"))
            .await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    }
}

#[tokio::test]
async fn a_transfer_encoding_other_than_chunked_is_not_implemented() {
    let server = start(&[]).await;
    let request = "POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                   transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n";
    let answer = server.raw(request).await;
    assert!(answer.starts_with("HTTP/1.1 501 "), "{answer}");
}

#[tokio::test]
async fn a_body_is_chunked_once() {
    let server = start(&[]).await;
    let request = "POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                   transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n";
    let answer = server.raw(request).await;
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
}

#[tokio::test]
async fn head_is_answered_as_get_without_a_body() {
    let server = start(&[]).await;
    let url = server.url("/graphql?query=%7B%20hello%20%7D");
    let get = server.client.get(&url).send().await.unwrap();
    let head = server
        .client
        .request(Method::HEAD, &url)
        .send()
        .await
        .unwrap();
    assert_eq!(head.status(), 200);
    assert_eq!(
        head.headers()["content-type"],
        get.headers()["content-type"]
    );
    assert_eq!(head.text().await.unwrap(), "");
    let url = server.url("/graphql?query=mutation%7Bbump%7D");
    let head = server
        .client
        .request(Method::HEAD, &url)
        .send()
        .await
        .unwrap();
    assert_eq!(head.status(), 405);
    assert_eq!(server.probe.bumps(), 0);
}

#[tokio::test]
async fn every_401_names_the_scheme() {
    let server = start_with(&[], Arc::new(ByName), Access::Authenticated).await;
    for path in ["/graphql?query=%7Bhello%7D", "/metrics"] {
        let answer = server.client.get(server.url(path)).send().await.unwrap();
        assert_eq!(answer.status(), 401, "{path}");
        assert_eq!(answer.headers()["www-authenticate"], "Bearer", "{path}");
    }
}
