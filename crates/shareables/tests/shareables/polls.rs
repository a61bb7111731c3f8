//! Polls: options, votes, closing.

use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::site::{ADMIN, Opened, VIEW, at, data, errors, mutate, open, options, poll, site};
use trestle_testing::hosted::TestServer;

async fn vote(site: &TestServer, on: &Opened, options: &[&str]) -> Value {
    let input = json!({ "shortId": on.short_id, "optionIds": options });
    mutate(
        site,
        &on.token,
        "vote",
        "vote { optionIds voterName }",
        input,
    )
    .await
}

async fn counts(site: &TestServer, on: &Opened) -> Vec<Option<u64>> {
    options(site, on)
        .await
        .into_iter()
        .map(|option| option.2)
        .collect()
}

async fn ids(site: &TestServer, on: &Opened) -> Vec<String> {
    options(site, on)
        .await
        .into_iter()
        .map(|option| option.0)
        .collect()
}

#[tokio::test]
async fn a_vote_is_changed_and_taken_back_and_never_counted_twice() {
    let site = site().await;
    let made = poll(&site, json!({})).await;
    let (bob, ids) = (
        open(&site, &made.short_id, VIEW).await,
        ids(&site, &made).await,
    );
    let voted = vote(&site, &bob, &[&ids[0]]).await;
    assert_eq!(
        voted["vote"],
        json!({ "optionIds": [ids[0]], "voterName": "Bob" })
    );
    vote(&site, &bob, &[&ids[0]]).await;
    assert_eq!(counts(&site, &made).await, [Some(1), Some(0), Some(0)]);
    vote(&site, &bob, &[&ids[1]]).await;
    assert_eq!(counts(&site, &made).await, [Some(0), Some(1), Some(0)]);
    // As the first vote was, though the vote is another one now.
    vote(&site, &bob, &[&ids[0]]).await;
    assert_eq!(counts(&site, &made).await, [Some(1), Some(0), Some(0)]);
    vote(&site, &made, &[&ids[2], &ids[2]]).await;
    assert_eq!(counts(&site, &made).await, [Some(1), Some(0), Some(1)]);
    vote(&site, &bob, &[]).await;
    assert_eq!(counts(&site, &made).await, [Some(0), Some(0), Some(1)]);
    let two = vote(&site, &bob, &[&ids[0], &ids[1]]).await;
    assert_eq!(errors(&two), ["INVALID optionIds"]);
    let other = poll(&site, json!({})).await;
    let foreign = self::ids(&site, &other).await;
    assert_eq!(
        errors(&vote(&site, &bob, &[&foreign[0]]).await),
        ["NOT_FOUND optionIds.0"]
    );
    assert_eq!(counts(&site, &made).await, [Some(0), Some(0), Some(1)]);
}

#[tokio::test]
async fn a_vote_can_be_for_several_options_if_the_poll_allows_it() {
    let site = site().await;
    let made = poll(&site, json!({ "allowsSeveral": true })).await;
    let ids = ids(&site, &made).await;
    vote(&site, &made, &[&ids[0], &ids[1]]).await;
    vote(&site, &made, &[&ids[1], &ids[2]]).await;
    assert_eq!(counts(&site, &made).await, [Some(0), Some(1), Some(1)]);
    let query = "query($id: String!) { shareable(shortId: $id) { ... on Poll {
        myVote { optionIds poll { question } } votes(first: 5) { edges { node { optionIds } } } } } }";
    let read = data(&site, &made.token, query, json!({ "id": made.short_id })).await;
    let poll = &read["shareable"];
    assert_eq!(poll["myVote"]["optionIds"], json!([ids[1], ids[2]]));
    assert_eq!(
        poll["votes"]["edges"][0]["node"]["optionIds"],
        poll["myVote"]["optionIds"]
    );
}

#[tokio::test]
async fn a_poll_closes_at_its_time_without_a_job_and_can_be_opened_again() {
    let site = site().await;
    let made = poll(&site, json!({ "closesAt": at(600), "hidesResults": true })).await;
    let ids = ids(&site, &made).await;
    vote(&site, &made, &[&ids[0]]).await;
    assert_eq!(counts(&site, &made).await, [None, None, None]);
    site.clock.advance(599);
    assert_eq!(errors(&vote(&site, &made, &[&ids[1]]).await), [""; 0]);
    site.clock.advance(1);
    assert_eq!(
        errors(&vote(&site, &made, &[&ids[0]]).await),
        ["CONFLICT optionIds"]
    );
    assert_eq!(
        errors(&vote(&site, &made, &[]).await),
        ["CONFLICT optionIds"]
    );
    assert_eq!(counts(&site, &made).await, [Some(0), Some(1), Some(0)]);
    let later = json!({ "shortId": made.short_id, "closesAt": at(900) });
    let more = "poll { isClosed closesAt version }";
    let opened = mutate(&site, &made.token, "updatePoll", more, later).await;
    assert_eq!(opened["poll"]["isClosed"], false, "{opened}");
    assert_eq!(errors(&vote(&site, &made, &[&ids[0]]).await), [""; 0]);
    let close = json!({ "shortId": made.short_id });
    let closed = mutate(&site, &made.token, "closePoll", more, close).await;
    assert_eq!(closed["poll"]["isClosed"], true, "{closed}");
    assert_eq!(
        errors(&vote(&site, &made, &[&ids[1]]).await),
        ["CONFLICT optionIds"]
    );
    assert_eq!(counts(&site, &made).await, [Some(1), Some(0), Some(0)]);
}

