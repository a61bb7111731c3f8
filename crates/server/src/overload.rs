//! How much the server takes on: requests at the same time, requests that wait, and what one owner or subject
//! may ask for in a minute. Knows no HTTP.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::config::{Access, ServerArgs};
use trestle_api::viewer::{Owner, Viewer};

/// Places for requests that run and for those that wait.
pub struct Admission {
    running: Arc<Semaphore>,
    /// Places in all, waiting ones included.
    places: Arc<Semaphore>,
    most_running: usize,
    most: usize,
}

/// A place among the running requests, given back when dropped.
pub struct RequestPermit {
    running: Arc<Semaphore>,
    place: Mutex<Place>,
    _waiting: OwnedSemaphorePermit,
}

/// A place among the running requests. Several parts of one request can leave it.
#[derive(Default)]
struct Place {
    running: Option<OwnedSemaphorePermit>,
    away: usize,
}

impl RequestPermit {
    /// Leaves the place to others until all who left have come back.
    pub fn leave(&self) {
        let mut place = self.place();
        place.away += 1;
        place.running = None;
    }

    /// Waits for a place again.
    pub async fn come_back(&self) {
        let is_back = {
            let mut place = self.place();
            place.away -= 1;
            place.running.is_some() || place.away > 0
        };
        if is_back {
            return;
        }
        // It is never closed, so this fails for nobody.
        if let Ok(running) = Arc::clone(&self.running).acquire_owned().await {
            self.place().running = Some(running);
        }
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
            running: Arc::new(Semaphore::new(running)),
            places: Arc::new(Semaphore::new(places)),
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
    pub async fn enter(&self) -> Result<Arc<RequestPermit>, Overloaded> {
        let waiting = Arc::clone(&self.places);
        let waiting = waiting.try_acquire_owned().map_err(|_| Overloaded)?;
        let running = Arc::clone(&self.running).acquire_owned().await;
        let place = Place {
            running: Some(running.map_err(|_| Overloaded)?),
            away: 0,
        };
        Ok(Arc::new(RequestPermit {
            running: Arc::clone(&self.running),
            place: Mutex::new(place),
            _waiting: waiting,
        }))
    }
}

/// Whose requests are counted together: those of one owner, whoever sends them, or of a subject without an owner.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RateLimitKey {
    /// An owner.
    Owner(Owner),
    /// A subject that names no owner.
    Subject(String),
}

impl From<&Viewer> for RateLimitKey {
    fn from(viewer: &Viewer) -> Self {
        match viewer.owner() {
            Some(owner) => RateLimitKey::Owner(owner.clone()),
            None => RateLimitKey::Subject(viewer.subject().to_owned()),
        }
    }
}

/// What one owner or subject may ask for in a minute.
pub struct RateLimits {
    requests: Option<Rate>,
    cost: Option<Rate>,
}

/// A subject has asked for too much: it may come back after this time.
#[derive(Clone, Copy, Debug)]
pub struct RateLimited {
    /// When the request would be let through.
    pub wait: Duration,
}

struct Rate {
    limiter: DefaultKeyedRateLimiter<RateLimitKey>,
    clock: DefaultClock,
    checks: AtomicU64,
}

/// Requests and cost of an authenticated subject in a minute, unless configured.
const REQUESTS_PER_MINUTE: NonZeroU32 = NonZeroU32::new(6_000).unwrap();
const COST_PER_MINUTE: NonZeroU32 = NonZeroU32::new(600_000).unwrap();
/// Checks after which subjects that have not asked for a while are forgotten.
const FORGET_EVERY: u64 = 4096;

impl RateLimits {
    /// Limits as configured. On an open server everyone is the same subject, and limited only if that
    /// was asked for.
    pub fn new(args: &ServerArgs, access: Access) -> Self {
        let (mut requests, mut cost) = (args.requests_per_minute, args.cost_per_minute);
        if access == Access::Authenticated {
            requests = requests.or(Some(REQUESTS_PER_MINUTE));
            cost = cost.or(Some(COST_PER_MINUTE));
        }
        Self {
            requests: requests.map(Rate::per_minute),
            cost: cost.map(Rate::per_minute),
        }
    }

    /// Counts one request.
    ///
    /// # Errors
    /// When the subject has had its requests.
    pub fn request(&self, payer: &RateLimitKey) -> Result<(), RateLimited> {
        self.requests
            .as_ref()
            .map_or(Ok(()), |rate| rate.take(payer, NonZeroU32::MIN))
    }

    /// Counts the estimated cost of one operation.
    ///
    /// # Errors
    /// When the subject has used up what it may, or asks for more than a minute's worth at once.
    pub fn cost(&self, payer: &RateLimitKey, cost: u64) -> Result<(), RateLimited> {
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

    fn take(&self, payer: &RateLimitKey, cells: NonZeroU32) -> Result<(), RateLimited> {
        if self.checks.fetch_add(1, Relaxed) % FORGET_EVERY == FORGET_EVERY - 1 {
            self.limiter.retain_recent();
            self.limiter.shrink_to_fit();
        }
        match self.limiter.check_key_n(payer, cells) {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(until)) => Err(RateLimited {
                wait: until.wait_time_from(self.clock.now()),
            }),
            Err(_never) => Err(RateLimited {
                wait: Duration::from_secs(60),
            }),
        }
    }
}
