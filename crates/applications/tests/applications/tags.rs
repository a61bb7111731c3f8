//! Tags, the location, whether a job is remote, and the text of its posting.

use aws_sdk_dynamodb::types::AttributeValue::{L, Ss};
use serde_json::{Value, json};

use crate::ask::{errors, named, start, text, with};
use crate::support::Api;

const ADDED: &str = "tags location isRemote postingText";

async fn read(api: &Api, id: &str) -> Value {
    let document = format!("query($id: ID!) {{ application(id: $id) {{ {ADDED} }} }}");
    api.data(&document, json!({ "id": id })).await["application"].clone()
}

async fn created(api: &Api, company: &str, more: Value) -> String {
    let made = api.create(with(named(company), more)).await;
    made["id"].as_str().unwrap().to_owned()
}

fn whole() -> Value {
    json!({ "tags": ["Rust", "on call"], "location": "Zürich, Switzerland", "isRemote": true,
        "postingText": "We are\nhiring." })
}

fn none() -> Value {
    json!({ "tags": null, "location": null, "isRemote": null, "postingText": null })
}

#[tokio::test]
async fn each_is_stored_only_if_it_is_set() {
    let (api, hands) = start().await;
    let id = created(&api, "Acme", whole()).await;
    assert_eq!(read(&api, &id).await, whole());
    let stored = api.stored_application(&id).await;
    let tags = L(vec![text("Rust"), text("on call")]);
    assert_eq!(stored["tags"], tags);

    hands.go(1_000);
    let cleared = json!({ "tags": [], "location": " ", "isRemote": null, "postingText": "" });
    api.update(&id, cleared).await;
    assert_eq!(read(&api, &id).await, none());
    let plain = created(&api, "Borel", json!({})).await;
    for id in [&id, &plain] {
        let stored = api.stored(id).await;
        let application = &stored[&format!("APP#{id}")];
        let newest = stored.iter().rfind(|(key, _)| key.starts_with("HIST#"));
        let snapshot = newest.unwrap().1["snapshot"].as_m().unwrap();
        for attribute in ["tags", "location", "isRemote", "postingText"] {
            assert_eq!(application.get(attribute), None, "{attribute}");
            assert_eq!(snapshot.get(attribute), None, "{attribute}");
        }
    }

    hands.go(1_000);
    let other = json!({ "tags": ["Go"], "isRemote": false, "postingText": "Closed." });
    api.update(&id, other).await;
    assert_eq!(
        api.story(&id).await[1..],
        [
            "Tags cleared; Location cleared; Remote cleared; Posting text cleared",
            "Tags set to Go; Set to not remote; Posting text added",
        ]
    );
    hands.go(1_000);
    api.done("restoreApplication", json!({ "id": id, "sequence": 1 }))
        .await;
    assert_eq!(read(&api, &id).await, whole());
    hands.go(1_000);
    api.done("restoreApplication", json!({ "id": id, "sequence": 2 }))
        .await;
    assert_eq!(read(&api, &id).await, none());
    const HISTORY: &str =
        "query($id: ID!) { application(id: $id) { history(last: 1) { edges { node {
      snapshot { tags location isRemote postingText } changes { field after } } } } } }";
    let history = api.data(HISTORY, json!({ "id": id })).await;
    let first = &history["application"]["history"]["edges"][0]["node"];
    assert_eq!(first["snapshot"], whole());
    let changes = first["changes"].as_array().unwrap();
    let tags = json!({ "field": "tags", "after": "Rust, on call" });
    assert!(changes.contains(&tags), "{changes:?}");
}

#[tokio::test]
async fn what_is_too_much_is_a_user_error() {
    let (api, _) = start().await;
    let many: Vec<_> = (0..21).map(|at| at.to_string()).collect();
    for (input, code, field) in [
        (json!({ "tags": ["a,b"] }), "INVALID", "tags"),
        (json!({ "tags": ["a", " "] }), "INVALID", "tags"),
        (json!({ "tags": ["a".repeat(51)] }), "TOO_LONG", "tags"),
        (json!({ "tags": many }), "LIMIT_REACHED", "tags"),
        (
            json!({ "location": "a".repeat(201) }),
            "TOO_LONG",
            "location",
        ),
        (
            json!({ "postingText": "a".repeat(10_001) }),
            "TOO_LONG",
            "postingText",
        ),
    ] {
        let refused = api.refused("createApplication", with(named("Acme"), input));
        assert_eq!(refused.await, errors(&[(code, field)]));
    }
    let longest = json!({ "postingText": "é".repeat(10_000), "tags": &many[..20] });
    created(&api, "Acme", longest).await;
}

