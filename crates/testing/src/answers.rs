//! What an answer says: whether it refuses, faults, and every text of it.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::Value;

use super::odd::Stored;

/// Fields whose values are computed from keys.
const COMPUTED: [&str; 5] = ["id", "cursor", "startCursor", "endCursor", "__typename"];

/// Whether an answer says that something was not done.
pub fn is_refused(answer: &Value) -> bool {
    fn below(value: &Value) -> bool {
        match value {
            Value::Object(fields) => fields.iter().any(|(name, value)| match name.as_str() {
                "userErrors" => value.as_array().is_none_or(|errors| !errors.is_empty()),
                _ => below(value),
            }),
            Value::Array(values) => values.iter().any(below),
            _ => false,
        }
    }
    answer.get("errors").is_some() || below(&answer["data"])
}

/// Whether an answer says of what is stored that it cannot be read, and nothing else.
pub fn is_unreadable(answer: &Value) -> bool {
    let errors = answer["errors"].as_array().into_iter().flatten();
    let mut codes = errors
        .map(|error| error["extensions"]["code"].as_str())
        .peekable();
    codes.peek().is_some() && codes.all(|code| code == Some("UNREADABLE"))
}

/// An error that says nothing to whoever sent the request.
pub fn fault(answer: &Value) -> Option<String> {
    let errors = answer["errors"].as_array()?.iter();
    let mut faults =
        errors.filter(|error| match error["extensions"]["code"].as_str() {
            None
            | Some(
                "INTERNAL_SERVER_ERROR" | "OUTCOME_UNKNOWN" | "SERVICE_UNAVAILABLE" | "CONTENDED",
            ) => true,
            Some(_) => error["message"].as_str().is_none_or(str::is_empty),
        });
    faults.next().map(ToString::to_string)
}

/// Whether there is an empty list or null where something was to be read.
pub fn has_nothing(data: &Value) -> bool {
    match data {
        Value::Null => true,
        Value::Object(fields) => fields.values().any(|value| match value {
            Value::Null => true,
            Value::Object(fields) => fields
                .get("edges")
                .is_some_and(|edges| edges == &Value::Array(Vec::new())),
            _ => false,
        }),
        _ => false,
    }
}

/// Every text of a value that is not computed.
pub fn texts(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => drop(found.insert(text.clone())),
        Value::Object(fields) => {
            let shown = fields
                .iter()
                .filter(|(name, _)| !COMPUTED.contains(&name.as_str()));
            shown.for_each(|(_, value)| texts(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| texts(value, found)),
        _ => {}
    }
}

/// A text without what reading may take from it: case, blanks at its ends, the form of a moment.
pub fn plain(text: &str) -> String {
    match chrono::DateTime::parse_from_rfc3339(text) {
        Ok(moment) => moment.to_utc().timestamp().to_string(),
        Err(_) => text.trim().to_lowercase(),
    }
}

/// Every text that is stored, also those that keys are made of.
pub fn texts_of_items(items: &Stored) -> BTreeSet<String> {
    fn below(value: &AttributeValue, found: &mut BTreeSet<String>) {
        match value {
            AttributeValue::S(text) | AttributeValue::N(text) => {
                found.insert(plain(text));
                // Keys have several values.
                found.extend(text.split('#').map(plain));
                // A day is its beginning, or its end.
                if let Ok(day) = text.parse::<chrono::NaiveDate>() {
                    let end = day.succ_opt().unwrap_or(day);
                    found.extend([day, end].map(|day| plain(&format!("{day}T00:00:00Z"))));
                }
            }
            AttributeValue::Ss(texts) => found.extend(texts.iter().map(|text| plain(text))),
            AttributeValue::L(values) => values.iter().for_each(|value| below(value, found)),
            AttributeValue::M(map) => map.values().for_each(|value| below(value, found)),
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    for item in items.values() {
        item.values().for_each(|value| below(value, &mut found));
    }
    found
}
