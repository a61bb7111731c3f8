//! What earlier commits stored and answered, to the letter: every item of an application with every field, every cursor
//! of every list, and the ids of nodes. `golden.txt` has it. A difference breaks stored data, pages that clients have
//! open, or links. `TRESTLE_GOLDEN=write` writes the file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::ask::{Item, named, start, with};
use crate::support::Api;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/applications/golden.txt");
const ID: &str = "7f1d2a4e-9c3b-4f5e-8a6d-0b1c2d3e4f50";
const STAGE: &str = "11111111-2222-4333-8444-555555555555";
const CONTACT: &str = "22222222-2222-4333-8444-555555555555";

const LIST: &str = "query($filter: ApplicationFilter, $orderBy: ApplicationOrder) {
  applications(filter: $filter, orderBy: $orderBy) { edges { cursor } } }";
const OTHERS: &str = "query($id: ID!) {
  application(id: $id) { history { edges { cursor } } interviewStages { id } contacts { name } }
  searchApplications(text: \"visa\") { edges { cursor } }
  stale(days: 1, on: \"2027-01-01\") { edges { cursor } } }";

/// Every field of an application.
fn everything() -> Value {
    let input = json!({
        "id": ID, "status": "INTERVIEWING", "dateApplied": "2026-10-01", "offerDueDate": "2026-12-24",
        "companyUrl": "https://a.example", "jobPostingUrl": "https://a.example/1",
        "companyCareerUrl": "https://a.example/c", "companyCategory": "AI", "jobSource": "FRIEND",
        "skillsMatch": 4, "coverLetterRequired": true, "specialRequirements": "a licence",
        "notes": "n#1", "salaryMin": 1, "salaryMax": 2, "salaryCurrency": "EUR", "salaryPeriod": "YEAR",
        "nextAction": "call", "nextActionDate": "2026-11-25", "tags": ["one", "Two"],
        "location": "Köln", "isRemote": true, "postingText": "text",
    });
    with(named("Visa"), input)
}

/// One filter for each field of `ApplicationFilter`.
fn filters() -> Vec<Value> {
    let days = json!({ "from": "2020-01-01", "to": "2030-01-01" });
    let times = json!({ "from": "2020-01-01T00:00:00Z", "to": "2030-01-01T00:00:00Z" });
    vec![
        json!({}),
        json!({ "statuses": ["INTERVIEWING"] }),
        json!({ "statuses": ["INTERVIEWING", "APPLIED"] }),
        json!({ "archived": "INCLUDE" }),
        json!({ "companyCategories": ["AI", "OTHER"] }),
        json!({ "jobSources": ["FRIEND"] }),
        json!({ "minSkillsMatch": 2 }),
        json!({ "text": "visa" }),
        json!({ "location": "koln" }),
        json!({ "isRemote": true }),
        json!({ "tags": ["two"] }),
        json!({ "jobPostingUrls": ["https://a.example/1"] }),
        json!({ "salary": { "from": 1, "to": 2, "currency": "EUR" } }),
        json!({ "dateApplied": days }),
        json!({ "offerDueDate": days }),
        json!({ "nextActionDate": days }),
        json!({ "statusSince": times }),
        json!({ "updatedAt": times }),
        json!({ "not": { "statuses": ["APPLIED"] } }),
    ]
}

/// The values of an enum and the fields of an input in the schema, so that none is forgotten here.
async fn names(api: &Api, type_name: &str) -> Vec<String> {
    let query = "query($name: String!) { __type(name: $name) {
      inputFields { name } enumValues { name } } }";
    let data = api.data(query, json!({ "name": type_name })).await;
    let lists = ["inputFields", "enumValues"].map(|list| data["__type"][list].clone());
    let all = lists
        .iter()
        .flat_map(|list| list.as_array().into_iter().flatten());
    all.map(|one| one["name"].as_str().unwrap().to_owned())
        .collect()
}

