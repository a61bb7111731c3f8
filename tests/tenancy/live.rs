//! Subscriptions: nobody is told of another owner's changes, by whomever they are announced.

use serde_json::{Value, json};
use trestle_dynamodb::Embedded;

use crate::tenancy::cases;
use crate::tenancy::generated::{roots, schema, selected};
use crate::tenancy::world::{Thing, Transport, Who, World, secret};
use trestle_testing::socket::Socket;

const NOTE: &str = "mutation($id: ID!, $notes: String) {
    updateApplication(input: { id: $id, notes: $notes }) { userErrors { message } } }";

async fn note(world: &World, thing: &Thing, notes: &str) {
    let variables = json!({ "id": thing.application, "notes": notes });
    let data = world.data(thing.of, NOTE, variables).await;
    assert_eq!(data["updateApplication"]["userErrors"], json!([]));
}

/// A stream of server-sent events.
struct Events {
    response: reqwest::Response,
    text: String,
}

impl Events {
    /// The next event that has data.
    async fn next(&mut self) -> Value {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let data = event.lines().find_map(|line| line.strip_prefix("data:"));
                let data = data.filter(|data| !data.trim().is_empty());
                let data = data.map(|data| serde_json::from_str(data.trim()).expect("JSON"));
                self.text = rest.to_owned();
                match data {
                    Some(data) => return data,
                    None => continue,
                }
            }
            let chunk = self.response.chunk().await;
            let chunk = chunk.expect("it is read").expect("an event");
            self.text
                .push_str(std::str::from_utf8(&chunk).expect("UTF-8"));
        }
    }
}

/// Begins a subscription, and waits until it runs. A stream may still tell of what was written before.
async fn subscribed(socket: &mut Socket, document: &str, variables: Value) -> Vec<Value> {
    socket.ask("1", document, variables).await;
    socket.say(json!({ "type": "ping" })).await;
    let mut told = Vec::new();
    loop {
        let message = socket.hear().await;
        match message["type"].as_str() {
            Some("pong") => return told,
            _ => told.push(message["payload"]["data"].clone()),
        }
    }
}

/// Checks what a watcher is told until it hears of its own change, after each owner has changed something: `writer` is where
/// they do that.
async fn told_only_their_own(watched: &World, writer: &World) {
    let schema = schema();
    let alices = writer.thing(Who::Alice).await;
    let bobs = writer.thing(Who::Bob).await;
    for field in roots(&schema, "Subscription") {
        for case in cases::subscription(&field, &[&alices, &bobs]) {
            let selected = selected(&schema, "Subscription", &field, case.arguments);
            let document = case.document("subscription", &selected);
            let (mut sockets, mut streams) = (Vec::new(), Vec::new());
            for who in Who::ALL {
                let plain = watched
                    .ask(Transport::Http, who, &document, &case.values())
                    .await;
                let over_http = match who {
                    Who::AliceWithoutRoles => "FORBIDDEN",
                    Who::Nobody => "UNAUTHENTICATED",
                    _ => "OPERATION_RESOLUTION_FAILURE",
                };
                assert_eq!(plain.codes, [over_http], "{who:?}");
                if let Some(code) = who.refused() {
                    for transport in [Transport::Events, Transport::WebSocket] {
                        let answer = watched.ask(transport, who, &document, &case.values()).await;
                        assert_eq!(answer.codes, [code], "{who:?} over {transport:?}");
                        assert_eq!(answer.data, Value::Null, "{who:?} over {transport:?}");
                    }
                    continue;
                }
                let mut socket = watched.socket(who).await.expect("a socket");
                let told = subscribed(&mut socket, &document, case.values()).await;
                sockets.push((who, socket, told));
                let request = watched.post(who, &document, &case.values());
                let request = request.header("accept", "text/event-stream");
                let response = request.send().await.expect("it answers");
                let text = String::new();
                streams.push((who, Events { response, text }));
            }
            // Both have watched before either writes, and changes of a process are told in the order of the commits.
            let change = uuid::Uuid::new_v4().to_string();
            for thing in [&alices, &bobs] {
                note(writer, thing, &format!("{} {change}", thing.text())).await;
            }
            let check = |who: Who, event: &Value| {
                let own = if who.owner() == Who::Bob.owner() {
                    &bobs
                } else {
                    &alices
                };
                let others = if own.of == Who::Bob {
                    Who::Alice
                } else {
                    Who::Bob
                };
                assert_eq!(
                    event[&field]["applicationId"],
                    own.application.as_str(),
                    "{who:?}"
                );
                assert!(
                    !event.to_string().contains(&secret(others)),
                    "{who:?}: {event}"
                );
            };
            let is_new = |event: &Value| event.to_string().contains(&change);
            for (who, mut socket, told) in sockets {
                told.iter().for_each(|event| check(who, event));
                loop {
                    let event = socket.next("1").await;
                    check(who, &event);
                    if is_new(&event) {
                        break;
                    }
                }
            }
            for (who, mut stream) in streams {
                loop {
                    let event = stream.next().await["data"].clone();
                    check(who, &event);
                    if is_new(&event) {
                        break;
                    }
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_the_process_are_told_to_their_owner() {
    let world = World::start().await;
    told_only_their_own(&world, &world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_in_the_stream_are_told_to_their_owner() {
    let store = Embedded::memory().expect("a store in memory");
    let (watched, writer) = (
        World::following(&store).await,
        World::following(&store).await,
    );
    told_only_their_own(&watched, &writer).await;
}
