//! What suggestions cost in a city with 2,000 jobs and 500 seekers, in the words of README.md.

use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use serde_json::json;

use crate::board::{ANN, Board, ERIN, Item, job, profile, with};

/// The head of the table in README.md.
const TABLE: &str = "| run | suggestions | calls | units |\n|---|---|---|---|\n";

/// `value` with another text in place of one.
fn replaced(value: &AttributeValue, text: &str, by: &str) -> AttributeValue {
    match value {
        AttributeValue::S(found) => AttributeValue::S(found.replace(text, by)),
        AttributeValue::M(map) => {
            let map = map.iter();
            AttributeValue::M(
                map.map(|(k, v)| (k.clone(), replaced(v, text, by)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

/// Stores copies of items, each with another id in place of theirs.
async fn copy(board: &Board, items: &[Item], id: &str, ids: impl Iterator<Item = String>) {
    let copies = ids.flat_map(|other| {
        let copy = |item: &Item| -> Item {
            let attributes = item.iter();
            attributes
                .map(|(name, value)| (name.clone(), replaced(value, id, &other)))
                .collect()
        };
        items.iter().map(copy).collect::<Vec<_>>()
    });
    let puts: Vec<_> = copies
        .map(|item| {
            let put = PutRequest::builder().set_item(Some(item)).build().unwrap();
            WriteRequest::builder().put_request(put).build()
        })
        .collect();
    for puts in puts.chunks(25) {
        let write = board.dynamodb.batch_write_item();
        let write = write.request_items("job-app", puts.to_vec());
        write.send().await.unwrap();
    }
}

/// Copies of a job that is posted now.
async fn jobs(board: &Board, changes: serde_json::Value, count: usize) {
    let before = board.stored("job").await;
    board.post(ERIN, with(job(), changes)).await;
    let mut items = board.stored("job").await;
    items.retain(|item| !before.contains(item));
    let id = items[0]["jobId"].as_s().unwrap().clone();
    let ids = (1..count).map(|n| format!("{}{n:05}", &id[..21]));
    copy(board, &items, &id, ids).await;
}

/// What was written and called since the last reset.
fn spent(board: &Board) -> String {
    let calls: u64 = board.calls.counts().values().sum();
    let (read, written) = board.calls.units();
    format!("{calls} | {read} r, {written} w |")
}

#[tokio::test]
async fn suggestions_cost_what_the_document_says() {
    let board = Board::start().await;
    jobs(
        &board,
        json!({ "title": "Cook", "skills": ["cooking"] }),
        1500,
    )
    .await;
    jobs(&board, json!({}), 500).await;
    board.make().await;
    let mut rows = Vec::new();
    board.calls.reset();
    board.save(ANN, profile()).await;
    board.make().await;
    assert_eq!(board.stored("suggestion").await.len(), 200);
    let row = "| a new profile, in a city of 2,000 jobs of which 500 fit | 200 |";
    rows.push(format!("{row} {}", spent(&board)));
    board.clock.advance(4 * 24 * 60 * 60);
    board.calls.reset();
    assert_eq!(board.suggestions(ANN).await.len(), 100, "a page");
    board.make().await;
    let row = "| the same seeker four days later, with the look that starts it | 200 |";
    rows.push(format!("{row} {}", spent(&board)));

    let mut items = board.stored("seeker").await;
    items.extend(board.stored("seekerPlace").await);
    let ids = (1..500).map(|n| format!("s{n:03}"));
    copy(&board, &items, "ann", ids).await;
    board.calls.reset();
    let title = json!({ "title": "Rust Engineer" });
    board.post(ERIN, with(job(), title)).await;
    board.make().await;
    assert_eq!(board.stored("suggestion").await.len(), 400);
    let row = "| a new job, in a city of 500 seekers whom it fits | 200 |";
    rows.push(format!("{row} {}", spent(&board)));
    board.calls.reset();
    let title = json!({ "title": "Cook", "skills": [] });
    board.post(ERIN, with(job(), title)).await;
    board.make().await;
    assert_eq!(board.stored("suggestion").await.len(), 400);
    let row = "| a new job that fits none of them | 0 |";
    rows.push(format!("{row} {}", spent(&board)));

    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let document = std::fs::read_to_string(path).unwrap();
    let (before, rest) = document.split_once(TABLE).expect("the table");
    let (_, after) = rest.split_once("\n\n").expect("an end of the table");
    let expected = format!("{before}{TABLE}{}\n\n{after}", rows.join("\n"));
    if std::env::var_os("TRESTLE_BLESS").is_some() {
        std::fs::write(path, &expected).unwrap();
        return;
    }
    assert!(document == expected, "README.md lacks {rows:#?}");
}
