//! Ranges of values.

/// A range with both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range<T> {
    /// The lowest value.
    pub from: Option<T>,
    /// The highest value.
    pub to: Option<T>,
}

impl<T> Default for Range<T> {
    fn default() -> Self {
        Self {
            from: None,
            to: None,
        }
    }
}

impl<T: PartialOrd> Range<T> {
    /// Whether it has an end.
    pub fn is_set(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }

    /// Whether a value is in it. A missing value is in no range that has an end.
    pub fn has(&self, value: Option<&T>) -> bool {
        self.overlaps(value, value)
    }

    /// Whether no value is in it, because it ends before it begins.
    fn is_inverted(&self) -> bool {
        let ends = self.from.as_ref().zip(self.to.as_ref());
        ends.is_some_and(|(from, to)| from > to)
    }

    /// Whether a range that is open at missing ends, but not at both, overlaps it.
    pub(super) fn overlaps(&self, from: Option<&T>, to: Option<&T>) -> bool {
        let ends = to.zip(self.from.as_ref());
        let begins = from.zip(self.to.as_ref());
        !self.is_set()
            || (!self.is_inverted()
                && (from.is_some() || to.is_some())
                && ends.is_none_or(|(to, least)| to >= least)
                && begins.is_none_or(|(from, most)| from <= most))
    }
}
