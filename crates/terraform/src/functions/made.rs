//! What functions take their arguments and make their values with.

use crate::value::{HOLES, Value};

/// An argument that is a list.
pub fn list_at(arguments: &[Value], place: usize) -> Option<&[Value]> {
    match arguments.get(place)? {
        Value::List(list) => Some(list.as_slice()),
        _ => None,
    }
}

/// An argument that is a whole number.
pub fn integer_at(arguments: &[Value], place: usize) -> Option<i64> {
    match arguments.get(place)? {
        Value::Number(number) if number.fract() == 0.0 => Some(*number as i64),
        _ => None,
    }
}

/// An argument that is a text, all of which is known.
pub fn text_at(arguments: &[Value], place: usize) -> Option<&str> {
    match arguments.get(place)? {
        Value::Text(text) => Some(text.as_str()),
        _ => None,
    }
}

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
    if known.contains(HOLES) {
        Value::Partial {
            text: String::new(),
            known,
        }
    } else {
        Value::Text(known)
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

/// The value of a text in JSON, which may have holes.
pub fn decoded(text: &str) -> Option<Value> {
    let json = serde_json::from_str::<serde_json::Value>(text);
    let json = json.or_else(|_| serde_json::from_str(&with_quoted_holes(text)));
    Some(with_holes(json.ok()?.into()))
}

/// A text in JSON in which what is not known is a text, also if it stands for another value.
fn with_quoted_holes(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let (mut is_quoted, mut is_escaped) = (false, false);
    for c in text.chars() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ => {}
        }
        if !is_quoted && HOLES.contains(&c) {
            whole.extend(['"', c, '"'])
        } else {
            whole.push(c)
        }
    }
    whole
}

/// Texts with holes as values that are known in part.
fn with_holes(value: Value) -> Value {
    match value {
        Value::Text(known) if known.contains(HOLES) => Value::Partial {
            // Even what is known of it may be a secret.
            text: "\"…\"".to_owned(),
            known,
        },
        Value::List(list) => Value::List(list.into_iter().map(with_holes).collect()),
        Value::Map(map) => {
            let map = map.into_iter();
            Value::Map(map.map(|(name, value)| (name, with_holes(value))).collect())
        }
        other => other,
    }
}
