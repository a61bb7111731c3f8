//! A user's own data: exported, and deleted with the account. Each step says what the others see then.

use serde_json::{Value, json};

use crate::world::{Hub, attach, codes, viewer};

/// A founder and a talent who have had to do with each other.
async fn town() -> (Hub, String, String) {
    let hub = Hub::start().await;
    hub.admin("root").await;
    let ada = hub.register("ada", "FOUNDER").await;
    let tom = hub.register("tom", "TALENT").await;
    let avatar = json!({ "purpose": "AVATAR", "id": tom, "contentType": "image/png", "size": 4 });
    attach(&hub, "tom", avatar).await;
    let startup = hub.published("ada", "Sunny", "PUBLIC").await;
    let role = hub.role("ada", &startup, "Engineer").await;
    let application = hub.apply("tom", &role).await;
    let note = json!({ "id": application, "founderNotes": "a secret note" });
    hub.make("ada", "reviewApplication", note, "application")
        .await;
    let input = json!({ "type": "DIRECT", "participantIds": [tom] });
    let conversation = hub
        .make("ada", "createConversation", input, "conversation")
        .await;
    for (name, content) in [("ada", "from ada"), ("tom", "from tom")] {
        let input = json!({ "conversationId": conversation, "content": content });
        hub.make(name, "sendMessage", input, "message").await;
    }
    (hub, ada, tom)
}

#[tokio::test]
async fn an_export_has_what_is_stored_of_the_user_and_nothing_of_others() {
    let (hub, ..) = town().await;
    let made = hub
        .mutate("tom", "exportMyData", json!({}), "url expiresAt isCut")
        .await;
    assert_eq!(made["isCut"], false);
    let file = hub.0.http.get(made["url"].as_str().unwrap()).send().await;
    let file = file.unwrap();
    let name = file.headers()["content-disposition"]
        .to_str()
        .unwrap()
        .to_owned();
    assert_eq!(name, "attachment; filename=\"my-data.json\"");
    let data: Value = file.json().await.unwrap();
    assert_eq!(data["user"][0]["email"], "tom@example.com");
    assert_eq!(data["applications"][0]["coverLetter"], "letter of tom");
    assert_eq!(data["messages"].as_array().unwrap().len(), 1);
    assert_eq!(data["messages"][0]["content"], "from tom");
    assert!(!data["auditLog"].as_array().unwrap().is_empty());
    let text = data.to_string();
    assert!(!text.contains("a secret note") && !text.contains("ada@example.com"));
    // The URL is good for 15 minutes.
    hub.0.clock.advance(16 * 60);
    let late = hub.0.http.get(made["url"].as_str().unwrap()).send().await;
    assert_eq!(late.unwrap().status(), 403);
}

#[tokio::test]
async fn a_deleted_talent_is_gone_for_everybody() {
    let (hub, ada, tom) = town().await;
    let wrong = hub
        .mutate("tom", "deleteAccount", json!({ "id": ada }), "isComplete")
        .await;
    assert_eq!(codes(&wrong), ["NOT_FOUND"]);
    let avatar = "{ viewer { user { avatarUrl } } }";
    let avatar = hub.query("tom", avatar, Value::Null).await["viewer"]["user"]["avatarUrl"].clone();
    let export = hub.mutate("tom", "exportMyData", json!({}), "url").await;
    let export = export["url"].as_str().unwrap();
    let exported = hub.0.http.get(export).send().await;
    assert_eq!(exported.unwrap().status(), 200);
    let deleted = hub
        .mutate("tom", "deleteAccount", json!({ "id": tom }), "isComplete")
        .await;
    assert_eq!(deleted["isComplete"], true);
    let exported = hub.0.http.get(export).send().await;
    assert_eq!(exported.unwrap().status(), 404);
    // Nobody sees him, and what he said is gone.
    let node = "query($id: ID!) { node(id: $id) { id } }";
    for name in ["root", "ada", "tom"] {
        let seen = hub.query(name, node, json!({ "id": tom })).await;
        assert_eq!(seen["node"], Value::Null, "{name}");
    }
    let inbox = "{ inbox { edges { node { conversation { participants { firstName } messages { edges { node { \
                 content } } } } } } } myStartups { edges { node { applications { edges { cursor } } roles { edges { \
                 node { applicantCount } } } } } } }";
    let adas = hub.query("ada", inbox, Value::Null).await;
    let text = adas.to_string();
    assert!(
        text.contains("from ada") && !text.contains("from tom"),
        "{text}"
    );
    let startup = &adas["myStartups"]["edges"][0]["node"];
    assert_eq!(startup["applications"]["edges"], json!([]));
    assert_eq!(startup["roles"]["edges"][0]["node"]["applicantCount"], 0);
    let gone = hub.0.http.get(avatar.as_str().unwrap()).send().await;
    assert_eq!(gone.unwrap().status(), 404);
    // Nothing of his is stored but entries of the audit log and marks that expire; his address is free.
    for item in hub.items().await {
        let kind = item["entityType"].as_s().unwrap();
        let pk = item["PK"].as_s().unwrap();
        let is_kept = ["AUDIT_LOG", "USAGE", "NOTICE_MARK", "CONTACT", "CREATED_AS"];
        assert!(
            !pk.ends_with("#tom") || is_kept.contains(&kind.as_str()),
            "{item:?}"
        );
        assert_ne!(kind, "APPLICATION");
    }
    let query = "mutation($input: RegisterUserInput!) { registerUser(input: $input) { user { id status } userErrors { \
                 code } } }";
    let input = json!({
        "role": "TALENT", "email": "tom@example.com", "firstName": "New", "lastName": "Tom",
    });
    let data = hub
        .0
        .data(
            "tom2 write email=tom@example.com",
            query,
            json!({ "input": input }),
        )
        .await;
    assert_eq!(data["registerUser"]["user"]["status"], "ACTIVE");
}

