//! GraphQL over HTTP where its own audit suite does not look.

use std::sync::Arc;

use reqwest::Method;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE};
use serde_json::json;
use trestle_server::Access;

use crate::server::support::{Answer, ByName, bearer, start, start_with};

const QUERY: &str = r#"{"query":"{ hello }"}"#;
const BAD: &str = r#"{"query":"{ nothing }"}"#;
const GRAPHQL: &str = "application/graphql-response+json; charset=utf-8";
const JSON: &str = "application/json; charset=utf-8";

#[tokio::test]
async fn the_media_type_is_negotiated() {
    let server = start(&[]).await;
    let cases = [
        ("*/*", JSON),
        ("application/*", JSON),
        ("application/json", JSON),
        ("application/graphql-response+json", GRAPHQL),
        ("APPLICATION/GraphQL-Response+JSON; q=1", GRAPHQL),
        (
            "application/graphql-response+json, application/json;q=0.9",
            GRAPHQL,
        ),
        (
            "application/graphql-response+json;q=0.8, application/json;q=0.9",
            JSON,
        ),
        (
            "application/json, application/graphql-response+json",
            GRAPHQL,
        ),
        ("application/graphql-response+json;q=0, */*", JSON),
        ("application/json;q=0, */*;q=0.1", GRAPHQL),
        ("text/html, */*;q=0.1", JSON),
    ];
    for (accept, expected) in cases {
        let request = server
            .client
            .post(server.url("/graphql"))
            .header(ACCEPT, accept);
        let request = request.header(CONTENT_TYPE, "application/json").body(BAD);
        let answer = Answer::read(request.send().await.unwrap()).await;
        assert_eq!(answer.header("content-type"), Some(expected), "{accept}");
        assert_eq!(
            answer.status,
            if expected == JSON { 200 } else { 400 },
            "{accept}"
        );
    }
    for accept in ["text/html", "application/json;q=0", "image/*"] {
        let request = server
            .client
            .post(server.url("/graphql"))
            .header(ACCEPT, accept);
        let request = request.header(CONTENT_TYPE, "application/json").body(QUERY);
        let answer = Answer::read(request.send().await.unwrap()).await;
        answer.assert_refused(406, "BAD_USER_INPUT");
    }
}

#[tokio::test]
async fn only_json_in_utf_8_is_read() {
    let server = start(&[]).await;
    let send = async |kind: Option<&str>, body: &'static str| {
        let request = server.client.post(server.url("/graphql")).body(body);
        let request = match kind {
            Some(kind) => request.header(CONTENT_TYPE, kind),
            None => request,
        };
        Answer::read(request.send().await.unwrap()).await
    };
    for kind in [
        "application/json",
        "Application/JSON;charset=UTF-8",
        "application/json; charset=\"utf-8\"",
    ] {
        assert_eq!(send(Some(kind), QUERY).await.status, 200, "{kind}");
    }
    let others = [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/graphql",
        "application/json; charset=iso-8859-1",
        "application/jsonp",
    ];
    for kind in others {
        send(Some(kind), QUERY)
            .await
            .assert_refused(415, "BAD_USER_INPUT");
    }
    send(None, QUERY)
        .await
        .assert_refused(415, "BAD_USER_INPUT");
    let bodies = [
        "",
        "{",
        "[]",
        r#"[{"query":"{ hello }"}]"#,
        "1",
        "null",
        "{}",
        r#"{"query":1}"#,
        r#"{"query":"{ hello }","variables":[]}"#,
        r#"{"query":"{ hello }","operationName":{}}"#,
        r#"{"query":"{ hello }","extensions":"x"}"#,
    ];
    for body in bodies {
        send(Some("application/json"), body)
            .await
            .assert_refused(400, "BAD_USER_INPUT");
    }
    let nested = format!(
        r#"{{"query":"{{ hello }}","variables":{{"a":{}{}}}}}"#,
        "[".repeat(5000),
        "]".repeat(5000)
    );
    let request = server
        .client
        .post(server.url("/graphql"))
        .header(CONTENT_TYPE, "application/json");
    let answer = Answer::read(request.body(nested).send().await.unwrap()).await;
    answer.assert_refused(400, "BAD_USER_INPUT");
    server.still_answers().await;
}

