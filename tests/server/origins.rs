//! A request says in several places whom it is for and where it comes from. However it says so, in whichever place, over
//! whichever protocol and to whichever path, what differs is refused.

use reqwest::header::{HOST, ORIGIN};
use serde_json::json;

use trestle_server::Access;
use trestle_testing::socket::Socket;

use crate::process::Process;
use crate::server::support::{Running, refusal, start};

/// Where a request goes: a method, a target, and headers that make it what it is.
#[derive(Clone, Copy, Debug)]
struct Entry {
    method: &'static str,
    path: &'static str,
    headers: &'static [(&'static str, &'static str)],
}

const JSON: (&str, &str) = ("content-type", "application/json");
const EVENTS: (&str, &str) = ("accept", "text/event-stream");

/// Every kind of entry point.
const ENTRIES: [Entry; 8] = [
    entry("POST", "/graphql", &[JSON]),
    entry("POST", "/graphql", &[JSON, EVENTS]),
    entry("GET", "/graphql?query=%7Bhello%7D", &[]),
    entry("GET", "/test/graphql?query=%7Bhello%7D", &[EVENTS]),
    entry("GET", "/metrics", &[]),
    entry("GET", "/docs/operating.md", &[]),
    entry("GET", "/test/schema.graphql", &[]),
    entry("GET", "/", &[]),
];

/// Each of some with each of others.
fn pairs<A: Clone, B>(
    some: impl IntoIterator<Item = A>,
    others: impl IntoIterator<Item = B, IntoIter: Clone>,
) -> impl Iterator<Item = (A, B)> {
    let others = others.into_iter();
    some.into_iter()
        .flat_map(move |one| others.clone().map(move |other| (one.clone(), other)))
}

const fn entry(
    method: &'static str,
    path: &'static str,
    headers: &'static [(&'static str, &'static str)],
) -> Entry {
    Entry {
        method,
        path,
        headers,
    }
}

/// A change, as a body.
const BODY: &str = r#"{"query":"mutation { bump }"}"#;

impl Entry {
    fn body(self) -> &'static str {
        if self.method == "POST" { BODY } else { "" }
    }

    fn is_graphql(self) -> bool {
        self.path.contains("/graphql")
    }

    /// Sends it over HTTP/1.1 with this target and these lines of headers; the status.
    async fn send(self, server: &Running, target: &str, lines: &[String]) -> u16 {
        let own = self.headers.iter();
        let own = own.map(|(name, value)| format!("{name}: {value}"));
        let lines: Vec<_> = own.chain(lines.iter().cloned()).collect();
        let body = self.body();
        let answer = server
            .raw(&format!(
                "{} {target} HTTP/1.1\r\n{}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                self.method,
                lines.join("\r\n"),
                body.len()
            ))
            .await;
        status(&answer)
    }

    /// Sends it over HTTP/2, whose target names the server's address, with these headers; the status.
    async fn send_2(self, server: &Running, headers: &[(&str, &str)]) -> u16 {
        let client = reqwest::Client::builder()
            .http2_prior_knowledge()
            .no_proxy();
        let client = client.build().unwrap();
        let method = self.method.parse().unwrap();
        let mut request = client.request(method, server.url(self.path));
        for (name, value) in self.headers.iter().chain(headers) {
            request = request.header(*name, *value);
        }
        let answer = request.body(self.body()).send().await.unwrap();
        answer.status().as_u16()
    }
}

fn status(answer: &str) -> u16 {
    let status = answer.split(' ').nth(1).and_then(|text| text.parse().ok());
    status.unwrap_or_else(|| panic!("no status: {answer}"))
}

