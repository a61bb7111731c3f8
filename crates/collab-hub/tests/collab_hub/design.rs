//! A table that another program wrote, with the attributes of the design and no others, is readable and can be changed.
//! And lists are sorted by the server's time, whatever ids clients choose.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use trestle_testing::odd::item;

use crate::world::{Hub, codes};

const S: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const R: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAW";
const A: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAX";
const G: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAY";
const C: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAZ";
const M: &str = "01ARZ3NDEKTSV4RRFFQ69G5FB0";
const N: &str = "01ARZ3NDEKTSV4RRFFQ69G5FB1";
const AT: &str = "2026-02-22T19:12:11Z";

async fn put(hub: &Hub, value: Value) {
    let put = hub.0.dynamodb.put_item().table_name("collabhub-main");
    let put = put.set_item(Some(item(&value)));
    let put = put.item("createdAt", AttributeValue::S(AT.into()));
    put.item("updatedAt", AttributeValue::S(AT.into()))
        .send()
        .await
        .unwrap();
}

fn user(id: &str, role: &str) -> Value {
    json!({
        "PK": format!("USER#{id}"), "SK": "PROFILE", "GSI1PK": format!("ROLE#{role}"), "GSI1SK": format!("USER#{id}"),
        "GSI2PK": "STATUS#ACTIVE", "GSI2SK": format!("USER#{id}"), "entityType": "USER", "userId": id,
        "email": format!("{id}@example.com"), "role": role, "firstName": id, "lastName": "x", "status": "ACTIVE",
        "subscriptionStatus": "ACTIVE", "subscriptionTier": "PRO", "avatarUrl": "https://cdn.example.com/a.png",
    })
}

/// Items of every kind, with the attributes of the design and no others.
pub async fn written() -> Hub {
    let hub = Hub::start().await;
    for (id, role) in [
        ("fay", "FOUNDER"),
        ("tess", "TALENT"),
        ("ines", "INVESTOR"),
        ("adam", "ADMIN"),
    ] {
        put(&hub, user(id, role)).await;
    }
    put(&hub, json!({
        "PK": format!("STARTUP#{S}"), "SK": "METADATA", "GSI1PK": "FOUNDER#fay", "GSI1SK": format!("STARTUP#{S}"),
        "GSI2PK": "VISIBILITY#PUBLIC#STATUS#ACTIVE", "GSI2SK": format!("STARTUP#{S}"), "entityType": "STARTUP",
        "startupId": S, "founderId": "fay", "name": "n", "tagline": "t", "description": "d", "industry": "i",
        "stage": "MVP", "fundingGoal": 3_000_000_000_i64, "fundingRaised": 2_500_000_000_i64, "visibility": "PUBLIC",
        "status": "ACTIVE", "teamSize": 2, "location": "Basel", "tags": ["a"],
    })).await;
    put(&hub, json!({
        "PK": format!("STARTUP#{S}"), "SK": format!("ROLE#{R}"), "GSI1PK": "OPEN_ROLES", "GSI1SK": format!("{AT}#{R}"),
        "entityType": "STARTUP_ROLE", "roleId": R, "startupId": S, "title": "t", "description": "d",
        "type": "CONTRACT", "skills": ["Rust"], "isOpen": true, "applicantCount": 1,
    })).await;
    put(&hub, json!({
        "PK": format!("APPLICATION#{A}"), "SK": "METADATA", "GSI1PK": "APPLICANT#tess",
        "GSI1SK": format!("APPLICATION#{A}"), "GSI2PK": format!("STARTUP#{S}#ROLE#{R}"),
        "GSI2SK": format!("STATUS#PENDING#{AT}"), "entityType": "APPLICATION", "applicationId": A, "startupId": S,
        "roleId": R, "applicantId": "tess", "coverLetter": "c", "status": "PENDING",
        "resumeUrl": "https://cdn.example.com/resume.pdf",
    })).await;
    put(&hub, json!({
        "PK": format!("ACCESS#{G}"), "SK": "METADATA", "GSI1PK": "REQUESTER#ines", "GSI1SK": format!("ACCESS#{G}"),
        "GSI2PK": format!("STARTUP#{S}"), "GSI2SK": format!("STATUS#PENDING#{AT}"), "entityType": "ACCESS_REQUEST",
        "accessId": G, "requesterId": "ines", "startupId": S, "founderId": "fay", "status": "PENDING",
        "accessLevel": "VIEW_DECK",
    })).await;
    put(&hub, json!({
        "PK": format!("CONVERSATION#{C}"), "SK": "METADATA", "entityType": "CONVERSATION", "conversationId": C,
        "participants": ["fay", "tess"], "type": "DIRECT", "lastMessageAt": AT, "lastMessagePreview": "hello",
    })).await;
    for id in ["fay", "tess"] {
        put(&hub, json!({
            "PK": format!("CONVERSATION#{C}"), "SK": format!("PARTICIPANT#{id}"), "GSI1PK": format!("PARTICIPANT#{id}"),
            "GSI1SK": format!("CONVERSATION#{AT}#{C}"), "entityType": "CONVERSATION_PARTICIPANT", "conversationId": C,
            "userId": id, "lastMessageAt": AT,
        })).await;
    }
    put(&hub, json!({
        "PK": format!("CONVERSATION#{C}"), "SK": format!("MESSAGE#{M}"), "entityType": "MESSAGE", "messageId": M,
        "conversationId": C, "senderId": "fay", "content": "hello", "type": "TEXT", "readBy": [],
    })).await;
    put(&hub, json!({
        "PK": "USER#fay", "SK": "SUBSCRIPTION", "GSI1PK": "STRIPE_CUSTOMER#cus_1", "GSI1SK": "SUBSCRIPTION",
        "GSI2PK": "SUBSCRIPTION_STATUS#ACTIVE", "GSI2SK": "USER#fay", "entityType": "SUBSCRIPTION", "userId": "fay",
        "stripeCustomerId": "cus_1", "stripeSubscriptionId": "sub_1", "stripePriceId": "price_1", "tier": "PRO",
        "status": "ACTIVE", "currentPeriodStart": AT, "currentPeriodEnd": AT, "cancelAtPeriodEnd": false,
    })).await;
    put(&hub, json!({
        "PK": "AUDIT#2026-02-22", "SK": format!("{AT}#{N}"), "GSI1PK": "USER#fay", "GSI1SK": format!("AUDIT#{AT}"),
        "entityType": "AUDIT_LOG", "auditId": N, "userId": "fay", "action": "USER_LOGIN", "resourceType": "USER",
        "resourceId": "fay", "ipAddress": "203.0.113.1", "userAgent": "x",
    })).await;
    put(&hub, json!({
        "PK": "USER#fay", "SK": format!("NOTIFICATION#{N}"), "entityType": "NOTIFICATION", "notificationId": N,
        "userId": "fay", "type": "SYSTEM", "title": "t", "body": "b", "isRead": false,
    })).await;
    hub
}