#[tokio::test]
async fn the_largest_application_fits_into_its_items() {
    let (api, _) = start().await;
    let wide = |length: usize| "\u{10348}".repeat(length);
    let link = |at: usize| format!("https://acme.example/{at}{}", wide(2_000));
    let tags: Vec<_> = (0..20).map(|at| format!("{at:02}{}", wide(48))).collect();
    let all = json!({ "companyName": wide(200), "positionTitle": wide(200), "notes": wide(5_000),
        "specialRequirements": wide(5_000), "companyUrl": link(1), "jobPostingUrl": link(2),
        "companyCareerUrl": link(3), "nextAction": wide(200), "tags": tags, "location": wide(200),
        "postingText": wide(10_000) });
    let id = api.create(all).await["id"].as_str().unwrap().to_owned();
    for _ in 0..30 {
        let stage = json!({ "name": wide(100), "notes": wide(2_000) });
        api.add_stage(&id, stage).await;
    }
    assert_eq!(
        api.update(&id, json!({ "isRemote": true })).await["version"],
        32
    );
}

#[tokio::test]
async fn lists_are_filtered_by_each() {
    let (api, _) = start().await;
    let zurich = created(&api, "Acme", whole()).await;
    let oslo = json!({ "tags": ["rust"], "location": "Oslo", "isRemote": false });
    let oslo = created(&api, "Borel", oslo).await;
    let plain = created(&api, "Curie", json!({})).await;
    let mut item = api.stored_application(&plain).await;
    item.insert("tags".to_owned(), Ss(vec!["Théâtre".to_owned()]));
    api.put(item).await;
    for (filter, expected) in [
        (json!({ "tags": ["RUST", "none"] }), vec![&oslo, &zurich]),
        (json!({ "tags": ["on call"] }), vec![&zurich]),
        (json!({ "tags": ["theatre"] }), vec![&plain]),
        (json!({ "tags": ["call"] }), vec![]),
        (json!({ "location": "switzerland zurich" }), vec![&zurich]),
        (json!({ "isRemote": true }), vec![&zurich]),
        (json!({ "isRemote": false }), vec![&oslo]),
        (json!({ "tags": ["rust"], "isRemote": false }), vec![&oslo]),
    ] {
        let listed = api.listed(filter.clone()).await;
        let mut expected: Vec<_> = expected.into_iter().cloned().collect();
        let mut found = listed.clone();
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "{filter}");
        let total =
            "query($filter: ApplicationFilter) { applications(filter: $filter) { totalCount } }";
        let total = api.data(total, json!({ "filter": filter })).await;
        assert_eq!(total["applications"]["totalCount"], expected.len());
    }
    let many: Vec<_> = (0..21).map(|at| at.to_string()).collect();
    for filter in [
        json!({ "tags": many }),
        json!({ "location": "a".repeat(201) }),
    ] {
        let list =
            "query($filter: ApplicationFilter) { applications(filter: $filter) { totalCount } }";
        let answer = api.run(list, json!({ "filter": filter })).await;
        assert_eq!(answer.code(), "BAD_USER_INPUT");
    }
}

#[tokio::test]
async fn tags_that_another_program_changed_alone_are_kept_by_the_next_change() {
    let (api, _) = start().await;
    let id = created(&api, "Acme", whole()).await;
    for theirs in [
        L(vec![text("theirs")]),
        Ss(vec!["theirs".to_owned(), "too".to_owned()]),
    ] {
        let mut item = api.stored_application(&id).await;
        item.insert("tags".to_owned(), theirs.clone());
        api.put(item).await;
        api.update(&id, json!({ "notes": format!("{theirs:?}") }))
            .await;
        assert_eq!(api.stored_application(&id).await["tags"], theirs);
        const NEWEST: &str = "query($id: ID!) { application(id: $id) { tags
          history(first: 1) { edges { node { snapshot { tags } } } } } }";
        let read = api.data(NEWEST, json!({ "id": id })).await["application"].clone();
        let newest = &read["history"]["edges"][0]["node"]["snapshot"]["tags"];
        assert_eq!(*newest, read["tags"]);
        assert_eq!(newest[0], "theirs");
    }
}
