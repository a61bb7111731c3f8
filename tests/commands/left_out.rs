//! What other programs write is exported and imported, or the commands say what they leave out.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;

use crate::commands::run::{Folder, s};

const TABLE: &str = "lambda_api_applications";

async fn put(folder: &Folder, attributes: &[(&str, AttributeValue)]) {
    let item = attributes
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()));
    let put = folder.store().put_item().table_name(TABLE);
    put.set_item(Some(item.collect())).send().await.unwrap();
}

/// The attributes of an application of another program.
fn application(id: &str, sort_key: &str, is_listed: bool) -> Vec<(&'static str, AttributeValue)> {
    let moment = "2026-11-20T09:30:00.000Z";
    let mut item = vec![
        ("PK", s(&format!("APP#{id}"))),
        ("SK", s(sort_key)),
        ("id", s(id)),
        ("companyName", s("Visa")),
        ("positionTitle", s("Engineer")),
        ("status", s("applied")),
        ("isArchived", AttributeValue::Bool(false)),
        ("createdAt", s(moment)),
        ("updatedAt", s(moment)),
    ];
    if is_listed {
        let place = s(&format!("UPDATED#{moment}#{id}"));
        item.push(("GSI1PK", s("STATUS#applied#ARCHIVED#0")));
        item.push(("GSI1SK", place.clone()));
        item.push(("GSI2PK", s("ACTIVE")));
        item.push(("GSI2SK", place));
    }
    item
}

#[tokio::test]
async fn applications_with_ids_of_any_form_are_exported_and_imported() {
    let folder = Folder::new();
    folder.good(&["table", "create"]);
    let ids = [
        "01JD8ZK3V6M2Q4R7T9W1X5Y8B0",
        "7C3E1F0A-9B54-4C7B-8E0D-2F6A51D0C9AB",
        "7c3e1f0a9b544c7b8e0d2f6a51d0c9ab",
        "team#7",
    ];
    for id in ids {
        put(&folder, &application(id, &format!("APP#{id}"), true)).await;
    }
    let exported = folder.exported();
    let mut found: Vec<_> = exported
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    found.sort_unstable();
    assert_eq!(found, ids);
    let lines: String = exported.iter().map(|one| format!("{one}\n")).collect();
    let other = Folder::new();
    let file = other.file("all.ndjson", &lines);
    assert_eq!(other.good(&["import", &file]).counts(), (4, 0, 0));
    assert_eq!(other.exported().len(), 4);
}

#[tokio::test]
async fn what_no_index_leads_to_is_said() {
    for item in [
        application("one", "APP#one", false),
        application("one", "app#one", true),
    ] {
        let folder = Folder::new();
        let rows = folder.file("rows.csv", "company,title\nVisa,Engineer\n");
        folder.good(&["import", &rows]);
        assert!(
            folder
                .run(&["export"])
                .err
                .contains("1 exported, 0 left out")
        );
        put(&folder, &item).await;
        let ended = folder.run(&["export"]);
        assert_eq!(ended.code, 2, "{ended:?}");
        assert!(ended.err.contains("left out: "), "{ended:?}");
        assert_eq!(ended.out.lines().count(), 1);
    }
}

#[tokio::test]
async fn what_breaks_a_rule_of_ours_is_imported_as_it_is_and_marked() {
    let folder = Folder::new();
    folder.good(&["table", "create"]);
    let id = "8b8f3f0c-3a54-4f0b-9a25-0d9f3d1b7c11";
    put(&folder, &application(id, &format!("APP#{id}"), true)).await;
    for number in 0..35 {
        let stage = format!("{number:02}");
        let item = [
            ("PK", s(&format!("APP#{id}"))),
            ("SK", s(&format!("STAGE#{stage}"))),
            ("id", s(&stage)),
            ("applicationId", s(id)),
            ("name", s("Onsite")),
            ("order", AttributeValue::N(number.to_string())),
            ("isCompleted", AttributeValue::Bool(false)),
        ];
        put(&folder, &item).await;
    }
    // A gap: the first entry is missing, and the application is behind.
    for sequence in [2, 3, 120] {
        let item = [
            ("PK", s(&format!("APP#{id}"))),
            ("SK", s(&format!("HIST#{sequence:08}"))),
            ("id", s("8b8f3f0c-3a54-4f0b-9a25-0d9f3d1b7c12")),
            ("applicationId", s(id)),
            ("sequence", AttributeValue::N(sequence.to_string())),
            ("description", s("theirs")),
            ("createdAt", s("2026-11-20T09:30:00.000Z")),
        ];
        put(&folder, &item).await;
    }
    for sequence in 200..300 {
        let item = [
            ("PK", s(&format!("APP#{id}"))),
            ("SK", s(&format!("HIST#{sequence:08}"))),
            ("description", s("theirs")),
        ];
        put(&folder, &item).await;
    }
    let exported = folder.exported();
    assert_eq!(
        exported[0]["interviewStages"].as_array().map(Vec::len),
        Some(35)
    );
    assert_eq!(exported[0]["history"].as_array().map(Vec::len), Some(103));
    let other = Folder::new();
    let file = other.file("all.ndjson", &format!("{}\n", exported[0]));
    let ended = other.good(&["import", &file]);
    assert_eq!(ended.counts(), (1, 0, 0));
    for says in ["35 interview stages", "history are missing"] {
        assert!(ended.err.contains(says), "{ended:?}");
    }
    assert_eq!(json!(other.exported()), json!(exported));
}

#[tokio::test]
async fn a_mark_of_a_table_that_seemed_empty_is_undone() {
    let folder = Folder::new();
    folder.good(&["table", "create"]);
    put(&folder, &application("one", "APP#one", false)).await;
    let rows = folder.file("rows.csv", "company,title\n");
    folder.good(&["import", &rows, "--owner", "ada"]);
    assert_eq!(folder.run(&["export"]).code, 1);
    assert!(
        folder
            .good(&["table", "unmark"])
            .out
            .contains("the mark is removed")
    );
    assert!(
        folder
            .good(&["table", "unmark"])
            .out
            .contains("there is no mark")
    );
    assert_eq!(folder.run(&["export"]).code, 2);

    let owned = Folder::new();
    let rows = owned.file("rows.csv", "company,title\nVisa,Engineer\n");
    owned.good(&["import", &rows, "--owner", "ada"]);
    let ended = owned.run(&["table", "unmark"]);
    assert_eq!(ended.code, 1);
    assert!(
        ended.err.contains("applications of the owner \"ada\""),
        "{ended:?}"
    );
}

#[tokio::test]
async fn jobs_of_one_careers_page_are_imported_if_duplicates_are_allowed() {
    let folder = Folder::new();
    let link = "https://example.com/careers";
    let rows = format!(
        "company,title,link\nVisa,Engineer,{link}\nVisa,Designer,{link}\nVisa,Engineer,{link}\n"
    );
    let rows = folder.file("rows.csv", &rows);
    for expected in [(2, 1, 0), (0, 3, 0)] {
        let ended = folder.good(&["import", &rows, "--allow-duplicates"]);
        assert_eq!(ended.counts(), expected, "{ended:?}");
    }
    assert_eq!(folder.exported().len(), 2);
}
