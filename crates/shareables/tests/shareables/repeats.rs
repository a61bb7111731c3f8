//! Additions that a client repeats because it does not know whether they arrived.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::site::{
    Opened, VIEW, checklist, errors, items, mutate, mutate_raw, open, options, poll, site,
};
use trestle_testing::hosted::TestServer;

fn id() -> String {
    uuid::Uuid::new_v4().to_string()
}

async fn add(site: &TestServer, on: &Opened, name: &str, id: &str) -> Value {
    let input = json!({ "shortId": on.short_id, "name": name, "itemId": id });
    let more = "item { id name order tickedAt }";
    mutate(site, &on.token, "addChecklistItem", more, input).await
}

async fn names(site: &TestServer, on: &Opened) -> Vec<String> {
    let items = items(site, on).await.into_iter();
    items.map(|(_, name, _)| name).collect()
}

#[tokio::test]
async fn an_item_that_is_added_again_is_the_one_that_is_there() {
    let site = site().await;
    let list = checklist(&site, 1).await;
    let soap = id();
    let first = add(&site, &list, "Soap", &soap).await;
    assert_eq!(errors(&first), [""; 0]);
    let tick = json!({ "id": first["item"]["id"] });
    mutate(&site, &list.token, "tickChecklistItem", "", tick).await;
    let again = add(&site, &list, "Soap", &soap).await;
    assert_eq!(errors(&again), [""; 0]);
    assert_eq!(again["item"]["id"], first["item"]["id"]);
    // A client that has made the UUID knows the item's id before the answer.
    let known = format!("i{}{}", list.short_id, soap.replace('-', ""));
    let known = URL_SAFE_NO_PAD.encode(known);
    assert_eq!(first["item"]["id"], known);
    assert!(again["item"]["tickedAt"].is_string(), "{again}");
    assert_eq!(names(&site, &list).await, ["item 0", "Soap"]);
    // The same id for something else is a mistake.
    let other = add(&site, &list, "Towel", &soap).await;
    assert_eq!(errors(&other), ["CONFLICT itemId"]);
    let odd = add(&site, &list, "Towel", "soap").await;
    assert_eq!(errors(&odd), ["INVALID itemId"]);
    assert_eq!(names(&site, &list).await, ["item 0", "Soap"]);
    // In another list the id is free.
    let elsewhere = checklist(&site, 0).await;
    assert_eq!(
        errors(&add(&site, &elsewhere, "Towel", &soap).await),
        [""; 0]
    );
}

#[tokio::test]
async fn who_may_not_add_does_not_get_what_is_there_by_its_id() {
    let site = site().await;
    let list = checklist(&site, 0).await;
    let soap = id();
    add(&site, &list, "Soap", &soap).await;
    let viewer = open(&site, &list.short_id, VIEW).await;
    let input = json!({ "shortId": list.short_id, "name": "Soap", "itemId": soap });
    let refused = mutate_raw(&site, &viewer.token, "addChecklistItem", "", input).await;
    assert_eq!(refused.code(), "FORBIDDEN");
    let other = checklist(&site, 0).await;
    let input = json!({ "shortId": list.short_id, "name": "Soap", "itemId": soap });
    let refused = mutate(&site, &other.token, "addChecklistItem", "", input).await;
    assert_eq!(errors(&refused), ["NOT_FOUND shortId"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_item_that_eight_requests_add_at_once_is_added_once() {
    let site = Arc::new(site().await);
    let list = checklist(&site, 0).await;
    let soap = id();
    let adding = (0..8).map(|_| {
        let (site, list, soap) = (site.clone(), list.clone(), soap.clone());
        tokio::spawn(async move { add(&site, &list, "Soap", &soap).await })
    });
    let mut ids = Vec::new();
    for added in join_all(adding).await {
        let added = added.unwrap();
        assert_eq!(errors(&added), [""; 0], "{added}");
        ids.push(added["item"]["id"].clone());
    }
    ids.dedup();
    assert_eq!(ids.len(), 1);
    assert_eq!(names(&site, &list).await, ["Soap"]);
}

#[tokio::test]
async fn a_pasted_list_and_a_copy_that_are_added_again_are_there_once() {
    let site = site().await;
    let list = checklist(&site, 0).await;
    let batch = id();
    let paste =
        json!({ "shortId": list.short_id, "text": "- Tent\n- Stove\n- Tent", "batchId": batch });
    let more = "items { id name }";
    let first = mutate(&site, &list.token, "addChecklistItems", more, paste.clone()).await;
    assert_eq!(errors(&first), [""; 0]);
    let again = mutate(&site, &list.token, "addChecklistItems", more, paste.clone()).await;
    assert_eq!(again, first);
    assert_eq!(names(&site, &list).await, ["Tent", "Stove", "Tent"]);
    let mut other = paste;
    other["text"] = json!("Rope");
    let refused = mutate(&site, &list.token, "addChecklistItems", more, other).await;
    assert_eq!(errors(&refused), ["CONFLICT batchId"]);
    let copy = json!({ "id": first["items"][1]["id"], "itemId": id() });
    for _ in 0..2 {
        let name = "duplicateChecklistItem";
        let copied = mutate(&site, &list.token, name, "item { name }", copy.clone()).await;
        assert_eq!(copied["item"]["name"], "Stove", "{copied}");
    }
    assert_eq!(
        names(&site, &list).await,
        ["Tent", "Stove", "Stove", "Tent"]
    );
}

#[tokio::test]
async fn an_option_that_is_added_again_is_the_one_that_is_there() {
    let site = site().await;
    let made = poll(&site, json!({})).await;
    let add = async |on: &Opened, text: &str, id: &str| {
        let input = json!({ "shortId": made.short_id, "text": text, "optionId": id });
        let more = "option { id text voteCount }";
        mutate_raw(&site, &on.token, "addPollOption", more, input).await
    };
    let fourth = id();
    let first = add(&made, "d", &fourth).await.data()["addPollOption"].clone();
    assert_eq!(errors(&first), [""; 0]);
    let vote = json!({ "shortId": made.short_id, "optionIds": [first["option"]["id"]] });
    mutate(&site, &made.token, "vote", "", vote).await;
    let again = add(&made, "d", &fourth).await.data()["addPollOption"].clone();
    assert_eq!(again["option"]["id"], first["option"]["id"], "{again}");
    assert_eq!(again["option"]["voteCount"], 1);
    assert_eq!(options(&site, &made).await.len(), 4);
    let other = add(&made, "e", &fourth).await.data()["addPollOption"].clone();
    assert_eq!(errors(&other), ["CONFLICT optionId"]);
    let viewer = open(&site, &made.short_id, VIEW).await;
    assert_eq!(add(&viewer, "d", &fourth).await.code(), "FORBIDDEN");
}
