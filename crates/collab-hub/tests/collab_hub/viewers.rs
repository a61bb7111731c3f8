//! The table of viewer x field x answer, made from the schema: a field that is added has a row.

use serde_json::{Value, json};
use std::collections::BTreeMap;

use crate::world::{VIEWERS, World, viewer};
use trestle_testing::Answer;

/// Objects of the world, with their types and who sees them.
const OBJECTS: [(&str, &str, &[&str]); 22] = [
    // The talent is asked, and has not agreed.
    ("request", "Conversation", &["talent", "other-founder"]),
    ("report", "Report", &["talent", "root"]),
    // For the address of `deck`.
    ("invitation", "Invitation", &["founder", "deck"]),
    // To a role of a private startup, for any talent with its id.
    (
        "role-invitation",
        "Invitation",
        &["founder", "talent", "other-talent"],
    ),
    ("public", "Startup", ACTIVE),
    (
        "investors",
        "Startup",
        &[
            "founder", "root", "investor", "profile", "deck", "full", "expired", "revoked",
        ],
    ),
    (
        "private",
        "Startup",
        &["founder", "root", "profile", "deck", "full"],
    ),
    ("draft", "Startup", &["founder", "root"]),
    ("suspended", "Startup", &["founder", "root"]),
    ("role-public", "Role", ACTIVE),
    (
        "role-investors",
        "Role",
        &[
            "founder", "root", "investor", "profile", "deck", "full", "expired", "revoked",
        ],
    ),
    (
        "role-private",
        "Role",
        &["founder", "root", "profile", "deck", "full"],
    ),
    ("role-draft", "Role", &["founder", "root"]),
    ("role-suspended", "Role", &["founder", "root"]),
    ("application", "RoleApplication", &["talent", "founder"]),
    ("access", "AccessRequest", &["investor", "founder"]),
    ("conversation", "Conversation", &["talent", "founder"]),
    ("message", "Message", &["talent", "founder"]),
    ("notification", "Notification", &["founder"]),
    ("audit", "AuditLog", &["root"]),
    ("talent", "User", ACTIVE),
    ("banned", "User", &["banned", "root"]),
];

const ACTIVE: &[&str] = &[
    "talent",
    "other-talent",
    "founder",
    "other-founder",
    "investor",
    "profile",
    "deck",
    "full",
    "expired",
    "revoked",
    "root",
];

/// Fields that fewer viewers get than see the object.
const RESTRICTED: [(&str, &str, &[&str]); 26] = [
    ("invitation", "roleTitle", &[]),
    ("role-invitation", "email", &[]),
    (
        "role-invitation",
        "role",
        &["founder", "talent", "other-talent"],
    ),
    ("banned", "statusReason", &["banned", "root"]),
    ("request", "messages", &["other-founder"]),
    ("request", "introduction", &["talent", "other-founder"]),
    ("conversation", "messages", &["talent", "founder"]),
    ("public", "statusReason", &[]),
    ("public", "invitations", &["founder"]),
    ("private", "invitations", &["founder"]),
    ("public", "changedSinceReview", &["founder", "root"]),
    ("investors", "changedSinceReview", &["founder", "root"]),
    ("private", "changedSinceReview", &["founder", "root"]),
    // VIEW_PROFILE and VIEW_DECK do not give the figures of a private startup.
    ("private", "fundingGoal", &["founder", "root", "full"]),
    ("public", "pitchDeckUrl", &["founder", "deck", "full"]),
    ("private", "pitchDeckUrl", &["founder", "deck", "full"]),
    ("public", "applications", &["founder"]),
    ("public", "accessRequests", &["founder"]),
    ("private", "applications", &["founder"]),
    ("private", "accessRequests", &["founder"]),
    ("application", "founderNotes", &["founder"]),
    ("talent", "email", &["talent", "root"]),
    ("talent", "status", &["talent", "root"]),
    ("talent", "subscriptionStatus", &["talent", "root"]),
    ("talent", "subscriptionTier", &["talent", "root"]),
    ("talent", "unreadNotifications", &["talent", "root"]),
];

/// Fields that are null for everyone, because the world has no value, or because they are relations to something that
/// is checked by itself.
const EMPTY: &[&str] = &[
    "compensation",
    "introduction",
    "attachmentUrl",
    "deletedAt",
    "editedAt",
    "resolution",
    "details",
    "experienceYears",
    "isDiscoverable",
    "equityRange",
    "bio",
    "skills",
    "linkedinUrl",
    "avatarUrl",
    "logoUrl",
    "websiteUrl",
    "fundingRaised",
    "resumeUrl",
    "grantedAt",
    "expiresAt",
    "message",
    "relatedStartup",
    "relatedApplication",
    "fileUrl",
    "ipAddress",
    "userAgent",
    "pitchDeckUrl",
    "relatedEntityType",
    "founderNotes",
    "applications",
    "accessRequests",
    "reason",
    "invitations",
    "investorApproved",
    "accessRequest",
    "accessExpiresAt",
    "location",
    "isRemote",
    "payMin",
    "payMax",
    "statusReason",
    "actor",
    "startup",
    "role",
];

