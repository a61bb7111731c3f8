//! What one address, or whatever else a limit is counted by, may do in a while. Counted in each process.

use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use moka::sync::Cache;
use serde::{Deserialize, Serialize};

use trestle_domain::Moment;

/// So many within so many seconds, whenever they begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// How many.
    pub count: u32,
    /// Within how many seconds.
    pub seconds: i64,
}

/// When something happened, the oldest first, in milliseconds after 1970. So no period of a limit's length has more than
/// the limit, whenever it begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Log(Vec<i64>);

impl Log {
    /// So many times the same moment.
    pub fn repeated(at: i64, count: usize) -> Self {
        Self(vec![at; count])
    }

    /// The moments within so many seconds before `now`.
    pub fn within(&self, now: Moment, seconds: i64) -> &[i64] {
        let since = now.millis() - seconds * 1000;
        let first = self.0.partition_point(|at| *at <= since);
        self.0.get(first..).unwrap_or_default()
    }

    /// How long there are as many as the limit allows, from `now` on: at most as long as the limit's period, also if a
    /// clock that was ahead noted them.
    pub fn full(&self, now: Moment, limit: Limit) -> Option<Duration> {
        let within = self.within(now, limit.seconds);
        let first = within.len().checked_sub(limit.count as usize)?;
        let first = (*within.get(first)?).min(now.millis());
        let left = first + limit.seconds * 1000 - now.millis();
        Some(Duration::from_millis(
            u64::try_from(left).unwrap_or_default(),
        ))
    }

    /// One more, without those that are older than so many seconds. What a clock that was ahead noted happened now.
    /// Returns what is noted.
    pub fn add(&mut self, now: Moment, longest: i64) -> i64 {
        let old = self.0.len() - self.within(now, longest).len();
        self.0.drain(..old);
        let at = now.millis();
        self.0.iter_mut().for_each(|noted| *noted = at.min(*noted));
        self.0.push(at);
        at
    }

    /// One less of a moment, if it is still there.
    pub fn take_back(&mut self, at: i64) {
        if let Some(index) = self.0.iter().rposition(|noted| *noted == at) {
            self.0.remove(index);
        }
    }

    /// Whether nothing is noted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Counts by keys, of at most [`RateLimit::KEYS`] keys.
pub struct RateLimit<K> {
    limits: Vec<Limit>,
    /// How long a count matters, in seconds.
    longest: i64,
    counts: Cache<K, Arc<Mutex<Log>>>,
}

/// Counts by the networks of addresses.
pub type AddressLimit = RateLimit<Option<IpAddr>>;

/// A count. It is given back when it is dropped, unless it is kept: who hangs up before anything was
/// checked has used nothing up.
pub struct CountedUse {
    log: Arc<Mutex<Log>>,
    at: i64,
    is_kept: bool,
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
        let limits = [(1, 60), (Self::HOUR, 3600), (Self::DAY, 24 * 3600)];
        let limits = limits.map(|(factor, seconds)| Limit {
            count: count.saturating_mul(factor),
            seconds,
        });
        Self::of(limits.to_vec())
    }

    fn of(limits: Vec<Limit>) -> Self {
        let longest = limits.iter().map(|limit| limit.seconds).max();
        let longest = longest.unwrap_or_default();
        let counts = Cache::builder()
            .max_capacity(Self::KEYS)
            .time_to_idle(Duration::from_secs(
                u64::try_from(longest).unwrap_or_default(),
            ))
            .build();
        Self {
            limits,
            longest,
            counts,
        }
    }

    /// Counts one more.
    ///
    /// # Errors
    /// When to come back, if there were as many as may be.
    pub fn take(&self, key: K, now: Moment) -> Result<CountedUse, Duration> {
        let log = self.counts.get_with(key, Arc::default);
        let at = {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            let waits = self.limits.iter().filter_map(|limit| log.full(now, *limit));
            if let Some(wait) = waits.max() {
                return Err(wait);
            }
            log.add(now, self.longest)
        };
        Ok(CountedUse {
            log,
            at,
            is_kept: false,
        })
    }
}

impl CountedUse {
    /// Keeps the count.
    pub fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for CountedUse {
    fn drop(&mut self) {
        if !self.is_kept {
            let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
            log.take_back(self.at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong passcodes of one address within `seconds`, given as fast as they are checked.
    fn checked_within(seconds: i64) -> usize {
        let limit = AddressLimit::per_day(60);
        let at = |second: i64| Moment::from_seconds(1_771_787_531 + second).unwrap();
        let guess = |second: &i64| limit.take(None, at(*second)).map(CountedUse::keep).is_ok();
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
    fn no_minute_of_an_address_has_more_than_the_limit_whenever_it_begins() {
        let limit = AddressLimit::per_day(60);
        let at = |second: i64| Moment::from_seconds(1_771_787_531 + second).unwrap();
        let take = |second: i64| limit.take(None, at(second)).map(CountedUse::keep).is_ok();
        assert!(take(0));
        assert_eq!((0..100).filter(|_| take(59)).count(), 59);
        assert_eq!((0..100).filter(|_| take(60)).count(), 1);
        assert_eq!((0..100).filter(|_| take(119)).count(), 59);
    }

    #[test]
    fn what_is_given_back_is_not_counted() {
        let limit = AddressLimit::per_minute(1);
        let now = Moment::from_seconds(1_771_787_531).unwrap();
        drop(limit.take(None, now).ok().unwrap());
        limit.take(None, now).ok().unwrap().keep();
        assert_eq!(limit.take(None, now).err(), Some(Duration::from_secs(60)));
    }
}
