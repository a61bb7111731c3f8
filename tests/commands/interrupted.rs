//! An import that is killed on its way and started again: nothing twice, nothing missing.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::commands::run::Folder;

/// How many rows an import hands on together.
const CHUNK: usize = 470;
const CHUNKS: usize = 2;
/// More than what the pipe and the reader hold, of rows that the importer has not written yet.
const BEHIND: usize = 200_000;

/// Feeds `lines` to an import until it must have written some chunks and cannot have written all, and kills it.
fn interrupt(folder: &Folder, lines: &[String]) {
    let mut command = folder.command(&["import", "-", "--format", "ndjson"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // It reads a chunk's rows only after the chunk before is written, so that what the pipe takes tells
    // how far it is. It never sees the end of its input.
    let fed = lines.len() - 1;
    for line in &lines[..fed] {
        writeln!(input, "{line}").unwrap();
    }
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
}

fn rows() -> Vec<String> {
    let row = |i: usize| {
        let pad = "x".repeat(BEHIND / CHUNK);
        json!({ "company": format!("Company {i}"), "title": "Engineer", "notes": pad }).to_string()
    };
    (0..CHUNKS * CHUNK + 10).map(row).collect()
}

fn ids(all: &[Value]) -> Vec<String> {
    let mut ids: Vec<_> = all.iter().map(|one| one["id"].to_string()).collect();
    ids.sort_unstable();
    ids
}

#[tokio::test]
async fn rows_and_then_records_are_there_once_after_an_import_that_was_killed() {
    let (rows, folder) = (rows(), Folder::new());
    interrupt(&folder, &rows);
    let file = folder.file("rows.ndjson", &(rows.join("\n") + "\n"));
    let (created, there, refused) = folder.good(&["import", &file]).counts();
    assert_eq!((created + there, refused), (rows.len() as u64, 0));
    assert!(created > 0 && there >= CHUNK as u64, "{created} {there}");
    let all = folder.exported();
    let mut distinct = ids(&all);
    distinct.dedup();
    assert_eq!((all.len(), distinct.len()), (rows.len(), rows.len()));
    assert_eq!(folder.count().await, rows.len() as i64);

    let records: Vec<_> = all.iter().map(Value::to_string).collect();
    let other = Folder::new();
    interrupt(&other, &records);
    let file = other.file("records.ndjson", &(records.join("\n") + "\n"));
    let (created, there, refused) = other.good(&["import", &file]).counts();
    assert_eq!((created + there, refused), (rows.len() as u64, 0));
    assert!(created > 0 && there >= CHUNK as u64, "{created} {there}");
    assert_eq!(other.exported(), all);
    assert_eq!(other.count().await, rows.len() as i64);
}
