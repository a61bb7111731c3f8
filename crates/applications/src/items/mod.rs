//! The stored shapes: attribute names, types and enum strings exactly as every program that uses the table
//! expects them. What is written is valid; what is read may be anything.

mod counters;
mod entities;
mod history;

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

use aws_sdk_dynamodb::types::AttributeValue;

use crate::model::{Application, ApplicationId, Field, Listed, Stage, Status, Stored};
use trestle_table::{Condition, Item};

use super::keys::{self, Scope};

pub use counters::{COMPLETE, CountersItem};
pub use entities::{MAX_SORT_KEY, Placed};
pub use history::{HistoryItem, HistoryLine, SnapshotStages, UNFINISHED};

/// The application in an item, or in a projection of one; `None` unless it is at an application's key of this scope.
pub fn application(scope: &Scope, item: Item) -> Option<Application> {
    let key = keys::TABLE.key_in(&item)?;
    let id = scope.application_id(key.pk.as_str())?;
    if scope.application(&id) != key {
        return None;
    }
    let listed = listed(&item);
    let mut application = Application::of_json(&id, json(item))?;
    if !application.is_placed() {
        application.listed = listed;
    }
    Some(application)
}

/// Where the keys of an item in the indexes list it.
pub fn listed(item: &Item) -> Listed {
    let by_status = text(item, "GSI1PK");
    let sort_keys = ["GSI2SK", "GSI1SK"].into_iter();
    let mut sort_keys = sort_keys.filter_map(|name| text(item, name));
    let updated_at = sort_keys.find_map(|key| Some(keys::updated_parts(key)?.0.to_owned()));
    Listed {
        status: by_status.and_then(Scope::status_of),
        is_archived: by_status.is_some_and(Scope::is_archived),
        updated_at,
    }
}

/// The status of the application in an item, if it can be read, and whether it is archived.
pub fn placing(item: &Item) -> (Option<Status>, bool) {
    let status = text(item, "status").and_then(Status::from_word);
    let is_archived = match item.get("isArchived").map(AttributeValue::as_bool) {
        Some(Ok(is_archived)) => *is_archived,
        // Another program may have stored none, or a text.
        _ => text(item, "GSI1PK").is_some_and(Scope::is_archived),
    };
    (status, is_archived)
}

/// The text of an attribute, if it is one.
pub fn text<'i>(item: &'i Item, attribute: &str) -> Option<&'i str> {
    let text = item.get(attribute)?.as_s().ok()?;
    Some(text)
}

/// The stage of an application in an item; `None` if it is not at a stage's key.
pub fn stage(application: &ApplicationId, item: Item) -> Option<Stage> {
    let key = keys::stage_id(item.get("SK")?.as_s().ok()?)?;
    Stage::of_json(application, Some(key), json(item))
}

/// The attributes of an item as JSON. Numbers that JSON cannot represent become text, and sets become lists.
pub fn json(item: Item) -> Value {
    let attributes = item.into_iter().map(|(name, value)| (name, json_of(value)));
    Value::Object(attributes.collect::<Map<_, _>>())
}

fn number(digits: String) -> Value {
    let integer = digits.parse::<i64>().ok().map(Number::from);
    let number = integer.or_else(|| Number::from_f64(digits.parse().ok()?));
    number.map_or(Value::String(digits), Value::Number)
}

/// A stored value as JSON.
pub fn json_of(value: AttributeValue) -> Value {
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

/// That each field of a value but its ids is still what was read. `only_if_set` are those that are not stored if they
/// are empty.
pub fn all_unchanged(of: &impl serde::Serialize, only_if_set: &[&str]) -> Vec<Condition> {
    let Ok(Value::Object(fields)) = serde_json::to_value(of) else {
        return Vec::new();
    };
    let missing = only_if_set
        .iter()
        .filter(|name| !fields.contains_key(**name));
    let missing: Vec<_> = missing
        .map(|name| ((*name).to_owned(), Value::Null))
        .collect();
    let fields = fields.into_iter().chain(missing);
    let fields = fields.filter(|(name, _)| !["id", "applicationId"].contains(&name.as_str()));
    fields
        .filter_map(|(name, value)| match value {
            Value::Null => Some(Condition::Any(vec![
                Condition::Lacks(name.clone().into()),
                Condition::Equals(name.into(), AttributeValue::Null(true)),
            ])),
            value => is_still(name, &value),
        })
        .collect()
}

/// That an attribute is still what was read. Nothing for values that a condition cannot compare exactly.
pub fn unchanged<T: Stored>(name: &'static str, field: &Field<T>) -> Option<Condition> {
    is_still(name, field.stored())
}

fn is_still(name: impl Into<Cow<'static, str>>, stored: &Value) -> Option<Condition> {
    let name = name.into();
    let value = match stored {
        // JSON does not say whether it was a list or a set.
        Value::Array(texts) if !texts.is_empty() && texts.iter().all(Value::is_string) => {
            let texts = texts.iter().filter_map(Value::as_str).map(str::to_owned);
            let list = AttributeValue::L(texts.clone().map(AttributeValue::S).collect());
            let set = AttributeValue::Ss(texts.collect());
            return Some(Condition::Any(vec![
                Condition::Equals(name.clone(), list),
                Condition::Equals(name, set),
            ]));
        }
        Value::String(text) => AttributeValue::S(text.clone()),
        Value::Bool(is) => AttributeValue::Bool(*is),
        Value::Number(number) if number.is_i64() => AttributeValue::N(number.to_string()),
        Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    Some(Condition::Equals(name, value))
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
