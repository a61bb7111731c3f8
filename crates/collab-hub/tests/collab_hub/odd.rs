//! Items as other programs write them, odd in every way, under every list and the main changes.

use serde_json::{Value, json};
use trestle_collab_hub::SERVICE;
use trestle_testing::promise::{Asked, Promise};

use crate::design::original;
use crate::world::{Hub, viewer};

const USER: &str = "firstName lastName email role status bio skills linkedinUrl subscriptionTier subscriptionStatus";
const STARTUP: &str = "name tagline description industry location stage visibility status tags teamSize fundingGoal \
    fundingRaised websiteUrl createdAt updatedAt version";

fn reads() -> Vec<Asked> {
    let list = |list: &str, node: &str| format!("{{ {list} {{ edges {{ node {{ {node} }} }} }} }}");
    let roles = "roles { edges { node { title description type skills isOpen applicantCount } } } \
        accessRequests { edges { node { status accessLevel message requester { firstName } } } }";
    let messages = "unreadCount lastMessageAt conversation { type lastMessagePreview participants { firstName } \
        messages { edges { node { content type sender { firstName } readCount } } } }";
    let rows = [
        (
            "fay",
            "{ viewer { user { USER unreadNotifications } } }".replace("USER", USER),
        ),
        (
            "fay",
            list(
                "myStartups",
                &format!("{STARTUP} {roles} founder {{ {USER} }}"),
            ),
        ),
        (
            "tess",
            list("startups", &format!("{STARTUP} founder {{ firstName }}")),
        ),
        (
            "tess",
            list(
                "openRoles",
                "title description type skills compensation isOpen startup { name }",
            ),
        ),
        (
            "tess",
            list(
                "myApplications",
                "status coverLetter resumeUrl role { title } startup { name }",
            ),
        ),
        (
            "ines",
            list(
                "myAccessRequests",
                "status accessLevel createdAt startup { name }",
            ),
        ),
        ("fay", list("inbox", messages)),
        (
            "fay",
            "{ mySubscription { tier status currentPeriodEnd cancelAtPeriodEnd } }".to_owned(),
        ),
        ("fay", list("notifications", "title body type isRead")),
        (
            "adam",
            list(
                "auditLog(date: \"2026-02-22\")",
                "action resourceType resourceId ipAddress user { firstName }",
            ),
        ),
        ("adam", list("usersByRole(role: FOUNDER)", USER)),
        ("adam", list("usersByStatus(status: ACTIVE)", USER)),
        (
            "adam",
            "{ userByEmail(email: \"fay@example.com\") { firstName role } }".to_owned(),
        ),
        ("adam", list("startupsByStatus(status: ACTIVE)", STARTUP)),
        (
            "adam",
            list(
                "startupsCreated(from: \"2026-01-01T00:00:00Z\", to: \"2027-01-01T00:00:00Z\")",
                STARTUP,
            ),
        ),
        (
            "adam",
            list("subscriptionsByStatus(status: ACTIVE)", "tier status"),
        ),
    ];
    let asked = rows.map(|(name, document)| Asked::query(viewer(name), document));
    asked.into()
}

async fn id(hub: &Hub, name: &str, list: &str) -> String {
    let query = format!("{{ {list} {{ edges {{ node {{ id }} }} }} }}");
    let data = hub.query(name, &query, Value::Null).await;
    data[list]["edges"][0]["node"]["id"]
        .as_str()
        .unwrap()
        .to_owned()
}

async fn changes(hub: &Hub) -> Vec<Asked> {
    let conversation = "{ inbox { edges { node { conversation { id } } } } }";
    let conversation = hub.query("fay", conversation, Value::Null).await;
    let conversation = &conversation["inbox"]["edges"][0]["node"]["conversation"]["id"];
    let [startup, role] = [
        id(hub, "fay", "myStartups").await,
        id(hub, "tess", "openRoles").await,
    ];
    let [application, access] = [
        id(hub, "tess", "myApplications").await,
        id(hub, "ines", "myAccessRequests").await,
    ];
    let notification = id(hub, "fay", "notifications").await;
    let rows = [
        ("fay", "updateProfile", json!({ "bio": "x" })),
        (
            "fay",
            "updateStartup",
            json!({ "id": startup, "teamSize": 3 }),
        ),
        ("fay", "updateRole", json!({ "id": role, "title": "other" })),
        ("fay", "closeRole", json!({ "id": role })),
        (
            "fay",
            "reviewApplication",
            json!({ "id": application, "status": "REVIEWING" }),
        ),
        ("tess", "withdrawApplication", json!({ "id": application })),
        (
            "fay",
            "decideAccess",
            json!({ "id": access, "status": "APPROVED" }),
        ),
        ("fay", "markNotificationRead", json!({ "id": notification })),
        (
            "tess",
            "sendMessage",
            json!({ "conversationId": conversation, "content": "back" }),
        ),
        ("fay", "deleteRole", json!({ "id": role })),
        (
            "adam",
            "setStartupStatus",
            json!({ "id": startup, "status": "SUSPENDED", "reason": "x" }),
        ),
    ];
    let asked = rows.map(|(name, mutation, input)| Asked::mutation(viewer(name), mutation, input));
    asked.into()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn odd_items_are_neither_lost_nor_made_up() {
    let hub = original().await;
    let promise = Promise {
        server: &hub.0,
        table: SERVICE.tables[0],
        right: hub.items().await,
        reads: reads(),
        changes: changes(&hub).await,
        defaults: &[],
        pinned: &[],
    };
    promise.hold().await;
}
