//! Functions of lists and sets.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::made::{integer_at, list_at};
use crate::value::Value;

/// The most elements of a product.
const MAX_PRODUCT: usize = 100_000;

/// The value of a call; `None` if it is not known.
pub fn call(name: &str, arguments: &[Value]) -> Option<Value> {
    Some(match name {
        "element" => {
            let (list, at) = (list_at(arguments, 0)?, integer_at(arguments, 1)?);
            let length = i64::try_from(list.len())
                .ok()
                .filter(|length| *length > 0)?;
            let at = usize::try_from(at.rem_euclid(length)).ok()?;
            // One that is not known may stand for several.
            if list.iter().any(Value::is_several) || !list.iter().take(at + 1).all(is_one) {
                return None;
            }
            list.get(at)?.clone()
        }
        "slice" => {
            let (from, to) = (
                usize::try_from(integer_at(arguments, 1)?).ok()?,
                usize::try_from(integer_at(arguments, 2)?).ok()?,
            );
            let list = list_at(arguments, 0)?;
            if list.iter().take(to).any(Value::is_several) {
                return None;
            }
            Value::List(list.get(from..to)?.to_vec())
        }
        "reverse" => Value::List(list_at(arguments, 0)?.iter().rev().cloned().collect()),
        "sort" => {
            let mut texts = list_at(arguments, 0)?
                .iter()
                .map(Value::as_text)
                .collect::<Option<Vec<_>>>()?;
            texts.sort();
            Value::List(texts.into_iter().map(Value::Text).collect())
        }
        "setsubtract" | "setintersection" => {
            let (own, other) = (list_at(arguments, 0)?, list_at(arguments, 1)?);
            if !are_known(own) || !are_known(other) {
                return None;
            }
            let wanted = name == "setintersection";
            let kept = own.iter().filter(|one| other.contains(one) == wanted);
            Value::List(super::made::as_set(kept.cloned().collect()))
        }
        "chunklist" => {
            let size = usize::try_from(integer_at(arguments, 1)?)
                .ok()
                .filter(|size| *size > 0)?;
            if list_at(arguments, 0)?.iter().any(Value::is_several) {
                return None;
            }
            let chunks = list_at(arguments, 0)?
                .chunks(size)
                .map(|chunk| Value::List(chunk.to_vec()));
            Value::List(chunks.collect())
        }
        "matchkeys" => {
            let (values, keys, wanted) = (
                list_at(arguments, 0)?,
                list_at(arguments, 1)?,
                list_at(arguments, 2)?,
            );
            if values.len() != keys.len()
                || values.iter().any(Value::is_several)
                || !are_known(keys)
                || !are_known(wanted)
            {
                return None;
            }
            let pairs = values.iter().zip(keys);
            let found = pairs.filter(|(_, key)| wanted.contains(key));
            Value::List(found.map(|(value, _)| value.clone()).collect())
        }
        "transpose" => {
            let Value::Map(map) = arguments.first()? else {
                return None;
            };
            let mut whole: BTreeMap<String, Vec<Value>> = BTreeMap::new();
            for (key, list) in map {
                let Value::List(list) = list else {
                    return None;
                };
                for value in list {
                    let keys = whole.entry(value.as_text()?).or_default();
                    keys.push(Value::Text(key.clone()));
                }
            }
            let whole = whole.into_iter();
            Value::Map(whole.map(|(key, list)| (key, Value::List(list))).collect())
        }
        "sum" => {
            let numbers = list_at(arguments, 0)?.iter().map(|one| match one {
                Value::Number(number) => Some(*number),
                _ => None,
            });
            Value::Number(numbers.sum::<Option<f64>>()?)
        }
        "setproduct" => {
            let mut whole: Vec<Vec<Value>> = vec![Vec::new()];
            for at in 0..arguments.len() {
                let list = list_at(arguments, at)?;
                if !are_known(list) || whole.len().checked_mul(list.len())? > MAX_PRODUCT {
                    return None;
                }
                let mut longer = Vec::with_capacity(whole.len() * list.len());
                for start in &whole {
                    for one in list {
                        longer.push([start.as_slice(), std::slice::from_ref(one)].concat());
                    }
                }
                whole = longer;
            }
            Value::List(whole.into_iter().map(Value::List).collect())
        }
        "min" | "max" => {
            let numbers = arguments.iter().map(|one| match one {
                Value::Number(number) => Some(*number),
                _ => None,
            });
            let numbers = numbers.collect::<Option<Vec<_>>>()?;
            let numbers = numbers.into_iter();
            Value::Number(match name {
                "min" => numbers.min_by(order)?,
                _ => numbers.max_by(order)?,
            })
        }
        "index" => {
            let (list, wanted) = (list_at(arguments, 0)?, arguments.get(1)?);
            if !are_known(list) || wanted.unknown().is_some() {
                return None;
            }
            Value::Number(list.iter().position(|one| one == wanted)? as f64)
        }
        _ => return None,
    })
}

/// Whether a value is one element, or of one resource.
fn is_one(value: &Value) -> bool {
    matches!(value, Value::Of { .. }) || value.unknown().is_none()
}

fn are_known(list: &[Value]) -> bool {
    list.iter().all(|one| one.unknown().is_none())
}

fn order(a: &f64, b: &f64) -> Ordering {
    a.partial_cmp(b).unwrap_or(Ordering::Equal)
}
