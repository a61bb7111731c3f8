//! Raw items are what the design says, each with its type and moments.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;

use crate::world::World;

type Item = HashMap<String, AttributeValue>;

fn text<'i>(item: &'i Item, name: &str) -> &'i str {
    item.get(name)
        .and_then(|value| value.as_s().ok())
        .map_or("", String::as_str)
}

/// The keys that an item must have, made from its attributes.
fn keys(item: &Item) -> Vec<(&'static str, String)> {
    let t = |name| text(item, name);
    match t("entityType") {
        "USER" => vec![
            ("PK", format!("USER#{}", t("userId"))),
            ("SK", "PROFILE".into()),
            ("GSI1PK", format!("ROLE#{}", t("role"))),
            ("GSI1SK", format!("USER#{}", t("userId"))),
            ("GSI2PK", format!("STATUS#{}", t("status"))),
            ("GSI2SK", format!("USER#{}", t("userId"))),
        ],
        "STARTUP" => vec![
            ("PK", format!("STARTUP#{}", t("startupId"))),
            ("SK", "METADATA".into()),
            ("GSI1PK", format!("FOUNDER#{}", t("founderId"))),
            ("GSI1SK", format!("STARTUP#{}", t("startupId"))),
            (
                "GSI2PK",
                format!("VISIBILITY#{}#STATUS#{}", t("visibility"), t("status")),
            ),
            ("GSI2SK", format!("STARTUP#{}", t("startupId"))),
        ],
        "STARTUP_ROLE" => {
            let is_open = *item["isOpen"].as_bool().unwrap();
            let place = format!("{}#{}", t("createdAt"), t("roleId"));
            vec![
                ("PK", format!("STARTUP#{}", t("startupId"))),
                ("SK", format!("ROLE#{}", t("roleId"))),
                (
                    "GSI1PK",
                    if is_open {
                        "OPEN_ROLES".into()
                    } else {
                        String::new()
                    },
                ),
                ("GSI1SK", if is_open { place } else { String::new() }),
                ("GSI2PK", String::new()),
            ]
        }
        "APPLICATION" => vec![
            ("PK", format!("APPLICATION#{}", t("applicationId"))),
            ("SK", "METADATA".into()),
            ("GSI1PK", format!("APPLICANT#{}", t("applicantId"))),
            ("GSI1SK", format!("APPLICATION#{}", t("applicationId"))),
            (
                "GSI2PK",
                format!("STARTUP#{}#ROLE#{}", t("startupId"), t("roleId")),
            ),
            (
                "GSI2SK",
                format!("STATUS#{}#{}", t("status"), t("createdAt")),
            ),
        ],
        "ACCESS_REQUEST" => vec![
            ("PK", format!("ACCESS#{}", t("accessId"))),
            ("SK", "METADATA".into()),
            ("GSI1PK", format!("REQUESTER#{}", t("requesterId"))),
            ("GSI1SK", format!("ACCESS#{}", t("accessId"))),
            ("GSI2PK", format!("STARTUP#{}", t("startupId"))),
            (
                "GSI2SK",
                format!("STATUS#{}#{}", t("status"), t("createdAt")),
            ),
        ],
        "CONVERSATION" => vec![
            ("PK", format!("CONVERSATION#{}", t("conversationId"))),
            ("SK", "METADATA".into()),
            ("GSI1PK", String::new()),
        ],
        "CONVERSATION_PARTICIPANT" => vec![
            ("PK", format!("CONVERSATION#{}", t("conversationId"))),
            ("SK", format!("PARTICIPANT#{}", t("userId"))),
            (
                "GSI1PK",
                match item.get("isInvited") {
                    Some(AttributeValue::Bool(true)) => format!("INVITED#{}", t("userId")),
                    _ => format!("PARTICIPANT#{}", t("userId")),
                },
            ),
            (
                "GSI1SK",
                format!(
                    "CONVERSATION#{}#{}",
                    t("lastMessageAt"),
                    t("conversationId")
                ),
            ),
        ],
        "MESSAGE" => vec![
            ("PK", format!("CONVERSATION#{}", t("conversationId"))),
            ("SK", format!("MESSAGE#{}", t("messageId"))),
            ("GSI1PK", String::new()),
        ],
        "SUBSCRIPTION" => vec![
            ("PK", format!("USER#{}", t("userId"))),
            ("SK", "SUBSCRIPTION".into()),
            (
                "GSI1PK",
                format!("STRIPE_CUSTOMER#{}", t("stripeCustomerId")),
            ),
            ("GSI1SK", "SUBSCRIPTION".into()),
            ("GSI2PK", format!("SUBSCRIPTION_STATUS#{}", t("status"))),
            ("GSI2SK", format!("USER#{}", t("userId"))),
        ],
        "AUDIT_LOG" => vec![
            ("PK", format!("AUDIT#{}", &t("createdAt")[..10])),
            ("SK", format!("{}#{}", t("createdAt"), t("auditId"))),
            ("GSI1PK", format!("USER#{}", t("userId"))),
            ("GSI1SK", format!("AUDIT#{}", t("createdAt"))),
        ],
        "NOTIFICATION" => vec![
            ("PK", format!("USER#{}", t("userId"))),
            ("SK", format!("NOTIFICATION#{}", t("notificationId"))),
            ("GSI1PK", String::new()),
        ],
        "EMAIL_GUARD" => vec![
            ("PK", format!("EMAIL#{}", t("address"))),
            ("email", String::new()),
        ],
        "APPLICATION_GUARD" => vec![
            ("PK", format!("APPLICANT#{}", t("applicantId"))),
            ("SK", format!("ROLE#{}", t("roleId"))),
        ],
        "ACCESS_GRANT" => vec![
            ("PK", format!("STARTUP#{}", t("startupId"))),
            ("SK", format!("ACCESS#{}", t("requesterId"))),
        ],
        "INVITATION" => vec![
            ("PK", format!("INVITATION#{}", t("invitationId"))),
            ("SK", "METADATA".into()),
            ("GSI1PK", format!("STARTUP#{}", t("startupId"))),
            (
                "GSI1SK",
                format!("INVITATION#{}#{}", t("createdAt"), t("invitationId")),
            ),
            (
                "GSI2PK",
                match t("address") {
                    "" => String::new(),
                    address => format!("INVITED_ADDRESS#{address}"),
                },
            ),
        ],
        "DIRECT_CONVERSATION" => vec![
            ("PK", format!("DIRECT#{}", t("firstId"))),
            ("SK", format!("WITH#{}", t("secondId"))),
        ],
        "NOTICE_MARK" => vec![
            ("PK", format!("NOTICE#{}", t("userId"))),
            ("SK", format!("{}#{}", t("cause"), t("roleId"))),
        ],
        "CONTACT" => vec![
            ("PK", format!("CONTACT#{}", t("firstId"))),
            ("SK", format!("WITH#{}", t("secondId"))),
        ],
        "USAGE" => vec![
            ("PK", format!("USAGE#{}", t("userId"))),
            (
                "SK",
                match t("day") {
                    "" => t("quota").to_owned(),
                    day => format!("{}#{day}", t("quota")),
                },
            ),
        ],
        "REPORT" => vec![
            ("PK", format!("REPORT#{}", t("reportId"))),
            ("SK", "METADATA".into()),
            ("GSI1PK", format!("REPORTER#{}", t("reporterId"))),
            ("GSI2PK", format!("REPORT_STATUS#{}", t("status"))),
            (
                "GSI2SK",
                format!("REPORT#{}#{}", t("createdAt"), t("reportId")),
            ),
        ],
        "REPORT_NOTICE" => vec![
            ("PK", format!("REPORTED#{}", t("reportedId"))),
            ("SK", "NOTICE".into()),
        ],
        other => panic!("an item of the type {other:?}"),
    }
}

