//! Bounded lists.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::Rule;

/// A list of at most `MAX` values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct List<T, const MAX: usize>(Vec<T>);

impl<T, const MAX: usize> Default for List<T, MAX> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T, const MAX: usize> List<T, MAX> {
    /// A list of parsed values.
    ///
    /// # Errors
    /// [`Rule::TooMany`], or [`Rule::Entries`] with every entry that breaks a rule.
    pub fn parse(values: impl IntoIterator<Item = Result<T, Rule>>) -> Result<Self, Rule> {
        let (mut list, mut broken) = (Vec::new(), Vec::new());
        for (at, value) in values.into_iter().enumerate() {
            if at == MAX {
                return Err(Rule::TooMany(MAX));
            }
            match value {
                Ok(value) => list.push(value),
                Err(rule) => broken.push((at, rule)),
            }
        }
        if broken.is_empty() {
            Ok(Self(list))
        } else {
            Err(Rule::Entries(broken))
        }
    }

    /// Its values, in order.
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for List<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let values = Vec::<T>::deserialize(from)?;
        Self::parse(values.into_iter().map(Ok)).map_err(D::Error::custom)
    }
}
