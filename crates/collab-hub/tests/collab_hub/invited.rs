//! Talent who is invited to a role of a startup that talent does not see.

use serde_json::{Value, json};

use crate::world::{Hub, codes};

/// A founder and a startup with a role, and tom, who is invited to it.
struct Town {
    hub: Hub,
    startup: String,
    role: String,
    invitation: String,
}

async fn town(visibility: &str) -> Town {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    hub.register("eve", "FOUNDER").await;
    hub.register("tom", "TALENT").await;
    hub.register("tess", "TALENT").await;
    hub.register("ida", "INVESTOR").await;
    let startup = hub.published("ada", "Sunny", visibility).await;
    let role = hub.role("ada", &startup, "Engineer").await;
    let invite = json!({ "roleId": role });
    let invitation = hub.make("ada", "inviteToRole", invite, "invitation").await;
    Town {
        hub,
        startup,
        role,
        invitation,
    }
}

impl Town {
    async fn apply(&self, name: &str, invitation: Value) -> Value {
        let mut input = json!({ "roleId": self.role, "coverLetter": "x" });
        input["invitationId"] = invitation;
        let fields = "application { status roleTitle startupName role { title } startup { name } }";
        self.hub.mutate(name, "applyForRole", input, fields).await
    }

    async fn seen(&self, name: &str) -> Value {
        let query =
            "query($id: ID!) { node(id: $id) { ... on Invitation { status startupName roleTitle
            role { title description isOpen } startup { name } accessRequest { id } } } }";
        self.hub
            .query(name, query, json!({ "id": self.invitation }))
            .await["node"]
            .clone()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invited_talent_applies_whatever_the_visibility_of_the_startup_is() {
    for visibility in ["PUBLIC", "INVESTORS_ONLY", "PRIVATE"] {
        let is_public = visibility == "PUBLIC";
        let town = town(visibility).await;
        let seen = town.seen("tom").await;
        assert_eq!(seen["status"], "OPEN", "{visibility}");
        assert_eq!(seen["roleTitle"], "Engineer", "{visibility}");
        assert_eq!(
            seen["role"]["description"], "Engineer description",
            "{visibility}"
        );
        assert_eq!(seen["startupName"], "Sunny", "{visibility}");
        assert_eq!(seen["startup"].is_object(), is_public, "{visibility}");
        // It is for talent alone, and gives no access.
        for name in ["ida", "eve"] {
            assert_eq!(town.seen(name).await, Value::Null, "{visibility} {name}");
        }
        let accept = json!({ "id": town.invitation });
        let accepted = town
            .hub
            .mutate("ida", "acceptInvitation", accept, "invitation { id }")
            .await;
        assert_eq!(codes(&accepted), ["NOT_FOUND"], "{visibility}");
        if !is_public {
            let refused = town.apply("tess", Value::Null).await;
            assert_eq!(codes(&refused), ["NOT_FOUND"], "{visibility}");
        }
        let applied = town.apply("tom", json!(town.invitation)).await;
        assert_eq!(
            applied["application"]["status"], "PENDING",
            "{visibility}: {applied}"
        );
        assert_eq!(
            applied["application"]["roleTitle"], "Engineer",
            "{visibility}"
        );
        assert_eq!(
            applied["application"]["startup"].is_object(),
            is_public,
            "{visibility}"
        );
        // Once, by one talent.
        assert_eq!(town.seen("tom").await["status"], "ACCEPTED", "{visibility}");
        assert_eq!(town.seen("tess").await, Value::Null, "{visibility}");
        let late = town.apply("tess", json!(town.invitation)).await;
        assert_eq!(codes(&late), ["NOT_FOUND"], "{visibility}");
        assert_eq!(
            late["userErrors"][0]["field"],
            json!(["invitationId"]),
            "{visibility}"
        );
        let again = town.apply("tom", json!(town.invitation)).await;
        assert_eq!(codes(&again), ["CONFLICT"], "{visibility}");
        // Talent still does not see the startup, and the founder sees the application.
        let query =
            "query($id: ID!) { startup(id: $id) { name applications { edges { node { application {
            applicant { firstName } } } } } } }";
        let hub = &town.hub;
        let seen = hub.query("tom", query, json!({ "id": town.startup })).await;
        assert_eq!(seen["startup"].is_object(), is_public, "{visibility}");
        let seen = hub.query("ada", query, json!({ "id": town.startup })).await;
        let edges = seen["startup"]["applications"]["edges"].as_array().unwrap();
        assert_eq!(edges.len(), 1, "{visibility}");
    }
}

