//! Expressions: conditions, filters and projections as values; placeholders are written here alone.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::{self, Write as _};

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;

use super::Item;
use super::addition::Addition;

/// What must hold of an item for a write to happen, or for a query to answer it.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// The item is there.
    Exists,
    /// No item has this key.
    Missing,
    /// The attribute has this value.
    Equals(Cow<'static, str>, AttributeValue),
    /// The attribute has one of these values: 1 to 100.
    OneOf(&'static str, Vec<AttributeValue>),
    /// The attribute is this or more.
    AtLeast(&'static str, AttributeValue),
    /// The attribute is this or less.
    AtMost(&'static str, AttributeValue),
    /// The item has the attribute.
    Has(&'static str),
    /// The item is not there, or does not have the attribute.
    Lacks(Cow<'static, str>),
    /// The set, list or text contains the value.
    Contains(&'static str, AttributeValue),
    /// All of these hold. Holds if there are none.
    All(Vec<Condition>),
    /// At least one of these holds. Must not be empty.
    Any(Vec<Condition>),
}

impl Condition {
    /// Holds for every item, and if there is no item.
    pub const ALWAYS: Self = Condition::All(Vec::new());

    /// As [`Condition::ALWAYS`], written out: for a check, which DynamoDB refuses without an expression.
    pub(super) fn anything() -> Self {
        Condition::Any(vec![Condition::Exists, Condition::Missing])
    }

    /// The attribute has this value: a number, a boolean, a text, anything that is stored.
    pub fn is(attribute: &'static str, value: &impl Serialize) -> Self {
        Condition::Equals(attribute.into(), stored(value))
    }

    /// The attribute has one of these values: 1 to 100.
    pub fn is_one_of<V: Serialize>(
        attribute: &'static str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        Condition::OneOf(
            attribute,
            values.into_iter().map(|value| stored(&value)).collect(),
        )
    }

    /// The attribute is at least this.
    pub fn at_least(attribute: &'static str, value: &impl Serialize) -> Self {
        Condition::AtLeast(attribute, stored(value))
    }

    /// The attribute is at most this.
    pub fn at_most(attribute: &'static str, value: &impl Serialize) -> Self {
        Condition::AtMost(attribute, stored(value))
    }

    /// The set or list has this value, or the text this part.
    pub fn contains(attribute: &'static str, value: &impl Serialize) -> Self {
        Condition::Contains(attribute, stored(value))
    }

    /// The item is this version of itself; another program may have written one without a version.
    pub fn version(attribute: &'static str, version: u32) -> Self {
        match version {
            0 => Condition::Exists.and(Condition::Any(vec![
                Condition::Lacks(attribute.into()),
                Condition::is(attribute, &version),
            ])),
            version => Condition::is(attribute, &version),
        }
    }

    /// Both hold.
    pub fn and(self, other: Condition) -> Self {
        Condition::All(vec![self, other])
    }

    /// It as text, the same for every process: for the name of a list.
    pub(super) fn described(&self) -> String {
        let mut placeholders = Placeholders::default();
        let expression = self.written(&mut placeholders).unwrap_or_default();
        let mut names: Vec<_> = placeholders.names().into_iter().flatten().collect();
        names.sort_unstable();
        let mut values: Vec<_> = placeholders.values().into_iter().flatten().collect();
        values.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let values: Vec<_> = values.iter().map(|(at, v)| (at, canonical(v))).collect();
        format!("{expression} {names:?} {values:?}")
    }

    fn written(&self, placeholders: &mut Placeholders) -> Option<String> {
        placeholders.condition(self, "PK")
    }
}

/// A value as it is stored. A value that cannot be stored equals none.
fn stored(value: &impl Serialize) -> AttributeValue {
    serde_dynamo::to_attribute_value(value).unwrap_or(AttributeValue::Null(true))
}

/// A value as text, the same for equal values: maps and sets in the order of their keys.
pub(super) fn canonical(value: &AttributeValue) -> String {
    match value {
        AttributeValue::S(text) => format!("{text:?}"),
        AttributeValue::N(number) => number.clone(),
        AttributeValue::Bool(truth) => truth.to_string(),
        AttributeValue::L(values) => {
            let values: Vec<_> = values.iter().map(canonical).collect();
            format!("[{}]", values.join(","))
        }
        AttributeValue::M(map) => {
            let entries = map.iter().map(|(k, v)| format!("{k:?}:{}", canonical(v)));
            format!("{{{}}}", sorted(entries.collect()))
        }
        AttributeValue::Ss(texts) => format!("<{}>", sorted(texts.clone())),
        AttributeValue::Ns(numbers) => format!("<{}>", sorted(numbers.clone())),
        AttributeValue::B(bytes) => format!("{:?}", bytes.as_ref()),
        _ => "null".to_owned(),
    }
}

fn sorted(mut texts: Vec<String>) -> String {
    texts.sort_unstable();
    texts.join(",")
}

fn is_within(path: &str, other: &str) -> bool {
    path.strip_prefix(other)
        .is_some_and(|rest| rest.starts_with('.'))
}

/// Which attributes a read answers. What is left out still costs capacity, but no transfer or decoding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Projection {
    /// The whole item.
    #[default]
    All,
    /// These attributes; a dot goes into a map.
    Only(Vec<&'static str>),
}

/// The placeholders of one request. DynamoDB reserves 573 words (`status`, `name`, `order` among them),
/// so every name gets a placeholder.
#[derive(Debug, Default)]
pub(super) struct Placeholders {
    names: Vec<String>,
    values: Vec<AttributeValue>,
}

impl Placeholders {
    /// The placeholder of one attribute.
    pub(super) fn name(&mut self, attribute: &str) -> Placeholder {
        let taken = self.names.iter().position(|name| name == attribute);
        let number = taken.unwrap_or_else(|| {
            self.names.push(attribute.to_owned());
            self.names.len() - 1
        });
        Placeholder("#n", number)
    }

    /// The placeholder of a value.
    pub(super) fn value(&mut self, value: AttributeValue) -> Placeholder {
        self.values.push(value);
        Placeholder(":v", self.values.len() - 1)
    }

    /// The expression of a condition, or `None` where it always holds. `partition_key` stands for the
    /// item's being there.
    pub(super) fn condition(
        &mut self,
        condition: &Condition,
        partition_key: &str,
    ) -> Option<String> {
        let mut expression = String::new();
        self.write(condition, partition_key, &mut expression).ok()?;
        (!expression.is_empty()).then_some(expression)
    }

    /// Writes the expression of a condition, nothing where it always holds.
    fn write(
        &mut self,
        condition: &Condition,
        partition_key: &str,
        to: &mut String,
    ) -> fmt::Result {
        let mut compare = |attribute: &str, operator: &str, value: &AttributeValue| {
            let (name, value) = (self.name(attribute), self.value(value.clone()));
            write!(to, "{name} {operator} {value}")
        };
        match condition {
            Condition::Equals(attribute, value) => compare(attribute, "=", value),
            Condition::AtLeast(attribute, value) => compare(attribute, ">=", value),
            Condition::AtMost(attribute, value) => compare(attribute, "<=", value),
            Condition::Exists => write!(to, "attribute_exists({})", self.name(partition_key)),
            Condition::Missing => write!(to, "attribute_not_exists({})", self.name(partition_key)),
            Condition::Has(attribute) => write!(to, "attribute_exists({})", self.name(attribute)),
            Condition::Lacks(attribute) => {
                write!(to, "attribute_not_exists({})", self.name(attribute))
            }
            Condition::OneOf(attribute, values) => {
                write!(to, "{} IN (", self.name(attribute))?;
                for (n, value) in values.iter().enumerate() {
                    let between = if n == 0 { "" } else { ", " };
                    write!(to, "{between}{}", self.value(value.clone()))?;
                }
                to.write_str(")")
            }
            Condition::Contains(attribute, value) => {
                let (name, value) = (self.name(attribute), self.value(value.clone()));
                write!(to, "contains({name}, {value})")
            }
            Condition::All(conditions) => self.write_all(conditions, " AND ", partition_key, to),
            Condition::Any(conditions) => {
                to.write_str("(")?;
                self.write_all(conditions, " OR ", partition_key, to)?;
                to.write_str(")")
            }
        }
    }

    fn write_all(
        &mut self,
        conditions: &[Condition],
        between: &str,
        partition_key: &str,
        to: &mut String,
    ) -> fmt::Result {
        let begin = to.len();
        for condition in conditions {
            let before = to.len();
            if before > begin {
                to.write_str(between)?;
            }
            let after = to.len();
            self.write(condition, partition_key, to)?;
            if to.len() == after {
                // It always holds.
                to.truncate(before);
            }
        }
        Ok(())
    }

    /// The expression of a projection, or `None` for the whole item. DynamoDB refuses paths that overlap,
    /// so one that is named twice, or that lies within another, stands once.
    pub(super) fn projection(&mut self, projection: &Projection) -> Option<String> {
        let Projection::Only(paths) = projection else {
            return None;
        };
        let mut paths: Vec<_> = paths
            .iter()
            .filter(|path| !paths.iter().any(|other| is_within(path, other)))
            .collect();
        paths.sort_unstable();
        paths.dedup();
        let paths: Vec<_> = paths
            .iter()
            .map(|path| {
                let parts = path.split('.').map(|part| self.name(part).to_string());
                parts.collect::<Vec<_>>().join(".")
            })
            .collect();
        Some(paths.join(", "))
    }

    /// An update expression: SET, REMOVE and ADD clauses, those that have something.
    pub(super) fn update(&mut self, set: Item, remove: &[String], add: &[Addition]) -> String {
        let mut set: Vec<_> = set.into_iter().collect();
        set.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut set: Vec<_> = set
            .into_iter()
            .map(|(name, value)| format!("{} = {}", self.name(&name), self.value(value)))
            .collect();
        let remove = remove.iter().map(|name| self.name(name).to_string());
        let remove = remove.collect();
        let mut added = Vec::new();
        for Addition {
            attribute,
            by,
            start,
        } in add
        {
            let name = self.name(attribute);
            let by = self.value(AttributeValue::N(by.to_string()));
            // ADD starts from 0 and from nothing else.
            if *start == 0 {
                added.push(format!("{name} {by}"));
            } else {
                let start = self.value(AttributeValue::N(start.to_string()));
                set.push(format!("{name} = if_not_exists({name}, {start}) + {by}"));
            }
        }
        let clauses: [(_, Vec<String>); 3] = [("SET", set), ("REMOVE", remove), ("ADD", added)];
        let clauses = clauses.into_iter().filter(|(_, parts)| !parts.is_empty());
        let clauses = clauses.map(|(name, parts)| format!("{name} {}", parts.join(", ")));
        clauses.collect::<Vec<_>>().join(" ")
    }

    /// The names, as a request takes them. What follows begins anew.
    pub(super) fn names(&mut self) -> Option<HashMap<String, String>> {
        numbered("#n", &mut self.names)
    }

    /// The values, as a request takes them. What follows begins anew.
    pub(super) fn values(&mut self) -> Option<HashMap<String, AttributeValue>> {
        numbered(":v", &mut self.values)
    }
}

/// What stands for a name or a value in an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placeholder(&'static str, usize);

impl fmt::Display for Placeholder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0, self.1)
    }
}

fn numbered<T>(prefix: &'static str, all: &mut Vec<T>) -> Option<HashMap<String, T>> {
    let all = std::mem::take(all).into_iter().enumerate();
    let all: HashMap<_, _> = all
        .map(|(number, one)| (Placeholder(prefix, number).to_string(), one))
        .collect();
    (!all.is_empty()).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_uses_a_placeholder_for_every_name_and_value() {
        let mut placeholders = Placeholders::default();
        let condition = Condition::All(vec![
            Condition::Exists,
            Condition::Equals("status".into(), AttributeValue::S("applied".into())),
            Condition::OneOf("status", vec![AttributeValue::Bool(true)]),
        ]);
        assert_eq!(
            placeholders.condition(&condition, "PK").as_deref(),
            Some("attribute_exists(#n0) AND #n1 = :v0 AND #n1 IN (:v1)")
        );
        assert_eq!(placeholders.names().map(|n| n.len()), Some(2));
    }

    #[test]
    fn paths_that_overlap_stand_once() {
        let mut placeholders = Placeholders::default();
        let paths = vec!["notes", "snapshot.id", "snapshot", "notes", "snapshots"];
        placeholders.projection(&Projection::Only(paths));
        let mut names: Vec<_> = placeholders.names().unwrap().into_values().collect();
        names.sort_unstable();
        assert_eq!(names, ["notes", "snapshot", "snapshots"]);
    }

    #[test]
    fn a_projection_goes_into_maps_and_an_empty_condition_is_none() {
        let mut placeholders = Placeholders::default();
        let projection = Projection::Only(vec!["sequence", "snapshot.notes", "snapshot.status"]);
        assert_eq!(
            placeholders.projection(&projection).as_deref(),
            Some("#n0, #n1.#n2, #n1.#n3")
        );
        assert_eq!(placeholders.condition(&Condition::All(vec![]), "PK"), None);
    }
}
