//! What a table is: its key, its indexes; creating it, and checking one that is there.

use aws_sdk_dynamodb::types::{AttributeValue, ScalarAttributeType};

use super::Item;

/// A table's key and indexes. Every index projects ALL.
#[derive(Debug, PartialEq, Eq)]
pub struct TableDefinition {
    /// What the table is called unless the deployment says otherwise: 3 to 255 of `a-zA-Z0-9_.-`.
    pub default_name: &'static str,
    /// The attribute that holds the partition key.
    pub partition_key: KeyAttribute,
    /// The attribute that holds the sort key.
    pub sort_key: KeyAttribute,
    /// The global secondary indexes.
    pub indexes: &'static [&'static IndexDefinition],
    /// The attribute that says what kind of entity an item is, where items say so.
    pub kind: Option<&'static str>,
    /// The attribute that says when an item expires, in seconds after 1970.
    pub expires: Option<&'static str>,
}

/// A global secondary index.
#[derive(Debug, PartialEq, Eq)]
pub struct IndexDefinition {
    /// The index's name: 3 to 255 of `a-zA-Z0-9_.-`.
    pub name: &'static str,
    /// The attribute that holds its partition key.
    pub partition_key: KeyAttribute,
    /// The attribute that holds its sort key, where it has one.
    pub sort_key: Option<KeyAttribute>,
}

/// An attribute of a key, and what type its values have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyAttribute {
    /// The attribute.
    pub name: &'static str,
    /// Whether it is a number (N); else it is a string (S).
    pub is_number: bool,
}

impl KeyAttribute {
    /// A string.
    pub const fn text(name: &'static str) -> Self {
        Self {
            name,
            is_number: false,
        }
    }

    /// A number.
    pub const fn number(name: &'static str) -> Self {
        Self {
            name,
            is_number: true,
        }
    }

    /// A value of this attribute.
    pub(super) fn value(self, text: &str) -> AttributeValue {
        if self.is_number {
            AttributeValue::N(text.to_owned())
        } else {
            AttributeValue::S(text.to_owned())
        }
    }

    /// The attribute's value in an item, as text.
    pub(super) fn text_in(self, item: &Item) -> Option<String> {
        let value = item.get(self.name)?;
        let text = if self.is_number {
            value.as_n()
        } else {
            value.as_s()
        };
        text.ok().cloned()
    }

    pub(super) fn scalar(self) -> ScalarAttributeType {
        if self.is_number {
            ScalarAttributeType::N
        } else {
            ScalarAttributeType::S
        }
    }
}

impl TableDefinition {
    /// A table with this name unless the deployment says otherwise, whose keys are strings.
    pub const fn new(
        default_name: &'static str,
        partition_key: &'static str,
        sort_key: &'static str,
    ) -> Self {
        Self {
            default_name,
            partition_key: KeyAttribute::text(partition_key),
            sort_key: KeyAttribute::text(sort_key),
            indexes: &[],
            kind: None,
            expires: None,
        }
    }

    /// The attributes of its key and of the indexes' keys, sorted by name.
    pub fn key_attributes(&self) -> Vec<KeyAttribute> {
        let mut keys = vec![self.partition_key, self.sort_key];
        for index in self.indexes {
            keys.push(index.partition_key);
            keys.extend(index.sort_key);
        }
        keys.sort_unstable_by_key(|key| key.name);
        keys.dedup();
        keys
    }

    /// The same, whose partition key is a number.
    pub const fn numbered(self) -> Self {
        Self {
            partition_key: KeyAttribute::number(self.partition_key.name),
            ..self
        }
    }

    /// The same, with these indexes.
    pub const fn indexed(self, indexes: &'static [&'static IndexDefinition]) -> Self {
        Self { indexes, ..self }
    }

    /// The same, whose items say in this attribute what they are.
    pub const fn typed(self, attribute: &'static str) -> Self {
        Self {
            kind: Some(attribute),
            ..self
        }
    }

    /// The same, whose items may expire at the moment in this attribute.
    pub const fn expiring(self, attribute: &'static str) -> Self {
        Self {
            expires: Some(attribute),
            ..self
        }
    }
}

impl IndexDefinition {
    /// An index whose keys are strings.
    pub const fn new(
        name: &'static str,
        partition_key: &'static str,
        sort_key: &'static str,
    ) -> Self {
        Self {
            name,
            partition_key: KeyAttribute::text(partition_key),
            sort_key: Some(KeyAttribute::text(sort_key)),
        }
    }

    /// An index without a sort key.
    pub const fn unsorted(name: &'static str, partition_key: &'static str) -> Self {
        Self {
            name,
            partition_key: KeyAttribute::text(partition_key),
            sort_key: None,
        }
    }
}
