//! Startups by filters, messages by words, saved roles, and messages that are edited, against plain models.

use serde_json::{Value, json};

use crate::costs::{cost, of};
use crate::world::{Hub, codes};

const STAGES: [&str; 2] = ["IDEA", "SCALE"];
const INDUSTRIES: [&str; 2] = ["Énergie", "Food"];
const PLACES: [&str; 2] = ["Zürich", "Basel, CH"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn startups_are_filtered_by_stage_industry_and_place_in_every_combination() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    hub.register("tom", "TALENT").await;
    let mut all = Vec::new();
    for stage in STAGES {
        for industry in INDUSTRIES {
            for place in PLACES {
                let name = format!("{stage} {industry} {place}");
                let input = json!({
                    "name": name, "tagline": "x", "description": "x", "industry": industry, "location": place,
                    "stage": stage, "visibility": "PUBLIC",
                });
                let id = hub.make("ada", "createStartup", input, "startup").await;
                hub.set_status("ada", &id, "PENDING_REVIEW").await;
                hub.set_status("root", &id, "ACTIVE").await;
                all.push((stage, industry, place, name));
            }
        }
    }
    let startups = "query($filter: StartupFilter, $after: String) { startups(filter: $filter, first: 3, after: $after) { edges \
        { node { name } } pageInfo { hasNextPage endCursor } } }";
    let search = "query($filter: StartupFilter, $after: String) { startups: searchStartups(query: \"energie\", filter: $filter, first: 3, \
        after: $after) { edges { node { name } } pageInfo { hasNextPage endCursor } } }";
    for stages in [None, Some(vec!["IDEA"]), Some(vec!["IDEA", "SCALE"])] {
        for (industry, wanted_industry) in [
            (None, ""),
            (Some("energie"), "Énergie"),
            (Some("FOOD"), "Food"),
        ] {
            for (place, wanted_place) in [
                (None, ""),
                (Some("zurich"), "Zürich"),
                (Some("basel"), "Basel, CH"),
            ] {
                let filter = json!({ "stages": stages, "industry": industry, "location": place });
                for (query, word) in [(startups, ""), (search, "Énergie")] {
                    let matching = all.iter().filter(|(stage, of, at, _)| {
                        stages.as_ref().is_none_or(|stages| stages.contains(stage))
                            && of.contains(wanted_industry)
                            && of.contains(word)
                            && at.contains(wanted_place)
                    });
                    let mut expected: Vec<_> = matching.map(|(.., name)| name.clone()).collect();
                    let (mut found, mut after) = (Vec::new(), Value::Null);
                    loop {
                        let variables = json!({ "filter": filter, "after": after });
                        let page = hub.query("tom", query, variables).await["startups"].clone();
                        let edges = page["edges"].as_array().unwrap();
                        found.extend(
                            edges
                                .iter()
                                .map(|edge| edge["node"]["name"].as_str().unwrap().to_owned()),
                        );
                        if page["pageInfo"]["hasNextPage"] == false {
                            break;
                        }
                        after = page["pageInfo"]["endCursor"].clone();
                    }
                    found.sort_unstable();
                    expected.sort_unstable();
                    assert_eq!(found, expected, "{filter} {word}");
                }
            }
        }
    }
    let bad = json!({ "filter": { "industry": "" } });
    let refused = hub.0.run(&crate::world::viewer("tom"), startups, bad).await;
    assert_eq!(refused.code(), "BAD_USER_INPUT");
    let filter = json!({ "filter": { "stages": ["IDEA"] } });
    // One in two startups matches, so that a second Query, and its founders, fill the page.
    assert_eq!(cost(&hub, "tom", startups, filter).await, (5, 0));
}

