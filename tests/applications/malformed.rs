//! Items that another program wrote wrongly: told where they stand, never in the way of anything else.

use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_dynamodb::types::AttributeValue::{Bool, L, M, N, Null, S};
use serde_json::{Value, json};

use crate::ask::{FIELDS, STAGE, errors, number, start, text};
use crate::history::with_entries;
use crate::support::{Answer, Api};

/// One way to write an item wrongly: the attribute gets this value, or goes.
type Wrong = (&'static str, Option<AttributeValue>);

fn wrong_applications() -> Vec<Wrong> {
    vec![
        ("companyName", None),
        ("companyName", Some(text(" "))),
        ("companyName", Some(S("a".repeat(201)))),
        ("positionTitle", Some(number(7))),
        ("id", None),
        ("id", Some(text("one"))),
        ("status", None),
        ("status", Some(number(5))),
        ("status", Some(text("GIVEN_OFFER"))),
        ("updatedAt", Some(text("yesterday"))),
        ("updatedAt", Some(text("2026-11-20T09:30:00Z"))),
        ("updatedAt", None),
        ("createdAt", Some(Null(true))),
        ("dateApplied", Some(text("2026-02-30"))),
        ("offerDueDate", Some(Bool(true))),
        ("companyUrl", Some(text("javascript:alert(1)"))),
        ("companyCategory", Some(text("AI"))),
        ("jobSource", Some(L(Vec::new()))),
        ("skillsMatch", Some(number(9))),
        ("skillsMatch", Some(N("2.5".to_owned()))),
        ("coverLetterRequired", Some(text("true"))),
        ("notes", Some(M(Default::default()))),
        ("salaryMin", Some(number(-1))),
        ("salaryMax", Some(N("1e30".to_owned()))),
        ("isArchived", None),
        ("isArchived", Some(text("false"))),
        ("historySequence", Some(number(-1))),
        ("historySequence", Some(text("1"))),
    ]
}

/// Writes an item of an application again, one attribute wrong.
async fn spoil(api: &Api, id: &str, sort_key: &str, (name, value): Wrong) {
    let mut item = api.stored(id).await[sort_key].clone();
    match value {
        Some(value) => item.insert(name.to_owned(), value),
        None => item.remove(name),
    };
    api.put(item).await;
}

/// Asserts that there is one error, a fault at `path` whose message tells nothing of the item.
fn one_fault(answer: &Answer, path: &Value) {
    let faults = answer.body["errors"].as_array().unwrap();
    assert_eq!(faults.len(), 1, "{:#}", answer.body);
    assert_eq!(answer.code(), "INTERNAL_SERVER_ERROR");
    assert_eq!(faults[0]["path"], *path);
    let message = faults[0]["message"].as_str().unwrap();
    assert!(
        !message.contains("attribute") && !message.contains("APP#"),
        "{message}"
    );
}

#[tokio::test]
async fn a_list_goes_on_past_applications_that_cannot_be_read() {
    let (api, hands) = start().await;
    // The newest first: one as it should be, one that is not, by turns.
    let mut expected = Vec::new();
    for wrong in wrong_applications() {
        hands.go(1000);
        let id = with_entries(&api, 1).await;
        spoil(&api, &id, &format!("APP#{id}"), wrong).await;
        hands.go(1000);
        expected.splice(0..0, [json!(with_entries(&api, 1).await), json!(null)]);
    }
    let document = format!(
        "query($filter: ApplicationFilter, $first: Int, $after: String, $last: Int, $before: String) {{
           applications(filter: $filter, first: $first, after: $after, last: $last, before: $before) {{
             edges {{ node {{ {FIELDS} interviewStages {{ name }} }} }}
             pageInfo {{ hasNextPage hasPreviousPage startCursor endCursor }} }} }}"
    );
    let merged = json!({ "statuses": ["UNSUBMITTED", "APPLIED"] });
    for (filter, size, cursor, next, from) in [
        (json!({}), "first", "after", "hasNextPage", "endCursor"),
        (
            json!({}),
            "last",
            "before",
            "hasPreviousPage",
            "startCursor",
        ),
        (merged, "first", "after", "hasNextPage", "endCursor"),
    ] {
        let mut found = Vec::new();
        let mut args = json!({ "filter": filter, size: 2 });
        loop {
            let answer = api.run(&document, args.clone()).await;
            let page = &answer.body["data"]["applications"];
            let edges = page["edges"].as_array().unwrap();
            let nodes: Vec<_> = edges
                .iter()
                .map(|edge| edge["node"]["id"].clone())
                .collect();
            let gap = nodes.iter().position(Value::is_null).unwrap();
            one_fault(&answer, &json!(["applications", "edges", gap, "node"]));
            match size {
                "first" => found.extend(nodes),
                _ => drop(found.splice(0..0, nodes)),
            }
            if page["pageInfo"][next] != true {
                break;
            }
            args = json!({ "filter": filter, size: 2, cursor: page["pageInfo"][from] });
        }
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn an_application_that_cannot_be_read_is_null_with_its_error() {
    let (api, _) = start().await;
    let other = with_entries(&api, 1).await;
    for wrong in wrong_applications() {
        let id = with_entries(&api, 2).await;
        spoil(&api, &id, &format!("APP#{id}"), wrong.clone()).await;
        for more in [
            "",
            "interviewStages { name }",
            "history { edges { cursor } }",
        ] {
            let document = format!(
                "query($id: ID!, $other: ID!) {{ application(id: $id) {{ {FIELDS} {more} }}
                   other: application(id: $other) {{ id }} }}"
            );
            let answer = api
                .run(&document, json!({ "id": id, "other": other }))
                .await;
            one_fault(&answer, &json!(["application"]));
            let rest = json!({ "application": null, "other": { "id": other } });
            assert_eq!(answer.body["data"], rest, "{wrong:?}");
        }
        let document = format!(
            "query($ids: [ID!]!) {{ nodes(ids: $ids) {{
           ... on Application {{ {FIELDS} }} }} }}"
        );
        let answer = api.run(&document, json!({ "ids": [other, id] })).await;
        one_fault(&answer, &json!(["nodes", 1]));
        assert_eq!(answer.body["data"]["nodes"][0]["id"], json!(other));
        // Writing answers too, whatever it answers.
        for name in ["archiveApplication", "deleteApplication"] {
            let answer = api.mutate(name, json!({ "id": id })).await;
            assert!(
                answer.body["data"].get(name).is_some(),
                "{wrong:?}: {:#}",
                answer.body
            );
        }
    }
}

