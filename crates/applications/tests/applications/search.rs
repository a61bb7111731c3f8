//! Search over all texts of applications and of their stages.

use serde_json::{Value, json};

use crate::ask::{named, start, text, with};
use crate::costs::fixture::copy;
use crate::support::Api;

const SEARCH: &str = "query($text: String!, $archived: ArchivedFilter, $first: Int, $after: String, $last: Int, $before: String) {
  searchApplications(text: $text, archived: $archived, first: $first, after: $after, last: $last, before: $before) {
    searched edges { cursor matchedIn node { companyName interviewStages { name } } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }";

async fn search(api: &Api, variables: Value) -> Value {
    api.data(SEARCH, variables).await["searchApplications"].clone()
}

/// The companies that are found.
fn names(found: &Value) -> Vec<&str> {
    let edges = found["edges"].as_array().unwrap();
    let names = edges
        .iter()
        .map(|edge| edge["node"]["companyName"].as_str());
    names.map(Option::unwrap).collect()
}

#[tokio::test]
async fn every_text_is_searched_ignoring_case_and_accents() {
    let (api, hands) = start().await;
    for (company, more) in [
        ("Crème", json!({})),
        ("position", json!({ "positionTitle": "Chef de CRÈME" })),
        (
            "specialRequirements",
            json!({ "specialRequirements": "creme" }),
        ),
        ("notes", json!({ "notes": "Ice-cream, or crème" })),
        ("nextAction", json!({ "nextAction": "crème" })),
        (
            "companyUrl",
            json!({ "companyUrl": "https://creme.example" }),
        ),
        (
            "jobPostingUrl",
            json!({ "jobPostingUrl": "https://a.example/CREME" }),
        ),
        (
            "companyCareerUrl",
            json!({ "companyCareerUrl": "https://a.example/?creme" }),
        ),
        ("tags", json!({ "tags": ["other", "Crème"] })),
        ("location", json!({ "location": "Crème" })),
        ("postingText", json!({ "postingText": "We are\ncrème." })),
        ("none", json!({ "notes": "cream" })),
    ] {
        hands.go(1_000);
        api.create(with(named(company), more)).await;
    }
    for (company, stage) in [
        ("stage name", json!({ "name": "Crème" })),
        (
            "stage notes",
            json!({ "name": "On site", "notes": "crème" }),
        ),
    ] {
        hands.go(1_000);
        let id = api.create(named(company)).await["id"].clone();
        api.add_stage(id.as_str().unwrap(), stage).await;
    }
    let found = search(&api, json!({ "text": " CREME " })).await;
    assert_eq!(
        names(&found),
        [
            "stage notes",
            "stage name",
            "postingText",
            "location",
            "tags",
            "companyCareerUrl",
            "jobPostingUrl",
            "companyUrl",
            "nextAction",
            "notes",
            "specialRequirements",
            "position",
            "Crème",
        ]
    );
    let edges = found["edges"].as_array().unwrap();
    for edge in edges {
        let expected = match edge["node"]["companyName"].as_str().unwrap() {
            "stage notes" => "interviewStages.notes",
            "stage name" => "interviewStages.name",
            "position" => "positionTitle",
            "Crème" => "companyName",
            field => field,
        };
        assert_eq!(edge["matchedIn"], json!([expected]));
    }
    assert_eq!(edges[1]["node"]["interviewStages"][0]["name"], "Crème");
    assert_eq!(found["searched"], 14);
    assert_eq!(found["pageInfo"]["hasNextPage"], false);

    // Every word, wherever it is.
    let both = search(&api, json!({ "text": "site creme" })).await;
    assert_eq!(names(&both), ["stage notes"]);
    let fields = json!(["interviewStages.name", "interviewStages.notes"]);
    assert_eq!(both["edges"][0]["matchedIn"], fields);
    let apart = search(&api, json!({ "text": "chef engineer" })).await;
    assert_eq!(names(&apart), [""; 0]);
}

#[tokio::test]
async fn archived_applications_are_searched_if_they_are_requested() {
    let (api, hands) = start().await;
    let archived = api.create(named("Archived")).await["id"].clone();
    api.mutate("archiveApplication", json!({ "id": archived }))
        .await;
    hands.go(1_000);
    api.create(named("Active")).await;
    for (archived, expected) in [
        (Value::Null, vec!["Active"]),
        (json!("ONLY"), vec!["Archived"]),
        (json!("INCLUDE"), vec!["Active", "Archived"]),
    ] {
        let found = search(&api, json!({ "text": "engineer", "archived": archived }));
        assert_eq!(names(&found.await), expected);
    }
}

#[tokio::test]
async fn what_other_programs_stored_is_searched() {
    let (api, _) = start().await;
    let id = api.create(named("Odd")).await["id"].clone();
    let id = id.as_str().unwrap();
    api.add_stage(id, json!({ "name": "Phone" })).await;
    for (sort_key, mut item) in api.stored(id).await {
        if sort_key.starts_with("HIST#") {
            api.remove(&item).await;
        } else if sort_key.starts_with("APP#") {
            item.remove("historySequence");
            item.insert("companyUrl".to_owned(), text("zebra.example"));
            api.put(item).await;
        }
    }
    for words in ["phone", "zebra", "odd phone"] {
        let found = search(&api, json!({ "text": words })).await;
        assert_eq!(names(&found), ["Odd"], "{words}");
    }
}

#[tokio::test]
async fn a_request_searches_a_bounded_number_of_applications() {
    let (api, hands) = start().await;
    let needle = api.create(named("Needle")).await["id"].clone();
    hands.go(1_000);
    let hay = api.create(named("Hay")).await["id"].clone();
    let hay = api.stored(hay.as_str().unwrap()).await;
    copy(&api, &hay, 1_099).await;
    let (mut after, mut requests, mut found) = (Value::Null, Vec::new(), Vec::new());
    loop {
        api.calls.reset();
        let page = search(&api, json!({ "text": "needle", "after": after })).await;
        let (calls, searched) = (api.calls.counts(), page["searched"].as_u64().unwrap());
        assert_eq!(calls["Query"], searched.div_ceil(100));
        assert!(calls["BatchGetItem"] <= calls["Query"], "{calls:?}");
        requests.push(searched);
        found.extend(names(&page).into_iter().map(str::to_owned));
        after = page["pageInfo"]["endCursor"].clone();
        if page["pageInfo"]["hasNextPage"] == false {
            break;
        }
    }
    assert_eq!(requests, [500, 500, 101]);
    assert_eq!(found, ["Needle"]);
    drop(needle);
}

#[tokio::test]
async fn pages_go_both_ways_and_belong_to_their_search() {
    let (api, hands) = start().await;
    for at in 0..5 {
        hands.go(1_000);
        let match_or_not = if at % 2 == 0 { "yes" } else { "no" };
        let more = json!({ "notes": match_or_not });
        api.create(with(named(&format!("C{at}")), more)).await;
    }
    let first = search(&api, json!({ "text": "yes", "first": 2 })).await;
    assert_eq!(names(&first), ["C4", "C2"]);
    let info = &first["pageInfo"];
    assert_eq!(info["hasNextPage"], true);
    assert_eq!(info["endCursor"], first["edges"][1]["cursor"]);
    let after = info["endCursor"].clone();
    let next = search(&api, json!({ "text": "yes", "first": 2, "after": after })).await;
    assert_eq!((names(&next), &next["searched"]), (vec!["C0"], &json!(2)));
    let back = search(&api, json!({ "text": "yes", "last": 1, "before": after })).await;
    assert_eq!(names(&back), ["C4"]);
    let last = search(&api, json!({ "text": "yes", "last": 2 })).await;
    assert_eq!(names(&last), ["C2", "C0"]);
    assert_eq!(last["pageInfo"]["hasPreviousPage"], true);
    for bad in [
        json!({ "text": "no", "after": after }),
        json!({ "text": "yes", "archived": "ONLY", "after": after }),
        json!({ "text": " " }),
        json!({ "text": "a".repeat(201) }),
    ] {
        assert_eq!(api.run(SEARCH, bad).await.code(), "BAD_USER_INPUT");
    }
}
