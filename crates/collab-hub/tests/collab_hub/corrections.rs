//! Decisions that are made again, names that are taken, files after they were attached, and what a relation of a page
//! costs.

use serde_json::{Value, json};

use crate::world::{Hub, codes};

#[tokio::test]
async fn approved_access_can_be_narrowed_and_limited() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    hub.register("ida", "INVESTOR").await;
    let startup = hub.published("ada", "s", "INVESTORS_ONLY").await;
    let access = hub.access("ida", &startup, "FULL_ACCESS").await;
    hub.decide("ada", &access, "APPROVED", Value::Null).await;
    let decide = async |input: Value| {
        let fields = "accessRequest { accessLevel expiresAt grantedAt version }";
        let payload = hub.mutate("ada", "decideAccess", input, fields).await;
        assert_eq!(payload["userErrors"], json!([]));
        payload["accessRequest"].clone()
    };
    let narrowed =
        decide(json!({ "id": access, "status": "APPROVED", "accessLevel": "VIEW_PROFILE" })).await;
    assert_eq!(narrowed["accessLevel"], "VIEW_PROFILE");
    let end = "2026-02-22T20:00:00.000Z";
    let limited = decide(json!({ "id": access, "status": "APPROVED", "expiresAt": end })).await;
    assert_eq!(limited["accessLevel"], "VIEW_PROFILE");
    assert_eq!(limited["expiresAt"], end);
    assert_eq!(limited["grantedAt"], narrowed["grantedAt"]);
    let grants = hub.items().await;
    let mut grants = grants
        .iter()
        .filter(|item| item["entityType"].as_s().unwrap() == "ACCESS_GRANT");
    let grant = grants.next().unwrap();
    assert_eq!(grant["accessLevel"].as_s().unwrap(), "VIEW_PROFILE");
    assert_eq!(
        decide(json!({ "id": access, "status": "APPROVED" })).await,
        limited
    );
}

#[tokio::test]
async fn who_has_access_to_a_private_startup_is_told_so() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    hub.register("ida", "INVESTOR").await;
    hub.register("eve", "INVESTOR").await;
    let startup = hub.published("ada", "s", "INVESTORS_ONLY").await;
    let access = hub.access("ida", &startup, "FULL_ACCESS").await;
    hub.decide("ada", &access, "APPROVED", Value::Null).await;
    let private = json!({ "id": startup, "visibility": "PRIVATE" });
    hub.make("ada", "updateStartup", private, "startup").await;
    for (name, code) in [("ida", "CONFLICT"), ("eve", "NOT_FOUND")] {
        let input = json!({ "startupId": startup, "accessLevel": "VIEW_DECK" });
        let payload = hub
            .mutate(name, "requestAccess", input, "accessRequest { id }")
            .await;
        assert_eq!(codes(&payload), [code], "{name}");
    }
}

#[tokio::test]
async fn registering_again_with_another_address_is_a_conflict() {
    let hub = Hub::start().await;
    hub.register("ada", "FOUNDER").await;
    let input = |email: &str| json!({ "role": "FOUNDER", "email": email, "firstName": "ada-first", "lastName": "ada-last" });
    let again = hub
        .mutate(
            "ada",
            "registerUser",
            input("ada@example.com"),
            "user { email }",
        )
        .await;
    assert_eq!(again["user"]["email"], "ada@example.com");
    let other = hub
        .mutate(
            "ada",
            "registerUser",
            input("ada@other.example"),
            "user { email }",
        )
        .await;
    assert_eq!(codes(&other), ["CONFLICT"]);
}

#[tokio::test]
async fn an_attached_file_stays_as_it_was_attached() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    let startup = hub.published("ada", "s", "PUBLIC").await;
    let input = json!({ "purpose": "LOGO", "id": startup, "contentType": "image/png", "size": 4 });
    let ticket = hub
        .mutate(
            "ada",
            "createUpload",
            input,
            "upload { uploadId url headers { name value } }",
        )
        .await;
    let upload = &ticket["upload"];
    let put = async |body: &'static str| {
        let mut request = hub.0.http.put(upload["url"].as_str().unwrap()).body(body);
        for header in upload["headers"].as_array().unwrap() {
            request = request.header(
                header["name"].as_str().unwrap(),
                header["value"].as_str().unwrap(),
            );
        }
        request.send().await.unwrap();
    };
    let attach = async || {
        let input = json!({ "purpose": "LOGO", "id": startup, "uploadId": upload["uploadId"] });
        let payload = hub
            .mutate("ada", "attachUpload", input, "startup { logoUrl }")
            .await;
        let url = payload["startup"]["logoUrl"]
            .as_str()
            .unwrap_or_else(|| panic!("{payload}"));
        hub.0
            .http
            .get(url)
            .send()
            .await
            .unwrap()
            .text()
            .await
            .unwrap()
    };
    put("good").await;
    assert_eq!(attach().await, "good");
    put("evil").await;
    assert_eq!(attach().await, "good");
}

