//! The Meta item: counters of applications.

use std::collections::HashMap;

use serde::Deserialize;

use crate::applications::keys::Partition;

/// The counters: `count`, and one for each partition of GSI1 under its key.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct MetaItem {
    /// How many applications are not archived.
    #[serde(default)]
    pub count: i64,
    #[serde(flatten)]
    others: HashMap<String, serde_json::Value>,
}

impl MetaItem {
    /// How many applications a partition of GSI1 holds.
    pub fn of(&self, partition: Partition) -> i64 {
        self.others
            .get(partition.key().as_str())
            .and_then(serde_json::Value::as_i64)
            .unwrap_or(0)
    }
}
