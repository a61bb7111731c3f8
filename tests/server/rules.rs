//! Every rule of requests over every transport: what may run does not depend on how it is asked for.

use std::sync::Arc;

use reqwest::Method;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use trestle_server::{Access, Open};
use trestle_testing::socket::Socket;

use crate::server::support::{ByName, Running, start_with};

/// A transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Http(&'static str, Accept),
    WebSocket,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Accept {
    Json,
    Events,
    Parts,
    /// JSON or events.
    Both,
    /// Anything.
    Any,
}

const METHODS: [&str; 3] = ["POST", "GET", "HEAD"];
const ACCEPTS: [Accept; 5] = [
    Accept::Json,
    Accept::Events,
    Accept::Parts,
    Accept::Both,
    Accept::Any,
];

fn ways() -> impl Iterator<Item = Way> {
    let http = METHODS
        .into_iter()
        .flat_map(|method| ACCEPTS.map(|accept| Way::Http(method, accept)));
    // An answer of the older media type says only in its body what is wrong, and to HEAD it has none.
    let shows = http.filter(|way| *way != Way::Http("HEAD", Accept::Any));
    shows.chain([Way::WebSocket])
}

impl Way {
    /// Whether a mutation may come this way.
    fn writes(self) -> bool {
        matches!(self, Way::WebSocket | Way::Http("POST", _))
    }

    /// Whether the way back has room for many answers.
    fn streams(self) -> bool {
        let one = matches!(self, Way::Http(_, Accept::Json));
        !one && !self.is_head()
    }

    fn is_head(self) -> bool {
        matches!(self, Way::Http("HEAD", _))
    }

    /// Whether there is no answer of this kind.
    fn is_unacceptable(self) -> bool {
        self == Way::Http("HEAD", Accept::Events)
    }
}

/// What becomes of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Runs,
    /// With a code, if the transport has room for one.
    Refused(Option<String>),
}

impl Outcome {
    /// Refused, where the transport shows a code with this one.
    fn is_refused_as(&self, code: &str) -> bool {
        match self {
            Outcome::Runs => false,
            Outcome::Refused(shown) => shown.as_deref().is_none_or(|shown| shown == code),
        }
    }
}

/// The first code in a text with JSON in it.
fn code_in(text: &str) -> Option<String> {
    let rest = text.split_once("\"code\":\"")?.1;
    Some(rest.split_once('"')?.0.to_owned())
}

/// Headers of a request.
type Headers<'a> = &'a [(&'static str, &'a str)];

async fn ask(server: &Running, way: Way, params: &Value, headers: Headers<'_>) -> Outcome {
    match way {
        Way::Http(method, accept) => ask_http(server, (method, accept), params, headers).await,
        Way::WebSocket => ask_socket(server, params, headers).await,
    }
}

async fn ask_http(
    server: &Running,
    (method, accept): (&str, Accept),
    params: &Value,
    headers: Headers<'_>,
) -> Outcome {
    let mut url = reqwest::Url::parse(&server.url("/graphql")).unwrap();
    let request = if method == "POST" {
        let request = server.client.post(url).body(params.to_string());
        if headers.iter().any(|(name, _)| *name == "content-type") {
            request
        } else {
            request.header(CONTENT_TYPE, "application/json")
        }
    } else {
        let fields = params.as_object().cloned();
        for (name, value) in fields.unwrap_or_default() {
            let text = value.as_str().map(str::to_owned);
            let text = text.unwrap_or_else(|| value.to_string());
            url.query_pairs_mut().append_pair(&name, &text);
        }
        server
            .client
            .request(Method::try_from(method).unwrap(), url)
    };
    let accept = match accept {
        Accept::Json => "application/graphql-response+json",
        Accept::Events => "text/event-stream",
        Accept::Parts => "multipart/mixed;subscriptionSpec=1.0, application/graphql-response+json",
        Accept::Both => "application/graphql-response+json, text/event-stream",
        Accept::Any => "*/*",
    };
    let mut request = request.header(ACCEPT, accept);
    for (name, value) in headers.iter().filter(|(name, _)| *name != "accept") {
        request = request.header(*name, *value);
    }
    let answer = request.send().await.unwrap();
    let is_refused = answer.status().as_u16() >= 400;
    let code = code_in(&answer.text().await.unwrap());
    if is_refused || code.is_some() {
        Outcome::Refused(code)
    } else {
        Outcome::Runs
    }
}