/// The texts that a search finds, newest first.
async fn found(hub: &Hub, name: &str, query: &str, conversation: Option<&str>) -> Value {
    let document = "query($query: String!, $id: ID) { searchMessages(query: $query, conversationId: $id) { edges { node { content \
        } } } }";
    let variables = json!({ "query": query, "id": conversation });
    let seen = hub.query(name, document, variables).await["searchMessages"].clone();
    match seen["edges"].as_array() {
        Some(edges) => edges
            .iter()
            .map(|edge| edge["node"]["content"].clone())
            .collect(),
        None => seen,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_are_searched_edited_and_deleted_in_the_conversations_of_the_viewer() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    let bea = hub.register("bea", "FOUNDER").await;
    let cleo = hub.register("cleo", "FOUNDER").await;
    for (one, other) in [("ada", "bea"), ("ada", "cleo"), ("bea", "cleo")] {
        hub.tie(one, other).await;
    }
    assert_eq!(found(&hub, "ada", "tea", None).await, Value::Null);
    let mut talks = Vec::new();
    for others in [json!([bea]), json!([cleo]), json!([bea, cleo])] {
        let input = json!({ "type": "GROUP", "participantIds": others });
        talks.push(
            hub.make("ada", "createConversation", input, "conversation")
                .await,
        );
    }
    let mut messages = Vec::new();
    for (talk, text) in [
        (0, "Tea at nine"),
        (1, "tea, and Café at ten"),
        (2, "CAFE at noon"),
        (0, "nothing"),
    ] {
        hub.0.clock.advance(1);
        let said = json!({ "conversationId": talks[talk], "content": text });
        messages.push(hub.make("ada", "sendMessage", said, "message").await);
    }
    for (name, query, conversation, expected) in [
        (
            "ada",
            "tea",
            None,
            json!(["tea, and Café at ten", "Tea at nine"]),
        ),
        (
            "ada",
            "café",
            None,
            json!(["CAFE at noon", "tea, and Café at ten"]),
        ),
        (
            "ada",
            "at TEA",
            Some(&talks[1]),
            json!(["tea, and Café at ten"]),
        ),
        ("bea", "tea", None, json!(["Tea at nine"])),
        ("bea", "cafe", None, json!(["CAFE at noon"])),
        (
            "cleo",
            "at",
            None,
            json!(["CAFE at noon", "tea, and Café at ten"]),
        ),
        ("root", "at", None, Value::Null),
    ] {
        assert_eq!(
            found(&hub, name, query, conversation.map(String::as_str)).await,
            expected,
            "{name} {query}"
        );
    }
    let stranger = "query($id: ID) { searchMessages(query: \"at\", conversationId: $id) { edges { cursor } } }";
    let refused = hub
        .0
        .run(
            &crate::world::viewer("bea"),
            stranger,
            json!({ "id": talks[1] }),
        )
        .await;
    assert_eq!(refused.code(), "BAD_USER_INPUT");
    // The viewer, the inbox, the conversations, and a Query of each.
    let all = "{ searchMessages(query: \"at\") { edges { cursor } } }";
    assert_eq!(cost(&hub, "ada", all, Value::Null).await, (6, 0));
    // Edited by who has sent it, and by nobody else.
    let edit = json!({ "id": messages[2], "content": "Cocoa at noon" });
    for (name, refusal) in [("bea", "NOT_FOUND"), ("root", "NOT_FOUND")] {
        let refused = hub
            .mutate(name, "editMessage", edit.clone(), "message { id }")
            .await;
        assert_eq!(codes(&refused), [refusal], "{name}");
    }
    let unread = "{ viewer { unreadMessages } inbox { edges { node { conversation { lastMessagePreview } } } } }";
    let before = hub.query("bea", unread, Value::Null).await["viewer"]["unreadMessages"].clone();
    let (edited, costs) = of(
        &hub,
        "ada",
        "editMessage",
        edit,
        "message { content editedAt }",
    )
    .await;
    assert_eq!(costs, (3, 1));
    assert!(edited["message"]["editedAt"].is_string(), "{edited}");
    let after = hub.query("bea", unread, Value::Null).await;
    assert_eq!(after["viewer"]["unreadMessages"], before);
    assert!(after["inbox"].to_string().contains("Cocoa at noon"));
    assert_eq!(found(&hub, "bea", "cafe", None).await, json!([]));
    assert_eq!(
        found(&hub, "bea", "cocoa", None).await,
        json!(["Cocoa at noon"])
    );
    hub.make(
        "ada",
        "deleteMessage",
        json!({ "id": messages[2] }),
        "message",
    )
    .await;
    assert_eq!(found(&hub, "bea", "deleted", None).await, json!([]));
    let late = json!({ "id": messages[2], "content": "x" });
    let refused = hub
        .mutate("ada", "editMessage", late, "message { id }")
        .await;
    assert_eq!(codes(&refused), ["CONFLICT"]);
    // Who has left edits nothing any more.
    let leave = json!({ "conversationId": talks[1] });
    hub.mutate("ada", "leaveConversation", leave, "conversation { id }")
        .await;
    let late = json!({ "id": messages[1], "content": "x" });
    let refused = hub
        .mutate("ada", "editMessage", late, "message { id }")
        .await;
    assert_eq!(codes(&refused), ["CONFLICT"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn roles_are_saved_as_far_as_they_are_seen_and_stay_listed_by_their_titles() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    hub.register("tom", "TALENT").await;
    let saved = async || {
        let list = "{ savedRoles { edges { node { roleTitle role { title } } } } }";
        hub.query("tom", list, Value::Null).await["savedRoles"]["edges"].clone()
    };
    for (visibility, is_seen) in [
        ("PUBLIC", true),
        ("INVESTORS_ONLY", false),
        ("PRIVATE", false),
    ] {
        let startup = hub.published("ada", "Sunny", visibility).await;
        let role = hub.role("ada", &startup, visibility).await;
        let input = json!({ "roleId": role });
        for _ in 0..2 {
            let made = hub
                .mutate("tom", "saveRole", input.clone(), "savedRole { roleTitle }")
                .await;
            assert_eq!(
                made["savedRole"]["roleTitle"] == visibility,
                is_seen,
                "{made}"
            );
        }
        if !is_seen {
            continue;
        }
        assert_eq!(
            saved().await,
            json!([{ "node": { "roleTitle": "PUBLIC", "role": { "title": "PUBLIC" } } }])
        );
        hub.make(
            "ada",
            "deleteRole",
            input
                .clone()
                .as_object()
                .map(|_| json!({ "id": role }))
                .unwrap(),
            "role",
        )
        .await;
        assert_eq!(
            saved().await,
            json!([{ "node": { "roleTitle": "PUBLIC", "role": null } }])
        );
        for refusal in [json!([]), json!(["NOT_FOUND"])] {
            let made = hub
                .mutate(
                    "tom",
                    "unsaveRole",
                    input.clone(),
                    "savedRole { roleTitle }",
                )
                .await;
            assert_eq!(json!(codes(&made)), refusal);
        }
    }
    assert_eq!(saved().await, json!([]));
}
