//! Random texts, values and bytes that programs tend to trip over.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// Text: of any characters, or of those that mean something to someone.
pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ -~]{0,40}",
        "[\\u{0}-\\u{20}#%/\\\\\"'{}\\[\\]$@!|&<>\\u{feff}\\u{202e}\\u{e9}\\u{1f600}]{0,20}",
        select(
            &[
                "",
                " ",
                "null",
                "true",
                "0",
                "-1",
                "1e999",
                "NaN",
                "2026-02-30",
                "2026-11-20",
                "https://",
                "https://example.com",
                "javascript:alert(1)",
                "APP#",
                "META",
                "HIST#00000001",
                "\u{0}",
                "00000000-0000-0000-0000-000000000000",
                "ffffffff-ffff-ffff-ffff-ffffffffffff",
            ][..]
        )
        .prop_map(str::to_owned),
        (0..6000_usize).prop_map(|length| "x".repeat(length)),
    ]
}

/// A number as JSON writes it, however large.
pub fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(|n| json!(n)),
        any::<u64>().prop_map(|n| json!(n)),
        any::<f64>().prop_map(|n| json!(n)),
        select(
            &[
                0,
                1,
                -1,
                6,
                100,
                101,
                2147483647,
                2147483648,
                -2147483648,
                4294967296_i64
            ][..]
        )
        .prop_map(|n| json!(n)),
    ]
}

/// Any JSON, of some depth.
pub fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number(),
        text().prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        let key = prop_oneof![
            select(
                &[
                    "query",
                    "variables",
                    "operationName",
                    "extensions",
                    "documentId",
                    "input",
                    "id"
                ][..]
            )
            .prop_map(str::to_owned),
            text(),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((key, inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// A change of bytes: where, and what.
#[derive(Clone, Debug)]
pub enum Edit {
    Flip(prop::sample::Index, u8),
    Insert(prop::sample::Index, Vec<u8>),
    Cut(prop::sample::Index, usize),
    End(prop::sample::Index),
    Repeat(prop::sample::Index, usize, usize),
}

pub fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let at = any::<prop::sample::Index>;
    let piece = prop_oneof![
        prop::collection::vec(any::<u8>(), 1..5),
        select(
            &[
                "\"", "{", "}", "[", "]", "\\", ",", ":", "null", "1e999", "\u{0}", "...", "$a",
                "@skip"
            ][..]
        )
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    let edit = prop_oneof![
        (at(), 1..=255_u8).prop_map(|(at, by)| Edit::Flip(at, by)),
        (at(), piece).prop_map(|(at, bytes)| Edit::Insert(at, bytes)),
        (at(), 1..8_usize).prop_map(|(at, many)| Edit::Cut(at, many)),
        at().prop_map(Edit::End),
        (at(), 1..12_usize, 1..200_usize)
            .prop_map(|(at, long, times)| Edit::Repeat(at, long, times)),
    ];
    prop::collection::vec(edit, 1..4)
}

pub fn edited(mut bytes: Vec<u8>, edits: &[Edit]) -> Vec<u8> {
    for edit in edits {
        if bytes.is_empty() {
            break;
        }
        match edit {
            Edit::Flip(at, by) => {
                let at = at.index(bytes.len());
                bytes[at] ^= by;
            }
            Edit::Insert(at, piece) => {
                let at = at.index(bytes.len() + 1);
                bytes.splice(at..at, piece.iter().copied());
            }
            Edit::Cut(at, many) => {
                let at = at.index(bytes.len());
                bytes.drain(at..(at + many).min(bytes.len()));
            }
            Edit::End(at) => bytes.truncate(at.index(bytes.len())),
            Edit::Repeat(at, long, times) => {
                let at = at.index(bytes.len());
                let piece = bytes[at..(at + long).min(bytes.len())].repeat(*times);
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}
