//! Which statuses an application had before its present one.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Status, Stored};

/// Statuses that an application had and left, unless by mistake. It may be back in one of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PastStatuses(BTreeSet<Status>);

impl PastStatuses {
    /// The same, with one more.
    pub fn with(mut self, left: Status) -> Self {
        self.0.insert(left);
        self
    }

    /// Of statuses that were left.
    pub fn of(left: impl Iterator<Item = Status>) -> Self {
        Self(left.collect())
    }

    /// Whether it left this one.
    pub fn has(&self, status: Status) -> bool {
        self.0.contains(&status)
    }

    /// The same with `present`, and with the statuses that these have in common with every application that has them: what
    /// was sent before it was recorded here was applied for nevertheless.
    pub fn reached(mut self, present: Option<Status>) -> Self {
        self.0.extend(present);
        let implied = self.0.iter().flat_map(|status| match status {
            Status::Unsubmitted | Status::Applied => &[][..],
            Status::AcceptedOffer => &[Status::Applied, Status::GivenOffer],
            Status::Rejected
            | Status::Interviewing
            | Status::GivenOffer
            | Status::DeclinedOffer
            | Status::NoOffer => &[Status::Applied],
        });
        let implied: Vec<_> = implied.copied().collect();
        self.0.extend(implied);
        self
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
