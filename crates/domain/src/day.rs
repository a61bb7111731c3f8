//! Calendar dates.

use std::fmt;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

use super::{Rule, stored_as_text};

/// A calendar date from 0000-01-01 to 9999-12-31. Its text has a fixed width, so that it sorts by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(NaiveDate);

impl Day {
    /// The day in UTC of a moment from the years 0000 to 9999.
    pub fn of(moment: DateTime<Utc>) -> Self {
        Self(moment.date_naive())
    }

    /// Parses `2026-11-20`.
    pub fn parse(text: &str) -> Result<Self, Rule> {
        const FORM: Rule = Rule::Invalid("a date such as 2026-11-20");
        let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_| FORM)?;
        let parsed = Self(day);
        // The parser also accepts signs and single digits, whose text does not sort.
        if parsed.to_string() == text {
            Ok(parsed)
        } else {
            Err(FORM)
        }
    }

    /// Number of days from `earlier` to this day; negative if this day is before it.
    pub fn days_since(self, earlier: Self) -> i64 {
        self.0.signed_duration_since(earlier.0).num_days()
    }

    /// The first moment of the day, in UTC.
    pub fn start(self) -> DateTime<Utc> {
        self.0.and_time(chrono::NaiveTime::MIN).and_utc()
    }

    /// The day before; the first day has none.
    pub fn before(self) -> Option<Self> {
        self.0.checked_sub_signed(TimeDelta::days(1)).map(Self)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.format("%Y-%m-%d"))
    }
}

stored_as_text!([] Day);
