//! Values that a plan does not have: those that are known after the apply, and those that are not to be shown. A plan marks
//! both by a copy of the values with `true` in their places.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::pipeline::value::Value;

/// By node, what is marked in each of its instances.
pub type Unknowns = BTreeMap<String, Vec<Json>>;

/// Blocks that no provider computes. The configuration in a plan leaves out dynamic blocks, so that one of these that is
/// marked is unknown, also if it is not configured there.
const NEVER_COMPUTED: [&str; 18] = [
    "allow",
    "api_server_access_profile",
    "block_device_mappings",
    "broker_node_group_info",
    "encrypt_at_rest",
    "entry",
    "frontend_ip_configuration",
    "kinesis_source_configuration",
    "msk_source_configuration",
    "network_configuration",
    "network_interfaces",
    "permissions",
    "server_side_encryption",
    "setting",
    "settings",
    "statement",
    "vpc_config",
    "vpc_options",
];

/// Whether an argument that the configuration does not have is unknown. A whole one may be computed, as if it were left
/// out; a part of one is of a dynamic block.
pub fn is_dynamic(name: &str, mask: &Json) -> bool {
    *mask != Json::Bool(true) || NEVER_COMPUTED.contains(&name)
}

/// Whether anything is marked.
pub fn marks(mask: &Json) -> bool {
    match mask {
        Json::Bool(flag) => *flag,
        Json::Array(list) => list.iter().any(marks),
        Json::Object(map) => map.values().any(marks),
        _ => false,
    }
}

/// Fills in what is marked as known after the apply, by what the configuration refers to.
pub fn fill(value: &mut Value, mask: &Json, referred: Option<&Value>) {
    let known = || match referred {
        Some(value @ (Value::Of { .. } | Value::List(_) | Value::Unknown(_))) => value.clone(),
        _ => Value::Unknown("known after apply".to_owned()),
    };
    match (mask, referred) {
        (Json::Bool(true), _) => *value = known(),
        // Of a list of plain values it does not matter which of them is which.
        (Json::Array(masks), _) if masks.contains(&Json::Bool(true)) => {
            let there = match std::mem::replace(value, Value::Null) {
                Value::List(list) => list,
                other => vec![other],
            };
            let there = there.into_iter().filter(|one| *one != Value::Null);
            *value = Value::List(there.chain([known()]).collect());
        }
        (Json::Array(masks), _) => {
            let blocks = match referred {
                Some(Value::List(list)) => list.as_slice(),
                _ => &[],
            };
            if *value == Value::Null && masks.iter().any(marks) {
                *value = Value::List(Vec::new());
            }
            let Value::List(list) = value else { return };
            let last = masks.iter().rposition(marks).map_or(0, |last| last + 1);
            list.resize(list.len().max(last), Value::Null);
            for (place, (value, mask)) in list.iter_mut().zip(masks).enumerate() {
                // A dynamic block stands once in the configuration, and often in the values.
                let block = blocks.get(place).or_else(|| blocks.last());
                fill(value, mask, block);
            }
        }
        (Json::Object(masks), _) if marks(mask) => {
            if let Value::List(blocks) = value {
                for (place, block) in blocks.iter_mut().enumerate() {
                    let referred = match referred {
                        Some(Value::List(list)) => list.get(place).or_else(|| list.last()),
                        other => other,
                    };
                    fill(block, mask, referred);
                }
            }
            // Not even the other arguments of what is not there are known.
            if matches!(value, Value::Null) || *value == Value::List(Vec::new()) {
                *value = Value::Unknown("known after apply".to_owned());
            }
            let Value::Map(map) = value else { return };
            for (name, mask) in masks {
                let referred = match referred {
                    Some(Value::Map(map)) => map.get(name),
                    _ => None,
                };
                if marks(mask) {
                    let value = map.entry(name.clone()).or_insert(Value::Null);
                    fill(value, mask, referred);
                }
            }
        }
        _ => {}
    }
}

/// Hides what is marked as sensitive.
pub fn hide(value: &mut Value, mask: &Json) {
    match (mask, &mut *value) {
        (Json::Bool(true), _) => *value = Value::Sensitive,
        (Json::Array(masks), Value::List(list)) => {
            list.iter_mut().zip(masks).for_each(|(v, m)| hide(v, m));
        }
        (Json::Object(masks), Value::Map(map)) => {
            for (name, mask) in masks {
                map.get_mut(name).into_iter().for_each(|v| hide(v, mask));
            }
        }
        _ => {}
    }
}
