//! Resources that a plan defers, and of which it has only the configuration. Every argument that rules look at is unknown, except
//! those that name what a resource is about.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::unknown::BLOCKS;
use crate::attributes::needed;
use crate::graph::Values;
use crate::value::Value;

/// The expression of the values of a deferred resource.
const DEFERRED: &str = "known after another plan";
/// Arguments that name what a resource is about.
const ABOUT: [&str; 22] = [
    "arn",
    "bucket",
    "direction",
    "domain_name",
    "function_name",
    "instance",
    "instance_id",
    "key_id",
    "network_interface",
    "network_interface_id",
    "network_security_group_name",
    "prefix_list_id",
    "queue_url",
    "resource_group_name",
    "rest_api_id",
    "role",
    "security_group_id",
    "server_id",
    "server_name",
    "storage_account_id",
    "storage_account_name",
    "type",
];

fn deferred() -> Value {
    Value::Unknown(DEFERRED.to_owned())
}

/// Fills in the arguments that the configuration has, and the blocks that it may have as dynamic ones.
pub fn fill(
    values: &mut Values,
    expressions: &BTreeMap<String, Json>,
    referred: &BTreeMap<String, Value>,
) {
    let planned = std::mem::take(values);
    for (name, expression) in expressions {
        let planned = planned.get(name).filter(|value| **value != Value::Null);
        let constant = expression.get("constant_value").and_then(Json::as_str);
        let value = match (planned.or_else(|| referred.get(name)), constant) {
            _ if !ABOUT.contains(&name.as_str()) => deferred(),
            (Some(value), _) => value.clone(),
            (None, Some(text)) => Value::Text(text.to_owned()),
            (None, None) => deferred(),
        };
        values.insert(name.clone(), value);
    }
    for block in BLOCKS {
        values.entry(block.to_owned()).or_insert_with(deferred);
    }
}

/// The same for a plan without a configuration: every argument that rules look at is unknown.
pub fn fill_all(type_name: &str, values: &mut Values) {
    let names = needed(type_name).chain(BLOCKS).chain(ABOUT);
    for name in names {
        values.insert(name.to_owned(), Value::Unknown(DEFERRED.to_owned()));
    }
}