#[tokio::test]
async fn what_is_not_selected_does_not_have_to_be_right() {
    let (api, _) = start().await;
    let id = with_entries(&api, 1).await;
    spoil(
        &api,
        &id,
        &format!("APP#{id}"),
        ("skillsMatch", Some(number(9))),
    )
    .await;
    const SOME: &str = "query($id: ID!) { application(id: $id) { companyName }
      applications { edges { node { companyName } } } }";
    let data = api.data(SOME, json!({ "id": id })).await;
    assert_eq!(data["application"]["companyName"], "Visa");
    assert_eq!(
        data["applications"]["edges"][0]["node"]["companyName"],
        "Visa"
    );
}

fn wrong_entries() -> Vec<Wrong> {
    vec![
        ("snapshot", None),
        ("snapshot", Some(M(Default::default()))),
        ("snapshot", Some(text("all of it"))),
        ("description", None),
        ("id", Some(number(1))),
        ("sequence", Some(text("two"))),
        ("createdAt", Some(text("yesterday"))),
    ]
}

#[tokio::test]
async fn a_history_goes_on_past_an_entry_that_cannot_be_read() {
    for wrong in wrong_entries() {
        let (api, _) = start().await;
        let id = with_entries(&api, 4).await;
        spoil(&api, &id, "HIST#00000002", wrong.clone()).await;
        const ENTRY: &str = "edges { node { sequence description createdAt snapshot { notes } } }";
        let read = json!([4, 3, null, 1]);
        for (document, path) in [
            (
                "application(id: $id) { history { X } }",
                json!(["application", "history"]),
            ),
            (
                "application(id: $id) { history(last: 4) { X } }",
                json!(["application", "history"]),
            ),
            (
                "node(id: $id) { ... on Application { history { X } } }",
                json!(["node", "history"]),
            ),
            (
                "applications { edges { node { id history(first: 4) { X } } } }",
                json!(["applications", "edges", 0, "node", "history"]),
            ),
        ] {
            let used = if document.contains("$id") {
                "query($id: ID!)"
            } else {
                ""
            };
            let document = format!("{used} {{ {} }}", document.replace('X', ENTRY));
            let answer = api.run(&document, json!({ "id": id })).await;
            let faults = answer.body["errors"].as_array().unwrap();
            assert_eq!(faults.len(), 1, "{wrong:?} {:#}", answer.body);
            assert_eq!(answer.code(), "INTERNAL_SERVER_ERROR");
            let mut at = path.as_array().unwrap().clone();
            let mut history = &answer.body["data"];
            for step in &at {
                history = match step {
                    Value::String(key) => &history[key],
                    index => &history[usize::try_from(index.as_u64().unwrap()).unwrap()],
                };
            }
            let edges = history["edges"].as_array().unwrap();
            let found: Vec<_> = edges
                .iter()
                .map(|edge| edge["node"]["sequence"].clone())
                .collect();
            assert_eq!(json!(found), read, "{wrong:?} in {document}");
            // Where the snapshot alone is wrong, it is said there or at the entry.
            at.extend([json!("edges"), json!(2), json!("node")]);
            let error_path = faults[0]["path"].as_array().unwrap();
            assert_eq!(&error_path[..at.len()], &at[..]);
        }
    }
}

