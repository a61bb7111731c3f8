//! What one address, or whatever else a limit is counted by, may do in a while. Counted in each process.

use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use moka::sync::Cache;
use serde::{Deserialize, Serialize};

use trestle_domain::Moment;

/// So many within so many seconds, counted from the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// How many.
    pub count: u32,
    /// Within how many seconds.
    pub seconds: i64,
}

/// What happened since a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Milliseconds after 1970.
    since: i64,
    count: u32,
}

impl Window {
    /// The window at `now`: a new one if this one is over.
    fn at(self, now: Moment, limit: Limit) -> Self {
        match now.millis() - self.since >= limit.seconds * 1000 {
            true => Self {
                since: now.millis(),
                count: 0,
            },
            false => self,
        }
    }

    /// How long it is full, from `now` on.
    pub fn full(self, now: Moment, limit: Limit) -> Option<Duration> {
        let window = self.at(now, limit);
        let left = window.since + limit.seconds * 1000 - now.millis();
        (window.count >= limit.count).then(|| millis(left))
    }

    /// One more.
    pub fn more(self, now: Moment, limit: Limit) -> Self {
        let window = self.at(now, limit);
        Self {
            count: window.count.saturating_add(1),
            ..window
        }
    }

    /// One less, if the window is not over.
    pub fn less(self) -> Self {
        Self {
            count: self.count.saturating_sub(1),
            ..self
        }
    }
}

fn millis(left: i64) -> Duration {
    Duration::from_millis(u64::try_from(left).unwrap_or_default())
}

/// Counts by keys, of at most [`RateLimit::KEYS`] keys.
pub struct RateLimit<K> {
    limits: Vec<Limit>,
    counts: Cache<K, Arc<Mutex<Vec<Window>>>>,
}

/// Counts by the networks of addresses.
pub type AddressLimit = RateLimit<Option<IpAddr>>;

/// A count, which can be given back.
pub struct Taken {
    windows: Arc<Mutex<Vec<Window>>>,
}

impl<K: Hash + Eq + Send + Sync + 'static> RateLimit<K> {
    const KEYS: u64 = 50_000;
    /// Hours and days have these multiples of a minute's limit.
    const HOUR: u32 = 5;
    const DAY: u32 = 20;

    /// So many in a minute.
    pub fn per_minute(count: u32) -> Self {
        Self::of(vec![Limit { count, seconds: 60 }])
    }

    /// So many in a minute, five times as many in an hour, and twenty times as many in a day.
    pub fn per_day(count: u32) -> Self {
        let times = |factor, seconds| Limit {
            count: count.saturating_mul(factor),
            seconds,
        };
        Self::of(vec![
            times(1, 60),
            times(Self::HOUR, 3600),
            times(Self::DAY, 24 * 3600),
        ])
    }

    fn of(limits: Vec<Limit>) -> Self {
        let longest = limits.iter().map(|limit| limit.seconds).max();
        let seconds = longest.and_then(|longest| u64::try_from(longest).ok());
        let counts = Cache::builder()
            .max_capacity(Self::KEYS)
            .time_to_idle(Duration::from_secs(seconds.unwrap_or_default()))
            .build();
        Self { limits, counts }
    }

    /// Counts one more.
    ///
    /// # Errors
    /// When to come back, if there were as many as may be.
    pub fn take(&self, key: K, now: Moment) -> Result<Taken, Duration> {
        let windows = self.counts.get_with(key, || {
            Arc::new(Mutex::new(vec![Window::default(); self.limits.len()]))
        });
        {
            let mut windows = windows.lock().unwrap_or_else(PoisonError::into_inner);
            let pairs = || windows.iter().zip(&self.limits);
            let waits = pairs().filter_map(|(window, limit)| window.full(now, *limit));
            if let Some(wait) = waits.max() {
                return Err(wait);
            }
            let next: Vec<_> = pairs().map(|(w, limit)| w.more(now, *limit)).collect();
            *windows = next;
        }
        Ok(Taken { windows })
    }
}

impl Taken {
    /// Counts one less.
    pub fn give_back(self) {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        for window in windows.iter_mut() {
            *window = window.less();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong passcodes of one address within `seconds`, given as fast as they are checked.
    fn checked_within(seconds: i64) -> usize {
        let limit = AddressLimit::per_day(60);
        let at = |second| Moment::from_seconds(1_771_787_531 + second).unwrap();
        let guess = |second: &i64| limit.take(None, at(*second)).is_ok();
        // Three a second are more than any limit allows.
        let all = (0..seconds).flat_map(|second| [second; 3]);
        all.filter(guess).count()
    }

    /// The numbers of the table in SECURITY.md.
    #[test]
    fn wrong_passcodes_of_one_address_are_bounded_over_an_hour_and_a_day() {
        assert_eq!(checked_within(60), 60);
        assert_eq!(checked_within(3600), 300);
        assert_eq!(checked_within(24 * 3600), 1_200);
    }

    #[test]
    fn what_is_given_back_is_not_counted() {
        let limit = AddressLimit::per_minute(1);
        let now = Moment::from_seconds(1_771_787_531).unwrap();
        limit.take(None, now).ok().unwrap().give_back();
        assert!(limit.take(None, now).is_ok());
        assert_eq!(limit.take(None, now).err(), Some(Duration::from_secs(60)));
    }
}
