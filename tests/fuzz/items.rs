//! Items that another program wrote wrongly: each attribute of each item missing, empty, of every other type,
//! out of range, too long. What is around them is answered as ever.

use std::collections::{BTreeSet, HashMap};

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue::{self, B, Bool, L, M, N, Null, S, Ss};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestCaseError;
use serde_json::{Value, json};

use crate::fuzz::harness::{Fuzzed, application, codes, new_application};
use crate::support::Api;

const CASES: u32 = 150;

type Item = HashMap<String, AttributeValue>;

/// Where an attribute lies: in which item of the partition, and within which attribute of it.
#[derive(Clone, Debug)]
struct Place {
    item: &'static str,
    within: &'static [&'static str],
    name: String,
}

/// What is written instead; `None` takes the attribute away.
fn wrong() -> Vec<Option<AttributeValue>> {
    let nested = (0..30).fold(Null(true), |within, _| L(vec![within]));
    vec![
        None,
        Some(Null(true)),
        Some(S(String::new())),
        Some(S(" ".to_owned())),
        Some(S("\u{0}#\u{10ffff}".to_owned())),
        Some(S("2026-02-30".to_owned())),
        Some(S("x".repeat(300_000))),
        Some(N("0".to_owned())),
        Some(N("-1".to_owned())),
        Some(N("0.5".to_owned())),
        Some(N("4294967296".to_owned())),
        Some(N("1e125".to_owned())),
        Some(Bool(true)),
        Some(B(Blob::new([0, 255]))),
        Some(Ss(vec!["a".to_owned()])),
        Some(L(Vec::new())),
        Some(nested),
        Some(M(HashMap::new())),
    ]
}

async fn partition(api: &Api, id: &str) -> Vec<Item> {
    let query = api
        .dynamodb
        .query()
        .table_name(&api.table)
        .key_condition_expression("PK = :pk");
    let query = query.expression_attribute_values(":pk", S(format!("APP#{id}")));
    query
        .consistent_read(true)
        .send()
        .await
        .unwrap()
        .items()
        .to_vec()
}

/// Every attribute of an application's items that is no key of the table.
async fn places(api: &Api, id: &str) -> Vec<Place> {
    let mut places = Vec::new();
    for item in partition(api, id).await {
        let sort_key = item["SK"].as_s().unwrap();
        let kind = ["APP#", "STAGE#", "HIST#00000003"]
            .into_iter()
            .find(|kind| sort_key.starts_with(kind));
        let Some(kind) = kind else {
            continue;
        };
        let mut add = |within: &'static [&'static str], of: &Item| {
            let names = of
                .keys()
                .filter(|name| !["PK", "SK"].contains(&name.as_str()));
            places.extend(names.map(|name| Place {
                item: kind,
                within,
                name: name.clone(),
            }));
        };
        add(&[], &item);
        if let Some(M(snapshot)) = item.get("snapshot") {
            add(&["snapshot"], snapshot);
            let L(stages) = &snapshot["interviewStages"] else {
                panic!("no stages")
            };
            let M(stage) = &stages[0] else {
                panic!("no stage")
            };
            add(&["snapshot", "interviewStages"], stage);
        }
    }
    places.sort_by_key(|place| format!("{place:?}"));
    places
}

/// Writes it; whether the store took it. Keys of indexes have to be texts.
async fn spoil(api: &Api, id: &str, place: &Place, value: Option<&AttributeValue>) -> bool {
    let items = partition(api, id).await;
    let found = items
        .into_iter()
        .find(|item| item["SK"].as_s().unwrap().starts_with(place.item));
    let mut item = found.unwrap();
    let mut within = &mut item;
    for step in place.within {
        within = match within.get_mut(*step) {
            Some(M(map)) => map,
            Some(L(list)) => match &mut list[0] {
                M(map) => map,
                _ => panic!("no map"),
            },
            _ => panic!("no {step}"),
        };
    }
    match value {
        Some(value) => within.insert(place.name.clone(), value.clone()),
        None => within.remove(&place.name),
    };
    let put = api
        .dynamodb
        .put_item()
        .table_name(&api.table)
        .set_item(Some(item));
    put.send().await.is_ok()
}

const DETAIL: &str = "query($id: ID!) {
  application(id: $id) { ...A history(first: 2) { edges { node { ...E } } } }
  node(id: $id) { ... on Application { ...A } }
  applicationStats { active byStatus { active } } }
  fragment A on Application { id companyName positionTitle status dateApplied offerDueDate companyUrl
    jobPostingUrl companyCareerUrl companyCategory jobSource skillsMatch coverLetterRequired
    specialRequirements notes salaryMin salaryMax isArchived version createdAt updatedAt
    interviewStages { id stageId name order isCompleted completedDate notes performanceRating } }
  fragment E on HistoryEntry { sequence description createdAt changes { field before after }
    snapshot { notes interviewStages { name } } }";

