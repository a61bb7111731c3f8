//! What one address may do in a while, counted in each process.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use moka::sync::Cache;

use super::budget::{Limit, Log};
use trestle_domain::Moment;

/// Counts by address, of at most [`AddressLimit::ADDRESSES`] addresses.
pub struct AddressLimit {
    limits: Vec<Limit>,
    /// How long a count matters, in seconds.
    longest: i64,
    counts: Cache<Option<IpAddr>, Arc<Mutex<Log>>>,
}

/// A count of an address. It is given back when it is dropped, unless it is kept: who hangs up before anything was
/// checked has used nothing up.
pub struct Taken {
    log: Arc<Mutex<Log>>,
    at: i64,
    is_kept: bool,
}

impl AddressLimit {
    const ADDRESSES: u64 = 50_000;
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
        let longest = longest.unwrap_or_default();
        let counts = Cache::builder()
            .max_capacity(Self::ADDRESSES)
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
    /// When to come back, if the address has had as many as it may.
    pub fn take(&self, address: Option<IpAddr>, now: Moment) -> Result<Taken, Duration> {
        let log = self.counts.get_with(address, Arc::default);
        let at = {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            let waits = self.limits.iter().filter_map(|limit| log.full(now, *limit));
            if let Some(wait) = waits.max() {
                return Err(wait);
            }
            log.add(now, self.longest)
        };
        Ok(Taken {
            log,
            at,
            is_kept: false,
        })
    }
}

impl Taken {
    /// Keeps the count.
    pub fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for Taken {
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
        let guess = |second: &i64| limit.take(None, at(*second)).map(Taken::keep).is_ok();
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
        let take = |second: i64| limit.take(None, at(second)).map(Taken::keep).is_ok();
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
