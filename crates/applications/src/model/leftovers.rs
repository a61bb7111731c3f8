//! What is left of an application that is not there, and was not deleted by this program.

use std::fmt;

/// How many items are named.
pub(crate) const NAMED: usize = 5;

/// Items of a partition that has neither its application nor our mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftovers {
    /// The sort keys of the first items.
    pub sort_keys: Vec<String>,
    /// Whether there are more.
    pub has_more: bool,
}

impl fmt::Display for Leftovers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sort_keys.join(", "))?;
        if self.has_more {
            f.write_str(" and more")?;
        }
        Ok(())
    }
}

/// The items with these sort keys.
impl FromIterator<String> for Leftovers {
    fn from_iter<I: IntoIterator<Item = String>>(sort_keys: I) -> Self {
        let mut sort_keys: Vec<_> = sort_keys.into_iter().take(NAMED + 1).collect();
        let has_more = sort_keys.len() > NAMED;
        sort_keys.truncate(NAMED);
        Self {
            sort_keys,
            has_more,
        }
    }
}
