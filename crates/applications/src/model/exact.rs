//! Stored values as JSON, and in DynamoDB's own form what JSON cannot represent: sets, binary values, numbers of many digits.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Map, Number, Value};

use trestle_table::Item;

/// What an item has beside the JSON of its entity, as it is stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exact {
    /// Attributes of the entity whose values JSON cannot represent exactly.
    pub odd: BTreeMap<String, AttributeValue>,
    /// Attributes of other programs.
    pub others: BTreeMap<String, AttributeValue>,
}

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
            others: BTreeMap::new(),
        }
    }

    /// Whether the JSON of the entity says everything.
    pub fn is_empty(&self) -> bool {
        self.odd.is_empty() && self.others.is_empty()
    }

    /// The attributes of other programs.
    pub fn others_as_json(&self) -> Value {
        json(self.others.clone().into_iter().collect())
    }

    /// The same, with what `other` has of these attributes of the entity.
    pub fn with(&self, other: &Self, names: &[&str]) -> Self {
        let mut merged = self.clone();
        let newer = other.odd.iter();
        let newer = newer.filter(|(name, _)| names.contains(&name.as_str()));
        let newer = newer.map(|(name, value)| (name.clone(), value.clone()));
        merged.odd.extend(newer);
        merged
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

/// What a snapshot has beside its JSON.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExactSnapshot {
    pub application: Exact,
    /// Those of the stages, in the order in which the snapshot has them.
    pub stages: Vec<Exact>,
}

impl ExactSnapshot {
    /// Those of the stage at this place.
    pub fn stage(&self, at: usize) -> Exact {
        self.stages.get(at).cloned().unwrap_or_default()
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