async fn ask_socket(server: &Running, params: &Value, headers: Headers<'_>) -> Outcome {
    let headers: Vec<_> = headers
        .iter()
        .copied()
        .filter(|(name, _)| *name != "content-type")
        .collect();
    let Ok(mut socket) = Socket::connect(&server.url("/graphql"), &headers).await else {
        return Outcome::Refused(None);
    };
    socket.say(json!({ "type": "connection_init" })).await;
    let Some(_acknowledged) = socket.heard().await else {
        return Outcome::Refused(None);
    };
    let subscribe = json!({ "type": "subscribe", "id": "1", "payload": params });
    socket.say(subscribe).await;
    match socket.heard().await {
        None => Outcome::Refused(None),
        Some(message) => match code_in(&message.to_string()) {
            Some(code) => Outcome::Refused(Some(code)),
            None => Outcome::Runs,
        },
    }
}

fn document(text: &str) -> Value {
    json!({ "query": text })
}

async fn open(flags: &[&str]) -> Running {
    start_with(flags, Arc::new(Open), Access::Open).await
}

async fn authenticated(flags: &[&str]) -> Running {
    start_with(flags, Arc::new(ByName), Access::Authenticated).await
}

#[tokio::test]
async fn mutations_run_only_where_no_page_can_send_them_unasked() {
    let server = open(&[]).await;
    let mut ran = 0;
    for way in ways() {
        let outcome = ask(&server, way, &document("mutation { bump }"), &[]).await;
        if way.writes() {
            ran += 1;
            assert_eq!(outcome, Outcome::Runs, "{way:?}");
        } else if way.is_unacceptable() {
            assert_ne!(outcome, Outcome::Runs, "{way:?}");
        } else {
            let code = "OPERATION_RESOLUTION_FAILURE";
            assert!(outcome.is_refused_as(code), "{way:?}: {outcome:?}");
        }
        assert_eq!(server.probe.bumps(), ran, "{way:?}");
    }
}

#[tokio::test]
async fn an_operation_name_that_is_left_empty_names_none() {
    let server = open(&[]).await;
    for way in ways().filter(|way| !way.is_unacceptable()) {
        for (document, is_clear) in [
            ("{ hello }", true),
            ("query A { hello }", true),
            ("query A { hello } query B { hello }", false),
        ] {
            let params = json!({ "query": document, "operationName": "" });
            let outcome = ask(&server, way, &params, &[]).await;
            assert_eq!(outcome == Outcome::Runs, is_clear, "{way:?}: {document}");
        }
    }
}

#[tokio::test]
async fn subscriptions_run_where_there_is_room_for_many_answers() {
    let server = open(&[]).await;
    for way in ways() {
        let outcome = ask(&server, way, &document("subscription { ticks }"), &[]).await;
        if way.streams() {
            assert_eq!(outcome, Outcome::Runs, "{way:?}");
        } else {
            let code = if way.is_unacceptable() {
                "BAD_USER_INPUT"
            } else {
                "OPERATION_RESOLUTION_FAILURE"
            };
            assert!(outcome.is_refused_as(code), "{way:?}: {outcome:?}");
        }
    }
}

#[tokio::test]
async fn queries_run_everywhere() {
    let server = open(&[]).await;
    for way in ways().filter(|way| !way.is_unacceptable()) {
        let outcome = ask(&server, way, &document("{ hello }"), &[]).await;
        assert_eq!(outcome, Outcome::Runs, "{way:?}");
    }
}

/// A rule of what is asked, and not of who asks: its name, flags, parameters and the code of the refusal.
type Rule<'a> = (&'a str, Vec<&'a str>, Value, &'a str);

