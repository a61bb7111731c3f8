//! Invitations that are accepted beside every earlier request and access, and requests that are withdrawn.

use serde_json::{Value, json};

use crate::world::{Hub, codes};

const LEVELS: [&str; 3] = ["VIEW_PROFILE", "VIEW_DECK", "FULL_ACCESS"];

/// What the investor had before: the status of a request, its level, and the level of an open request for more.
#[derive(Clone, Copy, Debug)]
struct Earlier {
    status: &'static str,
    level: usize,
    upgrade: Option<usize>,
}

fn all() -> Vec<Earlier> {
    let mut all = Vec::new();
    for level in 0..LEVELS.len() {
        for status in [
            "NONE",
            "PENDING",
            "APPROVED",
            "REJECTED",
            "REVOKED",
            "EXPIRED",
            "WITHDRAWN",
        ] {
            all.push(Earlier {
                status,
                level,
                upgrade: None,
            });
        }
        for upgrade in level + 1..LEVELS.len() {
            all.push(Earlier {
                status: "APPROVED",
                level,
                upgrade: Some(upgrade),
            });
        }
    }
    all
}

async fn town() -> Hub {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    // Requests and invitations of a day are limited.
    hub.tier("ada", "ENTERPRISE").await;
    hub.register("ida", "INVESTOR").await;
    hub.tier("ida", "ENTERPRISE").await;
    hub
}

/// A startup for which ida has what is given. Returns its id, and the id of the newest request.
async fn startup(hub: &Hub, earlier: Earlier) -> (String, String) {
    let startup = hub.published("ada", "Sunny", "PUBLIC").await;
    let mut access = String::new();
    if earlier.status != "NONE" {
        access = hub.access("ida", &startup, LEVELS[earlier.level]).await;
    }
    match earlier.status {
        "NONE" | "PENDING" => {}
        "WITHDRAWN" => {
            hub.make(
                "ida",
                "withdrawAccessRequest",
                json!({ "id": access }),
                "accessRequest",
            )
            .await;
        }
        "REJECTED" => hub.decide("ada", &access, "REJECTED", Value::Null).await,
        "EXPIRED" => {
            let now = hub
                .query(
                    "ada",
                    "query($id: ID!) { startup(id: $id) { updatedAt } }",
                    json!({ "id": startup }),
                )
                .await;
            let day = now["startup"]["updatedAt"].as_str().unwrap()[..11].to_owned();
            hub.decide("ada", &access, "APPROVED", json!(format!("{day}23:59:59Z")))
                .await;
            hub.0.clock.advance(24 * 3600);
        }
        status => {
            hub.decide("ada", &access, "APPROVED", Value::Null).await;
            if status == "REVOKED" {
                hub.decide("ada", &access, "REVOKED", Value::Null).await;
            }
        }
    }
    if let Some(upgrade) = earlier.upgrade {
        access = hub.access("ida", &startup, LEVELS[upgrade]).await;
    }
    hub.make(
        "ada",
        "updateStartup",
        json!({ "id": startup, "visibility": "PRIVATE" }),
        "startup",
    )
    .await;
    (startup, access)
}

/// The statuses and levels of ida's requests for a startup.
async fn requests(hub: &Hub, startup: &str) -> Vec<(String, String)> {
    let query = "query($id: ID!) { startup(id: $id) { accessRequests(first: 20) { edges { node { status accessLevel } } } } }";
    let seen = hub.query("ada", query, json!({ "id": startup })).await;
    let edges = seen["startup"]["accessRequests"]["edges"]
        .as_array()
        .unwrap()
        .clone();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut requests: Vec<_> = edges
        .iter()
        .map(|edge| {
            (
                text(&edge["node"]["status"]),
                text(&edge["node"]["accessLevel"]),
            )
        })
        .collect();
    requests.sort_unstable();
    requests
}

