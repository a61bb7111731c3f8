//! Room for the bodies of requests while they arrive, and for the parameters that were read from them.
//!
//! They have no place among the running requests: a client that sends slowly would hold one. Small bodies need no
//! room, so that slow large ones never keep them waiting; the number of connections bounds them. Among those that wait,
//! the address that has the least goes first, then shorter bodies.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::config::ServerArgs;

/// Bytes of a body that needs no room.
const SMALL: usize = 16 * 1024;
/// Bytes of a body that others of its address let go first.
const SHORT: usize = 64 * 1024;

/// Room for the bodies of requests.
#[derive(Debug)]
pub(super) struct BodyBudget {
    most: usize,
    all: Mutex<All>,
}

/// Where a body comes from, as far as it is known.
type From = Option<IpAddr>;
/// A place in the line of one address: shorter bodies first, then earlier ones.
type Place = (bool, u64);

#[derive(Debug, Default)]
struct All {
    taken: usize,
    next: u64,
    addresses: HashMap<From, Address>,
    /// The first waiting body of each address, ordered by the bytes that the address holds.
    first: BTreeSet<(usize, Place, From)>,
}

/// What bodies of one address have and wait for.
#[derive(Debug, Default)]
struct Address {
    held: usize,
    waiting: BTreeMap<Place, Waiting>,
}

#[derive(Debug)]
struct Waiting {
    bytes: usize,
    admit: oneshot::Sender<()>,
}

/// Room for one body, free again when dropped.
#[derive(Debug)]
pub(super) struct BodyPermit {
    budget: Arc<BodyBudget>,
    from: From,
    bytes: usize,
    /// Its place in the line, while it waits.
    place: Place,
}

impl BodyBudget {
    /// Room as configured.
    pub(super) fn new(args: &ServerArgs) -> Self {
        Self {
            most: args.max_arriving_bytes.max(args.max_body_bytes),
            all: Mutex::default(),
        }
    }

    /// Waits for room for a body of so many bytes; `None` if it needs none.
    pub(super) async fn room(self: &Arc<Self>, from: From, bytes: usize) -> Option<BodyPermit> {
        if bytes <= SMALL {
            return None;
        }
        let bytes = bytes.min(self.most);
        let (admit, admitted) = oneshot::channel();
        let place = {
            let mut all = self.all();
            all.next += 1;
            let place = (bytes > SHORT, all.next);
            all.change(from, |address| {
                address.waiting.insert(place, Waiting { bytes, admit });
            });
            all.admit(self.most);
            place
        };
        let room = BodyPermit {
            budget: Arc::clone(self),
            from,
            bytes,
            place,
        };
        // Its sender is in the line until there is room.
        admitted.await.ok()?;
        Some(room)
    }

    /// Whether bodies wait for room.
    pub(super) fn is_crowded(&self) -> bool {
        !self.all().first.is_empty()
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl All {
    /// Changes what an address has or waits for.
    fn change<T>(&mut self, from: From, change: impl FnOnce(&mut Address) -> T) -> T {
        let address = self.addresses.entry(from).or_default();
        if let Some(first) = address.first(from) {
            self.first.remove(&first);
        }
        let changed = change(address);
        match address.first(from) {
            Some(first) => {
                self.first.insert(first);
            }
            None if address.held == 0 => {
                self.addresses.remove(&from);
            }
            None => {}
        }
        changed
    }

    /// Lets those who wait take the room that there is.
    fn admit(&mut self, most: usize) {
        while let Some((_, place, from)) = self.first.first().copied() {
            let room = most.saturating_sub(self.taken);
            let admitted = self.change(from, |address| address.admit(place, room));
            let Some(bytes) = admitted else {
                return;
            };
            self.taken += bytes;
        }
    }

    fn release(&mut self, from: From, bytes: usize) {
        self.taken -= bytes;
        self.change(from, |address| address.held -= bytes);
    }
}

impl Address {
    fn first(&self, from: From) -> Option<(usize, Place, From)> {
        let (place, _) = self.waiting.first_key_value()?;
        Some((self.held, *place, from))
    }

    /// Admits a waiting body if it fits into `room`. Returns its bytes.
    fn admit(&mut self, place: Place, room: usize) -> Option<usize> {
        let waiting = self.waiting.remove(&place)?;
        if waiting.bytes > room {
            self.waiting.insert(place, waiting);
            return None;
        }
        self.held += waiting.bytes;
        // Whoever has gone gives it back when its room is dropped.
        let _ = waiting.admit.send(());
        Some(waiting.bytes)
    }
}

impl BodyPermit {
    /// Gives back what a body of so many bytes does not need; `None` if it needs no room.
    pub(super) fn shrunk(mut self, bytes: usize) -> Option<Self> {
        if bytes <= SMALL {
            return None;
        }
        let excess = self.bytes.saturating_sub(bytes);
        self.bytes -= excess;
        let mut all = self.budget.all();
        all.release(self.from, excess);
        all.admit(self.budget.most);
        drop(all);
        Some(self)
    }
}

impl Drop for BodyPermit {
    fn drop(&mut self) {
        let mut all = self.budget.all();
        let waited = all.change(self.from, |address| address.waiting.remove(&self.place));
        if waited.is_none() {
            all.release(self.from, self.bytes);
        }
        all.admit(self.budget.most);
    }
}
