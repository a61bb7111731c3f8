//! Leases in tables, which other processes hold: whether their holders still renew them.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::clock::Clock;

/// How many leases are remembered before those that nobody has asked for in [`FORGOTTEN`] are dropped.
const MANY: usize = 1_000;
/// After how long.
const FORGOTTEN: Duration = Duration::from_secs(3600);

/// The leases that this process has seen, and since when each is stored as it is. The clocks of two processes may differ by
/// any amount, so that no time in a lease says whether it is over. But whoever holds a lease renews it, and a process that
/// has seen a lease unchanged for its whole length knows that its holder is gone.
#[derive(Debug)]
pub struct LeaseWatch<K, L> {
    clock: Clock,
    seen: Mutex<HashMap<K, Seen<L>>>,
}

#[derive(Debug)]
struct Seen<L> {
    lease: L,
    since: Duration,
    /// When it was last asked for.
    asked: Duration,
}

impl<K: Hash + Eq, L: PartialEq> LeaseWatch<K, L> {
    /// Nothing was seen yet.
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            seen: Mutex::default(),
        }
    }

    /// For how long this process has seen a lease as it is stored now; `lease` is what each renewal changes. A write that
    /// takes the lease must have the condition that it is still stored so.
    pub fn unrenewed(&self, key: K, lease: L) -> Duration {
        let now = self.clock.elapsed();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= MANY && !seen.contains_key(&key) {
            seen.retain(|_, seen| now.saturating_sub(seen.asked) < FORGOTTEN);
        }
        match seen.get_mut(&key) {
            Some(seen) if seen.lease == lease => {
                seen.asked = now;
                now.saturating_sub(seen.since)
            }
            _ => {
                let new = Seen {
                    lease,
                    since: now,
                    asked: now,
                };
                seen.insert(key, new);
                Duration::ZERO
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

    use chrono::DateTime;

    use super::*;

    #[test]
    fn a_lease_is_seen_unrenewed_since_it_last_changed_and_few_are_remembered() {
        let millis = Arc::new(AtomicI64::new(1_771_787_531_000));
        let now = Arc::clone(&millis);
        let clock = Clock::new(move || {
            DateTime::from_timestamp_millis(now.load(Relaxed)).unwrap_or_default()
        });
        let pass = |seconds: i64| millis.fetch_add(seconds * 1000, Relaxed);
        let watch = LeaseWatch::new(clock);
        let unrenewed = |key: usize, lease: u32| watch.unrenewed(key, lease).as_secs();
        assert_eq!(unrenewed(0, 1), 0);
        pass(20);
        assert_eq!(unrenewed(0, 1), 20);
        // Renewed.
        assert_eq!(unrenewed(0, 2), 0);
        pass(20);
        assert_eq!((unrenewed(0, 2), unrenewed(1, 2)), (20, 0));
        for key in 2..5 * MANY {
            unrenewed(key, 1);
            pass(30);
            unrenewed(0, 2);
        }
        assert!(watch.seen.lock().unwrap().len() <= MANY);
        assert!(unrenewed(0, 2) > 30 * MANY as u64);
    }
}
