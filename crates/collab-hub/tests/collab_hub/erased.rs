//! What a user has deleted is read nowhere any more: messages, introductions, and what notifications say of them.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::world::Hub;

/// Everything that is stored, as text, without the audit log.
async fn stored(hub: &Hub) -> String {
    let items = hub.items().await;
    let items = items.iter().map(|item| format!("{item:?}"));
    items.collect::<Vec<_>>().join("\n")
}

async fn pair() -> (Hub, String, String) {
    let hub = Hub::start().await;
    let ada = hub.register("ada", "FOUNDER").await;
    let bea = hub.register("bea", "FOUNDER").await;
    (hub, ada, bea)
}

#[tokio::test]
async fn the_text_of_a_deleted_message_is_nowhere() {
    let (hub, _, bea) = pair().await;
    hub.tie("ada", "bea").await;
    let input = json!({ "type": "DIRECT", "participantIds": [bea] });
    let conversation = hub
        .make("ada", "createConversation", input, "conversation")
        .await;
    // Later than what Bea was told of the conversation.
    hub.0.clock.advance(1);
    let input = json!({ "conversationId": conversation, "content": "SECRET-offer" });
    let message = hub.make("ada", "sendMessage", input, "message").await;
    let told = "{ notifications(first: 1) { edges { node { title body } } } }";
    let told = hub.query("bea", told, Value::Null).await;
    let expected = json!({ "title": "New message", "body": "ada-first ada-last sent a message." });
    assert_eq!(told["notifications"]["edges"][0]["node"], expected);
    hub.make("ada", "deleteMessage", json!({ "id": message }), "message")
        .await;
    let stored = stored(&hub).await;
    assert!(!stored.contains("SECRET-offer"), "{stored}");
}

#[tokio::test]
async fn the_introduction_of_a_deleted_user_is_nowhere() {
    let (hub, ada, bea) = pair().await;
    let input = json!({
        "type": "DIRECT", "participantIds": [bea], "introduction": "SECRET-introduction",
    });
    let conversation = hub
        .make("ada", "createConversation", input, "conversation")
        .await;
    let read = "query($id: ID!) { node(id: $id) { ... on Conversation { introduction } } }";
    let seen = hub.query("bea", read, json!({ "id": conversation })).await;
    assert_eq!(seen["node"]["introduction"], "SECRET-introduction");
    for _ in 0..2 {
        // Repeated by a client that did not hear the answer, it is complete, too.
        let deleted = hub
            .mutate("ada", "deleteAccount", json!({ "id": ada }), "isComplete")
            .await;
        assert_eq!(deleted["isComplete"], true, "{deleted}");
    }
    let stored = stored(&hub).await;
    assert!(!stored.contains("SECRET-introduction"), "{stored}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_message_outlives_the_account_that_is_deleted_while_it_is_sent() {
    let (hub, ada, bea) = pair().await;
    hub.tie("ada", "bea").await;
    let input = json!({ "type": "DIRECT", "participantIds": [bea] });
    let conversation = hub
        .make("ada", "createConversation", input, "conversation")
        .await;
    let sends = (0..24).map(|n| {
        let content = format!("SECRET-{n}");
        let input = json!({ "conversationId": conversation, "content": content });
        hub.attempt("ada", "sendMessage", input, "message { id }")
    });
    let delete = async {
        let input = json!({ "id": ada });
        let deleted = hub.mutate("ada", "deleteAccount", input, "isComplete");
        assert_eq!(deleted.await["isComplete"], true);
    };
    tokio::join!(join_all(sends), delete);
    let stored = stored(&hub).await;
    assert!(!stored.contains("SECRET-"), "{stored}");
}

#[tokio::test]
async fn an_account_whose_subscription_ends_by_itself_is_deleted() {
    let hub = crate::stripe::hub().await;
    let start = trestle_testing::hosted::START;
    let event = crate::stripe::event("evt_1", "updated", start, "active", Some("ada"));
    let event = event.replace(
        "\"cancel_at_period_end\":false",
        "\"cancel_at_period_end\":true",
    );
    assert_eq!(crate::stripe::send(&hub, &event).await, 200);
    let own = "{ viewer { user { id } } }";
    let own = hub.query("ada", own, Value::Null).await["viewer"]["user"]["id"].clone();
    let deleted = hub
        .mutate("ada", "deleteAccount", json!({ "id": own }), "isComplete")
        .await;
    assert_eq!(deleted["isComplete"], true, "{deleted}");
}

#[tokio::test]
async fn what_a_user_said_in_conversations_that_were_left_is_nowhere() {
    let (hub, ada, bea) = pair().await;
    hub.tie("ada", "bea").await;
    let mut left = Vec::new();
    for n in 0..3 {
        let input = json!({ "type": "GROUP", "participantIds": [bea] });
        let conversation = hub
            .make("ada", "createConversation", input, "conversation")
            .await;
        for m in 0..70 {
            let content = format!("SECRET-{n}-{m}");
            let input = json!({ "conversationId": conversation, "content": content });
            hub.make("ada", "sendMessage", input, "message").await;
        }
        let input = json!({ "conversationId": conversation, "content": "of bea" });
        hub.make("bea", "sendMessage", input, "message").await;
        let input = json!({ "conversationId": conversation, "content": "SECRET-last" });
        hub.make("ada", "sendMessage", input, "message").await;
        let leave = json!({ "conversationId": conversation });
        hub.make("ada", "leaveConversation", leave, "conversation")
            .await;
        left.push(conversation);
    }
    // A deletion that is not complete reads as such, and nobody reinstates the account.
    hub.admin("root").await;
    let delete = async || {
        let input = json!({ "id": ada });
        hub.mutate("ada", "deleteAccount", input, "isComplete")
            .await["isComplete"]
            .clone()
    };
    assert_eq!(delete().await, false);
    let own = "{ viewer { user { status } } }";
    let own = hub.query("ada", own, Value::Null).await;
    assert_eq!(own["viewer"]["user"]["status"], "DELETED");
    let list = "query($status: UserStatus!) { usersByStatus(status: $status) { edges { node { firstName status } } } }";
    for (status, count) in [("BANNED", 0), ("DELETED", 1)] {
        let listed = hub.query("root", list, json!({ "status": status })).await;
        let edges = listed["usersByStatus"]["edges"].as_array().unwrap();
        assert_eq!(edges.len(), count, "{status}");
        assert!(edges.iter().all(|edge| edge["node"]["status"] == "DELETED"));
    }
    for (status, code) in [("ACTIVE", "CONFLICT"), ("DELETED", "INVALID")] {
        let input = json!({ "id": ada, "status": status });
        let refused = hub
            .mutate("root", "setUserStatus", input, "user { id }")
            .await;
        assert_eq!(crate::world::codes(&refused), [code], "{status}");
    }
    for _ in 0..3 {
        if delete().await == true {
            break;
        }
    }
    let stored = stored(&hub).await;
    assert!(!stored.contains("SECRET-"), "{stored}");
    assert!(stored.contains("of bea"));
    let read = "query($id: ID!) { node(id: $id) { ... on Conversation { lastMessagePreview } } }";
    let seen = hub.query("bea", read, json!({ "id": left[0] })).await;
    assert_eq!(
        seen["node"]["lastMessagePreview"],
        "This message was deleted."
    );
}
