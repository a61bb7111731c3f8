//! What a tier allows, as `tiers` says it and as it is enforced.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::world::{Hub, codes};

async fn limit(hub: &Hub, tier: usize, name: &str) -> u64 {
    let query = format!("{{ tiers {{ tier {name} }} }}");
    let data = hub.query("root", &query, Value::Null).await;
    data["tiers"][tier][name].as_u64().unwrap()
}

#[tokio::test]
async fn a_founder_has_as_many_startups_as_the_tier_allows() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    let limit = limit(&hub, 0, "startups").await;
    let mut made = Vec::new();
    for n in 0..limit {
        made.push(hub.startup("ada", &format!("s{n}"), "PUBLIC").await);
    }
    let input = |id: &str| {
        json!({
            "startupId": id, "name": "one more", "tagline": "x", "description": "x", "industry": "x", "location": "x",
        })
    };
    let id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    let refused = hub
        .mutate("ada", "createStartup", input(id), "startup { id }")
        .await;
    assert_eq!(codes(&refused), ["LIMIT_REACHED"]);
    // Deleting one makes room, and what was made is found again at the limit.
    hub.make("ada", "deleteStartup", json!({ "id": made[0] }), "startup")
        .await;
    let more = hub.make("ada", "createStartup", input(id), "startup").await;
    let again = hub.make("ada", "createStartup", input(id), "startup").await;
    assert_eq!(again, more);
    hub.tier("ada", "PRO").await;
    hub.startup("ada", "with a tier", "PUBLIC").await;
}

#[tokio::test]
async fn a_talent_applies_as_often_in_a_day_as_the_tier_allows() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    hub.register("tom", "TALENT").await;
    let limit = limit(&hub, 0, "applicationsPerDay").await;
    let startup = hub.published("ada", "s", "PUBLIC").await;
    for n in 0..limit {
        let role = hub.role("ada", &startup, &format!("r{n}")).await;
        hub.apply("tom", &role).await;
    }
    let role = hub.role("ada", &startup, "last").await;
    let input = json!({ "roleId": role, "coverLetter": "x" });
    let refused = hub
        .mutate("tom", "applyForRole", input.clone(), "application { id }")
        .await;
    assert_eq!(codes(&refused), ["LIMIT_REACHED"]);
    let count = "query($id: ID!) { node(id: $id) { ... on Role { applicantCount } } }";
    let count = hub.query("tom", count, json!({ "id": role })).await;
    assert_eq!(count["node"]["applicantCount"], 0);
    hub.0.clock.advance(24 * 3600);
    hub.make("tom", "applyForRole", input, "application").await;
}

#[tokio::test]
async fn uploads_of_a_day_are_limited() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    let startup = hub.startup("ada", "s", "PUBLIC").await;
    let limit = limit(&hub, 0, "uploadMegabytesPerDay").await;
    let deck = 20 * 1024 * 1024;
    let input = json!({
        "purpose": "PITCH_DECK", "id": startup, "contentType": "application/pdf", "size": deck,
    });
    for _ in 0..limit / 20 {
        let made = hub
            .mutate("ada", "createUpload", input.clone(), "upload { uploadId }")
            .await;
        assert_eq!(made["userErrors"], json!([]));
    }
    let refused = hub
        .mutate("ada", "createUpload", input.clone(), "upload { uploadId }")
        .await;
    assert_eq!(codes(&refused), ["LIMIT_REACHED"]);
    assert_eq!(refused["userErrors"][0]["field"], json!(["size"]));
    hub.0.clock.advance(24 * 3600);
    let made = hub
        .mutate("ada", "createUpload", input, "upload { uploadId }")
        .await;
    assert_eq!(made["userErrors"], json!([]));
}

/// Each quota that is used up: the refusal has the limit, when it is counted anew, and the argument that says how much.
#[tokio::test]
async fn a_refusal_names_the_limit_and_when_it_ends() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    let ada = hub.register("ada", "FOUNDER").await;
    let startup = hub.published("ada", "s", "PUBLIC").await;
    let role = hub.role("ada", &startup, "r").await;
    hub.register("tom", "TALENT").await;
    hub.register("ida", "INVESTOR").await;
    let direct = json!({ "type": "DIRECT", "participantIds": [ada] });
    let new = json!({
        "name": "n", "tagline": "x", "description": "x", "industry": "x", "location": "x",
    });
    let deck = json!({
        "purpose": "PITCH_DECK", "id": startup, "contentType": "application/pdf", "size": 4,
    });
    let invite = json!({ "startupId": startup, "accessLevel": "VIEW_DECK" });
    let request = json!({ "startupId": startup, "accessLevel": "VIEW_DECK" });
    let apply = json!({ "roleId": role, "coverLetter": "x" });
    let report = json!({ "reportedId": ada, "reason": "SPAM" });
    for (name, quota, limit_field, mutation, input, field) in [
        ("ada", "STARTUPS", "startups", "createStartup", new, "input"),
        (
            "tom",
            "APPLICATIONS",
            "applicationsPerDay",
            "applyForRole",
            apply,
            "input",
        ),
        (
            "ida",
            "ACCESS_REQUESTS",
            "accessRequestsPerDay",
            "requestAccess",
            request,
            "input",
        ),
        (
            "tom",
            "CONVERSATIONS",
            "conversationsPerDay",
            "createConversation",
            direct.clone(),
            "input",
        ),
        (
            "ida",
            "NEW_CONTACTS",
            "newContactsPerDay",
            "createConversation",
            direct,
            "participantIds",
        ),
        (
            "ada",
            "INVITATIONS",
            "invitationsPerDay",
            "createInvitation",
            invite,
            "input",
        ),
        (
            "ada",
            "UPLOADED_BYTES",
            "uploadMegabytesPerDay",
            "createUpload",
            deck,
            "size",
        ),
        (
            "tom",
            "REPORTS",
            "reportsPerDay",
            "createReport",
            report,
            "input",
        ),
    ] {
        let limit = limit(&hub, 0, limit_field).await;
        let used = match quota {
            "UPLOADED_BYTES" => limit * 1024 * 1024,
            _ => limit,
        };
        let place = match quota {
            "STARTUPS" => quota.to_owned(),
            _ => format!("{quota}#2026-02-22"),
        };
        let text = |text: &str| AttributeValue::S(text.into());
        let update = hub.0.dynamodb.update_item().table_name("collabhub-main");
        let update = update
            .key("PK", text(&format!("USAGE#{name}")))
            .key("SK", text(&place))
            .update_expression("SET used = :used")
            .expression_attribute_values(":used", AttributeValue::N(used.to_string()));
        update.send().await.unwrap();
        let refused = hub.mutate(name, mutation, input, "__typename").await;
        assert_eq!(codes(&refused), ["LIMIT_REACHED"], "{quota}: {refused}");
        let error = &refused["userErrors"][0];
        assert_eq!(error["field"], json!([field]), "{quota}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(&format!(" {limit} ")), "{message}");
        assert_eq!(
            message.contains("midnight UTC"),
            quota != "STARTUPS",
            "{message}"
        );
    }
}
