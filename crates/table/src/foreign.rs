//! Items of other programs: what they leave out and their keys contain, and what their entity knows without it.

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;

use super::Item;
use super::key::segments;

/// For each attribute of a key, the attributes that its segments are, in order; "" for a segment that is none.
pub type KeyedAttributes = &'static [(&'static str, &'static [&'static str])];

/// An item that another program may have written. What is missing can be added; nothing of it is stored.
#[derive(Debug)]
pub struct ForeignItem<'i>(&'i mut Item);

impl<'i> ForeignItem<'i> {
    pub(super) fn new(item: &'i mut Item) -> Self {
        Self(item)
    }

    /// Whether an attribute is missing, or NULL.
    pub fn lacks(&self, attribute: &str) -> bool {
        self.0.get(attribute).is_none_or(AttributeValue::is_null)
    }

    /// The text of an attribute.
    pub fn text(&self, attribute: &str) -> Option<&str> {
        let text = self.0.get(attribute)?.as_s().ok()?;
        Some(text)
    }

    /// The segments of a key, if it has exactly so many.
    pub fn segments<const COUNT: usize>(&self, key: &str) -> Option<[String; COUNT]> {
        segments(self.text(key)?).try_into().ok()
    }

    /// Adds an attribute if it is missing.
    pub fn add(&mut self, attribute: &str, value: &impl Serialize) {
        if self.lacks(attribute) {
            self.read_as(attribute, value);
        }
    }

    /// Reads an attribute as if it had this value.
    pub fn read_as(&mut self, attribute: &str, value: &impl Serialize) {
        if let Ok(value) = serde_dynamo::to_attribute_value(value) {
            self.0.insert(attribute.to_owned(), value);
        }
    }

    /// Adds what the keys contain.
    pub(super) fn add_keyed(&mut self, keyed: KeyedAttributes) {
        for (key, names) in keyed {
            // Almost every item has them all: its keys are not read.
            if !names
                .iter()
                .any(|name| !name.is_empty() && self.lacks(name))
            {
                continue;
            }
            let Some(text) = self.text(key) else { continue };
            for (name, segment) in names.iter().zip(segments(text)) {
                if !name.is_empty() && !segment.is_empty() {
                    self.add(name, &segment);
                }
            }
        }
    }
}
