//! Requests for a higher level of access than an investor has, and invitations that an investor finds.

use serde_json::{Value, json};

use crate::world::{Hub, codes, viewer};

/// A private startup that ida may see, and nothing more of it.
async fn town() -> (Hub, String) {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    hub.register("ida", "INVESTOR").await;
    let startup = hub.published("ada", "Sunny", "PRIVATE").await;
    let invite =
        json!({ "startupId": startup, "accessLevel": "VIEW_PROFILE", "email": "ida@example.com" });
    let invitation = hub
        .make("ada", "createInvitation", invite, "invitation")
        .await;
    let accept = json!({ "id": invitation });
    hub.make("ida", "acceptInvitation", accept, "invitation")
        .await;
    (hub, startup)
}

async fn ask(hub: &Hub, startup: &str, level: &str) -> Value {
    // Later than what was asked before, so that the list has an order.
    hub.0.clock.advance(1);
    let input = json!({ "startupId": startup, "accessLevel": level });
    hub.mutate("ida", "requestAccess", input, "accessRequest { id status }")
        .await
}

async fn decide(hub: &Hub, id: &Value, status: &str) -> Value {
    let input = json!({ "id": id, "status": status });
    hub.mutate("ada", "decideAccess", input, "accessRequest { status }")
        .await
}

/// Whether ida sees the startup, and its figures.
async fn seen(hub: &Hub, startup: &str) -> (bool, bool) {
    let query = "query($id: ID!) { startup(id: $id) { name fundingGoal } }";
    let startup = hub.query("ida", query, json!({ "id": startup })).await["startup"].clone();
    (startup.is_object(), startup["fundingGoal"].is_number())
}

/// The requests as their investor lists them, newest first.
async fn requests(hub: &Hub) -> Vec<String> {
    let list = "{ myAccessRequests { edges { node { status accessLevel } } } }";
    let list = hub.query("ida", list, Value::Null).await;
    let edges = list["myAccessRequests"]["edges"]
        .as_array()
        .unwrap()
        .clone();
    let line = |edge: &Value| {
        let node = &edge["node"];
        let text = |name: &str| node[name].as_str().unwrap().to_owned();
        format!("{} {}", text("status"), text("accessLevel"))
    };
    edges.iter().map(line).collect()
}

#[tokio::test]
async fn a_higher_level_is_requested_beside_the_lower_one_and_replaces_it() {
    let (hub, startup) = town().await;
    let earlier = "{ myAccessRequests { edges { node { id } } } }";
    let earlier = hub.query("ida", earlier, Value::Null).await;
    let earlier = earlier["myAccessRequests"]["edges"][0]["node"]["id"].clone();
    assert_eq!(
        codes(&ask(&hub, &startup, "VIEW_PROFILE").await),
        ["CONFLICT"]
    );
    let asked = ask(&hub, &startup, "FULL_ACCESS").await;
    assert_eq!(asked["accessRequest"]["status"], "PENDING", "{asked}");
    // She still sees what she saw, and has one open request.
    assert_eq!(seen(&hub, &startup).await, (true, false));
    for level in ["VIEW_DECK", "FULL_ACCESS"] {
        assert_eq!(codes(&ask(&hub, &startup, level).await), ["CONFLICT"]);
    }
    assert_eq!(
        requests(&hub).await,
        ["PENDING FULL_ACCESS", "APPROVED VIEW_PROFILE"]
    );
    let id = asked["accessRequest"]["id"].clone();
    let input = json!({ "id": id, "status": "APPROVED" });
    let approved = hub
        .attempt("ada", "decideAccess", input, "accessRequest { status }")
        .await;
    let costs = approved.cost();
    assert_eq!((costs.reads, costs.writes), (6, 2));
    assert_eq!(approved.data()["decideAccess"]["userErrors"], json!([]));
    assert_eq!(seen(&hub, &startup).await, (true, true));
    assert_eq!(
        requests(&hub).await,
        ["APPROVED FULL_ACCESS", "EXPIRED VIEW_PROFILE"]
    );
    // The lower one has gone: it is neither approved nor revoked any more.
    for status in ["REVOKED", "APPROVED"] {
        let input = json!({ "id": earlier, "status": status, "expiresAt": null });
        let refused = hub
            .mutate("ada", "decideAccess", input, "accessRequest { id }")
            .await;
        assert_eq!(codes(&refused), ["CONFLICT"], "{status}");
    }
    assert_eq!(decide(&hub, &id, "REVOKED").await["userErrors"], json!([]));
    assert_eq!(seen(&hub, &startup).await, (false, false));
}

