//! Cursors and ids: altered, of other lists and things, or made up.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::fuzz::harness::{Fuzzed, application, codes};
use crate::fuzz::words::{Edit, edited, edits, text};

const CASES: u32 = 400;

/// One made of `right` ones: altered as text or below its encoding, or anything.
fn altered(right: Vec<String>) -> impl Strategy<Value = String> {
    let as_text = |(right, edits): (String, Vec<Edit>)| {
        String::from_utf8_lossy(&edited(right.into_bytes(), &edits)).into_owned()
    };
    let below = |(right, edits): (String, Vec<Edit>)| {
        let bytes = URL_SAFE_NO_PAD
            .decode(&right)
            .unwrap_or_else(|_| right.into_bytes());
        URL_SAFE_NO_PAD.encode(edited(bytes, &edits))
    };
    prop_oneof![
        (select(right.clone()), edits()).prop_map(as_text),
        (select(right.clone()), edits()).prop_map(below),
        select(right),
        prop::collection::vec(any::<u8>(), 0..60).prop_map(|bytes| URL_SAFE_NO_PAD.encode(bytes)),
        (1..5000_usize).prop_map(|length| "A".repeat(length)),
        text(),
    ]
}

#[test]
fn every_cursor_is_of_its_list_or_refused() {
    const LISTS: [&str; 4] = [
        "applications(first: 2, ARG: $cursor) { edges { cursor } }",
        "applications(first: 2, orderBy: UPDATED_AT_ASC, filter: { archived: INCLUDE }, ARG: $cursor) { edges { cursor } }",
        "applications(first: 2, filter: { text: \"v\" }, ARG: $cursor) { edges { cursor } }",
        "application(id: $id) { history(first: 2, ARG: $cursor) { edges { cursor } } }",
    ];
    let server = Fuzzed::start();
    let id = &server.application;
    let cursors: Vec<String> = server.runtime.block_on(async {
        let mut cursors = Vec::new();
        application(&server.api, "Vision").await;
        for list in LISTS {
            let used = if list.contains("$id") {
                "query($id: ID!)"
            } else {
                ""
            };
            let query = format!("{used} {{ {} }}", list.replace(", ARG: $cursor", ""));
            let data = server
                .api
                .data(&query, json!({ "id": id }))
                .await
                .to_string();
            let found = data.split("\"cursor\":\"").skip(1);
            cursors.extend(found.map(|rest| rest.split('"').next().unwrap().to_owned()));
        }
        cursors
    });
    assert_eq!(cursors.len(), 8);
    let cases = (select(&LISTS[..]), any::<bool>(), altered(cursors.clone()));
    server.run(CASES, &cases, async |(list, forward, cursor)| {
        let (list, backwards) = (list.to_owned(), list.replace("first: 2", "last: 2"));
        let list = if forward {
            list.replace("ARG", "after")
        } else {
            backwards.replace("ARG", "before")
        };
        let used = if list.contains("$id") {
            ", $id: ID!"
        } else {
            ""
        };
        let query = format!("query($cursor: String{used}) {{ {list} }}");
        let body = server
            .ask(&query, json!({ "cursor": cursor, "id": id }))
            .await?;
        match codes(&body)[..] {
            [] => prop_assert!(cursors.contains(&cursor), "{} is taken: {}", cursor, body),
            _ => prop_assert_eq!(codes(&body), ["BAD_USER_INPUT"], "{}", body),
        }
        Ok(())
    });
}

#[test]
fn every_id_names_something_or_nothing() {
    const QUERIES: [&str; 3] = [
        "query($id: ID!) { found: application(id: $id) { id interviewStages { id } history { edges { cursor } } } }",
        "query($id: ID!) { found: node(id: $id) { id __typename } }",
        "query($id: ID!) { nodes(ids: [$id, $id]) { id } }",
    ];
    const MUTATIONS: [(&str, &str); 10] = [
        ("updateApplication", "{ id: $id, notes: \"x\" }"),
        ("archiveApplication", "{ id: $id }"),
        ("unarchiveApplication", "{ id: $id }"),
        ("restoreApplication", "{ id: $id, sequence: 1 }"),
        ("deleteApplication", "{ id: $id, expectedVersion: 99 }"),
        ("addInterviewStage", "{ applicationId: $id, name: \"x\" }"),
        (
            "reorderInterviewStages",
            "{ applicationId: $id, stageIds: [$id] }",
        ),
        ("updateInterviewStage", "{ id: $id, notes: \"x\" }"),
        ("completeInterviewStage", "{ id: $id }"),
        ("removeInterviewStage", "{ id: $id }"),
    ];
    let server = Fuzzed::start();
    let ids = vec![
        server.application.clone(),
        server.stage.clone(),
        server.entry.clone(),
    ];
    let cases = (0..QUERIES.len() + MUTATIONS.len(), altered(ids.clone()));
    server.run(CASES, &cases, async |(which, id)| {
        let query = match which.checked_sub(QUERIES.len()) {
            None => QUERIES[which].to_owned(),
            Some(which) => {
                let (name, input) = MUTATIONS[which];
                format!("mutation($id: ID!) {{ {name}(input: {input}) {{ userErrors {{ code message }} }} }}")
            }
        };
        let body = server.ask(&query, json!({ "id": id })).await?;
        // A UUID may be written in several ways.
        let right = ids.contains(&id) || uuid::Uuid::try_parse(&id).is_ok();
        prop_assert!(codes(&body).is_empty(), "{}", body);
        let fields = body["data"].as_object().unwrap();
        let (name, value) = fields.iter().next().unwrap();
        match name.as_str() {
            "found" => prop_assert!(right || value.is_null(), "{}", body),
            "nodes" => prop_assert!(right || *value == json!([null, null]), "{}", body),
            _ => {
                let errors = value["userErrors"].as_array().unwrap();
                let code = errors.first().map_or(&Value::Null, |error| &error["code"]);
                prop_assert!(right || code == "NOT_FOUND", "{}", body);
            }
        }
        Ok(())
    });
}