/// The required attributes of each type, as the design lists them.
fn attributes(kind: &str) -> &'static [&'static str] {
    match kind {
        "USER" => &[
            "userId",
            "email",
            "role",
            "firstName",
            "lastName",
            "status",
            "subscriptionStatus",
            "subscriptionTier",
        ],
        "STARTUP" => &[
            "startupId",
            "founderId",
            "name",
            "tagline",
            "description",
            "industry",
            "stage",
            "visibility",
            "status",
            "teamSize",
            "location",
            "tags",
        ],
        "STARTUP_ROLE" => &[
            "roleId",
            "startupId",
            "title",
            "description",
            "type",
            "skills",
            "isOpen",
            "applicantCount",
        ],
        "APPLICATION" => &[
            "applicationId",
            "startupId",
            "roleId",
            "applicantId",
            "coverLetter",
            "status",
        ],
        "ACCESS_REQUEST" => &[
            "accessId",
            "requesterId",
            "startupId",
            "founderId",
            "status",
            "accessLevel",
        ],
        "CONVERSATION" => &[
            "conversationId",
            "participants",
            "type",
            "lastMessageAt",
            "lastMessagePreview",
        ],
        "MESSAGE" => &[
            "messageId",
            "conversationId",
            "senderId",
            "content",
            "type",
            "readBy",
        ],
        "AUDIT_LOG" => &["auditId", "userId", "action", "resourceType", "resourceId"],
        "NOTIFICATION" => &[
            "notificationId",
            "userId",
            "type",
            "title",
            "body",
            "isRead",
        ],
        _ => &[],
    }
}

#[tokio::test]
async fn every_item_has_the_keys_and_attributes_of_the_design() {
    let world = World::make().await;
    let role = json!({ "id": world.ids["role-public"] });
    world.hub.make("founder", "closeRole", role, "role").await;
    let items = world.hub.items().await;
    let mut kinds = std::collections::HashSet::new();
    for item in &items {
        let kind = text(item, "entityType");
        kinds.insert(kind);
        for (name, value) in keys(item) {
            assert_eq!(text(item, name), value, "{kind} {name}: {item:#?}");
        }
        // The index of users by address has users alone.
        assert_eq!(item.contains_key("email"), kind == "USER", "{item:#?}");
        for name in ["createdAt", "updatedAt"].iter().chain(attributes(kind)) {
            assert!(item.contains_key(*name), "{kind} lacks {name}: {item:#?}");
        }
    }
    assert_eq!(kinds.len(), 20, "{kinds:?}");
}
