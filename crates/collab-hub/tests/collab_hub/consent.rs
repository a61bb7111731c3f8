//! Conversations between users who have no tie: asked first, declined, left, blocked. Each step says what the other one sees.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::world::{Hub, codes};

const REQUESTS: &str = "{ conversationRequests { edges { node { conversation { id introduction takesPart \
    lastMessagePreview messages { edges { cursor } } participants { firstName } invitedUsers { firstName } } } } } }";
const INBOX: &str =
    "{ inbox { edges { node { unreadCount conversation { id } } } } viewer { unreadMessages } }";

async fn town() -> (Hub, String, String) {
    let hub = Hub::start().await;
    let ada = hub.register("ada", "FOUNDER").await;
    let bea = hub.register("bea", "FOUNDER").await;
    (hub, ada, bea)
}

async fn ask(hub: &Hub, from: &str, to: &str) -> String {
    let input =
        json!({ "type": "DIRECT", "participantIds": [to], "introduction": "Shall we found?" });
    hub.make(from, "createConversation", input, "conversation")
        .await
}

async fn say(hub: &Hub, name: &str, conversation: &str, content: &str) -> Value {
    let input = json!({ "conversationId": conversation, "content": content });
    hub.mutate(name, "sendMessage", input, "message { id }")
        .await
}

async fn contents(hub: &Hub, name: &str, conversation: &str) -> Value {
    let query = "query($id: ID!) { node(id: $id) { ... on Conversation { messages { edges { node { type content \
                 sender { firstName } } } } } } }";
    let data = hub.query(name, query, json!({ "id": conversation })).await;
    let edges = data["node"]["messages"]["edges"].as_array().cloned();
    let line = |edge: &Value| {
        let node = &edge["node"];
        format!(
            "{} {} {}",
            node["sender"]["firstName"].as_str().unwrap_or("-"),
            node["type"].as_str().unwrap(),
            node["content"].as_str().unwrap()
        )
    };
    match edges {
        Some(edges) => json!(edges.iter().map(line).collect::<Vec<_>>()),
        None => Value::Null,
    }
}

#[tokio::test]
async fn a_stranger_is_asked_before_the_first_message() {
    let (hub, ada, bea) = town().await;
    let conversation = ask(&hub, "ada", &bea).await;
    // Ada waits. Bea reads who asks and why, and nothing reaches her inbox.
    assert_eq!(
        codes(&say(&hub, "ada", &conversation, "hello").await),
        ["CONFLICT"]
    );
    let seen = hub.query("bea", REQUESTS, Value::Null).await;
    let seen = seen["conversationRequests"]["edges"][0]["node"]["conversation"].clone();
    let expected = json!({
        "id": conversation, "introduction": "Shall we found?", "takesPart": false, "lastMessagePreview": "",
        "messages": null, "participants": [{ "firstName": "ada-first" }],
        "invitedUsers": [{ "firstName": "bea-first" }],
    });
    assert_eq!(seen, expected);
    let inbox = hub.query("bea", INBOX, Value::Null).await;
    assert_eq!(inbox["inbox"]["edges"], json!([]));
    let told = "{ notifications { edges { node { title body } } } }";
    let told = hub.query("bea", told, Value::Null).await;
    let body = &told["notifications"]["edges"][0]["node"]["body"];
    assert_eq!(body, "ada-first ada-last asks to talk to you.");
    // She cannot write before she agrees.
    assert_eq!(
        codes(&say(&hub, "bea", &conversation, "hello").await),
        ["NOT_FOUND"]
    );
    let accept = json!({ "conversationId": conversation });
    for _ in 0..2 {
        hub.make("bea", "acceptConversation", accept.clone(), "conversation")
            .await;
    }
    let requests = hub.query("bea", REQUESTS, Value::Null).await;
    assert_eq!(requests["conversationRequests"]["edges"], json!([]));
    assert_eq!(
        say(&hub, "ada", &conversation, "hello").await["userErrors"],
        json!([])
    );
    let expected = json!([
        "ada-first TEXT hello",
        "bea-first SYSTEM Joined the conversation."
    ]);
    for name in ["ada", "bea"] {
        assert_eq!(contents(&hub, name, &conversation).await, expected);
    }
    let inbox = hub.query("bea", INBOX, Value::Null).await;
    assert_eq!(inbox["inbox"]["edges"][0]["node"]["unreadCount"], 1);
    // What the service says need not be read.
    let inbox = hub.query("ada", INBOX, Value::Null).await;
    assert_eq!(inbox["inbox"]["edges"][0]["node"]["unreadCount"], 0);
    // From now on they know each other.
    let group = json!({ "type": "GROUP", "participantIds": [ada] });
    let fields = "conversation { invitedUsers { firstName } participants { firstName } }";
    let group = hub.mutate("bea", "createConversation", group, fields).await;
    assert_eq!(group["conversation"]["invitedUsers"], json!([]));
}

