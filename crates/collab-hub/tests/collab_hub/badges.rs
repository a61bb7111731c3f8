//! Unread counts, badges and previews, against a model: what somebody would see on opening.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::world::Hub;

const USERS: [&str; 3] = ["ada", "bea", "cleo"];
const TEXTS: [&str; 3] = ["ok", "?", "ok"];

/// A message, and who has yet to read it.
struct Said {
    id: String,
    sender: usize,
    text: &'static str,
    is_deleted: bool,
    unread_by: BTreeSet<usize>,
}

/// A conversation, as a plain model has it.
struct Talk {
    id: String,
    is_direct: bool,
    members: BTreeSet<usize>,
    muted: BTreeSet<usize>,
    said: Vec<Said>,
}

impl Talk {
    fn unread(&self, user: usize) -> usize {
        let counted = self.said.iter().filter(|said| !said.is_deleted);
        counted
            .filter(|said| said.unread_by.contains(&user))
            .count()
    }

    fn preview(&self) -> &str {
        match self.said.last() {
            None => "",
            Some(said) if said.is_deleted => "This message was deleted.",
            Some(said) => said.text,
        }
    }
}

/// Numbers that look random and are the same in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

struct Town {
    hub: Hub,
    ids: Vec<String>,
    talks: Vec<Talk>,
}

impl Town {
    async fn make() -> Self {
        let hub = Hub::start().await;
        let mut ids = Vec::new();
        for name in USERS {
            ids.push(hub.register(name, "FOUNDER").await);
        }
        for (one, other) in [("ada", "bea"), ("ada", "cleo"), ("bea", "cleo")] {
            hub.tie(one, other).await;
        }
        let mut talks = Vec::new();
        for (kind, members) in [("DIRECT", vec![0, 1]), ("GROUP", vec![0, 1, 2])] {
            let others: Vec<_> = members[1..]
                .iter()
                .map(|user: &usize| ids[*user].clone())
                .collect();
            let input = json!({ "type": kind, "participantIds": others });
            talks.push(Talk {
                id: hub
                    .make("ada", "createConversation", input, "conversation")
                    .await,
                is_direct: kind == "DIRECT",
                members: members.into_iter().collect(),
                muted: BTreeSet::new(),
                said: Vec::new(),
            });
        }
        Self { hub, ids, talks }
    }

    /// One step of a user in a conversation of theirs.
    async fn step(&mut self, dice: &mut Dice) -> String {
        let (hub, user) = (&self.hub, dice.roll(USERS.len()));
        let name = USERS[user];
        let at = dice.roll(self.talks.len());
        let talk = &mut self.talks[at];
        let named = json!({ "conversationId": talk.id });
        if !talk.members.contains(&user) {
            let Some(member) = talk.members.first().filter(|_| !talk.is_direct) else {
                return String::new();
            };
            let add = json!({ "conversationId": talk.id, "participantIds": [self.ids[user]] });
            hub.make(USERS[*member], "addParticipants", add, "conversation")
                .await;
            hub.make(name, "acceptConversation", named, "conversation")
                .await;
            talk.members.insert(user);
            talk.muted.remove(&user);
            return format!("{name} joins");
        }
        match dice.roll(10) {
            0..5 => {
                let text = TEXTS[dice.roll(TEXTS.len())];
                let input = json!({ "conversationId": talk.id, "content": text });
                talk.said.push(Said {
                    id: hub.make(name, "sendMessage", input, "message").await,
                    sender: user,
                    text,
                    is_deleted: false,
                    unread_by: talk
                        .members
                        .iter()
                        .copied()
                        .filter(|one| *one != user)
                        .collect(),
                });
                format!("{name} says {text}")
            }
            5..7 => {
                let own: Vec<_> = talk
                    .said
                    .iter_mut()
                    .filter(|said| said.sender == user)
                    .collect();
                let count = own.len().max(1);
                let Some(said) = own.into_iter().nth(dice.roll(count)) else {
                    return String::new();
                };
                hub.make(name, "deleteMessage", json!({ "id": said.id }), "message")
                    .await;
                said.is_deleted = true;
                format!("{name} deletes {}", said.text)
            }
            7 => {
                hub.make(name, "markConversationRead", named, "conversation")
                    .await;
                for said in &mut talk.said {
                    said.unread_by.remove(&user);
                }
                format!("{name} reads")
            }
            8 => {
                let is_muted = !talk.muted.remove(&user);
                if is_muted {
                    talk.muted.insert(user);
                }
                let input = json!({ "conversationId": talk.id, "isMuted": is_muted });
                hub.make(name, "muteConversation", input, "conversation")
                    .await;
                format!("{name} mutes: {is_muted}")
            }
            _ if talk.is_direct || talk.members.len() < 2 => String::new(),
            _ => {
                hub.mutate(name, "leaveConversation", named, "conversation { id }")
                    .await;
                talk.members.remove(&user);
                for said in &mut talk.said {
                    said.unread_by.remove(&user);
                }
                format!("{name} leaves")
            }
        }
    }

