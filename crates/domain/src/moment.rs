//! Timestamps whose text sorts by time.

use std::fmt;
use std::marker::PhantomData;

use chrono::{DateTime, NaiveDate, SecondsFormat, TimeDelta, Utc};

use super::{Rule, stored_as_text};

/// How far two clocks may differ before one of them counts as wrong.
const SKEW: TimeDelta = TimeDelta::minutes(1);

/// The precision of a timestamp.
pub trait Precision: Copy + Ord + std::hash::Hash + fmt::Debug + Send + Sync + 'static {
    /// Milliseconds between two timestamps.
    const STEP: i64;
    /// How it is written.
    const FORMAT: SecondsFormat;
    /// The expected form, for error messages.
    const FORM: &'static str;
}

/// To the millisecond: `2026-11-20T09:30:00.000Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis;

/// To the second: `2026-11-20T09:30:00Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seconds;

impl Precision for Millis {
    const STEP: i64 = 1;
    const FORMAT: SecondsFormat = SecondsFormat::Millis;
    const FORM: &'static str = "a timestamp such as 2026-11-20T09:30:00.000Z";
}

impl Precision for Seconds {
    const STEP: i64 = 1000;
    const FORMAT: SecondsFormat = SecondsFormat::Secs;
    const FORM: &'static str = "a timestamp such as 2026-11-20T09:30:00Z";
}

/// A timestamp in UTC, from the year 0000 to 9999. Its text has a fixed width, so that it sorts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment<P: Precision = Millis>(DateTime<Utc>, PhantomData<P>);

impl<P: Precision> Moment<P> {
    /// A timestamp, truncated to the precision.
    pub fn new(moment: DateTime<Utc>) -> Self {
        Self::from_millis(moment.timestamp_millis()).unwrap_or(Self(moment, PhantomData))
    }

    /// The timestamp of these milliseconds since 1970; `None` outside the years 0000 to 9999.
    pub fn from_millis(millis: i64) -> Option<Self> {
        const YEAR_0: i64 = -62_167_219_200_000;
        const YEAR_10000: i64 = 253_402_300_800_000;
        let millis = millis - millis.rem_euclid(P::STEP);
        let there = (YEAR_0..YEAR_10000).contains(&millis);
        let moment = there
            .then(|| DateTime::from_timestamp_millis(millis))
            .flatten();
        moment.map(|moment| Self(moment, PhantomData))
    }

    /// Milliseconds since 1970.
    pub fn millis(self) -> i64 {
        self.0.timestamp_millis()
    }

    /// The timestamp of these seconds since 1970; `None` outside the years 0000 to 9999.
    pub fn from_seconds(seconds: i64) -> Option<Self> {
        Self::from_millis(seconds.checked_mul(1000)?)
    }

    /// Seconds since 1970, as TTL attributes have them.
    pub fn seconds(self) -> i64 {
        self.0.timestamp()
    }

    /// The date in UTC.
    pub fn date(self) -> NaiveDate {
        self.0.date_naive()
    }

    /// Parses RFC 3339 with any offset, truncated to the precision.
    ///
    /// # Errors
    /// [`Rule::Invalid`] with the expected form.
    pub fn parse(text: &str) -> Result<Self, Rule> {
        let moment = DateTime::parse_from_rfc3339(text).map_err(|_| Rule::Invalid(P::FORM))?;
        Self::from_millis(moment.timestamp_millis()).ok_or(Rule::Invalid(P::FORM))
    }

    /// Whether less than `length` has passed since this timestamp. A timestamp that is more than a minute in the future is of
    /// a clock that was wrong, and counts as passed: so nothing lasts longer than `length` and a minute from `now` on.
    pub fn is_within(self, length: TimeDelta, now: Self) -> bool {
        let since = now.millis() - self.millis();
        (-SKEW.num_milliseconds()..length.num_milliseconds()).contains(&since)
    }

    /// This timestamp if it is later than `earlier`, else the next one after `earlier`. So a successor is always later,
    /// whatever the clock does.
    pub fn after(self, earlier: Self) -> Self {
        let next = Self::from_millis(earlier.millis() + P::STEP).unwrap_or(earlier);
        self.max(next)
    }
}

impl<P: Precision> fmt::Display for Moment<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_rfc3339_opts(P::FORMAT, true))
    }
}

stored_as_text!([P: Precision] Moment<P>);
