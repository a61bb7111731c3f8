//! How much the server takes on: requests at the same time, requests that wait, and what one subject may
//! ask for in a minute. Knows no HTTP.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::config::{Access, ServerArgs};

/// Places for requests that run and for those that wait.
pub struct Admission {
    running: Semaphore,
    /// Places in all, waiting ones included.
    places: Semaphore,
}

/// A place among the running requests, given back when dropped.
pub struct Admitted<'a> {
    _running: SemaphorePermit<'a>,
    _place: SemaphorePermit<'a>,
}

/// As many run and wait as may: come back later.
#[derive(Clone, Copy, Debug)]
pub struct Overloaded;

impl Admission {
    /// When to come back: by then a queue of ordinary requests has emptied.
    pub const COME_BACK: Duration = Duration::from_secs(1);

    /// Places as configured.
    pub fn new(args: &ServerArgs) -> Self {
        let running = args.max_concurrent.get() as usize;
        let places = running.saturating_add(args.max_queued as usize);
        Self {
            running: Semaphore::new(running.min(Semaphore::MAX_PERMITS)),
            places: Semaphore::new(places.min(Semaphore::MAX_PERMITS)),
        }
    }

    /// Waits for a place among the running requests, first come first served.
    ///
    /// # Errors
    /// At once when too many wait already.
    pub async fn enter(&self) -> Result<Admitted<'_>, Overloaded> {
        let place = self.places.try_acquire().map_err(|_| Overloaded)?;
        let running = self.running.acquire().await.map_err(|_| Overloaded)?;
        Ok(Admitted {
            _running: running,
            _place: place,
        })
    }
}

/// What one subject may ask for in a minute.
pub struct Rates {
    requests: Option<Rate>,
    cost: Option<Rate>,
}

/// A subject has asked for too much: it may come back after this time.
#[derive(Clone, Copy, Debug)]
pub struct TooMuch {
    /// When the request would be let through.
    pub wait: Duration,
}

struct Rate {
    limiter: DefaultKeyedRateLimiter<String>,
    clock: DefaultClock,
    checks: AtomicU64,
}

/// Requests and cost of an authenticated subject in a minute, unless configured.
const REQUESTS_PER_MINUTE: NonZeroU32 = NonZeroU32::new(6_000).unwrap();
const COST_PER_MINUTE: NonZeroU32 = NonZeroU32::new(600_000).unwrap();
/// Checks after which subjects that have not asked for a while are forgotten.
const FORGET_EVERY: u64 = 4096;

impl Rates {
    /// Limits as configured. On an open server everyone is the same subject, and limited only if that
    /// was asked for.
    pub fn new(args: &ServerArgs, access: Access) -> Self {
        let default = |per_minute| (access == Access::Authenticated).then_some(per_minute);
        let requests = args
            .requests_per_minute
            .or_else(|| default(REQUESTS_PER_MINUTE));
        let cost = args.cost_per_minute.or_else(|| default(COST_PER_MINUTE));
        Self {
            requests: requests.map(Rate::per_minute),
            cost: cost.map(Rate::per_minute),
        }
    }

    /// Counts one request.
    ///
    /// # Errors
    /// When the subject has had its requests.
    pub fn request(&self, subject: &str) -> Result<(), TooMuch> {
        self.requests
            .as_ref()
            .map_or(Ok(()), |rate| rate.take(subject, NonZeroU32::MIN))
    }

    /// Counts the estimated cost of one operation.
    ///
    /// # Errors
    /// When the subject has used up what it may, or asks for more than a minute's worth at once.
    pub fn cost(&self, subject: &str, cost: u64) -> Result<(), TooMuch> {
        let cost = u32::try_from(cost).unwrap_or(u32::MAX);
        match (&self.cost, NonZeroU32::new(cost)) {
            (Some(rate), Some(cost)) => rate.take(subject, cost),
            _ => Ok(()),
        }
    }
}

impl Rate {
    fn per_minute(most: NonZeroU32) -> Self {
        let limiter = RateLimiter::keyed(Quota::per_minute(most));
        Self {
            limiter,
            clock: DefaultClock::default(),
            checks: AtomicU64::new(0),
        }
    }

    fn take(&self, subject: &str, cells: NonZeroU32) -> Result<(), TooMuch> {
        if self.checks.fetch_add(1, Relaxed) % FORGET_EVERY == FORGET_EVERY - 1 {
            self.limiter.retain_recent();
            self.limiter.shrink_to_fit();
        }
        match self.limiter.check_key_n(&subject.to_owned(), cells) {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(until)) => Err(TooMuch {
                wait: until.wait_time_from(self.clock.now()),
            }),
            Err(_never) => Err(TooMuch {
                wait: Duration::from_secs(60),
            }),
        }
    }
}
