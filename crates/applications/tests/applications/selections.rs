//! Selections as clients compose them: from fragments that know nothing of each other.

use serde_json::json;

use crate::ask::{named, start, with};

#[tokio::test]
async fn a_field_that_two_fragments_select_is_read_once() {
    let (api, _) = start().await;
    let made = api
        .create(with(named("Visa"), json!({ "notes": "n" })))
        .await;
    let id = made["id"].clone();
    for document in [
        "query($id: ID!) { application(id: $id) { notes ...F } } fragment F on Application { notes }",
        "query($id: ID!) { application(id: $id) { a: notes b: notes history(first: 1) { totalCount } } }",
        "query($id: ID!) { node(id: $id) { ... on Application { notes } ... on InterviewStage { notes } } }",
        "query($id: ID!) { applications { edges { node { notes ...F } } } nodes(ids: [$id]) { id } }
         fragment F on Application { a: notes companyName }",
    ] {
        let data = api.data(document, json!({ "id": id })).await;
        assert!(data.to_string().contains(r#""n""#), "{data}");
    }
}

#[tokio::test]
async fn stages_and_history_of_a_list_come_together() {
    let (api, _) = start().await;
    let id = api.create(named("Visa")).await["id"].clone();
    api.add_stage(id.as_str().unwrap(), json!({ "name": "Onsite" }))
        .await;
    const LIST: &str = "{ applications { edges { node { interviewStages { name }
      history(first: 1) { totalCount edges { node { description } } pageInfo { hasNextPage } } } } } }";
    let answer = api.run(LIST, json!({})).await;
    let expected = json!({
        "interviewStages": [{ "name": "Onsite" }],
        "history": {
            "totalCount": 2,
            "edges": [{ "node": { "description": "Interview stage \"Onsite\" added" } }],
            "pageInfo": { "hasNextPage": true },
        },
    });
    assert_eq!(answer.data()["applications"]["edges"][0]["node"], expected);
    assert_eq!(answer.cost().reads, 2);
}
