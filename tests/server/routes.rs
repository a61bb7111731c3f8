//! Paths, health, and the headers of every answer.

use reqwest::Method;
use reqwest::header::HeaderValue;
use serde_json::json;

use crate::server::support::{Answer, Running, start};

async fn get(server: &Running, path: &str, headers: &[(&'static str, &str)]) -> Answer {
    let mut request = server.client.get(server.url(path));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    Answer::read(request.send().await.unwrap()).await
}

#[tokio::test]
async fn a_service_is_at_its_name_and_the_first_at_the_short_path() {
    let server = start(&[]).await;
    for path in ["/graphql", "/test/graphql"] {
        let request = server
            .client
            .post(server.url(path))
            .json(&json!({ "query": "{ hello }" }));
        let answer = Answer::read(request.send().await.unwrap()).await;
        assert_eq!(answer.body, json!({ "data": { "hello": "Hello, world" } }));
    }
    assert_eq!(get(&server, "/other/graphql", &[]).await.status, 404);
    assert_eq!(get(&server, "/other", &[]).await.status, 404);
}

#[tokio::test]
async fn readiness_is_the_services_and_asked_once_a_second() {
    let server = start(&[]).await;
    assert_eq!(get(&server, "/livez", &[]).await.status, 200);
    assert_eq!(server.probe.asked_ready(), 0, "being alive reads nothing");
    for _ in 0..20 {
        assert_eq!(get(&server, "/readyz", &[]).await.status, 200);
    }
    let asked = server.probe.asked_ready();
    assert!((1..20).contains(&asked), "{asked}");
    let broken = start(&[]).await;
    broken.probe.set_ready(false);
    assert_eq!(get(&broken, "/readyz", &[]).await.status, 503);
    assert_eq!(get(&broken, "/livez", &[]).await.status, 200);
}

#[tokio::test]
async fn a_request_keeps_its_id_or_gets_one() {
    let server = start(&[]).await;
    let answer = get(&server, "/livez", &[("x-request-id", "Abc-1.2:3")]).await;
    assert_eq!(answer.header("x-request-id"), Some("Abc-1.2:3"));
    let long = "x".repeat(129);
    for unfit in ["", "a b", long.as_str()] {
        let answer = get(&server, "/livez", &[("x-request-id", unfit)]).await;
        let id = answer.header("x-request-id").unwrap();
        assert!(uuid::Uuid::parse_str(id).is_ok(), "{id}");
    }
}

/// What stands between a client and the server answers too: clients tell them apart by a header.
#[tokio::test]
async fn graphql_answers_are_marked_and_no_others() {
    let server = start(&["--cors-origins", "https://a.example"]).await;
    let mark = "x-trestle-answer";
    let bodies = [
        r#"{"query":"{ hello }"}"#,
        r#"{"query":"{ none }"}"#,
        "{",
        "",
    ];
    let medias = [
        "application/json",
        "application/graphql-response+json",
        "text/event-stream",
        "multipart/mixed",
        "image/png",
        "*/*",
    ];
    let methods = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::DELETE,
    ];
    for method in methods {
        for media in medias {
            for body in bodies {
                let request = server
                    .client
                    .request(method.clone(), server.url("/graphql"));
                let request = request
                    .header("origin", "https://a.example")
                    .header("accept", media)
                    .header("content-type", "application/json")
                    .body(body);
                let answer = request.send().await.unwrap();
                let case = format!("{method} {media} {body}");
                let header = |name: &str| {
                    answer
                        .headers()
                        .get(name)
                        .and_then(|value| value.to_str().ok())
                };
                assert_eq!(header(mark), Some("graphql"), "{case}");
                let exposed = header("access-control-expose-headers").unwrap_or_default();
                assert!(
                    exposed.split(',').any(|name| name == mark),
                    "{case}: {exposed}"
                );
            }
        }
    }
    for path in ["/", "/livez", "/readyz", "/nothing", "/graphqls"] {
        assert_eq!(get(&server, path, &[]).await.header(mark), None, "{path}");
    }
}

#[tokio::test]
async fn browsers_of_other_origins_may_not_ask_unless_allowed() {
    let ask = async |server: &Running, method: Method, origin: &'static str| {
        let request = server.client.request(method, server.url("/graphql"));
        let request = request
            .header("origin", HeaderValue::from_static(origin))
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "content-type")
            .json(&json!({ "query": "{ hello }" }));
        Answer::read(request.send().await.unwrap()).await
    };
    let allow = "access-control-allow-origin";
    let closed = start(&[]).await;
    assert_eq!(
        ask(&closed, Method::POST, "https://a.example")
            .await
            .header(allow),
        None
    );
    let open = start(&["--cors-origins", "https://a.example,https://b.example"]).await;
    for method in [Method::OPTIONS, Method::POST] {
        for origin in ["https://a.example", "https://b.example"] {
            let answer = ask(&open, method.clone(), origin).await;
            assert_eq!((answer.status, answer.header(allow)), (200, Some(origin)));
        }
        let answer = ask(&open, method, "https://c.example").await;
        assert_eq!(answer.header(allow), None);
    }
}

#[tokio::test]
async fn long_answers_are_compressed_and_short_ones_are_not() {
    let server = start(&[]).await;
    for encoding in ["gzip", "br", "zstd"] {
        let headers = [
            ("accept-encoding", encoding),
            ("accept", "application/json"),
        ];
        let long = get(&server, "/graphql?query=%7Blong%7D", &headers).await;
        assert_eq!(long.header("content-encoding"), Some(encoding));
        assert_eq!(long.header("x-content-type-options"), Some("nosniff"));
        let short = get(&server, "/graphql?query=%7Bhello%7D", &headers).await;
        assert_eq!(short.header("content-encoding"), None);
    }
    let plain = get(&server, "/graphql?query=%7Blong%7D", &[]).await;
    assert_eq!(plain.header("content-encoding"), None);
}

#[tokio::test]
async fn a_browser_gets_a_page_and_a_program_an_answer() {
    let server = start(&[]).await;
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    let page = get(&server, "/test/graphql", &[("accept", browser)]).await;
    assert_eq!(
        (page.status, page.header("content-type")),
        (200, Some("text/html; charset=utf-8"))
    );
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
    let html = page.body.as_str().unwrap();
    // The bundle's policy is in the header; the page that stands in for it carries its own.
    let strict = "default-src 'none'";
    assert!(policy.contains(strict) || html.contains(strict), "{policy}");
    assert!(html.contains(r#""endpoint":"/test/graphql""#), "{html}");
    assert!(
        html.contains(r#"\u003c/script>"#),
        "an example cannot end its block: {html}"
    );
    let asked = get(
        &server,
        "/graphql?query=%7Bhello%7D",
        &[("accept", browser)],
    )
    .await;
    assert_eq!(asked.body, json!({ "data": { "hello": "Hello, world" } }));
    let off = start(&["--playground", "off"]).await;
    let answer = get(&off, "/graphql", &[("accept", browser)]).await;
    assert_eq!(
        answer.header("content-type"),
        Some("application/json; charset=utf-8")
    );
    assert_eq!(
        get(&server, "/playground/../Cargo.toml", &[]).await.status,
        404
    );
}
