//! Attributes before and after: the leaves in which two values differ.

use serde_json::{Map, Value as Json};

/// An attribute that differs.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AttributeChange {
    /// The argument, after the blocks around it: `network_acls.default_action`.
    pub path: String,
    /// What it was; `None` if it was left out.
    pub before: Option<Json>,
    /// What it is; `None` if it is left out.
    pub after: Option<Json>,
}

/// The attributes in which two nodes differ, by their paths.
pub fn changed_attributes(before: &Json, after: &Json) -> Vec<AttributeChange> {
    let mut changes = Vec::new();
    compare(String::new(), Some(before), Some(after), &mut changes);
    changes
}

fn compare(
    path: String,
    before: Option<&Json>,
    after: Option<&Json>,
    changes: &mut Vec<AttributeChange>,
) {
    match (before, after) {
        (before, after) if before == after => {}
        (Some(Json::Object(before)), Some(Json::Object(after))) => {
            members(&path, before, after, changes);
        }
        (Some(Json::Array(before)), Some(Json::Array(after))) if has_blocks(before, after) => {
            blocks(&path, before, after, changes);
        }
        (before, after) => changes.push(AttributeChange {
            path,
            before: before.cloned(),
            after: after.cloned(),
        }),
    }
}

fn members(
    path: &str,
    before: &Map<String, Json>,
    after: &Map<String, Json>,
    changes: &mut Vec<AttributeChange>,
) {
    let gone = before.keys().filter(|name| !after.contains_key(*name));
    for name in after.keys().chain(gone) {
        let path = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        compare(path, before.get(name), after.get(name), changes);
    }
}

fn has_blocks(before: &[Json], after: &[Json]) -> bool {
    before.iter().chain(after).any(Json::is_object)
}

/// Compares repeated blocks. One that is in both is no difference, wherever it stands.
fn blocks(path: &str, before: &[Json], after: &[Json], changes: &mut Vec<AttributeChange>) {
    let mut gone: Vec<&Json> = Vec::new();
    let mut new: Vec<&Json> = after.iter().collect();
    for block in before {
        match new.iter().position(|other| *other == block) {
            Some(place) => drop(new.remove(place)),
            None => gone.push(block),
        }
    }
    // As many blocks as before: each has changed.
    if gone.len() == new.len() {
        for (before, after) in gone.into_iter().zip(new) {
            compare(path.to_owned(), Some(before), Some(after), changes);
        }
        return;
    }
    for block in gone {
        compare(path.to_owned(), Some(block), None, changes);
    }
    for block in new {
        compare(path.to_owned(), None, Some(block), changes);
    }
}