#[tokio::test]
async fn options_are_added_and_deleted_as_long_as_nobody_voted_for_them() {
    let site = site().await;
    let made = poll(&site, json!({})).await;
    let add = json!({ "shortId": made.short_id, "text": "d" });
    let added = mutate(
        &site,
        &made.token,
        "addPollOption",
        "option { id text voteCount }",
        add,
    )
    .await;
    assert_eq!(added["option"]["voteCount"], 0);
    let id = added["option"]["id"].as_str().unwrap();
    assert_eq!(errors(&vote(&site, &made, &[id]).await), [""; 0]);
    let delete = || json!({ "id": id });
    let refused = mutate(&site, &made.token, "deletePollOption", "", delete()).await;
    assert_eq!(errors(&refused), ["CONFLICT id"]);
    vote(&site, &made, &[]).await;
    let deleted = mutate(
        &site,
        &made.token,
        "deletePollOption",
        "deletedId",
        delete(),
    )
    .await;
    assert_eq!(deleted["deletedId"], id);
    assert_eq!(counts(&site, &made).await.len(), 3);
    for n in 3..20 {
        let add = json!({ "shortId": made.short_id, "text": format!("{n}") });
        assert_eq!(
            errors(&mutate(&site, &made.token, "addPollOption", "", add).await),
            [""; 0]
        );
    }
    let add = json!({ "shortId": made.short_id, "text": "one more" });
    let refused = mutate(&site, &made.token, "addPollOption", "", add).await;
    assert_eq!(errors(&refused), ["LIMIT_REACHED shortId"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixteen_people_vote_at_once_and_the_counts_are_exact() {
    let site = Arc::new(site().await);
    let made = poll(&site, json!({})).await;
    let ids = ids(&site, &made).await;
    let people = (0..16_usize).map(|n| {
        let (site, made, ids) = (site.clone(), made.clone(), ids.clone());
        tokio::spawn(async move {
            let person = open(&site, &made.short_id, VIEW).await;
            for turn in 0..4 {
                let voted = vote(&site, &person, &[&ids[(n + turn) % 3]]).await;
                assert_eq!(errors(&voted), [""; 0]);
            }
        })
    });
    for person in join_all(people).await {
        person.unwrap();
    }
    let mut wanted = [0; 3];
    (0..16_usize).for_each(|n| wanted[n % 3] += 1);
    assert_eq!(counts(&site, &made).await, wanted.map(Some));
}

#[tokio::test]
async fn who_takes_back_no_vote_becomes_no_voter() {
    let site = site().await;
    let made = poll(&site, json!({})).await;
    let bob = open(&site, &made.short_id, VIEW).await;
    assert_eq!(errors(&vote(&site, &bob, &[]).await), [""; 0]);
    let is_vote = |item: &std::collections::HashMap<_, _>| {
        item.get("entity")
            .is_some_and(|entity: &aws_sdk_dynamodb::types::AttributeValue| {
                entity.as_s().is_ok_and(|entity| entity == "poll_vote")
            })
    };
    assert!(!site.items("shareables").await.iter().any(is_vote));
    let deleted = json!({ "shortId": made.short_id, "passcode": ADMIN });
    mutate(&site, &made.token, "deleteShareable", "", deleted).await;
    assert_eq!(errors(&vote(&site, &bob, &[]).await), ["NOT_FOUND shortId"]);
    assert!(!site.items("shareables").await.iter().any(is_vote));
}

#[tokio::test]
async fn a_poll_has_options_and_none_twice() {
    let site = site().await;
    let input =
        |options: &[&str]| json!({ "name": "N", "poll": { "question": "Q?", "options": options } });
    let create = async |options: &[&str]| {
        errors(&mutate(&site, "", "createShareable", "", input(options)).await)
    };
    assert_eq!(create(&[]).await, ["REQUIRED poll.options"]);
    assert_eq!(
        create(&["Mon", "Tue", "mon "]).await,
        ["CONFLICT poll.options.2"]
    );
    let made = poll(&site, json!({})).await;
    let add = json!({ "shortId": made.short_id, "text": "A" });
    let refused = mutate(&site, &made.token, "addPollOption", "", add).await;
    assert_eq!(errors(&refused), ["CONFLICT text"]);
}

#[tokio::test]
async fn the_text_of_an_option_is_corrected_and_its_votes_stay() {
    let site = site().await;
    let made = poll(&site, json!({})).await;
    let ids = ids(&site, &made).await;
    vote(&site, &made, &[&ids[0]]).await;
    let edit = |text: &str| json!({ "id": ids[0], "text": text });
    let more = "option { text editedAt voteCount }";
    let edited = mutate(&site, &made.token, "updatePollOption", more, edit("Monday")).await;
    assert_eq!(edited["option"]["text"], "Monday", "{edited}");
    assert!(edited["option"]["editedAt"].is_string());
    assert_eq!(edited["option"]["voteCount"], 1);
    let twice = mutate(&site, &made.token, "updatePollOption", more, edit("B")).await;
    assert_eq!(errors(&twice), ["CONFLICT text"]);
    let close = json!({ "shortId": made.short_id });
    mutate(&site, &made.token, "closePoll", "", close).await;
    let late = mutate(
        &site,
        &made.token,
        "updatePollOption",
        more,
        edit("Tuesday"),
    )
    .await;
    assert_eq!(errors(&late), ["CONFLICT shortId"]);
}
