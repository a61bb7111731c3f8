//! How much the server takes on: requests at the same time, requests that wait, and what one owner or subject
//! may ask for in a minute. Knows no HTTP.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::config::{Access, ServerArgs};
use crate::viewer::{Owner, Viewer};

/// Places for requests that run and for those that wait.
pub struct Admission {
    running: Semaphore,
    /// Places in all, waiting ones included.
    places: Semaphore,
    most_running: usize,
    most: usize,
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
        let (running, places) = (
            running.min(Semaphore::MAX_PERMITS),
            places.min(Semaphore::MAX_PERMITS),
        );
        Self {
            running: Semaphore::new(running),
            places: Semaphore::new(places),
            most_running: running,
            most: places,
        }
    }

    /// How many requests run, and how many wait.
    pub fn load(&self) -> (usize, usize) {
        let running = self.most_running - self.running.available_permits();
        let all = self.most - self.places.available_permits();
        (running, all.saturating_sub(running))
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

/// Room for the bodies of requests while they arrive.
///
/// They have no place among the running requests: a client that sends slowly would hold one. Small bodies need no
/// room, so that slow large ones never keep them waiting; the number of connections bounds them.
pub struct Arriving {
    /// In units of [`UNIT`] bytes.
    room: Semaphore,
    most: u32,
}

/// Bytes of a body that needs no room.
const SMALL: usize = 16 * 1024;
const UNIT: usize = 1024;

impl Arriving {
    /// Room as configured.
    pub fn new(args: &ServerArgs) -> Self {
        let most = args
            .max_arriving_bytes
            .max(args.max_body_bytes)
            .div_ceil(UNIT);
        let most = most
            .min(Semaphore::MAX_PERMITS)
            .try_into()
            .unwrap_or(u32::MAX);
        Self {
            room: Semaphore::new(most as usize),
            most,
        }
    }

    /// Waits for room for a body of so many bytes, first come first served.
    pub async fn room(&self, bytes: usize) -> Option<SemaphorePermit<'_>> {
        if bytes <= SMALL {
            return None;
        }
        let units = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX);
        self.room.acquire_many(units.min(self.most)).await.ok()
    }
}

/// Whose requests are counted together: those of one owner, whoever sends them, or of a subject without an owner.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Payer {
    /// An owner.
    Owner(Owner),
    /// A subject that names no owner.
    Subject(String),
}

impl From<&Viewer> for Payer {
    fn from(viewer: &Viewer) -> Self {
        match viewer.owner() {
            Some(owner) => Payer::Owner(owner.clone()),
            None => Payer::Subject(viewer.subject().to_owned()),
        }
    }
}

/// What one owner or subject may ask for in a minute.
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
    limiter: DefaultKeyedRateLimiter<Payer>,
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
    pub fn request(&self, payer: &Payer) -> Result<(), TooMuch> {
        self.requests
            .as_ref()
            .map_or(Ok(()), |rate| rate.take(payer, NonZeroU32::MIN))
    }

    /// Counts the estimated cost of one operation.
    ///
    /// # Errors
    /// When the subject has used up what it may, or asks for more than a minute's worth at once.
    pub fn cost(&self, payer: &Payer, cost: u64) -> Result<(), TooMuch> {
        let cost = u32::try_from(cost).unwrap_or(u32::MAX);
        match (&self.cost, NonZeroU32::new(cost)) {
            (Some(rate), Some(cost)) => rate.take(payer, cost),
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

    fn take(&self, payer: &Payer, cells: NonZeroU32) -> Result<(), TooMuch> {
        if self.checks.fetch_add(1, Relaxed) % FORGET_EVERY == FORGET_EVERY - 1 {
            self.limiter.retain_recent();
            self.limiter.shrink_to_fit();
        }
        match self.limiter.check_key_n(payer, cells) {
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