/// Optional attributes of each kind.
fn more(kind: &str) -> Value {
    match kind {
        "USER" => {
            json!({ "bio": "b", "linkedinUrl": "https://linkedin.example.com/x", "stripeCustomerId": "cus_1" })
        }
        "STARTUP" => json!({
            "logoUrl": "https://cdn.example.com/l.png", "websiteUrl": "https://x.example.com",
            "pitchDeckUrl": "https://cdn.example.com/deck.pdf",
        }),
        "STARTUP_ROLE" => json!({ "compensation": "90k", "equityRange": "0.5-1%" }),
        "APPLICATION" => json!({ "founderNotes": "Looks good" }),
        "ACCESS_REQUEST" => json!({ "message": "May I?" }),
        "CONVERSATION" => json!({
            "GSI1PK": "PARTICIPANT#fay", "GSI1SK": format!("CONVERSATION#{AT}#{C}"), "relatedStartupId": S,
            "relatedApplicationId": A,
        }),
        "MESSAGE" => json!({ "fileUrl": "https://cdn.example.com/f.pdf", "readBy": ["fay"] }),
        "AUDIT_LOG" => json!({ "metadata": { "from": "example" } }),
        "NOTIFICATION" => json!({ "relatedEntityType": "APPLICATION", "relatedEntityId": A }),
        _ => json!({}),
    }
}

/// The same as the original design has it: a conversation stands once, in the inbox of one participant, and what is never
/// changed has no `updatedAt`.
pub async fn original() -> Hub {
    let hub = written().await;
    for mut item in hub.items().await {
        let kind = item["entityType"].as_s().unwrap().clone();
        if kind == "CONVERSATION_PARTICIPANT" {
            let delete = hub.0.dynamodb.delete_item().table_name("collabhub-main");
            let delete = delete
                .key("PK", item["PK"].clone())
                .key("SK", item["SK"].clone());
            delete.send().await.unwrap();
            continue;
        }
        if ["MESSAGE", "AUDIT_LOG", "NOTIFICATION"].contains(&kind.as_str()) {
            item.remove("updatedAt");
        }
        item.extend(trestle_testing::odd::item(&more(&kind)));
        let put = hub.0.dynamodb.put_item().table_name("collabhub-main");
        put.set_item(Some(item)).send().await.unwrap();
    }
    hub
}

#[tokio::test]
async fn everything_that_the_design_describes_is_read() {
    all_is_read(&written().await).await;
}

#[tokio::test]
async fn everything_of_the_original_design_is_read() {
    all_is_read(&original().await).await;
}

async fn all_is_read(hub: &Hub) {
    let startup = "name fundingGoal fundingRaised version founder { firstName avatarUrl }";
    for (name, query) in [
        ("fay", format!("{{ myStartups {{ edges {{ node {{ {startup} roles {{ edges {{ node {{ title }} }} }} \
            accessRequests {{ edges {{ node {{ status }} }} }} }} }} }} }}")),
        ("tess", format!("{{ startups {{ edges {{ node {{ {startup} }} }} }} }}")),
        ("tess", "{ openRoles { edges { node { title skills startup { name } } } } }".to_owned()),
        ("tess", "{ myApplications { edges { node { status resumeUrl role { title } } } } }".to_owned()),
        ("ines", "{ myAccessRequests { edges { node { status startup { name } } } } }".to_owned()),
        ("fay", "{ inbox { edges { node { unreadCount conversation { messages { edges { node { content } } } } } } } }".to_owned()),
        ("fay", "{ mySubscription { tier status } notifications { edges { node { title } } } }".to_owned()),
        ("adam", "{ auditLog(date: \"2026-02-22\") { edges { node { action user { firstName } } } } }".to_owned()),
        ("adam", "{ usersByRole(role: FOUNDER) { edges { node { email version } } } }".to_owned()),
    ] {
        let text = hub.query(name, &query, Value::Null).await.to_string();
        assert!(text.contains("\"node\":{"), "{name} {query}: {text}");
        assert!(!text.contains("\"node\":null"), "{name} {query}: {text}");
    }
    let seen = hub
        .query(
            "fay",
            "{ myStartups { edges { node { fundingGoal version founder { avatarUrl } } } } }",
            Value::Null,
        )
        .await;
    let expected = json!({
        "fundingGoal": 3_000_000_000_i64, "version": 0, "founder": { "avatarUrl": "https://cdn.example.com/a.png" },
    });
    assert_eq!(seen["myStartups"]["edges"][0]["node"], expected);
}

