//! Values that a condition chooses, and only Terraform knows which.

use super::value::Value;

/// The most values that one argument may have.
const MAX_VALUES: usize = 16;
/// The most combinations of choices that are tried for one argument.
const MAX_CHOICES: usize = 64;
/// The most bytes of all values of a choice.
const MAX_BYTES: usize = 64 * 1024;
/// How deep choices are looked for in a value.
const MAX_DEPTH: usize = 8;

/// One of several values; `None` if one of them is not known, or if they are too many or too large.
pub fn choice(text: &str, branches: impl IntoIterator<Item = Option<Value>>) -> Option<Value> {
    let (mut of, mut size): (Vec<Value>, usize) = (Vec::new(), 0);
    for branch in branches {
        let values = match branch? {
            Value::Choice { of, .. } => of,
            Value::Unknown(_) | Value::Several(_) | Value::Sensitive => return None,
            one => vec![one],
        };
        for value in values {
            if !of.contains(&value) {
                size += value.size();
                of.push(value);
            }
        }
        if of.len() > MAX_VALUES || size > MAX_BYTES {
            return None;
        }
    }
    match of.len() {
        // All branches have the same value.
        1 => of.pop(),
        _ => Some(Value::Choice {
            text: text.to_owned(),
            of,
        }),
    }
}

/// The expression of the first choice in a value.
pub fn chooses(value: &Value) -> Option<&str> {
    find(value, MAX_DEPTH)
}

fn find(value: &Value, depth: usize) -> Option<&str> {
    match value {
        Value::Choice { text, .. } => Some(text),
        Value::List(list) if depth > 0 => list.iter().find_map(|one| find(one, depth - 1)),
        Value::Map(map) if depth > 0 => map.values().find_map(|one| find(one, depth - 1)),
        _ => None,
    }
}

/// Every value that a value may be; `None` if they are too many.
pub fn alternatives(value: &Value) -> Option<Vec<Value>> {
    let (mut left, mut whole) = (vec![value.clone()], Vec::new());
    for _ in 0..MAX_CHOICES {
        let Some(value) = left.pop() else {
            return Some(whole);
        };
        match one_chosen(&value, MAX_DEPTH) {
            Some(values) => left.extend(values),
            None => whole.push(value),
        }
    }
    left.is_empty().then_some(whole)
}

/// The values that the first choice in a value leads to; `None` without a choice. A list that is chosen as an element stands
/// for its elements.
fn one_chosen(value: &Value, depth: usize) -> Option<Vec<Value>> {
    let inner = depth.checked_sub(1)?;
    match value {
        Value::Choice { of, .. } => Some(of.clone()),
        Value::List(list) => {
            let mut each = list.iter().enumerate();
            let (at, chosen) = each.find_map(|(at, one)| Some((at, one_chosen(one, inner)?)))?;
            let mut values = Vec::with_capacity(chosen.len());
            for one in chosen {
                let elements = match one {
                    Value::List(elements) => elements,
                    one => vec![one],
                };
                let mut list = list.clone();
                list.splice(at..=at, elements);
                values.push(Value::List(list));
            }
            Some(values)
        }
        Value::Map(map) => {
            let mut each = map.iter();
            let (name, chosen) =
                each.find_map(|(name, one)| Some((name, one_chosen(one, inner)?)))?;
            let mut values = Vec::with_capacity(chosen.len());
            for one in chosen {
                let mut map = map.clone();
                map.insert(name.clone(), one);
                values.push(Value::Map(map));
            }
            Some(values)
        }
        _ => None,
    }
}
