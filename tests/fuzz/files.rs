//! Files to import, by the binary itself: every row goes in or is told with its place, and none ends it.

use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::fuzz::words::{edited, edits, json_value, number, text};

/// Each is a file with as many rows as a case of another test has.
const FILES: u32 = 12;

const COLUMNS: [&str; 12] = [
    "Company",
    "Job Title",
    "Link",
    "Status",
    "Date Applied",
    "Notes",
    "Salary",
    "Min Salary",
    "Rating",
    "Cover Letter",
    "Category",
    "Archived",
];

fn cell() -> impl Strategy<Value = String> {
    let salary = "[$€£]?[0-9kK.,]{1,12}( ?(-|–|to) ?)?[$]?[0-9kKmM.,]{0,12}( ?(a year|/h|USD))?";
    prop_oneof![
        text().prop_map(|text| text.chars().take(800).collect()),
        select(
            &[
                "Visa",
                "applied",
                "phone screen",
                "offer",
                "yes",
                "no",
                "2026-11-20",
                "11/20/2026",
                "5",
                "4.5",
                "https://example.com/1",
                "é",
                "\u{feff}",
                "\u{130}",
                "ß"
            ][..]
        )
        .prop_map(str::to_owned),
        salary,
        "[0-9]{1,4}[-/. ][0-9A-Za-z]{1,9}[-/., ]{1,2}[0-9]{1,4}",
    ]
}

/// A cell as CSV writes it, or as someone thought it did.
fn written() -> impl Strategy<Value = String> {
    (cell(), 0..4_u8).prop_map(|(cell, how)| match how {
        0 => cell,
        1 => format!("\"{cell}\""),
        _ => format!("\"{}\"", cell.replace('"', "\"\"")),
    })
}

fn line_end() -> impl Strategy<Value = &'static str> {
    select(&["\n", "\n", "\r\n", "\r", "\n\n"][..])
}

fn csv() -> impl Strategy<Value = Vec<u8>> {
    let header = prop::sample::subsequence(COLUMNS.to_vec(), 2..=COLUMNS.len());
    let row = (prop::collection::vec(written(), 1..13), line_end());
    let lines = (
        header,
        select(&["", "\u{feff}"][..]),
        prop::collection::vec(row, 0..60),
    );
    lines.prop_map(|(header, mark, rows)| {
        let mut file = format!("{mark}{}\n", header.join(","));
        for (cells, end) in rows {
            file.push_str(&cells.join(","));
            file.push_str(end);
        }
        file.into_bytes()
    })
}

/// A whole application, as an export has it.
fn record() -> Value {
    let id = "3f0d6b0e-5a3c-4c63-9a1f-0d8b7a6a5f11";
    let at = "2026-11-20T09:30:00.000Z";
    let application = json!({
        "id": id, "companyName": "Visa", "positionTitle": "Engineer", "status": "applied",
        "dateApplied": "2026-11-20", "isArchived": false, "historySequence": 1, "createdAt": at, "updatedAt": at,
    });
    let mut snapshot = application.clone();
    snapshot["interviewStages"] = json!([]);
    let entry = json!({
        "id": "00000000-0000-4000-8000-000000000001", "applicationId": id, "sequence": 1,
        "description": "Application created", "snapshot": snapshot, "createdAt": at,
    });
    let mut record = application;
    record["interviewStages"] = json!([]);
    record["history"] = json!([entry]);
    record
}

fn ndjson() -> impl Strategy<Value = Vec<u8>> {
    let names = select(
        &[
            "company",
            "title",
            "link",
            "status",
            "dateApplied",
            "notes",
            "salaryMin",
            "skillsMatch",
            "id",
        ][..],
    );
    let value = prop_oneof![cell().prop_map(Value::String), number(), json_value()];
    let row = prop::collection::vec((names, value), 0..8).prop_map(|pairs| {
        Value::Object(pairs.into_iter().map(|(n, v)| (n.to_owned(), v)).collect())
    });
    let fields = select(vec![
        "id",
        "status",
        "historySequence",
        "createdAt",
        "interviewStages",
        "history",
        "salaryMin",
    ]);
    let spoilt = (fields, json_value()).prop_map(|(name, value)| {
        let mut record = record();
        record[name] = value;
        record
    });
    let line = prop_oneof![
        4 => row.prop_map(|row| row.to_string().into_bytes()),
        2 => spoilt.prop_map(|record| record.to_string().into_bytes()),
        2 => edits().prop_map(|edits| edited(record().to_string().into_bytes(), &edits)),
        1 => prop::collection::vec(any::<u8>(), 0..80),
        1 => (1..3000_usize).prop_map(|times| "[".repeat(times).into_bytes()),
    ];
    let lines = prop::collection::vec((line, line_end()), 0..60);
    lines.prop_map(|lines| {
        lines
            .into_iter()
            .flat_map(|(line, end)| [line, end.as_bytes().to_vec()].concat())
            .collect()
    })
}

fn import(format: &str, file: &[u8]) -> Result<(), proptest::test_runner::TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, file).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_trestle"))
        .args(["import", "--format", format])
        .arg(&path)
        .current_dir(folder.path())
        .env_clear()
        .env("TRESTLE_DATA", folder.path().join("data"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    prop_assert!(!told.contains("panicked"), "{}", told);
    let code = output.status.code();
    prop_assert!(matches!(code, Some(0..=2)), "{:?}: {}", code, told);
    if code == Some(1) {
        // A file that cannot be begun with, such as one whose header is no text.
        let whole = format == "json" || told.contains("UTF-8") || told.contains("column");
        prop_assert!(whole && told.starts_with("trestle: "), "{}", told);
    }
    Ok(())
}

fn run(format: &str, files: impl Strategy<Value = Vec<u8>>) {
    let mut config = Config {
        failure_persistence: None,
        max_shrink_iters: 60,
        ..Config::default()
    };
    if std::env::var("PROPTEST_CASES").is_err() {
        config.cases = FILES;
    }
    let tried = TestRunner::new(config).run(&files, |file| import(format, &file));
    tried.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn every_row_of_csv_is_read_or_told() {
    run("csv", csv());
}

#[test]
fn every_line_of_ndjson_is_read_or_told() {
    run("ndjson", ndjson());
}

#[test]
fn every_spoilt_file_is_read_or_told() {
    run(
        "csv",
        (csv(), edits()).prop_map(|(file, edits)| edited(file, &edits)),
    );
    run(
        "json",
        (json_value(), edits())
            .prop_map(|(json, edits)| edited(json.to_string().into_bytes(), &edits)),
    );
}
