//! Mutations with an id of the client's, sent again and at once.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::world::{Hub, codes};

const ID: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn creating_a_conversation_again_returns_the_same_one() {
    let hub = Hub::start().await;
    hub.register("a", "FOUNDER").await;
    let b = hub.register("b", "TALENT").await;
    hub.tie("a", "b").await;
    let input = json!({ "type": "DIRECT", "participantIds": [b], "conversationId": ID });
    let create = || hub.make("a", "createConversation", input.clone(), "conversation");
    let first = join_all((0..16).map(|_| create())).await;
    hub.0.clock.advance(60);
    let message = json!({ "conversationId": first[0], "content": "x" });
    hub.make("b", "sendMessage", message, "message").await;
    assert!(first.iter().all(|id| *id == first[0]));
    assert_eq!(create().await, first[0]);
    let query =
        "{ viewer { user { unreadNotifications } } inbox { edges { node { unreadCount } } } }";
    let data = hub.query("b", query, Value::Null).await;
    assert_eq!(data["viewer"]["user"]["unreadNotifications"], 1);
    assert_eq!(data["inbox"]["edges"].as_array().unwrap().len(), 1);
    let other = json!({ "type": "GROUP", "participantIds": [b], "conversationId": ID });
    let payload = hub
        .mutate("a", "createConversation", other, "conversation { id }")
        .await;
    assert_eq!(codes(&payload), ["CONFLICT"]);
    assert_eq!(payload["userErrors"][0]["field"], json!(["conversationId"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sending_a_message_again_returns_the_same_one() {
    let hub = Hub::start().await;
    let a = hub.register("a", "FOUNDER").await;
    hub.register("b", "TALENT").await;
    hub.tie("a", "b").await;
    let input = json!({ "type": "DIRECT", "participantIds": [a] });
    let conversation = hub
        .make("b", "createConversation", input, "conversation")
        .await;
    let input = |content: &str| json!({ "conversationId": conversation, "messageId": ID, "content": content });
    let sends = (0..8).map(|_| hub.make("a", "sendMessage", input("x"), "message"));
    let sent = join_all(sends).await;
    assert!(sent.iter().all(|id| *id == sent[0]));
    let payload = hub
        .mutate("a", "sendMessage", input("y"), "message { id }")
        .await;
    assert_eq!(codes(&payload), ["CONFLICT"]);
    assert_eq!(payload["userErrors"][0]["field"], json!(["messageId"]));
    // Another sender may use the same id, and the order is that of sending.
    hub.make("b", "sendMessage", input("z"), "message").await;
    let query = "{ inbox { edges { node { unreadCount conversation { messages { edges { node { content } } } } } } } }";
    let node = hub.query("b", query, Value::Null).await["inbox"]["edges"][0]["node"].clone();
    assert_eq!(node["unreadCount"], 1);
    let messages = node["conversation"]["messages"]["edges"]
        .as_array()
        .unwrap();
    let contents: Vec<_> = messages
        .iter()
        .map(|edge| edge["node"]["content"].clone())
        .collect();
    assert_eq!(contents, ["z", "x"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_of_one_conversation_do_not_make_each_other_try_again() {
    let hub = Hub::start().await;
    let names: Vec<_> = (0..90).map(|n| format!("p{n}")).collect();
    let ids = join_all(names.iter().map(|name| hub.register(name, "TALENT"))).await;
    join_all(names[1..].iter().map(|name| hub.tie("p0", name))).await;
    let input = json!({ "type": "GROUP", "participantIds": ids[1..] });
    let conversation = hub
        .make("p0", "createConversation", input, "conversation")
        .await;
    hub.0.calls.reset();
    let sends = (0..16).map(|n| {
        let input = json!({ "conversationId": conversation, "content": n.to_string() });
        let (hub, name) = (&hub, &names[n % 4]);
        async move { hub.make(name, "sendMessage", input, "message").await }
    });
    join_all(sends).await;
    assert_eq!(hub.0.calls.counts().get("TransactWriteItems"), Some(&16));
}

#[tokio::test]
async fn an_introduction_can_be_given_as_long_as_the_request_is_open() {
    let hub = Hub::start().await;
    hub.register("ada", "FOUNDER").await;
    let bea = hub.register("bea", "FOUNDER").await;
    let silent = json!({ "type": "DIRECT", "participantIds": [bea] });
    let conversation = hub
        .make("ada", "createConversation", silent.clone(), "conversation")
        .await;
    let asked = json!({
        "type": "DIRECT", "participantIds": [bea], "introduction": "Shall we found?",
    });
    let ask = || hub.make("ada", "createConversation", asked.clone(), "conversation");
    assert_eq!(ask().await, conversation);
    let requests = "{ conversationRequests { edges { node { conversation { introduction } } } } }";
    let read = async || {
        let seen = hub.query("bea", requests, Value::Null).await;
        seen["conversationRequests"]["edges"][0]["node"]["conversation"]["introduction"].clone()
    };
    assert_eq!(read().await, "Shall we found?");
    // Neither a repetition nor a request without one takes it back; another one is refused.
    assert_eq!(ask().await, conversation);
    hub.make("ada", "createConversation", silent, "conversation")
        .await;
    let other = json!({ "type": "DIRECT", "participantIds": [bea], "introduction": "Or not?" });
    let refused = hub
        .mutate("ada", "createConversation", other, "conversation { id }")
        .await;
    assert_eq!(codes(&refused), ["CONFLICT"]);
    assert_eq!(refused["userErrors"][0]["field"], json!(["introduction"]));
    assert_eq!(read().await, "Shall we found?");
}

/// Each change of a message between the first request and its repetition.
#[tokio::test]
async fn a_message_that_has_changed_since_is_answered_as_it_is_now() {
    let hub = Hub::start().await;
    let a = hub.register("a", "FOUNDER").await;
    hub.register("b", "TALENT").await;
    hub.tie("a", "b").await;
    let input = json!({ "type": "DIRECT", "participantIds": [a] });
    let conversation = hub
        .make("b", "createConversation", input, "conversation")
        .await;
    for (n, steps) in [
        ["editMessage"].as_slice(),
        &["deleteMessage"],
        &["editMessage", "deleteMessage"],
    ]
    .into_iter()
    .enumerate()
    {
        for has_link in [false, true] {
            let name = format!("01ARZ3NDEKTSV4RRFFQ69G5F{n}{}", usize::from(has_link));
            let mut input =
                json!({ "conversationId": conversation, "messageId": name, "content": "first" });
            if has_link {
                input["fileUrl"] = json!("https://example.com/f.pdf");
            }
            let fields = "message { id content fileUrl editedAt deletedAt }";
            let sent = hub.mutate("a", "sendMessage", input.clone(), fields).await;
            let id = sent["message"]["id"].clone();
            let mut changed = Value::Null;
            for mutation in steps {
                let mut change = json!({ "id": id });
                if *mutation == "editMessage" {
                    change["content"] = json!("second");
                }
                changed = hub.mutate("a", mutation, change, fields).await["message"].clone();
            }
            let again = hub.mutate("a", "sendMessage", input, fields).await;
            assert_eq!(again["userErrors"], json!([]), "{steps:?}");
            assert_eq!(again["message"], changed, "{steps:?}");
        }
    }
}
