//! Longer lives of shareables.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::site::{
    ADMIN, VIEW, at, checklist, create, data, errors, items, mutate, open, options, poll, site,
    try_open,
};
use trestle_testing::hosted::{START, TestServer};

const DAY: i64 = 24 * 3600;
const YEAR: i64 = 365 * DAY;

/// The moments at which the items of these kinds are deleted.
async fn ttls(site: &TestServer, kinds: &[&str]) -> Vec<i64> {
    let all = site.items("shareables").await;
    let of_kind = all.iter().filter(|item| {
        let kind = item["entity"].as_s().unwrap();
        kinds.contains(&kind.as_str())
    });
    let ttl = |value: &AttributeValue| value.as_n().unwrap().parse().unwrap();
    of_kind.map(|item| ttl(&item["ttl"])).collect()
}

async fn extend(site: &TestServer, token: &str, input: Value) -> Value {
    let more = "shareable { expiresAt staysOpen ... on Poll { isClosed hidesResults } }";
    mutate(site, token, "extendShareable", more, input).await
}

#[tokio::test]
async fn a_list_is_extended_with_its_items_also_after_it_has_expired() {
    let site = site().await;
    let made = create(
        &site,
        json!({ "expiresAt": at(DAY), "checklist": { "items": [{ "name": "a" }, { "name": "b" }] } }),
    )
    .await;
    let earlier = json!({ "shortId": made.short_id, "expiresAt": at(DAY - 1) });
    assert_eq!(
        errors(&extend(&site, &made.token, earlier).await),
        ["INVALID expiresAt"]
    );
    let nothing = json!({ "shortId": made.short_id });
    assert_eq!(
        errors(&extend(&site, &made.token, nothing).await),
        ["REQUIRED expiresAt"]
    );
    site.clock.advance(2 * DAY);
    let admin = open(&site, &made.short_id, ADMIN).await;
    let later = json!({ "shortId": made.short_id, "expiresAt": at(9 * DAY) });
    let extended = extend(&site, &admin.token, later).await;
    assert_eq!(
        extended["shareable"]["expiresAt"],
        at(9 * DAY).replace('Z', ".000Z"),
        "{extended}"
    );
    let ttls = ttls(&site, &["checklist", "checklist_item"]).await;
    assert_eq!(ttls, [START + 9 * DAY + YEAR; 3]);
    let bob = open(&site, &made.short_id, VIEW).await;
    let id = items(&site, &bob).await[0].0.clone();
    let ticked = mutate(
        &site,
        &bob.token,
        "tickChecklistItem",
        "",
        json!({ "id": id }),
    )
    .await;
    assert_eq!(errors(&ticked), [""; 0]);
    let add = json!({ "shortId": made.short_id, "name": "c" });
    mutate(&site, &admin.token, "addChecklistItem", "", add).await;
    let ttls = self::ttls(&site, &["checklist_item"]).await;
    assert_eq!(ttls, [START + 9 * DAY + YEAR; 3]);
}

#[tokio::test]
async fn an_extended_poll_takes_votes_again_and_shows_what_it_has_shown() {
    let site = site().await;
    let made = poll(&site, json!({ "hidesResults": true })).await;
    let bob = open(&site, &made.short_id, VIEW).await;
    let id = options(&site, &made).await[0].0.clone();
    let vote = |id: &str| json!({ "shortId": made.short_id, "optionIds": [id] });
    mutate(&site, &bob.token, "vote", "", vote(&id)).await;
    site.clock.advance(31 * DAY);
    let admin = open(&site, &made.short_id, ADMIN).await;
    let later = json!({ "shortId": made.short_id, "expiresAt": at(60 * DAY) });
    let extended = extend(&site, &admin.token, later).await;
    assert_eq!(extended["shareable"]["isClosed"], false, "{extended}");
    assert_eq!(extended["shareable"]["hidesResults"], false);
    let ann = open(&site, &made.short_id, VIEW).await;
    let voted = mutate(&site, &ann.token, "vote", "", vote(&id)).await;
    assert_eq!(errors(&voted), [""; 0]);
    let counts: Vec<_> = options(&site, &ann)
        .await
        .into_iter()
        .map(|o| o.2)
        .collect();
    assert_eq!(counts, [Some(2), Some(0), Some(0)]);
    let ttls = ttls(&site, &["poll", "poll_option", "poll_vote"]).await;
    assert_eq!(ttls, [START + 60 * DAY + YEAR; 6]);
}

#[tokio::test]
async fn a_list_that_stays_open_lives_as_long_as_its_admin_opens_it_once_a_year() {
    let site = site().await;
    let made = create(
        &site,
        json!({ "staysOpen": true, "checklist": { "items": [{ "name": "a" }] } }),
    )
    .await;
    let query = "query($id: String!) { shareable(shortId: $id) { expiresAt staysOpen } }";
    let expiry = async |token: &str| {
        let shown = data(&site, token, query, json!({ "id": made.short_id })).await;
        shown["shareable"]["expiresAt"]
            .as_str()
            .unwrap()
            .replace(".000Z", "Z")
    };
    assert_eq!(expiry(&made.token).await, at(366 * DAY));
    for years in 1..4 {
        site.clock.advance(360 * DAY);
        // Those with the view passcode do not extend it.
        open(&site, &made.short_id, VIEW).await;
        let admin = open(&site, &made.short_id, ADMIN).await;
        assert_eq!(expiry(&admin.token).await, at((360 * years + 366) * DAY));
        assert_eq!(items(&site, &admin).await.len(), 1);
    }
    let ttls = ttls(&site, &["checklist", "checklist_item"]).await;
    assert_eq!(ttls, [START + (3 * 360 + 366) * DAY + YEAR; 2]);
    let admin = open(&site, &made.short_id, ADMIN).await;
    let end = json!({ "shortId": made.short_id, "staysOpen": false });
    let ended = extend(&site, &admin.token, end).await;
    assert_eq!(ended["shareable"]["staysOpen"], false);
    site.clock.advance(366 * DAY);
    open(&site, &made.short_id, ADMIN).await;
    let told = try_open(&site, &made.short_id, VIEW).await.data();
    assert_eq!(errors(&told["openShareable"]), ["CONFLICT shortId"]);
}

#[tokio::test]
async fn items_that_are_added_while_a_list_is_extended_are_kept_as_long() {
    let site = site().await;
    let made = checklist(&site, 20).await;
    let adding = (0..10).map(|n| {
        let add = json!({ "shortId": made.short_id, "name": format!("late {n}") });
        mutate(&site, &made.token, "addChecklistItem", "", add)
    });
    let later = json!({ "shortId": made.short_id, "expiresAt": at(90 * DAY) });
    let (added, extended) = futures_util::join!(
        futures_util::future::join_all(adding),
        extend(&site, &made.token, later)
    );
    assert_eq!(errors(&extended), [""; 0]);
    assert!(
        added.iter().all(|added| errors(added).is_empty()),
        "{added:?}"
    );
    let ttls = ttls(&site, &["checklist", "checklist_item"]).await;
    assert_eq!(ttls, [START + 90 * DAY + YEAR; 31]);
}
