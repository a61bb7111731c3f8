//! What the server says of itself where only requests say how clients reach it, and what it reports of proxies that it does not
//! trust.

use std::sync::Arc;

use serde_json::{Value, json};
use trestle_api::viewer::Access as May;
use trestle_applications::{ApplicationsService, TABLE};
use trestle_dynamodb::Embedded;
use trestle_server::authentication::generate;
use trestle_server::{Access, NoopObserver, Open, Parts, Server};
use trestle_table::Table;
use trestle_table::clock::Clock;

use crate::process::Process;
use crate::server::support::args;

/// A server that was not told where it listens; its address.
async fn unnamed(flags: &[&str]) -> String {
    let client = Embedded::memory().unwrap().client();
    let table = Table::new(client, &TABLE, "applications-test");
    table.create().await.unwrap();
    let parts = Parts {
        services: vec![Arc::new(
            ApplicationsService::new(table, Clock::system()).hosted(),
        )],
        authenticate: Arc::new(Open),
        access: Access::Open,
        observer: Arc::new(NoopObserver),
        metrics: Arc::new(String::new),
    };
    let server = Server::new(args(flags), parts).unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, server.router()).await });
    address.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn urls_name_the_host_that_the_request_names() {
    for proxies in ["0", "1"] {
        let address = unnamed(&["--insecure", "--trusted-proxies", proxies]).await;
        for host in [
            address.as_str(),
            "localhost:8000",
            "api.example",
            "api.example:8443",
            "[::1]:8000",
        ] {
            for (proto, is_said) in [("https", true), ("http", true), ("", false)] {
                for accept in [
                    "application/json",
                    "text/event-stream",
                    "multipart/mixed;subscriptionSpec=1.0",
                    "*/*",
                ] {
                    for name in ["createCalendarAddress", "revokeCalendarAddress"] {
                        let fields = if name.starts_with("create") {
                            "url"
                        } else {
                            "userErrors { code }"
                        };
                        let document = format!("mutation {{ {name}(input: {{}}) {{ {fields} }} }}");
                        let client = reqwest::Client::builder().no_proxy().build().unwrap();
                        let request = client.post(format!("http://{address}/graphql"));
                        let request = request.header("host", host).header("accept", accept);
                        let request = if is_said {
                            request.header("x-forwarded-proto", proto)
                        } else {
                            request
                        };
                        let request = request.json(&json!({ "query": document }));
                        let text = request.send().await.unwrap().text().await.unwrap();
                        let scheme = if proto == "https" && proxies == "1" {
                            "https"
                        } else {
                            "http"
                        };
                        if name.starts_with("create") {
                            let begins = format!("{scheme}://{host}/applications/calendar/");
                            assert!(text.contains(&begins), "{host} {proto} {accept}: {text}");
                        }
                    }
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_request_of_a_proxy_that_is_not_trusted_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys");
    let key = generate("me", May::Write, [7; 32]).unwrap();
    std::fs::write(&file, key.line).unwrap();
    let keys = file.to_str().unwrap();
    for trusted in ["0", "1"] {
        for name in [
            "X-Forwarded-For",
            "x-forwarded-for",
            "Forwarded",
            "X-Request-Id",
        ] {
            let server = Process::start(&["--api-keys", keys, "--trusted-proxies", trusted]).await;
            for path in [
                "/graphql",
                "/readyz",
                "/applications/agenda.ics",
                "/nothing",
            ] {
                for key in ["", key.secret.as_str()] {
                    let request = server.client.get(server.at(path));
                    let request = request
                        .header(name, "for=203.0.113.9")
                        .header("x-api-key", key);
                    request.send().await.unwrap();
                }
            }
            let lines = server.stop().await.lines();
            let is_warning = |line: &&Value| line.to_string().contains("--trusted-proxies is 0");
            let count = lines.iter().filter(is_warning).count();
            let is_forwarded = name != "X-Request-Id";
            let expected = usize::from(is_forwarded && trusted == "0");
            assert_eq!(count, expected, "{name} {trusted}: {lines:?}");
        }
    }
}
