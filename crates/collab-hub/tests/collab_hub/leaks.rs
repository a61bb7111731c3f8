//! Nothing that a viewer may not see is anywhere in what they are answered: lists, relations, counts, errors and events.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use crate::viewers::SCHEMA;
use crate::world::{VIEWERS, World, marked, viewer};
use trestle_testing::hosted::TestServer;

/// Which marks each viewer may meet. A private startup is met with a grant alone.
fn may_meet(name: &str) -> Vec<&'static str> {
    match name {
        "nobody" | "pending" => vec![],
        "banned" => vec!["reason"],
        "founder" => vec![
            "public",
            "investors",
            "private",
            "draft",
            "suspended",
            "notes",
            "message",
        ],
        "root" => vec![
            "public",
            "investors",
            "private",
            "draft",
            "suspended",
            "reason",
        ],
        "investor" | "expired" | "revoked" => vec!["public", "investors"],
        "profile" | "deck" | "full" => vec!["public", "investors", "private"],
        "talent" => vec!["public", "message", "request"],
        "other-founder" => vec!["public", "request"],
        _ => vec!["public"],
    }
}

const MARKS: [&str; 9] = [
    "reason",
    "request",
    "public",
    "investors",
    "private",
    "draft",
    "suspended",
    "notes",
    "message",
];

/// Every field of a type, relations up to a depth.
fn selection(schema: &Value, name: &str, depth: usize, text: &mut String) {
    let kinds = schema["__schema"]["types"].as_array().unwrap();
    let kind = kinds
        .iter()
        .find(|kind| kind["name"] == name)
        .expect("a type");
    for field in kind["fields"].as_array().into_iter().flatten() {
        let mut inner = &field["type"];
        while inner["ofType"].is_object() {
            inner = &inner["ofType"];
        }
        let field = field["name"].as_str().unwrap();
        let inner_name = inner["name"].as_str().unwrap();
        match inner["kind"].as_str().unwrap() {
            "OBJECT" => {
                let is_wrapper = inner_name.ends_with("Connection") || inner_name.ends_with("Edge");
                if depth == 0 && !is_wrapper {
                    continue;
                }
                let mut nested = String::new();
                selection(
                    schema,
                    inner_name,
                    depth - usize::from(!is_wrapper),
                    &mut nested,
                );
                if !nested.trim().is_empty() {
                    let first = if inner_name.ends_with("Connection") {
                        "(first: 10)"
                    } else {
                        ""
                    };
                    write!(text, "{field}{first} {{ {nested} }} ").unwrap();
                }
            }
            "INTERFACE" => {}
            _ => write!(text, "{field} ").unwrap(),
        }
    }
}

/// Every root field with each value that its arguments may have.
fn questions(schema: &Value, world: &World) -> Vec<String> {
    let kinds = schema["__schema"]["types"].as_array().unwrap();
    let query = kinds.iter().find(|kind| kind["name"] == "Query").unwrap();
    let mut found = Vec::new();
    for field in query["fields"].as_array().unwrap() {
        let name = field["name"].as_str().unwrap();
        let mut kind = &field["type"];
        while kind["ofType"].is_object() {
            kind = &kind["ofType"];
        }
        let mut selected = String::new();
        if kind["kind"] == "OBJECT" {
            selection(schema, kind["name"].as_str().unwrap(), 2, &mut selected);
        }
        let with = |arguments: &str| format!("{{ {name}({arguments}) {{ {selected} }} }}");
        match name {
            "node" | "nodes" => {}
            "startup" => found.extend(world.ids.values().map(|id| with(&format!("id: {id:?}")))),
            "roleApplications" => {
                found.extend(
                    world
                        .ids
                        .values()
                        .map(|id| with(&format!("first: 10, roleId: {id:?}"))),
                );
            }
            "userAuditLog" => {
                found.extend(
                    world
                        .ids
                        .values()
                        .map(|id| with(&format!("first: 10, userId: {id:?}"))),
                );
            }
            "usersCreated" | "startupsCreated" | "rolesCreated" => found.push(with(
                "first: 10, from: \"2026-01-01T00:00:00Z\", to: \"2027-01-01T00:00:00Z\"",
            )),
            "usersByRole" => found.push(with("first: 10, role: FOUNDER")),
            "usersByStatus" => found.push(with("first: 10, status: ACTIVE")),
            "userByEmail" => found.push(with("email: \"talent@example.com\"")),
            "startupsByStatus" => found.push(with("first: 10, status: ACTIVE")),
            "subscriptionsByStatus" => found.push(with("first: 10, status: ACTIVE")),
            "searchStartups" => found.push(with("first: 10, query: \"mark solar\"")),
            "searchMessages" => found.push(with("first: 10, query: \"mark\"")),
            "auditLog" => found.push(with("first: 10, date: \"2026-02-22\"")),
            "viewer" | "mySubscription" | "tiers" => {
                found.push(format!("{{ {name} {{ {selected} }} }}"))
            }
            "startups"
            | "openRoles"
            | "myStartups"
            | "myApplications"
            | "myAccessRequests"
            | "myInvitations"
            | "inbox"
            | "notifications"
            | "conversationRequests"
            | "blockedUsers"
            | "savedRoles"
            | "myReports" => {
                found.push(with("first: 10"));
            }
            "people" => found.push(with("first: 10, role: TALENT")),
            "reports" => found.push(with("first: 10, status: OPEN")),
            other => panic!("say how `{other}` is asked"),
        }
    }
    found
}

