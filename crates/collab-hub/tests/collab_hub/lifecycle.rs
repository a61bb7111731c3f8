//! Registration, declared transitions, moderation and notifications.

use serde_json::{Value, json};

use crate::world::{Hub, codes, viewer};

#[tokio::test]
async fn a_user_registers_once_and_reads_only_the_profile_until_verified() {
    let hub = Hub::start().await;
    let input = json!({
        "role": "INVESTOR", "email": "Ada@Example.com", "firstName": "Ada", "lastName": "L",
    });
    let query = "mutation($input: RegisterUserInput!) { registerUser(input: $input) { user { status email } \
                 userErrors { code field } } }";
    let run = |viewer: &'static str| hub.0.data(viewer, query, json!({ "input": input }));
    let user = run("ada write").await["registerUser"]["user"].clone();
    assert_eq!(
        user,
        json!({ "status": "PENDING_VERIFICATION", "email": "ada@example.com" })
    );
    // The same again is the same user.
    assert_eq!(
        run("ada write").await["registerUser"]["userErrors"],
        json!([])
    );
    let own = "{ viewer { subject canWrite user { firstName email } } }";
    let viewer = hub.0.data("ada write", own, Value::Null).await["viewer"].clone();
    assert_eq!(viewer["user"]["email"], "ada@example.com");
    let refused = hub
        .0
        .run(
            "ada write",
            "{ startups { edges { cursor } } }",
            Value::Null,
        )
        .await;
    assert_eq!(refused.code(), "FORBIDDEN");
    let verify = "mutation { verifyEmail(input: {}) { user { status } userErrors { code } } }";
    assert_eq!(
        hub.0
            .run("ada write email=eve@x.com", verify, Value::Null)
            .await
            .code(),
        "FORBIDDEN"
    );
    let verified = hub
        .0
        .data("ada write email=ADA@example.com", verify, Value::Null)
        .await;
    assert_eq!(verified["verifyEmail"]["user"]["status"], "ACTIVE");
    hub.0
        .data(
            "ada write",
            "{ startups { edges { cursor } } }",
            Value::Null,
        )
        .await;
    let other =
        json!({ "role": "FOUNDER", "email": "b@example.com", "firstName": "A", "lastName": "L" });
    let again = hub
        .mutate("ada", "registerUser", other, "user { id }")
        .await;
    assert_eq!(codes(&again), ["CONFLICT"]);
    let admin = json!({ "role": "ADMIN", "email": "x", "firstName": "", "lastName": "L" });
    let refused = hub
        .mutate("eve", "registerUser", admin, "user { id }")
        .await;
    assert_eq!(codes(&refused), ["INVALID", "INVALID", "REQUIRED"]);
}

#[tokio::test]
async fn statuses_follow_the_declared_transitions() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("f", "FOUNDER").await;
    let talent = hub.register("t", "TALENT").await;
    let startup = hub.startup("f", "s", "PUBLIC").await;
    let set = |name: &'static str, status: &'static str| {
        let input = json!({ "id": startup, "status": status });
        let hub = &hub;
        async move {
            hub.mutate(name, "setStartupStatus", input, "startup { status }")
                .await
        }
    };
    for (name, status, is_allowed) in [
        ("f", "ACTIVE", false),
        ("f", "PENDING_REVIEW", true),
        ("f", "ACTIVE", false),
        ("root", "ACTIVE", true),
        ("root", "PENDING_REVIEW", false),
        ("root", "SUSPENDED", true),
        ("f", "DRAFT", false),
        ("root", "ACTIVE", true),
        ("root", "ACTIVE", true),
    ] {
        let payload = set(name, status).await;
        assert_eq!(
            payload["userErrors"] == json!([]),
            is_allowed,
            "{name} {status}: {payload:#}"
        );
    }
    let role = hub.role("f", &startup, "r").await;
    let application = hub.apply("t", &role).await;
    let review = |status: &'static str| {
        let input = json!({ "id": application, "status": status });
        let hub = &hub;
        async move {
            hub.mutate("f", "reviewApplication", input, "application { status }")
                .await
        }
    };
    for (status, is_allowed) in [
        ("WITHDRAWN", false),
        ("REVIEWING", true),
        ("PENDING", false),
        ("ACCEPTED", true),
        ("REJECTED", false),
    ] {
        let payload = review(status).await;
        assert_eq!(
            payload["userErrors"] == json!([]),
            is_allowed,
            "{status}: {payload:#}"
        );
    }
    let late = hub
        .mutate(
            "t",
            "withdrawApplication",
            json!({ "id": application }),
            "application { id }",
        )
        .await;
    assert_eq!(codes(&late), ["CONFLICT"]);
    // Each change has its audit entry, and the talent two notifications.
    let log = r#"query($user: ID!) { userAuditLog(userId: $user) { edges { node { action resourceType user { userId } } } } }"#;
    let log = hub.query("root", log, json!({ "user": talent })).await;
    let actions: Vec<_> = log["userAuditLog"]["edges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| edge["node"]["action"].as_str().unwrap())
        .collect();
    assert_eq!(actions.len(), 2, "{actions:?}");
    assert!(actions.contains(&"USER_REGISTERED") && actions.contains(&"APPLICATION_CREATED"));
    let all = "{ notifications { edges { node { id title isRead } } } viewer { user { unreadNotifications } } }";
    let data = hub.query("t", all, Value::Null).await;
    let edges = data["notifications"]["edges"].as_array().unwrap().clone();
    assert_eq!(
        (edges.len(), &data["viewer"]["user"]["unreadNotifications"]),
        (2, &json!(2))
    );
    let input = json!({ "id": edges[0]["node"]["id"] });
    for _ in 0..2 {
        hub.make("t", "markNotificationRead", input.clone(), "notification")
            .await;
    }
    let data = hub.query("t", all, Value::Null).await;
    assert_eq!(data["viewer"]["user"]["unreadNotifications"], 1);
    let marked = hub
        .mutate("t", "markAllNotificationsRead", json!({}), "marked unread")
        .await;
    assert_eq!(
        (&marked["marked"], &marked["unread"]),
        (&json!(1), &json!(0))
    );
}