#[tokio::test]
async fn what_changed_since_an_entry_that_cannot_be_read_is_not_known() {
    for wrong in wrong_entries() {
        let (api, _) = start().await;
        let id = with_entries(&api, 4).await;
        spoil(&api, &id, "HIST#00000003", wrong.clone()).await;
        const NEWEST: &str = "query($id: ID!) { application(id: $id) { history(first: 1) {
          edges { node { sequence changes { field } snapshot { notes } } } } } }";
        let answer = api.run(NEWEST, json!({ "id": id })).await;
        let path = json!(["application", "history", "edges", 0, "node", "changes"]);
        one_fault(&answer, &path);
        let node = json!({ "sequence": 4, "changes": null, "snapshot": { "notes": "note 4" } });
        let history = &answer.body["data"]["application"]["history"];
        assert_eq!(history["edges"][0]["node"], node, "{wrong:?}");
    }
}

#[tokio::test]
async fn a_newest_entry_that_cannot_be_read_does_not_keep_the_application_from_changing() {
    for wrong in wrong_entries() {
        let name = wrong.0;
        let (api, _) = start().await;
        let id = with_entries(&api, 2).await;
        api.add_stage(&id, json!({ "name": "Onsite" })).await;
        spoil(&api, &id, "HIST#00000003", wrong).await;
        const LIST: &str = "{ applications { edges { node { interviewStages { name } } } } }";
        let data = api.data(LIST, json!({})).await;
        let stages = &data["applications"]["edges"][0]["node"]["interviewStages"];
        assert_eq!(*stages, json!([{ "name": "Onsite" }]));
        let updated = api.update(&id, json!({ "notes": "it goes on" })).await;
        assert_eq!(updated["version"], 4);
        assert_eq!(updated["interviewStages"][0]["name"], "Onsite");
        // Of an entry that only its moment is wrong of, the snapshot can be restored.
        if name != "createdAt" {
            let restore = json!({ "id": id, "sequence": 3 });
            let refused = api.refused("restoreApplication", restore).await;
            assert_eq!(refused, errors(&[("NOT_FOUND", "sequence")]));
        }
    }
}

#[tokio::test]
async fn stages_that_cannot_be_read_are_null_with_their_error() {
    for wrong in [
        ("name", None),
        ("order", Some(text("first"))),
        ("order", Some(number(-1))),
        ("isCompleted", Some(Null(true))),
        ("completedDate", Some(text("soon"))),
        ("performanceRating", Some(number(6))),
        ("id", Some(text("one"))),
    ] {
        let (api, _) = start().await;
        let id = with_entries(&api, 2).await;
        let stage = api.add_stage(&id, json!({ "name": "Onsite" })).await;
        let sort_key = format!("STAGE#{}", stage["stageId"].as_str().unwrap());
        spoil(&api, &id, &sort_key, wrong.clone()).await;
        let document = format!(
            "query($id: ID!) {{ application(id: $id) {{ companyName interviewStages {{ {STAGE} }}
               history {{ edges {{ node {{ sequence }} }} }} }} }}"
        );
        let answer = api.run(&document, json!({ "id": id })).await;
        one_fault(&answer, &json!(["application", "interviewStages"]));
        let application = &answer.body["data"]["application"];
        assert_eq!(application["companyName"], "Visa", "{wrong:?}");
        assert_eq!(application["history"]["edges"].as_array().unwrap().len(), 3);
        let node = "query($id: ID!) { node(id: $id) { id } }";
        let answer = api.run(node, json!({ "id": stage["id"] })).await;
        one_fault(&answer, &json!(["node"]));
    }
}

#[tokio::test]
async fn counters_that_cannot_be_read_are_null_with_their_error() {
    let (api, _) = start().await;
    with_entries(&api, 1).await;
    let mut meta = api.stored_meta().await;
    meta.insert("count".to_owned(), text("one"));
    api.put(meta).await;
    const STATS: &str = "{ applications { totalCount edges { node { companyName } } } }";
    let answer = api.run(STATS, json!({})).await;
    one_fault(&answer, &json!(["applications", "totalCount"]));
    let edges = &answer.body["data"]["applications"]["edges"];
    assert_eq!(edges[0]["node"]["companyName"], "Visa");
}
