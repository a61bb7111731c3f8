//! The days of a founder, a talent and an investor, each told from that person's side, over HTTP and WebSocket. Each step
//! says what everyone else sees at that moment.

mod founder;
mod investor;
mod talent;

use serde_json::{Value, json};
use trestle_testing::hosted::TestServer;
use trestle_testing::socket::Socket;

use crate::world::{Hub, viewer};

/// A hub with everybody who appears in a day.
async fn town() -> Hub {
    town_with(&[]).await
}

/// The same with options of the server.
async fn town_with(options: &[&str]) -> Hub {
    let (client, calls) = trestle_testing::hosted::memory();
    let clock = trestle_testing::hosted::TestClock::default();
    let service = &trestle_collab_hub::SERVICE;
    let hub = Hub(TestServer::start_on(service, client, calls, clock, options).await);
    hub.admin("root").await;
    for (name, role) in [
        ("ada", "FOUNDER"),
        ("bea", "FOUNDER"),
        ("tom", "TALENT"),
        ("tina", "TALENT"),
        ("ida", "INVESTOR"),
        ("ivo", "INVESTOR"),
    ] {
        hub.register(name, role).await;
    }
    hub
}

/// What reaches a user, over a WebSocket.
async fn inbox(hub: &Hub, name: &str) -> Socket {
    let viewer = viewer(name);
    let mut socket = Socket::connect(&hub.0.url, &[("x-api-key", &viewer)])
        .await
        .expect("it lets us in");
    socket.say(json!({ "type": "connection_init" })).await;
    assert_eq!(socket.hear().await, json!({ "type": "connection_ack" }));
    let query = "subscription { inboxChanged { unreadNotifications unreadMessages message { content } notification { \
                 title body actor { firstName } startup { name } role { title } } } }";
    socket.subscribe("inbox", query, json!({})).await;
    socket
}

async fn next(socket: &mut Socket) -> Value {
    socket.next("inbox").await["inboxChanged"].clone()
}

/// Whether each of them sees an object.
async fn seen_by(hub: &Hub, id: &str, names: &[&'static str]) -> Vec<&'static str> {
    let query = "query($id: ID!) { node(id: $id) { id } }";
    let mut seen = Vec::new();
    for name in names {
        let node = hub.query(name, query, json!({ "id": id })).await["node"].clone();
        if node.is_object() {
            seen.push(*name);
        }
    }
    seen
}

const EVERYBODY: [&str; 7] = ["root", "ada", "bea", "tom", "tina", "ida", "ivo"];

async fn titles(hub: &Hub, name: &str, filter: Value) -> Vec<String> {
    let query =
        "query($filter: RoleFilter) { openRoles(filter: $filter) { edges { node { title } } } }";
    let data = hub.query(name, query, json!({ "filter": filter })).await;
    let edges = data["openRoles"]["edges"].as_array().unwrap().clone();
    let title = |edge: &Value| edge["node"]["title"].as_str().unwrap().to_owned();
    edges.iter().map(title).collect()
}

async fn status_of(hub: &Hub, name: &str, id: &str, kind: &str) -> Value {
    let query = format!("query($id: ID!) {{ node(id: $id) {{ ... on {kind} {{ status }} }} }}");
    hub.query(name, &query, json!({ "id": id })).await["node"]["status"].clone()
}
