//! Conversations of users who have agreed: files, deleted messages, users who are added, and silence.

use serde_json::{Value, json};

use crate::consent::{ask, contents, say, town};
use crate::world::codes;

#[tokio::test]
async fn a_message_carries_a_file_and_can_be_deleted() {
    let (hub, _, bea) = town().await;
    hub.register("eve", "TALENT").await;
    hub.tie("ada", "bea").await;
    let conversation = ask(&hub, "ada", &bea).await;
    let input = json!({
        "purpose": "ATTACHMENT", "id": conversation, "contentType": "application/pdf", "size": 4,
    });
    let fields = "upload { uploadId url headers { name value } }";
    let refused = hub
        .mutate("eve", "createUpload", input.clone(), fields)
        .await;
    assert_eq!(codes(&refused), ["NOT_FOUND"]);
    let ticket = hub.mutate("ada", "createUpload", input, fields).await["upload"].clone();
    let mut put = hub.0.http.put(ticket["url"].as_str().unwrap());
    for header in ticket["headers"].as_array().unwrap() {
        let text = |name: &str| header[name].as_str().unwrap().to_owned();
        put = put.header(text("name"), text("value"));
    }
    assert!(put.body("%PDF").send().await.unwrap().status().is_success());
    let input = json!({
        "conversationId": conversation, "content": "The plan", "attachmentUploadId": ticket["uploadId"],
        "messageId": "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    });
    let fields = "message { id type attachmentUrl }";
    let sent = hub
        .mutate("ada", "sendMessage", input.clone(), fields)
        .await["message"]
        .clone();
    assert_eq!(sent["type"], "FILE");
    let again = hub.mutate("ada", "sendMessage", input, fields).await;
    assert_eq!(again["message"]["id"], sent["id"]);
    let query = "query($id: ID!) { node(id: $id) { ... on Message { content deletedAt attachmentUrl readCount } } }";
    let seen = hub.query("bea", query, json!({ "id": sent["id"] })).await["node"].clone();
    let url = seen["attachmentUrl"].as_str().unwrap().to_owned();
    let file = hub.0.http.get(&url).send().await.unwrap();
    let name = file.headers()["content-disposition"]
        .to_str()
        .unwrap()
        .to_owned();
    assert_eq!(name, "inline; filename=\"attachment.pdf\"");
    assert_eq!(file.text().await.unwrap(), "%PDF");
    let seen = hub.query("eve", query, json!({ "id": sent["id"] })).await;
    assert_eq!(seen["node"], Value::Null);
    // Only the sender deletes it, and then it is gone for everybody, with its file.
    let delete = json!({ "id": sent["id"] });
    let refused = hub
        .mutate("bea", "deleteMessage", delete.clone(), "message { id }")
        .await;
    assert_eq!(codes(&refused), ["NOT_FOUND"]);
    for _ in 0..2 {
        hub.make("ada", "deleteMessage", delete.clone(), "message")
            .await;
    }
    let seen = hub.query("bea", query, json!({ "id": sent["id"] })).await["node"].clone();
    assert_eq!(seen["content"], "This message was deleted.");
    assert!(seen["deletedAt"].is_string() && seen["attachmentUrl"].is_null());
    assert_eq!(hub.0.http.get(&url).send().await.unwrap().status(), 404);
    let inbox = "{ inbox { edges { node { unreadCount conversation { lastMessagePreview } } } } }";
    let inbox = hub.query("bea", inbox, Value::Null).await["inbox"]["edges"][0]["node"].clone();
    let expected = json!({
        "unreadCount": 0, "conversation": { "lastMessagePreview": "This message was deleted." },
    });
    assert_eq!(inbox, expected);
}

#[tokio::test]
async fn a_page_of_messages_with_their_readers_is_within_the_default_cost() {
    let (hub, _, bea) = town().await;
    hub.tie("ada", "bea").await;
    let conversation = ask(&hub, "ada", &bea).await;
    let query = "query($id: ID!) { node(id: $id) { ... on Conversation { messages(first: 100) { edges { node { \
                 content sender { firstName } readBy { firstName } } } } } } }";
    hub.query("bea", query, json!({ "id": conversation })).await;
}

#[tokio::test]
async fn users_are_added_by_the_same_rule_and_a_muted_conversation_is_quiet() {
    let (hub, _, bea) = town().await;
    let cleo = hub.register("cleo", "FOUNDER").await;
    let dora = hub.register("dora", "FOUNDER").await;
    for name in ["bea", "cleo"] {
        hub.tie("ada", name).await;
    }
    let input = json!({ "type": "GROUP", "participantIds": [bea] });
    let conversation = hub
        .make("ada", "createConversation", input, "conversation")
        .await;
    say(&hub, "ada", &conversation, "one").await;
    let add = json!({ "conversationId": conversation, "participantIds": [cleo, dora] });
    let fields = "conversation { participants { firstName } invitedUsers { firstName } }";
    let strange = json!({ "conversationId": conversation, "participantIds": [cleo] });
    let refused = hub.mutate("dora", "addParticipants", strange, fields).await;
    assert_eq!(codes(&refused), ["NOT_FOUND"]);
    for _ in 0..2 {
        let added = hub
            .mutate("ada", "addParticipants", add.clone(), fields)
            .await;
        let expected = json!({
            "participants": [
                { "firstName": "ada-first" }, { "firstName": "bea-first" }, { "firstName": "cleo-first" },
            ],
            "invitedUsers": [{ "firstName": "dora-first" }],
        });
        assert_eq!(added["conversation"], expected);
    }
    assert_eq!(
        contents(&hub, "cleo", &conversation).await,
        json!(["ada-first TEXT one"])
    );
    // Dora, who is asked, reads neither the messages nor how the newest one begins.
    assert_eq!(contents(&hub, "dora", &conversation).await, Value::Null);
    let preview =
        "query($id: ID!) { node(id: $id) { ... on Conversation { lastMessagePreview } } }";
    for (name, begins) in [("cleo", "one"), ("dora", "")] {
        let seen = hub
            .query(name, preview, json!({ "id": conversation }))
            .await;
        assert_eq!(seen["node"]["lastMessagePreview"], begins, "{name}");
    }
    // Cleo mutes it: messages reach her, and no notifications.
    let mute = json!({ "conversationId": conversation, "isMuted": true });
    hub.make("cleo", "muteConversation", mute, "conversation")
        .await;
    say(&hub, "ada", &conversation, "two").await;
    let count = "{ viewer { unreadMessages user { unreadNotifications } } inbox { edges { node { isMuted } } } }";
    let seen = hub.query("cleo", count, Value::Null).await;
    let expected = json!({
        "viewer": { "unreadMessages": 0, "user": { "unreadNotifications": 1 } },
        "inbox": { "edges": [{ "node": { "isMuted": true } }] },
    });
    assert_eq!(seen, expected);
    let two = ask(&hub, "ada", &bea).await;
    let add = json!({ "conversationId": two, "participantIds": [cleo] });
    let refused = hub.mutate("ada", "addParticipants", add, fields).await;
    assert_eq!(codes(&refused), ["CONFLICT"]);
}
