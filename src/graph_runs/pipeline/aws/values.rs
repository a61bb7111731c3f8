//! Reading the arguments of a resource as the rules need them.

use std::collections::BTreeMap;

use crate::graph_runs::pipeline::build::Built;
use crate::graph_runs::pipeline::evaluate::Value;

/// A resource's arguments.
pub type Values = BTreeMap<String, Value>;

/// A flag; `default` where it is left out. `None`, with a note, where it is not known.
pub fn flag(
    built: &mut Built,
    id: &str,
    values: &Values,
    (name, default): (&str, Option<bool>),
) -> Option<bool> {
    match values.get(name) {
        Some(Value::Bool(flag)) => Some(*flag),
        Some(Value::Text(text)) if text == "true" => Some(true),
        Some(Value::Text(text)) if text == "false" => Some(false),
        None | Some(Value::Null) => {
            if default.is_none() {
                let message = format!(
                    "`{name}` is left out, and its default is not the same in every version."
                );
                built.note(id, message);
            }
            default
        }
        Some(other) => {
            built.note(id, unknown(name, other));
            None
        }
    }
}

/// The blocks of a kind. `None`, with a note, for each that is not known.
pub fn blocks<'v>(built: &mut Built, id: &str, values: &'v Values, kind: &str) -> Vec<&'v Values> {
    let all = match values.get(kind) {
        Some(Value::List(list)) => list.iter().collect(),
        None | Some(Value::Null) => Vec::new(),
        Some(one) => vec![one],
    };
    let mut known = Vec::new();
    for block in all {
        match block {
            Value::Map(block) => known.push(block),
            Value::List(list) => known.extend(list.iter().filter_map(|item| match item {
                Value::Map(block) => Some(block),
                _ => None,
            })),
            Value::Null => {}
            other => built.note(id, unknown(kind, other)),
        }
    }
    known
}

/// The texts of a list. What is not known among them leaves a note.
pub fn texts<'v>(built: &mut Built, id: &str, values: &'v Values, name: &str) -> Vec<&'v str> {
    let items: Vec<_> = match values.get(name) {
        Some(Value::List(list)) => list.iter().collect(),
        None | Some(Value::Null) => Vec::new(),
        Some(one) => vec![one],
    };
    let mut known = Vec::new();
    for item in items {
        match item {
            Value::Text(text) => known.push(text.as_str()),
            Value::Null => {}
            other => built.note(id, unknown(name, other)),
        }
    }
    known
}

/// A text; `None` where it is left out, and with a note where it is not known.
pub fn text<'v>(built: &mut Built, id: &str, values: &'v Values, name: &str) -> Option<&'v str> {
    texts(built, id, values, name).into_iter().next()
}

/// The node of a type that an argument points to: `aws_s3_bucket.logs` for `aws_s3_bucket.logs[0].id`.
pub fn pointed(values: &Values, name: &str, type_name: &str) -> Option<String> {
    let Some(Value::Unknown(expression)) = values.get(name) else {
        return None;
    };
    let rest = expression.strip_prefix(type_name)?.strip_prefix('.')?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let name: String = rest.chars().take_while(|c| is_name(*c)).collect();
    Some(format!("{type_name}.{name}"))
}

fn unknown(name: &str, value: &Value) -> String {
    match value {
        Value::Unknown(expression) => format!("`{name}` is not known: it is `{expression}`."),
        _ => format!("`{name}` has a value of another kind than expected."),
    }
}
