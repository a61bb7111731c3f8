//! Bounded numbers.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Rule;

/// An integer from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bounded<const MIN: i32, const MAX: i32>(i32);

impl<const MIN: i32, const MAX: i32> Bounded<MIN, MAX> {
    /// Parses a number.
    ///
    /// # Errors
    /// [`Rule::OutOfRange`].
    pub fn parse(number: i64) -> Result<Self, Rule> {
        let fits = i32::try_from(number)
            .ok()
            .filter(|n| (MIN..=MAX).contains(n));
        fits.map(Self)
            .ok_or(Rule::OutOfRange(MIN.into(), MAX.into()))
    }

    /// The number.
    pub fn get(self) -> i32 {
        self.0
    }
}

impl<const MIN: i32, const MAX: i32> Serialize for Bounded<MIN, MAX> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_i32(self.0)
    }
}

impl<'de, const MIN: i32, const MAX: i32> Deserialize<'de> for Bounded<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::parse(i64::deserialize(from)?).map_err(D::Error::custom)
    }
}
