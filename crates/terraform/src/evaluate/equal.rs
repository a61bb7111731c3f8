//! Equality of values.

use crate::value::Value;

/// Whether two values are equal; `None` if that depends on what is not known.
pub fn are_equal(left: &Value, right: &Value) -> Option<bool> {
    match (left, right) {
        (left, right) if left.unknown().is_some() || right.unknown().is_some() => None,
        (Value::List(left), Value::List(right)) if has_several(left) || has_several(right) => None,
        (Value::List(left), Value::List(right)) if left.len() == right.len() => {
            let pairs = left.iter().zip(right);
            all(pairs.map(|(left, right)| are_equal(left, right)))
        }
        (Value::Map(left), Value::Map(right)) if left.keys().eq(right.keys()) => {
            let pairs = left.values().zip(right.values());
            all(pairs.map(|(left, right)| are_equal(left, right)))
        }
        (left, right) => Some(left == right),
    }
}

/// Whether all parts are equal. One that differs decides, whatever is not known of the others.
fn all(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut is_equal = Some(true);
    for part in parts {
        if part == Some(false) {
            return Some(false);
        }
        is_equal = is_equal.and(part);
    }
    is_equal
}

/// Whether an element stands for an unknown number of elements.
fn has_several(list: &[Value]) -> bool {
    list.iter().any(Value::is_several)
}
