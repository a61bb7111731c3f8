//! Values that every service shares, and the rules that they obey. A value is parsed once, from an input or from a
//! stored attribute; one that exists is valid. Depends on no table and no request.

mod check;
mod currency;
mod day;
mod encoding;
mod id;
mod list;
mod moment;
mod number;
mod scalars;
mod segment;
mod text;
mod values;
mod words;

pub use check::{Change, Check, Rule, Violation, Violations};
pub use currency::Currency;
pub use day::Day;
pub use encoding::{base64, escaped, hex, hex_32};
pub use id::{Id, RawId, Ulid, Ulids, UserId};
pub use list::List;
pub use moment::{Millis, Moment, Precision, Seconds};
pub use number::{Amount, Bounded, counted, read_counter, read_known_counter, read_number};
pub use scalars::{Date, DateTime, OffsetDateTime, SafeInt, Url, Uuid};
pub use segment::Segment;
pub use text::{Email, Link, Text, is_blank};
pub use values::{Input, Scalar, Version};

/// Implements serde and [`Segment`] for a value by its text.
#[macro_export]
macro_rules! stored_as_text {
    ([$($generics:tt)*] $type:ty) => {
        impl<$($generics)*> serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'de, $($generics)*> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = String::deserialize(from)?;
                Self::parse(&text).map_err(serde::de::Error::custom)
            }
        }

        impl<$($generics)*> $crate::Segment for $type {
            fn text(&self) -> std::borrow::Cow<'_, str> {
                std::borrow::Cow::Owned(self.to_string())
            }
        }
    };
}

/// The same for a value that holds its text, with `Display` and `as_str`.
#[macro_export]
macro_rules! is_text {
    ([$($generics:tt)*] $type:ty) => {
        impl<$($generics)*> $type {
            /// Its text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl<$($generics)*> std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        $crate::stored_as_text!([$($generics)*] $type);
    };
}

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
