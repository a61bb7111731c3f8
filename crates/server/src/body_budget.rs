//! Room for the bodies of requests while they arrive, and for the parameters that were read from them.
//!
//! They have no place among the running requests: a client that sends slowly would hold one. Small bodies need no
//! room, so that slow large ones never keep them waiting; the number of connections bounds them. Among those that wait,
//! the address that has the least goes first, then shorter bodies.

use std::collections::{BTreeMap, HashMap};
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

#[derive(Debug, Default)]
struct All {
    taken: usize,
    held: HashMap<From, usize>,
    next: u64,
    waiting: BTreeMap<u64, Waiting>,
}

#[derive(Debug)]
struct Waiting {
    from: From,
    bytes: usize,
    admit: oneshot::Sender<()>,
}

/// Room for one body, free again when dropped.
#[derive(Debug)]
pub(super) struct BodyPermit {
    budget: Arc<BodyBudget>,
    from: From,
    bytes: usize,
    /// Its number in the line, while it waits.
    ticket: u64,
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
        let ticket = {
            let mut all = self.all();
            all.next += 1;
            let ticket = all.next;
            all.waiting.insert(ticket, Waiting { from, bytes, admit });
            all.admit(self.most);
            ticket
        };
        let room = BodyPermit {
            budget: Arc::clone(self),
            from,
            bytes,
            ticket,
        };
        // Its sender is in the line until there is room.
        admitted.await.ok()?;
        Some(room)
    }

    /// Whether bodies wait for room.
    pub(super) fn is_crowded(&self) -> bool {
        !self.all().waiting.is_empty()
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl All {
    /// Lets those who wait take the room that there is.
    fn admit(&mut self, most: usize) {
        while let Some((ticket, bytes)) = self.first() {
            if self.taken + bytes > most {
                return;
            }
            let Some(waiting) = self.waiting.remove(&ticket) else {
                return;
            };
            self.taken += bytes;
            *self.held.entry(waiting.from).or_default() += bytes;
            // Whoever has gone gives it back when its room is dropped.
            let _ = waiting.admit.send(());
        }
    }

    fn release(&mut self, from: From, bytes: usize) {
        self.taken -= bytes;
        if let Some(held) = self.held.get_mut(&from) {
            *held = held.saturating_sub(bytes);
            if *held == 0 {
                self.held.remove(&from);
            }
        }
    }

    fn first(&self) -> Option<(u64, usize)> {
        let order = |(ticket, waiting): &(&u64, &Waiting)| {
            let held = self.held.get(&waiting.from).copied().unwrap_or(0);
            (held, waiting.bytes > SHORT, **ticket)
        };
        let first = self.waiting.iter().min_by_key(order);
        first.map(|(ticket, waiting)| (*ticket, waiting.bytes))
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
        if all.waiting.remove(&self.ticket).is_none() {
            all.release(self.from, self.bytes);
        }
        all.admit(self.budget.most);
    }
}
