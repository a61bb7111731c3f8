//! The counters over time beside the Meta item: a year's weeks, and stays in a status. Whatever else another
//! program puts there counts nothing.

use crate::applications::keys;
use crate::applications::model::{Stay, Week};
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