#[tokio::test]
async fn a_deleted_founder_leaves_no_startup_and_a_large_account_takes_several_calls() {
    let (hub, ada, _) = town().await;
    let tom = "{ myApplications { edges { node { id } } } inbox { edges { node { conversation { id } } } } }";
    let toms = hub.query("tom", tom, Value::Null).await;
    let conversation = toms["inbox"]["edges"][0]["node"]["conversation"]["id"].clone();
    for n in 0..230 {
        let input = json!({ "conversationId": conversation, "content": n.to_string() });
        hub.make("ada", "sendMessage", input, "message").await;
    }
    let delete = json!({ "id": ada });
    let first = hub
        .mutate("ada", "deleteAccount", delete.clone(), "isComplete")
        .await;
    assert_eq!(first["isComplete"], false);
    // From the first call on she is out of sight, and can do nothing but go on.
    let all = "{ startups { edges { cursor } } openRoles { edges { cursor } } }";
    let seen = hub.query("tom", all, Value::Null).await;
    assert_eq!(
        (&seen["startups"]["edges"], &seen["openRoles"]["edges"]),
        (&json!([]), &json!([]))
    );
    let refused = hub.0.run(&viewer("ada"), all, Value::Null).await;
    assert_eq!(refused.code(), "FORBIDDEN");
    let second = hub
        .mutate("ada", "deleteAccount", delete, "isComplete")
        .await;
    assert_eq!(second["isComplete"], true);
    let applications =
        "{ myApplications { edges { node { coverLetter role { title } startup { name } } } } }";
    let seen = hub.query("tom", applications, Value::Null).await;
    let expected = json!({ "coverLetter": "letter of tom", "role": null, "startup": null });
    assert_eq!(seen["myApplications"]["edges"][0]["node"], expected);
    for item in hub.items().await {
        let kind = item["entityType"].as_s().unwrap();
        assert!(
            !["STARTUP", "STARTUP_ROLE"].contains(&kind.as_str()),
            "{item:?}"
        );
    }
}

#[tokio::test]
async fn a_banned_user_and_one_who_pays_do_not_delete_their_accounts() {
    let paying = crate::stripe::hub().await;
    let event = crate::stripe::event(
        "evt_1",
        "updated",
        trestle_testing::hosted::START,
        "active",
        Some("ada"),
    );
    assert_eq!(crate::stripe::send(&paying, &event).await, 200);
    let own = "{ viewer { user { id } } }";
    let own = paying.query("ada", own, Value::Null).await["viewer"]["user"]["id"].clone();
    let refused = paying
        .mutate("ada", "deleteAccount", json!({ "id": own }), "isComplete")
        .await;
    assert_eq!(codes(&refused), ["CONFLICT"]);
    let hub = Hub::start().await;
    hub.admin("root").await;
    let ada = hub.register("ada", "FOUNDER").await;
    let ban = json!({ "id": ada, "status": "BANNED" });
    hub.make("root", "setUserStatus", ban, "user").await;
    let refused = hub
        .attempt("ada", "deleteAccount", json!({ "id": ada }), "isComplete")
        .await;
    assert_eq!(refused.code(), "FORBIDDEN");
}