/// Every way in which an invitation does not hold, and the refusal says nothing more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_other_invitation_lets_talent_apply() {
    for way in [
        "cancelled",
        "expired",
        "of another role",
        "for investors",
        "unknown",
        "not active",
        "banned",
        "blocked",
        "closed",
    ] {
        let town = town("PRIVATE").await;
        let hub = &town.hub;
        let mut invitation = json!(town.invitation);
        match way {
            "cancelled" => {
                let cancel = json!({ "id": invitation });
                hub.make("ada", "cancelInvitation", cancel, "invitation")
                    .await;
            }
            "expired" => hub.0.clock.advance(15 * 24 * 3600),
            "of another role" => {
                let other = hub.role("ada", &town.startup, "Designer").await;
                let invite = json!({ "roleId": other });
                invitation = json!(hub.make("ada", "inviteToRole", invite, "invitation").await);
            }
            "for investors" => {
                let invite = json!({ "startupId": town.startup, "accessLevel": "FULL_ACCESS" });
                invitation = json!(
                    hub.make("ada", "createInvitation", invite, "invitation")
                        .await
                );
            }
            "unknown" => invitation = json!("x"),
            "not active" => hub.set_status("root", &town.startup, "SUSPENDED").await,
            "closed" => {
                hub.make("ada", "closeRole", json!({ "id": town.role }), "role")
                    .await;
            }
            other => {
                let query = "{ viewer { user { id } } }";
                let id = |data: Value| data["viewer"]["user"]["id"].clone();
                let ada = id(hub.query("ada", query, Value::Null).await);
                let tom = id(hub.query("tom", query, Value::Null).await);
                if other == "banned" {
                    let ban = json!({ "id": ada, "status": "BANNED" });
                    hub.make("root", "setUserStatus", ban, "user").await;
                } else {
                    hub.make("ada", "blockUser", json!({ "id": tom }), "user")
                        .await;
                }
            }
        }
        let before = hub.items().await.len();
        let refused = town.apply("tom", invitation).await;
        let expected = if way == "closed" {
            "CONFLICT"
        } else {
            "NOT_FOUND"
        };
        assert_eq!(codes(&refused), [expected], "{way}: {refused}");
        assert_eq!(hub.items().await.len(), before, "{way}");
    }
}

#[tokio::test]
async fn only_the_founder_invites_to_a_role_and_the_same_input_invites_once() {
    let town = town("PRIVATE").await;
    let mut invite = json!({ "roleId": town.role, "invitationId": "01ARZ3NDEKTSV4RRFFQ69G5FAV" });
    for name in ["eve", "tom", "root"] {
        let refused = town
            .hub
            .mutate(name, "inviteToRole", invite.clone(), "invitation { id }")
            .await;
        assert_eq!(codes(&refused), ["NOT_FOUND"], "{name}");
    }
    let first = town
        .hub
        .make("ada", "inviteToRole", invite.clone(), "invitation")
        .await;
    town.hub.0.clock.advance(60);
    let again = town
        .hub
        .make("ada", "inviteToRole", invite.clone(), "invitation")
        .await;
    assert_eq!(first, again);
    invite["expiresAt"] = json!("2036-01-01T00:00:00Z");
    let late = town
        .hub
        .mutate("ada", "inviteToRole", invite, "invitation { id }")
        .await;
    assert_eq!(codes(&late), ["INVALID"]);
    // An application that is sent again with its id is the same one, though the invitation is used up.
    let input = json!({ "roleId": town.role, "coverLetter": "x", "invitationId": town.invitation,
        "applicationId": "01ARZ3NDEKTSV4RRFFQ69G5FAV" });
    let first = town
        .hub
        .make("tom", "applyForRole", input.clone(), "application")
        .await;
    let again = town
        .hub
        .make("tom", "applyForRole", input, "application")
        .await;
    assert_eq!(first, again);
}

