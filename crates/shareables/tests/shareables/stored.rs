//! What is stored: keys and attributes, and no secret but hashes.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;

use crate::site::{
    ADMIN, VIEW, at, create, items, mutate, open, options, poll, site, site_with_dear_hashes,
    try_open,
};
use trestle_testing::hosted::{START, TestServer};

const YEAR: i64 = 365 * 24 * 3600;

type Item = BTreeMap<String, AttributeValue>;

async fn stored(site: &TestServer) -> Vec<Item> {
    let found = site.items("shareables").await;
    let sorted = |item: std::collections::HashMap<_, _>| item.into_iter().collect();
    found.into_iter().map(sorted).collect()
}

fn text<'i>(item: &'i Item, name: &str) -> &'i str {
    item[name].as_s().expect("a text")
}

fn of<'i>(items: &'i [Item], entity: &str) -> &'i Item {
    items
        .iter()
        .find(|item| text(item, "entity") == entity)
        .expect(entity)
}

fn names(item: &Item) -> Vec<&str> {
    item.keys().map(String::as_str).collect()
}

#[tokio::test]
async fn keys_and_attributes_are_the_contract() {
    let site = site_with_dear_hashes().await;
    let note = json!({ "expiresAt": at(100), "checklist": { "note": "n", "items": [{ "name": "a", "note": "b" }] } });
    let made = create(&site, note).await;
    let id = items(&site, &made).await[0].0.clone();
    let bob = open(&site, &made.short_id, VIEW).await;
    mutate(
        &site,
        &bob.token,
        "tickChecklistItem",
        "",
        json!({ "id": id }),
    )
    .await;
    try_open(&site, &made.short_id, "wrong-passcode").await;
    let all = stored(&site).await;
    let bare = made.short_id.replace('-', "").to_lowercase();
    let ttl = AttributeValue::N((START + 100 + YEAR).to_string());

    let list = of(&all, "checklist");
    assert_eq!(
        (text(list, "pk"), text(list, "sk")),
        (format!("shareable#{bare}").as_str(), "01#")
    );
    assert_eq!(
        names(list),
        [
            "adminPasscode",
            "createdAt",
            "entity",
            "expiresAt",
            "madeOf",
            "name",
            "note",
            "partCount",
            "pk",
            "shortId",
            "sk",
            "ttl",
            "updatedAt",
            "version",
            "viewPasscode"
        ]
    );
    assert_eq!(text(list, "shortId"), made.short_id);
    assert_eq!(text(list, "expiresAt"), at(100));
    assert_eq!(list["ttl"], ttl);
    assert!(text(list, "viewPasscode").starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));

    let item = of(&all, "checklist_item");
    let uuid = text(item, "checklistItemId");
    assert_eq!(text(item, "pk"), format!("checklist_item#{bare}"));
    assert_eq!(text(item, "sk"), format!("01#{}#", uuid.replace('-', "")));
    assert_eq!(
        names(item),
        [
            "checklistItemId",
            "entity",
            "name",
            "note",
            "order",
            "pk",
            "shortId",
            "sk",
            "tickedAt",
            "tickedBy",
            "ttl"
        ]
    );
    assert_eq!(
        (&item["order"], &item["ttl"]),
        (&AttributeValue::N("0".into()), &ttl)
    );

    let given = of(&all, "short_id");
    assert_eq!(
        (text(given, "pk"), names(given)),
        (
            format!("short_id#{bare}").as_str(),
            vec!["entity", "pk", "shortId", "sk"]
        )
    );
    let guesses = of(&all, "guesses");
    assert_eq!(text(guesses, "pk"), format!("guesses#{bare}"));
    assert_eq!(
        text(guesses, "sk"),
        format!("01#{}#", text(guesses, "source"))
    );
    assert!(!format!("{guesses:?}").contains("127.0.0.1"));
    assert_eq!(
        guesses["ttl"],
        AttributeValue::N((START + 100 * 24 * 3600).to_string())
    );
    // The maker is known by the address and as a voter.
    assert_eq!(all.len(), 5);
}

#[tokio::test]
async fn options_and_votes_are_stored_in_the_same_style() {
    let site = site().await;
    let made = poll(&site, json!({ "closesAt": at(50) })).await;
    let option = options(&site, &made).await[0].0.clone();
    let vote = json!({ "shortId": made.short_id, "optionIds": [option] });
    mutate(&site, &made.token, "vote", "", vote).await;
    let all = stored(&site).await;
    let bare = made.short_id.replace('-', "").to_lowercase();
    let option = of(&all, "poll_option");
    let uuid = text(option, "pollOptionId").replace('-', "");
    assert_eq!(text(option, "pk"), format!("poll_option#{bare}"));
    assert_eq!(text(option, "sk"), format!("01#{uuid}#"));
    assert_eq!(text(option, "votableUntil"), at(50));
    let vote = of(&all, "poll_vote");
    let voter = text(vote, "voterId").replace('-', "");
    assert_eq!(text(vote, "pk"), format!("poll_vote#{bare}"));
    assert_eq!(text(vote, "sk"), format!("01#{voter}#"));
    let ttl = &of(&all, "poll")["ttl"];
    assert!(option["ttl"] == *ttl && vote["ttl"] == *ttl);
    let ttl = site
        .dynamodb
        .describe_time_to_live()
        .table_name("shareables")
        .send()
        .await
        .unwrap();
    assert_eq!(
        ttl.time_to_live_description().unwrap().attribute_name(),
        Some("ttl")
    );
}

