//! The inbox on several devices: what is read or deleted on one is reported to the others.

use serde_json::{Value, json};
use trestle_testing::socket::Socket;

use crate::world::{Hub, viewer};

const CHANGED: &str = "subscription { inboxChanged { unreadNotifications unreadMessages message { content } \
    deletedMessage { content deletedAt } readConversation { unreadCount } notification { title } readNotification { title \
    isRead } } }";

async fn device(hub: &Hub, name: &str, query: &str, variables: Value) -> Socket {
    let viewer = viewer(name);
    let mut socket = Socket::connect(&hub.0.url, &[("x-api-key", &viewer)])
        .await
        .expect("it lets us in");
    socket.say(json!({ "type": "connection_init" })).await;
    assert_eq!(socket.hear().await, json!({ "type": "connection_ack" }));
    socket.subscribe("inbox", query, variables).await;
    socket
}

async fn next(socket: &mut Socket) -> Value {
    socket.next("inbox").await["inboxChanged"].clone()
}

/// What a subscription says last is that the viewer may not read any more.
async fn assert_ended(socket: &mut Socket) {
    loop {
        let message = socket.hear().await;
        let text = message.to_string();
        assert!(!text.contains("SECRET"), "{text}");
        if text.contains("FORBIDDEN") {
            break;
        }
        assert_eq!(
            message["payload"]["data"]["messageSent"]["content"],
            "ready"
        );
    }
}

/// Waits until a subscription to the messages of a conversation runs: ada says something until it is heard.
async fn hears(hub: &Hub, socket: &mut Socket, conversation: &str) {
    let said = json!({ "conversationId": conversation, "content": "ready" });
    let saying = async {
        loop {
            hub.make("ada", "sendMessage", said.clone(), "message")
                .await;
        }
    };
    tokio::select! {
        biased;
        _ = socket.hear() => {}
        () = saying => {}
    }
}

/// Ada and tom, who talk, and their conversation.
async fn town() -> (Hub, String) {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    let tom = hub.register("tom", "TALENT").await;
    hub.tie("ada", "tom").await;
    let direct = json!({ "type": "DIRECT", "participantIds": [tom] });
    let conversation = hub
        .make("ada", "createConversation", direct, "conversation")
        .await;
    (hub, conversation)
}