#[tokio::test]
async fn queries_may_come_by_get_and_mutations_may_not() {
    let server = start(&[]).await;
    let get = async |pairs: &[(&str, &str)]| {
        let mut url = reqwest::Url::parse(&server.url("/graphql")).unwrap();
        url.query_pairs_mut().extend_pairs(pairs);
        Answer::read(server.client.get(url).send().await.unwrap()).await
    };
    let answer = get(&[
        ("query", "query Q($n: String) { hello(name: $n) }"),
        ("operationName", "Q"),
        ("variables", r#"{"n":"é"}"#),
    ])
    .await;
    assert_eq!(answer.body, json!({ "data": { "hello": "Hello, é" } }));
    let answer = get(&[("query", "mutation { bump }")]).await;
    answer.assert_refused(405, "OPERATION_RESOLUTION_FAILURE");
    assert_eq!(answer.header("allow"), Some("POST"));
    let both = "query Q { hello } mutation M { bump }";
    get(&[("query", both), ("operationName", "M")])
        .await
        .assert_refused(405, "OPERATION_RESOLUTION_FAILURE");
    assert_eq!(
        get(&[("query", both), ("operationName", "Q")]).await.status,
        200
    );
    assert_eq!(server.probe.bumps(), 0);
    get(&[("query", "{ hello }"), ("variables", "x")])
        .await
        .assert_refused(400, "BAD_USER_INPUT");
    get(&[]).await.assert_refused(400, "BAD_USER_INPUT");
    let answer = server.query("mutation { bump }").await;
    assert_eq!(answer.body, json!({ "data": { "bump": 1 } }));
}

#[tokio::test]
async fn other_methods_are_told_which_are_there() {
    let server = start(&[]).await;
    for method in [Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS] {
        let request = server.client.request(method, server.url("/graphql"));
        let answer = Answer::read(request.send().await.unwrap()).await;
        answer.assert_refused(405, "BAD_USER_INPUT");
        assert_eq!(answer.header("allow"), Some("GET, POST"));
    }
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_refused() {
    let server = start(&["--max-body-bytes", "1000"]).await;
    let answer = server
        .post(json!({ "query": "{ hello }", "x": "x".repeat(1000) }))
        .await;
    answer.assert_refused(413, "BAD_USER_INPUT");
    // The same without its length being announced.
    let chunk = format!("7d0\r\n{}\r\n0\r\n\r\n", " ".repeat(2000));
    let request = format!(
        "POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         transfer-encoding: chunked\r\n\r\n{chunk}"
    );
    let answer = server.raw(&request).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(answer.contains("BAD_USER_INPUT"), "{answer}");
    server.still_answers().await;
}

#[tokio::test]
async fn credentials_decide_who_may_what() {
    let server = start_with(&[], Arc::new(ByName), Access::Authenticated).await;
    let query = json!({ "query": "{ hello }" });
    let mutation = json!({ "query": "mutation { bump }" });
    for headers in [Default::default(), bearer("wrong")] {
        let answer = server.post_as(query.clone(), headers).await;
        answer.assert_refused(401, "UNAUTHENTICATED");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        let message = answer.message();
        assert!(message.contains("`Authorization: Bearer ...`"), "{message}");
        assert!(message.contains("`x-api-key`"), "{message}");
    }
    assert_eq!(server.post_as(query, bearer("reader")).await.status, 200);
    let answer = server.post_as(mutation.clone(), bearer("reader")).await;
    answer.assert_refused(200, "FORBIDDEN");
    assert_eq!(server.probe.bumps(), 0);
    let answer = server.post_as(mutation, bearer("writer")).await;
    assert_eq!(answer.body, json!({ "data": { "bump": 1 } }));
    let records = server.records.first(5).await;
    let subjects: Vec<_> = records
        .iter()
        .map(|record| record.subject.as_deref())
        .collect();
    assert_eq!(
        subjects,
        [None, None, Some("reader"), Some("reader"), Some("writer")]
    );
}

#[tokio::test]
async fn metrics_are_for_those_with_their_role() {
    let server = start_with(&[], Arc::new(ByName), Access::Authenticated).await;
    let get = async |headers| {
        let request = server.client.get(server.url("/metrics")).headers(headers);
        Answer::read(request.send().await.unwrap()).await
    };
    assert_eq!(get(Default::default()).await.status, 401);
    for name in ["reader", "writer"] {
        let answer = get(bearer(name)).await;
        let says = json!("Use credentials with the role metrics.\n");
        assert_eq!((answer.status, answer.body), (403, says));
    }
    let answer = get(bearer("scraper")).await;
    assert_eq!((answer.status, answer.body), (200, json!("# EOF\n")));
    let answer = Answer::read(
        server
            .client
            .get(server.url("/livez"))
            .send()
            .await
            .unwrap(),
    )
    .await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn resolvers_may_set_headers_and_say_how_long_an_answer_keeps() {
    let server = start(&[]).await;
    let answer = server.query("{ kept }").await;
    assert_eq!(answer.body, json!({ "data": { "kept": "kept" } }));
    assert_eq!(answer.header("x-kept"), Some("yes"));
    assert_eq!(answer.header("cache-control"), Some("max-age=60"));
    // Other answers are personal, whatever credentials a cache knows.
    for document in ["{ hello }", "{ nothing }", "mutation { bump }"] {
        let answer = server.query(document).await;
        assert_eq!(
            answer.header("cache-control"),
            Some("private, no-store"),
            "{document}"
        );
        let varies: Vec<_> = answer.headers.get_all("vary").iter().collect();
        assert!(
            varies.contains(&&"accept, authorization, x-api-key".parse().unwrap()),
            "{varies:?}"
        );
    }
}

#[tokio::test]
async fn nothing_is_done_for_an_answer_in_no_encoding_of_ours() {
    let server = start(&[]).await;
    let bump = async |encodings: &str| {
        let request = server.client.post(server.url("/graphql"));
        let request = request.json(&json!({ "query": "mutation { bump }" }));
        let sent = request.header(ACCEPT_ENCODING, encodings).send().await;
        Answer::read(sent.unwrap()).await
    };
    for encodings in [
        "identity;q=0",
        "identity; q=0.000",
        "*;q=0",
        "deflate, identity;q=0",
        "gzip;q=x, identity;q=0",
        "GZIP;Q=0, br;q=0, zstd;q=0, identity;q=0, *",
    ] {
        let answer = bump(encodings).await;
        answer.assert_refused(406, "BAD_USER_INPUT");
    }
    assert_eq!(server.probe.bumps(), 0);
    let taken = [
        "",
        "deflate",
        "gzip;q=0",
        "identity;q=0, zstd",
        "*;q=0, identity",
        "identity;q=0, *;q=0.1",
    ];
    for encodings in taken {
        assert_eq!(bump(encodings).await.status, 200, "{encodings}");
    }
    assert_eq!(server.probe.bumps(), taken.len());
}

#[tokio::test]
async fn who_waits_before_sending_a_body_is_refused_first() {
    let server = start(&["--max-body-bytes", "1000"]).await;
    for (method, headers, status) in [
        (
            "POST",
            "content-type: application/json\r\ncontent-length: 1001",
            413,
        ),
        (
            "POST",
            "content-type: text/plain\r\ncontent-length: 21",
            415,
        ),
        (
            "PUT",
            "content-type: application/json\r\ncontent-length: 21",
            405,
        ),
    ] {
        let head = format!(
            "{method} /graphql HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\n{headers}\r\n\r\n"
        );
        let answer = server.raw(&head).await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{answer}"
        );
    }
    let head = format!(
        "POST /graphql HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nexpect: 100-continue\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{QUERY}",
        QUERY.len()
    );
    let answer = server.raw(&head).await;
    assert!(answer.contains("HTTP/1.1 200 "), "{answer}");
}

#[tokio::test]
async fn pages_of_other_sites_send_no_queries_unless_they_are_allowed() {
    let flags = ["--cors-origins", "https://board.example"];
    let server = start_with(&flags, Arc::new(ByName), Access::Authenticated).await;
    let get = async |headers: &[(&'static str, &str)]| {
        let mut request = server.client.get(server.url("/graphql?query=%7Bhello%7D"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Answer::read(request.send().await.unwrap()).await
    };
    let cross = ("sec-fetch-site", "cross-site");
    get(&[cross]).await.assert_refused(403, "FORBIDDEN");
    let evil = ("origin", "https://evil.example");
    get(&[cross, evil]).await.assert_refused(403, "FORBIDDEN");
    // These pass this check, and are asked for credentials.
    for headers in [
        &[cross, ("origin", "https://board.example")][..],
        &[("sec-fetch-site", "same-origin")],
        &[("sec-fetch-site", "none")],
        &[],
    ] {
        get(headers).await.assert_refused(401, "UNAUTHENTICATED");
    }
    // The server allowed whoever sends credentials to do so.
    let answer = get(&[cross, ("authorization", "Bearer ann")]).await;
    assert_eq!(answer.status, 200);
}