/// The attributes of an item whose text is a part of one of its keys.
fn keyed(item: &HashMap<String, AttributeValue>) -> Vec<String> {
    let keys: Vec<_> = item
        .iter()
        .filter(|(name, _)| name.ends_with("PK") || name.ends_with("SK"))
        .flat_map(|(_, key)| key.as_s().unwrap().split('#'))
        .collect();
    // Other facts that have the same text here.
    let others = [
        "entityType",
        "firstName",
        "updatedAt",
        "resourceId",
        "resourceType",
        "subscriptionStatus",
    ];
    let is_other = |name: &str| {
        let is_started =
            name == "createdAt" && item["entityType"].as_s().unwrap() == "CONVERSATION";
        is_started || others.contains(&name) || name.ends_with('K')
    };
    let named = item.iter().filter(|(name, value)| {
        let text = value.as_s();
        !is_other(name) && text.is_ok_and(|text| keys.contains(&text.as_str()))
    });
    named.map(|(name, _)| name.clone()).collect()
}

/// Another program need not store a second time what the keys of an item contain.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_is_read_without_the_attributes_that_keys_contain() {
    let hub = original().await;
    let mut asked = 0;
    for item in hub.items().await {
        let mut ways: Vec<_> = keyed(&item).into_iter().map(|name| vec![name]).collect();
        ways.push(keyed(&item));
        for way in ways {
            let put = |item: HashMap<String, AttributeValue>| {
                let put = hub.0.dynamodb.put_item().table_name("collabhub-main");
                put.set_item(Some(item)).send()
            };
            let mut without = item.clone();
            without.retain(|name, _| !way.contains(name));
            put(without).await.unwrap();
            eprintln!("{:?} without {way:?}", item["SK"]);
            all_is_read(&hub).await;
            put(item.clone()).await.unwrap();
            asked += 1;
        }
    }
    assert!(asked > 40, "{asked}");
}

#[tokio::test]
async fn everything_that_the_design_describes_is_changed() {
    all_is_changed(written().await).await;
}

#[tokio::test]
async fn everything_of_the_original_design_is_changed() {
    all_is_changed(original().await).await;
}

/// The inbox of a user: the conversations and their unread counts.
pub async fn inbox(hub: &Hub, name: &str) -> Vec<(Value, Value)> {
    let query = "{ inbox { edges { node { unreadCount conversation { id } } } } }";
    let seen = hub.query(name, query, Value::Null).await;
    let edges = seen["inbox"]["edges"].as_array().unwrap().clone();
    let entry = |edge: &Value| {
        (
            edge["node"]["conversation"]["id"].clone(),
            edge["node"]["unreadCount"].clone(),
        )
    };
    edges.iter().map(entry).collect()
}

/// Every change of a conversation of the original design gives its participants entries of their own, and nobody else
/// changes it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_of_the_original_design_is_used_by_every_change() {
    for (name, mutation) in [
        ("fay", "sendMessage"),
        ("tess", "sendMessage"),
        ("fay", "deleteMessage"),
        ("fay", "muteConversation"),
        ("tess", "muteConversation"),
        ("tess", "markConversationRead"),
        ("tess", "leaveConversation"),
        ("fay", "deleteAccount"),
        ("ines", "sendMessage"),
        ("ines", "muteConversation"),
        ("ines", "markConversationRead"),
        ("ines", "leaveConversation"),
    ] {
        let hub = original().await;
        let before = hub.items().await.len();
        let (id, unread) = inbox(&hub, "fay").await[0].clone();
        assert_eq!(unread, 0);
        let messages =
            "{ inbox { edges { node { conversation { messages { edges { node { id } } } } } } } }";
        let messages = hub.query("fay", messages, Value::Null).await;
        let message = &messages["inbox"]["edges"][0]["node"]["conversation"]["messages"]["edges"]
            [0]["node"]["id"];
        let user = hub
            .query(name, "{ viewer { user { id } } }", Value::Null)
            .await["viewer"]["user"]["id"]
            .clone();
        let input = match mutation {
            "sendMessage" => json!({ "conversationId": id, "content": "back" }),
            "deleteMessage" => json!({ "id": message }),
            "muteConversation" => json!({ "conversationId": id, "isMuted": true }),
            "deleteAccount" => json!({ "id": user }),
            _ => json!({ "conversationId": id }),
        };
        if mutation == "deleteAccount" {
            let cancelled = hub.0.dynamodb.update_item().table_name("collabhub-main");
            let cancelled = cancelled
                .key("PK", AttributeValue::S("USER#fay".into()))
                .key("SK", AttributeValue::S("PROFILE".into()))
                .update_expression("SET subscriptionStatus = :none")
                .expression_attribute_values(":none", AttributeValue::S("NONE".into()));
            cancelled.send().await.unwrap();
        }
        let about = format!("{name} {mutation}");
        let payload = hub.mutate(name, mutation, input, "__typename").await;
        if name == "ines" {
            assert_eq!(codes(&payload), ["NOT_FOUND"], "{about}");
            assert_eq!(hub.items().await.len(), before, "{about}");
            continue;
        }
        assert_eq!(payload["userErrors"], json!([]), "{about}");
        for user in ["fay", "tess"] {
            if user == name && ["leaveConversation", "deleteAccount"].contains(&mutation) {
                continue;
            }
            let entries = inbox(&hub, user).await;
            assert_eq!(entries.len(), 1, "{about}: {user} {entries:?}");
            assert_eq!(entries[0].0, id, "{about}");
        }
    }
    let hub = original().await;
    let (id, _) = inbox(&hub, "fay").await[0].clone();
    let said = json!({ "conversationId": id, "content": "more" });
    hub.make("fay", "sendMessage", said, "message").await;
    assert_eq!(inbox(&hub, "tess").await, [(id.clone(), json!(2))]);
    let read = json!({ "conversationId": id });
    let read = hub
        .mutate(
            "tess",
            "markConversationRead",
            read,
            "conversation { unreadCount messages { edges { node { readCount } } } }",
        )
        .await;
    assert_eq!(read["conversation"]["unreadCount"], 0);
    assert_eq!(
        read["conversation"]["messages"]["edges"][1]["node"]["readCount"],
        2
    );
}

