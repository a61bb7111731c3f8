//! Equality of values.

use crate::value::Value;

/// Whether two values are equal; `None` if that depends on what is not known.
pub fn are_equal(left: &Value, right: &Value) -> Option<bool> {
    let all = |mut parts: Box<dyn Iterator<Item = Option<bool>> + '_>| {
        let mut is_equal = Some(true);
        let has_other = parts.any(|part| {
            is_equal = is_equal.and(part);
            part == Some(false)
        });
        if has_other { Some(false) } else { is_equal }
    };
    let has_several = |list: &[Value]| list.iter().any(Value::is_several);
    match (left, right) {
        (left, right) if left.unknown().is_some() || right.unknown().is_some() => None,
        (Value::List(left), Value::List(right)) if has_several(left) || has_several(right) => None,
        (Value::List(left), Value::List(right)) if left.len() == right.len() => {
            let pairs = left.iter().zip(right);
            all(Box::new(pairs.map(|(left, right)| are_equal(left, right))))
        }
        (Value::Map(left), Value::Map(right)) if left.keys().eq(right.keys()) => {
            let pairs = left.values().zip(right.values());
            all(Box::new(pairs.map(|(left, right)| are_equal(left, right))))
        }
        (left, right) => Some(left == right),
    }
}
