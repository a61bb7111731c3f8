//! Pauses after a refusal that a server with another clock has noted.

use serde_json::{Value, json};

use crate::world::{Hub, codes};

const DAY: i64 = 24 * 3600;
const PAUSE: i64 = 30 * DAY;

/// Refuses with a clock that is so far ahead, and asks again with the right one: at once, and when the pause is over.
async fn refused_by_another_clock(
    hub: &Hub,
    refuse: impl AsyncFnOnce(),
    ask: impl AsyncFn() -> Value,
    ahead: i64,
) {
    hub.0.clock.advance(ahead);
    refuse().await;
    hub.0.clock.advance(-ahead);
    // A clock that is hardly ahead of this one is not wrong.
    if ahead <= 60 {
        assert_eq!(codes(&ask().await), ["CONFLICT"], "{ahead}");
    }
    hub.0.clock.advance(PAUSE + 60);
    let asked = ask().await;
    assert_eq!(asked["userErrors"], json!([]), "{ahead}");
}

const APART: [i64; 4] = [5, 60, 365 * DAY, -DAY];

#[tokio::test]
async fn who_has_declined_is_asked_again_a_month_later_whatever_clock_noted_it() {
    for ahead in APART {
        let hub = Hub::start().await;
        hub.register("ada", "FOUNDER").await;
        let bea = hub.register("bea", "FOUNDER").await;
        let cleo = hub.register("cleo", "FOUNDER").await;
        for name in ["bea", "cleo"] {
            hub.tie("ada", name).await;
        }
        let input = json!({ "type": "GROUP", "participantIds": [bea, cleo] });
        let conversation = hub
            .make("ada", "createConversation", input, "conversation")
            .await;
        let named = json!({ "conversationId": conversation });
        let add = json!({ "conversationId": conversation, "participantIds": [bea] });
        let leave = async || {
            let named = named.clone();
            hub.make("bea", "leaveConversation", named, "conversation")
                .await;
        };
        let ask = async || {
            let fields = "conversation { id }";
            hub.mutate("ada", "addParticipants", add.clone(), fields)
                .await
        };
        leave().await;
        ask().await;
        refused_by_another_clock(&hub, async || leave().await, ask, ahead).await;
    }
}

#[tokio::test]
async fn rejected_access_is_requested_again_a_month_later_whatever_clock_noted_it() {
    for (ahead, is_upgrade) in APART.into_iter().flat_map(|a| [(a, false), (a, true)]) {
        let hub = Hub::start().await;
        hub.admin("root").await;
        hub.register("ada", "FOUNDER").await;
        hub.register("ida", "INVESTOR").await;
        let startup = hub.published("ada", "Sunny", "PUBLIC").await;
        if is_upgrade {
            let access = hub.access("ida", &startup, "VIEW_PROFILE").await;
            hub.decide("ada", &access, "APPROVED", Value::Null).await;
        }
        let input = json!({ "startupId": startup, "accessLevel": "VIEW_DECK" });
        let ask = async || {
            let fields = "accessRequest { id }";
            hub.mutate("ida", "requestAccess", input.clone(), fields)
                .await
        };
        let asked = ask().await["accessRequest"]["id"].clone();
        let reject = async || {
            let id = asked.as_str().unwrap();
            hub.decide("ada", id, "REJECTED", Value::Null).await;
        };
        refused_by_another_clock(&hub, reject, ask, ahead).await;
    }
}

#[tokio::test]
async fn who_was_rejected_applies_again_a_month_later_whatever_clock_noted_it() {
    for ahead in APART {
        let hub = Hub::start().await;
        hub.admin("root").await;
        hub.register("ada", "FOUNDER").await;
        hub.register("tom", "TALENT").await;
        let startup = hub.published("ada", "Sunny", "PUBLIC").await;
        let role = hub.role("ada", &startup, "Engineer").await;
        let application = hub.apply("tom", &role).await;
        let reject = async || {
            let input = json!({ "id": application, "status": "REJECTED" });
            hub.make("ada", "reviewApplication", input, "application")
                .await;
        };
        let input = json!({ "roleId": role, "coverLetter": "again" });
        let ask = async || {
            let fields = "application { id }";
            hub.mutate("tom", "applyForRole", input.clone(), fields)
                .await
        };
        refused_by_another_clock(&hub, reject, ask, ahead).await;
    }
}