/// Access that another program has approved is used, at its level and until its end, whatever the visibility of the startup is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn approved_access_of_the_original_design_is_used() {
    for status in ["PENDING", "APPROVED", "REJECTED", "REVOKED"] {
        for level in ["VIEW_PROFILE", "VIEW_DECK", "FULL_ACCESS"] {
            for (end, has_ended) in [
                (None, false),
                (Some("2030-01-01T00:00:00Z"), false),
                (Some(AT), true),
            ] {
                let hub = original().await;
                for mut item in hub.items().await {
                    let text = |text: &str| AttributeValue::S(text.to_owned());
                    match item["entityType"].as_s().unwrap().as_str() {
                        "ACCESS_REQUEST" => {
                            item.insert("status".into(), text(status));
                            item.insert("accessLevel".into(), text(level));
                            item.extend(end.map(|end| ("expiresAt".to_owned(), text(end))));
                        }
                        "STARTUP" => drop(item.insert("visibility".into(), text("PRIVATE"))),
                        _ => continue,
                    }
                    let put = hub.0.dynamodb.put_item().table_name("collabhub-main");
                    put.set_item(Some(item)).send().await.unwrap();
                }
                let list = "{ myAccessRequests { edges { node { startup { name pitchDeckUrl fundingGoal } } } } openRoles { edges { \
                            node { title } } } }";
                let seen = hub.query("ines", list, Value::Null).await;
                let startup = &seen["myAccessRequests"]["edges"][0]["node"]["startup"];
                let is_given = status == "APPROVED" && !has_ended;
                let about = format!("{status} {level} {end:?}: {seen}");
                assert_eq!(startup.is_object(), is_given, "{about}");
                assert_eq!(
                    seen["openRoles"]["edges"][0].is_object(),
                    is_given,
                    "{about}"
                );
                let reads_deck = is_given && level != "VIEW_PROFILE";
                assert_eq!(startup["pitchDeckUrl"].is_string(), reads_deck, "{about}");
                let reads_figures = is_given && level == "FULL_ACCESS";
                assert_eq!(startup["fundingGoal"].is_number(), reads_figures, "{about}");
            }
        }
    }
}

/// What an investor reads of a decision names the startup, also of a request that another program has made.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn decisions_about_access_of_the_original_design_name_the_startup() {
    let query = "{ myStartups { edges { node { accessRequests { edges { node { id status startupName } } } } } } }";
    for (status, told) in [
        ("REJECTED", "Your request for access to n was rejected."),
        (
            "APPROVED",
            "Your access to n is approved: FULL_ACCESS, without an end.",
        ),
    ] {
        let hub = original().await;
        let seen = hub.query("fay", query, Value::Null).await;
        let startup = &seen["myStartups"]["edges"][0]["node"];
        let request = &startup["accessRequests"]["edges"][0]["node"];
        let mut input = json!({ "id": request["id"], "status": status });
        if status == "APPROVED" {
            input["accessLevel"] = json!("FULL_ACCESS");
        }
        let decided = hub.mutate("fay", "decideAccess", input, "__typename").await;
        assert_eq!(decided["userErrors"], json!([]), "{status}");
        let notifications = "{ notifications { edges { node { title body } } } }";
        let seen = hub.query("ines", notifications, Value::Null).await;
        let edges = seen["notifications"]["edges"].as_array().unwrap();
        let bodies: Vec<_> = edges.iter().map(|edge| &edge["node"]["body"]).collect();
        assert!(bodies.contains(&&json!(told)), "{status}: {bodies:?}");
    }
}

/// The lower access stays while a request for more waits, whatever becomes of either.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn access_of_the_original_design_stays_beside_a_request_for_more() {
    let query = "{ myAccessRequests { edges { node { id status startup { id pitchDeckUrl } } } } }";
    let sees = async |hub: &Hub| {
        let seen = hub.query("ines", query, Value::Null).await;
        let startup = &seen["myAccessRequests"]["edges"][0]["node"]["startup"];
        startup["pitchDeckUrl"].is_string()
    };
    for first in ["reject the newer", "withdraw the newer", "nothing"] {
        for then in [
            "REVOKED",
            "VIEW_PROFILE",
            "FULL_ACCESS",
            "approve the newer",
        ] {
            let about = format!("{first}, {then}");
            let hub = original().await;
            for mut item in hub.items().await {
                if item["entityType"].as_s().unwrap() == "ACCESS_REQUEST" {
                    item.insert("status".into(), AttributeValue::S("APPROVED".into()));
                    let put = hub.0.dynamodb.put_item().table_name("collabhub-main");
                    put.set_item(Some(item)).send().await.unwrap();
                }
            }
            let seen = hub.query("ines", query, Value::Null).await;
            let lower = &seen["myAccessRequests"]["edges"][0]["node"];
            assert!(sees(&hub).await, "{about}");
            let more = json!({ "startupId": lower["startup"]["id"], "accessLevel": "FULL_ACCESS" });
            let newer = hub
                .make("ines", "requestAccess", more, "accessRequest")
                .await;
            assert!(sees(&hub).await, "{about}");
            let decide = async |id: &str, status: &str, level: Value| {
                let input = json!({ "id": id, "status": status, "accessLevel": level });
                let decided = hub
                    .mutate("fay", "decideAccess", input, "accessRequest { id }")
                    .await;
                assert_eq!(decided["userErrors"], json!([]), "{about}");
            };
            match first {
                "reject the newer" => decide(&newer, "REJECTED", Value::Null).await,
                "withdraw the newer" => {
                    let input = json!({ "id": newer });
                    hub.make("ines", "withdrawAccessRequest", input, "accessRequest")
                        .await;
                }
                _ => {}
            }
            assert!(sees(&hub).await, "{about}");
            let lower = lower["id"].as_str().unwrap();
            let expected = match then {
                "approve the newer" if first == "withdraw the newer" => continue,
                "approve the newer" => {
                    decide(&newer, "APPROVED", Value::Null).await;
                    true
                }
                "REVOKED" => {
                    decide(lower, "REVOKED", Value::Null).await;
                    false
                }
                level => {
                    decide(lower, "APPROVED", json!(level)).await;
                    level == "FULL_ACCESS"
                }
            };
            assert_eq!(sees(&hub).await, expected, "{about}");
        }
    }
}

