//! `/`: the services that run, for people.

use reqwest::header::ACCEPT;

use crate::server::support::{Answer, start};

#[tokio::test]
async fn a_browser_finds_the_services_at_the_root() {
    let server = start(&[]).await;
    let page = server
        .client
        .get(server.url("/"))
        .header(ACCEPT, "text/html");
    let page = page.send().await.unwrap();
    assert_eq!(page.status(), 200);
    assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
    let text = page.text().await.unwrap();
    assert!(text.contains("href=\"/graphql\""), "{text}");
    // So does whoever takes anything, as `curl` does, and who does not say what they take.
    for accept in ["*/*", "text/plain", ""] {
        let mut request = server.client.get(server.url("/"));
        if !accept.is_empty() {
            request = request.header(ACCEPT, accept);
        }
        let text = request.send().await.unwrap();
        assert_eq!(text.status(), 200, "{accept}");
        assert_eq!(text.headers()["content-type"], "text/plain; charset=utf-8");
        let text = text.text().await.unwrap();
        for path in [": /graphql\n", ": /test/schema.graphql\n", "/livez"] {
            assert!(text.contains(path), "{path}: {text}");
        }
    }
    // Programs that want JSON, or send a document here, are told where to ask.
    let json = server
        .client
        .get(server.url("/"))
        .header(ACCEPT, "application/json");
    let post = server.client.post(server.url("/")).body("{}");
    for request in [json, post] {
        let answer = Answer::read(request.send().await.unwrap()).await;
        assert_eq!(answer.status, 404);
        assert!(answer.message().contains("/graphql"));
    }
}
