//! Reports: what admins read of them, and what of it is recorded.

use serde_json::{Value, json};

use crate::world::{Hub, codes, viewer};

#[tokio::test]
async fn admins_read_what_was_reported_and_nothing_else() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    let ada = hub.register("ada", "FOUNDER").await;
    hub.register("tom", "TALENT").await;
    hub.register("eve", "TALENT").await;
    hub.tie("ada", "tom").await;
    let input = json!({ "type": "DIRECT", "participantIds": [ada] });
    let conversation = hub
        .make("tom", "createConversation", input, "conversation")
        .await;
    let mut messages = Vec::new();
    for content in ["buy this", "a secret"] {
        let input = json!({ "conversationId": conversation, "content": content });
        messages.push(hub.make("ada", "sendMessage", input, "message").await);
    }
    let report = |id: &str| json!({ "reportedId": id, "reason": "SPAM", "details": "Every day" });
    // Who does not see it cannot report it, and nobody reports themselves.
    let refused = hub
        .mutate("eve", "createReport", report(&messages[0]), "report { id }")
        .await;
    assert_eq!(codes(&refused), ["NOT_FOUND"]);
    let own = hub
        .mutate("ada", "createReport", report(&messages[0]), "report { id }")
        .await;
    assert_eq!(codes(&own), ["CONFLICT"]);
    let made = hub
        .make("tom", "createReport", report(&messages[0]), "report")
        .await;
    // Ada deletes the message: what was reported stays for the admin.
    hub.make(
        "ada",
        "deleteMessage",
        json!({ "id": messages[0] }),
        "message",
    )
    .await;
    let list = "{ reports(status: OPEN) { edges { node { id reason details status reportedType reportedId \
                reporter { firstName } reportedUser { firstName } } } } }";
    let listed = hub.query("root", list, Value::Null).await["reports"]["edges"][0]["node"].clone();
    let expected = json!({
        "id": made, "reason": "SPAM", "details": "Every day", "status": "OPEN", "reportedType": "MESSAGE",
        "reportedId": messages[0], "reporter": { "firstName": "tom-first" },
        "reportedUser": { "firstName": "ada-first" },
    });
    assert_eq!(listed, expected);
    for name in ["tom", "ada", "eve"] {
        let refused = hub.0.run(&viewer(name), list, Value::Null).await;
        assert_eq!(refused.code(), "FORBIDDEN", "{name}");
    }
    let node = "query($id: ID!) { node(id: $id) { id } }";
    for message in &messages {
        let seen = hub.query("root", node, json!({ "id": message })).await;
        assert_eq!(seen["node"], Value::Null);
    }
    let open = json!({ "id": made });
    let refused = hub
        .attempt("tom", "openReport", open.clone(), "content")
        .await;
    assert_eq!(refused.code(), "FORBIDDEN");
    let opened = hub.mutate("root", "openReport", open, "content").await;
    assert_eq!(opened["content"], "buy this");
    // The read is recorded, with what was read.
    let log = "{ auditLog(date: \"2026-02-22\") { edges { node { action details { name value } user { firstName } } } } }";
    let log = hub.query("root", log, Value::Null).await;
    let edges = log["auditLog"]["edges"].as_array().unwrap().clone();
    let read = edges
        .iter()
        .find(|edge| edge["node"]["action"] == "REPORT_READ")
        .unwrap();
    let expected = json!([{ "name": "reported", "value": messages[0] }]);
    assert_eq!(read["node"]["details"], expected);
    assert_eq!(read["node"]["user"]["firstName"], "root-first");
    // Decided: the reporter is told, and Ada is not.
    let decide = json!({ "id": made, "status": "RESOLVED", "resolution": "She was warned." });
    hub.make("root", "decideReport", decide, "report").await;
    let told = "{ notifications { edges { node { title body } } } myReports { edges { node { status resolution } } } }";
    let toms = hub.query("tom", told, Value::Null).await;
    let bodies = toms["notifications"]["edges"].to_string();
    assert!(bodies.contains("RESOLVED: She was warned."), "{bodies}");
    assert_eq!(
        toms["myReports"]["edges"][0]["node"],
        json!({ "status": "RESOLVED", "resolution": "She was warned." })
    );
    let adas = hub.query("ada", told, Value::Null).await;
    assert!(!adas.to_string().contains("She was warned"));
}

