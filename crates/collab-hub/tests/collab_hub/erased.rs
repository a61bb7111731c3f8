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
