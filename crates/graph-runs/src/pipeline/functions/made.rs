//! What functions make their values with.

use crate::pipeline::value::{HOLES, Value};

/// The elements of a set in their order, which is that of texts.
pub fn as_set(mut list: Vec<Value>) -> Vec<Value> {
    let texts: Option<Vec<_>> = list.iter().map(Value::as_text).collect();
    if texts.is_some() {
        list.sort_by_cached_key(Value::as_text);
    }
    list
}

/// A value in a text, with a hole for what is not known; `None` for what cannot be in one.
pub fn in_text(value: &Value) -> Option<String> {
    match value {
        Value::Partial { known, .. } => Some(known.clone()),
        value if value.unknown().is_some() => Some(value.hole().to_string()),
        value => value.as_text(),
    }
}

/// The texts of a list with a separator between them. There may be none of the elements whose number is not known, so that
/// the separators around them are not known either.
pub fn joined(separator: &str, list: &[Value]) -> Option<String> {
    let mut whole = String::new();
    let mut before: Option<&Value> = None;
    for value in list {
        if before.is_some_and(|before| !before.is_several()) && !value.is_several() {
            whole.push_str(separator);
        }
        whole.push_str(&in_text(value)?);
        before = Some(value);
    }
    Some(whole)
}

/// A text that may have holes. Whoever calls the function knows the expression.
pub fn text_of(known: String) -> Value {
    match known.contains(HOLES) {
        true => Value::Partial {
            text: String::new(),
            known,
        },
        false => Value::Text(known),
    }
}

/// A value as JSON. What is not known is a text with a hole, also if it is not a text.
pub fn json(value: &Value) -> serde_json::Value {
    use serde_json::Value as Json;
    match value {
        Value::Null => Json::Null,
        Value::Bool(flag) => Json::Bool(*flag),
        Value::Number(number) if number.fract() == 0.0 => Json::from(*number as i64),
        Value::Number(number) => Json::from(*number),
        Value::List(list) => list.iter().map(json).collect(),
        Value::Map(map) => map
            .iter()
            .map(|(name, value)| (name.clone(), json(value)))
            .collect(),
        text => Json::String(in_text(text).unwrap_or_default()),
    }
}
