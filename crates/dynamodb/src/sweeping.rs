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
    use crate::write_record::{read_clock, write_clock};

    const HOUR: Duration = Duration::from_secs(60 * 60);
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    fn after(time: SystemTime, seconds: i64) -> SystemTime {
        let by = Duration::from_secs(seconds.unsigned_abs());
        if seconds < 0 { time - by } else { time + by }
    }

    /// The numbers of a generated history.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: i64) -> i64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            i64::try_from(self.0 >> 1).unwrap() % bound
        }
    }

    /// Clocks that jump ahead and back, restarts, and sweeps: one that is trusted was right when the last one was, or went on
    /// for an hour in one process.
    #[test]
    fn generated_jumps_and_restarts_are_not_trusted() {
        let hour = 3600;
        let (mut trusted, mut refused, mut confirmed) = (0, 0, 0);
        for seed in 1..=400_u64 {
            let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let (start, began) = (SystemTime::now(), Instant::now());
            let record = tempfile::tempfile().unwrap();
            // A store that is new trusts the clock; one of an earlier release, or from a backup, does not.
            let mut last = (random.below(3) > 0).then_some((0, 0));
            if last.is_some() {
                write_clock(&record, start).unwrap();
            }
            let mut clock = TrustedClock::new(read_clock(&record).unwrap(), began);
            // What passes, what the clock is wrong by, and since when it goes on in this process.
            let (mut passed, mut wrong, mut since) = (0, 0, None);
            let mut begun = 0;
            for _ in 0..120 {
                passed += match random.below(12) {
                    0 => random.below(3 * hour),
                    _ => 60,
                };
                match random.below(25) {
                    0 => {
                        wrong += [400 * 24 * hour, -24 * hour, 2 * hour]
                            [usize::try_from(random.below(3)).unwrap()]
                    }
                    1 => wrong = 0,
                    _ => {}
                }
                if random.below(10) == 0 {
                    let at = began + Duration::from_secs(passed.unsigned_abs());
                    clock = TrustedClock::new(read_clock(&record).unwrap(), at);
                    (since, begun) = (None, passed);
                }
                let time = passed + wrong;
                // In a process, time passes by its own measure; between two, by the clock's.
                let is_expected = last.is_some_and(|(at, trusted): (i64, i64)| {
                    let elapsed = passed - at.max(begun);
                    (time - trusted - elapsed).abs() <= hour
                });
                let goes_on =
                    since.filter(|(_, offset): &(i64, i64)| (wrong - offset).abs() <= hour);
                let is_confirmed = goes_on.is_some_and(|(at, _)| passed - at >= hour);
                let model = is_expected || is_confirmed;
                let at = began + Duration::from_secs(passed.unsigned_abs());
                let now = after(start, time);
                let is_trusted = clock.trusts(now, at);
                assert_eq!(
                    is_trusted, model,
                    "seed {seed} at {passed}, wrong by {wrong}"
                );
                if is_trusted {
                    write_clock(&record, now).unwrap();
                    (last, since) = (Some((passed, time)), None);
                    trusted += 1;
                    confirmed += u32::from(!is_expected);
                } else {
                    since = goes_on.or(Some((passed, wrong)));
                    refused += 1;
                }
            }
        }
        assert!(
            trusted > 1000 && refused > 1000 && confirmed > 100,
            "{trusted}, {refused}, {confirmed}"
        );
    }

    #[test]
    fn a_clock_that_jumped_is_trusted_when_it_went_on() {
        let (start, began) = (SystemTime::now(), Instant::now());
        let mut clock = TrustedClock::new(Some(start), began);
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
        let mut clock = TrustedClock::new(Some(now - DAY), Instant::now());
        assert!(!clock.trusts(now, Instant::now()));
        assert!(clock.trusts(now + HOUR, Instant::now() + HOUR));
    }
}