    async fn check(&self, story: &[String]) {
        let query = "{ viewer { unreadMessages } inbox { edges { node { unreadCount conversation { id unreadCount \
            lastMessagePreview } } } } }";
        for (user, name) in USERS.into_iter().enumerate() {
            let seen = self.hub.query(name, query, Value::Null).await;
            let mut entries = Vec::new();
            for edge in seen["inbox"]["edges"].as_array().unwrap() {
                let (entry, conversation) = (&edge["node"], &edge["node"]["conversation"]);
                let id = conversation["id"].as_str().unwrap().to_owned();
                assert_eq!(entry["unreadCount"], conversation["unreadCount"]);
                let preview = conversation["lastMessagePreview"].as_str().unwrap();
                entries.push((
                    id,
                    entry["unreadCount"].as_u64().unwrap(),
                    preview.to_owned(),
                ));
            }
            let own = self
                .talks
                .iter()
                .filter(|talk| talk.members.contains(&user));
            let entry = |talk: &Talk| {
                (
                    talk.id.clone(),
                    talk.unread(user) as u64,
                    talk.preview().to_owned(),
                )
            };
            let mut expected: Vec<_> = own.clone().map(entry).collect();
            entries.sort_unstable();
            expected.sort_unstable();
            assert_eq!(entries, expected, "{name} after {story:#?}");
            let badge: usize = own
                .filter(|talk| !talk.muted.contains(&user))
                .map(|talk| talk.unread(user))
                .sum();
            assert_eq!(
                seen["viewer"]["unreadMessages"], badge,
                "{name} after {story:#?}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn badges_and_previews_are_what_is_seen_on_opening() {
    for seed in 0..6 {
        let (mut town, mut dice, mut story) = (Town::make().await, Dice(seed), Vec::new());
        for _ in 0..40 {
            story.push(town.step(&mut dice).await);
            town.check(&story).await;
        }
    }
}

fn text(text: impl Into<String>) -> AttributeValue {
    AttributeValue::S(text.into())
}

/// Writes messages as another program would, each later than the one before, and what bea has not read of them.
async fn write(hub: &Hub, senders: &[&str], unread: usize) {
    let items = hub.items().await;
    let of = |kind: &str| {
        items
            .iter()
            .find(|item| item["entityType"].as_s().unwrap() == kind)
            .unwrap()
            .clone()
    };
    let conversation = of("CONVERSATION");
    let (pk, id) = (
        conversation["PK"].clone(),
        conversation["conversationId"].clone(),
    );
    let at = |n: usize| {
        text(format!(
            "2026-02-22T20:{:02}:{:02}.{:03}Z",
            n / 60_000,
            n / 1000 % 60,
            n % 1000
        ))
    };
    for (n, sender) in senders.iter().enumerate() {
        let message = format!("01KJ3NDEKTSV4RRFF0{n:08}");
        let put = hub
            .0
            .dynamodb
            .put_item()
            .table_name("collabhub-main")
            .item("PK", pk.clone());
        let put = put
            .item("SK", text(format!("MESSAGE#{message}")))
            .item("entityType", text("MESSAGE"))
            .item("messageId", text(message))
            .item("conversationId", id.clone())
            .item("senderId", text(*sender))
            .item("content", text("x"))
            .item("type", text("TEXT"))
            .item("readBy", AttributeValue::L(Vec::new()))
            .item("createdAt", at(n));
        put.send().await.unwrap();
    }
    for sk in ["METADATA", "PARTICIPANT#ada", "PARTICIPANT#bea"] {
        let update = hub
            .0
            .dynamodb
            .update_item()
            .table_name("collabhub-main")
            .key("PK", pk.clone());
        let unread = if sk == "PARTICIPANT#bea" { unread } else { 0 };
        let update = update
            .key("SK", text(sk))
            .update_expression("SET lastMessageAt = :at, unreadCount = :unread")
            .expression_attribute_values(":at", at(senders.len()))
            .expression_attribute_values(":unread", AttributeValue::N(unread.to_string()));
        update.send().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_call_clears_the_badge_however_many_messages_are_unread() {
    // Messages of ada, then of bea, and what the count says, which may be wrong.
    for (unread, own, count) in [
        (1, 4600, 1),
        (1000, 0, 1000),
        (91, 0, 91),
        (450, 1, 450),
        (0, 3, 7),
        (3, 0, 2),
    ] {
        let hub = Hub::start().await;
        hub.register("ada", "FOUNDER").await;
        let bea = hub.register("bea", "FOUNDER").await;
        hub.tie("ada", "bea").await;
        let input = json!({ "type": "DIRECT", "participantIds": [bea] });
        let conversation = hub
            .make("ada", "createConversation", input, "conversation")
            .await;
        write(
            &hub,
            &[vec!["ada"; unread], vec!["bea"; own]].concat(),
            count,
        )
        .await;
        let query = "{ viewer { unreadMessages } inbox { edges { node { unreadCount } } } }";
        let seen = hub.query("bea", query, Value::Null).await;
        assert_eq!(seen["viewer"]["unreadMessages"], count);
        let read = json!({ "conversationId": conversation });
        let read = hub
            .mutate(
                "bea",
                "markConversationRead",
                read,
                "conversation { unreadCount messages(first: 1) { edges { node { readCount } } } }",
            )
            .await;
        assert_eq!(
            read["conversation"]["unreadCount"], 0,
            "{unread} {own} {count}"
        );
        let seen = hub.query("bea", query, Value::Null).await;
        assert_eq!(
            seen["viewer"]["unreadMessages"], 0,
            "{unread} {own} {count}"
        );
        let newest = if own > 0 { 0 } else { 1 };
        assert_eq!(
            read["conversation"]["messages"]["edges"][0]["node"]["readCount"],
            newest
        );
    }
}

#[tokio::test]
async fn a_block_clears_the_badge_of_the_two_and_a_banned_user_gets_no_message() {
    let town = Town::make().await;
    let (hub, direct) = (&town.hub, &town.talks[0].id);
    hub.admin("root").await;
    let said = json!({ "conversationId": direct, "content": "hello" });
    hub.make("ada", "sendMessage", said.clone(), "message")
        .await;
    let badge = "{ viewer { unreadMessages } }";
    assert_eq!(
        hub.query("bea", badge, Value::Null).await["viewer"]["unreadMessages"],
        1
    );
    hub.make("bea", "blockUser", json!({ "id": town.ids[0] }), "user")
        .await;
    assert_eq!(
        hub.query("bea", badge, Value::Null).await["viewer"]["unreadMessages"],
        0
    );
    hub.make("bea", "unblockUser", json!({ "id": town.ids[0] }), "user")
        .await;
    let items = hub.items().await.len();
    let ban = json!({ "id": town.ids[1], "status": "BANNED" });
    hub.make("root", "setUserStatus", ban, "user").await;
    let after_ban = hub.items().await.len();
    let refused = hub
        .mutate("ada", "sendMessage", said, "message { id }")
        .await;
    assert_eq!(crate::world::codes(&refused), ["CONFLICT"]);
    assert_eq!(
        (hub.items().await.len(), items < after_ban),
        (after_ban, true)
    );
}

/// Each way in which a message is not found any more, in each kind of conversation, as the first unread message and the last.
#[tokio::test]
async fn a_message_that_is_not_found_any_more_is_not_notified_of() {
    const BADGE: &str =
        "{ viewer { user { unreadNotifications } } notifications { edges { node { isRead } } } }";
    let badge = async |hub: &Hub| {
        let seen = hub.query("bea", BADGE, Value::Null).await;
        let edges = seen["notifications"]["edges"].as_array().unwrap();
        let unread = edges.iter().filter(|edge| edge["node"]["isRead"] == false);
        let counted = seen["viewer"]["user"]["unreadNotifications"].clone();
        assert_eq!(counted, unread.count());
        counted
    };
    for kind in ["DIRECT", "GROUP"] {
        for away in ["leaves", "blocks", "deleted"] {
            // Who is blocked is read in conversations of several.
            let stays = kind == "GROUP" && away == "blocks";
            let hub = Hub::start().await;
            let ada = hub.register("ada", "FOUNDER").await;
            let bea = hub.register("bea", "FOUNDER").await;
            hub.tie("ada", "bea").await;
            let input = json!({ "type": kind, "participantIds": [bea] });
            let conversation = hub
                .make("ada", "createConversation", input, "conversation")
                .await;
            hub.mutate("bea", "markAllNotificationsRead", json!({}), "marked")
                .await;
            let said = json!({ "conversationId": conversation, "content": "hello" });
            let mut sent = Vec::new();
            for _ in 0..2 {
                sent.push(
                    hub.make("ada", "sendMessage", said.clone(), "message")
                        .await,
                );
            }
            assert_eq!(badge(&hub).await, 1, "{kind} {away}");
            match away {
                "leaves" => {
                    let leave = json!({ "conversationId": conversation });
                    hub.make("bea", "leaveConversation", leave, "conversation")
                        .await;
                }
                "blocks" => {
                    hub.make("bea", "blockUser", json!({ "id": ada }), "user")
                        .await;
                }
                _ => {
                    let delete = |n: usize| {
                        hub.make("ada", "deleteMessage", json!({ "id": sent[n] }), "message")
                    };
                    delete(1).await;
                    assert_eq!(badge(&hub).await, 1, "{kind} {away}");
                    delete(0).await;
                }
            }
            assert_eq!(badge(&hub).await, i64::from(stays), "{kind} {away}");
        }
    }
}
