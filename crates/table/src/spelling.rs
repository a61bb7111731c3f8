//! Conditions on what other programs wrote: they compare what was read with what is stored, and the same value can be
//! stored in another spelling, such as a timestamp with an offset, a list as a set, NULL, or an attribute left out for its
//! default. A condition that fails only for that is sent again with what is stored.

use std::borrow::Cow;
use std::cmp::Ordering;

use aws_sdk_dynamodb::types::AttributeValue;

use super::{Condition, Entity, Item, MalformedItem, from_item};

/// How a step reads the item that it writes or checks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    pub(super) kind: &'static str,
    /// The attributes of a stored item as the entity writes them.
    rewritten: fn(&Item) -> Result<Item, MalformedItem>,
}

impl Reading {
    pub(super) fn of<E: Entity>() -> Self {
        Self {
            kind: E::KIND,
            rewritten: |stored| {
                let entity: E = from_item(stored.clone())?;
                serde_dynamo::to_item(&entity).map_err(|error| MalformedItem {
                    entity: E::KIND,
                    reason: error.to_string(),
                })
            },
        }
    }

    /// The condition with what is stored, if it holds for what is meant and not for what is written.
    pub(super) fn respelled(&self, condition: &Condition, stored: &Item) -> Option<Condition> {
        let written = (self.rewritten)(stored).ok()?;
        let stored = Stored { stored, written };
        let respelled = stored.respelled(condition);
        (stored.holds(condition) && respelled != *condition).then_some(respelled)
    }

    /// Why the item is not one of these entities.
    pub(super) fn fault(&self, stored: &Item) -> Option<MalformedItem> {
        (self.rewritten)(stored).err()
    }
}

/// An item as it is stored, and as its entity writes it.
struct Stored<'i> {
    stored: &'i Item,
    written: Item,
}

/// A value, unless it is NULL.
fn some(value: Option<&AttributeValue>) -> Option<&AttributeValue> {
    value.filter(|value| !value.is_null())
}

impl Stored<'_> {
    /// What an attribute means. The entity does not know all attributes, and leaves some out that are empty.
    fn meant(&self, attribute: &str) -> Option<&AttributeValue> {
        let written = self.written.get(attribute);
        some(written.or_else(|| self.stored.get(attribute)))
    }

    /// Whether the condition holds for what is meant.
    fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::All(all) => all.iter().all(|condition| self.holds(condition)),
            Condition::Any(any) => any.iter().any(|condition| self.holds(condition)),
            Condition::Equals(attribute, value) if value.is_null() => {
                self.meant(attribute).is_none()
            }
            leaf => is_met(leaf, |attribute| self.meant(attribute)),
        }
    }

    /// The condition, with what is stored in place of what holds only for what is meant.
    fn respelled(&self, condition: &Condition) -> Condition {
        match condition {
            Condition::All(all) => {
                Condition::All(all.iter().map(|one| self.respelled(one)).collect())
            }
            Condition::Any(any) => {
                Condition::Any(any.iter().map(|one| self.respelled(one)).collect())
            }
            leaf if is_met(leaf, |attribute| self.stored.get(attribute)) || !self.holds(leaf) => {
                leaf.clone()
            }
            leaf => {
                attribute(leaf).map_or_else(|| leaf.clone(), |attribute| self.pinned(attribute))
            }
        }
    }

    /// The attribute is as it is stored.
    fn pinned(&self, attribute: Cow<'static, str>) -> Condition {
        match self.stored.get(attribute.as_ref()) {
            Some(value) => Condition::Equals(attribute, value.clone()),
            None => Condition::Lacks(attribute),
        }
    }
}

/// The attribute that a condition is about, if it is about one.
fn attribute(condition: &Condition) -> Option<Cow<'static, str>> {
    match condition {
        Condition::Equals(attribute, _) | Condition::Lacks(attribute) => Some(attribute.clone()),
        Condition::OneOf(attribute, _)
        | Condition::AtLeast(attribute, _)
        | Condition::AtMost(attribute, _)
        | Condition::Has(attribute)
        | Condition::Contains(attribute, _) => Some((*attribute).into()),
        Condition::Exists | Condition::Missing | Condition::All(_) | Condition::Any(_) => None,
    }
}

/// Whether a condition on one attribute of an item that exists is met. What this does not know is not met.
fn is_met<'v>(condition: &Condition, value: impl Fn(&str) -> Option<&'v AttributeValue>) -> bool {
    let compared = |attribute: &str, to: &AttributeValue| compare(value(attribute)?, to);
    match condition {
        Condition::Exists => true,
        Condition::Equals(attribute, to) => value(attribute) == Some(to),
        Condition::OneOf(attribute, all) => {
            value(attribute).is_some_and(|value| all.contains(value))
        }
        Condition::AtLeast(attribute, to) => compared(attribute, to).is_some_and(Ordering::is_ge),
        Condition::AtMost(attribute, to) => compared(attribute, to).is_some_and(Ordering::is_le),
        Condition::Has(attribute) => value(attribute).is_some(),
        Condition::Lacks(attribute) => value(attribute).is_none(),
        Condition::Missing | Condition::Contains(..) | Condition::All(_) | Condition::Any(_) => {
            false
        }
    }
}

/// As DynamoDB compares texts and numbers; numbers of this program are whole.
fn compare(one: &AttributeValue, other: &AttributeValue) -> Option<Ordering> {
    match (one, other) {
        (AttributeValue::S(one), AttributeValue::S(other)) => Some(one.cmp(other)),
        (AttributeValue::N(one), AttributeValue::N(other)) => {
            Some(one.parse::<i128>().ok()?.cmp(&other.parse().ok()?))
        }
        _ => None,
    }
}
