//! What clients learn of failures: a code and an id, never a cause.

use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock};

use futures_util::future::BoxFuture;
use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::{Value, json};
use trestle_api::viewer::Viewer;
use trestle_server::{Access, Authenticate, Unauthenticated};

use crate::server::support::{Answer, start, start_with};

fn assert_tells_nothing(answer: &Answer) {
    let text = answer.body.to_string();
    assert!(!text.contains("secret-table"), "{text}");
}

#[tokio::test]
async fn a_fault_names_the_request_and_not_its_cause() {
    let server = start(&[]).await;
    let id = HeaderMap::from_iter([(
        "x-request-id".parse().unwrap(),
        HeaderValue::from_static("the-request"),
    )]);
    for field in ["broken", "uncoded"] {
        let query = json!({ "query": format!("{{ hello {field} }}") });
        let answer = server.post_as(query, id.clone()).await;
        assert_tells_nothing(&answer);
        assert_eq!(answer.status, 200);
        assert_eq!(
            answer.body["data"],
            json!({ "hello": "Hello, world", field: null })
        );
        assert_eq!(answer.code(), Some("INTERNAL_SERVER_ERROR"));
        let error = &answer.body["errors"][0];
        assert_eq!(error["extensions"]["requestId"], "the-request");
        assert_eq!(error["path"], json!([field]));
    }
}

#[tokio::test]
async fn a_failing_field_is_found_in_the_document() {
    let server = start(&[]).await;
    let document = "query Q {\n  é: broken # é\n  ...F\n}\n\nfragment F on Query {\n  hello(name: \"é\") other: broken\n}";
    let document = document.replace("é: broken", "one: broken");
    let answer = server.query(&document).await;
    let errors = answer.body["errors"].as_array().expect("both fail");
    let mut places: Vec<_> = errors
        .iter()
        .map(|error| (error["path"].clone(), error["locations"].clone()))
        .collect();
    places.sort_by_key(|(path, _)| path.to_string());
    let expected = [
        (json!(["one"]), json!([{ "line": 2, "column": 3 }])),
        (json!(["other"]), json!([{ "line": 7, "column": 20 }])),
    ];
    assert_eq!(places, expected);
}

/// Collects what this process logs.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

/// The log of this process. A subscriber of one thread would miss events: while it is the only one, an event that another
/// thread reaches first is off for all threads, because that thread has none.
fn log() -> &'static Log {
    static LOG: OnceLock<Log> = OnceLock::new();
    LOG.get_or_init(|| {
        let log = Log::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::set_global_default(subscriber).expect("there is no other");
        log
    })
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_cause_is_logged_once_under_the_requests_id() {
    let log = log();
    let server = start(&[]).await;
    let answers = [
        server.query("{ broken }").await,
        server.query("{ unavailable }").await,
        server.query("{ panics }").await,
    ];
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    for answer in &answers {
        let id = answer.header("x-request-id").expect("every answer has one");
        let about = text
            .lines()
            .filter(|line| line.contains(id) && line.contains("secret-table"));
        assert_eq!(about.count(), 1, "{id}:\n{text}");
    }
}

#[tokio::test]
async fn an_unavailable_database_says_when_to_come_back() {
    let server = start(&[]).await;
    let answer = server.query("{ unavailable }").await;
    assert_tells_nothing(&answer);
    assert_eq!(answer.code(), Some("SERVICE_UNAVAILABLE"));
    assert_eq!(answer.body["errors"][0]["extensions"]["retryAfter"], 1);
    assert_eq!(answer.body["data"], json!({ "unavailable": null }));
}

#[tokio::test]
async fn a_panic_ends_its_own_request_only() {
    let server = start(&[]).await;
    let query = "{ wait }";
    let (answer, waited, ()) =
        tokio::join!(server.query("{ panics }"), server.query(query), async {
            server.probe.waiting(1).await;
            server.query("{ panics }").await;
            server.probe.release(1);
        });
    answer.assert_refused(500, "INTERNAL_SERVER_ERROR");
    assert_tells_nothing(&answer);
    assert_eq!(
        answer.body["errors"][0]["extensions"]["requestId"].as_str(),
        answer.header("x-request-id")
    );
    assert_eq!(waited.body, json!({ "data": { "wait": "done" } }));
    server.still_answers().await;
}