#[tokio::test]
async fn relations_of_a_page_are_read_together() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    hub.register("tom", "TALENT").await;
    let mut roles = Vec::new();
    for name in ["a", "b", "c", "d"] {
        let startup = hub.published("ada", name, "PUBLIC").await;
        roles.push(hub.role("ada", &startup, name).await);
        hub.apply("tom", roles.last().unwrap()).await;
    }
    let calls = async |query: &str, variables: Value| {
        hub.0.calls.reset();
        hub.query("tom", query, variables).await;
        hub.0.calls.counts()
    };
    let list = "query($n: Int) { myApplications(first: $n) { edges { node { role { title } } } } }";
    assert_eq!(
        calls(list, json!({ "n": 1 })).await,
        calls(list, json!({ "n": 4 })).await
    );
    let nodes = "query($ids: [ID!]!) { nodes(ids: $ids) { id } }";
    assert_eq!(
        calls(nodes, json!({ "ids": roles[..1] })).await,
        calls(nodes, json!({ "ids": roles })).await
    );
}

#[tokio::test]
async fn a_notification_names_what_it_is_about() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    hub.register("tom", "TALENT").await;
    let startup = hub.published("ada", "s", "PUBLIC").await;
    let role = hub.role("ada", &startup, "r").await;
    // Later than what the founder was told of the startup.
    hub.0.clock.advance(1);
    let application = hub.apply("tom", &role).await;
    let list =
        "{ notifications(first: 1) { edges { node { relatedEntityType relatedEntityId } } } }";
    let seen = hub.query("ada", list, json!({})).await;
    let about = json!({ "relatedEntityType": "APPLICATION", "relatedEntityId": application });
    assert_eq!(seen["notifications"]["edges"][0]["node"], about);
}

#[tokio::test]
async fn admins_see_what_was_created_in_a_time_range() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    let mut made = Vec::new();
    for name in ["a", "b", "c"] {
        hub.0.clock.advance(60);
        made.push(hub.startup("ada", name, "PRIVATE").await);
    }
    let query = "query($from: DateTime!, $to: DateTime!, $after: String) {
        startupsCreated(from: $from, to: $to, first: 1, after: $after) {
            edges { cursor node { id name createdAt } } pageInfo { hasNextPage } } }";
    let all = json!({ "from": "2026-01-01T00:00:00Z", "to": "2027-01-01T00:00:00Z" });
    let first = hub.query("root", query, all.clone()).await["startupsCreated"].clone();
    let newest = &first["edges"][0];
    assert_eq!(newest["node"]["name"], "c");
    assert_eq!(first["pageInfo"]["hasNextPage"], true);
    let mut next = all;
    next["after"] = newest["cursor"].clone();
    let second = hub.query("root", query, next).await["startupsCreated"]["edges"][0].clone();
    assert_eq!(second["node"]["name"], "b");
    // Both ends are included.
    let at = &second["node"]["createdAt"];
    let only = hub
        .query("root", query, json!({ "from": at, "to": at }))
        .await;
    assert_eq!(only["startupsCreated"]["edges"][0]["node"]["name"], "b");
    assert_eq!(only["startupsCreated"]["pageInfo"]["hasNextPage"], false);
    for kind in ["users", "roles"] {
        let query = format!(
            "{{ {kind}Created(from: \"2026-01-01T00:00:00Z\", to: \"2027-01-01T00:00:00Z\") {{ edges {{ cursor }} }} }}"
        );
        let found = hub.query("root", &query, json!({})).await;
        let found = found[format!("{kind}Created")]["edges"]
            .as_array()
            .unwrap()
            .len();
        assert_eq!(found, if kind == "users" { 2 } else { 0 });
    }
}
