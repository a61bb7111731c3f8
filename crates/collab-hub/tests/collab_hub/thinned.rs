//! Ten thousand open roles, of which one in fifty is of a startup that the viewer sees.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use trestle_domain::{RawId as _, Ulid};

use crate::world::{Hub, viewer};

const ROLES: usize = 10_020;
const ONE_IN: usize = 50;

fn role(number: usize, startup: &str) -> WriteRequest {
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let count = |count: u32| AttributeValue::N(count.to_string());
    let at = format!(
        "2026-01-01T{:02}:{:02}:{:02}.000Z",
        number / 3600,
        number / 60 % 60,
        number % 60
    );
    let id = format!("01ARZ3NDEKTSV4RRFF{number:08}");
    let item = HashMap::from([
        ("PK", text(&format!("STARTUP#{startup}"))),
        ("SK", text(&format!("ROLE#{id}"))),
        ("GSI1PK", text("OPEN_ROLES")),
        ("GSI1SK", text(&format!("{at}#{id}"))),
        ("entityType", text("STARTUP_ROLE")),
        ("roleId", text(&id)),
        ("startupId", text(startup)),
        ("title", text(&format!("role {number}"))),
        ("description", text("x")),
        ("type", text("CONTRACT")),
        ("skills", AttributeValue::L(Vec::new())),
        ("isOpen", AttributeValue::Bool(true)),
        ("applicantCount", count(0)),
        ("version", count(1)),
        ("createdAt", text(&at)),
        ("updatedAt", text(&at)),
    ]);
    let item = item
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let put = PutRequest::builder().set_item(Some(item)).build().unwrap();
    WriteRequest::builder().put_request(put).build()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_are_full_within_the_stated_bound() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("f", "FOUNDER").await;
    hub.tier("f", "ENTERPRISE").await;
    hub.register("t", "TALENT").await;
    hub.published("f", "seen", "PUBLIC").await;
    for n in 1..ONE_IN {
        hub.startup("f", &format!("hidden {n}"), "PRIVATE").await;
    }
    let items = hub.items().await;
    let startups = items
        .iter()
        .filter(|item| item["entityType"].as_s().unwrap() == "STARTUP");
    let mut startups: Vec<_> = startups
        .map(|item| {
            (
                item["name"].as_s().unwrap() != "seen",
                item["startupId"].as_s().unwrap(),
            )
        })
        .collect();
    startups.sort();
    let roles: Vec<_> = (0..ROLES)
        .map(|n| role(n, startups[n % ONE_IN].1))
        .collect();
    for part in roles.chunks(25) {
        let request = HashMap::from([("collabhub-main".to_owned(), part.to_vec())]);
        hub.0
            .dynamodb
            .batch_write_item()
            .set_request_items(Some(request))
            .send()
            .await
            .unwrap();
    }
    let query = "query($after: String, $first: Int!) { openRoles(first: $first, after: $after) { edges { node { \
                 title } } pageInfo { hasNextPage endCursor } } }";
    let ask = |first: usize, after: Value| {
        let hub = &hub;
        async move {
            let variables = json!({ "first": first, "after": after });
            hub.0.run(&viewer("t"), query, variables).await
        }
    };
    let mut titles = Vec::new();
    let mut after = Value::Null;
    loop {
        let answer = ask(20, after).await;
        let page = answer.data()["openRoles"].clone();
        let edges = page["edges"].as_array().unwrap();
        titles.extend(
            edges
                .iter()
                .map(|edge| edge["node"]["title"].as_str().unwrap().to_owned()),
        );
        assert!(answer.cost().reads <= 40, "{:?}", answer.cost());
        after = page["pageInfo"]["endCursor"].clone();
        if page["pageInfo"]["hasNextPage"] == false {
            break;
        }
        assert_eq!(edges.len(), 20);
    }
    let expected = (0..ROLES.div_ceil(ONE_IN))
        .rev()
        .map(|n| format!("role {}", n * ONE_IN));
    assert_eq!(titles, expected.collect::<Vec<_>>());
    // 100 of them would take 5,000 roles: the page stops at its bound, and continues.
    let page = ask(100, Value::Null).await.data()["openRoles"].clone();
    assert_eq!(page["edges"].as_array().unwrap().len(), 40);
    assert_eq!(page["pageInfo"]["hasNextPage"], true);
    // The last role that was read is hidden. The cursor does not name its startup.
    let cursor = page["pageInfo"]["endCursor"].as_str().unwrap();
    let cursor = URL_SAFE_NO_PAD.decode(cursor).unwrap();
    for (_, id) in &startups {
        let id = Ulid::parse(id).unwrap().to_bytes();
        assert!(!cursor.windows(id.len()).any(|bytes| bytes == id));
    }
    let next = ask(1, page["pageInfo"]["endCursor"].clone()).await.data()["openRoles"].clone();
    assert_eq!(
        next["edges"][0]["node"]["title"],
        format!("role {}", (ROLES.div_ceil(ONE_IN) - 41) * ONE_IN)
    );
}
