//! Conversations of many people: one transaction a message, exact unread counts.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::world::{Hub, codes, viewer};

const INBOX: &str = "{ inbox(first: 5) { edges { node { unreadCount lastMessageAt conversation { id \
    lastMessagePreview unreadCount } } } } }";

async fn group(hub: &Hub, size: usize) -> (Vec<String>, String) {
    let names: Vec<_> = (0..size).map(|n| format!("p{n}")).collect();
    let ids = join_all(names.iter().map(|name| hub.register(name, "TALENT"))).await;
    join_all(names[1..].iter().map(|name| hub.tie("p0", name))).await;
    let input = json!({ "type": "GROUP", "participantIds": ids[1..] });
    let conversation = hub
        .make("p0", "createConversation", input, "conversation")
        .await;
    (names, conversation)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_to_90_people_is_one_transaction_that_moves_all_lists() {
    let hub = Hub::start().await;
    let (names, conversation) = group(&hub, 90).await;
    hub.0.clock.advance(60);
    hub.0.calls.reset();
    let input = json!({ "conversationId": conversation, "content": "hello all" });
    hub.make("p0", "sendMessage", input, "message").await;
    assert_eq!(hub.0.calls.counts().get("TransactWriteItems"), Some(&1));
    let inboxes = join_all(names.iter().map(|name| hub.query(name, INBOX, Value::Null))).await;
    for (name, inbox) in names.iter().zip(inboxes) {
        let node = &inbox["inbox"]["edges"][0]["node"];
        assert_eq!(
            node["unreadCount"],
            json!(u32::from(name != "p0")),
            "{name}"
        );
        assert_eq!(node["lastMessageAt"], "2026-02-22T19:13:11.000Z");
        assert_eq!(node["conversation"]["lastMessagePreview"], "hello all");
    }
    let input = json!({ "conversationId": conversation });
    let fields = "conversation { unreadCount messages { edges { node { readBy { id } } } } }";
    let read = hub
        .mutate("p1", "markConversationRead", input.clone(), fields)
        .await;
    assert_eq!(read["conversation"]["unreadCount"], 0);
    let readers = &read["conversation"]["messages"]["edges"][0]["node"]["readBy"];
    assert_eq!(readers.as_array().unwrap().len(), 1);
    // The 91st does not fit.
    let ids = join_all((0..90).map(|n| {
        let (hub, name) = (&hub, format!("p{n}"));
        async move {
            let data = hub
                .query(&name, "{ viewer { user { id } } }", Value::Null)
                .await;
            data["viewer"]["user"]["id"].clone()
        }
    }));
    let ids = ids.await;
    hub.register("extra", "TALENT").await;
    let input = json!({ "type": "GROUP", "participantIds": ids });
    let payload = hub
        .mutate("extra", "createConversation", input, "conversation { id }")
        .await;
    assert_eq!(codes(&payload), ["LIMIT_REACHED"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unread_counts_are_exact_while_many_send_and_read() {
    let hub = Hub::start().await;
    let (names, conversation) = group(&hub, 5).await;
    let send = |name: &String, n: usize| {
        let input = json!({ "conversationId": conversation, "content": format!("m{n}") });
        let (hub, name) = (&hub, name.clone());
        async move { hub.make(&name, "sendMessage", input, "message").await }
    };
    let read = |name: &String| {
        let input = json!({ "conversationId": conversation });
        let (hub, name) = (&hub, name.clone());
        async move {
            hub.mutate(&name, "markConversationRead", input, "conversation { id }")
                .await
        }
    };
    let sends = (0..16).map(|n| send(&names[n % 4], n));
    let reads = names.iter().map(read);
    let (sent, _) = tokio::join!(join_all(sends), join_all(reads));
    assert_eq!(sent.len(), 16);
    let all = "query($id: ID!) { node(id: $id) { ... on Conversation { unreadCount lastMessagePreview \
               messages(first: 50) { edges { node { id content sender { userId } readBy { userId } } } } } } }";
    for name in &names {
        let node = hub.query(name, all, json!({ "id": conversation })).await["node"].clone();
        let messages = node["messages"]["edges"].as_array().unwrap();
        assert_eq!(messages.len(), 16);
        let unread = messages.iter().filter(|edge| {
            let message = &edge["node"];
            let readers = message["readBy"].as_array().unwrap();
            message["sender"]["userId"] != json!(name)
                && !readers.iter().any(|reader| reader["userId"] == json!(name))
        });
        assert_eq!(node["unreadCount"], json!(unread.count()), "{name}");
        assert_eq!(node["lastMessagePreview"], messages[0]["node"]["content"]);
        read(name).await;
        let node = hub.query(name, all, json!({ "id": conversation })).await["node"].clone();
        assert_eq!(node["unreadCount"], 0, "{name}");
    }
}

#[tokio::test]
async fn a_conversation_has_its_rules() {
    let hub = Hub::start().await;
    hub.register("a", "FOUNDER").await;
    let b = hub.register("b", "TALENT").await;
    let c = hub.register("c", "TALENT").await;
    let fields = "conversation { id }";
    for (input, field) in [
        (
            json!({ "type": "DIRECT", "participantIds": [b, c] }),
            "participantIds",
        ),
        (
            json!({ "type": "GROUP", "participantIds": [] }),
            "participantIds",
        ),
        (
            json!({ "type": "STARTUP_CHANNEL", "participantIds": [b] }),
            "relatedStartupId",
        ),
    ] {
        let payload = hub.mutate("a", "createConversation", input, fields).await;
        assert_eq!(
            payload["userErrors"][0]["field"],
            json!([field]),
            "{payload:#}"
        );
    }
    hub.tie("a", "b").await;
    let input = json!({ "type": "DIRECT", "participantIds": [b] });
    let conversation = hub
        .make("a", "createConversation", input, "conversation")
        .await;
    let input = json!({ "conversationId": conversation, "content": "x" });
    let payload = hub
        .mutate("c", "sendMessage", input.clone(), "message { id }")
        .await;
    assert_eq!(codes(&payload), ["NOT_FOUND"]);
    let query = "query($id: ID!) { node(id: $id) { id } }";
    assert_eq!(
        hub.query("c", query, json!({ "id": conversation })).await["node"],
        Value::Null
    );
    // The clock stands still, and the order of messages stays that of their sending.
    for n in 0..3 {
        let input = json!({ "conversationId": conversation, "content": n.to_string() });
        hub.make("b", "sendMessage", input, "message").await;
    }
    let messages = "query($id: ID!) { node(id: $id) { ... on Conversation { messages { edges { node { content } } } } } }";
    let data = hub
        .0
        .data(&viewer("a"), messages, json!({ "id": conversation }))
        .await;
    let contents: Vec<_> = data["node"]["messages"]["edges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| edge["node"]["content"].as_str().unwrap())
        .collect();
    assert_eq!(contents, ["2", "1", "0"]);
}