#[tokio::test]
async fn no_passcode_and_no_token_is_stored_or_answered() {
    let site = site().await;
    let made = poll(&site, json!({})).await;
    let bob = open(&site, &made.short_id, VIEW).await;
    let option = options(&site, &made).await[0].0.clone();
    let vote = json!({ "shortId": made.short_id, "optionIds": [option] });
    mutate(&site, &bob.token, "vote", "", vote).await;
    let wrong = try_open(&site, &made.short_id, "wrong-passcode")
        .await
        .body
        .to_string();
    let all = format!("{:?}", stored(&site).await);
    for secret in [VIEW, ADMIN, "wrong-passcode", &made.token, &bob.token] {
        assert!(!all.contains(secret) && !wrong.contains(secret), "{secret}");
    }
    // A value of another type is refused without being repeated.
    let query = "mutation($p: [Int!]) { openShareable(input: { shortId: \"ABC-DEF-00000\", passcode: $p }) { userErrors { code } } }";
    let refused = crate::site::ask(&site, "", query, json!({ "p": [4711_4711] })).await;
    assert!(
        !refused.body.to_string().contains("47114711"),
        "{}",
        refused.body
    );
}

/// Items as another program writes them: only what a checklist needs.
#[tokio::test]
async fn items_that_lack_what_can_be_computed_are_read_and_used() {
    let site = site().await;
    let made = create(&site, json!({ "checklist": {} })).await;
    let bare = made.short_id.replace('-', "").to_lowercase();
    let id = "0b0cf9b6-5a1c-4f0e-9d2f-6a3c8f0f5d11";
    let item = stored(&site)
        .await
        .into_iter()
        .find(|item| text(item, "entity") == "checklist");
    let mut item = item.unwrap();
    for name in [
        "partCount",
        "version",
        "createdAt",
        "updatedAt",
        "madeOf",
        "ttl",
    ] {
        item.remove(name);
    }
    let s = |text: &str| AttributeValue::S(text.to_owned());
    item.insert("expiresAt".into(), s("2026-03-01"));
    let part = [
        ("pk", s(&format!("checklist_item#{bare}"))),
        ("sk", s(&format!("01#{}#", id.replace('-', "")))),
        ("entity", s("checklist_item")),
        ("shortId", s(&made.short_id.to_lowercase())),
        ("checklistItemId", s(id)),
        ("order", AttributeValue::N("0".into())),
        ("name", s("Tent")),
    ];
    let part = part.map(|(name, value)| (name.to_owned(), value));
    for item in [
        item.into_iter().collect(),
        std::collections::HashMap::from(part),
    ] {
        let put = site.dynamodb.put_item().table_name("shareables");
        put.set_item(Some(item)).send().await.unwrap();
    }
    let bob = open(&site, &made.short_id, VIEW).await;
    let admin = open(&site, &made.short_id, ADMIN).await;
    let read =
        "query($id: String!) { shareable(shortId: $id) { version createdAt updatedAt expiresAt
        ... on Checklist { itemCount items { id name } } } }";
    let of = json!({ "id": made.short_id });
    let shown = crate::site::data(&site, &bob.token, read, of.clone()).await;
    let list = &shown["shareable"];
    assert_eq!(list["items"][0]["name"], "Tent", "{shown}");
    assert_eq!(
        (&list["itemCount"], &list["version"]),
        (&json!(1), &json!(0))
    );
    assert!(list["createdAt"].is_null() && list["updatedAt"].is_null());
    assert_eq!(list["expiresAt"], "2026-03-02T00:00:00.000Z");
    let tent = &list["items"][0]["id"];
    for (token, name, input) in [
        (&bob.token, "tickChecklistItem", json!({ "id": tent })),
        (
            &admin.token,
            "updateChecklistItem",
            json!({ "id": tent, "note": "green" }),
        ),
        (
            &admin.token,
            "addChecklistItem",
            json!({ "shortId": made.short_id, "name": "Stove" }),
        ),
        (
            &admin.token,
            "moveChecklistItem",
            json!({ "id": tent, "afterId": null }),
        ),
        (
            &admin.token,
            "updateChecklist",
            json!({ "shortId": made.short_id, "name": "Camp" }),
        ),
        (&admin.token, "deleteChecklistItem", json!({ "id": tent })),
    ] {
        let done = mutate(&site, token, name, "", input).await;
        assert_eq!(crate::site::errors(&done), [""; 0], "{name}: {done}");
    }
    let shown = crate::site::data(&site, &admin.token, read, of).await;
    assert_eq!(shown["shareable"]["itemCount"], 1, "{shown}");
    assert_eq!(shown["shareable"]["items"][0]["name"], "Stove");
}
