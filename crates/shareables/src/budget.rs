//! A budget of wrong passcodes: when the latest were given, and until when no more are checked.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use trestle_api::{Limit, Log};
use trestle_domain::Moment;

/// Wrong passcodes of one budget in a minute. Then it pauses for the next of [`PAUSES`].
pub const MINUTE: Limit = Limit {
    count: 10,
    seconds: 60,
};
/// Wrong passcodes of one budget in an hour. Then it pauses until one of them is an hour ago.
pub const HOUR: Limit = Limit {
    count: 30,
    seconds: 3600,
};
/// Wrong passcodes of one budget in a day. Then it pauses until one of them is a day ago.
pub const DAY: Limit = Limit {
    count: 100,
    seconds: 24 * 3600,
};
/// Wrong passcodes that an address still has of its own in a day, while a shared budget pauses. So the guesses of others do
/// not keep out who opens a shareable for the first time.
pub const OWN: usize = 3;
/// Such wrong passcodes of all addresses together, so that many addresses do not have many guesses.
pub const OWN_OF_ALL: Limit = Limit {
    count: 200,
    seconds: 24 * 3600,
};
/// The pauses of a minute's limit, in seconds: the first one, the second one, and so on, until all is forgotten.
const PAUSES: [i64; 5] = [60, 120, 240, 480, 900];
/// How many there were since a moment, as earlier versions of the service count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Window {
    /// Milliseconds after 1970.
    since: i64,
    count: u32,
}

/// As earlier versions of the service count.
fn window(log: &Log, now: Moment, limit: Limit) -> Window {
    let within = log.within(now, limit.seconds);
    Window {
        since: within.first().copied().unwrap_or_default(),
        count: u32::try_from(within.len()).unwrap_or(u32::MAX),
    }
}

fn millis(left: i64) -> Duration {
    Duration::from_millis(u64::try_from(left).unwrap_or_default())
}

/// The wrong passcodes of one source for one role.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Budget {
    /// When the wrong passcodes of a day were given: at most as many as its limit.
    #[serde(skip_serializing_if = "Log::is_empty")]
    recent: Log,
    minute: Window,
    hour: Window,
    day: Window,
    /// Pauses of the minute's limit so far.
    pauses: u32,
    paused_until: Option<Moment>,
    /// From which addresses those of a shared budget came within a day, as hashes, and when.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    addresses: Vec<(i64, String)>,
    /// The seal of the passcode with which the source has opened the shareable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opened: Option<String>,
}

impl Budget {
    /// How long no passcode is checked, from `now` on.
    pub fn pause(&self, now: Moment) -> Option<Duration> {
        left(self.paused_until, now)
    }

    /// Whether fewer were given than a limit allows.
    pub fn has_room(&self, now: Moment, limit: Limit) -> bool {
        self.noted().full(now, limit).is_none()
    }

    /// The budget after one more wrong passcode, which came from this address.
    pub fn spent_by(&self, address: &str, now: Moment) -> Self {
        let mut next = self.spent(now);
        let since = now.millis() - DAY.seconds * 1000;
        next.addresses.retain(|(at, _)| *at > since);
        next.addresses.push((now.millis(), address.to_owned()));
        next
    }

    /// How many of them came from an address within a day.
    pub fn count_of(&self, address: &str, now: Moment) -> usize {
        let since = now.millis() - DAY.seconds * 1000;
        let own = self.addresses.iter();
        own.filter(|(at, by)| *at > since && by == address).count()
    }

    /// When the wrong passcodes of the last day were given.
    pub fn of_a_day(&self, now: Moment) -> Vec<Moment> {
        let noted = self.noted();
        let within = noted.within(now, DAY.seconds).iter();
        within.filter_map(|at| Moment::from_millis(*at)).collect()
    }

    /// The budget after one more wrong passcode.
    pub fn spent(&self, now: Moment) -> Self {
        let mut recent = self.noted();
        recent.add(now, DAY.seconds);
        let mut next = Self {
            minute: window(&recent, now, MINUTE),
            hour: window(&recent, now, HOUR),
            day: window(&recent, now, DAY),
            recent,
            ..self.clone()
        };
        let mut pause = Duration::ZERO;
        // Those that were checked at the same moment begin one pause together.
        if next.recent.full(now, MINUTE).is_some() && self.pause(now).is_none() {
            let seconds = PAUSES.get(next.pauses as usize).or(PAUSES.last());
            pause = millis(seconds.map_or(0, |seconds| seconds * 1000));
            next.pauses = next.pauses.saturating_add(1);
        }
        for limit in [HOUR, DAY] {
            pause = pause.max(next.recent.full(now, limit).unwrap_or_default());
        }
        let pause = i64::try_from(pause.as_millis()).unwrap_or(i64::MAX);
        let until = Moment::from_millis(now.millis().saturating_add(pause));
        let earlier = next.paused_until.filter(|_| self.pause(now).is_some());
        next.paused_until = earlier.max(until.filter(|_| pause > 0));
        next
    }

