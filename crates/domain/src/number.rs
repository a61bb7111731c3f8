//! Bounded numbers.

use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Rule;

/// A whole amount of money or the like, from 0 to 9007199254740991, the largest integer that JavaScript represents
/// exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount(i64);

impl Amount {
    /// The largest amount.
    pub const MAX: i64 = 9_007_199_254_740_991;

    /// Parses a number.
    ///
    /// # Errors
    /// [`Rule::OutOfRange`].
    pub fn parse(number: i64) -> Result<Self, Rule> {
        if (0..=Self::MAX).contains(&number) {
            Ok(Self(number))
        } else {
            Err(Rule::OutOfRange(0, Self::MAX))
        }
    }

    /// The number.
    pub fn get(self) -> i64 {
        self.0
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_i64(self.0)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::parse(i64::deserialize(from)?).map_err(D::Error::custom)
    }
}

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

/// Reads a stored counter. What is not a number from 0 on counts as 0, because a bad counter must not make its item
/// unreadable.
///
/// # Errors
/// The item is broken.
pub fn read_counter<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    Ok(read_known_counter(from)?.unwrap_or_default())
}

/// As [`read_counter`]; `None` if what is stored is not a number that a counter can have.
///
/// # Errors
/// As [`read_counter`].
pub fn read_known_counter<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    Ok(read_number(from)?.and_then(counted))
}

/// Reads a stored whole number, in the forms in which other programs write it; `None` if it is something else.
///
/// # Errors
/// As [`read_counter`].
pub fn read_number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stored {
        Number(i64),
        Text(String),
        Other(IgnoredAny),
    }
    Ok(match Stored::deserialize(from)? {
        Stored::Number(number) => Some(number),
        Stored::Text(text) => text.trim().parse().ok(),
        Stored::Other(IgnoredAny) => None,
    })
}

/// The number, if a counter can have it.
pub fn counted(number: i64) -> Option<u32> {
    // GraphQL's `Int` has no larger number.
    let number = i32::try_from(number).ok()?;
    u32::try_from(number).ok()
}
