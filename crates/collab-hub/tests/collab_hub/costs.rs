//! What each operation costs, in calls to DynamoDB.

use serde_json::{Value, json};

use crate::world::{Hub, viewer};

/// The reads and writes of a request.
pub async fn cost(hub: &Hub, name: &str, query: &str, variables: Value) -> (u64, u64) {
    let answer = hub.0.run(&viewer(name), query, variables).await;
    answer.data();
    let cost = answer.cost();
    (cost.reads, cost.writes)
}

pub async fn of(
    hub: &Hub,
    name: &str,
    mutation: &str,
    input: Value,
    field: &str,
) -> (Value, (u64, u64)) {
    let answer = hub.attempt(name, mutation, input, field).await;
    let payload = answer.data()[mutation].clone();
    assert_eq!(payload["userErrors"], json!([]), "{mutation}");
    let cost = answer.cost();
    (payload, (cost.reads, cost.writes))
}

#[tokio::test]
async fn every_mutation_costs_what_the_table_says() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    let input =
        json!({ "role": "FOUNDER", "email": "f@example.com", "firstName": "f", "lastName": "f" });
    assert_eq!(
        of(&hub, "f", "registerUser", input, "user { id }").await.1,
        (0, 1)
    );
    let talent = hub.register("t", "TALENT").await;
    hub.register("i", "INVESTOR").await;
    let input = json!({
        "name": "x", "tagline": "x", "description": "x", "industry": "x", "location": "x", "visibility": "PUBLIC",
    });
    let (made, costs) = of(&hub, "f", "createStartup", input, "startup { id }").await;
    assert_eq!(costs, (1, 1));
    let startup = made["startup"]["id"].clone();
    // The admins are notified of a submission.
    for (name, status, costs) in [("f", "PENDING_REVIEW", (3, 2)), ("root", "ACTIVE", (2, 1))] {
        let input = json!({ "id": startup, "status": status });
        assert_eq!(
            of(&hub, name, "setStartupStatus", input, "startup { id }")
                .await
                .1,
            costs
        );
    }
    let input =
        json!({ "startupId": startup, "title": "x", "description": "x", "type": "CONTRACT" });
    let (made, costs) = of(&hub, "f", "createRole", input, "role { id }").await;
    assert_eq!(costs, (1, 1));
    let role = made["role"]["id"].clone();
    let apply = json!({ "roleId": role, "coverLetter": "x" });
    let (made, costs) = of(&hub, "t", "applyForRole", apply, "application { id }").await;
    // With a Query of the applications of the talent, as of requests below: another program writes no guards.
    assert_eq!(costs, (3, 1));
    let application = made["application"]["id"].clone();
    let other = hub.role("f", startup.as_str().unwrap(), "other").await;
    let invite = json!({ "roleId": other });
    let (made, costs) = of(&hub, "f", "inviteToRole", invite, "invitation { id }").await;
    assert_eq!(costs, (2, 1));
    hub.register("u", "TALENT").await;
    let apply =
        json!({ "roleId": other, "coverLetter": "x", "invitationId": made["invitation"]["id"] });
    let (_, costs) = of(&hub, "u", "applyForRole", apply, "application { id }").await;
    assert_eq!(costs, (4, 1));
    let access = json!({ "startupId": startup, "accessLevel": "VIEW_DECK" });
    let (made, costs) = of(&hub, "i", "requestAccess", access, "accessRequest { id }").await;
    assert_eq!(costs, (4, 1));
    let access = made["accessRequest"]["id"].clone();
    let direct = json!({ "type": "DIRECT", "participantIds": [talent] });
    let create = async || {
        let (name, input) = ("createConversation", direct.clone());
        of(&hub, "f", name, input, "conversation { id }").await
    };
    let (made, costs) = create().await;
    // Both inboxes: another program does not note the DIRECT conversation of two users.
    assert_eq!(costs, (4, 1));
    let (again, costs) = create().await;
    assert_eq!((&again, costs.0), (&made, 4));
    let group = json!({ "type": "GROUP", "participantIds": [talent] });
    let fields = "conversation { id }";
    let (_, costs) = of(&hub, "f", "createConversation", group, fields).await;
    assert_eq!(costs, (2, 1));
    let conversation = made["conversation"]["id"].clone();
    for (name, mutation, input, field, costs) in [
        ("f", "updateProfile", json!({ "bio": "x" }), "user", (2, 1)),
        (
            "f",
            "updateStartup",
            json!({ "id": startup, "location": "y" }),
            "startup",
            (2, 1),
        ),
        // A reviewed field: the admins are notified, once.
        (
            "f",
            "updateStartup",
            json!({ "id": startup, "name": "y" }),
            "startup",
            (3, 2),
        ),
        (
            "f",
            "updateStartup",
            json!({ "id": startup, "name": "z" }),
            "startup",
            (2, 1),
        ),
        (
            "f",
            "updateRole",
            json!({ "id": role, "title": "y" }),
            "role",
            (3, 1),
        ),
        (
            "f",
            "reviewApplication",
            json!({ "id": application, "status": "REVIEWING" }),
            "application",
            (4, 1),
        ),
        (
            "t",
            "withdrawApplication",
            json!({ "id": application }),
            "application",
            (4, 1),
        ),
        ("f", "closeRole", json!({ "id": role }), "role", (4, 1)),
        ("f", "reopenRole", json!({ "id": role }), "role", (3, 1)),
        (
            "f",
            "decideAccess",
            json!({ "id": access, "status": "APPROVED" }),
            "accessRequest",
            (2, 1),
        ),
        (
            "f",
            "sendMessage",
            json!({ "conversationId": conversation, "content": "x" }),
            "message",
            (3, 1),
        ),
        (
            "t",
            "markConversationRead",
            json!({ "conversationId": conversation }),
            "conversation",
            // With the notifications of the conversation.
            (5, 2),
        ),
        (
            "root",
            "setUserStatus",
            json!({ "id": talent, "status": "BANNED" }),
            "user",
            (2, 1),
        ),
        (
            "root",
            "setUserRole",
            json!({ "id": talent, "role": "FOUNDER" }),
            "user",
            (2, 1),
        ),
    ] {
        assert_eq!(
            of(&hub, name, mutation, input, &format!("{field} {{ id }}"))
                .await
                .1,
            costs,
            "{mutation}"
        );
    }
    let (_, costs) = of(
        &hub,
        "f",
        "markAllNotificationsRead",
        json!({ "limit": 90 }),
        "marked",
    )
    .await;
    assert_eq!(costs, (4, 1));
}

