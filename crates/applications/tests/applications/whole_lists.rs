//! Lists that are read whole, with more applications than such a list has. What the error says can be done is done.

use apollo_compiler::{Node, Schema};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::ask::{Hands, Item, start, text, with};
use crate::support::Api;

/// The most applications of a list that is read whole.
const LIMIT: usize = 10_000;
/// How the schema says it.
const SAID: &str = "at most 10,000";

/// What reads a list whole.
struct WholeList {
    /// Where the schema says so.
    place: &'static str,
    document: &'static str,
    variables: Value,
    /// The value that is null if the list is too long.
    at: &'static str,
    /// What the error names.
    remedy: &'static str,
}

fn new(company: &str) -> Value {
    json!({ "companyName": company, "positionTitle": "Engineer" })
}

impl WholeList {
    /// One that is asked without variables.
    fn asked(
        place: &'static str,
        document: &'static str,
        at: &'static str,
        remedy: &'static str,
    ) -> Self {
        Self {
            place,
            document,
            variables: json!({}),
            at,
            remedy,
        }
    }
}

/// What reads lists whole, but for the agenda.
fn whole_lists() -> Vec<WholeList> {
    vec![
        WholeList::asked(
            "ApplicationOrder",
            "{ applications(orderBy: COMPANY_NAME_ASC) { edges { cursor } } }",
            "/applications",
            "`statuses`",
        ),
        WholeList::asked(
            "ApplicationSort",
            "{ applications(sortBy: { field: COMPANY_NAME, direction: ASC }) { edges { cursor } } }",
            "/applications",
            "`statuses`",
        ),
        WholeList::asked(
            "ApplicationConnection.totalCount",
            "{ applications(filter: { text: \"none\" }) { totalCount } }",
            "/applications/totalCount",
            "`statuses`",
        ),
        WholeList::asked(
            "Query.stale",
            "{ stale { edges { cursor } } }",
            "/stale",
            "`archiveApplications`",
        ),
        WholeList {
            place: "CreateApplicationPayload.alreadyTracked",
            document:
                "mutation($input: CreateApplicationInput!) { createApplication(input: $input) {
              alreadyTracked { id } } }",
            variables: json!({ "input": new("Visa") }),
            at: "/createApplication/alreadyTracked",
            remedy: "`jobPostingUrls`",
        },
    ]
}

/// Whether a description says that a list is read whole.
fn says(description: Option<&Node<str>>) -> bool {
    let text = description.map(|text| text.replace('\n', " "));
    text.is_some_and(|text| text.contains(SAID) && text.contains("applications"))
}

/// Where the schema says that a list is read whole.
fn places() -> Vec<String> {
    let schema = Schema::parse(trestle_applications::sdl(), "schema.graphql").unwrap();
    let mut places = Vec::new();
    for (name, of) in &schema.types {
        if !of.is_object() && says(of.description()) {
            places.push(name.to_string());
        }
        let Some(object) = schema.get_object(name) else {
            continue;
        };
        for (field, of) in &object.fields {
            if says(of.description.as_ref()) {
                places.push(format!("{name}.{field}"));
            }
        }
    }
    places
}

/// As many applications as `count`, all APPLIED and none archived. `dated` have a next action.
async fn filled(api: &Api, count: usize, dated: usize) -> Vec<Item> {
    let made = api
        .create(with(new("Many"), json!({ "status": "APPLIED" })))
        .await;
    let id = made["id"].as_str().unwrap();
    let stored = api.stored_application(id).await;
    let updated = stored["updatedAt"].as_s().unwrap();
    let mut items = Vec::new();
    for at in 0..count - 1 {
        let id = Uuid::new_v4().to_string();
        let mut item = stored.clone();
        for key in ["PK", "SK"] {
            item.insert(key.to_owned(), text(&format!("APP#{id}")));
        }
        for key in ["GSI1SK", "GSI2SK"] {
            item.insert(key.to_owned(), text(&format!("UPDATED#{updated}#{id}")));
        }
        item.insert("id".to_owned(), text(&id));
        if at < dated {
            item.insert("nextActionDate".to_owned(), text("2026-12-01"));
        }
        items.push(item);
    }
    api.put_all(items.clone()).await;
    items
}

