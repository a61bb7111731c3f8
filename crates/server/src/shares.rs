//! What each holder has of something that is there for all, and who has the most.

use std::collections::HashMap;
use std::hash::Hash;

/// How many each holder has.
pub(super) struct Shares<H>(HashMap<H, usize>);

impl<H: Clone + Eq + Hash> Shares<H> {
    /// Counts one for each.
    pub(super) fn of(holders: impl Iterator<Item = H>) -> Self {
        let mut counts = HashMap::new();
        holders.for_each(|holder| *counts.entry(holder).or_default() += 1);
        Self(counts)
    }

    /// How many a holder has.
    pub(super) fn held(&self, holder: &H) -> usize {
        self.0.get(holder).copied().unwrap_or(0)
    }

    /// The holder with the most, and their number.
    pub(super) fn largest(&self) -> Option<(H, usize)> {
        let (holder, count) = self.0.iter().max_by_key(|(_, count)| **count)?;
        Some((holder.clone(), *count))
    }

    /// The holder with the most, who gives way if `holder` would have fewer with one more.
    pub(super) fn gives_way_to(&self, holder: &H) -> Option<H> {
        let (largest, most) = self.largest()?;
        (self.held(holder) + 1 < most).then_some(largest)
    }
}
