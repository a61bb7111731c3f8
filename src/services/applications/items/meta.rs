//! The Meta item: counters of applications.

use serde_json::Value;

use crate::services::applications::keys::{self, Partition};
use crate::services::applications::model::Status;
use crate::table::Item;

use super::json;

/// The attribute that says that the counters count every application. Other programs may not keep them.
pub const COMPLETE: &str = "countersComplete";

/// The counters: `count`, one for each partition of GSI1, named by its key, and one for each status that applications
/// left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetaItem(Value);

impl From<Item> for MetaItem {
    fn from(item: Item) -> Self {
        Self(json(item))
    }
}

impl MetaItem {
    /// The number of applications that are not archived; `None` if the counter cannot be read.
    pub fn count(&self) -> Option<i64> {
        self.counter("count")
    }

    /// The number of applications in a partition of GSI1; `None` if the counter cannot be read.
    pub fn of(&self, partition: Partition) -> Option<i64> {
        self.counter(&partition.counter())
    }

    /// The number of applications that had a status and left it; `None` if the counter cannot be read.
    pub fn past(&self, status: Status) -> Option<i64> {
        self.counter(&keys::past(status))
    }

    /// Whether the counters count every application.
    pub fn is_complete(&self) -> bool {
        self.0.get(COMPLETE) == Some(&Value::Bool(true))
    }

    fn counter(&self, name: &str) -> Option<i64> {
        match self.0.get(name) {
            None | Some(Value::Null) => Some(0),
            Some(stored) => stored.as_i64(),
        }
    }
}
