//! The open connections: how many there may be, and which are idle and close first.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::sync::Notify;
use tokio::time::{MissedTickBehavior, interval};
use trestle_api::network;

use crate::shares::Shares;

/// Connections if nothing is configured and the process may open enough files.
const USUAL: usize = 10_000;
/// How often the watch looks while a client may take nothing.
const LOOKS: u32 = 4;
/// Connections beyond the limit, so that health can be asked while all places are taken.
pub(super) const EXTRA: usize = 32;

/// Requests beyond the first of their connection, over all connections. Each holds its head, and its body or its answer.
const FURTHER: usize = 4_096;

/// The places of connections.
pub(super) struct ConnectionLimiter {
    most: usize,
    /// Running requests, without one of each connection.
    further: AtomicUsize,
    began: Instant,
    next: AtomicU64,
    open: Mutex<BTreeMap<u64, Arc<Open>>>,
}

struct Open {
    /// The network of the client.
    network: IpAddr,
    running: AtomicUsize,
    /// Milliseconds after the places were made.
    idle_since: AtomicU64,
    /// Parts of answers that clients have not taken yet.
    untaken: AtomicUsize,
    /// Milliseconds after the places were made: when a part was handed over or taken.
    progress: AtomicU64,
    /// How often the watch has looked since.
    looks: AtomicU32,
    close: Notify,
    abandon: Notify,
}

/// One connection's place, free again when dropped.
pub(super) struct ConnectionPermit {
    number: u64,
    open: Arc<Open>,
    places: Arc<ConnectionLimiter>,
}

/// A request on a connection, or whatever took the connection over: while one is held the connection is not idle.
/// Among the request's extensions, for what outlives the answer.
#[derive(Clone)]
pub(crate) struct InUse(Arc<Busy>);

struct Busy(Arc<ConnectionPermit>);

impl ConnectionLimiter {
    /// As many as configured, and never more than the process may open files for.
    pub(super) fn new(configured: Option<usize>) -> Self {
        let files = files();
        // A quarter is for the store, for calls to DynamoDB and for everything else.
        let fitting = files.saturating_sub(files / 4 + EXTRA).max(1);
        let most = configured.unwrap_or(USUAL).min(fitting);
        if configured.is_some_and(|configured| configured > most) {
            tracing::warn!(
                files,
                most,
                "the process may open too few files for --max-connections"
            );
        }
        Self {
            most,
            further: AtomicUsize::new(0),
            began: Instant::now(),
            next: AtomicU64::new(0),
            open: Mutex::default(),
        }
    }

    /// A place for a new connection of a client. If all are taken, the connection that has been idle for the longest time is
    /// closed for it. If none is idle, the newest one of the network with the most is closed; `None` if the client's network would
    /// have as many.
    pub(super) fn take(self: &Arc<Self>, client: IpAddr) -> Option<Arc<ConnectionPermit>> {
        let network = network(client);
        let mut all = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= self.most {
            let idle = all
                .iter()
                .filter(|(_, open)| open.running.load(SeqCst) == 0)
                .min_by_key(|(_, open)| open.idle_since.load(SeqCst));
            if let Some((&number, _)) = idle {
                all.remove(&number)?.close.notify_one();
            } else {
                let shares = Shares::of(all.values().map(|open| open.network));
                let most = shares.gives_way_to(&network)?;
                let mut newest = all.iter().rev();
                let (&number, _) = newest.find(|(_, open)| open.network == most)?;
                all.remove(&number)?.abandon.notify_one();
            }
        }
        let number = self.next.fetch_add(1, SeqCst);
        let open = Arc::new(Open {
            network,
            running: AtomicUsize::new(0),
            idle_since: AtomicU64::new(self.now()),
            untaken: AtomicUsize::new(0),
            progress: AtomicU64::new(0),
            looks: AtomicU32::new(0),
            close: Notify::new(),
            abandon: Notify::new(),
        });
        all.insert(number, Arc::clone(&open));
        Some(Arc::new(ConnectionPermit {
            number,
            open,
            places: Arc::clone(self),
        }))
    }

    /// Ends connections whose clients take nothing of an answer for `patience`, until it is dropped. Time in which
    /// the process itself stood still counts as one look: its clients could not take anything then.
    pub(super) async fn watch(&self, patience: Duration) {
        let mut looks = interval((patience / LOOKS).max(Duration::from_millis(1)));
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            self.abandon_stalled();
        }
    }

    fn abandon_stalled(&self) {
        let all = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // The first look may come right after the part.
        let stalled = all.values().filter(|open| {
            open.looks.fetch_add(1, SeqCst) > LOOKS && open.untaken.load(SeqCst) > 0
        });
        for open in stalled {
            open.abandon.notify_one();
        }
    }

    fn now(&self) -> u64 {
        milliseconds(self.began.elapsed())
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl ConnectionPermit {
    /// Ends when the connection is to close for another.
    pub(super) async fn closing(&self) {
        self.open.close.notified().await;
    }

    /// Ends when nothing more is to be sent on the connection.
    pub(super) async fn abandoned(&self) {
        self.open.abandon.notified().await;
    }

    pub(super) fn is_idle(&self) -> bool {
        self.open.running.load(SeqCst) == 0
    }

    /// Whether the connection may begin a request: its first, or one of those that all connections share.
    pub(super) fn has_room(&self) -> bool {
        self.is_idle() || self.places.further.load(SeqCst) < FURTHER
    }

    pub(super) fn in_use(self: &Arc<Self>) -> InUse {
        if self.open.running.fetch_add(1, SeqCst) > 0 {
            self.places.further.fetch_add(1, SeqCst);
        }
        InUse(Arc::new(Busy(Arc::clone(self))))
    }
}

impl InUse {
    /// Ends the connection, whatever it is sending.
    pub(crate) fn abandon(&self) {
        self.0.0.open.abandon.notify_one();
    }

    /// Ends when the connection is to end. Only one may wait for it.
    pub(crate) async fn abandoned(&self) {
        self.0.0.abandoned().await;
    }

    /// How long the connection's client has taken nothing.
    pub(crate) fn idle(&self) -> Duration {
        let ConnectionPermit { open, places, .. } = &*self.0.0;
        Duration::from_millis(places.now().saturating_sub(open.progress.load(SeqCst)))
    }

    /// Notes that a part of an answer is to be sent.
    pub(super) fn handed(&self) {
        self.progresses();
        self.0.0.open.untaken.fetch_add(1, SeqCst);
    }

    /// Notes that the client has taken a part of an answer, or never will.
    pub(super) fn taken(&self) {
        self.progresses();
        self.0.0.open.untaken.fetch_sub(1, SeqCst);
    }

    fn progresses(&self) {
        let ConnectionPermit { open, places, .. } = &*self.0.0;
        open.progress.store(places.now(), SeqCst);
        open.looks.store(0, SeqCst);
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let ConnectionPermit { open, places, .. } = &*self.0;
        open.idle_since.store(places.now(), SeqCst);
        if open.running.fetch_sub(1, SeqCst) > 1 {
            places.further.fetch_sub(1, SeqCst);
        }
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut all = self
            .places
            .open
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        all.remove(&self.number);
    }
}

/// The files that the process may open, after it asked for as many as it can get.
fn files() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    let current = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    };
    current.map_or(usize::MAX, |files| {
        usize::try_from(files).unwrap_or(usize::MAX)
    })
}