/// What a deleted startup, role or account leaves of an application and an access request of another program.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn relations_of_the_original_design_have_names_and_their_people_are_notified() {
    let about_role = json!({ "roleTitle": "t", "startupName": "n" });
    for first in ["", "REVIEWING"] {
        for fate in ["", "deleteRole", "deleteStartup", "deleteAccount"] {
            let hub = original().await;
            let ids = "{ viewer { user { id } } myStartups { edges { node { id roles { edges { node { id } } } \
                applications { edges { node { createdAt application { id status } } } pageInfo { hasNextPage } } } } } }";
            let seen = hub.query("fay", ids, Value::Null).await;
            let startup = &seen["myStartups"]["edges"][0]["node"];
            let listed = startup["applications"]["edges"].as_array().unwrap();
            assert_eq!(listed.len(), 1, "{seen}");
            let application = &listed[0]["node"]["application"];
            assert_eq!(application["status"], "PENDING");
            let about = format!("{first}, {fate}");
            if !first.is_empty() {
                let review = json!({ "id": application["id"], "status": first });
                hub.make("fay", "reviewApplication", review, "application")
                    .await;
                let seen = hub.query("fay", ids, Value::Null).await;
                let listed = &seen["myStartups"]["edges"][0]["node"]["applications"]["edges"];
                assert_eq!(listed[0]["node"]["application"]["status"], first, "{about}");
            }
            let id = match fate {
                "deleteRole" => &startup["roles"]["edges"][0]["node"]["id"],
                "deleteStartup" => &startup["id"],
                _ => &seen["viewer"]["user"]["id"],
            };
            if fate == "deleteAccount" {
                let cancelled = hub.0.dynamodb.update_item().table_name("collabhub-main");
                let cancelled = cancelled
                    .key("PK", AttributeValue::S("USER#fay".into()))
                    .key("SK", AttributeValue::S("PROFILE".into()))
                    .update_expression("SET subscriptionStatus = :none")
                    .expression_attribute_values(":none", AttributeValue::S("NONE".into()));
                cancelled.send().await.unwrap();
            }
            if !fate.is_empty() {
                let input = json!({ "id": id });
                let deleted = hub.mutate("fay", fate, input, "__typename").await;
                assert_eq!(deleted["userErrors"], json!([]), "{about}");
            }
            let query = "{ myApplications { edges { node { roleTitle startupName } } } notifications { edges { node { title } } } }";
            let seen = hub.query("tess", query, Value::Null).await;
            assert_eq!(
                seen["myApplications"]["edges"][0]["node"], about_role,
                "{about}"
            );
            let titles = seen["notifications"].to_string();
            let told = match fate {
                "" => None,
                "deleteRole" => Some("Role deleted"),
                _ => Some("Startup deleted"),
            };
            assert_eq!(
                titles.contains("deleted"),
                told.is_some_and(|told| titles.contains(told)),
                "{about}: {titles}"
            );
            assert!(told.is_none_or(|told| titles.contains(told)), "{about}");
            let query = "{ myAccessRequests { edges { node { startupName } } } notifications { edges { node { title } } } }";
            let seen = hub.query("ines", query, Value::Null).await;
            let request = &seen["myAccessRequests"]["edges"][0]["node"];
            assert_eq!(request["startupName"], "n", "{about}");
            let is_told = seen["notifications"]
                .to_string()
                .contains("Startup deleted");
            assert_eq!(is_told, told == Some("Startup deleted"), "{about}");
        }
    }
}

