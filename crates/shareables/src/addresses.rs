//! What one address may do in a while, counted in each process.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use moka::sync::Cache;

use super::guesses::{Limit, Window};
use trestle_domain::Moment;

/// Counts by address, of at most [`AddressLimit::ADDRESSES`] addresses.
pub struct AddressLimit {
    limits: Vec<Limit>,
    counts: Cache<Option<IpAddr>, Arc<Mutex<Vec<Window>>>>,
}

/// A count of an address, which can be given back.
pub struct Taken {
    windows: Arc<Mutex<Vec<Window>>>,
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
        let seconds = longest.and_then(|longest| u64::try_from(longest).ok());
        let counts = Cache::builder()
            .max_capacity(Self::ADDRESSES)
            .time_to_idle(Duration::from_secs(seconds.unwrap_or_default()))
            .build();
        Self { limits, counts }
    }

    /// Counts one more.
    ///
    /// # Errors
    /// When to come back, if the address has had as many as it may.
    pub fn take(&self, address: Option<IpAddr>, now: Moment) -> Result<Taken, Duration> {
        let windows = self.counts.get_with(address, || {
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