/// What cannot be read is our error, at its place; everything else is none.
fn check(body: &Value) -> Result<(), TestCaseError> {
    for error in body["errors"].as_array().into_iter().flatten() {
        prop_assert_eq!(&error["extensions"]["code"], "UNREADABLE", "{}", body);
        prop_assert!(
            error["path"]
                .as_array()
                .is_some_and(|path| !path.is_empty()),
            "{}",
            body
        );
        let message = error["message"].as_str().unwrap();
        prop_assert!(
            !message.contains("attribute") && !message.contains("APP#"),
            "{}",
            message
        );
    }
    prop_assert!(body["data"].is_object(), "{}", body);
    Ok(())
}

#[test]
fn an_item_that_is_wrong_in_any_way_is_told_at_its_place() {
    let server = Fuzzed::start();
    let api = &server.api;
    let places = server.runtime.block_on(places(api, &server.application));
    assert!(places.len() > 60, "{}", places.len());
    let mutations = select(
        &[
            "updateApplication(input: { id: $id, salaryMin: 0 })",
            "archiveApplication(input: { id: $id })",
            "restoreApplication(input: { id: $id, sequence: 3 })",
            "addInterviewStage(input: { applicationId: $id, name: \"More\" })",
            "deleteApplication(input: { id: $id })",
        ][..],
    );
    server.run(CASES, &(select(places), select(wrong()), mutations), async |(place, value, mutation)| {
        let [id, stage, entry] = application(api, "Visa").await;
        if !spoil(api, &id, &place, value.as_ref()).await {
            return Ok(());
        }
        check(&api.run(DETAIL, json!({ "id": id })).await.body)?;
        const NODES: &str = "query($ids: [ID!]!) { nodes(ids: $ids) { id
          ... on InterviewStage { name order } ... on HistoryEntry { description changes { field } } } }";
        check(&api.run(NODES, json!({ "ids": [id, stage, entry] })).await.body)?;
        let document = format!("mutation($id: ID!) {{ {mutation} {{ userErrors {{ code message }} }} }}");
        check(&api.run(&document, json!({ "id": id })).await.body)?;
        check(&api.run(DETAIL, json!({ "id": id })).await.body)
    });
}

/// Makes as many applications as there are ways to be wrong, each between two that are right.
async fn fill(api: &Api, values: &[Option<AttributeValue>]) -> BTreeSet<String> {
    let [pattern, ..] = application(api, "Visa").await;
    let mut right = BTreeSet::from([pattern.clone()]);
    let places = places(api, &pattern).await;
    for place in places.iter().filter(|place| place.item == "APP#") {
        for value in values {
            let id = new_application(api, "Wrong").await;
            spoil(api, &id, place, value.as_ref()).await;
        }
        right.insert(new_application(api, "Visa").await);
    }
    right
}

#[test]
fn a_list_goes_on_whatever_is_wrong_with_its_items() {
    const LIST: &str =
        "query($filter: ApplicationFilter, $order: ApplicationOrder, $after: String) {
      applications(filter: $filter, orderBy: $order, first: 40, after: $after) { totalCount
        edges { cursor node { id companyName status notes salaryMin interviewStages { name }
          history(first: 1) { edges { node { description } } } } }
        pageInfo { hasNextPage endCursor } } }";
    let server = Fuzzed::start();
    server.runtime.block_on(async {
        let api = &server.api;
        // Each kind of value once; what is too long would only make the test slow.
        let mut values = wrong();
        values.retain(|value| !matches!(value, Some(S(text)) if text.len() > 1000));
        let right = fill(api, &values).await;
        for (filter, order) in [
            (json!({}), "UPDATED_AT_DESC"),
            (json!({}), "UPDATED_AT_ASC"),
            (
                json!({ "archived": "INCLUDE", "statuses": ["APPLIED", "REJECTED"] }),
                "UPDATED_AT_DESC",
            ),
            (
                json!({ "text": "visa", "companyCategories": ["AI"] }),
                "UPDATED_AT_ASC",
            ),
        ] {
            let (mut found, mut after, mut gaps, mut cursors) =
                (BTreeSet::new(), json!(null), 0, BTreeSet::new());
            loop {
                let asked = json!({ "filter": filter, "order": order, "after": after });
                let answer = api.run(LIST, asked).await;
                check(&answer.body).unwrap();
                let page = &answer.body["data"]["applications"];
                assert!(
                    page["edges"].is_array(),
                    "{:?} {:#}",
                    codes(&answer.body),
                    answer.body
                );
                for edge in page["edges"].as_array().unwrap() {
                    assert!(cursors.insert(edge["cursor"].to_string()), "twice: {edge}");
                    match edge["node"]["id"].as_str() {
                        Some(id) => drop(found.insert(id.to_owned())),
                        None => gaps += 1,
                    }
                }
                if page["pageInfo"]["hasNextPage"] != true {
                    break;
                }
                after = page["pageInfo"]["endCursor"].clone();
            }
            let missing: Vec<_> = right.difference(&found).collect();
            assert!(missing.is_empty(), "{filter} {order}: {missing:?}");
            eprintln!("{filter} {order}: {} read, {gaps} not", found.len());
        }
    });
}