#[tokio::test]
async fn every_list_costs_what_the_table_says_however_long_it_is() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    for name in ["f", "g"] {
        hub.register(name, "FOUNDER").await;
    }
    hub.register("i", "INVESTOR").await;
    let startup = hub.published("f", "s", "PUBLIC").await;
    let mut role = String::new();
    for n in 0..6 {
        role = hub.role("f", &startup, &format!("r{n}")).await;
        hub.register(&format!("t{n}"), "TALENT").await;
        hub.apply(&format!("t{n}"), &role).await;
    }
    let variables = json!({ "startup": startup, "role": role });
    let dashboard = "query($startup: ID!) { viewer { user { firstName unreadNotifications } } startup(id: $startup) { \
        name status roles(first: 20) { edges { node { title isOpen applicantCount } } } \
        applications(first: 10) { edges { node { createdAt application { status coverLetter } } } } } }";
    let costs = cost(&hub, "f", dashboard, variables.clone()).await;
    assert!(costs.0 <= 4 && costs.1 == 0, "{costs:?}");
    for (name, query, reads) in [
        ("f", "{ viewer { user { id } } }", 1),
        ("t0", "{ startups { edges { node { name } } } }", 3),
        ("i", "{ startups { edges { node { name } } } }", 4),
        (
            "t0",
            "{ startups { edges { node { name founder { firstName } } } } }",
            4,
        ),
        (
            "t0",
            "{ openRoles(first: 3) { edges { node { title startup { name } } } } }",
            6,
        ),
        (
            "t0",
            "{ openRoles(first: 3) { edges { node { title } } } }",
            4,
        ),
        (
            "i",
            "{ searchStartups(query: \"s\") { edges { node { name } } } }",
            4,
        ),
        (
            "root",
            "{ searchStartups(query: \"s\") { edges { node { name } } } }",
            4,
        ),
        (
            "t0",
            "{ searchStartups(query: \"s\") { edges { node { name } } } }",
            3,
        ),
        ("f", "{ myStartups { edges { node { name } } } }", 2),
        (
            "t0",
            "{ myApplications { edges { node { role { title } startup { name } } } } }",
            5,
        ),
        (
            "f",
            "query($role: ID!) { roleApplications(roleId: $role) { edges { node { status } } } }",
            3,
        ),
        ("i", "{ myAccessRequests { edges { node { status } } } }", 2),
        (
            "f",
            "{ inbox { edges { node { conversation { id } } } } }",
            2,
        ),
        ("f", "{ notifications { edges { node { title } } } }", 2),
        ("f", "{ mySubscription { status } }", 2),
        (
            "root",
            "{ usersByRole(role: TALENT) { edges { node { email } } } }",
            2,
        ),
        (
            "root",
            "{ usersByStatus(status: ACTIVE) { edges { node { email } } } }",
            2,
        ),
        (
            "root",
            "{ userByEmail(email: \"f@example.com\") { id } }",
            2,
        ),
        (
            "root",
            "{ startupsByStatus(status: ACTIVE) { edges { node { name } } } }",
            4,
        ),
        (
            "root",
            "{ rolesCreated(from: \"2026-01-01T00:00:00Z\", to: \"2027-01-01T00:00:00Z\") { edges { node { title } } } }",
            2,
        ),
        (
            "root",
            "{ auditLog(date: \"2026-02-22\") { edges { node { action } } } }",
            2,
        ),
        (
            "root",
            "{ subscriptionsByStatus(status: ACTIVE) { edges { node { tier } } } }",
            2,
        ),
        (
            "t0",
            "query($startup: ID!) { startup(id: $startup) { name } }",
            2,
        ),
        (
            "t0",
            "query($startup: ID!) { node(id: $startup) { id } }",
            3,
        ),
    ] {
        let used = cost(&hub, name, query, variables.clone()).await;
        assert_eq!(used, (reads, 0), "{query}");
    }
}