#[tokio::test]
async fn a_rejected_upgrade_leaves_the_access_and_is_asked_again_after_the_pause() {
    let (hub, startup) = town().await;
    let asked = ask(&hub, &startup, "FULL_ACCESS").await["accessRequest"]["id"].clone();
    decide(&hub, &asked, "REJECTED").await;
    assert_eq!(seen(&hub, &startup).await, (true, false));
    assert_eq!(codes(&ask(&hub, &startup, "VIEW_DECK").await), ["CONFLICT"]);
    // Taken back, and rejected again.
    for status in ["PENDING", "REJECTED"] {
        let decided = decide(&hub, &asked, status).await;
        assert_eq!(decided["accessRequest"]["status"], status, "{decided}");
    }
    hub.0.clock.advance(31 * 24 * 3600);
    let again = ask(&hub, &startup, "FULL_ACCESS").await["accessRequest"]["id"].clone();
    // The older one is over.
    assert_eq!(codes(&decide(&hub, &asked, "APPROVED").await), ["CONFLICT"]);
    decide(&hub, &again, "APPROVED").await;
    assert_eq!(seen(&hub, &startup).await, (true, true));
}

#[tokio::test]
async fn an_upgrade_waits_on_when_the_lower_access_ends() {
    let (hub, startup) = town().await;
    let lower = "{ myAccessRequests { edges { node { id } } } }";
    let lower = hub.query("ida", lower, Value::Null).await;
    let lower = lower["myAccessRequests"]["edges"][0]["node"]["id"].clone();
    let asked = ask(&hub, &startup, "FULL_ACCESS").await["accessRequest"]["id"].clone();
    let revoked = decide(&hub, &lower, "REVOKED").await;
    assert_eq!(revoked["accessRequest"]["status"], "REVOKED", "{revoked}");
    assert_eq!(seen(&hub, &startup).await, (false, false));
    assert_eq!(codes(&ask(&hub, &startup, "VIEW_DECK").await), ["CONFLICT"]);
    assert_eq!(
        requests(&hub).await,
        ["PENDING FULL_ACCESS", "REVOKED VIEW_PROFILE"]
    );
    let approved = decide(&hub, &asked, "APPROVED").await;
    assert_eq!(approved["userErrors"], json!([]), "{approved}");
    assert_eq!(seen(&hub, &startup).await, (true, true));
}