#[tokio::test]
async fn a_request_that_is_declined_stays_declined() {
    let (hub, ada, bea) = town().await;
    let conversation = ask(&hub, "ada", &bea).await;
    let leave = json!({ "conversationId": conversation });
    let fields = "conversation { messages { edges { cursor } } lastMessagePreview }";
    let left = hub.mutate("bea", "leaveConversation", leave, fields).await;
    assert_eq!(left["conversation"]["messages"], Value::Null);
    // Asking again changes nothing: it is the same conversation, and Bea is not in it.
    assert_eq!(ask(&hub, "ada", &bea).await, conversation);
    let requests = hub.query("bea", REQUESTS, Value::Null).await;
    assert_eq!(requests["conversationRequests"]["edges"], json!([]));
    assert_eq!(contents(&hub, "bea", &conversation).await, Value::Null);
    assert_eq!(
        codes(&say(&hub, "ada", &conversation, "please").await),
        ["CONFLICT"]
    );
    // Bea may change her mind.
    assert_eq!(ask(&hub, "bea", &ada).await, conversation);
    assert_eq!(
        say(&hub, "ada", &conversation, "thanks").await["userErrors"],
        json!([])
    );
}

#[tokio::test]
async fn who_has_left_reads_nothing_and_is_sent_nothing() {
    let (hub, _, bea) = town().await;
    let cleo = hub.register("cleo", "FOUNDER").await;
    for name in ["bea", "cleo"] {
        hub.tie("ada", name).await;
    }
    let input = json!({ "type": "GROUP", "participantIds": [bea, cleo] });
    let conversation = hub
        .make("ada", "createConversation", input, "conversation")
        .await;
    say(&hub, "ada", &conversation, "one").await;
    let leave = json!({ "conversationId": conversation });
    hub.make("bea", "leaveConversation", leave.clone(), "conversation")
        .await;
    let again = hub
        .mutate("bea", "leaveConversation", leave, "conversation { id }")
        .await;
    assert_eq!(codes(&again), ["NOT_FOUND"]);
    say(&hub, "ada", &conversation, "two").await;
    assert_eq!(contents(&hub, "bea", &conversation).await, Value::Null);
    let inbox = hub.query("bea", INBOX, Value::Null).await;
    assert_eq!(
        (&inbox["inbox"]["edges"], &inbox["viewer"]["unreadMessages"]),
        (&json!([]), &json!(0))
    );
    let expected = json!([
        "ada-first TEXT two",
        "bea-first SYSTEM Left the conversation.",
        "ada-first TEXT one",
    ]);
    assert_eq!(contents(&hub, "cleo", &conversation).await, expected);
    let inbox = hub.query("cleo", INBOX, Value::Null).await;
    assert_eq!(inbox["inbox"]["edges"][0]["node"]["unreadCount"], 2);
    let read = json!({ "conversationId": conversation });
    let read = hub
        .mutate(
            "cleo",
            "markConversationRead",
            read,
            "conversation { unreadCount }",
        )
        .await;
    assert_eq!(read["conversation"]["unreadCount"], 0);
}

