//! The one DIRECT conversation of two users, also if another program has written it.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::design::{inbox, original, written};
use crate::world::Hub;

/// Where another program lists its conversation of fay and tess.
const LISTED: [&str; 3] = ["each", "fay", "tess"];

async fn foreign(listed: &str, participants: [&str; 2]) -> Hub {
    let hub = if listed == "each" {
        written().await
    } else {
        original().await
    };
    let text = |text: &str| AttributeValue::S(text.to_owned());
    for mut item in hub.items().await {
        if item["entityType"].as_s().unwrap() != "CONVERSATION" {
            continue;
        }
        let users = participants.map(text).to_vec();
        item.insert("participants".into(), AttributeValue::L(users));
        if listed != "each" {
            item.insert("GSI1PK".into(), text(&format!("PARTICIPANT#{listed}")));
        }
        let put = hub.0.dynamodb.put_item().table_name("collabhub-main");
        put.set_item(Some(item)).send().await.unwrap();
    }
    hub
}

async fn user(hub: &Hub, name: &str) -> Value {
    let own = hub
        .query(name, "{ viewer { user { id } } }", Value::Null)
        .await;
    own["viewer"]["user"]["id"].clone()
}

/// The ids of the conversations of an inbox, in order of their texts.
async fn listed(hub: &Hub, name: &str) -> Vec<Value> {
    let entries = inbox(hub, name).await.into_iter();
    let mut ids: Vec<_> = entries.map(|(id, _)| id).collect();
    ids.sort_by_key(Value::to_string);
    ids
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_direct_conversation_of_another_program_is_the_one_that_two_users_have() {
    for list in LISTED {
        for participants in [["fay", "tess"], ["tess", "fay"]] {
            for (by, other) in [("fay", "tess"), ("tess", "fay")] {
                for has_group in [false, true] {
                    let hub = foreign(list, participants).await;
                    let owner = if list == "tess" { "tess" } else { "fay" };
                    let present = listed(&hub, owner).await[0].clone();
                    let (own, theirs) = (user(&hub, by).await, user(&hub, other).await);
                    let mut expected = vec![present.clone()];
                    if has_group {
                        // A newer conversation that both have, which is not DIRECT.
                        let group = json!({ "type": "GROUP", "participantIds": [theirs] });
                        hub.tie("fay", "tess").await;
                        let group = hub.make(by, "createConversation", group, "conversation");
                        expected.push(json!(group.await));
                        expected.sort_by_key(Value::to_string);
                    }
                    let about = format!("{list} {participants:?} {by} {has_group}");
                    for (name, with) in [(by, &theirs), (by, &theirs), (other, &own)] {
                        let direct = json!({ "type": "DIRECT", "participantIds": [with] });
                        let made = hub.make(name, "createConversation", direct, "conversation");
                        assert_eq!(json!(made.await), present, "{about}: {name}");
                    }
                    for name in [by, other] {
                        assert_eq!(listed(&hub, name).await, expected, "{about}: {name}");
                    }
                    let said = json!({ "conversationId": present, "content": "back" });
                    hub.make(by, "sendMessage", said, "message").await;
                    let unread = "{ viewer { unreadMessages } searchMessages(query: \"back\") { edges { node { content } } } }";
                    let seen = hub.query(other, unread, Value::Null).await;
                    assert!(
                        seen["viewer"]["unreadMessages"].as_u64() > Some(0),
                        "{about}: {seen}"
                    );
                    let found = &seen["searchMessages"]["edges"][0]["node"]["content"];
                    assert_eq!(found, "back", "{about}");
                }
            }
        }
    }
}

/// Both at once, too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_users_who_write_at_once_have_one_conversation() {
    for list in LISTED {
        let hub = foreign(list, ["fay", "tess"]).await;
        let (fay, tess) = (user(&hub, "fay").await, user(&hub, "tess").await);
        let direct = |with: &Value| json!({ "type": "DIRECT", "participantIds": [with] });
        let made = |name, with| hub.make(name, "createConversation", direct(with), "conversation");
        let (one, other) = tokio::join!(made("fay", &tess), made("tess", &fay));
        assert_eq!(one, other, "{list}");
        let items = hub.items().await;
        let of_kind = items
            .iter()
            .filter(|item| item["entityType"].as_s().unwrap() == "CONVERSATION");
        assert_eq!(of_kind.count(), 1, "{list}");
    }
}

/// Whoever leaves it, whoever writes first then, and whatever was changed before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_of_another_program_that_was_left_stays_the_one() {
    for list in LISTED {
        for first in [
            "",
            "sendMessage",
            "markConversationRead",
            "muteConversation",
        ] {
            for (by, other) in [("fay", "tess"), ("tess", "fay")] {
                let hub = foreign(list, ["fay", "tess"]).await;
                let owner = if list == "tess" { "tess" } else { "fay" };
                let present = listed(&hub, owner).await[0].clone();
                let about = format!("{list}, {by} leaves after {first}");
                let mut input = json!({ "conversationId": present });
                match first {
                    "sendMessage" => input["content"] = json!("x"),
                    "muteConversation" => input["isMuted"] = json!(true),
                    _ => {}
                }
                if !first.is_empty() {
                    let done = hub.mutate(by, first, input, "__typename").await;
                    assert_eq!(done["userErrors"], json!([]), "{about}");
                }
                let leave = json!({ "conversationId": present });
                hub.mutate(by, "leaveConversation", leave, "__typename")
                    .await;
                let (own, theirs) = (user(&hub, by).await, user(&hub, other).await);
                for (name, with) in [(by, &theirs), (other, &own), (by, &theirs)] {
                    let direct = json!({ "type": "DIRECT", "participantIds": [with] });
                    let made = hub.make(name, "createConversation", direct, "conversation");
                    assert_eq!(json!(made.await), present, "{about}: {name}");
                }
                assert_eq!(
                    listed(&hub, by).await,
                    std::slice::from_ref(&present),
                    "{about}"
                );
            }
        }
    }
}
