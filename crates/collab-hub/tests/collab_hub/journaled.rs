//! What a change leaves behind: where it came from in the audit log, and notifications.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::world::{Hub, codes, viewer};

#[tokio::test]
async fn the_audit_log_has_the_address_and_the_program_of_a_change() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    let input =
        json!({ "role": "FOUNDER", "email": "f@example.com", "firstName": "f", "lastName": "f" });
    let query =
        "mutation($input: RegisterUserInput!) { registerUser(input: $input) { user { id } } }";
    let request = hub.0.http.post(&hub.0.url);
    let request = request
        .header("x-said", viewer("f"))
        .header("user-agent", format!("tester/1 {}", "x".repeat(900)))
        // Believed only behind a trusted proxy.
        .header("x-forwarded-for", "203.0.113.9")
        .json(&json!({ "query": query, "variables": { "input": input } }));
    assert_eq!(request.send().await.unwrap().status(), 200);
    let log =
        r#"{ userAuditLog(userId: "USER") { edges { node { action ipAddress userAgent } } } }"#;
    let user = "{ userByEmail(email: \"f@example.com\") { id } }";
    let user = hub.query("root", user, Value::Null).await["userByEmail"]["id"].clone();
    let log = log.replace("USER", user.as_str().unwrap());
    let entry =
        hub.query("root", &log, Value::Null).await["userAuditLog"]["edges"][0]["node"].clone();
    assert_eq!(entry["action"], "USER_REGISTERED");
    assert_eq!(entry["ipAddress"], "127.0.0.1");
    let agent = entry["userAgent"].as_str().unwrap();
    assert!(
        agent.starts_with("tester/1 x") && agent.len() == 500,
        "{agent}"
    );
}

#[tokio::test]
async fn the_participants_of_a_group_are_notified_however_many_they_are() {
    let hub = Hub::start().await;
    for size in [3, 33, 34, 90] {
        let names: Vec<_> = (0..size).map(|n| format!("p{size}-{n}")).collect();
        let ids = join_all(names.iter().map(|name| hub.register(name, "TALENT"))).await;
        join_all(names[1..].iter().map(|name| hub.tie(&names[0], name))).await;
        let input = json!({ "type": "GROUP", "participantIds": ids[1..] });
        hub.make(&names[0], "createConversation", input, "conversation")
            .await;
        let query = "{ viewer { user { unreadNotifications } } notifications { edges { node { type title } } } }";
        let seen = join_all(names.iter().map(|name| hub.query(name, query, Value::Null))).await;
        for (at, data) in seen.iter().enumerate() {
            let expected = usize::from(at > 0);
            assert_eq!(
                data["viewer"]["user"]["unreadNotifications"], expected,
                "{size} {at}"
            );
            let edges = data["notifications"]["edges"].as_array().unwrap();
            assert_eq!(edges.len(), expected);
            assert!(edges.iter().all(|edge| edge["node"]["type"] == "MESSAGE"));
        }
    }
}

#[tokio::test]
async fn a_user_corrects_an_address_that_is_not_verified() {
    let hub = Hub::start().await;
    let pending = "eve write";
    let input =
        json!({ "role": "TALENT", "email": "evve@example.com", "firstName": "e", "lastName": "e" });
    let query =
        "mutation($input: RegisterUserInput!) { registerUser(input: $input) { user { status } } }";
    let made = hub.0.data(pending, query, json!({ "input": input })).await;
    assert_eq!(
        made["registerUser"]["user"]["status"],
        "PENDING_VERIFICATION"
    );
    let update = "mutation($input: UpdateProfileInput!) { updateProfile(input: $input) { user { email status } \
        userErrors { code } } }";
    let input = json!({ "email": "eve@example.com", "bio": "x" });
    let refused = hub.0.run(pending, update, json!({ "input": input })).await;
    assert_eq!(refused.body["errors"][0]["extensions"]["code"], "FORBIDDEN");
    let input = json!({ "email": "eve@example.com" });
    let changed = hub.0.data(pending, update, json!({ "input": input })).await;
    let expected = json!({ "email": "eve@example.com", "status": "PENDING_VERIFICATION" });
    assert_eq!(changed["updateProfile"]["user"], expected);
    let verified = hub
        .mutate("eve", "verifyEmail", json!({}), "user { status }")
        .await;
    assert_eq!(verified["user"]["status"], "ACTIVE");
}

#[tokio::test]
async fn errors_name_the_field_and_the_limit_of_the_input() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    let ada = hub.register("ada", "FOUNDER").await;
    hub.register("bea", "FOUNDER").await;
    hub.register("ida", "INVESTOR").await;
    let id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    let startup = |name: &str| {
        json!({
            "startupId": id, "name": name, "tagline": "x", "description": "x", "industry": "x", "location": "x",
            "visibility": "PUBLIC",
        })
    };
    hub.make("ada", "createStartup", startup("a"), "startup")
        .await;
    // Another user's names are another user's.
    hub.make("bea", "createStartup", startup("b"), "startup")
        .await;
    let taken = hub
        .mutate("ada", "createStartup", startup("b"), "startup { id }")
        .await;
    let expected = json!([{
        "code": "CONFLICT", "message": "`startupId` is already used by something else.", "field": ["startupId"],
    }]);
    assert_eq!(taken["userErrors"], expected);
    let input = json!({ "type": "GROUP", "participantIds": vec![ada; 90] });
    let many = hub
        .mutate("bea", "createConversation", input, "conversation { id }")
        .await;
    let message = "`participantIds` must have at most 89 entries.";
    assert_eq!(many["userErrors"][0]["message"], message);
    for limit in [-1, 0, 451] {
        let input = json!({ "limit": limit });
        let payload = hub
            .mutate("ada", "markAllNotificationsRead", input, "marked")
            .await;
        assert_eq!(codes(&payload), ["OUT_OF_RANGE"], "{limit}");
    }
    let startup = hub.published("ada", "s", "PUBLIC").await;
    let access = hub.access("ida", &startup, "VIEW_DECK").await;
    let input = json!({ "id": access, "status": "PENDING" });
    let payload = hub
        .mutate("ada", "decideAccess", input, "accessRequest { id }")
        .await;
    assert_eq!(codes(&payload), ["INVALID"]);
    assert_eq!(payload["userErrors"][0]["field"], json!(["status"]));
}