#[tokio::test]
async fn a_banned_user_reads_why() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    let ada = hub.register("ada", "FOUNDER").await;
    hub.register("tom", "TALENT").await;
    let ban = json!({ "id": ada, "status": "BANNED", "reason": "Fraud" });
    hub.make("root", "setUserStatus", ban, "user").await;
    let own = "{ viewer { user { status statusReason } } }";
    let own = hub.query("ada", own, Value::Null).await["viewer"]["user"].clone();
    assert_eq!(own, json!({ "status": "BANNED", "statusReason": "Fraud" }));
    let log = "query($id: ID!) { userAuditLog(userId: $id) { edges { node { action details { name value } } } } }";
    let root = "{ viewer { user { id } } }";
    let root = hub.query("root", root, Value::Null).await["viewer"]["user"]["id"].clone();
    let log = hub.query("root", log, json!({ "id": root })).await;
    let details = log["userAuditLog"]["edges"].to_string();
    assert!(details.contains("\"value\":\"Fraud\""), "{details}");
    let back = json!({ "id": ada, "status": "ACTIVE" });
    hub.make("root", "setUserStatus", back, "user").await;
    let own = "{ viewer { user { statusReason } } }";
    let own = hub.query("ada", own, Value::Null).await;
    assert_eq!(own["viewer"]["user"]["statusReason"], Value::Null);
}

#[tokio::test]
async fn private_notes_do_not_move_the_version_that_the_applicant_sees() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    hub.register("bea", "FOUNDER").await;
    hub.register("tom", "TALENT").await;
    let startup = hub.published("ada", "s", "PUBLIC").await;
    let role = hub.role("ada", &startup, "r").await;
    let application = hub.apply("tom", &role).await;
    let query = "query($id: ID!) { node(id: $id) { ... on RoleApplication { version updatedAt founderNotes } } }";
    let seen = async |name: &str| {
        hub.query(name, query, json!({ "id": application })).await["node"].clone()
    };
    let before = seen("tom").await;
    hub.0.clock.advance(60);
    let note = |text: Value| json!({ "id": application, "founderNotes": text });
    let refused = hub
        .mutate(
            "bea",
            "reviewApplication",
            note(json!("x")),
            "application { id }",
        )
        .await;
    assert_eq!(codes(&refused), ["NOT_FOUND"]);
    for text in [json!("Call him"), json!("Called him")] {
        hub.make("ada", "reviewApplication", note(text), "application")
            .await;
    }
    assert_eq!(seen("tom").await, before);
    assert_eq!(seen("ada").await["founderNotes"], "Called him");
    let stale = json!({ "id": application, "founderNotes": "y", "expectedVersion": 7 });
    let stale = hub
        .mutate("ada", "reviewApplication", stale, "application { id }")
        .await;
    assert_eq!(codes(&stale), ["CONFLICT"]);
    hub.make("ada", "reviewApplication", note(Value::Null), "application")
        .await;
    assert_eq!(seen("ada").await["founderNotes"], Value::Null);
}

