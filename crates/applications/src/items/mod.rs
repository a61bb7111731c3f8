//! The stored shapes: attribute names, types and enum strings exactly as every program that uses the table
//! expects them. What is written is valid; what is read may be anything.

mod counters;
mod entities;
mod exact;
mod history;

use std::borrow::Cow;

use serde_json::Value;

use aws_sdk_dynamodb::types::AttributeValue;

use crate::model::{Application, ApplicationId, Details, Exact, Field, Listed, Stage, Status};
use trestle_table::{Condition, Item};

use super::keys::{self, Scope};

pub use counters::{COMPLETE, CountersItem};
pub use entities::Placed;
pub use exact::{attribute, fits_into_json, json, json_of};
pub use history::{HistoryItem, HistoryLine, MAX_SORT_KEY, SnapshotStages, UNFINISHED};

/// The application in an item, or in a projection of one; `None` unless it is at an application's key of this scope.
pub fn application(scope: &Scope, item: Item) -> Option<Application> {
    let key = keys::TABLE.key_in(&item)?;
    let id = scope.application_id(key.pk.as_str())?;
    if scope.application(&id) != key {
        return None;
    }
    let listed = listed(&item);
    let exact = exact_of_application(&item);
    let mut application = Application::of_json(&id, json(item))?;
    application.exact = exact;
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
    let exact = exact_of_stage(&item);
    let stage = Stage::of_json(application, Some(key), json(item))?;
    Some(Stage { exact, ..stage })
}

/// What JSON cannot represent of what a change compares and restores.
fn exact_of_application(item: &Item) -> Exact {
    Exact::of(item, |name| {
        let mut fields = Details::FIELDS.iter();
        COMPARED.contains(&name) || fields.any(|field| field.name == name)
    })
}

/// What JSON cannot represent of a stage, and what other programs added to it: a stage that was removed is restored with both.
fn exact_of_stage(item: &Item) -> Exact {
    let others = item.iter().filter(|(name, _)| {
        !is_reserved(name) && !is_identity(name) && !Stage::FIELDS.contains(&name.as_str())
    });
    let others = others.map(|(name, value)| (name.clone(), value.clone()));
    Exact {
        others: others.collect(),
        ..Exact::of(item, |name| Stage::FIELDS.contains(&name))
    }
}

/// What a change compares of an application beside what a person edits.
pub const COMPARED: [&str; 3] = ["updatedAt", "isArchived", "historySequence"];

/// Whether an attribute is part of a key, or marks unfinished work.
pub fn is_reserved(name: &str) -> bool {
    let indexes = [&keys::GSI1, &keys::GSI2];
    let mut of_indexes = indexes.iter().flat_map(|index| index.attributes());
    ["PK", "SK", UNFINISHED].contains(&name) || of_indexes.any(|attribute| attribute == name)
}

/// Whether the key of an item says this attribute too.
pub fn is_identity(name: &str) -> bool {
    ["id", "applicationId", "sequence"].contains(&name)
}

/// That each field of a value but its ids is still what was read. `only_if_set` are those that are not stored if they
/// are empty.
pub fn all_unchanged(
    of: &impl serde::Serialize,
    exact: &Exact,
    only_if_set: &[&str],
) -> Vec<Condition> {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(of) else {
        return Vec::new();
    };
    for name in only_if_set {
        fields.entry(*name).or_insert(Value::Null);
    }
    let fields = fields.iter().filter(|(name, _)| !is_identity(name));
    fields
        .filter_map(|(name, value)| is_still(name.clone(), value, exact))
        .collect()
}

/// That an attribute is still what was read.
pub fn unchanged<T>(name: &'static str, field: &Field<T>, exact: &Exact) -> Option<Condition> {
    is_still(name, field.stored(), exact)
}

fn is_still(
    name: impl Into<Cow<'static, str>>,
    stored: &Value,
    exact: &Exact,
) -> Option<Condition> {
    let name = name.into();
    if stored.is_null() {
        return Some(Condition::Any(vec![
            Condition::Lacks(name.clone()),
            Condition::Equals(name, AttributeValue::Null(true)),
        ]));
    }
    let exact = exact.odd.get(name.as_ref()).cloned();
    Some(Condition::Equals(
        name,
        exact.or_else(|| attribute(stored))?,
    ))
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::primitives::Blob;

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
        let expected = serde_json::json!({
            "text": "a", "whole": 3_000_000_000_i64, "part": 85000.5, "set": ["a"],
            "bytes": [0, 255], "none": null,
        });
        assert_eq!(json(item), expected);
    }
}