/// One in ten open roles is of a startup that the viewer sees.
#[tokio::test]
async fn a_thinned_list_fills_its_pages_within_its_bound_in_both_directions() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("f", "FOUNDER").await;
    hub.register("t", "TALENT").await;
    let seen = hub.published("f", "seen", "PUBLIC").await;
    let hidden = hub.published("f", "hidden", "PRIVATE").await;
    for n in 0..120 {
        hub.0.clock.advance(1);
        let startup = if n % 10 == 0 { &seen } else { &hidden };
        hub.role("f", startup, &format!("r{n}")).await;
    }
    let query = "query($first: Int, $after: String, $last: Int, $before: String) { openRoles(first: $first, after: \
        $after, last: $last, before: $before) { edges { node { title } } pageInfo { hasNextPage hasPreviousPage \
        startCursor endCursor } } }";
    let mut titles = Vec::new();
    let mut variables = json!({ "first": 5 });
    loop {
        let page = hub.query("t", query, variables.clone()).await["openRoles"].clone();
        let edges = page["edges"].as_array().unwrap();
        titles.extend(
            edges
                .iter()
                .map(|edge| edge["node"]["title"].as_str().unwrap().to_owned()),
        );
        if page["pageInfo"]["hasNextPage"] == false {
            break;
        }
        assert_eq!(edges.len(), 5);
        variables["after"] = page["pageInfo"]["endCursor"].clone();
    }
    let expected: Vec<_> = (0..12).rev().map(|n| format!("r{}", n * 10)).collect();
    assert_eq!(titles, expected);
    let page = hub.query("t", query, json!({ "last": 3 })).await["openRoles"].clone();
    assert_eq!(page["edges"][2]["node"]["title"], "r0");
    assert_eq!(page["pageInfo"]["hasPreviousPage"], true);
}
