//! What polls have for finding a date: days and times, options that suit if need be, comments and totals.

use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::site::{Opened, VIEW, at, data, errors, mutate, open, options, poll, site};
use trestle_testing::hosted::TestServer;

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

async fn vote(site: &TestServer, on: &Opened, options: &[&str]) -> Value {
    choose(site, on, json!({ "optionIds": options })).await
}

async fn choose(site: &TestServer, on: &Opened, input: Value) -> Value {
    let mut input = input;
    input["shortId"] = json!(on.short_id);
    let more = "vote { optionIds maybeOptionIds comment }";
    mutate(site, &on.token, "vote", more, input).await
}

#[tokio::test]
async fn an_option_suits_if_need_be_and_a_vote_has_a_comment() {
    let site = site().await;
    let made = poll(&site, json!({ "allowsSeveral": true, "allowsMaybe": true })).await;
    let ids = ids(&site, &made).await;
    let bob = open(&site, &made.short_id, VIEW).await;
    let both = json!({ "optionIds": [ids[0]], "maybeOptionIds": [ids[0]] });
    assert_eq!(
        errors(&choose(&site, &bob, both).await),
        ["INVALID maybeOptionIds"]
    );
    let first =
        json!({ "optionIds": [ids[0]], "maybeOptionIds": [ids[1]], "comment": "I come late" });
    let voted = choose(&site, &bob, first).await;
    assert_eq!(voted["vote"]["comment"], "I come late", "{voted}");
    assert_eq!(voted["vote"]["maybeOptionIds"], json!([ids[1]]));
    let query = "query($id: String!) { shareable(shortId: $id) { ... on Poll { voterCount
        options { voteCount maybeCount percentage } } } }";
    let shown = async || {
        let shown = data(&site, &made.token, query, json!({ "id": made.short_id })).await;
        let poll = shown["shareable"].clone();
        let options = poll["options"].as_array().unwrap().clone();
        let option = |o: &Value| (o["voteCount"].clone(), o["maybeCount"].clone());
        let counts: Vec<_> = options.iter().map(option).collect();
        (
            poll["voterCount"].clone(),
            json!(counts),
            options[0]["percentage"].clone(),
        )
    };
    assert_eq!(
        shown().await,
        (json!(1), json!([[1, 0], [0, 1], [0, 0]]), json!(100.0))
    );
    // What suited if need be suits now, and the other way round.
    let second = json!({ "optionIds": [ids[1]], "maybeOptionIds": [ids[0]] });
    let voted = choose(&site, &bob, second).await;
    assert_eq!(voted["vote"]["comment"], Value::Null);
    assert_eq!(
        shown().await,
        (json!(1), json!([[0, 1], [1, 0], [0, 0]]), json!(0.0))
    );
    choose(
        &site,
        &made,
        json!({ "optionIds": [], "maybeOptionIds": [ids[2]] }),
    )
    .await;
    assert_eq!(shown().await.0, 2);
    choose(&site, &bob, json!({ "optionIds": [] })).await;
    assert_eq!(
        shown().await,
        (json!(1), json!([[0, 0], [0, 0], [0, 1]]), json!(0.0))
    );
    let used = json!({ "id": ids[2] });
    let refused = mutate(&site, &made.token, "deletePollOption", "", used).await;
    assert_eq!(errors(&refused), ["CONFLICT id"]);
    let plain = poll(&site, json!({})).await;
    let id = self::ids(&site, &plain).await[0].clone();
    let maybe = json!({ "optionIds": [], "maybeOptionIds": [id] });
    assert_eq!(
        errors(&choose(&site, &plain, maybe).await),
        ["INVALID maybeOptionIds"]
    );
}