#[tokio::test]
async fn limits_of_what_is_asked_hold_everywhere() {
    let trusted = tempfile::NamedTempFile::new().unwrap();
    let hash = trestle_domain::hex(&Sha256::digest("{ long }"));
    let text = json!({ hash.clone(): "{ long }" }).to_string();
    std::fs::write(trusted.path(), text).unwrap();
    let trusted = trusted.path().to_str().unwrap();
    let persisted = json!({ "persistedQuery": { "version": 1, "sha256Hash": "0".repeat(64) } });
    let invalid = "GRAPHQL_VALIDATION_FAILED";
    let edges = "items(first: 3) { edges { node {";
    let deep = format!("{{ {} name {} }}", edges.repeat(3), "} } }".repeat(3));
    let rules: [Rule<'_>; 11] = [
        ("depth", vec!["--max-depth=5"], document(&deep), invalid),
        (
            "cost",
            vec!["--max-cost=5"],
            document("{ items(first: 3) { edges { node { name } } } }"),
            invalid,
        ),
        (
            "cost by variables",
            vec!["--max-cost=100"],
            json!({
                "query": "query($n: Int) { items(first: $n) { edges { node { name } } } }",
                "variables": { "n": 100 },
            }),
            invalid,
        ),
        (
            "tokens",
            vec!["--max-tokens=10"],
            document("{ a: hello b: hello c: hello d: hello }"),
            invalid,
        ),
        (
            "bytes",
            vec!["--max-document-bytes=100"],
            document(&format!("{{ hello }} # {}", "x".repeat(100))),
            invalid,
        ),
        (
            "root fields",
            vec!["--max-root-fields=1"],
            document("{ a: hello b: hello }"),
            invalid,
        ),
        (
            "introspection",
            vec!["--introspection=off"],
            document("{ __schema { queryType { name } } }"),
            invalid,
        ),
        (
            "spreads of nothing",
            vec![],
            document("{ ...A } fragment A on Query { ...B }"),
            invalid,
        ),
        (
            "unknown hashes",
            vec![],
            json!({ "extensions": persisted }),
            "PERSISTED_QUERY_NOT_FOUND",
        ),
        (
            "documents that are not trusted",
            vec!["--only-trusted-documents", "--trusted-documents", trusted],
            document("{ hello }"),
            "FORBIDDEN",
        ),
        (
            "answers",
            vec!["--max-answer-bytes=1000"],
            document("{ long }"),
            "ANSWER_TOO_LARGE",
        ),
    ];
    for (name, flags, params, code) in rules {
        let server = open(&flags).await;
        for way in ways().filter(|way| !way.is_unacceptable()) {
            let outcome = ask(&server, way, &params, &[]).await;
            assert!(outcome.is_refused_as(code), "{name}, {way:?}: {outcome:?}");
        }
    }
}

#[tokio::test]
async fn batches_and_oversized_bodies_run_nowhere() {
    let server = open(&["--max-body-bytes=2000"]).await;
    let batch = json!([{ "query": "mutation { bump }" }]);
    let long = json!({ "query": "mutation { bump }", "x": "x".repeat(2000) });
    for way in ways() {
        assert_ne!(
            ask(&server, way, &batch, &[]).await,
            Outcome::Runs,
            "{way:?}"
        );
        assert_ne!(
            ask(&server, way, &long, &[]).await,
            Outcome::Runs,
            "{way:?}"
        );
    }
    assert_eq!(server.probe.bumps(), 0);
}

#[tokio::test]
async fn pages_of_other_origins_reach_nothing() {
    let server = open(&[]).await;
    // What browsers send for a page without asking the server before. Another port is another origin.
    let pages: [Headers<'_>; 4] = [
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site")],
        &[
            ("origin", "https://evil.example"),
            ("sec-fetch-site", "cross-site"),
        ],
        &[
            ("origin", "http://localhost:1"),
            ("sec-fetch-site", "same-site"),
        ],
    ];
    let documents = ["{ hello }", "mutation { bump }", "subscription { ticks }"];
    for page in pages {
        for way in ways() {
            // A browser says where a page comes from that opens a WebSocket connection.
            let opens = way == Way::WebSocket;
            if opens && page.iter().all(|(name, _)| *name != "origin") {
                continue;
            }
            for kind in ["text/plain", "application/x-www-form-urlencoded"] {
                let headers = [page, &[("content-type", kind)]].concat();
                for text in documents {
                    let outcome = ask(&server, way, &document(text), &headers).await;
                    assert_ne!(outcome, Outcome::Runs, "{way:?}: {headers:?}");
                }
            }
        }
    }
    assert_eq!(server.probe.bumps(), 0);
}

