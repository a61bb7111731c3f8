//! The counters over time: a year's weeks, and stays in a status.

use crate::services::applications::keys;
use crate::services::applications::model::{Stay, Week};
use crate::table::Item;

/// The counters of one item.
#[derive(Clone, Debug, Default)]
pub struct CountersItem(Item);

impl From<Item> for CountersItem {
    fn from(item: Item) -> Self {
        Self(item)
    }
}

impl CountersItem {
    /// How many applications were sent in a week of the item's year.
    pub fn week(&self, week: Week) -> i64 {
        self.counter(&keys::week(week))
    }

    /// How many stays of this kind ended.
    pub fn stay(&self, stay: Stay) -> i64 {
        self.counter(&keys::stay(stay))
    }

    fn counter(&self, name: &str) -> i64 {
        let stored = self.0.get(name).and_then(|value| value.as_n().ok());
        stored.and_then(|number| number.parse().ok()).unwrap_or(0)
    }
}