#[tokio::test]
async fn days_and_times_are_options_in_the_time_zone_of_the_poll() {
    let site = site().await;
    let made = poll(
        &site,
        json!({ "options": ["never"], "timeZone": "Europe/Berlin", "times": [
            { "day": "2026-05-01" },
            { "startsAt": "2026-05-02T18:00:00+02:00", "endsAt": "2026-05-02T20:00:00+02:00" },
            { "startsAt": "2026-05-03T18:00:00+02:00", "text": "Sunday, at Ann's" },
        ] }),
    )
    .await;
    let query = "query($id: String!) { shareable(shortId: $id) { ... on Poll { timeZone
        options { text day startsAt endsAt } } } }";
    let shown = data(&site, &made.token, query, json!({ "id": made.short_id })).await;
    let poll = &shown["shareable"];
    assert_eq!(poll["timeZone"], "Europe/Berlin");
    assert_eq!(
        poll["options"],
        json!([
            { "text": "never", "day": null, "startsAt": null, "endsAt": null },
            { "text": "2026-05-01", "day": "2026-05-01", "startsAt": null, "endsAt": null },
            { "text": "2026-05-02T18:00:00+02:00/2026-05-02T20:00:00+02:00", "day": null,
              "startsAt": "2026-05-02T16:00:00.000Z", "endsAt": "2026-05-02T18:00:00.000Z" },
            { "text": "Sunday, at Ann's", "day": null, "startsAt": "2026-05-03T16:00:00.000Z", "endsAt": null },
        ])
    );
    let add = json!({ "shortId": made.short_id, "time": { "day": "2026-05-01" } });
    let twice = mutate(&site, &made.token, "addPollOption", "", add).await;
    assert_eq!(errors(&twice), ["CONFLICT text"]);
    let add = json!({ "shortId": made.short_id, "time": { "day": "2026-05-09" } });
    let added = mutate(
        &site,
        &made.token,
        "addPollOption",
        "option { id text }",
        add,
    )
    .await;
    assert_eq!(added["option"]["text"], "2026-05-09");
    // The order of options is theirs who made the poll.
    let first = json!({ "id": added["option"]["id"], "afterId": null });
    mutate(&site, &made.token, "movePollOption", "", first).await;
    let ids = ids(&site, &made).await;
    let back = json!({ "id": ids[0], "afterId": ids[2] });
    mutate(&site, &made.token, "movePollOption", "", back).await;
    let order: Vec<_> = options(&site, &made)
        .await
        .into_iter()
        .map(|o| o.1)
        .collect();
    assert_eq!(order[..3], ["never", "2026-05-01", "2026-05-09"]);
    for (times, field) in [
        (json!([{}]), "INVALID poll.times.0.day"),
        (
            json!([{ "day": "2026-05-01", "startsAt": at(1) }]),
            "INVALID poll.times.0.day",
        ),
        (json!([{ "day": "May 1" }]), "INVALID poll.times.0.day"),
        (
            json!([{ "startsAt": at(2), "endsAt": at(2) }]),
            "INVALID poll.times.0.endsAt",
        ),
        (
            json!([{ "day": "2026-05-01" }, { "day": "2026-05-01" }]),
            "CONFLICT poll.times.1",
        ),
    ] {
        let input = json!({ "name": "N", "poll": { "question": "Q?", "times": times } });
        let refused = mutate(&site, "", "createShareable", "", input).await;
        assert_eq!(errors(&refused), [field]);
    }
}

#[tokio::test]
async fn a_poll_has_a_time_zone_that_exists() {
    let site = site().await;
    let create = async |zone: &str| {
        let input = json!({ "name": "N", "poll": { "question": "Q?", "options": ["a"], "timeZone": zone } });
        mutate(
            &site,
            "",
            "createShareable",
            "shareable { ... on Poll { timeZone } }",
            input,
        )
        .await
    };
    for (zone, stored) in [
        ("Europe/Berlin", "Europe/Berlin"),
        (
            "america/argentina/buenos_aires",
            "America/Argentina/Buenos_Aires",
        ),
        ("Asia/Calcutta", "Asia/Calcutta"),
        ("UTC", "UTC"),
        ("Etc/GMT+3", "Etc/GMT+3"),
    ] {
        let made = create(zone).await;
        assert_eq!(made["shareable"]["timeZone"], stored, "{made}");
    }
    for zone in [
        "<b>",
        "Europe/Atlantis",
        "Berlin",
        "+02:00",
        "CEST",
        "Etc/Unknown",
        "Europe/",
    ] {
        let refused = create(zone).await;
        assert_eq!(errors(&refused), ["INVALID poll.timeZone"], "{zone}");
        let message = refused["userErrors"][0]["message"].as_str().unwrap();
        assert!(message.contains("Europe/Berlin"), "{message}");
    }
}

