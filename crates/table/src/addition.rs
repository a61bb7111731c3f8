//! What a write adds to a number of an item.

/// What is added to a number of an item.
#[derive(Clone, Debug)]
pub struct Addition {
    pub(super) attribute: String,
    pub(super) by: i64,
    pub(super) start: i64,
}

impl Addition {
    /// Adds to a number, which starts from 0 if the attribute or the item is not there.
    pub fn new(attribute: impl Into<String>, by: i64) -> Self {
        Self {
            attribute: attribute.into(),
            by,
            start: 0,
        }
    }

    /// The same, of a number that starts from `start`.
    pub fn starting_from(self, start: i64) -> Self {
        Self { start, ..self }
    }
}

impl From<(&'static str, i64)> for Addition {
    fn from((attribute, by): (&'static str, i64)) -> Self {
        Self::new(attribute, by)
    }
}