#[tokio::test]
async fn no_list_relation_or_error_has_what_the_viewer_may_not_see() {
    let world = World::make().await;
    let schema = world.hub.query("root", SCHEMA, json!({})).await;
    let questions = questions(&schema, &world);
    let mut met = 0;
    for name in VIEWERS.iter().chain(["root"].iter()) {
        let allowed = may_meet(name);
        for question in &questions {
            let answer = world.hub.0.run(&viewer(name), question, json!({})).await;
            let text = answer.body.to_string();
            assert!(
                !text.contains("GRAPHQL_VALIDATION_FAILED"),
                "{question}: {text}"
            );
            assert!(
                !text.contains("INTERNAL_SERVER_ERROR"),
                "{name}: {question}: {text}"
            );
            // Whose access has ended was told which startup it was of, and reads nothing else of it.
            let text = text.replace(
                &format!("Your access to {} is approved", marked("private")),
                "",
            );
            let text = text.replace(
                &format!("Your access to {} was revoked", marked("private")),
                "",
            );
            let text = text.replace(&format!("\"startupName\":\"{}\"", marked("private")), "");
            for mark in MARKS {
                let is_met = text.contains(&marked(mark));
                assert!(
                    !is_met || allowed.contains(&mark),
                    "{name} meets {mark}: {question}: {text}"
                );
                met += usize::from(is_met);
            }
        }
    }
    assert!(met > 100, "{met}");
}

/// A mutation answers for a hidden thing as for one that does not exist.
#[tokio::test]
async fn errors_do_not_tell_hidden_from_missing() {
    let world = World::make().await;
    let hub = &world.hub;
    let other = crate::world::World::make().await;
    // Ids of another hub: well formed, and not there.
    let id = |name: &str, is_there: bool| {
        if is_there {
            world.ids[name].clone()
        } else {
            other.ids[name].clone()
        }
    };
    let cases: [(&str, &str, &str, &str); 21] = [
        (
            "other-talent",
            "acceptConversation",
            "request",
            "conversation",
        ),
        (
            "other-talent",
            "leaveConversation",
            "conversation",
            "conversation",
        ),
        ("other-talent", "deleteMessage", "message", "message"),
        ("other-talent", "editMessage", "message", "message"),
        ("deck", "withdrawAccessRequest", "access", "accessRequest"),
        (
            "other-talent",
            "declineApplication",
            "application",
            "application",
        ),
        ("other-talent", "createReport", "message", "report"),
        ("other-founder", "deleteStartup", "private", "startup"),
        ("other-founder", "deleteRole", "role-private", "role"),
        ("other-founder", "updateStartup", "private", "startup"),
        ("other-founder", "setStartupStatus", "draft", "startup"),
        ("other-founder", "createRole", "private", "role"),
        ("other-founder", "updateRole", "role-private", "role"),
        ("other-founder", "closeRole", "role-private", "role"),
        ("talent", "applyForRole", "role-private", "application"),
        (
            "other-talent",
            "withdrawApplication",
            "application",
            "application",
        ),
        (
            "other-founder",
            "reviewApplication",
            "application",
            "application",
        ),
        ("investor", "requestAccess", "private", "accessRequest"),
        ("other-founder", "decideAccess", "access", "accessRequest"),
        ("other-talent", "sendMessage", "conversation", "message"),
        (
            "other-talent",
            "markConversationRead",
            "conversation",
            "conversation",
        ),
    ];
    for (name, mutation, thing, field) in cases {
        let mut answers = Vec::new();
        for is_there in [true, false] {
            let id = id(thing, is_there);
            let input = match mutation {
                "updateStartup" => json!({ "id": id, "name": "x" }),
                "setStartupStatus" => json!({ "id": id, "status": "PENDING_REVIEW" }),
                "createRole" => {
                    json!({ "startupId": id, "title": "x", "description": "x", "type": "CONTRACT" })
                }
                "updateRole" => json!({ "id": id, "title": "x" }),
                "editMessage" => json!({ "id": id, "content": "x" }),
                "applyForRole" => json!({ "roleId": id, "coverLetter": "x" }),
                "reviewApplication" => json!({ "id": id, "status": "REJECTED" }),
                "requestAccess" => json!({ "startupId": id, "accessLevel": "VIEW_DECK" }),
                "decideAccess" => json!({ "id": id, "status": "APPROVED" }),
                "sendMessage" => json!({ "conversationId": id, "content": "x" }),
                "markConversationRead" | "acceptConversation" | "leaveConversation" => {
                    json!({ "conversationId": id })
                }
                "createReport" => json!({ "reportedId": id, "reason": "SPAM" }),
                _ => json!({ "id": id }),
            };
            let answer = hub
                .attempt(name, mutation, input, &format!("{field} {{ id }}"))
                .await;
            answers.push((answer.body["data"].clone(), answer.body["errors"].clone()));
        }
        assert_eq!(answers[0], answers[1], "{mutation}");
        assert!(
            answers[0].0[mutation][field].is_null(),
            "{mutation}: {:#}",
            answers[0].0
        );
    }
}