    /// When wrong passcodes were given: for those that an earlier version of the service has counted, the latest that is
    /// known of each.
    fn noted(&self) -> Log {
        if !self.recent.is_empty() {
            return self.recent.clone();
        }
        let windows = [self.day, self.hour, self.minute];
        let count = windows.iter().map(|window| window.count).max();
        let at = windows.iter().filter(|window| window.count > 0);
        let at = at.map(|window| window.since).max().unwrap_or_default();
        Log::repeated(at, count.unwrap_or_default().min(DAY.count) as usize)
    }
}

/// What is left of a pause. One that would be longer than the longest was set by a clock that was wrong.
pub fn left(until: Option<Moment>, now: Moment) -> Option<Duration> {
    let left = until?.millis() - now.millis();
    (1..=DAY.seconds * 1000)
        .contains(&left)
        .then(|| millis(left))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(seconds: i64) -> Moment {
        Moment::from_seconds(1_771_787_531 + seconds).unwrap()
    }

    /// Guesses that are checked until `seconds` are over, by someone who guesses every second and whenever a pause ends.
    fn guesses_within(seconds: i64) -> u32 {
        let (mut budget, mut checked) = (Budget::default(), 0);
        for second in 0..seconds {
            if budget.pause(at(second)).is_none() {
                budget = budget.spent(at(second));
                checked += 1;
            }
        }
        checked
    }

    /// The numbers of the table in SECURITY.md.
    #[test]
    fn guesses_of_one_short_id_are_bounded_over_an_hour_a_day_and_a_month() {
        assert_eq!(guesses_within(3600), 30);
        assert_eq!(guesses_within(24 * 3600), 100);
        assert_eq!(guesses_within(30 * 24 * 3600), 3_000);
    }

    #[test]
    fn no_minute_hour_or_day_has_more_than_its_limit_whenever_it_begins() {
        // Sparse at first, then as many as are checked: what fixed windows would allow twice.
        for quiet in [50, 3_500, 80_000] {
            let (mut budget, mut checked) = (Budget::default(), Vec::new());
            for second in 0..3 * DAY.seconds {
                let is_sparse = second < quiet && second % (quiet / 9 + 1) != 0;
                if !is_sparse && budget.pause(at(second)).is_none() {
                    budget = budget.spent(at(second));
                    checked.push(second);
                }
            }
            for limit in [MINUTE, HOUR, DAY] {
                for (index, first) in checked.iter().enumerate() {
                    let later = checked.iter().skip(index);
                    let within = later.take_while(|at| *at - first < limit.seconds);
                    assert!(within.count() <= limit.count as usize, "{quiet} {limit:?}");
                }
            }
        }
    }

    #[test]
    fn what_an_earlier_version_has_counted_counts() {
        let window = |count| json!({ "since": at(0).millis(), "count": count });
        let stored =
            json!({ "minute": window(3), "hour": window(20), "day": window(29), "pauses": 2 });
        let budget: Budget = serde_json::from_value(stored).unwrap();
        let spent = budget.spent(at(1));
        assert_eq!(spent.day.count, 30);
        assert!(spent.pause(at(3500)).is_some());
    }

    #[test]
    fn guesses_that_stay_below_the_limit_of_a_minute_meet_that_of_an_hour_and_a_day() {
        let (mut budget, mut checked) = (Budget::default(), 0);
        for second in 0..24 * 3600 {
            let is_careful = second % 61 < 9;
            if is_careful && budget.pause(at(second)).is_none() {
                budget = budget.spent(at(second));
                checked += 1;
            }
        }
        assert_eq!((checked, budget.pauses), (100, 0));
    }

    #[test]
    fn pauses_of_a_minute_grow() {
        let mut budget = Budget::default();
        for wanted in [60, 120] {
            let start = budget.paused_until.unwrap_or(at(0));
            for _ in 0..10 {
                assert_eq!(budget.pause(start), None);
                budget = budget.spent(start);
            }
            assert_eq!(budget.pause(start), Some(Duration::from_secs(wanted)));
        }
    }
}
