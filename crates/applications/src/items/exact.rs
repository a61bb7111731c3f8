//! Stored values as JSON, and back.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Map, Number, Value};

use crate::model::Exact;
use trestle_table::Item;

impl Exact {
    /// The attributes with these names that JSON cannot represent exactly.
    pub fn of(item: &Item, is_own: impl Fn(&str) -> bool) -> Self {
        let odd = item
            .iter()
            .filter(|(name, value)| !fits_into_json(value) && is_own(name));
        Self {
            odd: odd
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
            others: Item::new(),
        }
    }

    /// The attributes of other programs.
    pub fn others_as_json(&self) -> Value {
        json(self.others.clone())
    }

    /// Puts the values into the item of the entity, unless an attribute has another value now.
    pub fn write_to(&self, item: &mut Item) {
        for (name, exact) in &self.odd {
            // As serde writes it: `5.0` becomes `5`.
            if let Some(value) = item.get_mut(name)
                && attribute(&json_of(exact.clone())).as_ref() == Some(&*value)
            {
                *value = exact.clone();
            }
        }
        for (name, value) in &self.others {
            item.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
}

/// The attributes of an item as JSON. Numbers that JSON cannot represent become text, and sets become lists.
pub fn json(item: Item) -> Value {
    let attributes = item.into_iter().map(|(name, value)| (name, json_of(value)));
    Value::Object(attributes.collect::<Map<_, _>>())
}

fn number(digits: String) -> Value {
    let integer = digits.parse::<i64>().ok().map(Number::from);
    let number = integer.or_else(|| Number::from_f64(digits.parse().ok()?));
    number.map_or(Value::String(digits), Value::Number)
}

/// A stored value as JSON.
pub fn json_of(value: AttributeValue) -> Value {
    match value {
        AttributeValue::S(text) => Value::String(text),
        AttributeValue::N(digits) => number(digits),
        AttributeValue::Bool(is) => Value::Bool(is),
        AttributeValue::M(map) => json(map),
        AttributeValue::L(list) => list.into_iter().map(json_of).collect(),
        AttributeValue::Ss(texts) => texts.into_iter().map(Value::String).collect(),
        AttributeValue::Ns(numbers) => numbers.into_iter().map(number).collect(),
        AttributeValue::B(bytes) => bytes.into_inner().into(),
        AttributeValue::Bs(blobs) => blobs
            .into_iter()
            .map(|blob| Value::from(blob.into_inner()))
            .collect(),
        _ => Value::Null,
    }
}

/// JSON as it is stored; `None` if it cannot be, which is a bug.
pub fn attribute(json: &Value) -> Option<AttributeValue> {
    serde_dynamo::to_attribute_value(json).ok()
}

/// Whether a value is the same after it was JSON.
pub fn fits_into_json(value: &AttributeValue) -> bool {
    match value {
        AttributeValue::S(_) | AttributeValue::Bool(_) | AttributeValue::Null(true) => true,
        AttributeValue::N(digits) => attribute(&number(digits.clone())).as_ref() == Some(value),
        AttributeValue::L(values) => values.iter().all(fits_into_json),
        AttributeValue::M(map) => map.values().all(fits_into_json),
        _ => false,
    }
}
