//! Every mutation of collab-hub.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use trestle_service::Registered;

use super::story::{Indexes, Story};
use crate::promises::ask::member;
use crate::promises::strangers::create::ulid;

/// Writes what `trestle collab-hub make-admin` and a subscription that is paid for write.
async fn set(story: &Story, name: &str, attributes: &[(&str, &str)]) {
    let text = |text: &str| AttributeValue::S(text.into());
    for (attribute, value) in attributes {
        let update = story.plain.update_item().table_name("collabhub-main");
        let update = update
            .key("PK", text(&format!("USER#{name}")))
            .key("SK", text("PROFILE"))
            .update_expression("SET #name = :value")
            .expression_attribute_names("#name", *attribute)
            .expression_attribute_values(":value", text(value));
        update.send().await.unwrap();
    }
}

pub async fn story(service: &'static Registered, indexes: Indexes) -> Story {
    let mut story = Story::start(service, indexes, &[]).await;
    let mut ids = HashMap::new();
    for (name, role) in [
        ("root", "FOUNDER"),
        ("ada", "FOUNDER"),
        ("bea", "FOUNDER"),
        ("tess", "TALENT"),
        ("tom", "TALENT"),
        ("ines", "INVESTOR"),
        ("ivan", "INVESTOR"),
    ] {
        let input = json!({
            "role": role, "email": format!("{name}@example.com"), "firstName": "x", "lastName": "x",
        });
        let made = story.step(&member(name), "registerUser", input).await;
        ids.insert(name, made["user"]["id"].clone());
        set(&story, name, &[("subscriptionTier", "ENTERPRISE")]).await;
    }
    set(
        &story,
        "root",
        &[("role", "ADMIN"), ("GSI1PK", "ROLE#ADMIN")],
    )
    .await;
    let [root, ada, bea, tess, tom, ines, ivan] =
        ["root", "ada", "bea", "tess", "tom", "ines", "ivan"].map(member);
    let newcomer =
        json!({ "role": "TALENT", "email": "new@example.com", "firstName": "x", "lastName": "x" });
    let made = story.step("new write", "registerUser", newcomer).await;
    let new = made["user"]["id"].clone();
    story.step(&member("new"), "verifyEmail", json!({})).await;
    story
        .step(&member("new"), "updateProfile", json!({ "bio": "x" }))
        .await;
    story
        .step(
            "new write",
            "updateProfile",
            json!({ "email": "newer@example.com" }),
        )
        .await;
    story
        .step(&root, "releaseEmail", json!({ "id": new }))
        .await;
    story
        .step(
            &root,
            "setUserRole",
            json!({ "id": new, "role": "INVESTOR" }),
        )
        .await;
    story
        .step(
            &root,
            "setUserStatus",
            json!({ "id": new, "status": "BANNED", "reason": "x" }),
        )
        .await;
    story
        .step(
            &root,
            "approveInvestor",
            json!({ "id": ids["ines"], "approved": true }),
        )
        .await;
    let startup = |visibility: &str| {
        json!({
            "name": "Acme", "tagline": "x", "description": "x", "industry": "x", "location": "Basel",
            "visibility": visibility,
        })
    };
    let first = story.step(&ada, "createStartup", startup("PUBLIC")).await["startup"]["id"].clone();
    let mut with_id = startup("INVESTORS_ONLY");
    with_id["startupId"] = json!(ulid(&story.server));
    let closed = story.step(&ada, "createStartup", with_id).await["startup"]["id"].clone();
    for id in [&first, &closed] {
        let input = json!({ "id": id, "status": "PENDING_REVIEW" });
        story.step(&ada, "setStartupStatus", input).await;
        let input = json!({ "id": id, "status": "ACTIVE" });
        story.step(&root, "setStartupStatus", input).await;
    }
    story
        .step(&ada, "updateStartup", json!({ "id": first, "teamSize": 3 }))
        .await;
    let upload = json!({ "id": first, "purpose": "LOGO", "size": 4, "contentType": "image/png" });
    let upload = story.step(&ada, "createUpload", upload).await["upload"].clone();
    story.upload(&upload, "%PNG").await;
    let input = json!({ "id": first, "purpose": "LOGO", "uploadId": upload["uploadId"] });
    story.step(&ada, "attachUpload", input).await;
    let role = json!({ "startupId": first, "title": "x", "description": "x", "type": "FULL_TIME" });
    let role = story.step(&ada, "createRole", role).await["role"]["id"].clone();
    story
        .step(&ada, "updateRole", json!({ "id": role, "title": "y" }))
        .await;
    story.step(&ada, "closeRole", json!({ "id": role })).await;
    story.step(&ada, "reopenRole", json!({ "id": role })).await;
    let input = json!({ "roleId": role, "coverLetter": "x" });
    let applied = story.step(&tess, "applyForRole", input).await["application"]["id"].clone();
    let input = json!({ "roleId": role, "coverLetter": "x", "applicationId": ulid(&story.server) });
    let other = story.step(&tom, "applyForRole", input).await["application"]["id"].clone();
    let input = json!({ "id": applied, "status": "REVIEWING" });
    story.step(&ada, "reviewApplication", input).await;
    story
        .step(&tom, "withdrawApplication", json!({ "id": other }))
        .await;
    let input = json!({ "id": applied, "status": "ACCEPTED" });
    story.step(&ada, "reviewApplication", input).await;
    story
        .step(&tess, "declineApplication", json!({ "id": applied }))
        .await;
    let input =
        json!({ "startupId": closed, "title": "x", "description": "x", "type": "FULL_TIME" });
    let hidden = story.step(&ada, "createRole", input).await["role"]["id"].clone();
    let input = json!({ "roleId": hidden });
    let invitation = story.step(&ada, "inviteToRole", input).await["invitation"]["id"].clone();
    let input = json!({ "roleId": hidden, "coverLetter": "x", "invitationId": invitation });
    story.step(&tom, "applyForRole", input).await;
    for mutation in ["saveRole", "unsaveRole"] {
        story.step(&tess, mutation, json!({ "roleId": role })).await;
    }
    let input = json!({ "startupId": closed, "accessLevel": "VIEW_DECK" });
    let access =
        story.step(&ivan, "requestAccess", input.clone()).await["accessRequest"]["id"].clone();
    story
        .step(&ivan, "withdrawAccessRequest", json!({ "id": access }))
        .await;
    let access = story.step(&ivan, "requestAccess", input).await["accessRequest"]["id"].clone();
    let input = json!({ "id": access, "status": "APPROVED" });
    story.step(&ada, "decideAccess", input).await;
    let input =
        json!({ "startupId": closed, "accessLevel": "FULL_ACCESS", "email": "ines@example.com" });
    let invitation = story.step(&ada, "createInvitation", input).await["invitation"]["id"].clone();
    story
        .step(&ines, "acceptInvitation", json!({ "id": invitation }))
        .await;
    let input = json!({ "startupId": closed, "accessLevel": "FULL_ACCESS" });
    let invitation = story.step(&ada, "createInvitation", input).await["invitation"]["id"].clone();
    story
        .step(&ada, "cancelInvitation", json!({ "id": invitation }))
        .await;
    let input = json!({ "type": "DIRECT", "participantIds": [ids["ines"]] });
    let talk = story.step(&ada, "createConversation", input).await["conversation"]["id"].clone();
    story
        .step(
            &ines,
            "acceptConversation",
            json!({ "conversationId": talk }),
        )
        .await;
    let message = json!({ "conversationId": talk, "content": "hello" });
    let message = story.step(&ada, "sendMessage", message).await["message"]["id"].clone();
    let again =
        json!({ "conversationId": talk, "content": "again", "messageId": ulid(&story.server) });
    story.step(&ada, "sendMessage", again).await;
    story
        .step(
            &ines,
            "markConversationRead",
            json!({ "conversationId": talk }),
        )
        .await;
    let input = json!({ "conversationId": talk, "isMuted": true });
    story.step(&ines, "muteConversation", input).await;
    let input = json!({ "id": message, "content": "hello again" });
    story.step(&ada, "editMessage", input).await;
    let input = json!({ "reportedId": message, "reason": "SPAM" });
    let report = story.step(&ines, "createReport", input).await["report"]["id"].clone();
    story
        .step(&root, "openReport", json!({ "id": report }))
        .await;
    let input = json!({ "id": report, "status": "RESOLVED", "resolution": "x" });
    story.step(&root, "decideReport", input).await;
    story
        .step(&ada, "deleteMessage", json!({ "id": message }))
        .await;
    let group = json!({ "type": "GROUP", "participantIds": [ids["ines"], ids["tess"]] });
    let group = story.step(&ada, "createConversation", group).await["conversation"]["id"].clone();
    let input = json!({ "conversationId": group, "participantIds": [ids["ivan"]] });
    story.step(&ada, "addParticipants", input).await;
    story
        .step(
            &ines,
            "leaveConversation",
            json!({ "conversationId": group }),
        )
        .await;
    let notification = story.first(&ada, "notifications").await;
    story
        .step(&ada, "markNotificationRead", json!({ "id": notification }))
        .await;
    story
        .step(&ada, "markAllNotificationsRead", json!({}))
        .await;
    story
        .step(&tess, "blockUser", json!({ "id": ids["tom"] }))
        .await;
    story
        .step(&tess, "unblockUser", json!({ "id": ids["tom"] }))
        .await;
    story.step(&tom, "exportMyData", json!({})).await;
    story.step(&ada, "deleteRole", json!({ "id": role })).await;
    story
        .step(&ada, "deleteStartup", json!({ "id": closed }))
        .await;
    story
        .step(&tom, "deleteAccount", json!({ "id": ids["tom"] }))
        .await;
    let own: Value = ids["bea"].clone();
    story
        .step(&bea, "deleteAccount", json!({ "id": own }))
        .await;
    story
}