#[tokio::test]
async fn the_target_and_the_host_name_one_server() {
    let server = start(&["--allowed-hosts=board.example"]).await;
    let own = server.address.to_string();
    let others = ["board.example", "localhost", "evil.example", "127.0.0.1:1"];
    for (entry, other) in pairs(ENTRIES, others) {
        for (target, host) in [(own.as_str(), other), (other, own.as_str())] {
            let target = format!("http://{target}{}", entry.path);
            let refused = entry
                .send(&server, &target, &[format!("host: {host}")])
                .await;
            assert_eq!(refused, 400, "{entry:?}: {target} with {host}");
        }
        let refused = entry.send_2(&server, &[(HOST.as_str(), other)]).await;
        assert_eq!(refused, 400, "{entry:?}: HTTP/2 with {other}");
    }
    let same = [
        (own.clone(), own.clone()),
        ("LOCALHOST".into(), "localhost".into()),
        ("localhost:80".into(), "localhost".into()),
        ("board.example".into(), "BOARD.example:80".into()),
    ];
    for (entry, (target, host)) in pairs(ENTRIES, same) {
        let target = format!("http://{target}{}", entry.path);
        let answered = entry
            .send(&server, &target, &[format!("host: {host}")])
            .await;
        assert_eq!(answered, 200, "{entry:?}: {target} with {host}");
    }
    for entry in ENTRIES {
        assert_eq!(entry.send_2(&server, &[]).await, 200, "{entry:?}");
        assert_eq!(
            entry.send_2(&server, &[("host", &own)]).await,
            200,
            "{entry:?}"
        );
        let target = format!("http://evil.example@{own}{}", entry.path);
        let refused = entry
            .send(&server, &target, &[format!("host: {own}")])
            .await;
        assert_eq!(refused, 400, "{entry:?}: {target}");
    }
}

#[tokio::test]
async fn a_request_has_one_host_and_one_origin() {
    let server = start(&[]).await;
    let own = server.address.to_string();
    for (entry, name) in pairs(ENTRIES, ["Host", "Origin"]) {
        for (first, second) in [("localhost", "evil.example"), ("evil.example", "localhost")] {
            let mut lines = vec![
                format!("{name}: http://{first}"),
                format!("{name}: http://{second}"),
            ];
            if name == "Origin" {
                lines.push(format!("host: {own}"));
            }
            let refused = entry.send(&server, entry.path, &lines).await;
            assert_eq!(refused, 400, "{entry:?}: {lines:?}");
        }
        if name == "Origin" {
            let headers = [
                ("origin", "http://localhost"),
                ("origin", "http://evil.example"),
            ];
            let refused = entry.send_2(&server, &headers).await;
            assert_eq!(refused, 400, "{entry:?}");
        }
    }
    assert_eq!(server.probe.bumps(), 0);
}

#[tokio::test]
async fn pages_of_other_origins_send_nothing_over_any_way() {
    let server = start(&[]).await;
    let port = server.address.port();
    let origins = [
        format!("https://{}", server.address),
        "http://localhost:1".into(),
        format!("http://localhost:{port}"),
        format!("http://{}:1", server.address.ip()),
        "http://evil.example".into(),
        "null".into(),
    ];
    let sites = [None, Some("cross-site"), Some("same-site")];
    let graphql = ENTRIES.into_iter().filter(|entry| entry.is_graphql());
    for ((entry, origin), site) in pairs(pairs(graphql, &origins), sites) {
        let mut headers = vec![(ORIGIN.as_str(), origin.as_str())];
        headers.extend(site.map(|site| ("sec-fetch-site", site)));
        let mut lines: Vec<_> = headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        lines.push(format!("host: {}", server.address));
        let refused = entry.send(&server, entry.path, &lines).await;
        assert_eq!(refused, 403, "{entry:?}: {headers:?}");
        let refused = entry.send_2(&server, &headers).await;
        assert_eq!(refused, 403, "{entry:?}, HTTP/2: {headers:?}");
    }
    assert_eq!(server.probe.bumps(), 0);
    let own = format!("http://{}", server.address);
    for entry in ENTRIES {
        let lines = [
            format!("origin: {own}"),
            format!("host: {}", server.address),
        ];
        assert_eq!(
            entry.send(&server, entry.path, &lines).await,
            200,
            "{entry:?}"
        );
        assert_eq!(
            entry.send_2(&server, &[("origin", &own)]).await,
            200,
            "{entry:?}"
        );
    }
}