/// The first event of a stream whose text has `wanted`, or everything until the stream was quiet.
async fn event(response: &mut reqwest::Response, wanted: &str) -> String {
    let mut text = String::new();
    while !text.contains(wanted) {
        match tokio::time::timeout(Duration::from_secs(20), response.chunk()).await {
            Ok(Ok(Some(chunk))) => text.push_str(&String::from_utf8_lossy(&chunk)),
            _ => break,
        }
    }
    text
}

/// What `told` is told while something is done again and again: a stream's first bytes do not say that it already
/// listens.
async fn while_trying<D: Future>(
    told: impl Future<Output = String>,
    act: impl Fn() -> D,
) -> String {
    let trying = async {
        loop {
            act().await;
        }
    };
    tokio::select! {
        biased;
        told = told => told,
        never = trying => never,
    }
}

fn watch(conversation: &str) -> String {
    format!(
        "subscription {{ messageSent(conversationId: {conversation:?}) {{ content sender {{ firstName }} }} }}"
    )
}

#[tokio::test]
async fn events_reach_participants_and_nobody_else() {
    let world = World::make().await;
    let hub: &TestServer = &world.hub.0;
    let query = watch(&world.ids["conversation"]);
    let mut refused = hub.events(&viewer("other-talent"), &query).await;
    assert!(
        event(&mut refused, "BAD_USER_INPUT")
            .await
            .contains("BAD_USER_INPUT")
    );
    for name in ["banned", "pending", "nobody"] {
        let mut refused = hub.events(&viewer(name), &query).await;
        assert!(
            event(&mut refused, "FORBIDDEN").await.contains("FORBIDDEN"),
            "{name}"
        );
    }
    let mut talent = hub.events(&viewer("talent"), &query).await;
    let mut notified = hub
        .events(
            &viewer("talent"),
            "subscription { notificationReceived { title } }",
        )
        .await;
    let said = json!({ "conversationId": world.ids["conversation"], "content": "hello there" });
    let say = || {
        world
            .hub
            .make("founder", "sendMessage", said.clone(), "message")
    };
    let text = while_trying(event(&mut talent, "hello there"), say).await;
    assert!(
        text.contains("hello there") && text.contains("founder-first"),
        "{text}"
    );
    let reviewed = json!({ "id": world.ids["application"], "status": "SHORTLISTED" });
    let review = || {
        world.hub.make(
            "founder",
            "reviewApplication",
            reviewed.clone(),
            "application",
        )
    };
    let text = while_trying(event(&mut notified, "Application updated"), review).await;
    assert!(text.contains("Application updated"), "{text}");
    // Once the viewer is banned, the stream ends, and nobody says anything to them.
    let input = json!({ "id": world.ids["talent"], "status": "BANNED" });
    world.hub.make("root", "setUserStatus", input, "user").await;
    let input = json!({ "conversationId": world.ids["conversation"], "content": "a secret" });
    let refused = world
        .hub
        .mutate("founder", "sendMessage", input, "message { id }")
        .await;
    assert_eq!(refused["userErrors"][0]["code"], "CONFLICT");
    let text = event(&mut talent, "FORBIDDEN").await;
    assert!(
        text.contains("FORBIDDEN") && !text.contains("a secret"),
        "{text}"
    );
}