/// Each status of an invitation whose role is deleted: what is open is cancelled, for everybody who sees it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invitation_to_a_deleted_role_is_not_open() {
    for (stored, expected) in [
        ("OPEN", "CANCELLED"),
        ("CANCELLED", "CANCELLED"),
        ("EXPIRED", "EXPIRED"),
        ("ACCEPTED", "ACCEPTED"),
    ] {
        let town = town("PRIVATE").await;
        let hub = &town.hub;
        match stored {
            "CANCELLED" => {
                let cancel = json!({ "id": town.invitation });
                hub.make("ada", "cancelInvitation", cancel, "invitation")
                    .await;
            }
            "EXPIRED" => hub.0.clock.advance(15 * 24 * 3600),
            "ACCEPTED" => {
                let applied = town.apply("tom", json!(town.invitation)).await;
                assert_eq!(codes(&applied), [""; 0]);
            }
            _ => {}
        }
        assert_eq!(town.seen("ada").await["status"], stored);
        hub.make("ada", "deleteRole", json!({ "id": town.role }), "role")
            .await;
        for name in ["ada", "tom"] {
            let seen = town.seen(name).await;
            // Talent does not see what is not offered any more.
            let is_seen = name == "ada" || ["OPEN", "ACCEPTED"].contains(&stored);
            assert_eq!(seen.is_object(), is_seen, "{name} {stored}");
            if is_seen {
                assert_eq!(seen["status"], expected, "{name} {stored}");
                assert_eq!(seen["role"], Value::Null, "{name} {stored}");
            }
        }
        let list =
            "query($id: ID!) { startup(id: $id) { invitations { edges { node { status } } } } }";
        let list = hub.query("ada", list, json!({ "id": town.startup })).await;
        let node = &list["startup"]["invitations"]["edges"][0]["node"];
        assert_eq!(node["status"], expected, "{stored}");
    }
}

/// Who has applied with an invitation applies with it again whenever the role may be applied for again, and nobody else does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_has_used_an_invitation_applies_with_it_again() {
    for visibility in ["PUBLIC", "INVESTORS_ONLY", "PRIVATE"] {
        let town = town(visibility).await;
        let hub = &town.hub;
        for end in ["withdrawApplication", "declineApplication", "REJECTED", ""] {
            let about = format!("{visibility}, before {end}");
            let input =
                json!({ "roleId": town.role, "coverLetter": "x", "invitationId": town.invitation });
            let application = hub.make("tom", "applyForRole", input, "application").await;
            let again = town.apply("tom", json!(town.invitation)).await;
            assert_eq!(codes(&again), ["CONFLICT"], "{about}");
            let other = town.apply("tess", json!(town.invitation)).await;
            assert_eq!(codes(&other), ["NOT_FOUND"], "{about}");
            match end {
                "" => {}
                "REJECTED" => {
                    let reject = json!({ "id": application, "status": "REJECTED" });
                    hub.make("ada", "reviewApplication", reject, "application")
                        .await;
                    let soon = town.apply("tom", json!(town.invitation)).await;
                    assert!(soon.to_string().contains("30 days"), "{about}: {soon}");
                    hub.0.clock.advance(31 * 24 * 3600);
                }
                mutation => {
                    hub.make("tom", mutation, json!({ "id": application }), "application")
                        .await;
                }
            }
        }
    }
}
