//! Expressions: conditions, filters and projections as values; placeholders are written here alone.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use super::Item;

/// What must hold of an item for a write to happen, or for a query to answer it.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// The item is there.
    Exists,
    /// No item has this key.
    Missing,
    /// The attribute has this value.
    Equals(&'static str, AttributeValue),
    /// The attribute has one of these values: 1 to 100.
    OneOf(&'static str, Vec<AttributeValue>),
    /// The attribute is this or more.
    AtLeast(&'static str, AttributeValue),
    /// All of these hold; none are always so.
    All(Vec<Condition>),
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
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

impl Placeholders {
    /// The placeholder of one attribute.
    pub(super) fn name(&mut self, attribute: &str) -> String {
        let taken = self.names.iter().find(|(_, name)| *name == attribute);
        if let Some((placeholder, _)) = taken {
            return placeholder.clone();
        }
        let placeholder = format!("#n{}", self.names.len());
        self.names.insert(placeholder.clone(), attribute.to_owned());
        placeholder
    }

    /// The placeholder of a value.
    pub(super) fn value(&mut self, value: AttributeValue) -> String {
        let placeholder = format!(":v{}", self.values.len());
        self.values.insert(placeholder.clone(), value);
        placeholder
    }

    /// The expression of a condition, or `None` where it always holds. `partition_key` stands for the
    /// item's being there.
    pub(super) fn condition(
        &mut self,
        condition: &Condition,
        partition_key: &str,
    ) -> Option<String> {
        Some(match condition {
            Condition::Exists => format!("attribute_exists({})", self.name(partition_key)),
            Condition::Missing => format!("attribute_not_exists({})", self.name(partition_key)),
            Condition::Equals(attribute, value) => {
                format!("{} = {}", self.name(attribute), self.value(value.clone()))
            }
            Condition::AtLeast(attribute, value) => {
                format!("{} >= {}", self.name(attribute), self.value(value.clone()))
            }
            Condition::OneOf(attribute, values) => {
                let values: Vec<_> = values.iter().map(|v| self.value(v.clone())).collect();
                format!("{} IN ({})", self.name(attribute), values.join(", "))
            }
            Condition::All(conditions) => {
                let parts: Vec<_> = conditions
                    .iter()
                    .filter_map(|c| self.condition(c, partition_key))
                    .collect();
                if parts.is_empty() {
                    return None;
                }
                parts.join(" AND ")
            }
        })
    }

    /// The expression of a projection, or `None` for the whole item. DynamoDB refuses paths that overlap,
    /// so one that is named twice, or that lies within another, stands once.
    pub(super) fn projection(&mut self, projection: &Projection) -> Option<String> {
        let Projection::Only(paths) = projection else {
            return None;
        };
        let within = |path: &str, other: &str| {
            path.strip_prefix(other)
                .is_some_and(|rest| rest.starts_with('.'))
        };
        let mut paths: Vec<_> = paths
            .iter()
            .filter(|path| !paths.iter().any(|other| within(path, other)))
            .collect();
        paths.sort_unstable();
        paths.dedup();
        let paths: Vec<_> = paths
            .iter()
            .map(|path| {
                let parts: Vec<_> = path.split('.').map(|part| self.name(part)).collect();
                parts.join(".")
            })
            .collect();
        Some(paths.join(", "))
    }

    /// An update expression: SET, REMOVE and ADD clauses, those that have something.
    pub(super) fn update(&mut self, set: Item, remove: &[&str], add: &[(String, i64)]) -> String {
        let mut clauses = Vec::new();
        if !set.is_empty() {
            let mut set: Vec<_> = set.into_iter().collect();
            set.sort_by(|a, b| a.0.cmp(&b.0));
            let parts: Vec<_> = set
                .into_iter()
                .map(|(name, value)| format!("{} = {}", self.name(&name), self.value(value)))
                .collect();
            clauses.push(format!("SET {}", parts.join(", ")));
        }
        if !remove.is_empty() {
            let parts: Vec<_> = remove.iter().map(|name| self.name(name)).collect();
            clauses.push(format!("REMOVE {}", parts.join(", ")));
        }
        if !add.is_empty() {
            let parts: Vec<_> = add
                .iter()
                .map(|(name, by)| {
                    format!(
                        "{} {}",
                        self.name(name),
                        self.value(AttributeValue::N(by.to_string()))
                    )
                })
                .collect();
            clauses.push(format!("ADD {}", parts.join(", ")));
        }
        clauses.join(" ")
    }

    /// The names, as a request takes them.
    pub(super) fn names(&self) -> Option<HashMap<String, String>> {
        (!self.names.is_empty()).then(|| self.names.clone())
    }

    /// The values, as a request takes them.
    pub(super) fn values(&self) -> Option<HashMap<String, AttributeValue>> {
        (!self.values.is_empty()).then(|| self.values.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_uses_a_placeholder_for_every_name_and_value() {
        let mut placeholders = Placeholders::default();
        let condition = Condition::All(vec![
            Condition::Exists,
            Condition::Equals("status", AttributeValue::S("applied".into())),
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
