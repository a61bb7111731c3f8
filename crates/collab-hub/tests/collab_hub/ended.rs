//! Access that has ended, roles and startups that are deleted: who is told, and what can still be done.

use serde_json::{Value, json};

use crate::world::{Hub, codes};

/// A startup of ada's, with a role for which tom has applied.
async fn town() -> (Hub, String, String, String) {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    hub.register("tom", "TALENT").await;
    hub.register("ida", "INVESTOR").await;
    let startup = hub.published("ada", "Sunny", "PUBLIC").await;
    let role = hub.role("ada", &startup, "Engineer").await;
    let application = hub.apply("tom", &role).await;
    (hub, startup, role, application)
}

/// The texts of a user's notifications, newest first.
async fn told(hub: &Hub, name: &str) -> Vec<String> {
    let list = "{ notifications { edges { node { body } } } }";
    let list = hub.query(name, list, Value::Null).await;
    let edges = list["notifications"]["edges"].as_array().unwrap().clone();
    let body = |edge: &Value| edge["node"]["body"].as_str().unwrap().to_owned();
    edges.iter().map(body).collect()
}

async fn withdraw(hub: &Hub, application: &str) {
    let input = json!({ "id": application });
    let fields = "application { status }";
    let withdrawn = hub
        .mutate("tom", "withdrawApplication", input, fields)
        .await;
    assert_eq!(
        withdrawn["application"]["status"], "WITHDRAWN",
        "{withdrawn}"
    );
}

async fn decide(hub: &Hub, input: Value) -> Value {
    let fields = "accessRequest { status expiresAt reason }";
    hub.mutate("ada", "decideAccess", input, fields).await
}

#[tokio::test]
async fn an_application_is_withdrawn_after_its_role_is_gone() {
    let (hub, _, role, application) = town().await;
    hub.make("ada", "deleteRole", json!({ "id": role }), "role")
        .await;
    let expected = "The role Engineer at Sunny was deleted.";
    assert_eq!(told(&hub, "tom").await[0], expected);
    withdraw(&hub, &application).await;
    let (hub, startup, _, application) = town().await;
    hub.make("ada", "deleteStartup", json!({ "id": startup }), "startup")
        .await;
    withdraw(&hub, &application).await;
}

#[tokio::test]
async fn a_deleted_startup_is_reported_and_its_requests_are_not_decided() {
    let (hub, startup, ..) = town().await;
    let access = hub.access("ida", &startup, "VIEW_DECK").await;
    hub.make("ada", "deleteStartup", json!({ "id": startup }), "startup")
        .await;
    for name in ["tom", "ida"] {
        let told = told(&hub, name).await;
        assert!(
            told.iter()
                .any(|body| body.starts_with("Sunny was deleted")),
            "{name}: {told:?}"
        );
    }
    let refused = decide(&hub, json!({ "id": access, "status": "APPROVED" })).await;
    assert_eq!(codes(&refused), ["CONFLICT"]);
    assert!(told(&hub, "ida").await[0].starts_with("Sunny was deleted"));
}

/// Each status of a request for a startup that is deleted, and each decision, the one that is stored as well.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_decision_about_a_deleted_startup_is_accepted() {
    const STATUSES: [&str; 4] = ["PENDING", "APPROVED", "REJECTED", "REVOKED"];
    for stored in STATUSES {
        let (hub, startup, ..) = town().await;
        let access = hub.access("ida", &startup, "VIEW_DECK").await;
        let way: &[&str] = match stored {
            "PENDING" => &[],
            "REVOKED" => &["APPROVED", "REVOKED"],
            _ => &[stored],
        };
        for status in way {
            hub.decide("ada", &access, status, Value::Null).await;
        }
        hub.make("ada", "deleteStartup", json!({ "id": startup }), "startup")
            .await;
        let items = hub.items().await.len();
        for status in STATUSES {
            let about = format!("{stored} to {status}");
            let refused = decide(&hub, json!({ "id": access, "status": status })).await;
            let code = refused["userErrors"][0]["code"].as_str();
            // PENDING takes back a rejection alone.
            let is_refused = code == Some("CONFLICT")
                || (status == "PENDING" && stored != "REJECTED" && code == Some("INVALID"));
            assert!(is_refused, "{about}: {refused}");
            assert_eq!(hub.items().await.len(), items, "{about}");
        }
    }
}

#[tokio::test]
async fn access_that_has_ended_is_renewed_only_with_an_end() {
    let (hub, startup, ..) = town().await;
    let access = hub.access("ida", &startup, "VIEW_DECK").await;
    let end = json!("2026-02-23T00:00:00.000Z");
    hub.decide("ada", &access, "APPROVED", end).await;
    hub.0.clock.advance(24 * 3600);
    let before = told(&hub, "ida").await;
    let approve = json!({ "id": access, "status": "APPROVED" });
    let refused = decide(&hub, approve.clone()).await;
    assert_eq!(codes(&refused), ["CONFLICT"]);
    assert_eq!(refused["userErrors"][0]["field"], json!(["expiresAt"]));
    assert_eq!(told(&hub, "ida").await, before);
    let mut renew = approve.clone();
    renew["expiresAt"] = json!("2026-03-01T00:00:00.000Z");
    let renewed = decide(&hub, renew).await;
    assert_eq!(renewed["accessRequest"]["status"], "APPROVED");
    // Ended again, and asked for again: the old request is not decided any more.
    hub.0.clock.advance(10 * 24 * 3600);
    hub.access("ida", &startup, "VIEW_DECK").await;
    let before = told(&hub, "ida").await;
    let refused = decide(&hub, approve).await;
    assert_eq!(codes(&refused), ["CONFLICT"]);
    assert_eq!(told(&hub, "ida").await, before);
}

