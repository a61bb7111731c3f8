//! When expired items may be deleted: not right after the clock jumped, because what a wrong clock deletes is gone.

use std::time::{Duration, Instant, SystemTime};

/// The largest difference between two clocks that is not a jump.
const JUMP: Duration = Duration::from_secs(60 * 60);
/// How long a clock that jumped must go on without another jump.
const CONFIRMED: Duration = Duration::from_secs(60 * 60);

/// A time by the system's clock, and when it was read.
#[derive(Clone, Copy, Debug)]
struct Reading {
    time: SystemTime,
    at: Instant,
}

impl Reading {
    /// Whether the clock went on from here without a jump.
    fn leads_to(&self, other: Reading) -> bool {
        let expected = self.time + other.at.saturating_duration_since(self.at);
        let difference = other
            .time
            .duration_since(expected)
            .unwrap_or_else(|earlier| earlier.duration());
        difference <= JUMP
    }
}

/// Watches the system's clock.
#[derive(Debug)]
pub(super) struct TrustedClock {
    /// `None` if no process is known to have trusted a clock.
    trusted: Option<Reading>,
    /// Where the clock jumped to.
    jumped: Option<Reading>,
}

impl TrustedClock {
    /// Trusts a clock that shows about `time`, when the clock was last trusted.
    pub(super) fn new(time: Option<SystemTime>, at: Instant) -> Self {
        Self {
            trusted: time.map(|time| Reading { time, at }),
            jumped: None,
        }
    }

    /// Whether the clock, which shows `time`, is trusted.
    pub(super) fn trusts(&mut self, time: SystemTime, at: Instant) -> bool {
        let now = Reading { time, at };
        let jumped = self.jumped.filter(|jumped| jumped.leads_to(now));
        let is_confirmed = jumped.is_some_and(|jumped| at.duration_since(jumped.at) >= CONFIRMED);
        let is_expected = self.trusted.is_some_and(|trusted| trusted.leads_to(now));
        if is_expected || is_confirmed {
            (self.trusted, self.jumped) = (Some(now), None);
            return true;
        }
        if jumped.is_none() {
            tracing::warn!(
                "the clock jumped by more than an hour, or the store was not used for so long: expired items are not \
                 deleted until the clock went on for an hour"
            );
            self.jumped = Some(now);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(60 * 60);
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    #[test]
    fn a_clock_that_jumped_is_trusted_when_it_went_on() {
        let (start, began) = (SystemTime::now(), Instant::now());
        let mut clock = TrustedClock::new(start);
        let minute = Duration::from_secs(60);
        assert!(clock.trusts(start + minute, began + minute));
        // 400 days ahead, and back.
        assert!(!clock.trusts(start + 400 * DAY, began + 2 * minute));
        assert!(clock.trusts(start + 3 * minute, began + 3 * minute));
        // Ahead for good, with a second jump in between.
        assert!(!clock.trusts(start + 400 * DAY, began + 4 * minute));
        assert!(!clock.trusts(start + 800 * DAY, began + HOUR));
        assert!(!clock.trusts(start + 800 * DAY + HOUR / 2, began + HOUR + HOUR / 2));
        assert!(clock.trusts(start + 800 * DAY + HOUR, began + 2 * HOUR));
        // Back by a day is a jump, too.
        assert!(!clock.trusts(start + 799 * DAY, began + 2 * HOUR + minute));
    }

    #[test]
    fn a_store_that_was_not_used_for_long_is_not_swept_at_once() {
        let now = SystemTime::now();
        let mut clock = TrustedClock::new(now - DAY);
        assert!(!clock.trusts(now, Instant::now()));
        assert!(clock.trusts(now + HOUR, Instant::now() + HOUR));
    }
}