/// The level of access that ida has, by what she sees.
async fn level(hub: &Hub, startup: &str) -> Option<usize> {
    let query = "query($id: ID!) { startup(id: $id) { fundingGoal } }";
    let seen = hub.query("ida", query, json!({ "id": startup })).await;
    let startup = seen["startup"].as_object()?;
    Some(if startup["fundingGoal"].is_number() {
        2
    } else {
        0
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_accepted_invitation_takes_the_place_of_what_gives_less() {
    for earlier in all() {
        for (invited, offered) in LEVELS.into_iter().enumerate() {
            let hub = town().await;
            let (startup, access) = startup(&hub, earlier).await;
            let about = format!("{earlier:?}, invited to {offered}");
            let invite = json!({ "startupId": startup, "accessLevel": offered });
            let invitation = hub
                .make("ada", "createInvitation", invite, "invitation")
                .await;
            let before = requests(&hub, &startup).await;
            let accepted = hub
                .mutate(
                    "ida",
                    "acceptInvitation",
                    json!({ "id": invitation }),
                    "invitation { status }",
                )
                .await;
            if earlier.status == "APPROVED" && invited <= earlier.level {
                assert_eq!(codes(&accepted), ["CONFLICT"], "{about}");
                assert_eq!(requests(&hub, &startup).await, before, "{about}");
                continue;
            }
            assert_eq!(accepted["userErrors"], json!([]), "{about}");
            let sees_figures = level(&hub, &startup).await.unwrap() == 2;
            assert_eq!(sees_figures, invited == 2, "{about}");
            // One request is approved, and one for more than that waits on.
            let after = requests(&hub, &startup).await;
            let of = |status: &str| -> Vec<_> {
                let found = after.iter().filter(|(found, _)| found == status);
                found.map(|(_, level)| level.clone()).collect()
            };
            assert_eq!(of("APPROVED"), [offered], "{about}: {after:?}");
            let open = (earlier.status == "PENDING").then_some(earlier.level);
            let waits = earlier.upgrade.or(open);
            let waits = waits.filter(|level| *level > invited);
            let expected: Vec<_> = waits.into_iter().map(|level| LEVELS[level]).collect();
            assert_eq!(of("PENDING"), expected, "{about}: {after:?}");
            // The founder decides it as before.
            if let Some(wanted) = waits {
                hub.decide("ada", &access, "APPROVED", Value::Null).await;
                let sees_figures = level(&hub, &startup).await == Some(2);
                assert_eq!(sees_figures, wanted == 2, "{about}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_request_is_withdrawn_and_asked_again_and_others_are_not() {
    for earlier in all().into_iter().filter(|earlier| earlier.status != "NONE") {
        let hub = town().await;
        let (startup, access) = startup(&hub, earlier).await;
        let had = level(&hub, &startup).await;
        let is_open = earlier.status == "PENDING" || earlier.upgrade.is_some();
        let withdraw = json!({ "id": access });
        let stranger = hub
            .mutate(
                "ada",
                "withdrawAccessRequest",
                withdraw.clone(),
                "accessRequest { id }",
            )
            .await;
        assert_eq!(codes(&stranger), ["NOT_FOUND"], "{earlier:?}");
        let withdrawn = hub
            .mutate(
                "ida",
                "withdrawAccessRequest",
                withdraw,
                "accessRequest { status }",
            )
            .await;
        if !is_open && earlier.status != "WITHDRAWN" {
            assert_eq!(codes(&withdrawn), ["CONFLICT"], "{earlier:?}");
            continue;
        }
        assert_eq!(
            withdrawn["accessRequest"]["status"], "WITHDRAWN",
            "{earlier:?}: {withdrawn}"
        );
        // The access of an earlier request stays.
        assert_eq!(level(&hub, &startup).await, had, "{earlier:?}");
        // It is not decided any more, and another one is made.
        let decide = json!({ "id": access, "status": "APPROVED" });
        let refused = hub
            .mutate("ada", "decideAccess", decide, "accessRequest { id }")
            .await;
        assert_eq!(codes(&refused), ["CONFLICT"], "{earlier:?}");
        let public = json!({ "id": startup, "visibility": "PUBLIC" });
        hub.make("ada", "updateStartup", public, "startup").await;
        let again = hub.access("ida", &startup, "FULL_ACCESS").await;
        hub.decide("ada", &again, "APPROVED", Value::Null).await;
        assert_eq!(level(&hub, &startup).await, Some(2), "{earlier:?}");
    }
}

#[tokio::test]
async fn an_invitation_that_is_stored_with_an_email_is_listed_and_accepted() {
    let hub = town().await;
    let startup = hub.published("ada", "Sunny", "PRIVATE").await;
    let invite =
        json!({ "startupId": startup, "accessLevel": "FULL_ACCESS", "email": "ida@example.com" });
    let invitation = hub
        .make("ada", "createInvitation", invite, "invitation")
        .await;
    for mut item in hub.items().await {
        if item["entityType"].as_s().unwrap() == "INVITATION" {
            let address = item.remove("address").unwrap();
            item.insert("email".to_owned(), address);
            item.retain(|name, _| !name.starts_with("GSI2"));
            let put = hub.0.dynamodb.put_item().table_name("collabhub-main");
            put.set_item(Some(item)).send().await.unwrap();
        }
    }
    let list =
        "query($id: ID!) { startup(id: $id) { invitations { edges { node { email status } } } } }";
    let seen = hub.query("ada", list, json!({ "id": startup })).await;
    let expected = json!({ "email": "ida@example.com", "status": "OPEN" });
    assert_eq!(seen["startup"]["invitations"]["edges"][0]["node"], expected);
    hub.make(
        "ida",
        "acceptInvitation",
        json!({ "id": invitation }),
        "invitation",
    )
    .await;
    assert_eq!(level(&hub, &startup).await, Some(2));
}
