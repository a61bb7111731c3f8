//! What somebody exports is all that is stored of them, and what is deleted is gone.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::world::{Hub, attach, codes};

async fn export(hub: &Hub, name: &str) -> Value {
    let made = hub.mutate(name, "exportMyData", json!({}), "url").await;
    let url = made["url"]
        .as_str()
        .unwrap_or_else(|| panic!("{made:#}"))
        .to_owned();
    hub.0
        .http
        .get(url)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap()
}

/// Ada, tom and ida with one thing of each kind.
async fn town() -> (Hub, String, String) {
    let hub = Hub::start().await;
    hub.admin("root").await;
    let ada = hub.register("ada", "FOUNDER").await;
    let tom = hub.register("tom", "TALENT").await;
    hub.register("ida", "INVESTOR").await;
    let startup = hub.published("ada", "Sunny", "PUBLIC").await;
    for (name, purpose, id, kind) in [
        ("ada", "AVATAR", &ada, "image/png"),
        ("ada", "LOGO", &startup, "image/png"),
        ("ada", "PITCH_DECK", &startup, "application/pdf"),
        ("tom", "AVATAR", &tom, "image/png"),
    ] {
        attach(
            &hub,
            name,
            json!({ "purpose": purpose, "id": id, "contentType": kind, "size": 4 }),
        )
        .await;
    }
    let invite =
        json!({ "startupId": startup, "accessLevel": "VIEW_DECK", "email": "ida@example.com" });
    hub.make("ada", "createInvitation", invite, "invitation")
        .await;
    let role = hub.role("ada", &startup, "Engineer").await;
    let application = hub.apply("tom", &role).await;
    let resume = json!({ "purpose": "RESUME", "id": application, "contentType": "application/pdf", "size": 4 });
    attach(&hub, "tom", resume).await;
    hub.mutate(
        "tom",
        "saveRole",
        json!({ "roleId": role }),
        "savedRole { roleTitle }",
    )
    .await;
    for (kind, text) in [
        ("DIRECT", "said here"),
        ("GROUP", "said there"),
        ("GROUP", "said elsewhere"),
    ] {
        let input = json!({ "type": kind, "participantIds": [tom] });
        let talk = hub
            .make("ada", "createConversation", input, "conversation")
            .await;
        for name in ["ada", "tom"] {
            let said = json!({ "conversationId": talk, "content": format!("{name} {text}") });
            hub.make(name, "sendMessage", said, "message").await;
        }
        if text != "said here" {
            for name in ["ada", "tom"] {
                let leave = json!({ "conversationId": talk });
                hub.mutate(name, "leaveConversation", leave, "conversation { id }")
                    .await;
            }
        }
    }
    (hub, ada, tom)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_has_every_stored_item_of_the_user_and_opens_its_files() {
    let (hub, ..) = town().await;
    for (name, kinds) in [
        (
            "ada",
            vec![
                "STARTUP",
                "STARTUP_ROLE",
                "INVITATION",
                "MESSAGE",
                "NOTIFICATION",
                "AUDIT_LOG",
            ],
        ),
        (
            "tom",
            vec![
                "APPLICATION",
                "MESSAGE",
                "NOTIFICATION",
                "AUDIT_LOG",
                "SAVED_ROLE",
            ],
        ),
        ("ida", vec!["NOTIFICATION", "AUDIT_LOG"]),
    ] {
        let items = hub.items().await;
        let data = export(&hub, name).await;
        let text = data.to_string();
        // The attributes that say whose an item is, and those that name it.
        for item in items {
            let kind = item["entityType"].as_s().unwrap().as_str();
            let of = |attribute: &str| item.get(attribute).and_then(|value| value.as_s().ok());
            let owners = ["founderId", "senderId", "applicantId", "userId"];
            let owner = owners.iter().find_map(|attribute| of(attribute));
            let is_of_startup = kind == "STARTUP_ROLE" && name == "ada";
            if !kinds.contains(&kind) || (owner.is_none_or(|owner| owner != name) && !is_of_startup)
            {
                continue;
            }
            let names = [
                "roleId",
                "invitationId",
                "messageId",
                "notificationId",
                "auditId",
                "applicationId",
                "startupId",
            ];
            let id = names.iter().find_map(|attribute| of(attribute)).unwrap();
            assert!(text.contains(id.as_str()), "{name} lacks {item:?}");
        }
        // Each file is read by its URL.
        let mut files = BTreeSet::new();
        for list in data.as_object().unwrap().values() {
            for item in list.as_array().unwrap() {
                for attribute in [
                    "avatarUrl",
                    "logoUrl",
                    "pitchDeckUrl",
                    "resumeUrl",
                    "attachmentKey",
                ] {
                    files.extend(item[attribute].as_str().map(str::to_owned));
                }
            }
        }
        let expected = match name {
            "ada" => 3,
            "tom" => 2,
            _ => 0,
        };
        assert_eq!(files.len(), expected, "{name}: {files:?}");
        for file in files {
            assert_eq!(
                hub.0
                    .http
                    .get(file)
                    .send()
                    .await
                    .unwrap()
                    .text()
                    .await
                    .unwrap(),
                "%PDF",
                "{name}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notes_on_an_application_are_gone_with_what_they_are_about() {
    for status in ["PENDING", "REVIEWING", "ACCEPTED", "REJECTED", "WITHDRAWN"] {
        for gone in ["deleteRole", "deleteStartup", "deleteAccount"] {
            let (hub, ada, _) = town().await;
            let list = "{ myStartups { edges { node { id roles { edges { node { id } } } } } } }";
            let list = hub.query("ada", list, Value::Null).await;
            let startup = &list["myStartups"]["edges"][0]["node"];
            let role = &startup["roles"]["edges"][0]["node"]["id"];
            let application = hub
                .query(
                    "tom",
                    "{ myApplications { edges { node { id } } } }",
                    Value::Null,
                )
                .await;
            let application = &application["myApplications"]["edges"][0]["node"]["id"];
            let note = json!({ "id": application, "founderNotes": "a note" });
            hub.make("ada", "reviewApplication", note, "application")
                .await;
            match status {
                "PENDING" => {}
                "WITHDRAWN" => {
                    hub.make(
                        "tom",
                        "withdrawApplication",
                        json!({ "id": application }),
                        "application",
                    )
                    .await;
                }
                status => {
                    let review = json!({ "id": application, "status": status });
                    hub.make("ada", "reviewApplication", review, "application")
                        .await;
                }
            }
            let version = "{ myApplications { edges { node { version updatedAt } } } }";
            let before = hub.query("tom", version, Value::Null).await;
            let id = match gone {
                "deleteRole" => role.clone(),
                "deleteStartup" => startup["id"].clone(),
                _ => json!(ada),
            };
            let deleted = hub
                .mutate("ada", gone, json!({ "id": id }), "__typename")
                .await;
            assert_eq!(deleted["userErrors"], json!([]), "{gone}");
            for item in hub.items().await {
                assert!(
                    !item.contains_key("founderNotes"),
                    "{status} {gone}: {item:?}"
                );
            }
            // The applicant does not learn that there were any.
            assert_eq!(
                hub.query("tom", version, Value::Null).await,
                before,
                "{status} {gone}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_deleted_is_not_made_again_by_an_input_that_is_sent_again() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    let ada = hub.register("ada", "FOUNDER").await;
    let bea = hub.register("bea", "FOUNDER").await;
    hub.tie("ada", "bea").await;
    let kept = hub.published("ada", "Kept", "PUBLIC").await;
    let group = json!({ "type": "GROUP", "participantIds": [bea] });
    let group = hub
        .make("ada", "createConversation", group, "conversation")
        .await;
    let name = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    let startup = json!({
        "startupId": name, "name": "x", "tagline": "x", "description": "x", "industry": "x", "location": "x",
    });
    let role = json!({ "roleId": name, "startupId": kept, "title": "x", "description": "x", "type": "CONTRACT" });
    let message = json!({ "messageId": name, "conversationId": group, "content": "x" });
    let direct = json!({ "conversationId": name, "type": "DIRECT", "participantIds": [bea] });
    assert!(!ada.is_empty());
    for (create, input, field, kind, delete, id) in [
        (
            "createStartup",
            startup,
            "startup",
            "STARTUP",
            "deleteStartup",
            "id",
        ),
        (
            "createRole",
            role,
            "role",
            "STARTUP_ROLE",
            "deleteRole",
            "id",
        ),
        (
            "sendMessage",
            message,
            "message",
            "MESSAGE",
            "deleteMessage",
            "id",
        ),
        (
            "createConversation",
            direct,
            "conversation",
            "CONVERSATION_PARTICIPANT",
            "leaveConversation",
            "conversationId",
        ),
    ] {
        let count = async || {
            let items = hub.items().await;
            let of_kind = items
                .iter()
                .filter(|item| item["entityType"].as_s().unwrap() == kind);
            of_kind
                .filter(|item| !item.contains_key("deletedAt"))
                .count()
        };
        let made = hub.make("ada", create, input.clone(), field).await;
        hub.mutate("ada", delete, json!({ id: made }), "__typename")
            .await;
        let before = count().await;
        let again = hub.mutate("ada", create, input, "__typename").await;
        assert_eq!(count().await, before, "{create}: {again}");
        assert!(
            codes(&again).iter().all(|code| *code == "CONFLICT"),
            "{create}: {again}"
        );
    }
}
