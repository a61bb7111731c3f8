//! Values that a plan does not have: those that are known after the apply, and those that are not to be shown. A plan marks
//! both by a copy of the values with `true` in their places.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::pipeline::value::Value;

/// By node, what is marked in each of its instances.
pub type Unknowns = BTreeMap<String, Vec<Json>>;

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
            let Value::List(list) = value else { return };
            for (place, (value, mask)) in list.iter_mut().zip(masks).enumerate() {
                // A dynamic block stands once in the configuration, and often in the values.
                let block = blocks.get(place).or_else(|| blocks.last());
                fill(value, mask, block);
            }
        }
        (Json::Object(masks), _) => {
            let Value::Map(map) = value else { return };
            for (name, mask) in masks {
                let referred = match referred {
                    Some(Value::Map(map)) => map.get(name),
                    _ => None,
                };
                let value = map.entry(name.clone()).or_insert(Value::Null);
                fill(value, mask, referred);
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
