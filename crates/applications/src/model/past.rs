//! Which statuses an application had before its present one.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Status, Stored};

/// Statuses that an application had and left. It may be back in one of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PastStatuses(BTreeSet<Status>);

impl PastStatuses {
    /// The same, with one more.
    pub fn with(mut self, left: Status) -> Self {
        self.0.insert(left);
        self
    }

    /// The statuses of a history other than `present`.
    pub fn of(history: impl Iterator<Item = Status>, present: Option<Status>) -> Self {
        Self(history.filter(|status| Some(*status) != present).collect())
    }

    /// Whether it left none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The statuses other than `present`.
    pub fn other_than(&self, present: Option<Status>) -> impl Iterator<Item = Status> {
        let statuses = self.0.iter().copied();
        statuses.filter(move |status| Some(*status) != present)
    }
}

impl Stored for PastStatuses {
    fn read(stored: &Value) -> Option<Self> {
        let words = stored.as_array()?.iter();
        Some(Self(words.filter_map(Status::read).collect()))
    }

    fn store(&self) -> Value {
        self.0.iter().map(|status| status.store()).collect()
    }
}
