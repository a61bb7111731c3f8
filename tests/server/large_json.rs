//! What the JSON of a client costs once it has arrived: every shape, in every place of a request, over every transport,
//! for every service.

use std::time::Duration;

use futures_util::future::join_all;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use serde_json::json;
use tokio::time::{sleep, timeout};
use trestle_testing::socket::Socket;

use crate::process::Process;
use crate::server::memory::{MB, peak, resident, returns};

/// A bound on waiting for what has to come.
const PATIENCE: Duration = Duration::from_secs(120);
/// What the process may hold, whatever clients do, with what the allocator keeps of the shapes before: a third of what the same
/// requests take where each is read into a tree.
const MOST: u64 = 768 * MB;
/// Bytes of a body and of a message, a little below the limits.
const BODY: usize = 1_040_000;
const MESSAGE: usize = 125_000;
/// Requests at a time.
const AT_ONCE: usize = 16;

/// Values of which long lists are made. The first takes the most memory for a byte.
const ITEMS: [&str; 6] = [
    "{\"\":0}",
    "[[[[0]]]]",
    "0",
    "\"\"",
    "{}",
    "{\"\":[{\"\":\"\"}]}",
];

/// Where a long value stands in parameters.
#[derive(Clone, Copy, Debug)]
enum Place {
    Variables,
    Extensions,
    Unknown,
    /// Each item a variable of its own.
    Names,
}

const PLACES: [Place; 4] = [
    Place::Variables,
    Place::Extensions,
    Place::Unknown,
    Place::Names,
];

impl Place {
    /// Parameters of about so many bytes.
    fn params(self, item: &str, bytes: usize) -> String {
        let list = || format!("[{}]", vec![item; bytes / (item.len() + 1)].join(","));
        let field = match self {
            Place::Variables => format!("\"variables\":{{\"a\":{}}}", list()),
            Place::Extensions => format!("\"extensions\":{{\"a\":{}}}", list()),
            Place::Unknown => format!("\"a\":{}", list()),
            Place::Names => {
                let fields = (0..bytes / (item.len() + 9)).map(|n| format!("\"{n:x}\":{item}"));
                format!("\"variables\":{{{}}}", fields.collect::<Vec<_>>().join(","))
            }
        };
        format!("{{\"query\":\"{{__typename}}\",{field}}}")
    }
}

/// A transport.
#[derive(Clone, Copy, Debug)]
enum Way {
    Post,
    Events,
    Parts,
    WebSocket,
}

const WAYS: [Way; 4] = [Way::Post, Way::Events, Way::Parts, Way::WebSocket];

impl Way {
    async fn ask(self, process: &Process, path: &str, place: Place, item: &str) {
        let accept = match self {
            Way::WebSocket => return ask_socket(process, path, place, item).await,
            Way::Post => "application/json",
            Way::Events => "text/event-stream",
            Way::Parts => "multipart/mixed;subscriptionSpec=1.0",
        };
        let request = process.client.post(process.at(path));
        let request = request.header(CONTENT_TYPE, "application/json");
        let request = request.header(ACCEPT, accept);
        let answer = request.body(place.params(item, BODY)).send().await.unwrap();
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        // It runs, is too much, or waits in vain.
        assert!(matches!(status, 200 | 413 | 503), "{self:?}: {text:.300}");
    }
}

/// Sends an operation and a ping that both have many values. The connection may be closed for it.
async fn ask_socket(process: &Process, path: &str, place: Place, item: &str) {
    let Ok(mut socket) = Socket::connect(&process.at(path), &[]).await else {
        return;
    };
    socket.say(json!({ "type": "connection_init" })).await;
    socket.heard().await;
    let params = place.params(item, MESSAGE);
    socket
        .say_text(&format!("{{\"payload\":{params},\"type\":\"ping\"}}"))
        .await;
    socket.heard().await;
    socket
        .say_text(&format!(
            "{{\"id\":\"1\",\"payload\":{params},\"type\":\"subscribe\"}}"
        ))
        .await;
    socket.heard().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn json_of_every_shape_takes_a_bounded_memory() {
    let all = trestle::services::names().collect::<Vec<_>>().join(",");
    let process = Process::start(&["--service", &all]).await;
    process.query("{ __typename }").await;
    let before = resident(&process);
    let mut number = 0;
    for way in WAYS {
        for place in PLACES {
            for item in ITEMS {
                let services: Vec<_> = trestle::services::names().collect();
                let path = format!("/{}/graphql", services[number % services.len()]);
                number += 1;
                let asked = (0..AT_ONCE).map(|_| way.ask(&process, &path, place, item));
                let healthy = async {
                    for _ in 0..3 {
                        assert_eq!(process.get("/livez").await.status, 200);
                        sleep(Duration::from_millis(1)).await;
                    }
                };
                let work = async { tokio::join!(join_all(asked), healthy) };
                let (most, ended) = peak(&process, timeout(PATIENCE, work)).await;
                ended.expect("each is answered");
                assert!(
                    most < MOST,
                    "{way:?} {place:?} {item} at {path}: {} MB",
                    most / MB
                );
            }
        }
    }
    returns(&process, before, 150 * MB).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_values_are_refused_before_they_are_read() {
    let process = Process::start(&["--max-body-bytes=200000"]).await;
    let list = |length: usize| format!("[{}]", vec!["0"; length].join(","));
    let body = |length| {
        format!(
            "{{\"query\":\"query($a: [Int!]) {{ __typename }}\",\"variables\":{{\"a\":{}}}}}",
            list(length)
        )
    };
    for (length, status) in [(19_900, 200), (20_100, 413)] {
        let request = process.client.post(&process.url).body(body(length));
        let answer = request.header(CONTENT_TYPE, "application/json").send();
        let answer = answer.await.unwrap();
        assert_eq!(answer.status().as_u16(), status);
        let text = answer.text().await.unwrap();
        if status == 413 {
            assert!(text.contains("more than 20000 values"), "{text}");
            assert!(text.contains("BAD_USER_INPUT"), "{text}");
        }
    }
    let mut socket = Socket::open(&process.url).await;
    let message = format!(
        "{{\"type\":\"subscribe\",\"id\":\"1\",\"payload\":{}}}",
        body(20_100)
    );
    socket.say_text(&message).await;
    assert_eq!(socket.closed().await, 1009);
}
