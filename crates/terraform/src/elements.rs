//! What `for_each` and `for` go over.

use super::value::{HOLES, SENSITIVE, Value};

/// The keys and values that a `for_each` goes over; lists by their numbers if `is_numbered`, else by their elements, as
/// sets.
///
/// # Errors
/// The expression, if they are not known.
pub fn elements(value: Value, is_numbered: bool) -> Result<Vec<(Value, Value)>, String> {
    match value {
        Value::List(list) if is_numbered => {
            let numbered = list.into_iter().enumerate();
            Ok(numbered
                .map(|(at, item)| (Value::Number(at as f64), item))
                .collect())
        }
        Value::List(list) => match list.iter().find_map(Value::unknown) {
            Some(unknown) => Err(unknown.to_owned()),
            None => Ok(list.into_iter().map(|item| (item.clone(), item)).collect()),
        },
        Value::Map(map) if map.keys().any(|key| key.contains(HOLES)) => {
            Err("a map with keys that are not known".to_owned())
        }
        Value::Map(map) => Ok(map
            .into_iter()
            .map(|(key, value)| (Value::Text(key), value))
            .collect()),
        Value::Null => Ok(Vec::new()),
        Value::Of { text, .. }
        | Value::Unknown(text)
        | Value::Several(text)
        | Value::Choice { text, .. }
        | Value::Partial { text, .. } => Err(text),
        Value::Sensitive => Err(SENSITIVE.to_owned()),
        Value::Bool(_) | Value::Number(_) | Value::Text(_) => Err("not a list or map".to_owned()),
    }
}