async fn notifications(hub: &Hub) -> Vec<String> {
    let list = "{ notifications { edges { node { type title isRead } } } viewer { user { unreadNotifications } } }";
    let list = hub.query("tom", list, Value::Null).await;
    let edges = list["notifications"]["edges"].as_array().unwrap().clone();
    let unread = edges.iter().filter(|edge| edge["node"]["isRead"] == false);
    let unread: Vec<_> = unread
        .map(|edge| edge["node"]["title"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        list["viewer"]["user"]["unreadNotifications"],
        json!(unread.len())
    );
    unread
}

#[tokio::test]
async fn what_one_device_reads_the_other_one_learns() {
    let (hub, conversation) = town().await;
    let mut phone = device(&hub, "tom", CHANGED, json!({})).await;
    hub.0.clock.advance(1);
    let said = json!({ "conversationId": conversation, "content": "hello" });
    let message = hub.make("ada", "sendMessage", said, "message").await;
    let mut heard = [next(&mut phone).await, next(&mut phone).await];
    heard.sort_by_key(|change| change["message"].is_null());
    assert_eq!(heard[0]["message"]["content"], "hello");
    assert_eq!(heard[1]["notification"]["title"], "New message");
    assert_eq!(
        notifications(&hub).await,
        ["New message", "New conversation"]
    );
    // Tom reads the conversation: its notifications are read with it.
    let read = json!({ "conversationId": conversation });
    hub.make("tom", "markConversationRead", read.clone(), "conversation")
        .await;
    let change = next(&mut phone).await;
    assert_eq!(change["readConversation"]["unreadCount"], 0);
    assert_eq!(
        (&change["unreadMessages"], &change["unreadNotifications"]),
        (&json!(0), &json!(0))
    );
    assert_eq!(notifications(&hub).await, Vec::<String>::new());
    // Nothing more to read: nobody is told.
    hub.make("tom", "markConversationRead", read, "conversation")
        .await;
    hub.make("ada", "deleteMessage", json!({ "id": message }), "message")
        .await;
    let change = next(&mut phone).await;
    assert_eq!(
        change["deletedMessage"]["content"],
        "This message was deleted."
    );
    assert!(change["deletedMessage"]["deletedAt"].is_string());
}

#[tokio::test]
async fn reading_a_conversation_reads_no_other_notifications() {
    let (hub, conversation) = town().await;
    let startup = hub.published("ada", "Sunny", "PUBLIC").await;
    let role = hub.role("ada", &startup, "Engineer").await;
    let application = hub.apply("tom", &role).await;
    let review = json!({ "id": application, "status": "REVIEWING" });
    hub.make("ada", "reviewApplication", review, "application")
        .await;
    let bea = hub.register("bea", "FOUNDER").await;
    hub.tie("bea", "tom").await;
    let tom = "{ viewer { user { id } } }";
    let tom = hub.query("tom", tom, Value::Null).await["viewer"]["user"]["id"].clone();
    let other = json!({ "type": "DIRECT", "participantIds": [tom] });
    hub.make("bea", "createConversation", other, "conversation")
        .await;
    assert!(!bea.is_empty());
    let read = json!({ "conversationId": conversation });
    hub.make("tom", "markConversationRead", read, "conversation")
        .await;
    let mut left = notifications(&hub).await;
    left.sort_unstable();
    assert_eq!(left, ["Application updated", "New conversation"]);
    // One that is read by itself, and then all of them, on another device.
    let mut phone = device(&hub, "tom", CHANGED, json!({})).await;
    let list = "{ notifications(onlyUnread: true) { edges { node { id title } } } }";
    let list = hub.query("tom", list, Value::Null).await;
    let one = list["notifications"]["edges"][0]["node"].clone();
    let mark = json!({ "id": one["id"] });
    hub.make("tom", "markNotificationRead", mark, "notification")
        .await;
    let change = next(&mut phone).await;
    assert_eq!(
        change["readNotification"],
        json!({ "title": one["title"], "isRead": true })
    );
    hub.mutate("tom", "markAllNotificationsRead", json!({}), "marked")
        .await;
    let change = next(&mut phone).await;
    assert_eq!(
        (&change["readNotification"], &change["unreadNotifications"]),
        (&Value::Null, &json!(0))
    );
}

#[tokio::test]
async fn subscriptions_end_with_the_account_and_conversations_with_leaving() {
    let (hub, conversation) = town().await;
    let bea = hub.register("bea", "FOUNDER").await;
    hub.tie("ada", "bea").await;
    let tom = "{ viewer { user { id } } }";
    let tom = hub.query("tom", tom, Value::Null).await["viewer"]["user"]["id"].clone();
    let sent = "subscription($id: ID!) { messageSent(conversationId: $id) { content } }";
    let group = json!({ "type": "GROUP", "participantIds": [tom, bea] });
    let group = hub
        .make("ada", "createConversation", group, "conversation")
        .await;
    // Who has left a conversation hears nothing of it any more.
    let mut beas = device(&hub, "bea", sent, json!({ "id": group })).await;
    hears(&hub, &mut beas, &group).await;
    hub.make(
        "bea",
        "leaveConversation",
        json!({ "conversationId": group }),
        "conversation",
    )
    .await;
    let said = json!({ "conversationId": group, "content": "SECRET" });
    hub.make("ada", "sendMessage", said, "message").await;
    // Each of tom's subscriptions ends when he deletes his account, though nothing else happens.
    let mut inbox = device(&hub, "tom", CHANGED, json!({})).await;
    let id = json!({ "id": conversation });
    let mut messages = device(&hub, "tom", sent, id).await;
    let deleted = hub
        .mutate("tom", "deleteAccount", json!({ "id": tom }), "isComplete")
        .await;
    assert_eq!(deleted["isComplete"], true);
    for socket in [&mut inbox, &mut messages] {
        assert_ended(socket).await;
    }
    // And those of a banned user.
    let ban = json!({ "id": bea, "status": "BANNED" });
    hub.make("root", "setUserStatus", ban, "user").await;
    assert_ended(&mut beas).await;
}