/// Parts of which the names of headers are made that proxies add: what is said, and who says it.
const SAID: [&str; 9] = [
    "Forwarded",
    "Forwarded-For",
    "Client-IP",
    "Real-Ip",
    "Connecting-IP",
    "Original-Host",
    "Via",
    "Loop",
    "Remote-Addr",
];
const WHO: [&str; 8] = [
    "",
    "X-",
    "X-Original-",
    "True-",
    "CDN-",
    "CF-",
    "Fastly-",
    "X-ProxyUser-",
];
/// Names that say nothing of another but that it was there. Sources: the documentation of Envoy, AWS load balancers,
/// CloudFront, Cloudflare, Fastly, Azure Front Door, Varnish, Vercel and Netlify.
const MARKS: [&str; 10] = [
    "X-Envoy-Expected-Rq-Timeout-Ms",
    "X-Amzn-Trace-Id",
    "X-Amz-Cf-Id",
    "CF-Ray",
    "Fastly-FF",
    "X-Azure-Ref",
    "X-Varnish",
    "X-Vercel-Id",
    "X-Nf-Request-Id",
    "Akamai-Origin-Hop",
];

#[tokio::test]
async fn what_any_proxy_marks_is_refused_by_an_open_server() {
    let server = start(&[]).await;
    let made = pairs(WHO, SAID).map(|(who, said)| format!("{who}{said}"));
    let names: Vec<_> = made.chain(MARKS.map(str::to_owned)).collect();
    for (number, name) in names.iter().enumerate() {
        let spellings = [name.clone(), name.to_lowercase(), name.to_uppercase()];
        // Each name at two entry points, so that all meet all.
        for (spelling, step) in pairs(&spellings, [0, 3]) {
            let entry = ENTRIES[(number + step) % ENTRIES.len()];
            let lines = [
                format!("host: {}", server.address),
                format!("{spelling}: 1"),
            ];
            let refused = entry.send(&server, entry.path, &lines).await;
            assert_eq!(refused, 403, "{entry:?}: {spelling}");
            let refused = entry
                .send_2(&server, &[(&spelling.to_lowercase(), "1")])
                .await;
            assert_eq!(refused, 403, "{entry:?}, HTTP/2: {spelling}");
        }
    }
    assert_eq!(server.probe.bumps(), 0);
}

/// What programs on the same machine send.
const PROGRAMS_SEND: [(&str, &str); 10] = [
    ("user-agent", "curl/8.5.0"),
    ("accept-language", "en"),
    ("apollographql-client-name", "board"),
    ("apollo-require-preflight", "true"),
    ("x-request-id", "1"),
    (
        "traceparent",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    ),
    ("baggage", "a=b"),
    ("sec-ch-ua-platform", "Linux"),
    ("upgrade-insecure-requests", "1"),
    ("x-trestle-cost", "1"),
];

#[tokio::test]
async fn what_programs_send_is_answered() {
    let server = start(&[]).await;
    for (entry, (name, value)) in pairs(ENTRIES, PROGRAMS_SEND) {
        let lines = [
            format!("host: {}", server.address),
            format!("{name}: {value}"),
        ];
        let answered = entry.send(&server, entry.path, &lines).await;
        assert_eq!(answered, 200, "{entry:?}: {name}");
    }
}