/// An attribute as text, with the ids that are drawn replaced.
fn written(name: &str, value: &AttributeValue) -> String {
    match value {
        AttributeValue::S(_) if ["entryId", "revision"].contains(&name) => "S(drawn)".to_owned(),
        AttributeValue::M(fields) => format!("M({})", line(fields, "")),
        AttributeValue::L(values) => {
            let values: Vec<_> = values.iter().map(|value| written("", value)).collect();
            format!("L[{}]", values.join(", "))
        }
        other => format!("{other:?}"),
    }
}

fn line(item: &Item, sort_key: &str) -> String {
    let sorted: BTreeMap<_, _> = item.iter().collect();
    let attributes = sorted.into_iter().map(|(name, value)| {
        // The id of an entry is drawn.
        let is_drawn = name == "id" && sort_key.starts_with("HIST#");
        let name_of_value = if is_drawn { "entryId" } else { name };
        format!("{name}: {}", written(name_of_value, value))
    });
    attributes.collect::<Vec<_>>().join(", ")
}

#[tokio::test]
async fn items_cursors_and_ids_are_those_of_earlier_commits() {
    let (api, hands) = start().await;
    let mut found = String::new();
    let made = api.create(everything()).await;
    let stage = json!({
        "stageId": STAGE, "name": "Onsite", "order": 3, "isCompleted": true, "notes": "n",
        "performanceRating": 4, "scheduledAt": "2026-12-01T09:00:00+01:00", "durationMinutes": 30,
    });
    hands.go(1_000);
    api.add_stage(ID, stage).await;
    let contact = json!({ "applicationId": ID, "contactId": CONTACT, "name": "Ann", "role": "r",
        "email": "a@a.example", "link": "https://a.example", "lastContact": "2026-11-01" });
    let add =
        "mutation($input: AddContactInput!) { addContact(input: $input) { userErrors { code } } }";
    let added = api.data(add, json!({ "input": contact })).await;
    assert_eq!(added["addContact"]["userErrors"], json!([]));
    // A status that ended, after more than an hour.
    hands.go(10 * 86_400_000);
    api.update(ID, json!({ "status": "GIVEN_OFFER" })).await;
    let created = api.create(with(everything(), json!({ "id": STAGE }))).await;
    assert_eq!(created["companyName"], "Visa");

    writeln!(found, "node {} = {}", ID, made["id"]).unwrap();
    for (sort_key, item) in api.stored(ID).await {
        writeln!(found, "item {sort_key} = {}", line(&item, &sort_key)).unwrap();
    }
    for sort_key in ["COUNT", "APPLIED#2026", "STAYS"] {
        let item = api.stored_counters(sort_key).await;
        writeln!(found, "item {sort_key} = {}", line(&item, sort_key)).unwrap();
    }
    let data = api.data(OTHERS, json!({ "id": ID })).await;
    writeln!(found, "others = {data}").unwrap();
    let filters = filters();
    for name in names(&api, "ApplicationFilter").await {
        let is_asked = filters.iter().any(|filter| filter.get(&name).is_some());
        assert!(is_asked, "no filter has {name}");
    }
    for order in names(&api, "ApplicationOrder").await {
        for filter in &filters {
            let variables = json!({ "filter": filter, "orderBy": order });
            let data = api.data(LIST, variables).await;
            let edges = data["applications"]["edges"].as_array().unwrap();
            let cursors: Vec<_> = edges
                .iter()
                .map(|edge| edge["cursor"].as_str().unwrap())
                .collect();
            assert!(!cursors.is_empty(), "{order} {filter}");
            writeln!(found, "cursors {order} {filter} = {}", cursors.join(" ")).unwrap();
        }
    }
    if std::env::var("TRESTLE_GOLDEN").as_deref() == Ok("write") {
        std::fs::write(FILE, &found).unwrap();
    }
    let expected = std::fs::read_to_string(FILE).unwrap();
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.lines().count(), expected.lines().count());
}