/// The fields of a type that need no arguments, each with a selection.
pub fn fields(schema: &Value, name: &str) -> BTreeMap<String, String> {
    let kinds = schema["__schema"]["types"].as_array().unwrap();
    let kind = kinds
        .iter()
        .find(|kind| kind["name"] == name)
        .expect("a type");
    let mut found = BTreeMap::new();
    for field in kind["fields"].as_array().unwrap() {
        let mut inner = &field["type"];
        while inner["ofType"].is_object() {
            inner = &inner["ofType"];
        }
        let name = field["name"].as_str().unwrap();
        let selection = match inner["kind"].as_str().unwrap() {
            "OBJECT" | "INTERFACE" => format!("{name} {{ __typename }}"),
            _ => name.to_owned(),
        };
        found.insert(name.to_owned(), selection);
    }
    found
}

pub const SCHEMA: &str = "{ __schema { types { name kind fields { name args { name type { kind } } type { kind name \
    ofType { kind name ofType { kind name ofType { kind name } } } } } inputFields { name type { kind name ofType { \
    kind name ofType { kind name ofType { kind name } } } } } } } }";

#[tokio::test]
async fn each_viewer_gets_exactly_the_fields_that_the_table_gives() {
    let world = World::make().await;
    let schema = world.hub.query("root", SCHEMA, json!({})).await;
    let viewers = VIEWERS.iter().chain(["root"].iter());
    let mut checked = 0;
    for name in viewers {
        for (object, kind, seen_by) in OBJECTS {
            let fields = fields(&schema, kind);
            let all: Vec<_> = fields.values().cloned().collect();
            let query = format!(
                "query($id: ID!) {{ node(id: $id) {{ id ... on {kind} {{ {} }} }} }}",
                all.join(" ")
            );
            let answer = world
                .hub
                .0
                .run(&viewer(name), &query, json!({ "id": world.ids[object] }))
                .await;
            let node = &answer.body["data"]["node"];
            let place = format!("{name} x {object}");
            assert_eq!(
                answer.body.get("errors"),
                None,
                "{place}: {:#}",
                answer.body
            );
            assert_eq!(
                node.is_object(),
                seen_by.contains(name),
                "{place}: {node:#}"
            );
            if !node.is_object() {
                continue;
            }
            for field in fields.keys() {
                let rule = RESTRICTED
                    .iter()
                    .find(|(o, f, _)| *o == object && f == field);
                let is_there = !node[field].is_null();
                checked += 1;
                match rule {
                    Some((_, _, viewers)) => {
                        assert_eq!(is_there, viewers.contains(name), "{place} x {field}");
                    }
                    None if EMPTY.contains(&field.as_str()) => {}
                    // A banned user reads the profile and no more; whoever sees an object sees its fields.
                    None if object == "banned" => {}
                    None => {
                        let is_private = kind == "User" && PRIVATE.contains(&field.as_str());
                        assert!(is_there || is_private, "{place} x {field}: {node:#}");
                    }
                }
            }
        }
    }
    assert!(checked > 1000, "{checked}");
}

const PRIVATE: [&str; 5] = [
    "email",
    "status",
    "subscriptionStatus",
    "subscriptionTier",
    "unreadNotifications",
];

#[tokio::test]
async fn without_credentials_nothing_is_answered() {
    let world = World::make().await;
    let query = "query($id: ID!) { node(id: $id) { id } }";
    let answer: Answer = world
        .hub
        .0
        .run("", query, json!({ "id": world.ids["public"] }))
        .await;
    assert_eq!(answer.code(), "UNAUTHENTICATED");
}

#[tokio::test]
async fn access_ends_when_it_expires_or_is_revoked() {
    let world = World::make().await;
    let query = "query($id: ID!) { startup(id: $id) { pitchDeckUrl } }";
    let ask = |name: &'static str| {
        let variables = json!({ "id": world.ids["private"] });
        let hub = &world.hub;
        async move { hub.query(name, query, variables).await["startup"].clone() }
    };
    assert!(ask("deck").await["pitchDeckUrl"].is_string());
    let list = "{ myAccessRequests { edges { node { id status startup { name } } } } }";
    let requests = world.hub.query("deck", list, json!({})).await;
    let edges = requests["myAccessRequests"]["edges"]
        .as_array()
        .unwrap()
        .clone();
    for edge in &edges {
        assert!(edge["node"]["startup"].is_object());
        world
            .hub
            .decide(
                "founder",
                edge["node"]["id"].as_str().unwrap(),
                "REVOKED",
                Value::Null,
            )
            .await;
    }
    assert_eq!(ask("deck").await, Value::Null);
    assert_eq!(ask("expired").await, Value::Null);
    // After revocation the investor may request again what investors see, and nothing else.
    let again = json!({ "startupId": world.ids["private"], "accessLevel": "VIEW_DECK" });
    let payload = world
        .hub
        .mutate("deck", "requestAccess", again, "accessRequest { id }")
        .await;
    assert_eq!(crate::world::codes(&payload), ["NOT_FOUND"]);
    world
        .hub
        .access("deck", &world.ids["public"], "VIEW_DECK")
        .await;
}
