//! Items of counters: of all applications (Meta), of a year's weeks, and of stays in a status.

use aws_sdk_dynamodb::types::AttributeValue;

use crate::keys::{self, Partition};
use crate::model::{Status, Stay, Week};
use trestle_table::Item;

/// The attribute of Meta that says that the counters count every application. Other programs may not keep them.
pub const COMPLETE: &str = "countersComplete";

/// The counters of one item.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CountersItem(Item);

impl From<Item> for CountersItem {
    fn from(item: Item) -> Self {
        Self(item)
    }
}

impl CountersItem {
    /// Meta: the number of applications that are not archived; `None` if the counter cannot be read.
    pub fn count(&self) -> Option<i64> {
        self.counter("count")
    }

    /// Meta: the number of applications in a partition of GSI1; `None` if the counter cannot be read.
    pub fn of(&self, partition: Partition) -> Option<i64> {
        self.counter(&partition.counter())
    }

    /// Meta: the number of applications that had a status and left it; `None` if the counter cannot be read.
    pub fn past(&self, status: Status) -> Option<i64> {
        self.counter(&keys::past(status))
    }

    /// Meta: whether the counters count every application.
    pub fn is_complete(&self) -> bool {
        self.0.get(COMPLETE) == Some(&AttributeValue::Bool(true))
    }

    /// How many applications were sent in a week of the item's year.
    pub fn week(&self, week: Week) -> i64 {
        self.counter(&keys::week(week)).unwrap_or(0)
    }

    /// How many stays of this kind ended.
    pub fn stay(&self, stay: Stay) -> i64 {
        self.counter(&keys::stay(stay)).unwrap_or(0)
    }

    fn counter(&self, name: &str) -> Option<i64> {
        match self.0.get(name) {
            None => Some(0),
            Some(stored) => stored.as_n().ok()?.parse().ok(),
        }
    }
}
