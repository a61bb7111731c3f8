//! Ids: typed, so that the ids of two kinds of entities cannot be confused.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{Millis, Moment, Rule, is_text, stored_as_text};

/// 16 bytes that identify something: a [`Ulid`] or a [`Uuid`].
pub trait RawId: Copy + Ord + Hash + fmt::Debug + fmt::Display + Send + Sync + 'static {
    /// A new id.
    fn new(now: DateTime<Utc>) -> Self;

    /// An id from its text.
    ///
    /// # Errors
    /// [`Rule::Invalid`] with the expected form.
    fn parse(text: &str) -> Result<Self, Rule>;

    /// Its bytes.
    fn to_bytes(self) -> [u8; 16];

    /// The id with these bytes.
    fn from_bytes(bytes: [u8; 16]) -> Self;
}

/// 48 bits of time and 80 random bits. Its text, 26 characters of Crockford's base 32, sorts by creation time.
/// Source: <https://github.com/ulid/spec>.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ulid(u128);

const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

impl Ulid {
    /// The id with this time and the low 80 bits of `random`: the same arguments return the same id.
    pub fn of(moment: DateTime<Utc>, random: u128) -> Self {
        let millis = u128::from(moment.timestamp_millis().unsigned_abs()) & 0xffff_ffff_ffff;
        Self(millis << 80 | random & ((1 << 80) - 1))
    }

    /// The next larger id.
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The time in it; `None` after the year 9999.
    pub fn moment(self) -> Option<DateTime<Utc>> {
        let millis = i64::try_from(self.0 >> 80).ok()?;
        Moment::<Millis>::from_millis(millis)?;
        DateTime::from_timestamp_millis(millis)
    }
}

impl RawId for Ulid {
    fn new(now: DateTime<Utc>) -> Self {
        let random = Uuid::new_v4().as_u128();
        Self::of(now, (random >> 64) << 20 ^ random)
    }

    fn parse(text: &str) -> Result<Self, Rule> {
        const FORM: Rule = Rule::Invalid("a ULID such as 01ARZ3NDEKTSV4RRFFQ69G5FAV");
        let text = text.to_ascii_uppercase();
        if text.len() != 26 || !text.starts_with(|first: char| ('0'..='7').contains(&first)) {
            return Err(FORM);
        }
        let mut bits = 0;
        for c in text.bytes() {
            let digit = DIGITS.iter().position(|digit| *digit == c).ok_or(FORM)?;
            bits = bits << 5 | digit as u128;
        }
        Ok(Self(bits))
    }

    fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(bytes))
    }
}

impl fmt::Display for Ulid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for at in (0..26).rev() {
            let digit = (self.0 >> (5 * at)) & 31;
            let digit = DIGITS.get(digit as usize).copied().unwrap_or(b'0');
            fmt::Write::write_char(f, char::from(digit))?;
        }
        Ok(())
    }
}

stored_as_text!([] Ulid);

/// Makes ULIDs that ascend, also within a millisecond.
#[derive(Debug, Default)]
pub struct Ulids(Mutex<Option<Ulid>>);

impl Ulids {
    /// The next id, created at `now`.
    pub fn next(&self, now: DateTime<Utc>) -> Ulid {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = match *last {
            Some(last) => Ulid::new(now).max(last.next()),
            None => Ulid::new(now),
        };
        *last = Some(next);
        next
    }
}

impl RawId for Uuid {
    fn new(_: DateTime<Utc>) -> Self {
        Uuid::new_v4()
    }

    fn parse(text: &str) -> Result<Self, Rule> {
        const FORM: Rule = Rule::Invalid("a UUID such as 0b0cf9b6-5a1c-4f0e-9d2f-6a3c8f0f5d11");
        Uuid::try_parse(text).map_err(|_| FORM)
    }

    fn to_bytes(self) -> [u8; 16] {
        self.into_bytes()
    }

    fn from_bytes(bytes: [u8; 16]) -> Self {
        Uuid::from_bytes(bytes)
    }
}

/// The id of an entity of type `E`: a ULID unless `R` is [`Uuid`].
pub struct Id<E, R = Ulid>(R, PhantomData<fn() -> E>);

impl<E, R: RawId> Id<E, R> {
    /// A new id.
    pub fn new(now: DateTime<Utc>) -> Self {
        R::new(now).into()
    }

    /// An id from its text.
    ///
    /// # Errors
    /// [`Rule::Invalid`] with the expected form.
    pub fn parse(text: &str) -> Result<Self, Rule> {
        R::parse(text).map(Self::from)
    }

    /// The id without its type.
    pub fn raw(self) -> R {
        self.0
    }
}

impl<E, R: RawId> From<R> for Id<E, R> {
    fn from(raw: R) -> Self {
        Self(raw, PhantomData)
    }
}

impl<E, R: Copy> Clone for Id<E, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E, R: Copy> Copy for Id<E, R> {}

impl<E, R: PartialEq> PartialEq for Id<E, R> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<E, R: Eq> Eq for Id<E, R> {}

impl<E, R: Ord> PartialOrd for Id<E, R> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<E, R: Ord> Ord for Id<E, R> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}

impl<E, R: Hash> Hash for Id<E, R> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<E, R: fmt::Debug> fmt::Debug for Id<E, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<E, R: fmt::Display> fmt::Display for Id<E, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

stored_as_text!([E, R: RawId] Id<E, R>);

/// A person, by the `sub` claim of their tokens, whatever text that is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserId(String);

impl UserId {
    /// The subject of a viewer.
    pub fn new(subject: impl Into<String>) -> Self {
        Self(subject.into())
    }

    /// An id from its text.
    ///
    /// # Errors
    /// [`Rule::Required`] for empty text.
    pub fn parse(text: &str) -> Result<Self, Rule> {
        if text.is_empty() {
            Err(Rule::Required)
        } else {
            Ok(Self(text.to_owned()))
        }
    }
}

is_text!([] UserId);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_ulid_comes_back_from_its_text(bytes in any::<[u8; 16]>()) {
            let ulid = Ulid::from_bytes(bytes);
            prop_assert_eq!(Ulid::parse(&ulid.to_string()), Ok(ulid));
            prop_assert_eq!(ulid.to_bytes(), bytes);
        }

        #[test]
        fn later_ulids_sort_after_earlier_ones(at in 0i64..4_000_000_000_000, later in 1i64..1_000_000) {
            let new = |millis| Ulid::new(DateTime::from_timestamp_millis(millis).unwrap());
            let (first, second) = (new(at), new(at + later));
            prop_assert!(first.to_string() < second.to_string());
            prop_assert_eq!(first.moment().unwrap().timestamp_millis(), at);
        }

        #[test]
        fn text_that_is_not_a_ulid_is_rejected(text in "\\PC{0,30}") {
            if let Ok(ulid) = Ulid::parse(&text) {
                prop_assert_eq!(ulid.to_string(), text.to_ascii_uppercase());
            }
        }
    }
}