#[tokio::test]
async fn what_follows_a_body_decides_nothing() {
    let server = start(&[]).await;
    let chunked = format!("{:x}\r\n{BODY}\r\n0\r\n", BODY.len());
    for trailer in [
        "x-forwarded-for: 203.0.113.9",
        "host: evil.example",
        "origin: null",
    ] {
        let request = format!(
            "POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             trailer: {}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n{chunked}{trailer}\r\n\r\n",
            trailer.split_once(':').unwrap().0
        );
        assert_eq!(status(&server.raw(&request).await), 400, "{trailer}");
    }
    assert_eq!(server.probe.bumps(), 0);
    let answer = server.post(json!({ "query": "mutation { bump }" })).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn plain_handlers_answer_no_pages_of_other_origins() {
    let process = Process::start(&[]).await;
    let agenda = process.at("/applications/agenda.ics");
    let own = agenda.replace("/applications/agenda.ics", "");
    let cases: [(&[(&str, &str)], u16); 7] = [
        (&[], 200),
        (&[("origin", &own)], 200),
        (&[("sec-fetch-site", "same-origin")], 200),
        // A link that a person follows.
        (
            &[
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-mode", "navigate"),
            ],
            200,
        ),
        (&[("sec-fetch-site", "cross-site")], 403),
        (&[("origin", "http://evil.example")], 403),
        (&[("origin", "null"), ("sec-fetch-mode", "navigate")], 403),
    ];
    for (headers, status) in cases {
        let mut request = process.client.get(&agenda);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status().as_u16(), status, "{headers:?}");
    }
}

/// Origins that may be allowed, an origin that each allows, and some that it does not.
const ALLOWED: [(&str, &str, &[&str]); 8] = [
    (
        "https://app.example.com",
        "https://app.example.com",
        &[
            "http://app.example.com",
            "https://app.example.com:8443",
            "https://app.example.com.evil.example",
            "https://x.app.example.com",
        ],
    ),
    (
        "http://localhost:5173",
        "http://localhost:5173",
        &[
            "http://localhost",
            "http://localhost:51730",
            "https://localhost:5173",
        ],
    ),
    (
        "capacitor://localhost",
        "capacitor://localhost",
        &["http://localhost", "ionic://localhost"],
    ),
    (
        "tauri://localhost",
        "tauri://localhost",
        &["tauri://localhost.evil.example"],
    ),
    (
        "app://obsidian.md",
        "app://obsidian.md",
        &["https://obsidian.md"],
    ),
    (
        "chrome-extension://abcdefghijklmnop",
        "chrome-extension://abcdefghijklmnop",
        &["chrome-extension://qrstuvwxyz"],
    ),
    (
        "https://*.example.com",
        "https://pr-12.example.com",
        &[
            "https://example.com",
            "https://.example.com",
            "https://a.b.example.com",
            "https://evil.example/.example.com",
            "https://evil.example:1.example.com",
            "http://pr-12.example.com",
            "https://pr-12.example.com:8443",
            "https://pr-12.example.com.evil.example",
            "https://*.example.com",
        ],
    ),
    (
        "http://*.localhost:5173",
        "http://board.localhost:5173",
        &["http://board.localhost", "http://localhost:5173"],
    ),
];

/// What libraries add to requests, which a page may only send if the server lets it.
const LIBRARIES_ADD: &str = "apollographql-client-name,apollographql-client-version,apollo-require-preflight,sentry-trace,baggage,\
    traceparent,x-api-key,authorization,content-type,graphql-require-preflight,x-anything-else";

/// A POST, and the status of its answer.
struct Asked {
    path: &'static str,
    headers: &'static [(&'static str, &'static str)],
    status: u16,
}