/// A founder pages through the applications of own users and of another program, in both directions.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn applications_of_the_original_design_are_paged_with_others() {
    let hub = original().await;
    let of_role = |n: usize| format!("01ARZ3NDEKTSV4RRFFQ69G6{n:03}");
    for n in 0..7 {
        let (id, at) = (of_role(n), format!("2026-02-2{n}T10:00:00Z"));
        put(
            &hub,
            json!({
                "PK": format!("APPLICATION#{id}"), "SK": "METADATA", "GSI1PK": format!("APPLICANT#x{n}"),
                "GSI1SK": format!("APPLICATION#{id}"), "GSI2PK": format!("STARTUP#{S}#ROLE#{R}"),
                "GSI2SK": format!("STATUS#PENDING#{at}"), "entityType": "APPLICATION", "applicationId": id,
                "startupId": S, "roleId": R, "applicantId": format!("x{n}"), "coverLetter": "c", "status": "PENDING",
            }),
        )
        .await;
    }
    let query = "query($first: Int, $after: String, $last: Int, $before: String) { myStartups { edges { node { \
        applications(first: $first, after: $after, last: $last, before: $before) { edges { cursor node { application { id } } } \
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } } }";
    let page = async |arguments: Value| {
        let seen = hub.query("fay", query, arguments).await;
        seen["myStartups"]["edges"][0]["node"]["applications"].clone()
    };
    let ids = |page: &Value| -> Vec<String> {
        let edges = page["edges"].as_array().unwrap().iter();
        let id = |edge: &Value| {
            edge["node"]["application"]["id"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        edges.map(id).collect()
    };
    let all = ids(&page(json!({ "first": 100 })).await);
    assert_eq!(all.len(), 8);
    for size in 1..9 {
        let (mut forward, mut after) = (Vec::new(), Value::Null);
        loop {
            let found = page(json!({ "first": size, "after": after })).await;
            forward.extend(ids(&found));
            after = found["pageInfo"]["endCursor"].clone();
            if found["pageInfo"]["hasNextPage"] == false {
                break;
            }
        }
        assert_eq!(forward, all, "{size}");
        let (mut backward, mut before) = (Vec::new(), Value::Null);
        loop {
            let found = page(json!({ "last": size, "before": before })).await;
            backward.splice(0..0, ids(&found));
            before = found["pageInfo"]["startCursor"].clone();
            if found["pageInfo"]["hasPreviousPage"] == false {
                break;
            }
        }
        assert_eq!(backward, all, "{size}");
    }
}

async fn all_is_changed(hub: Hub) {
    let id = |list: &str, name: &'static str| {
        let (hub, query) = (
            &hub,
            format!("{{ {list} {{ edges {{ node {{ id }} }} }} }}"),
        );
        let list = list.to_owned();
        async move {
            let data = hub.query(name, &query, Value::Null).await;
            data[&list]["edges"][0]["node"]["id"]
                .as_str()
                .unwrap()
                .to_owned()
        }
    };
    let startup = id("myStartups", "fay").await;
    let update = json!({ "id": startup, "teamSize": 3, "expectedVersion": 0 });
    hub.make("fay", "updateStartup", update, "startup").await;
    let stale = json!({ "id": startup, "teamSize": 4, "expectedVersion": 0 });
    assert_eq!(
        codes(
            &hub.mutate("fay", "updateStartup", stale, "startup { id }")
                .await
        ),
        ["CONFLICT"]
    );
    let application = id("myApplications", "tess").await;
    let review = |status: &str| json!({ "id": application, "status": status });
    for status in ["REJECTED", "REVIEWING"] {
        hub.make("fay", "reviewApplication", review(status), "application")
            .await;
    }
    let input = json!({ "id": application });
    hub.make("tess", "withdrawApplication", input, "application")
        .await;
    // There is no grant beside the request: the first decision makes one.
    let access = id("myAccessRequests", "ines").await;
    hub.decide("fay", &access, "APPROVED", Value::Null).await;
    hub.decide("fay", &access, "REVOKED", Value::Null).await;
    let role = id("openRoles", "tess").await;
    hub.make("fay", "closeRole", json!({ "id": role }), "role")
        .await;
    let update = json!({ "bio": "x" });
    hub.make("fay", "updateProfile", update, "user").await;
    let notification = json!({ "id": id("notifications", "fay").await });
    hub.make("fay", "markNotificationRead", notification, "notification")
        .await;
    let conversation = "{ inbox { edges { node { conversation { id } } } } }";
    let conversation = hub.query("fay", conversation, Value::Null).await;
    let conversation = conversation["inbox"]["edges"][0]["node"]["conversation"]["id"].clone();
    let message = json!({ "conversationId": conversation, "content": "back" });
    hub.make("tess", "sendMessage", message, "message").await;
}

#[tokio::test]
async fn the_id_of_a_client_orders_nothing() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    hub.register("tom", "TALENT").await;
    let input = |name: &str, id: &str| {
        json!({
            "startupId": id, "name": name, "tagline": "x", "description": "x", "industry": "x", "location": "x",
            "visibility": "PUBLIC",
        })
    };
    let ids = [
        "7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "00000000000000000000000000",
    ];
    let mut made = Vec::new();
    for (name, id) in ["first", "second", "third"].into_iter().zip(ids) {
        hub.0.clock.advance(60);
        let startup = hub
            .make("ada", "createStartup", input(name, id), "startup")
            .await;
        let again = hub
            .make("ada", "createStartup", input(name, id), "startup")
            .await;
        assert_eq!(again, startup);
        hub.set_status("ada", &startup, "PENDING_REVIEW").await;
        hub.set_status("root", &startup, "ACTIVE").await;
        made.push(startup);
    }
    let query = "{ startups { edges { node { name } } } }";
    let data = hub.query("tom", query, Value::Null).await;
    let edges = data["startups"]["edges"].as_array().unwrap();
    let names: Vec<_> = edges
        .iter()
        .map(|edge| edge["node"]["name"].clone())
        .collect();
    assert_eq!(names, ["third", "second", "first"]);
    // Repeated later, it is still the one that was made, as it is now.
    hub.0.clock.advance(3600);
    let again = hub
        .make("ada", "createStartup", input("first", ids[0]), "startup")
        .await;
    assert_eq!(again, made[0]);
    let other = hub
        .mutate(
            "ada",
            "createStartup",
            input("other", ids[0]),
            "startup { id }",
        )
        .await;
    assert_eq!(codes(&other), ["CONFLICT"]);
    let role = |title: &str, id: &str| json!({ "startupId": made[0], "roleId": id, "title": title, "description": "x", "type": "CONTRACT" });
    for (title, id) in ["a", "b", "c"].into_iter().zip(ids) {
        hub.0.clock.advance(60);
        hub.make("ada", "createRole", role(title, id), "role").await;
    }
    let query = "query($id: ID!) { startup(id: $id) { roles { edges { node { title } } } } }";
    let data = hub
        .query("tom", query, json!({ "id": made[0] }))
        .await
        .to_string();
    let at = |title: &str| data.find(&format!("\"{title}\"")).unwrap();
    assert!(at("c") < at("b") && at("b") < at("a"), "{data}");
    // A stranger who repeats what they saw gets nothing of it.
    hub.register("eve", "FOUNDER").await;
    let stranger = hub
        .mutate("eve", "createRole", role("a", ids[0]), "role { id }")
        .await;
    assert_eq!(codes(&stranger), ["NOT_FOUND"]);
}

