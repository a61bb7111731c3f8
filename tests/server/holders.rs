//! One address opens as many connections as it gets, and holds each in every way in which a connection can be held. Those of
//! other addresses are answered all the same, and nobody holds one for ever.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::process::Process;

/// Connections of the server.
const MOST: usize = 30;

/// What is sent on a connection that is held.
#[derive(Clone, Debug)]
enum Held {
    Nothing,
    HalfHead,
    /// A part of a body.
    HalfBody(Body),
    /// A subscription that is not read.
    Events,
    /// A WebSocket connection on which nothing is said.
    WebSocket,
    /// The beginning of HTTP/2, and nothing else.
    Http2,
}

/// Where a body goes.
#[derive(Clone, Debug)]
struct Body {
    method: &'static str,
    path: String,
    media_type: &'static str,
}

/// A body to each kind of handler.
async fn bodies(process: &Process) -> Vec<Body> {
    let to = |method, path: &str, media_type| Body {
        method,
        path: path.to_owned(),
        media_type,
    };
    let json = "application/json";
    vec![
        to("POST", "/graphql", json),
        to("POST", "/collab-hub/graphql", json),
        to("POST", "/collab-hub/webhooks/stripe", json),
        to("PUT", &upload(process).await, "text/plain"),
        to("PUT", "/applications/files?signature=none", "text/plain"),
        to("POST", "/applications/calendar/a.ics", json),
        to("POST", "/nothing", json),
        to("POST", "/livez", json),
    ]
}

/// The path of a signed URL for an upload.
async fn upload(process: &Process) -> String {
    let create = r#"mutation { createApplication(input: { companyName: "c", positionTitle: "t", status: APPLIED }) {
        application { id } } }"#;
    let created = process.query(create).await.body();
    let id = created["data"]["createApplication"]["application"]["id"]
        .as_str()
        .unwrap();
    let permit = format!(
        r#"mutation {{ createFileUpload(input: {{ applicationId: "{id}", bytes: 1000, contentType: "text/plain" }}) {{
        upload {{ url }} }} }}"#
    );
    let permitted = process.query(&permit).await.body();
    let url = permitted["data"]["createFileUpload"]["upload"]["url"].as_str();
    let url = url.unwrap_or_else(|| panic!("{permitted}"));
    url.splitn(4, '/')
        .last()
        .map(|path| format!("/{path}"))
        .unwrap()
}

async fn all(process: &Process) -> Vec<Held> {
    let mut all = vec![
        Held::Nothing,
        Held::HalfHead,
        Held::Events,
        Held::WebSocket,
        Held::Http2,
    ];
    all.extend(bodies(process).await.into_iter().map(Held::HalfBody));
    all
}

impl Held {
    fn bytes(&self, host: &str) -> String {
        match self {
            Held::Nothing => String::new(),
            Held::HalfHead => format!("POST /graphql HTTP/1.1\r\nhost: {host}\r\n"),
            Held::HalfBody(Body {
                method,
                path,
                media_type,
            }) => format!(
                "{method} {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: {media_type}\r\ncontent-length: 1000\r\n\r\n{{"
            ),
            Held::Events => {
                let body = json!({ "query": "subscription { applicationChanged { version } }" });
                let body = body.to_string();
                format!(
                    "POST /graphql HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
                     accept: text/event-stream\r\ncontent-length: {}\r\n\r\n{body}",
                    body.len()
                )
            }
            Held::WebSocket => format!(
                "GET /graphql HTTP/1.1\r\nhost: {host}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
                 sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\
                 sec-websocket-protocol: graphql-transport-ws\r\n\r\n"
            ),
            Held::Http2 => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
        }
    }

    /// Opens a connection of an address, and sends it.
    async fn open(&self, from: Ipv4Addr, server: SocketAddr) -> Option<TcpStream> {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::new(IpAddr::V4(from), 0)).unwrap();
        let mut stream = socket.connect(server).await.ok()?;
        // A server that closes at once is one that holds nothing.
        stream
            .write_all(self.bytes(&server.to_string()).as_bytes())
            .await
            .ok()?;
        Some(stream)
    }
}

async fn server(flags: &[&str]) -> (Process, SocketAddr) {
    let own = [
        "--service=applications,collab-hub",
        "--stripe-webhook-secret=whsec_1",
        "--no-pages",
    ];
    let process = Process::start(&[&own[..], flags].concat()).await;
    let address = process.url.trim_start_matches("http://");
    let address = address.split('/').next().unwrap().parse().unwrap();
    (process, address)
}

#[tokio::test(flavor = "multi_thread")]
async fn those_of_other_addresses_are_answered_while_one_holds_all_connections() {
    let most = MOST.to_string();
    let (process, address) = server(&["--max-connections", &most]).await;
    for held in all(&process).await {
        let mut connections = Vec::new();
        for _ in 0..MOST * 2 {
            connections.push(held.open(Ipv4Addr::new(127, 0, 0, 2), address).await);
        }
        let mut answered = Vec::new();
        for last in 3..13 {
            let from = IpAddr::V4(Ipv4Addr::new(127, 0, 0, last));
            let client = reqwest::Client::builder().local_address(from).no_proxy();
            let client = client.build().unwrap();
            let body = json!({ "query": "{ applicationStats { active } }" });
            let answer = client.post(&process.url).json(&body).send().await;
            answered.push(answer.map(|answer| answer.status().as_u16()).ok());
        }
        assert_eq!(answered, [Some(200); 10], "{held:?}");
        drop(connections);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_does_not_arrive_is_given_up_whoever_reads_it() {
    let (process, address) = server(&["--send-timeout=300ms", "--request-timeout=300ms"]).await;
    for body in bodies(&process).await {
        let half = Held::HalfBody(body.clone());
        let mut stream = half.open(Ipv4Addr::LOCALHOST, address).await.unwrap();
        let mut answer = String::new();
        // Until the server closes the connection.
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 "), "{body:?}: {answer}");
    }
    let answer = process.query("{ applicationStats { active } }").await;
    assert_eq!(answer.status, 200);
}