const ASKED: [Asked; 8] = [
    Asked {
        path: "/graphql",
        headers: &[("content-type", "application/json")],
        status: 200,
    },
    Asked {
        path: "/graphql",
        headers: &[("content-type", "text/plain")],
        status: 415,
    },
    Asked {
        path: "/graphql",
        headers: &[
            ("content-type", "application/json"),
            ("accept", "image/png"),
        ],
        status: 406,
    },
    Asked {
        path: "/graphql",
        headers: &[
            ("content-type", "application/json"),
            ("accept-encoding", "identity;q=0"),
        ],
        status: 406,
    },
    Asked {
        path: "/graphql",
        headers: &[
            ("content-type", "application/json"),
            ("x-forwarded-for", "1.1.1.1"),
        ],
        status: 403,
    },
    Asked {
        path: "/graphql",
        headers: &[
            ("content-type", "application/json"),
            ("host", "evil.example"),
        ],
        status: 403,
    },
    Asked {
        path: "/graphql",
        headers: &[
            ("content-type", "application/json"),
            ("host", "a"),
            ("host", "b"),
        ],
        status: 400,
    },
    Asked {
        path: "/nothing",
        headers: &[],
        status: 404,
    },
];

#[tokio::test]
async fn pages_of_allowed_origins_ask_with_any_header_and_read_every_answer() {
    for (allowed, origin, others) in ALLOWED {
        let server = start(&[&format!("--cors-origins={allowed}")]).await;
        let asked = async |origin: &str| {
            let client = reqwest::Client::new();
            let request = client.request(reqwest::Method::OPTIONS, server.url("/graphql"));
            let request = request.header("origin", origin);
            let request = request.header("access-control-request-method", "POST");
            let request = request.header("access-control-request-headers", LIBRARIES_ADD);
            request.send().await.unwrap()
        };
        let preflight = asked(origin).await;
        let headers = preflight.headers();
        assert_eq!(headers["access-control-allow-origin"], origin);
        assert_eq!(headers["access-control-allow-headers"], LIBRARIES_ADD);
        for other in others {
            let refused = asked(other).await;
            assert!(
                !refused
                    .headers()
                    .contains_key("access-control-allow-origin"),
                "{allowed}: {other}"
            );
        }
        // Whatever the answer is, the page may read it.
        let host = server.address.to_string();
        for Asked {
            path,
            headers,
            status: expected,
        } in ASKED
        {
            let mut lines =
                format!("POST {path} HTTP/1.1\r\norigin: {origin}\r\nconnection: close\r\n");
            if !headers.iter().any(|(name, _)| *name == "host") {
                lines += &format!("host: {host}\r\n");
            }
            for (name, value) in headers {
                lines += &format!("{name}: {value}\r\n");
            }
            lines += &format!("content-length: {}\r\n", BODY.len());
            let answer = server.raw(&format!("{lines}\r\n{BODY}")).await;
            assert_eq!(status(&answer), expected, "{allowed}: {headers:?}");
            let allows = format!("access-control-allow-origin: {origin}\r\n");
            assert!(answer.contains(&allows), "{allowed}: {headers:?}\n{answer}");
        }
        // Over a WebSocket, which no preflight comes before.
        for (page, is_allowed) in [(origin, true)]
            .into_iter()
            .chain(others.iter().map(|other| (*other, false)))
        {
            let connected = Socket::connect(&server.url("/graphql"), &[("origin", page)]).await;
            assert_eq!(connected.is_ok(), is_allowed, "{allowed}: {page}");
        }
    }
}

#[test]
fn what_no_browser_sends_as_an_origin_is_refused_at_the_start() {
    for wrong in [
        "app.example.com",
        "https://",
        "https://app.example.com/",
        "https://app.example.com/path",
        "https://app.example.com:443",
        "http://app.example.com:80",
        "https://APP.example.com",
        "HTTPS://app.example.com",
        "https://user@app.example.com",
        "https://*",
        "https://*example.com",
        "https://a.*.example.com",
        "https://*.*.example.com",
        "*://app.example.com",
        "capacitor://",
        "capacitor://localhost/",
        "file:///",
        "null",
        "*",
    ] {
        let refused = refusal(&[&format!("--cors-origins={wrong}")], Access::Open);
        let sentence = refused.map(|error| error.to_string()).unwrap_or_default();
        assert!(sentence.contains("not an origin"), "{wrong}: {sentence}");
    }
}
