//! What other programs added to the table's items is exported and restored with them.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::commands::run::{Folder, s};

const TABLE: &str = "lambda_api_applications";
const STAGE: &str = "STAGE#63d329d0-b515-46a7-b955-c7ac89708f41";

type Item = HashMap<String, AttributeValue>;

/// The items of an application's partition, by their sort keys.
async fn partition(store: &Client, id: &str) -> Vec<Item> {
    let answer = store
        .query()
        .table_name(TABLE)
        .key_condition_expression("PK = :k")
        .expression_attribute_values(":k", s(&format!("APP#{id}")))
        .send()
        .await;
    answer.unwrap().items.unwrap()
}

async fn put(store: &Client, item: Item) {
    let put = store.put_item().table_name(TABLE).set_item(Some(item));
    put.send().await.unwrap();
}

/// A folder with an application to which another program added attributes, a stage and an item.
async fn with_additions() -> (Folder, String) {
    let folder = Folder::new();
    let rows = folder.file("rows.csv", "company,title\nVisa,Engineer\n");
    folder.good(&["import", &rows]);
    let id = folder.exported()[0]["id"].as_str().unwrap().to_owned();
    let store = folder.store();
    for mut item in partition(&store, &id).await {
        let odd = [
            ("tags", AttributeValue::Ss(vec!["a".into(), "b".into()])),
            ("score", AttributeValue::N("3.10".into())),
            ("raw", AttributeValue::B(Blob::new([0, 255]))),
            (
                "deep",
                AttributeValue::M(Item::from([("x".into(), AttributeValue::Null(true))])),
            ),
            (
                "salaryMax",
                AttributeValue::N("12345678901234567890".into()),
            ),
        ];
        item.extend(odd.map(|(name, value)| (name.to_owned(), value)));
        put(&store, item).await;
    }
    let key = s(&format!("APP#{id}"));
    let item = |attributes: &[(&str, AttributeValue)]| {
        let attributes = attributes.iter().cloned();
        attributes
            .map(|(name, value)| (name.to_owned(), value))
            .collect::<Item>()
    };
    let (pk, stage_id) = (("PK", key), STAGE.strip_prefix("STAGE#").unwrap());
    let stage = [
        pk.clone(),
        ("SK", s(STAGE)),
        ("id", s(stage_id)),
        ("applicationId", s(&id)),
        ("name", s("Screening")),
        ("order", AttributeValue::N("0".into())),
        ("isCompleted", AttributeValue::Bool(false)),
        ("completedDate", AttributeValue::Null(true)),
        ("notes", AttributeValue::Null(true)),
        ("performanceRating", AttributeValue::Null(true)),
        ("interviewers", AttributeValue::L(vec![s("Ada")])),
    ];
    put(&store, item(&stage)).await;
    put(
        &store,
        item(&[pk.clone(), ("SK", s("DOC#1")), ("title", s("CV"))]),
    )
    .await;
    put(&store, item(&[pk, ("SK", s("NOTES"))])).await;
    (folder, id)
}

#[tokio::test]
async fn what_another_program_added_is_restored_as_it_was() {
    let (folder, id) = with_additions().await;
    let exported = folder.good(&["export"]).out;
    let other = Folder::new();
    let file = other.file("backup.ndjson", &exported);
    assert_eq!(other.good(&["import", &file]).counts(), (1, 0, 0));
    let (had, has) = (
        partition(&folder.store(), &id).await,
        partition(&other.store(), &id).await,
    );
    assert_eq!(had.len(), 5);
    assert_eq!(has, had);
    assert_eq!(other.good(&["export"]).out, exported);

    let owned = Folder::new();
    let file = owned.file("backup.ndjson", &exported);
    owned.good(&["import", &file, "--owner", "ada"]);
    let again = owned.good(&["export", "--owner", "ada"]).out;
    assert_eq!(again, exported);
}

#[tokio::test]
async fn additions_that_cannot_be_stored_are_refused_with_their_line() {
    let (folder, _) = with_additions().await;
    let record = folder.exported().remove(0);
    let id = record["id"].as_str().unwrap();
    let of =
        |sort_key: &str, attributes: Value| json!([{ "SK": sort_key, "attributes": attributes }]);
    let of_application = |attributes| of(&format!("APP#{id}"), attributes);
    let empty = json!({ "SK": "A", "attributes": {} });
    let cases = [
        (of("", json!({})), "no text"),
        (json!([empty, empty]), "`A` twice"),
        (
            of("HIST#00000007", json!({})),
            "`HIST#00000007`, which is not in the record",
        ),
        (of("A", json!({ "a": 1 })), "not a complete application"),
        (
            json!([{ "SK": "A", "attributes": {}, "more": 1 }]),
            "not a complete application",
        ),
        (
            of("A", json!({ "a": { "N": "1e300" } })),
            "`A` has an attribute with a number that is out of range",
        ),
        (
            of("A", json!({ "a": { "N": "9".repeat(39) } })),
            "more than 38 digits",
        ),
        (
            of("A", json!({ "a": { "SS": [] } })),
            "`A` has a set without values",
        ),
        (
            of("A", json!({ "PK": { "S": "META" } })),
            "must not set `PK`",
        ),
        (
            of("A", json!({ "GSI2PK": { "S": "ACTIVE" } })),
            "must not set `GSI2PK`",
        ),
        (
            of_application(json!({ "GSI1PK": { "S": "XX" } })),
            "must not set `GSI1PK`",
        ),
        (
            of_application(json!({ "status": { "S": "rejected" } })),
            "another `status`",
        ),
        (
            of_application(json!({ "historySequence": { "N": "7" } })),
            "another `historySequence`",
        ),
    ];
    for (extra, reason) in cases {
        let mut record = record.clone();
        record["extra"] = extra;
        let other = Folder::new();
        let file = other.file("backup.ndjson", &record.to_string());
        let ended = other.run(&["import", &file]);
        assert_eq!(
            (ended.code, ended.counts()),
            (2, (0, 0, 1)),
            "{reason}: {ended:?}"
        );
        assert!(ended.err.contains(reason), "{reason}: {}", ended.err);
    }
}

#[tokio::test]
async fn applications_whose_index_keys_do_not_name_them_are_exported() {
    let folder = Folder::new();
    let rows = (0..6).map(|i| format!("Company {i},Engineer\n"));
    let rows = format!("company,title\n{}", rows.collect::<String>());
    folder.good(&["import", &folder.file("rows.csv", &rows)]);
    let store = folder.store();
    let before = folder.exported();
    let odd = [
        "UPDATED#9999",
        "ZZZ",
        "0",
        "0",
        "UPDATED#2026-11-20T09:30:00.000Z",
    ];
    for (application, sort_key) in before.iter().zip(odd) {
        let mut items = partition(&store, application["id"].as_str().unwrap()).await;
        let mut item = items.swap_remove(0);
        item.insert("GSI2SK".to_owned(), s(sort_key));
        put(&store, item).await;
    }
    assert_eq!(folder.exported(), before);
    let mended = folder.good(&["table", "mend-times"]).out;
    assert_eq!(mended, "0 applications corrected\n");
}
