//! Conversations between users who have no tie: asked first, declined, left, blocked. Each step says what the other one sees.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::world::{Hub, codes};

const REQUESTS: &str = "{ conversationRequests { edges { node { conversation { id introduction takesPart \
    lastMessagePreview messages { edges { cursor } } participants { firstName } invitedUsers { firstName } } } } } }";
const INBOX: &str =
    "{ inbox { edges { node { unreadCount conversation { id } } } } viewer { unreadMessages } }";

pub async fn town() -> (Hub, String, String) {
    let hub = Hub::start().await;
    let ada = hub.register("ada", "FOUNDER").await;
    let bea = hub.register("bea", "FOUNDER").await;
    (hub, ada, bea)
}

pub async fn ask(hub: &Hub, from: &str, to: &str) -> String {
    let input =
        json!({ "type": "DIRECT", "participantIds": [to], "introduction": "Shall we found?" });
    hub.make(from, "createConversation", input, "conversation")
        .await
}

pub async fn say(hub: &Hub, name: &str, conversation: &str, content: &str) -> Value {
    let input = json!({ "conversationId": conversation, "content": content });
    hub.mutate(name, "sendMessage", input, "message { id }")
        .await
}

pub async fn contents(hub: &Hub, name: &str, conversation: &str) -> Value {
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

/// Whoever is away, the refusal names the step that lets both write again.
#[tokio::test]
async fn a_refused_message_names_a_step_that_exists() {
    let leave = "leaveConversation";
    for away in ["declined", "left", "blocks"] {
        let (hub, ada, bea) = town().await;
        if away != "declined" {
            hub.tie("ada", "bea").await;
        }
        let conversation = ask(&hub, "ada", &bea).await;
        let named = json!({ "conversationId": conversation });
        if away == "blocks" {
            hub.make("bea", "blockUser", json!({ "id": ada }), "user")
                .await;
        } else {
            hub.make("bea", leave, named, "conversation").await;
        }
        let refused = say(&hub, "ada", &conversation, "hello").await;
        assert_eq!(codes(&refused), ["CONFLICT"], "{away}");
        let message = refused["userErrors"][0]["message"].as_str().unwrap();
        assert!(message.contains("only they can"), "{away}: {message}");
        assert!(!message.contains("createConversation"), "{away}: {message}");
        // They do.
        if away == "blocks" {
            hub.make("bea", "unblockUser", json!({ "id": ada }), "user")
                .await;
        } else {
            assert_eq!(ask(&hub, "bea", &ada).await, conversation);
        }
        let sent = say(&hub, "ada", &conversation, "hello").await;
        assert_eq!(sent["userErrors"], json!([]), "{away}");
    }
}

/// Of each kind of conversation, once with each step after leaving.
#[tokio::test]
async fn who_has_left_deletes_own_messages_and_learns_how_to_edit_them() {
    for kind in ["DIRECT", "GROUP"] {
        let (hub, _, bea) = town().await;
        hub.tie("ada", "bea").await;
        let input = json!({ "type": kind, "participantIds": [bea] });
        let conversation = hub
            .make("ada", "createConversation", input, "conversation")
            .await;
        let sent = say(&hub, "ada", &conversation, "one").await["message"]["id"].clone();
        let leave = json!({ "conversationId": conversation });
        hub.make("ada", "leaveConversation", leave, "conversation")
            .await;
        let edit = json!({ "id": sent, "content": "two" });
        let refused = hub
            .mutate("ada", "editMessage", edit.clone(), "message { id }")
            .await;
        assert_eq!(codes(&refused), ["CONFLICT"], "{kind}");
        let message = refused["userErrors"][0]["message"].as_str().unwrap();
        assert!(message.contains("have left") && message.contains("deleteMessage"));
        // A stranger learns nothing of it.
        hub.register("cleo", "TALENT").await;
        for (mutation, input) in [
            ("editMessage", edit.clone()),
            ("deleteMessage", json!({ "id": sent })),
        ] {
            let refused = hub.mutate("cleo", mutation, input, "message { id }").await;
            assert_eq!(codes(&refused), ["NOT_FOUND"], "{kind} {mutation}");
        }
        hub.make("ada", "deleteMessage", json!({ "id": sent }), "message")
            .await;
        let seen = contents(&hub, "bea", &conversation).await;
        let seen = seen[1].as_str().unwrap();
        assert_eq!(seen, "ada-first TEXT This message was deleted.", "{kind}");
    }
}

/// Invitations by a link and for an address, and blocks in both directions.
#[tokio::test]
async fn no_invitation_is_accepted_across_a_block() {
    for email in [Value::Null, json!("ida@example.com")] {
        for (by, blocked) in [("ada", "ida"), ("ida", "ada")] {
            let (hub, ada, _) = town().await;
            hub.admin("root").await;
            let ida = hub.register("ida", "INVESTOR").await;
            let startup = hub.published("ada", "Sunny", "PRIVATE").await;
            let mut input = json!({ "startupId": startup, "accessLevel": "FULL_ACCESS" });
            if !email.is_null() {
                input["email"] = email.clone();
            }
            let invitation = hub
                .make("ada", "createInvitation", input, "invitation")
                .await;
            let id = if blocked == "ida" { ida } else { ada };
            hub.make(by, "blockUser", json!({ "id": id }), "user").await;
            let accept = json!({ "id": invitation });
            let case = format!("{email}, by {by}");
            let refused = hub
                .mutate(
                    "ida",
                    "acceptInvitation",
                    accept.clone(),
                    "invitation { id }",
                )
                .await;
            assert_eq!(codes(&refused), ["NOT_FOUND"], "{case}");
            let seen = "query($id: ID!) { startup(id: $id) { id } }";
            let seen = hub.query("ida", seen, json!({ "id": startup })).await;
            assert_eq!(seen["startup"], Value::Null, "{case}");
            hub.make(by, "unblockUser", json!({ "id": id }), "user")
                .await;
            hub.make("ida", "acceptInvitation", accept, "invitation")
                .await;
        }
    }
}