#[tokio::test]
async fn credentials_are_asked_for_everywhere() {
    let server = authenticated(&[]).await;
    for way in ways().filter(|way| !way.is_unacceptable()) {
        for text in ["{ hello }", "mutation { bump }", "subscription { ticks }"] {
            for headers in [&[][..], &[("authorization", "Bearer wrong")]] {
                let outcome = ask(&server, way, &document(text), headers).await;
                let is_refused = outcome.is_refused_as("UNAUTHENTICATED");
                assert!(is_refused, "{way:?}: {outcome:?}");
            }
        }
        let reader = [("authorization", "Bearer reader")];
        let outcome = ask(&server, way, &document("{ hello }"), &reader).await;
        assert_eq!(outcome, Outcome::Runs, "{way:?}");
        let outcome = ask(&server, way, &document("mutation { bump }"), &reader).await;
        let code = if way.writes() {
            "FORBIDDEN"
        } else {
            "OPERATION_RESOLUTION_FAILURE"
        };
        assert!(outcome.is_refused_as(code), "{way:?}: {outcome:?}");
    }
    assert_eq!(server.probe.bumps(), 0);
}

#[tokio::test]
async fn rates_hold_everywhere() {
    for way in ways().filter(|way| !way.is_unacceptable()) {
        let flags = ["--requests-per-minute=1"];
        let server = authenticated(&flags).await;
        let ann = [("authorization", "Bearer ann")];
        let first = ask(&server, way, &document("{ hello }"), &ann).await;
        assert_eq!(first, Outcome::Runs, "{way:?}");
        let second = ask(&server, way, &document("{ hello }"), &ann).await;
        assert!(second.is_refused_as("RATE_LIMITED"), "{way:?}: {second:?}");
    }
}

/// The headers by which proxies say that they pass a request on.
const PROXIES_ADD: [(&str, &str); 7] = [
    ("forwarded", "for=203.0.113.9"),
    ("x-forwarded-for", "203.0.113.9"),
    ("x-forwarded-proto", "https"),
    ("x-forwarded-host", "trestle.example"),
    ("x-forwarded-anything", "1"),
    ("x-real-ip", "203.0.113.9"),
    ("via", "1.1 proxy"),
];

#[tokio::test]
async fn an_open_server_refuses_what_proxies_pass_on_everywhere() {
    let server = open(&[]).await;
    for header in PROXIES_ADD {
        for way in ways() {
            let outcome = ask(&server, way, &document("mutation { bump }"), &[header]).await;
            assert!(
                outcome.is_refused_as("FORBIDDEN"),
                "{header:?}, {way:?}: {outcome:?}"
            );
        }
        for path in [
            "/",
            "/metrics",
            "/docs/operating.md",
            "/test/schema.graphql",
            "/nothing",
        ] {
            let request = server
                .client
                .get(server.url(path))
                .header(header.0, header.1);
            assert_eq!(request.send().await.unwrap().status(), 403, "{path}");
        }
        for path in ["/livez", "/readyz"] {
            let request = server
                .client
                .get(server.url(path))
                .header(header.0, header.1);
            assert_eq!(request.send().await.unwrap().status(), 200, "{path}");
        }
    }
    // A proxy that adds nothing, and speaks as most do unless they are told otherwise; and one with the page of its own name.
    let body = document("mutation { bump }").to_string();
    let head = format!(
        "host: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n",
        server.address,
        body.len()
    );
    let page = "origin: https://trestle.example\r\nsec-fetch-site: same-origin\r\n";
    for (version, more) in [("1.0", ""), ("1.1", page)] {
        let request = format!("POST /graphql HTTP/{version}\r\n{head}{more}\r\n{body}");
        let answer = server.raw(&request).await;
        assert!(answer.contains("--api-keys"), "{answer}");
    }
    assert_eq!(server.probe.bumps(), 0);
}

#[tokio::test]
async fn a_server_with_credentials_or_insecure_answers_what_proxies_pass_on() {
    let ann = ("authorization", "Bearer ann");
    for server in [open(&["--insecure"]).await, authenticated(&[]).await] {
        for header in PROXIES_ADD {
            for way in ways().filter(|way| !way.is_unacceptable()) {
                let outcome = ask(&server, way, &document("{ hello }"), &[header, ann]).await;
                assert_eq!(outcome, Outcome::Runs, "{header:?}, {way:?}");
            }
        }
    }
}
