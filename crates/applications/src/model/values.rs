//! Values that cannot be wrong: each is made by parsing.

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, FixedOffset, NaiveDate, SecondsFormat};
use uuid::Uuid;

use super::Rule;
use trestle_domain::{Currency, is_blank};

/// The most bytes of an id: a sort key has at most 1,024, its word included. Source: "Constraints in Amazon DynamoDB",
/// the DynamoDB Developer Guide.
const MAX_ID: usize = 1000;

macro_rules! ids {
    ($($(#[$doc:meta])* $type:ident)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $type(Arc<str>);

        impl $type {
            /// The id of something new.
            pub fn new(id: Uuid) -> Self {
                Self(id.hyphenated().to_string().into())
            }

            /// An id as it is stored; `None` for text that no key can have.
            pub fn stored(text: &str) -> Option<Self> {
                (1..=MAX_ID).contains(&text.len()).then(|| Self(text.into()))
            }

            /// The id as it is stored.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The UUID that the id is, if it is written as we write UUIDs.
            pub fn uuid(&self) -> Option<Uuid> {
                let id = Uuid::try_parse(&self.0).ok()?;
                (Self::new(id) == *self).then_some(id)
            }

            /// The id as we write it, if this is another spelling of a UUID.
            pub fn respelled(&self) -> Option<Self> {
                let id = Uuid::try_parse(&self.0).ok().map(Self::new)?;
                (id != *self).then_some(id)
            }

            /// What stands where an id is not known yet, while an item is being read. No key has it.
            pub(crate) fn unset() -> Self {
                Self("".into())
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}

ids! {
    /// An application's id: the text of its stored key, whatever its form. Ids of other programs may be ULIDs, or UUIDs
    /// in capitals, so ids are compared as they are stored.
    ///
    /// There is no default id, so that an id that cannot be read never becomes that of something else:
    ///
    /// ```compile_fail
    /// let id: trestle_applications::ApplicationId = None.unwrap_or_default();
    /// ```
    ApplicationId
    /// An interview stage's id, unique within its application: the text of its stored key.
    StageId
}

/// Text of 1 to `max` characters from outside, without white space at its ends.
///
/// # Errors
/// [`Rule::Required`] for text that shows nothing, [`Rule::TooLong`], [`Rule::Invalid`] for control characters.
pub(super) fn text(text: &str, max: usize) -> Result<String, Rule> {
    let text = text.trim();
    if is_blank(text) {
        Err(Rule::Required)
    } else if text.chars().count() > max {
        Err(Rule::TooLong(max))
    } else if text.chars().any(is_control) {
        Err(Rule::Invalid("text without control characters"))
    } else {
        Ok(text.to_owned())
    }
}

/// Control characters other than those that lay out text.
fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t')
}

/// A date from outside, `YYYY-MM-DD`, of the years 0000 to 9999.
///
/// # Errors
/// [`Rule::Required`] for blank text; [`Rule::Invalid`] for anything else that is no date of that form, and
/// for days that the calendar does not have.
pub fn date(text: &str) -> Result<NaiveDate, Rule> {
    const FORM: Rule = Rule::Invalid("a date such as 2026-11-20");
    let text = text.trim();
    if text.is_empty() {
        return Err(Rule::Required);
    }
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_| FORM)?;
    // The parser lets signs and blanks pass.
    if date.to_string() == text && !text.starts_with(['-', '+']) {
        Ok(date)
    } else {
        Err(FORM)
    }
}

/// The largest version of an application: the keys of history entries have 8 digits.
pub const MAX_VERSION: u32 = 99_999_999;

/// The largest integer that JavaScript represents exactly: 2^53 - 1.
pub const MAX_INTEGER: i64 = (1 << 53) - 1;

/// An integer from outside.
///
/// # Errors
/// [`Rule::OutOfRange`].
pub(super) fn integer<T: TryFrom<i64>>(number: i64, min: i64, max: i64) -> Result<T, Rule> {
    let fits = (min..=max).contains(&number);
    let number = fits.then(|| T::try_from(number).ok()).flatten();
    number.ok_or(Rule::OutOfRange(min, max))
}

/// A currency from outside: a code of ISO 4217.
///
/// # Errors
/// [`Rule::Required`] for blank text, [`Rule::Invalid`].
pub(super) fn currency(text: &str) -> Result<Currency, Rule> {
    if is_blank(text) {
        Err(Rule::Required)
    } else {
        Currency::parse(text)
    }
}

/// A rating from 1 to 5.
///
/// # Errors
/// [`Rule::OutOfRange`].
pub fn rating(number: i64) -> Result<i32, Rule> {
    integer(number, 1, 5)
}

/// A date and time with its offset from UTC, as people write appointments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment(pub DateTime<FixedOffset>);

impl Moment {
    /// A moment from outside.
    ///
    /// # Errors
    /// [`Rule::Invalid`].
    pub fn parse(text: &str) -> Result<Self, Rule> {
        const FORM: Rule =
            Rule::Invalid("a date and time with an offset such as 2026-11-20T09:30:00+01:00");
        let moment = DateTime::parse_from_rfc3339(text.trim()).map_err(|_| FORM)?;
        let millis = moment.timestamp_millis();
        // From the milliseconds, a leap second is the one after it: calendars know none.
        let utc = Timestamp::from_millis(millis).and(DateTime::from_timestamp_millis(millis));
        let utc = utc.ok_or(FORM)?;
        Ok(Self(utc.with_timezone(moment.offset())))
    }

    /// The same moment in UTC.
    pub fn timestamp(self) -> Timestamp {
        Timestamp::new(self.0.to_utc())
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = match self.0.timestamp_subsec_millis() {
            0 => SecondsFormat::Secs,
            _ => SecondsFormat::Millis,
        };
        f.write_str(&self.0.to_rfc3339_opts(seconds, true))
    }
}

/// A moment in UTC, as it is stored: to the millisecond.
pub type Timestamp = trestle_domain::Moment;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_is_trimmed_counted_in_characters_and_never_blank() {
        assert_eq!(text("  Ünïcode Ltd \n", 200).unwrap(), "Ünïcode Ltd");
        for blank in ["", " \t ", "\u{200b}", "\u{feff}\u{3000}\u{2800}"] {
            assert_eq!(text(blank, 200), Err(Rule::Required), "{blank:?}");
        }
        assert!(text(&"é".repeat(100), 100).is_ok());
        assert_eq!(text(&"é".repeat(101), 100), Err(Rule::TooLong(100)));
        for control in ["a\u{0}b", "a\u{7f}b", "a\u{9f}b"] {
            assert!(
                matches!(text(control, 100), Err(Rule::Invalid(_))),
                "{control:?}"
            );
        }
        assert!(text("two\nlines", 100).is_ok());
    }

    #[test]
    fn a_date_is_a_day_of_the_calendar() {
        assert!(date("2024-02-29").is_ok());
        for bad in [
            "2023-02-29",
            "2023-2-9",
            "20230209",
            "2023-02-09T00:00",
            "+023-02-09",
            "-123-01-01",
            "2026- 1- 1",
            "10000-01-01",
        ] {
            assert!(date(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_leap_second_is_the_second_after_it() {
        for offset in ["Z", "+05:45", "-08:00"] {
            for minute in ["2026-12-31T23:59", "2026-06-30T23:59", "2026-11-20T09:30"] {
                let leap = Moment::parse(&format!("{minute}:60{offset}")).unwrap();
                let before = Moment::parse(&format!("{minute}:59{offset}")).unwrap();
                assert_eq!(
                    leap.timestamp().millis(),
                    before.timestamp().millis() + 1_000
                );
                assert!(!leap.to_string().contains(":60"), "{leap}");
                assert_eq!(Moment::parse(&leap.to_string()), Ok(leap));
            }
        }
    }

    #[test]
    fn what_follows_is_later_whatever_the_clock_says() {
        let early = Timestamp::from_millis(1_000).unwrap();
        let late = Timestamp::from_millis(2_000).unwrap();
        assert_eq!(late.after(early), late);
        assert_eq!(early.after(late).millis(), 2_001);
        assert_eq!(early.after(early).millis(), 1_001);
    }

    proptest! {
        #[test]
        fn timestamps_sort_as_their_texts(a in 0i64..253_402_300_800_000, b in 0i64..253_402_300_800_000) {
            let (a, b) = (Timestamp::from_millis(a).unwrap(), Timestamp::from_millis(b).unwrap());
            prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
            prop_assert_eq!(Timestamp::parse(&a.to_string()), Ok(a));
        }
    }
}
