//! What is stored: keys and attributes, and no secret but hashes.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;

use crate::site::{ADMIN, VIEW, at, create, items, mutate, open, options, poll, site, try_open};
use crate::support::hosted::{Hosted, START};

const YEAR: i64 = 365 * 24 * 3600;

type Item = BTreeMap<String, AttributeValue>;

async fn stored(site: &Hosted) -> Vec<Item> {
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
    let site = site().await;
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
        guesses["ttl"],
        AttributeValue::N((START + 24 * 3600).to_string())
    );
    assert_eq!(all.len(), 4);
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