#[tokio::test]
async fn a_blocked_user_reaches_nobody_and_learns_nothing() {
    let (hub, ada, bea) = town().await;
    hub.admin("root").await;
    let tom = hub.register("tom", "TALENT").await;
    hub.register("ida", "INVESTOR").await;
    let startup = hub.published("ada", "Sunny", "PUBLIC").await;
    let role = hub.role("ada", &startup, "Engineer").await;
    hub.tie("ada", "tom").await;
    let conversation = ask(&hub, "tom", &ada).await;
    assert_eq!(
        say(&hub, "tom", &conversation, "hi").await["userErrors"],
        json!([])
    );
    for _ in 0..2 {
        hub.make("ada", "blockUser", json!({ "id": tom }), "user")
            .await;
    }
    let listed = "{ blockedUsers { edges { node { user { firstName } } } } }";
    let seen = hub.query("ada", listed, Value::Null).await;
    assert_eq!(seen["blockedUsers"]["edges"].as_array().unwrap().len(), 1);
    let seen = hub.query("tom", listed, Value::Null).await;
    assert_eq!(seen["blockedUsers"]["edges"], json!([]));
    // Both directions: who blocks does not write, either.
    for name in ["tom", "ada"] {
        assert_eq!(
            codes(&say(&hub, name, &conversation, "again").await),
            ["CONFLICT"],
            "{name}"
        );
    }
    let apply = json!({ "roleId": role, "coverLetter": "x" });
    let refused = hub
        .mutate("tom", "applyForRole", apply.clone(), "application { id }")
        .await;
    assert_eq!(codes(&refused), ["NOT_FOUND"]);
    let group = json!({ "type": "GROUP", "participantIds": [ada, bea] });
    let refused = hub
        .mutate("tom", "createConversation", group, "conversation { id }")
        .await;
    assert_eq!(
        refused["userErrors"][0]["field"],
        json!(["participantIds", "0"])
    );
    // An investor who is blocked requests no access.
    let ida = "{ viewer { user { id } } }";
    let ida = hub.query("ida", ida, Value::Null).await["viewer"]["user"]["id"].clone();
    hub.make("ada", "blockUser", json!({ "id": ida }), "user")
        .await;
    let access = json!({ "startupId": startup, "accessLevel": "VIEW_DECK" });
    let refused = hub
        .mutate("ida", "requestAccess", access, "accessRequest { id }")
        .await;
    assert_eq!(codes(&refused), ["NOT_FOUND"]);
    // Taken back, all of it works again.
    hub.make("ada", "unblockUser", json!({ "id": tom }), "user")
        .await;
    assert_eq!(
        say(&hub, "tom", &conversation, "again").await["userErrors"],
        json!([])
    );
    hub.make("tom", "applyForRole", apply, "application").await;
    let own = hub
        .mutate("ada", "blockUser", json!({ "id": ada }), "user { id }")
        .await;
    assert_eq!(codes(&own), ["NOT_FOUND"]);
}

#[tokio::test]
async fn an_application_ties_the_applicant_and_the_founder() {
    let (hub, ada, _) = town().await;
    hub.admin("root").await;
    let tom = hub.register("tom", "TALENT").await;
    let startup = hub.published("ada", "Sunny", "PUBLIC").await;
    let role = hub.role("ada", &startup, "Engineer").await;
    hub.apply("tom", &role).await;
    let conversation = ask(&hub, "tom", &ada).await;
    assert_eq!(
        say(&hub, "tom", &conversation, "hello").await["userErrors"],
        json!([])
    );
    let same = ask(&hub, "ada", &tom).await;
    assert_eq!(same, conversation);
}

#[tokio::test]
async fn a_user_asks_a_limited_number_of_strangers_in_a_day() {
    let (hub, ..) = town().await;
    let names: Vec<_> = (0..12).map(|n| format!("s{n}")).collect();
    let ids = join_all(names.iter().map(|name| hub.register(name, "TALENT"))).await;
    let group = |ids: &[String]| json!({ "type": "GROUP", "participantIds": ids });
    let fields = "conversation { invitedUsers { firstName } }";
    let made = hub
        .mutate("ada", "createConversation", group(&ids[..8]), fields)
        .await;
    assert_eq!(
        made["conversation"]["invitedUsers"]
            .as_array()
            .unwrap()
            .len(),
        8
    );
    let many = hub
        .mutate("ada", "createConversation", group(&ids[8..]), fields)
        .await;
    assert_eq!(codes(&many), ["LIMIT_REACHED"]);
    ask(&hub, "ada", &ids[8]).await;
    // The next day, and with another tier, there is room again.
    hub.0.clock.advance(24 * 3600);
    hub.mutate("ada", "createConversation", group(&ids[..10]), fields)
        .await;
    let many = hub
        .mutate("ada", "createConversation", group(&ids[10..]), fields)
        .await;
    assert_eq!(codes(&many), ["LIMIT_REACHED"]);
    hub.tier("ada", "PRO").await;
    let made = hub
        .mutate("ada", "createConversation", group(&ids[10..]), fields)
        .await;
    assert_eq!(made["userErrors"], json!([]));
}

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
        "unreadCount": 1, "conversation": { "lastMessagePreview": "This message was deleted." },
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
        "viewer": { "unreadMessages": 1, "user": { "unreadNotifications": 1 } },
        "inbox": { "edges": [{ "node": { "isMuted": true } }] },
    });
    assert_eq!(seen, expected);
    let two = ask(&hub, "ada", &bea).await;
    let add = json!({ "conversationId": two, "participantIds": [cleo] });
    let refused = hub.mutate("ada", "addParticipants", add, fields).await;
    assert_eq!(codes(&refused), ["CONFLICT"]);
}
