//! The functions of Terraform that only put values together; all others are known to Terraform alone.

mod lists;
mod made;
mod numbers;
mod patterns;
mod texts;
mod yaml;

use std::collections::BTreeMap;

use super::value::Value;
use made::{as_set, joined};
pub use made::{decoded, json, text_of};

fn is_known(value: &Value) -> bool {
    value.unknown().is_none()
}

fn is_of(value: &Value) -> bool {
    matches!(value, Value::Of { .. })
}

/// The value of a call; `None` if it is not known.
pub fn call(name: &str, mut arguments: Vec<Value>) -> Option<Value> {
    match name {
        "tolist" | "tomap" | "nonsensitive" => arguments.pop(),
        "sensitive" => Some(Value::Sensitive),
        // What is in the only element is what is in the list.
        "one" | "element" | "join" if arguments.iter().any(is_of) => {
            arguments.into_iter().find(is_of)
        }
        "one" => match arguments.pop()? {
            Value::List(list) if list.iter().any(Value::is_several) => None,
            Value::List(list) if list.len() <= 1 => list.into_iter().next().or(Some(Value::Null)),
            _ => None,
        },
        "toset" | "distinct" | "compact" => {
            let Value::List(list) = arguments.pop()? else {
                return None;
            };
            let mut kept: Vec<Value> = Vec::new();
            // A list may have very many texts: a search in those kept would take too long.
            let mut seen = std::collections::BTreeSet::new();
            for item in list {
                let is_new = match item.as_text() {
                    Some(text) => seen.insert(text),
                    None => !kept.contains(&item),
                };
                if name == "compact" && !is_left_out(&item) || name != "compact" && is_new {
                    kept.push(item);
                }
            }
            Some(Value::List(match name {
                "toset" => as_set(kept),
                _ => kept,
            }))
        }
        "concat" => {
            let mut whole = Vec::new();
            for argument in arguments {
                match argument {
                    Value::List(list) => whole.extend(list),
                    other => whole.push(Value::Several(other.unknown()?.to_owned())),
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
            Value::List(list) if list.iter().any(Value::is_several) => None,
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
        "coalesce" => {
            let first = arguments.into_iter().find(|value| !is_left_out(value))?;
            // What is not known may be empty, and then the next one counts. An attribute is something.
            (is_known(&first) || is_of(&first)).then_some(first)
        }
        "coalescelist" => {
            let first = arguments
                .into_iter()
                .find(|value| !matches!(value, Value::List(list) if list.is_empty()))?;
            let is_there = match &first {
                Value::List(list) => !list.iter().all(Value::is_several),
                first => is_known(first),
            };
            is_there.then_some(first)
        }
        "split" => match (arguments.first()?, arguments.get(1)?) {
            // Terraform makes one empty element of an empty text, whatever the separator is.
            (Value::Text(_), Value::Text(text)) if text.is_empty() => {
                Some(Value::List(vec![Value::Text(String::new())]))
            }
            (Value::Text(by), Value::Text(text)) => {
                let parts = text
                    .split(by.as_str())
                    .map(|part| Value::Text(part.to_owned()));
                Some(Value::List(parts.collect()))
            }
            _ => None,
        },
        "format" => texts::format(&arguments),
        "formatlist" => texts::format_list(&arguments),
        "setunion" => call("toset", vec![call("concat", arguments)?]),
        "alltrue" | "anytrue" => match arguments.pop()? {
            Value::List(list) => {
                let wanted = Value::Bool(name == "anytrue");
                if list.contains(&wanted) {
                    return Some(wanted);
                }
                let all = list.iter().all(|one| matches!(one, Value::Bool(_)));
                all.then_some(Value::Bool(name == "alltrue"))
            }
            _ => None,
        },
        "startswith" | "endswith" => match (arguments.first()?, arguments.get(1)?) {
            (Value::Text(text), Value::Text(part)) => Some(Value::Bool(match name {
                "startswith" => text.starts_with(part.as_str()),
                _ => text.ends_with(part.as_str()),
            })),
            _ => None,
        },
        "range" => {
            let numbers = arguments.iter().map(|one| match one {
                Value::Number(number) if number.fract() == 0.0 => Some(*number as i64),
                _ => None,
            });
            let numbers = numbers.collect::<Option<Vec<_>>>()?;
            let (from, to) = match numbers.as_slice() {
                [to] => (0, *to),
                [from, to] => (*from, *to),
                _ => return None,
            };
            if to.saturating_sub(from) > 100_000 {
                return None;
            }
            Some(Value::List(
                (from..to).map(|n| Value::Number(n as f64)).collect(),
            ))
        }
        "zipmap" => match (arguments.first()?, arguments.get(1)?) {
            (Value::List(_), Value::List(values)) if values.iter().any(Value::is_several) => None,
            (Value::List(keys), Value::List(values)) => {
                let pairs = keys.iter().zip(values);
                let pairs = pairs.map(|(key, value)| Some((key.as_text()?, value.clone())));
                Some(Value::Map(pairs.collect::<Option<_>>()?))
            }
            _ => None,
        },
        "contains" => match (arguments.first()?, arguments.get(1)?) {
            (Value::List(list), item) if is_known(item) => {
                let has = list.contains(item);
                (has || list.iter().all(is_known)).then_some(Value::Bool(has))
            }
            _ => None,
        },
        "join" => match (arguments.first()?, arguments.get(1)?) {
            // One element is what is known of the text.
            (Value::Text(_), Value::List(list)) if list.len() == 1 && list.iter().all(is_of) => {
                list.first().cloned()
            }
            (Value::Text(separator), Value::List(list)) => joined(separator, list).map(text_of),
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
        // Lists and maps are kept as the value, which is what the rules look at.
        "jsonencode" => Some(match arguments.pop()? {
            text @ (Value::Text(_) | Value::Partial { .. }) => text_of(json(&text).to_string()),
            value => value,
        }),
        "jsondecode" => match arguments.pop()? {
            Value::Text(text) | Value::Partial { known: text, .. } => decoded(&text),
            value => Some(value),
        },
        "yamldecode" => match arguments.pop()? {
            Value::Text(text) => yaml::decoded(&text),
            _ => None,
        },
        name => lists::call(name, &arguments)
            .or_else(|| texts::call(name, &arguments))
            .or_else(|| numbers::call(name, &arguments))
            .or_else(|| patterns::call(name, &arguments)),
    }
}

/// Whether `coalesce` and `compact` pass over a value.
pub fn is_left_out(value: &Value) -> bool {
    matches!(value, Value::Null) || *value == Value::Text(String::new())
}

/// Whether a call of `regex` certainly fails.
pub fn never_matches(arguments: &[Value]) -> bool {
    patterns::fails(arguments)
}

fn flatten(value: Value, into: &mut Vec<Value>) -> Option<()> {
    match value {
        Value::List(list) => list.into_iter().try_for_each(|item| flatten(item, into)),
        // An attribute stays what it is, a text or a list.
        value @ (Value::Of { .. } | Value::Partial { .. }) => {
            into.push(value);
            Some(())
        }
        value => {
            into.push(match value.unknown() {
                Some(text) => Value::Several(text.to_owned()),
                None => value,
            });
            Some(())
        }
    }
}
