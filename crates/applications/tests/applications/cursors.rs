//! Cursors: good for the list that they were answered to, and for no other.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::ask::{named, start, text, with};
use crate::support::Api;

const LIST: &str = "query($filter: ApplicationFilter, $orderBy: ApplicationOrder, $first: Int,
                          $after: String, $last: Int, $before: String) {
  applications(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last,
               before: $before) { edges { cursor node { companyName } } } }";

async fn three(api: &Api) {
    for company in ["A", "B", "C"] {
        let input = json!({ "status": "APPLIED", "companyCategory": "AI", "skillsMatch": 3 });
        api.create(with(named(company), input)).await;
    }
}

/// The cursors and companies of a page.
async fn page(api: &Api, asked: Value) -> (Vec<String>, Vec<String>) {
    let data = api.data(LIST, asked).await;
    let edges = data["applications"]["edges"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let cursors = edges.iter().map(|edge| text(&edge["cursor"])).collect();
    (
        cursors,
        edges
            .iter()
            .map(|edge| text(&edge["node"]["companyName"]))
            .collect(),
    )
}

#[tokio::test]
async fn a_cursor_is_good_for_its_own_list_alone() {
    let (api, _) = start().await;
    three(&api).await;
    let lists = [
        json!({}),
        json!({ "orderBy": "UPDATED_AT_ASC" }),
        json!({ "filter": { "statuses": ["APPLIED"] } }),
        json!({ "filter": { "statuses": ["APPLIED", "REJECTED"] } }),
        json!({ "filter": { "archived": "INCLUDE" } }),
        json!({ "filter": { "companyCategories": ["AI"] } }),
        json!({ "filter": { "companyCategories": ["AI", "OTHER"] } }),
        json!({ "filter": { "minSkillsMatch": 1 } }),
        json!({ "filter": { "minSkillsMatch": 2 } }),
        json!({ "filter": { "text": "engineer" } }),
        json!({ "filter": { "text": "eng" } }),
    ];
    let mut cursors = Vec::new();
    for list in &lists {
        let (found, _) = page(&api, list.clone()).await;
        assert_eq!(found.len(), 3, "{list}");
        cursors.push(found[1].clone());
    }
    for (i, list) in lists.iter().enumerate() {
        for (j, cursor) in cursors.iter().enumerate() {
            for side in ["after", "before"] {
                let answer = api
                    .run(LIST, with(list.clone(), json!({ side: cursor })))
                    .await;
                if i == j {
                    drop(answer.data())
                } else {
                    assert_eq!(
                        answer.code(),
                        "BAD_USER_INPUT",
                        "{list} {side} one of {}",
                        lists[j]
                    );
                    assert_eq!(answer.body["errors"][0]["path"], json!(["applications"]));
                    assert_eq!(answer.body["data"], json!({ "applications": null }));
                }
            }
        }
    }
}

#[tokio::test]
async fn the_same_list_written_otherwise_takes_the_same_cursors() {
    let (api, _) = start().await;
    three(&api).await;
    for (one, other) in [
        (
            json!({}),
            json!({ "filter": {}, "orderBy": "UPDATED_AT_DESC" }),
        ),
        (
            json!({}),
            json!({ "filter": { "archived": "EXCLUDE", "statuses": [], "text": " " } }),
        ),
        (
            json!({ "filter": { "statuses": ["APPLIED", "REJECTED"] } }),
            json!({ "filter": { "statuses": ["REJECTED", "APPLIED", "APPLIED"] } }),
        ),
        (
            json!({ "filter": { "text": "Engineer" } }),
            json!({ "filter": { "text": " engineer" } }),
        ),
    ] {
        let (cursors, companies) = page(&api, one).await;
        let (_, rest) = page(&api, with(other, json!({ "after": cursors[0] }))).await;
        assert_eq!(rest, companies[1..]);
    }
}

#[tokio::test]
async fn no_altered_cursor_is_taken() {
    let (api, _) = start().await;
    three(&api).await;
    let (cursors, _) = page(&api, json!({})).await;
    let own = &cursors[1];
    assert!(own.len() <= 48, "a cursor is short: {own}");
    let mut altered: Vec<String> = Vec::new();
    for i in 0..own.len() {
        for to in ["A", "_", "9"] {
            altered.push(format!("{}{to}{}", &own[..i], &own[i + 1..]));
        }
        altered.push(own[..i].to_owned());
    }
    altered.extend([
        format!("{own}A"),
        format!("{own}="),
        own.repeat(2),
        "ä".to_owned(),
    ]);
    altered.extend(["a".repeat(7000), format!(" {own}"), "null".to_owned()]);
    altered.retain(|cursor| cursor != own);
    const HISTORY: &str = "{ applications { edges { node { history { edges { cursor } } } } } }";
    let data = api.data(HISTORY, json!({})).await;
    let history = &data["applications"]["edges"][0]["node"]["history"]["edges"][0]["cursor"];
    altered.push(history.as_str().unwrap().to_owned());
    for cursor in altered {
        for side in ["after", "before"] {
            let answer = api.run(LIST, json!({ side: cursor })).await;
            assert_eq!(answer.code(), "BAD_USER_INPUT", "{cursor}");
        }
    }
}

#[tokio::test]
async fn a_cursor_outlives_the_application_it_came_with() {
    let (api, hands) = start().await;
    for company in ["A", "B", "C", "D"] {
        hands.go(1000);
        api.create(named(company)).await;
    }
    let (cursors, companies) = page(&api, json!({})).await;
    assert_eq!(companies, ["D", "C", "B", "A"]);
    const IDS: &str = "{ applications { edges { node { id } } } }";
    let ids = api.data(IDS, json!({})).await;
    let id = |i: usize| ids["applications"]["edges"][i]["node"]["id"].clone();
    api.done("deleteApplication", json!({ "id": id(1) })).await;
    // And one that has moved to the list's start since.
    hands.go(1000);
    api.update(id(2).as_str().unwrap(), json!({ "notes": "n" }))
        .await;
    assert_eq!(page(&api, json!({ "after": cursors[1] })).await.1, ["A"]);
    assert_eq!(page(&api, json!({ "after": cursors[2] })).await.1, ["A"]);
    assert_eq!(
        page(&api, json!({ "before": cursors[1] })).await.1,
        ["B", "D"]
    );
}

#[tokio::test]
async fn a_wrong_page_or_filter_is_an_error_that_says_so() {
    let (api, _) = start().await;
    three(&api).await;
    let (cursors, _) = page(&api, json!({})).await;
    for wrong in [
        json!({ "first": -1 }),
        json!({ "first": 101 }),
        json!({ "last": -5 }),
        json!({ "first": 1, "last": 1 }),
        json!({ "first": 1, "before": cursors[0] }),
        json!({ "last": 1, "after": cursors[0] }),
        json!({ "after": cursors[0], "before": cursors[2] }),
        json!({ "filter": { "minSkillsMatch": 0 } }),
        json!({ "filter": { "minSkillsMatch": 6 } }),
        json!({ "filter": { "text": "a".repeat(201) } }),
        json!({ "filter": { "statuses": ["applied"] } }),
        json!({ "orderBy": "COMPANY" }),
    ] {
        api.calls.reset();
        let answer = api.run(LIST, wrong.clone()).await;
        assert_eq!(
            answer.code(),
            "BAD_USER_INPUT",
            "{wrong}: {:#}",
            answer.body
        );
        assert_eq!(api.calls.counts(), [].into(), "{wrong}");
    }
}

#[tokio::test]
async fn pages_go_past_applications_whose_index_keys_do_not_name_them() {
    const PAGE: &str = "query($after: String) { applications(first: 1, after: $after) {
      edges { node { id } } pageInfo { endCursor hasNextPage } } }";
    let (api, _) = start().await;
    let mut ids = BTreeSet::new();
    for sort_key in ["UPDATED#9999", "0", "0", "UPDATED#2026-11-20T09:30:00.000Z"] {
        let made = api.create(named("Visa")).await;
        let id = made["id"].as_str().unwrap();
        let mut item = api.stored_application(id).await;
        item.insert("GSI2SK".to_owned(), text(sort_key));
        api.put(item).await;
        ids.insert(id.to_owned());
    }
    let mut listed = BTreeSet::new();
    let mut after = Value::Null;
    for _ in 0..ids.len() {
        let page = api.data(PAGE, json!({ "after": after })).await["applications"].clone();
        let id = &page["edges"][0]["node"]["id"];
        assert!(
            listed.insert(id.as_str().unwrap().to_owned()),
            "{id} is listed twice"
        );
        after = page["pageInfo"]["endCursor"].clone();
        assert_eq!(page["pageInfo"]["hasNextPage"], listed.len() < ids.len());
    }
    assert_eq!(listed, ids);
}
