//! Stored attributes, kept as they are stored and read on demand.
//!
//! Other programs write the table and validate less. An attribute that does not fit its type stays as it is
//! until someone sets it, and fails alone when it is read.

use std::fmt;
use std::marker::PhantomData;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use trestle_domain::{Currency, Link};

use super::values::date;
use super::{
    CompanyCategory, JobSource, MAX_INTEGER, MAX_VERSION, Moment, SalaryPeriod, Status, Timestamp,
};

/// The stored value of an attribute that reads as a `T`, unless another program wrote something else. A
/// missing attribute and NULL are both empty.
pub struct Field<T> {
    stored: Value,
    reads_as: PhantomData<fn() -> T>,
}

/// A type that stored values are read as.
pub trait Stored: Sized {
    /// The value; `None` if the stored value does not represent one.
    fn read(stored: &Value) -> Option<Self>;

    /// The stored value that represents it.
    fn store(&self) -> Value;
}

/// A stored value that does not represent a value of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Odd;

impl<T: Stored> Field<T> {
    /// An attribute with a value.
    pub fn of(value: &T) -> Self {
        Self::raw(value.store())
    }

    /// The value; `None` if the attribute is empty.
    ///
    /// # Errors
    /// [`Odd`].
    pub fn read(&self) -> Result<Option<T>, Odd> {
        match &self.stored {
            Value::Null => Ok(None),
            stored => T::read(stored).map(Some).ok_or(Odd),
        }
    }

    /// The value, if the attribute has one that can be read.
    pub fn get(&self) -> Option<T> {
        self.read().ok().flatten()
    }

    /// Sets the value. An attribute that already reads as the value stays as it is stored.
    pub fn set(&mut self, value: &T)
    where
        T: PartialEq,
    {
        if self.get().as_ref() != Some(value) {
            *self = Self::of(value);
        }
    }
}

impl<T> Field<T> {
    /// An attribute as it is stored.
    pub fn raw(stored: Value) -> Self {
        Self {
            stored,
            reads_as: PhantomData,
        }
    }

    /// What is stored.
    pub fn stored(&self) -> &Value {
        &self.stored
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.stored.is_null()
    }

    /// What is stored, as text; empty if nothing is.
    pub fn text(&self) -> String {
        text(&self.stored).unwrap_or_default()
    }
}

/// A stored value as people read it; `None` for NULL.
pub fn text(stored: &Value) -> Option<String> {
    match stored {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(texts) if texts.iter().all(Value::is_string) => {
            let texts = texts.iter().filter_map(Value::as_str);
            Some(texts.collect::<Vec<_>>().join(", "))
        }
        other => Some(other.to_string()),
    }
}

impl<T> Default for Field<T> {
    fn default() -> Self {
        Self::raw(Value::Null)
    }
}

impl<T> Clone for Field<T> {
    fn clone(&self) -> Self {
        Self::raw(self.stored.clone())
    }
}

impl<T> PartialEq for Field<T> {
    fn eq(&self, other: &Self) -> bool {
        self.stored == other.stored
    }
}

impl<T> fmt::Debug for Field<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stored.fmt(f)
    }
}

impl<T> Serialize for Field<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.stored.serialize(to)
    }
}

impl<'de, T> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Value::deserialize(from).map(Self::raw)
    }
}

impl Stored for String {
    fn read(stored: &Value) -> Option<Self> {
        stored.as_str().map(str::to_owned)
    }

    fn store(&self) -> Value {
        Value::from(self.as_str())
    }
}

impl Stored for bool {
    fn read(stored: &Value) -> Option<Self> {
        stored.as_bool()
    }

    fn store(&self) -> Value {
        Value::from(*self)
    }
}

/// Numbers are stored in decimal: `3` and `3.0` are the same. A number that another program wrote as text is a number.
fn integer(stored: &Value) -> Option<i64> {
    if let Some(text) = stored.as_str() {
        let number = text.parse::<i64>().ok();
        return number.filter(|number| number.to_string() == text && number.abs() <= MAX_INTEGER);
    }
    // Other programs store numbers such as 5.0.
    stored
        .as_i64()
        .or_else(|| whole(stored.as_f64()?))
        .filter(|number| (-MAX_INTEGER..=MAX_INTEGER).contains(number))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "whole numbers up to 2^53 are exact in both types"
)]
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() <= MAX_INTEGER as f64).then_some(number as i64)
}

macro_rules! numbers {
    ($($type:ty),+) => {$(
        impl Stored for $type {
            fn read(stored: &Value) -> Option<Self> {
                integer(stored)?.try_into().ok()
            }

            fn store(&self) -> Value {
                Value::from(*self)
            }
        }
    )+};
}

numbers!(i32, i64);

/// A place in a history, which has at most [`MAX_VERSION`] entries. Another number is not one.
impl Stored for u32 {
    fn read(stored: &Value) -> Option<Self> {
        let place = integer(stored)?.try_into().ok();
        place.filter(|place| *place <= MAX_VERSION)
    }

    fn store(&self) -> Value {
        Value::from(*self)
    }
}

macro_rules! texts {
    ($($type:ty: $read:expr, $store:expr;)+) => {$(
        impl Stored for $type {
            fn read(stored: &Value) -> Option<Self> {
                let read: fn(&str) -> Option<Self> = $read;
                read(stored.as_str()?)
            }

            fn store(&self) -> Value {
                let store: fn(&Self) -> String = $store;
                Value::from(store(self))
            }
        }
    )+};
}

texts! {
    NaiveDate: |text| date(text).ok().filter(|date| date.to_string() == text), NaiveDate::to_string;
    Link: Link::read, |link| link.as_str().to_owned();
    Currency: |text| Currency::parse(text).ok(), Currency::to_string;
    SalaryPeriod: SalaryPeriod::from_word, |period| period.word().to_owned();
    Timestamp: |text| Timestamp::from_millis(text.parse::<DateTime<Utc>>().ok()?.timestamp_millis()), Timestamp::to_string;
    Moment: |text| DateTime::parse_from_rfc3339(text).ok().map(Moment), Moment::to_string;
    Status: Status::from_word, |status| status.word().to_owned();
    CompanyCategory: CompanyCategory::from_word, |category| category.word().to_owned();
    JobSource: JobSource::from_word, |source| source.word().to_owned();
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_that_does_not_fit_is_kept_and_fails_alone() {
        let odd: Field<NaiveDate> = Field::raw(json!("1/15/2026"));
        assert_eq!(odd.read(), Err(Odd));
        assert_eq!(serde_json::to_value(&odd).unwrap(), json!("1/15/2026"));
        assert_eq!(Field::<i32>::raw(json!(3.5)).read(), Err(Odd));
        assert_eq!(Field::<i32>::raw(json!(3.0)).read(), Ok(Some(3)));
        assert_eq!(
            Field::<i64>::raw(json!(3_000_000_000_i64)).get(),
            Some(3_000_000_000)
        );
        assert_eq!(Field::<i64>::raw(json!(1e300)).read(), Err(Odd));
        assert_eq!(Field::<i32>::default().read(), Ok(None));
    }

    #[test]
    fn moments_in_other_forms_are_read_and_stay_as_they_are_stored() {
        let expected = Timestamp::parse("2026-11-20T09:30:00.000Z").unwrap();
        for form in ["2026-11-20T09:30:00Z", "2026-11-20T10:30:00.000+01:00"] {
            let mut field: Field<Timestamp> = Field::raw(json!(form));
            assert_eq!(field.get(), Some(expected), "{form}");
            field.set(&expected);
            assert_eq!(field.stored(), &json!(form));
        }
    }
}