async fn agenda(api: &Api, hands: &Hands, from: &str) -> Vec<Result<usize, String>> {
    let document = "query($from: Date!, $to: Date!) { agenda(from: $from, to: $to) { date } }";
    let days = json!({ "from": from, "to": "2026-12-31" });
    let answer = api.run(document, days).await.body;
    let entries = answer["data"]["agenda"].as_array();
    let message = |answer: &Value| answer["errors"][0]["message"].as_str().unwrap().to_owned();
    let asked = entries.map(Vec::len).ok_or_else(|| message(&answer));
    // Files of the agenda are made a few in a minute.
    hands.go(60_000);
    let path = format!("/applications/agenda.ics?from={from}&to=2026-12-31");
    let file = api.get(&path).await;
    let is_file = file.status() == 200;
    let body = file.text().await.unwrap();
    let file = if is_file {
        Ok(body.matches("BEGIN:VEVENT").count())
    } else {
        Err(message(&serde_json::from_str(&body).unwrap()))
    };
    vec![asked, file]
}

async fn archive(api: &Api, items: &[Item]) {
    let ids: Vec<_> = items
        .iter()
        .map(|item| item["id"].as_s().unwrap())
        .collect();
    let document =
        "mutation($input: ArchiveApplicationsInput!) { archiveApplications(input: $input) {
        results { application { isArchived } } } }";
    let data = api.data(document, json!({ "input": { "ids": ids } })).await;
    let results = data["archiveApplications"]["results"].as_array().unwrap();
    for result in results {
        assert_eq!(result["application"]["isArchived"], true);
    }
}

#[tokio::test]
async fn a_list_that_is_too_long_says_what_can_be_done() {
    let (api, hands) = start().await;
    let items = filled(&api, LIMIT + 1, 3).await;
    let lists = whole_lists();
    let mut known: Vec<_> = lists.iter().map(|list| list.place.to_owned()).collect();
    known.push("Query.agenda".to_owned());
    known.sort();
    let mut said = places();
    said.sort();
    assert_eq!(known, said);
    // What has a date is little, however many applications there are.
    assert_eq!(agenda(&api, &hands, "2026-12-01").await, [Ok(3), Ok(3)]);
    for list in &lists {
        let answer = api.run(list.document, list.variables.clone()).await.body;
        assert_eq!(
            answer["data"].pointer(list.at),
            Some(&Value::Null),
            "{}",
            list.place
        );
        let error = &answer["errors"][0];
        assert_eq!(
            error["extensions"]["code"], "BAD_USER_INPUT",
            "{}",
            list.place
        );
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(list.remedy), "{}: {message}", list.place);
    }
    // What the errors say.
    for document in [
        "{ a: applications(orderBy: COMPANY_NAME_ASC, filter: { statuses: [UNSUBMITTED] }) { totalCount } }",
        "{ a: applications(orderBy: COMPANY_NAME_ASC, filter: { archived: ONLY }) { totalCount } }",
        "{ a: applications(orderBy: UPDATED_AT_ASC, filter: { tags: [\"a\"] }, first: 1) { edges { cursor } } }",
        "{ a: applications(filter: { jobPostingUrls: [\"https://visa.com/1\"], archived: INCLUDE }) { edges { cursor } } }",
    ] {
        assert!(
            api.data(document, json!({})).await["a"].is_object(),
            "{document}"
        );
    }
    archive(&api, &items[9_000..9_020]).await;
    let stale = api.data("{ stale { totalCount } }", json!({})).await;
    assert_eq!(stale["stale"]["totalCount"], 0);
}

#[tokio::test]
async fn an_agenda_of_too_many_dates_says_what_can_be_done() {
    let (api, hands) = start().await;
    let items = filled(&api, LIMIT + 2, LIMIT + 1).await;
    for answer in agenda(&api, &hands, "2026-12-02").await {
        assert!(answer.unwrap_err().contains("`archiveApplications`"));
    }
    archive(&api, &items[..20]).await;
    assert_eq!(agenda(&api, &hands, "2026-12-02").await, [Ok(0), Ok(0)]);
}