#[tokio::test]
async fn variables_that_do_not_fit_are_the_callers() {
    let server = start(&[]).await;
    let document = "query($name: String!, $ids: [Int!] = [1]) { hello(name: $name) byIds(ids: $ids) { name } }";
    let wrong = [
        json!({}),
        json!({ "name": null }),
        json!({ "name": 1 }),
        json!({ "name": "x", "ids": ["x"] }),
        json!({ "name": "x", "ids": [2147483648_u64] }),
    ];
    for variables in wrong {
        let answer = server
            .post(json!({ "query": document, "variables": variables }))
            .await;
        answer.assert_refused(200, "BAD_USER_INPUT");
    }
    let long = json!({ "query": "query($n: Int) { items(first: $n) { edges { cursor } } }",
                       "variables": { "n": "x".repeat(10_000) } });
    let answer = server.post(long).await;
    answer.assert_refused(200, "BAD_USER_INPUT");
    assert!(
        answer.message().len() < 1000,
        "a long value is not repeated"
    );
    let fits = json!({ "query": document, "variables": { "name": "x", "ids": 3, "unknown": 1 } });
    let answer = server.post(fits).await;
    assert_eq!(answer.body["data"]["byIds"], json!([{ "name": "item" }]));
}

#[tokio::test]
async fn input_that_only_the_resolver_can_judge_is_the_callers_too() {
    let server = start(&[]).await;
    let document = "query($by: By!) { found(by: $by) }";
    for by in [json!({}), json!({ "id": 1, "name": "x" })] {
        let answer = server
            .post(json!({ "query": document, "variables": { "by": by } }))
            .await;
        assert_eq!(answer.code(), Some("BAD_USER_INPUT"), "{}", answer.body);
    }
}

#[tokio::test]
async fn variables_left_out_stay_left_out() {
    let server = start(&[]).await;
    let document = "query($note: String) { patched(input: { note: $note }) }";
    let whole = "query($input: Patch!) { patched(input: $input) }";
    let cases = [
        (document, json!({}), "kept"),
        (document, json!({ "note": null }), "cleared"),
        (document, json!({ "note": "x" }), "set"),
        (whole, json!({ "input": {} }), "kept"),
        (whole, json!({ "input": { "note": null } }), "cleared"),
    ];
    for (document, variables, expected) in cases {
        let answer = server
            .post(json!({ "query": document, "variables": variables }))
            .await;
        assert_eq!(answer.body, json!({ "data": { "patched": expected } }));
    }
}

#[tokio::test]
async fn a_records_code_is_the_first_errors() {
    let server = start(&[]).await;
    server.query("{ broken }").await;
    server.query("query Named { hello }").await;
    let records = server.records.first(2).await;
    assert_eq!(
        records[0].code,
        Some(trestle_api::Code::InternalServerError)
    );
    assert_eq!(records[1].code, None);
    assert_eq!((records[1].status, records[1].service), (200, "test"));
    assert_eq!(records[1].subject.as_deref(), Some("local"));
}

#[tokio::test]
async fn costs_are_told_where_the_server_allows_it() {
    let header = HeaderMap::from_iter([(
        "x-trestle-cost".parse().unwrap(),
        HeaderValue::from_static("1"),
    )]);
    let query = json!({ "query": "{ hello }" });
    let told = start(&["--expose-cost"]).await;
    let answer = told.post_as(query.clone(), header.clone()).await;
    let expected = json!({ "calls": 0, "reads": 0, "writes": 0, "retries": 0,
                           "readUnits": 0.0, "writeUnits": 0.0 });
    assert_eq!(answer.body["extensions"]["cost"], expected);
    assert_eq!(
        told.post(query.clone()).await.body["extensions"],
        Value::Null
    );
    let kept = start(&[]).await;
    assert_eq!(
        kept.post_as(query, header).await.body["extensions"],
        Value::Null
    );
}

/// Credentials that nobody has thought of.
struct Surprised;

impl Authenticate for Surprised {
    fn authenticate<'a>(
        &'a self,
        _headers: &'a axum::http::HeaderMap,
    ) -> BoxFuture<'a, Result<Viewer, Unauthenticated>> {
        panic!("secret-table was not expected")
    }
}

#[tokio::test]
async fn a_panic_anywhere_is_an_answer_with_a_code() {
    let server = start_with(&[], Arc::new(Surprised), Access::Authenticated).await;
    let answer = server.query("{ hello }").await;
    answer.assert_refused(500, "INTERNAL_SERVER_ERROR");
    assert_tells_nothing(&answer);
    assert!(answer.header("x-request-id").is_some());
    let records = server.records.first(1).await;
    let expected = (500, Some(trestle_api::Code::InternalServerError));
    assert_eq!((records[0].status, records[0].code), expected);
}
