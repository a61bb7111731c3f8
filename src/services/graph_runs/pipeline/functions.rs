//! The functions of Terraform that only put values together; all others are known to Terraform alone.

use std::collections::BTreeMap;

use super::value::Value;

/// The value of a call; `None` if it is not known.
pub fn call(name: &str, mut arguments: Vec<Value>) -> Option<Value> {
    let is_known = |value: &Value| value.unknown().is_none();
    let is_of = |value: &Value| matches!(value, Value::Of { .. });
    match name {
        "tolist" | "tomap" | "nonsensitive" => arguments.pop(),
        "sensitive" => Some(Value::Sensitive),
        // What is in the only element is what is in the list.
        "one" | "element" | "join" if arguments.iter().any(is_of) => {
            arguments.into_iter().find(is_of)
        }
        "one" => match arguments.pop()? {
            Value::List(list) if list.len() == 1 => list.into_iter().next(),
            _ => None,
        },
        "toset" | "distinct" | "compact" => {
            let Value::List(list) = arguments.pop()? else {
                return None;
            };
            let mut kept: Vec<Value> = Vec::new();
            let is_empty =
                |item: &Value| matches!(item, Value::Null) || *item == Value::Text(String::new());
            let mut seen = std::collections::BTreeSet::new();
            for item in list {
                let is_new = match item.as_text() {
                    Some(text) => seen.insert(text),
                    None => !kept.contains(&item),
                };
                if name == "compact" && !is_empty(&item) || name != "compact" && is_new {
                    kept.push(item);
                }
            }
            Some(Value::List(kept))
        }
        "concat" => {
            let mut whole = Vec::new();
            for argument in arguments {
                match argument {
                    Value::List(list) => whole.extend(list),
                    _ => return None,
                }
            }
            Some(Value::List(whole))
        }
        "flatten" => {
            let mut whole = Vec::new();
            flatten(arguments.pop()?, &mut whole)?;
            Some(Value::List(whole))
        }
        "merge" => {
            let mut whole = BTreeMap::new();
            for argument in arguments {
                match argument {
                    Value::Map(map) => whole.extend(map),
                    Value::Null => {}
                    _ => return None,
                }
            }
            Some(Value::Map(whole))
        }
        "length" => match arguments.pop()? {
            Value::List(list) => Some(Value::Number(list.len() as f64)),
            Value::Map(map) => Some(Value::Number(map.len() as f64)),
            Value::Text(text) => Some(Value::Number(text.chars().count() as f64)),
            _ => None,
        },
        "keys" | "values" => match arguments.pop()? {
            Value::Map(map) if name == "keys" => {
                Some(Value::List(map.into_keys().map(Value::Text).collect()))
            }
            Value::Map(map) => Some(Value::List(map.into_values().collect())),
            _ => None,
        },
        "lookup" => {
            let mut arguments = arguments.into_iter();
            match (arguments.next()?, arguments.next()?) {
                (Value::Map(mut map), Value::Text(key)) => map.remove(&key).or(arguments.next()),
                _ => None,
            }
        }
        "coalesce" | "try" => {
            let first = arguments.into_iter().find(|value| *value != Value::Null)?;
            is_known(&first).then_some(first)
        }
        "contains" => match (arguments.first()?, arguments.get(1)?) {
            (Value::List(list), item) if list.iter().all(is_known) && is_known(item) => {
                Some(Value::Bool(list.contains(item)))
            }
            _ => None,
        },
        "join" => match (arguments.first()?, arguments.get(1)?) {
            (Value::Text(separator), Value::List(list)) => {
                let texts = list
                    .iter()
                    .map(Value::as_text)
                    .collect::<Option<Vec<_>>>()?;
                Some(Value::Text(texts.join(separator)))
            }
            _ => None,
        },
        "lower" | "upper" | "trimspace" => match arguments.pop()? {
            Value::Text(text) => Some(Value::Text(match name {
                "lower" => text.to_lowercase(),
                "upper" => text.to_uppercase(),
                _ => text.trim().to_owned(),
            })),
            _ => None,
        },
        "tostring" => arguments.pop()?.as_text().map(Value::Text),
        "tobool" => match arguments.pop()? {
            Value::Text(text) => text.parse().ok().map(Value::Bool),
            Value::Bool(flag) => Some(Value::Bool(flag)),
            _ => None,
        },
        "tonumber" => match arguments.pop()? {
            Value::Text(text) => text.parse().ok().map(Value::Number),
            Value::Number(number) => Some(Value::Number(number)),
            _ => None,
        },
        // Kept as the value, which is what the rules look at.
        "jsonencode" | "jsondecode" => arguments.pop(),
        _ => None,
    }
}

fn flatten(value: Value, into: &mut Vec<Value>) -> Option<()> {
    match value {
        Value::List(list) => list.into_iter().try_for_each(|item| flatten(item, into)),
        value if value.unknown().is_some() => None,
        value => {
            into.push(value);
            Some(())
        }
    }
}