#[tokio::test]
async fn a_participant_without_the_time_of_the_newest_message_is_listed_last() {
    let hub = written().await;
    let other = "01ARZ3NDEKTSV4RRFFQ69G5FC0";
    put(
        &hub,
        json!({
            "PK": format!("CONVERSATION#{other}"), "SK": "METADATA", "entityType": "CONVERSATION",
            "conversationId": other, "participants": ["fay", "tess"], "type": "GROUP", "lastMessageAt": AT,
            "lastMessagePreview": "odd",
        }),
    )
    .await;
    for (id, place) in [("tess", "CONVERSATION#"), ("fay", "CONVERSATION")] {
        put(
            &hub,
            json!({
                "PK": format!("CONVERSATION#{other}"), "SK": format!("PARTICIPANT#{id}"),
                "GSI1PK": format!("PARTICIPANT#{id}"), "GSI1SK": format!("{place}#{other}"),
                "entityType": "CONVERSATION_PARTICIPANT", "conversationId": other, "userId": id,
            }),
        )
        .await;
    }
    let list = "query($after: String) { inbox(first: 1, after: $after) { edges { node { lastMessageAt conversation { \
                id lastMessagePreview } } } pageInfo { endCursor } } viewer { unreadMessages } }";
    let (mut previews, mut after, mut odd) = (Vec::new(), Value::Null, Value::Null);
    for _ in 0..2 {
        let page = hub.query("tess", list, json!({ "after": after })).await;
        let node = page["inbox"]["edges"][0]["node"].clone();
        assert_eq!(node["lastMessageAt"], "2026-02-22T19:12:11.000Z");
        previews.push(node["conversation"]["lastMessagePreview"].clone());
        odd = node["conversation"]["id"].clone();
        after = page["inbox"]["pageInfo"]["endCursor"].clone();
        assert_eq!(page["viewer"]["unreadMessages"], 0);
    }
    assert_eq!(previews, ["hello", "odd"]);
    // The next message gives it its time and its place.
    hub.0.clock.advance(60);
    let message = json!({ "conversationId": odd, "content": "back" });
    hub.make("fay", "sendMessage", message, "message").await;
    let page = hub.query("tess", list, json!({})).await;
    assert_eq!(page["inbox"]["edges"][0]["node"]["conversation"]["id"], odd);
    assert_eq!(page["viewer"]["unreadMessages"], 1);
    let read = json!({ "conversationId": odd });
    hub.make("tess", "markConversationRead", read, "conversation")
        .await;
}

/// The access request of another program, with this status and level.
async fn requested(status: &str, level: &str) -> Hub {
    let hub = original().await;
    for mut item in hub.items().await {
        let text = |text: &str| AttributeValue::S(text.to_owned());
        match item["entityType"].as_s().unwrap().as_str() {
            "ACCESS_REQUEST" => {
                item.insert("status".into(), text(status));
                item.insert("accessLevel".into(), text(level));
            }
            "STARTUP" => drop(item.insert("visibility".into(), text("PRIVATE"))),
            _ => continue,
        }
        let put = hub.0.dynamodb.put_item().table_name("collabhub-main");
        put.set_item(Some(item)).send().await.unwrap();
    }
    hub
}

/// Each level of access of another program, each way to more access, and what becomes of all of it once that is revoked.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn access_of_the_original_design_ends_with_the_access_that_replaced_it() {
    const MINE: &str =
        "{ myAccessRequests { edges { node { id status startup { id pitchDeckUrl } } } } }";
    for level in ["VIEW_PROFILE", "VIEW_DECK"] {
        for way in ["request", "invitation", "approved by both"] {
            let about = format!("{level} {way}");
            let first = match way {
                "approved by both" => "REVOKED",
                _ => "APPROVED",
            };
            let hub = requested(first, level).await;
            let name = "{ viewer { user { id } } }";
            hub.query("ines", name, Value::Null).await;
            let mine = "{ myStartups { edges { node { id } } } }";
            let startup =
                hub.query("fay", mine, Value::Null).await["myStartups"]["edges"][0]["node"]["id"]
                    .clone();
            let given = if way == "request" {
                let more = json!({ "startupId": startup, "accessLevel": "FULL_ACCESS" });
                let given = hub
                    .make("ines", "requestAccess", more, "accessRequest")
                    .await;
                hub.decide("fay", &given, "APPROVED", Value::Null).await;
                given
            } else {
                let invite = json!({ "startupId": startup, "accessLevel": "FULL_ACCESS" });
                let invitation = hub
                    .make("fay", "createInvitation", invite, "invitation")
                    .await;
                let fields = "invitation { accessRequest { id } }";
                let accept = json!({ "id": invitation });
                let accepted = hub.mutate("ines", "acceptInvitation", accept, fields).await;
                let given = accepted["invitation"]["accessRequest"]["id"].as_str();
                given
                    .unwrap_or_else(|| panic!("{about}: {accepted}"))
                    .to_owned()
            };
            if way == "approved by both" {
                for mut item in hub.items().await {
                    if item["PK"] == AttributeValue::S(format!("ACCESS#{G}")) {
                        item.insert("status".into(), AttributeValue::S("APPROVED".into()));
                        let put = hub.0.dynamodb.put_item().table_name("collabhub-main");
                        put.set_item(Some(item)).send().await.unwrap();
                    }
                }
            }
            let narrower =
                json!({ "id": given, "status": "APPROVED", "accessLevel": "VIEW_PROFILE" });
            hub.make("fay", "decideAccess", narrower, "accessRequest")
                .await;
            let seen = hub.query("ines", MINE, Value::Null).await;
            let shown = &seen["myAccessRequests"]["edges"][0]["node"]["startup"];
            assert!(
                shown.is_object() && shown["pitchDeckUrl"].is_null(),
                "{about}: {seen}"
            );
            hub.decide("fay", &given, "REVOKED", Value::Null).await;
            let seen = hub.query("ines", MINE, Value::Null).await;
            for edge in seen["myAccessRequests"]["edges"].as_array().unwrap() {
                assert_eq!(edge["node"]["startup"], Value::Null, "{about}: {seen}");
                let status = edge["node"]["status"].as_str().unwrap();
                assert!(["REVOKED", "EXPIRED"].contains(&status), "{about}: {seen}");
            }
        }
    }
}

