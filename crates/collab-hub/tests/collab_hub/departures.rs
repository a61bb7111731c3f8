//! Who has left a conversation or declined to take part is not brought back by others, and what a blocked user still does.

use serde_json::{Value, json};

use crate::world::{Hub, codes};

const MEMBERS: &str = "conversation { participants { firstName } invitedUsers { firstName } }";

async fn add(hub: &Hub, conversation: &str, user: &str) -> Value {
    let input = json!({ "conversationId": conversation, "participantIds": [user] });
    hub.mutate("ada", "addParticipants", input, MEMBERS).await
}

async fn unread(hub: &Hub, name: &str) -> Value {
    let count = "{ viewer { user { unreadNotifications } } }";
    hub.query(name, count, Value::Null).await["viewer"]["user"]["unreadNotifications"].clone()
}

/// A group of ada, bea and cleo, who have a tie with ada.
async fn group() -> (Hub, String, String, String) {
    let hub = Hub::start().await;
    hub.register("ada", "FOUNDER").await;
    let bea = hub.register("bea", "FOUNDER").await;
    let cleo = hub.register("cleo", "FOUNDER").await;
    for name in ["bea", "cleo"] {
        hub.tie("ada", name).await;
    }
    let input = json!({ "type": "GROUP", "participantIds": [bea, cleo] });
    let conversation = hub
        .make("ada", "createConversation", input, "conversation")
        .await;
    (hub, bea, cleo, conversation)
}

#[tokio::test]
async fn who_has_left_is_asked_and_who_has_declined_is_left_in_peace() {
    let (hub, bea, _, conversation) = group().await;
    let named = json!({ "conversationId": conversation });
    hub.make("bea", "leaveConversation", named.clone(), "conversation")
        .await;
    let asked = add(&hub, &conversation, &bea).await;
    assert_eq!(
        asked["conversation"]["invitedUsers"],
        json!([{ "firstName": "bea-first" }])
    );
    // Bea declines, and is not asked again for a month.
    hub.make("bea", "leaveConversation", named.clone(), "conversation")
        .await;
    let refused = add(&hub, &conversation, &bea).await;
    assert_eq!(codes(&refused), ["CONFLICT"]);
    hub.0.clock.advance(31 * 24 * 3600);
    let asked = add(&hub, &conversation, &bea).await;
    assert_eq!(asked["userErrors"], json!([]));
    // She agrees now, and what was before is forgotten.
    hub.make("bea", "acceptConversation", named, "conversation")
        .await;
    let same = add(&hub, &conversation, &bea).await;
    assert_eq!(same["userErrors"], json!([]));
    assert_eq!(same["conversation"]["invitedUsers"], json!([]));
}

#[tokio::test]
async fn a_blocked_user_makes_no_notifications_in_a_group() {
    let (hub, _, cleo, conversation) = group().await;
    hub.make("bea", "blockUser", json!({ "id": cleo }), "user")
        .await;
    let before = [unread(&hub, "ada").await, unread(&hub, "bea").await];
    let input = json!({ "conversationId": conversation, "content": "hello" });
    hub.make("cleo", "sendMessage", input, "message").await;
    assert_eq!(unread(&hub, "bea").await, before[1]);
    assert_ne!(unread(&hub, "ada").await, before[0]);
}

#[tokio::test]
async fn a_block_is_not_seen_and_ends_what_was_asked_before() {
    let hub = Hub::start().await;
    let root = hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    let bea = hub.register("bea", "FOUNDER").await;
    let tom = hub.register("tom", "TALENT").await;
    // Tom asks Bea, who blocks him: neither of them can make it a conversation.
    let ask = json!({ "type": "DIRECT", "participantIds": [bea] });
    let asked = hub
        .make("tom", "createConversation", ask, "conversation")
        .await;
    hub.make("bea", "blockUser", json!({ "id": tom }), "user")
        .await;
    let accept = json!({ "conversationId": asked });
    let refused = hub
        .mutate("bea", "acceptConversation", accept, "conversation { id }")
        .await;
    assert_eq!(codes(&refused), ["NOT_FOUND"]);
    // To a blocked user it looks as if the other one had left.
    hub.tie("ada", "tom").await;
    let ada = "{ viewer { user { id } } }";
    let ada = hub.query("ada", ada, Value::Null).await["viewer"]["user"]["id"].clone();
    let direct = json!({ "type": "DIRECT", "participantIds": [ada] });
    let conversation = hub
        .make("tom", "createConversation", direct, "conversation")
        .await;
    hub.make("ada", "blockUser", json!({ "id": tom }), "user")
        .await;
    let query =
        "query($id: ID!) { node(id: $id) { ... on Conversation { participants { firstName } } } }";
    let seen = hub.query("tom", query, json!({ "id": conversation })).await;
    assert_eq!(
        seen["node"]["participants"],
        json!([{ "firstName": "tom-first" }])
    );
    let seen = hub.query("ada", query, json!({ "id": conversation })).await;
    assert_eq!(seen["node"]["participants"].as_array().unwrap().len(), 2);
    let refused = hub
        .mutate("ada", "blockUser", json!({ "id": root }), "user { id }")
        .await;
    assert_eq!(codes(&refused), ["CONFLICT"]);
}
