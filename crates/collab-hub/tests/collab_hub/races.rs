//! Many clients at once: counters are exact, guards hold.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::world::{Hub, codes, viewer};

async fn counted(hub: &Hub, role: &str) -> (u64, bool) {
    let query = "query($id: ID!) { node(id: $id) { ... on Role { applicantCount isOpen } } }";
    let node = hub.query("founder", query, json!({ "id": role })).await["node"].clone();
    (
        node["applicantCount"].as_u64().unwrap(),
        node["isOpen"].as_bool().unwrap(),
    )
}

async fn entries(hub: &Hub, kind: &str) -> usize {
    let items = hub.items().await;
    items
        .iter()
        .filter(|item| item["entityType"].as_s().unwrap() == kind)
        .count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn applying_withdrawing_and_closing_at_once_keep_the_count_exact() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("founder", "FOUNDER").await;
    let startup = hub.published("founder", "s", "PUBLIC").await;
    let role = hub.role("founder", &startup, "r").await;
    let names: Vec<_> = (0..8).map(|n| format!("t{n}")).collect();
    for name in &names {
        hub.register(name, "TALENT").await;
    }
    // 16 clients: each of 8 applicants applies twice at once.
    let tries = names.iter().chain(&names).map(|name| {
        let input = json!({ "roleId": role, "coverLetter": "x" });
        hub.mutate(name, "applyForRole", input, "application { id }")
    });
    let payloads = join_all(tries).await;
    let applied = payloads
        .iter()
        .filter(|p| !p["application"].is_null())
        .count();
    assert_eq!(applied, 8);
    for refused in payloads.iter().filter(|p| p["application"].is_null()) {
        assert_eq!(codes(refused), ["CONFLICT"]);
    }
    assert_eq!(counted(&hub, &role).await, (8, true));
    assert_eq!(entries(&hub, "APPLICATION_GUARD").await, 8);
    // Half of them withdraw twice at once, the others try again, and the founder closes the role.
    let ids: Vec<_> = payloads.iter().zip(names.iter().chain(&names)).collect();
    let withdrawn = ids
        .iter()
        .filter(|(p, _)| !p["application"].is_null())
        .take(4);
    let withdrawn: Vec<_> = withdrawn
        .map(|(p, name)| {
            (
                p["application"]["id"].as_str().unwrap().to_owned(),
                (*name).clone(),
            )
        })
        .collect();
    let withdrawals = withdrawn.iter().chain(&withdrawn).map(|(id, name)| {
        hub.mutate(
            name,
            "withdrawApplication",
            json!({ "id": id }),
            "application { status }",
        )
    });
    let again = names.iter().map(|name| {
        let input = json!({ "roleId": role, "coverLetter": "again" });
        hub.mutate(name, "applyForRole", input, "application { id }")
    });
    let close = hub.mutate(
        "founder",
        "closeRole",
        json!({ "id": role }),
        "role { isOpen }",
    );
    let (withdrawals, again, closed) = tokio::join!(join_all(withdrawals), join_all(again), close);
    assert_eq!(closed["role"]["isOpen"], false);
    for payload in &withdrawals {
        assert_eq!(payload["application"]["status"], "WITHDRAWN");
    }
    let came_back = again.iter().filter(|p| !p["application"].is_null()).count();
    let (count, is_open) = counted(&hub, &role).await;
    assert_eq!(count as usize, 4 + came_back);
    assert_eq!(entries(&hub, "APPLICATION_GUARD").await, 4 + came_back);
    assert!(!is_open);
    let input = json!({ "roleId": role, "coverLetter": "late" });
    let late = hub
        .mutate(&names[0], "applyForRole", input, "application { id }")
        .await;
    assert!(late["application"].is_null());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_email_address_is_one_users_under_races_and_changes() {
    let hub = Hub::start().await;
    let register = |name: String| {
        let hub = &hub;
        async move {
            let input = json!({
                "role": "TALENT", "email": "Same@Example.com", "firstName": "x", "lastName": "x",
            });
            let query = "mutation($input: RegisterUserInput!) { registerUser(input: $input) { user { id } \
                         userErrors { code field } } }";
            let viewer = format!("{name} write email=same@example.com");
            let variables = json!({ "input": input });
            hub.0.data(&viewer, query, variables).await["registerUser"].clone()
        }
    };
    let payloads = join_all((0..16).map(|n| register(format!("r{n}")))).await;
    assert_eq!(payloads.iter().filter(|p| !p["user"].is_null()).count(), 1);
    for refused in payloads.iter().filter(|p| p["user"].is_null()) {
        assert_eq!(codes(refused), ["CONFLICT"]);
        assert_eq!(refused["userErrors"][0]["field"], json!(["email"]));
    }
    let names: Vec<_> = (0..8).map(|n| format!("u{n}")).collect();
    for name in &names {
        hub.register(name, "FOUNDER").await;
    }
    // Each client's credentials say that the new address is theirs.
    let change = |name: &String, email: &str| {
        let query = "mutation($input: UpdateProfileInput!) { updateProfile(input: $input) { user { email } \
                     userErrors { code field } } }";
        let (hub, name, email) = (&hub, name.clone(), email.to_owned());
        async move {
            let viewer = format!("{name} write email={email}");
            let variables = json!({ "input": { "email": email } });
            hub.0.data(&viewer, query, variables).await["updateProfile"].clone()
        }
    };
    // Everybody wants the same new address, twice; one gets it.
    let payloads = join_all(
        names
            .iter()
            .chain(&names)
            .map(|name| change(name, "new@example.com")),
    )
    .await;
    let winners: std::collections::HashSet<_> = payloads
        .iter()
        .zip(names.iter().chain(&names))
        .filter(|(payload, _)| !payload["user"].is_null())
        .map(|(_, name)| name)
        .collect();
    assert_eq!(winners.len(), 1);
    // The winner's old address is free again, and the new one has one guard.
    let winner = (*winners.iter().next().unwrap()).clone();
    let other = names.iter().find(|name| **name != winner).unwrap();
    let freed = change(other, &format!("{winner}@example.com")).await;
    assert_eq!(freed["userErrors"], json!([]));
    let items = hub.items().await;
    let of = |kind: &str| {
        let items = items
            .iter()
            .filter(|item| item["entityType"].as_s().unwrap() == kind);
        let attribute = if kind == "USER" { "email" } else { "address" };
        let mut emails: Vec<_> = items
            .map(|item| item[attribute].as_s().unwrap().clone())
            .collect();
        emails.sort();
        emails
    };
    assert_eq!(of("USER"), of("EMAIL_GUARD"));
    assert_eq!(of("USER").len(), 9);
}

#[tokio::test]
async fn the_same_input_sent_again_changes_nothing() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("founder", "FOUNDER").await;
    hub.register("talent", "TALENT").await;
    let startup = hub.published("founder", "s", "PUBLIC").await;
    let role = hub.role("founder", &startup, "r").await;
    let input = json!({
        "roleId": role, "coverLetter": "x", "applicationId": "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    });
    let first = hub
        .make("talent", "applyForRole", input.clone(), "application")
        .await;
    let second = hub
        .make("talent", "applyForRole", input, "application")
        .await;
    assert_eq!(first, second);
    assert_eq!(counted(&hub, &role).await.0, 1);
    let query = "{ viewer { user { unreadNotifications } } }";
    let data = hub.0.data(&viewer("founder"), query, Value::Null).await;
    // One for the review of the startup, one for the application.
    assert_eq!(data["viewer"]["user"]["unreadNotifications"], 2);
}
