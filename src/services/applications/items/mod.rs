//! The stored shapes: attribute names, types and enum strings exactly as every program that uses the table
//! expects them. What is written is valid; what is read may be anything.

mod counters;
mod entities;
mod history;

use serde_json::{Map, Number, Value};

use aws_sdk_dynamodb::types::AttributeValue;

use crate::services::applications::model::{Application, ApplicationId, Field, Stage, Stored};
use crate::table::{Condition, Item};

use super::keys::{self, Scope};

pub use counters::{COMPLETE, CountersItem};
pub use entities::Placed;
pub use history::{HistoryItem, HistoryLine, RESTORING, SnapshotStages};

/// The application in an item, or in a projection of one; `None` unless it is at an application's key of this scope.
pub fn application(scope: &Scope, item: Item) -> Option<Application> {
    let id = scope.application_id(item.get("PK")?.as_s().ok()?)?;
    Application::of_json(id, json(item))
}

/// The stage of an application in an item.
pub fn stage(application: ApplicationId, item: Item) -> Option<Stage> {
    let key = item
        .get("SK")
        .and_then(|key| keys::stage_id(key.as_s().ok()?));
    Stage::of_json(application, Some(key.unwrap_or_default()), json(item))
}

/// The attributes of an item as JSON. Numbers that JSON cannot represent become text, and sets become lists.
pub fn json(item: Item) -> Value {
    let attributes = item.into_iter().map(|(name, value)| (name, json_of(value)));
    Value::Object(attributes.collect::<Map<_, _>>())
}

/// A stored value as JSON.
pub fn json_of(value: AttributeValue) -> Value {
    let number = |digits: String| {
        let integer = digits.parse::<i64>().ok().map(Number::from);
        let number = integer.or_else(|| Number::from_f64(digits.parse().ok()?));
        number.map_or(Value::String(digits), Value::Number)
    };
    match value {
        AttributeValue::S(text) => Value::String(text),
        AttributeValue::N(digits) => number(digits),
        AttributeValue::Bool(is) => Value::Bool(is),
        AttributeValue::M(map) => json(map),
        AttributeValue::L(list) => list.into_iter().map(json_of).collect(),
        AttributeValue::Ss(texts) => texts.into_iter().map(Value::String).collect(),
        AttributeValue::Ns(numbers) => numbers.into_iter().map(number).collect(),
        AttributeValue::B(bytes) => bytes.into_inner().into(),
        AttributeValue::Bs(blobs) => blobs
            .into_iter()
            .map(|blob| Value::from(blob.into_inner()))
            .collect(),
        _ => Value::Null,
    }
}

/// That an attribute is still what was read. Nothing for values that a condition cannot compare exactly.
pub fn unchanged<T: Stored>(name: &'static str, field: &Field<T>) -> Option<Condition> {
    let value = match field.stored() {
        Value::String(text) => AttributeValue::S(text.clone()),
        Value::Bool(is) => AttributeValue::Bool(*is),
        Value::Number(number) if number.is_i64() => AttributeValue::N(number.to_string()),
        Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    Some(Condition::Equals(name.into(), value))
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::primitives::Blob;
    use serde_json::json;

    use super::*;

    #[test]
    fn every_attribute_has_a_value_in_json() {
        let item = Item::from([
            ("text".to_owned(), AttributeValue::S("a".to_owned())),
            (
                "whole".to_owned(),
                AttributeValue::N("3000000000".to_owned()),
            ),
            ("part".to_owned(), AttributeValue::N("85000.5".to_owned())),
            ("set".to_owned(), AttributeValue::Ss(vec!["a".to_owned()])),
            ("bytes".to_owned(), AttributeValue::B(Blob::new([0, 255]))),
            ("none".to_owned(), AttributeValue::Null(true)),
        ]);
        let expected = json!({
            "text": "a", "whole": 3_000_000_000_i64, "part": 85000.5, "set": ["a"],
            "bytes": [0, 255], "none": null,
        });
        assert_eq!(json(item), expected);
    }
}
