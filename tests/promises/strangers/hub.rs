//! collab-hub, for [`super::worlds`].

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;
use trestle_service::Registered;
use trestle_testing::hosted::TestServer;

use super::create::{Create, Outcome, said, ulid};
use crate::promises::ask::{id_of, make, member, register, start};

/// A startup that an admin has activated.
async fn published(server: &TestServer, visibility: &str) -> String {
    let input = json!({
        "name": "Acme", "tagline": "x", "description": "x", "industry": "x", "location": "Basel", "visibility": visibility,
    });
    let id = id_of(server, &member("ada"), "createStartup", input, "startup").await;
    for (who, status) in [("ada", "PENDING_REVIEW"), ("root", "ACTIVE")] {
        let input = json!({ "id": id, "status": status });
        make(server, &member(who), "setStartupStatus", input, "").await;
    }
    id
}

/// Writes what `trestle collab-hub make-admin` and a subscription that is paid for write.
async fn set_user(server: &TestServer, name: &str, attributes: &[(&str, &str)]) {
    let text = |text: &str| AttributeValue::S(text.into());
    for (attribute, value) in attributes {
        let update = server.dynamodb.update_item().table_name("collabhub-main");
        let update = update
            .key("PK", text(&format!("USER#{name}")))
            .key("SK", text("PROFILE"))
            .update_expression("SET #name = :value")
            .expression_attribute_names("#name", *attribute)
            .expression_attribute_values(":value", text(value));
        update.send().await.unwrap();
    }
}

/// Users of every role, startups that some of them see, and every create.
pub async fn creates(service: &'static Registered) -> (TestServer, Vec<Create>) {
    let server = start(service, &[]).await;
    let mut ids = std::collections::HashMap::new();
    for (name, role) in [
        ("root", "FOUNDER"),
        ("ada", "FOUNDER"),
        ("tess", "TALENT"),
        ("ines", "INVESTOR"),
        ("f1", "FOUNDER"),
        ("f2", "FOUNDER"),
        ("t1", "TALENT"),
        ("t2", "TALENT"),
        ("i1", "INVESTOR"),
        ("i2", "INVESTOR"),
    ] {
        ids.insert(name, register(&server, name, role).await);
        set_user(&server, name, &[("subscriptionTier", "ENTERPRISE")]).await;
    }
    set_user(
        &server,
        "root",
        &[("role", "ADMIN"), ("GSI1PK", "ROLE#ADMIN")],
    )
    .await;
    let (startup, closed) = (
        published(&server, "PUBLIC").await,
        published(&server, "INVESTORS_ONLY").await,
    );
    let input =
        json!({ "startupId": startup, "title": "x", "description": "x", "type": "FULL_TIME" });
    let role = id_of(&server, &member("ada"), "createRole", input, "role").await;
    let input = json!({ "type": "DIRECT", "participantIds": [ids["ines"]] });
    let conversation = id_of(
        &server,
        &member("ada"),
        "createConversation",
        input,
        "conversation",
    )
    .await;
    make(
        &server,
        &member("ines"),
        "acceptConversation",
        json!({ "conversationId": conversation }),
        "",
    )
    .await;

    let pair = |[one, other]: [&str; 2], outcome| ([member(one), member(other)], outcome);
    let (founders, talents, investors) = (["f1", "f2"], ["t1", "t2"], ["i1", "i2"]);
    // Those who are most like the owner, with what they get, and everybody else.
    let create = |mutation, takes_id, owner: &str, input, like: [&str; 2], outcome| {
        let others = [founders, talents, investors]
            .into_iter()
            .filter(|others| *others != like);
        let others = others.map(|others| pair(others, Outcome::AsOthers));
        let unknown = ([said("x1 write"), said("x2 write")], Outcome::AsOthers);
        Create {
            mutation,
            input,
            takes_id,
            id_of: ulid,
            owner: member(owner),
            strangers: std::iter::once(pair(like, outcome))
                .chain(others)
                .chain([unknown])
                .collect(),
        }
    };
    let missing = Outcome::Refused("NOT_FOUND");
    let new = json!({
        "startupId": "$ID", "name": "Next", "tagline": "x", "description": "x", "industry": "x", "location": "x",
        "visibility": "PRIVATE",
    });
    let position = json!({
        "roleId": "$ID", "startupId": closed, "title": "x", "description": "x", "type": "FULL_TIME", "compensation": "a secret",
    });
    let letter = json!({ "applicationId": "$ID", "roleId": role, "coverLetter": "a secret" });
    let talk =
        json!({ "conversationId": "$ID", "type": "DIRECT", "participantIds": [ids["tess"]] });
    let invitation =
        json!({ "invitationId": "$ID", "startupId": closed, "accessLevel": "FULL_ACCESS" });
    let to_role = json!({ "invitationId": "$ID", "roleId": role });
    let report = json!({ "reportId": "$ID", "reportedId": startup, "reason": "SPAM" });
    let access = json!({ "accessId": "$ID", "startupId": closed, "accessLevel": "VIEW_DECK" });
    let message =
        json!({ "messageId": "$ID", "conversationId": conversation, "content": "a secret" });
    let saved = json!({ "roleId": role });
    let upload =
        json!({ "id": startup, "purpose": "LOGO", "size": 100, "contentType": "image/png" });
    let newcomer =
        json!({ "role": "TALENT", "email": "new@example.com", "firstName": "x", "lastName": "x" });
    let more = json!({ "conversationId": conversation, "participantIds": [ids["tess"]] });
    let mut creates = vec![
        create("createStartup", true, "ada", new, founders, Outcome::Own),
        create("createRole", true, "ada", position, founders, missing),
        create("applyForRole", true, "tess", letter, talents, Outcome::Own),
        create(
            "createConversation",
            true,
            "ada",
            talk,
            founders,
            Outcome::Own,
        ),
        create(
            "createInvitation",
            true,
            "ada",
            invitation,
            founders,
            missing,
        ),
        create("inviteToRole", true, "ada", to_role, founders, missing),
        create("createReport", true, "tess", report, talents, Outcome::Own),
        create(
            "requestAccess",
            true,
            "ines",
            access,
            investors,
            Outcome::Own,
        ),
        create("sendMessage", true, "ada", message, founders, missing),
        create("createUpload", false, "ada", upload, founders, missing),
        create("saveRole", false, "tess", saved, talents, Outcome::Own),
    ];
    // A stranger has not verified the address.
    creates.push(Create {
        owner: member("new"),
        strangers: vec![([said("y1 write"), said("y2 write")], Outcome::Own)],
        ..create(
            "registerUser",
            false,
            "ada",
            newcomer,
            founders,
            Outcome::Own,
        )
    });
    let group = json!({ "type": "GROUP", "participantIds": [ids["ines"], ids["f1"]] });
    let group = id_of(
        &server,
        &member("ada"),
        "createConversation",
        group,
        "conversation",
    )
    .await;
    let more = json!({ "conversationId": group, "participantIds": more["participantIds"] });
    creates.push(create(
        "addParticipants",
        false,
        "ada",
        more,
        talents,
        missing,
    ));
    (server, creates)
}