#[tokio::test]
async fn admins_are_notified_of_a_thing_once_until_a_report_of_it_is_decided() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    let ada = hub.register("ada", "FOUNDER").await;
    for name in ["tom", "eve", "tina"] {
        hub.register(name, "TALENT").await;
    }
    let startup = hub.published("ada", "Sunny", "PUBLIC").await;
    hub.mutate("root", "markAllNotificationsRead", json!({}), "marked")
        .await;
    let report = async |name: &str, id: &str| {
        hub.0.clock.advance(1);
        let input = json!({ "reportedId": id, "reason": "FRAUD" });
        hub.make(name, "createReport", input, "report").await
    };
    let told = async || {
        let list = "{ notifications(onlyUnread: true) { edges { node { body actor { firstName } relatedEntityId } } } }";
        let list = hub.query("root", list, Value::Null).await;
        let edges = list["notifications"]["edges"].as_array().unwrap().clone();
        edges
            .iter()
            .map(|edge| edge["node"].clone())
            .collect::<Vec<_>>()
    };
    let first = report("tom", &startup).await;
    let expected = json!({
        "body": "tom-first tom-last reported a startup: FRAUD.", "actor": { "firstName": "tom-first" },
        "relatedEntityId": first,
    });
    assert_eq!(told().await, [expected]);
    // The second and the third are in the list, and make no noise. Another thing does.
    report("eve", &startup).await;
    assert_eq!(told().await.len(), 1);
    let person = report("eve", &ada).await;
    assert_eq!(told().await.len(), 2);
    let list = "query($types: [ReportedType!], $order: ReportOrder) { reports(status: OPEN, reportedTypes: $types, \
                orderBy: $order) { edges { node { reportedType reporter { firstName } } } } }";
    let listed = async |variables: Value| {
        let listed = hub.query("root", list, variables).await;
        let edges = listed["reports"]["edges"].as_array().unwrap().clone();
        let line = |edge: &Value| {
            let node = &edge["node"];
            let by = node["reporter"]["firstName"].as_str().unwrap();
            format!("{} {by}", node["reportedType"].as_str().unwrap())
        };
        edges.iter().map(line).collect::<Vec<_>>()
    };
    let newest = json!({ "order": "NEWEST_FIRST" });
    let expected = ["USER eve-first", "STARTUP eve-first", "STARTUP tom-first"];
    assert_eq!(listed(newest).await, expected);
    let users = json!({ "types": ["USER"], "order": "NEWEST_FIRST" });
    assert_eq!(listed(users).await, ["USER eve-first"]);
    let none = hub
        .0
        .run(&viewer("root"), list, json!({ "types": [] }))
        .await;
    assert_eq!(none.code(), "BAD_USER_INPUT");
    // Decided: the next report of the same thing notifies again.
    let decide = |id: &str| json!({ "id": id, "status": "DISMISSED" });
    hub.make("root", "decideReport", decide(&first), "report")
        .await;
    report("tina", &startup).await;
    assert_eq!(told().await.len(), 3);
    // An admin who is reported is not notified of it.
    let root = "{ viewer { user { id } } }";
    let root = hub.query("root", root, Value::Null).await["viewer"]["user"]["id"].clone();
    report("tom", root.as_str().unwrap()).await;
    assert_eq!(told().await.len(), 3);
    hub.make("root", "decideReport", decide(&person), "report")
        .await;
}

#[tokio::test]
async fn admins_list_the_startups_that_have_changed_since_their_review() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    hub.published("ada", "Same", "PUBLIC").await;
    hub.0.clock.advance(1);
    let changed = hub.published("ada", "Sunny", "INVESTORS_ONLY").await;
    let input = json!({ "id": changed, "name": "Casino" });
    hub.make("ada", "updateStartup", input, "startup").await;
    let list = "query($only: Boolean!) { startupsByStatus(status: ACTIVE, onlyChanged: $only) { edges { node { name } } } }";
    for (only, names) in [
        (true, json!(["Casino"])),
        (false, json!(["Casino", "Same"])),
    ] {
        let listed = hub.query("root", list, json!({ "only": only })).await;
        let edges = listed["startupsByStatus"]["edges"]
            .as_array()
            .unwrap()
            .clone();
        let names_of: Vec<_> = edges
            .iter()
            .map(|edge| edge["node"]["name"].clone())
            .collect();
        assert_eq!(json!(names_of), names);
    }
}
