//! Lists in every order, and the filters that look into the applications.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::ask::{Hands, named, start, with};
use crate::support::Api;

const LIST: &str = "query($filter: ApplicationFilter, $orderBy: ApplicationOrder, $sortBy: ApplicationSort,
    $first: Int, $after: String, $last: Int, $before: String) {
  applications(filter: $filter, orderBy: $orderBy, sortBy: $sortBy, first: $first, after: $after, last: $last, before: $before) {
    totalCount edges { cursor node { id companyName createdAt dateApplied offerDueDate skillsMatch salaryMax
      statusSince nextActionDate } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }";

/// Each field by which lists are sorted, with the name of its orders.
const FIELDS: [(&str, &str); 8] = [
    ("createdAt", "CREATED_AT"),
    ("dateApplied", "DATE_APPLIED"),
    ("offerDueDate", "OFFER_DUE_DATE"),
    ("companyName", "COMPANY_NAME"),
    ("skillsMatch", "SKILLS_MATCH"),
    ("salaryMax", "SALARY_MAX"),
    ("statusSince", "STATUS_SINCE"),
    ("nextActionDate", "NEXT_ACTION_DATE"),
];

/// Applications with and without values, some of them equal, some archived.
async fn fill(api: &Api, hands: &Hands) -> Vec<Value> {
    let companies = ["Zürich", "zurich b", "Acme", "acme", "Éclair", "eclair"];
    let mut all = Vec::new();
    for at in 0..24_usize {
        let mut input = named(companies[at % companies.len()]);
        if at % 3 != 0 {
            input = with(
                input,
                json!({ "status": "APPLIED", "dateApplied": format!("2026-0{}-01", 1 + at % 5) }),
            );
        }
        if at % 4 != 0 {
            input = with(
                input,
                json!({ "offerDueDate": format!("2026-12-{:02}", 1 + at % 7), "skillsMatch": 1 + at % 5,
                    "nextActionDate": format!("2026-11-{:02}", 1 + at % 9) }),
            );
        }
        if at % 5 != 0 {
            input = with(
                input,
                json!({ "salaryMin": 1000 * at, "salaryMax": 3_000_000_000_u64 + (at % 6) as u64 }),
            );
        }
        hands.go(i64::from(at % 2 == 0) * 1_000);
        let made = api.create(input).await;
        if at % 8 == 7 {
            api.done("archiveApplication", json!({ "id": made["id"] }))
                .await;
        }
        all.push(made);
    }
    all
}

/// Every page of a list, forwards or backwards. `order` has the argument of the order.
async fn paged(
    api: &Api,
    order: &Value,
    filter: &Value,
    size: usize,
    forwards: bool,
) -> Vec<Value> {
    let mut nodes: Vec<Value> = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let page = if forwards {
            json!({ "first": size, "after": cursor })
        } else {
            json!({ "last": size, "before": cursor })
        };
        let variables = with(with(order.clone(), json!({ "filter": filter })), page);
        let data = api.data(LIST, variables).await;
        let list = &data["applications"];
        let edges = list["edges"].as_array().unwrap().iter();
        let page: Vec<_> = edges.map(|edge| edge["node"].clone()).collect();
        let info = &list["pageInfo"];
        let more = if forwards {
            nodes.extend(page);
            cursor = info["endCursor"].clone();
            &info["hasNextPage"]
        } else {
            nodes.splice(0..0, page);
            cursor = info["startCursor"].clone();
            &info["hasPreviousPage"]
        };
        if *more == false {
            assert_eq!(list["totalCount"], nodes.len());
            return nodes;
        }
    }
}

/// What a value is compared by.
fn key(field: &str, node: &Value) -> Option<(i64, String)> {
    match &node[field] {
        Value::Null => None,
        Value::Number(number) => Some((number.as_i64().unwrap(), String::new())),
        value => {
            let text = value.as_str().unwrap().to_lowercase();
            Some((0, text.replace('ü', "u").replace('é', "e")))
        }
    }
}

#[tokio::test]
async fn every_order_is_sorted_both_ways_and_pages_without_gaps() {
    let (api, hands) = start().await;
    hands.go(1000);
    fill(&api, &hands).await;
    for filter in [
        json!({}),
        json!({ "archived": "INCLUDE" }),
        json!({ "statuses": ["APPLIED"], "archived": "INCLUDE" }),
    ] {
        for (field, name) in FIELDS {
            for direction in ["ASC", "DESC"] {
                let order = json!({ "sortBy": { "field": name, "direction": direction } });
                let as_enum = json!({ "orderBy": format!("{name}_{direction}") });
                let whole = paged(&api, &order, &filter, 100, true).await;
                for (size, forwards) in [(7, true), (5, false)] {
                    let pages = paged(&api, &order, &filter, size, forwards).await;
                    assert_eq!(pages, whole, "{order} {size}");
                }
                assert_eq!(
                    paged(&api, &as_enum, &filter, 9, true).await,
                    whole,
                    "{order}"
                );
                let both = with(order.clone(), as_enum);
                assert_eq!(
                    api.run(LIST, both).await.code(),
                    "BAD_USER_INPUT",
                    "{order}"
                );
                let keys: Vec<_> = whole.iter().map(|node| key(field, node)).collect();
                let values: Vec<_> = keys.iter().flatten().collect();
                assert!(
                    keys[..values.len()].iter().all(Option::is_some),
                    "values first: {order} {keys:?}"
                );
                let sorted = match direction {
                    "ASC" => values.is_sorted(),
                    _ => values.iter().rev().is_sorted(),
                };
                assert!(sorted, "{order} {values:?}");
            }
        }
    }
}

#[tokio::test]
async fn pages_stay_stable_while_others_write() {
    let (api, _) = start().await;
    for company in ["A", "C", "E", "G"] {
        api.create(named(company)).await;
    }
    let page = |after: Value| json!({ "orderBy": "COMPANY_NAME_ASC", "first": 2, "after": after });
    let first = api.data(LIST, page(Value::Null)).await["applications"].clone();
    // The application at the cursor goes, one comes before it, and one after it.
    let at = first["edges"][1]["node"]["id"].clone();
    api.done("deleteApplication", json!({ "id": at })).await;
    api.create(named("B")).await;
    api.create(named("D")).await;
    let next = api
        .data(LIST, page(first["pageInfo"]["endCursor"].clone()))
        .await;
    let next = next["applications"]["edges"].as_array().unwrap().iter();
    let names: Vec<_> = next
        .map(|edge| edge["node"]["companyName"].clone())
        .collect();
    assert_eq!(names, ["D", "E"]);
    // A cursor of another order is refused.
    let other = json!({ "orderBy": "COMPANY_NAME_DESC", "first": 2, "after": first["pageInfo"]["endCursor"] });
    assert_eq!(api.run(LIST, other).await.code(), "BAD_USER_INPUT");
}

#[tokio::test]
async fn filters_choose_by_dates_salaries_postings_and_text() {
    let (api, hands) = start().await;
    let rows = [
        (
            "a",
            json!({ "companyName": "Zürich Re", "positionTitle": "Actuary", "status": "APPLIED",
            "dateApplied": "2026-03-01", "offerDueDate": "2026-04-01", "salaryMin": 100, "salaryMax": 200,
            "salaryCurrency": "EUR" }),
        ),
        (
            "b",
            json!({ "companyName": "Acme", "positionTitle": "Straßenbau", "status": "APPLIED",
            "dateApplied": "2026-03-02", "salaryMin": 150, "jobPostingUrl": "https://example.com/b" }),
        ),
        (
            "c",
            json!({ "companyName": "Łódź", "positionTitle": "Chef", "notes": "near ZURICH",
            "salaryMax": 120, "offerDueDate": "2026-04-02", "nextActionDate": "2026-11-25" }),
        ),
        (
            "d",
            json!({ "companyName": "Plain", "positionTitle": "Clerk" }),
        ),
    ];
    let mut ids = std::collections::HashMap::new();
    for (name, input) in rows {
        hands.go(86_400_000);
        let made = api.create(input).await;
        ids.insert(made["id"].as_str().unwrap().to_owned(), name);
    }
    for (filter, expected) in [
        (json!({ "text": "zurich" }), "ac"),
        (json!({ "text": "ZÜRICH re" }), "a"),
        (json!({ "text": "lodz" }), "c"),
        (json!({ "text": "strasse" }), "b"),
        (json!({ "text": "  " }), "abcd"),
        (json!({ "dateApplied": { "from": "2026-03-02" } }), "b"),
        (json!({ "dateApplied": { "to": "2026-03-01" } }), "a"),
        (json!({ "dateApplied": {} }), "abcd"),
        (
            json!({ "offerDueDate": { "from": "2026-04-01", "to": "2026-04-02" } }),
            "ac",
        ),
        (
            json!({ "updatedAt": { "from": "2026-11-23T00:00:00.000Z" } }),
            "cd",
        ),
        (json!({ "salary": { "from": 180 } }), "ab"),
        (json!({ "salary": { "to": 110 } }), "ac"),
        (json!({ "salary": { "from": 210 } }), "b"),
        (json!({ "salary": { "to": 110, "currency": "eur" } }), "a"),
        (json!({ "salary": { "currency": "USD" } }), ""),
        (
            json!({ "nextActionDate": { "from": "2026-11-25", "to": "2026-11-25" } }),
            "c",
        ),
        (json!({ "nextActionDate": { "to": "2026-11-24" } }), ""),
        (
            json!({ "statusSince": { "to": "2026-11-22T23:00:00.000Z" } }),
            "ab",
        ),
        (
            json!({ "jobPostingUrls": ["https://example.com/b", "https://example.com/x"] }),
            "b",
        ),
        (
            json!({ "text": "zurich", "offerDueDate": { "from": "2026-04-02" } }),
            "c",
        ),
    ] {
        for order in ["UPDATED_AT_DESC", "COMPANY_NAME_ASC"] {
            let order = json!({ "orderBy": order });
            let listed = paged(&api, &order, &filter, 2, true).await;
            let names = listed.iter().map(|node| ids[node["id"].as_str().unwrap()]);
            let names: BTreeSet<_> = names.collect();
            assert_eq!(
                names.into_iter().collect::<String>(),
                expected,
                "{filter} {order}"
            );
        }
    }
    for filter in [
        json!({ "text": "x".repeat(201) }),
        json!({ "jobPostingUrls": vec!["https://example.com"; 101] }),
        json!({ "dateApplied": { "from": "soon" } }),
        json!({ "nextActionDate": { "from": "soon" } }),
        json!({ "statusSince": { "to": "2026-11-22" } }),
        json!({ "salary": { "currency": "euros" } }),
        json!({ "not": { "text": "x".repeat(201) } }),
        json!({ "not": { "archived": "ONLY" } }),
        json!({ "not": { "not": { "text": "x" } } }),
    ] {
        let answer = api.run(LIST, json!({ "filter": filter })).await;
        assert_eq!(answer.code(), "BAD_USER_INPUT", "{filter}");
    }
}