#[tokio::test]
async fn only_the_role_that_may_do_something_does_it() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    let founder = hub.register("f", "FOUNDER").await;
    hub.register("t", "TALENT").await;
    hub.register("i", "INVESTOR").await;
    let startup = hub.published("f", "s", "PUBLIC").await;
    let role = hub.role("f", &startup, "r").await;
    let create = json!({
        "name": "x", "tagline": "x", "description": "x", "industry": "x", "location": "x",
    });
    for (name, mutation, input, field) in [
        ("t", "createStartup", create, "startup"),
        (
            "i",
            "applyForRole",
            json!({ "roleId": role, "coverLetter": "x" }),
            "application",
        ),
        (
            "t",
            "requestAccess",
            json!({ "startupId": startup, "accessLevel": "VIEW_DECK" }),
            "accessRequest",
        ),
        (
            "i",
            "setUserStatus",
            json!({ "id": founder, "status": "BANNED" }),
            "user",
        ),
        (
            "i",
            "setUserRole",
            json!({ "id": founder, "role": "ADMIN" }),
            "user",
        ),
    ] {
        let answer = hub
            .attempt(name, mutation, input, &format!("{field} {{ id }}"))
            .await;
        assert_eq!(answer.code(), "FORBIDDEN", "{mutation}");
    }
    for query in [
        "{ usersByRole(role: FOUNDER) { edges { cursor } } }",
        "{ usersByStatus(status: ACTIVE) { edges { cursor } } }",
        "{ userByEmail(email: \"f@example.com\") { id } }",
        "{ auditLog(date: \"2026-02-22\") { edges { cursor } } }",
        "{ startupsByStatus(status: DRAFT) { edges { cursor } } }",
        "{ startupsCreated(from: \"2026-01-01T00:00:00Z\", to: \"2027-01-01T00:00:00Z\") { edges { cursor } } }",
        "{ subscriptionsByStatus(status: ACTIVE) { edges { cursor } } }",
    ] {
        assert_eq!(
            hub.0.run(&viewer("f"), query, Value::Null).await.code(),
            "FORBIDDEN",
            "{query}"
        );
        hub.query("root", query, Value::Null).await;
    }
    let input = json!({ "id": founder, "status": "BANNED" });
    hub.make("root", "setUserStatus", input, "user").await;
    let answer = hub
        .attempt(
            "f",
            "updateStartup",
            json!({ "id": startup, "name": "x" }),
            "startup { id }",
        )
        .await;
    assert_eq!(answer.code(), "FORBIDDEN");
    let own = hub
        .query("f", "{ viewer { user { status } } }", Value::Null)
        .await;
    assert_eq!(own["viewer"]["user"]["status"], "BANNED");
}