#[tokio::test]
async fn a_time_zone_that_another_program_has_stored_is_shown_and_kept() {
    let site = site().await;
    let made = poll(&site, json!({ "timeZone": "Europe/Berlin" })).await;
    let items = site.items("shareables").await;
    let mut stored = items
        .into_iter()
        .find(|item| item.contains_key("timeZone"))
        .unwrap();
    let zone = "Mars/Olympus Mons";
    stored.insert(
        "timeZone".into(),
        aws_sdk_dynamodb::types::AttributeValue::S(zone.into()),
    );
    let put = site.dynamodb.put_item().table_name("shareables");
    put.set_item(Some(stored)).send().await.unwrap();
    let query = "query($id: String!) { shareable(shortId: $id) { ... on Poll { timeZone name } } }";
    let shown = data(&site, &made.token, query, json!({ "id": made.short_id })).await;
    assert_eq!(shown["shareable"]["timeZone"], zone);
    let rename = json!({ "shortId": made.short_id, "name": "M" });
    let renamed = mutate(
        &site,
        &made.token,
        "updatePoll",
        "poll { name timeZone }",
        rename,
    )
    .await;
    assert_eq!(renamed["poll"], json!({ "name": "M", "timeZone": zone }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn voters_are_counted_exactly_whatever_they_change_at_once() {
    let site = Arc::new(site().await);
    let made = poll(&site, json!({})).await;
    let ids = ids(&site, &made).await;
    let people = (0..12_usize).map(|n| {
        let (site, made, ids) = (site.clone(), made.clone(), ids.clone());
        tokio::spawn(async move {
            let person = open(&site, &made.short_id, VIEW).await;
            vote(&site, &person, &[&ids[n % 3]]).await;
            vote(&site, &person, &[]).await;
            if n % 2 == 0 {
                vote(&site, &person, &[&ids[0]]).await;
            }
        })
    });
    for person in join_all(people).await {
        person.unwrap();
    }
    let query = "query($id: String!) { shareable(shortId: $id) { ... on Poll { voterCount } } }";
    let shown = data(&site, &made.token, query, json!({ "id": made.short_id })).await;
    assert_eq!(shown["shareable"]["voterCount"], 6);
    assert_eq!(counts(&site, &made).await, [Some(6), Some(0), Some(0)]);
}

#[tokio::test]
async fn names_of_voters_are_shown_to_themselves_and_the_admin_alone_if_the_poll_hides_them() {
    let site = site().await;
    for hides in [false, true] {
        let made = poll(&site, json!({ "hidesNames": hides })).await;
        let id = ids(&site, &made).await[0].clone();
        let bob = open(&site, &made.short_id, VIEW).await;
        let ann = open(&site, &made.short_id, VIEW).await;
        vote(&site, &bob, &[&id]).await;
        let query = "query($id: String!) { shareable(shortId: $id) { ... on Poll { hidesNames
            votes { edges { node { voterName } } } } } }";
        let seen = async |on: &Opened| {
            let shown = data(&site, &on.token, query, json!({ "id": made.short_id })).await;
            let poll = shown["shareable"].clone();
            assert_eq!(poll["hidesNames"], hides);
            poll["votes"]["edges"][0]["node"]["voterName"].clone()
        };
        assert_eq!(
            (seen(&bob).await, seen(&made).await),
            (json!("Bob"), json!("Bob"))
        );
        let others = if hides { Value::Null } else { json!("Bob") };
        assert_eq!(seen(&ann).await, others);
    }
}