#[tokio::test]
async fn open_requests_of_a_blocked_user_are_not_in_the_list_of_the_founder() {
    let (hub, startup) = town().await;
    hub.register("ivo", "INVESTOR").await;
    let public = json!({ "id": startup, "visibility": "PUBLIC" });
    hub.make("ada", "updateStartup", public, "startup").await;
    hub.access("ivo", &startup, "VIEW_DECK").await;
    let list = "query($id: ID!) { startup(id: $id) { accessRequests { edges { node { status requester { firstName } } } } \
                } }";
    let listed = async || {
        let listed = hub.query("ada", list, json!({ "id": startup })).await;
        listed["startup"]["accessRequests"]["edges"]
            .as_array()
            .unwrap()
            .iter()
            .map(|edge| edge["node"]["requester"]["firstName"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(listed().await, ["ida-first", "ivo-first"]);
    let find = "{ usersByRole(role: INVESTOR) { edges { node { id firstName } } } }";
    let users = hub.query("root", find, Value::Null).await;
    let users = users["usersByRole"]["edges"].as_array().unwrap().clone();
    let id = |name: &str| {
        let user = users.iter().find(|edge| edge["node"]["firstName"] == name);
        user.unwrap()["node"]["id"].clone()
    };
    for name in ["ivo-first", "ida-first"] {
        hub.make("ada", "blockUser", json!({ "id": id(name) }), "user")
            .await;
    }
    // Who has access is listed, so that it can be revoked.
    assert_eq!(listed().await, ["ida-first"]);
    let unblock = json!({ "id": id("ivo-first") });
    hub.make("ada", "unblockUser", unblock, "user").await;
    assert_eq!(listed().await, ["ida-first", "ivo-first"]);
}

#[tokio::test]
async fn an_investor_lists_invitations_for_the_own_address() {
    let (hub, startup) = town().await;
    hub.register("ivo", "INVESTOR").await;
    let other = hub.published("ada", "Windy", "PRIVATE").await;
    let invite = async |startup: &str, email: Value| {
        let input = json!({ "startupId": startup, "accessLevel": "VIEW_DECK", "email": email });
        hub.make("ada", "createInvitation", input, "invitation")
            .await
    };
    let open = invite(&other, json!("ida@example.com")).await;
    let cancelled = invite(&startup, json!("ida@example.com")).await;
    invite(&other, Value::Null).await;
    let input = json!({ "id": cancelled });
    hub.make("ada", "cancelInvitation", input, "invitation")
        .await;
    let list = "query($status: InvitationStatus, $first: Int, $after: String) { myInvitations(status: $status, first: \
                $first, after: $after) { edges { node { id status startupName } } pageInfo { hasNextPage endCursor } } }";
    let listed = async |name: &str, status: Value| {
        let page = hub.query(name, list, json!({ "status": status })).await;
        let edges = page["myInvitations"]["edges"].as_array().unwrap().clone();
        let mut lines: Vec<_> = edges
            .iter()
            .map(|edge| {
                let node = &edge["node"];
                let text = |name: &str| node[name].as_str().unwrap().to_owned();
                format!("{} {}", text("status"), text("startupName"))
            })
            .collect();
        lines.sort_unstable();
        lines
    };
    let all = ["ACCEPTED Sunny", "CANCELLED Sunny", "OPEN Windy"];
    assert_eq!(listed("ida", Value::Null).await, all);
    assert_eq!(listed("ida", json!("OPEN")).await, ["OPEN Windy"]);
    for name in ["ivo", "ada", "root"] {
        assert_eq!(listed(name, Value::Null).await, Vec::<String>::new());
    }
    // What is listed is found by its id.
    let node = "query($id: ID!) { node(id: $id) { ... on Invitation { status } } }";
    for (name, seen) in [
        ("ida", json!({ "status": "CANCELLED" })),
        ("ivo", Value::Null),
    ] {
        let found = hub.query(name, node, json!({ "id": cancelled })).await;
        assert_eq!(found["node"], seen, "{name}");
    }
    // Page by page, each once.
    let (mut ids, mut variables) = (Vec::new(), json!({ "first": 1 }));
    loop {
        let page = hub.query("ida", list, variables.clone()).await["myInvitations"].clone();
        let edges = page["edges"].as_array().unwrap();
        ids.extend(edges.iter().map(|edge| edge["node"]["id"].to_string()));
        if page["pageInfo"]["hasNextPage"] == false {
            break;
        }
        variables["after"] = page["pageInfo"]["endCursor"].clone();
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 3);
    let costs = hub.0.run(&viewer("ida"), list, json!({})).await.cost();
    assert_eq!((costs.reads, costs.writes), (3, 0));
    // Two weeks later it is too late to accept.
    hub.0.clock.advance(15 * 24 * 3600);
    assert_eq!(listed("ida", json!("EXPIRED")).await, ["EXPIRED Windy"]);
    let accept = json!({ "id": open });
    let refused = hub
        .mutate("ida", "acceptInvitation", accept, "invitation { id }")
        .await;
    assert_eq!(codes(&refused), ["NOT_FOUND"]);
}
