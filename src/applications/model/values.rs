//! Values that cannot be wrong: each is made by parsing.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use uuid::Uuid;

use super::Rule;

/// An application's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApplicationId(pub Uuid);

/// An interview stage's id, unique within its application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StageId(pub Uuid);

impl fmt::Display for ApplicationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl FromStr for ApplicationId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Uuid::try_parse(text).map(Self)
    }
}

/// Text of 1 to `MAX` characters without white space at its ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text<const MAX: usize>(String);

/// A company's name or a position's title.
pub type Name = Text<200>;
/// Notes or special requirements of an application.
pub type Note = Text<5000>;
/// A stage's name.
pub type StageName = Text<100>;
/// Notes of a stage.
pub type StageNote = Text<2000>;

impl<const MAX: usize> Text<MAX> {
    /// Text from outside; white space at its ends goes.
    ///
    /// # Errors
    /// [`Rule::Required`] for blank text, [`Rule::TooLong`] for too much of it.
    pub fn parse(text: &str) -> Result<Self, Rule> {
        let text = text.trim();
        if text.is_empty() {
            Err(Rule::Required)
        } else if text.chars().count() > MAX {
            Err(Rule::TooLong(MAX))
        } else {
            Ok(Self(text.to_owned()))
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An absolute http or https address of at most 2048 characters, as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link(String);

impl Link {
    const MAX: usize = 2048;

    /// An address from outside.
    ///
    /// # Errors
    /// [`Rule::Required`] for blank text; [`Rule::Invalid`] unless the address is absolute and its scheme
    /// http or https; [`Rule::TooLong`].
    pub fn parse(text: &str) -> Result<Self, Rule> {
        const FORM: Rule = Rule::Invalid("a web address such as https://example.com/jobs/1");
        let text = text.trim();
        if text.is_empty() {
            return Err(Rule::Required);
        }
        if text.chars().count() > Self::MAX {
            return Err(Rule::TooLong(Self::MAX));
        }
        // The parser forgives what a page that shows the address as it was written would not: control
        // characters within, and a scheme without its slashes, which is relative to the page's own.
        let (scheme, _) = text.split_once("://").ok_or(FORM)?;
        if text.contains(char::is_control) {
            return Err(FORM);
        }
        let url = url::Url::parse(text).map_err(|_| FORM)?;
        let absolute = scheme.eq_ignore_ascii_case(url.scheme()) && url.has_host();
        match matches!(url.scheme(), "http" | "https") && absolute {
            true => Ok(Self(text.to_owned())),
            false => Err(FORM),
        }
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A date from outside, `YYYY-MM-DD`, of the years 0000 to 9999.
///
/// # Errors
/// [`Rule::Required`] for blank text; [`Rule::Invalid`] for anything else that is no date of that form, and
/// for days that the calendar does not have.
pub(super) fn date(text: &str) -> Result<NaiveDate, Rule> {
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

macro_rules! bounded {
    ($(#[$doc:meta])* $type:ident, $min:literal, $max:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $type(i32);

        impl $type {
            /// A number from outside.
            ///
            /// # Errors
            /// [`Rule::OutOfRange`].
            pub fn parse(number: i64) -> Result<Self, Rule> {
                i32::try_from(number)
                    .ok()
                    .filter(|n| ($min..=$max).contains(n))
                    .map(Self)
                    .ok_or(Rule::OutOfRange($min, i64::from($max)))
            }

            /// The number.
            pub fn get(self) -> i32 {
                self.0
            }
        }
    };
}

bounded!(
    /// A rating from 1 to 5.
    Rating, 1, 5_i32
);
bounded!(
    /// A salary in whole units of the person's currency: 0 to 2147483647.
    Salary, 0, i32::MAX
);

/// A moment in UTC, to the millisecond, from the years 0000 to 9999: its text has a fixed width, so that
/// it sorts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(DateTime<Utc>);

impl Timestamp {
    /// A moment, cut to milliseconds.
    pub fn new(moment: DateTime<Utc>) -> Self {
        Self::from_millis(moment.timestamp_millis()).unwrap_or(Self(moment))
    }

    /// A moment by its milliseconds since 1970; `None` outside the calendar.
    pub fn from_millis(millis: i64) -> Option<Self> {
        const YEAR_0: i64 = -62_167_219_200_000;
        const YEAR_10000: i64 = 253_402_300_800_000;
        (YEAR_0..YEAR_10000)
            .contains(&millis)
            .then(|| DateTime::from_timestamp_millis(millis))
            .flatten()
            .map(Self)
    }

    /// Milliseconds since 1970.
    pub fn millis(self) -> i64 {
        self.0.timestamp_millis()
    }

    /// Its stored text, `2026-11-20T09:30:00.000Z`, and nothing else.
    ///
    /// # Errors
    /// [`Rule::Invalid`] for any other form, were it the same moment.
    pub fn parse(text: &str) -> Result<Self, Rule> {
        const FORM: Rule = Rule::Invalid("a moment such as 2026-11-20T09:30:00.000Z");
        let moment: DateTime<Utc> = text.parse().map_err(|_| FORM)?;
        let timestamp = Self::from_millis(moment.timestamp_millis()).ok_or(FORM)?;
        if timestamp.to_string() == text {
            Ok(timestamp)
        } else {
            Err(FORM)
        }
    }

    /// The day, in UTC.
    pub fn date(self) -> NaiveDate {
        self.0.date_naive()
    }

    /// This moment, or the first one after `earlier` where that is not before it: what follows something
    /// is later than it, whatever the clock does.
    pub fn after(self, earlier: Timestamp) -> Timestamp {
        let next = Self::from_millis(earlier.millis() + 1).unwrap_or(earlier);
        self.max(next)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_is_trimmed_counted_in_characters_and_never_blank() {
        assert_eq!(
            Name::parse("  Ünïcode Ltd \n").unwrap().as_str(),
            "Ünïcode Ltd"
        );
        assert_eq!(Name::parse(" \t "), Err(Rule::Required));
        assert!(StageName::parse(&"é".repeat(100)).is_ok());
        assert_eq!(StageName::parse(&"é".repeat(101)), Err(Rule::TooLong(100)));
    }

    #[test]
    fn a_link_is_absolute_and_of_the_web() {
        assert!(Link::parse("https://jobs.lever.co/weride/a102?nl=1&nl=1").is_ok());
        for bad in [
            "",
            "example.com",
            "/jobs",
            "ftp://example.com",
            "javascript:alert(1)",
            "https://",
        ] {
            assert!(Link::parse(bad).is_err(), "{bad}");
        }
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

        #[test]
        fn only_the_stored_form_is_read(text in "[0-9TZ:.+-]{10,30}") {
            if let Ok(timestamp) = Timestamp::parse(&text) {
                prop_assert_eq!(timestamp.to_string(), text);
            }
        }
    }
}