#[tokio::test]
async fn a_revocation_gives_its_reason_and_taken_back_keeps_the_end() {
    let (hub, startup, ..) = town().await;
    let access = hub.access("ida", &startup, "VIEW_DECK").await;
    let end = "2026-03-01T00:00:00.000Z";
    hub.decide("ada", &access, "APPROVED", json!(end)).await;
    let expected = "Your access to Sunny is approved: VIEW_DECK until 2026-03-01T00:00:00.000Z.";
    assert_eq!(told(&hub, "ida").await[0], expected);
    let private = json!({ "id": startup, "visibility": "PRIVATE" });
    hub.make("ada", "updateStartup", private, "startup").await;
    hub.0.clock.advance(60);
    let revoke = json!({ "id": access, "status": "REVOKED", "reason": "We have raised." });
    let revoked = decide(&hub, revoke).await;
    assert_eq!(revoked["accessRequest"]["reason"], "We have raised.");
    let expected = "Your access to Sunny was revoked. Reason: We have raised.";
    assert_eq!(told(&hub, "ida").await[0], expected);
    let back = decide(&hub, json!({ "id": access, "status": "APPROVED" })).await;
    let expected = json!({ "status": "APPROVED", "expiresAt": end, "reason": null });
    assert_eq!(back["accessRequest"], expected);
}

#[tokio::test]
async fn a_reason_does_not_outlive_its_status() {
    let (hub, _, _, application) = town().await;
    let review = async |input: Value| {
        let fields = "application { status reason }";
        let reviewed = hub.mutate("ada", "reviewApplication", input, fields).await;
        reviewed["application"].clone()
    };
    let reject = json!({ "id": application, "status": "REJECTED", "reason": "Too far away" });
    assert_eq!(review(reject).await["reason"], "Too far away");
    let back = review(json!({ "id": application, "status": "REVIEWING" })).await;
    assert_eq!(back, json!({ "status": "REVIEWING", "reason": null }));
}

#[tokio::test]
async fn an_invitation_without_an_end_is_created_once() {
    let (hub, startup, ..) = town().await;
    let input = json!({
        "startupId": startup, "accessLevel": "VIEW_DECK", "invitationId": "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    });
    let first = hub
        .make("ada", "createInvitation", input.clone(), "invitation")
        .await;
    hub.0.clock.advance(60);
    let again = hub
        .make("ada", "createInvitation", input, "invitation")
        .await;
    assert_eq!(first, again);
}

#[tokio::test]
async fn a_change_during_the_review_is_noticed() {
    let (hub, ..) = town().await;
    let startup = hub.startup("ada", "Windy", "PUBLIC").await;
    hub.set_status("ada", &startup, "PENDING_REVIEW").await;
    let read = "query($id: ID!) { startup(id: $id) { version changedSinceReview } }";
    let rename = json!({ "id": startup, "name": "Another name" });
    hub.make("ada", "updateStartup", rename, "startup").await;
    hub.set_status("root", &startup, "ACTIVE").await;
    let seen = hub.query("root", read, json!({ "id": startup })).await["startup"].clone();
    assert_eq!(seen["changedSinceReview"], true);
    hub.set_status("root", &startup, "ACTIVE").await;
    let seen = hub.query("root", read, json!({ "id": startup })).await["startup"].clone();
    assert_eq!(seen["changedSinceReview"], false);
}

#[tokio::test]
async fn a_banned_user_exports_what_is_stored() {
    let (hub, ..) = town().await;
    let tom = "{ viewer { user { id } } }";
    let tom = hub.query("tom", tom, Value::Null).await["viewer"]["user"]["id"].clone();
    let ban = json!({ "id": tom, "status": "BANNED" });
    hub.make("root", "setUserStatus", ban, "user").await;
    let made = hub.mutate("tom", "exportMyData", json!({}), "url").await;
    assert!(made["url"].is_string(), "{made}");
}

#[tokio::test]
async fn a_founder_who_verifies_a_new_address_still_gets_applications() {
    let (hub, startup, ..) = town().await;
    let role = hub.role("ada", &startup, "Designer").await;
    let input = json!({ "email": "ada@new.example" });
    let changed = hub
        .mutate("ada", "updateProfile", input, "user { status }")
        .await;
    assert_eq!(changed["user"]["status"], "PENDING_VERIFICATION");
    let query = "query($id: ID!) { startup(id: $id) { name } }";
    let seen = hub.query("tom", query, json!({ "id": startup })).await;
    assert_eq!(seen["startup"]["name"], "Sunny");
    hub.apply("tom", &role).await;
    hub.access("ida", &startup, "VIEW_DECK").await;
}

#[tokio::test]
async fn every_address_is_invited_and_invitations_hide_no_user() {
    let (hub, startup, ..) = town().await;
    let invite = async |email: &str| {
        let input = json!({ "startupId": startup, "accessLevel": "VIEW_DECK", "email": email });
        hub.mutate("ada", "createInvitation", input, "invitation { id }")
            .await
    };
    for email in ["tom@example.com", "ida@example.com", "nobody@example.com"] {
        assert_eq!(invite(email).await["userErrors"], json!([]));
    }
    let query = "query($email: String!) { userByEmail(email: $email) { firstName } }";
    for (email, user) in [
        ("ida@example.com", json!({ "firstName": "ida-first" })),
        ("nobody@example.com", Value::Null),
    ] {
        let found = hub.query("root", query, json!({ "email": email })).await;
        assert_eq!(found["userByEmail"], user);
    }
}