/// Each status and level of a request of another program, and each level that is requested beside it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_of_the_original_design_holds_as_an_own_one() {
    const LEVELS: [&str; 3] = ["VIEW_PROFILE", "VIEW_DECK", "FULL_ACCESS"];
    for status in ["PENDING", "APPROVED", "REJECTED", "REVOKED"] {
        for (has, level) in LEVELS.iter().enumerate() {
            let hub = requested(status, level).await;
            let public = json!({ "visibility": "PUBLIC" });
            let mine = "{ myStartups { edges { node { id } } } }";
            let startup =
                hub.query("fay", mine, Value::Null).await["myStartups"]["edges"][0]["node"]["id"]
                    .clone();
            let mut update = public.clone();
            update["id"] = startup.clone();
            hub.make("fay", "updateStartup", update, "startup").await;
            for (asked, wanted) in LEVELS.iter().enumerate() {
                let is_allowed = match status {
                    "PENDING" | "REJECTED" => false,
                    "APPROVED" => asked > has,
                    _ => true,
                };
                let input = json!({ "startupId": startup, "accessLevel": wanted });
                let made = hub
                    .mutate("ines", "requestAccess", input, "accessRequest { id }")
                    .await;
                let expected: &[&str] = if is_allowed { &[] } else { &["CONFLICT"] };
                assert_eq!(codes(&made), expected, "{status} {level} {wanted}: {made}");
                if is_allowed {
                    break;
                }
            }
        }
    }
}

/// Each level of an open request of another program, and each level of an invitation that is accepted beside it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_higher_request_of_the_original_design_waits_on_beside_a_lower_invitation() {
    const LEVELS: [&str; 3] = ["VIEW_PROFILE", "VIEW_DECK", "FULL_ACCESS"];
    const MINE: &str = "{ myAccessRequests { edges { node { id status accessLevel } } } }";
    for (asked, wanted) in LEVELS.iter().enumerate() {
        for (invited, offered) in LEVELS.iter().enumerate() {
            let hub = requested("PENDING", wanted).await;
            let mine = "{ myStartups { edges { node { id } } } }";
            let mine = hub.query("fay", mine, Value::Null).await;
            let startup = &mine["myStartups"]["edges"][0]["node"]["id"];
            let before = hub.query("ines", MINE, Value::Null).await;
            let access = before["myAccessRequests"]["edges"][0]["node"]["id"].clone();
            let invite = json!({ "startupId": startup, "accessLevel": offered });
            let invitation = hub
                .make("fay", "createInvitation", invite, "invitation")
                .await;
            let accept = json!({ "id": invitation });
            hub.make("ines", "acceptInvitation", accept, "invitation")
                .await;
            let about = format!("asked {wanted}, invited to {offered}");
            let status = async || {
                let after = hub.query("ines", MINE, Value::Null).await;
                let edges = after["myAccessRequests"]["edges"].as_array().unwrap();
                let mut edges = edges.iter();
                let found = edges.find(|edge| edge["node"]["id"] == access);
                found.unwrap()["node"]["status"].clone()
            };
            let expected = if asked > invited {
                "PENDING"
            } else {
                "WITHDRAWN"
            };
            assert_eq!(status().await, expected, "{about}");
            if asked > invited {
                let approve = json!({ "id": access, "status": "APPROVED" });
                hub.make("fay", "decideAccess", approve, "accessRequest")
                    .await;
                assert_eq!(status().await, "APPROVED", "{about}");
            }
        }
    }
}

/// Each way of a review to each status of an application of another program: afterwards it holds as an own one does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reviewed_application_of_the_original_design_holds_as_an_own_one() {
    const WAYS: [&[&str]; 6] = [
        &["REVIEWING"],
        &["SHORTLISTED"],
        &["ACCEPTED"],
        &["REJECTED"],
        &["REVIEWING", "REJECTED"],
        &["REJECTED", "SHORTLISTED", "REJECTED"],
    ];
    for way in WAYS {
        let hub = original().await;
        let mine = "{ myApplications { edges { node { id role { id } } } } }";
        let mine = hub.query("tess", mine, Value::Null).await;
        let node = &mine["myApplications"]["edges"][0]["node"];
        for status in way {
            let review = json!({ "id": node["id"], "status": status });
            hub.make("fay", "reviewApplication", review, "application")
                .await;
        }
        let input = json!({ "roleId": node["role"]["id"], "coverLetter": "again" });
        let apply = async || {
            hub.mutate("tess", "applyForRole", input.clone(), "application { id }")
                .await
        };
        let refused = apply().await;
        assert_eq!(codes(&refused), ["CONFLICT"], "{way:?}");
        let is_rejected = way.last() == Some(&"REJECTED");
        let is_pause = refused.to_string().contains("30 days");
        assert_eq!(is_pause, is_rejected, "{way:?}: {refused}");
        hub.0.clock.advance(31 * 24 * 3600);
        let expected: &[&str] = if is_rejected { &[] } else { &["CONFLICT"] };
        assert_eq!(codes(&apply().await), expected, "{way:?}");
    }
}

/// Each status of an application of another program.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_application_of_the_original_design_keeps_from_applying_twice() {
    for status in [
        "PENDING",
        "REVIEWING",
        "SHORTLISTED",
        "ACCEPTED",
        "REJECTED",
        "WITHDRAWN",
    ] {
        let hub = original().await;
        for mut item in hub.items().await {
            if item["entityType"].as_s().unwrap() == "APPLICATION" {
                item.insert("status".into(), AttributeValue::S(status.into()));
                let put = hub.0.dynamodb.put_item().table_name("collabhub-main");
                put.set_item(Some(item)).send().await.unwrap();
            }
        }
        let role = "{ openRoles { edges { node { id } } } }";
        let role =
            hub.query("tess", role, Value::Null).await["openRoles"]["edges"][0]["node"]["id"]
                .clone();
        let input = json!({ "roleId": role, "coverLetter": "again" });
        let apply = async || {
            hub.mutate("tess", "applyForRole", input.clone(), "application { id }")
                .await
        };
        let expected: &[&str] = if status == "WITHDRAWN" {
            &[]
        } else {
            &["CONFLICT"]
        };
        assert_eq!(codes(&apply().await), expected, "{status}");
        if status == "REJECTED" {
            hub.0.clock.advance(31 * 24 * 3600);
            assert_eq!(codes(&apply().await), [""; 0], "{status}");
        }
    }
}
