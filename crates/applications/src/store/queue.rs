//! The writes of one process that wait for the counters.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedMutexGuard, oneshot};

use crate::error::ChangeError;
use crate::model::{ApplicationId, HistoryEntry};
use trestle_table::{Meter, Reason};

use super::current::Current;

/// The writes of one process that wait for their turn. There are never more than requests in progress.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: Mutex<VecDeque<Waiting>>,
    turn: Arc<tokio::sync::Mutex<()>>,
}

/// A write of two items, the application and its history entry.
#[derive(Debug)]
pub(super) struct Write {
    /// What is changed; `None` for a new application.
    pub(super) current: Option<Current>,
    /// The entry that the write adds, with the application after it.
    pub(super) entry: HistoryEntry,
}

/// The result of one write.
#[derive(Clone, Debug)]
pub(super) enum Written {
    Committed,
    Refused(Refusal),
}

/// Why the transaction of a write was cancelled, as far as it concerns the write.
#[derive(Clone, Debug, Default)]
pub(super) struct Refusal {
    pub(super) application: Option<Reason>,
    pub(super) entry: Option<Reason>,
    /// Stages and counters.
    pub(super) others: Vec<Reason>,
}

impl Refusal {
    /// Of the reasons of a transaction whose first items are the application and its entry.
    pub(super) fn of(reasons: Vec<Option<Reason>>) -> Self {
        let mut reasons = reasons.into_iter();
        Self {
            application: reasons.next().flatten(),
            entry: reasons.next().flatten(),
            others: reasons.flatten().collect(),
        }
    }

    /// The reasons of the application and its entry.
    pub(super) fn own(&self) -> impl Iterator<Item = &Reason> {
        self.application.iter().chain(&self.entry)
    }

    /// All reasons.
    pub(super) fn into_reasons(self) -> Vec<Option<Reason>> {
        let others = self.others.into_iter().map(Some);
        [self.application, self.entry]
            .into_iter()
            .chain(others)
            .collect()
    }
}

/// A write whose caller waits for its result.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) write: Write,
    /// The caller's, for a write of several callers whose answer is lost.
    pub(super) meter: Meter,
    caller: oneshot::Sender<Answer>,
}

/// A write given back with its result.
pub(super) type Answer = (Write, Result<Written, ChangeError>);

impl Write {
    fn id(&self) -> &ApplicationId {
        &self.entry.snapshot.application.id
    }
}

impl Waiting {
    /// Gives the caller the result.
    pub(super) fn answer(self, outcome: Result<Written, ChangeError>) {
        // A caller that is gone needs no result.
        self.caller.send((self.write, outcome)).ok();
    }
}

impl Queue {
    /// Adds a write; its result comes through the receiver.
    pub(super) fn add(&self, write: Write, meter: Meter) -> oneshot::Receiver<Answer> {
        let (caller, answer) = oneshot::channel();
        self.waiting().push_back(Waiting {
            write,
            meter,
            caller,
        });
        answer
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The turn of one transaction with counters.
    pub(super) async fn turn(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.turn).lock_owned().await
    }

    /// The next writes, at most so many, in the order in which they came, and at most one of each application. Those
    /// whose callers are gone are left out.
    pub(super) fn next(&self, most: usize) -> Vec<Waiting> {
        let mut waiting = self.waiting();
        let mut seen = HashSet::new();
        let (mut next, mut later) = (Vec::new(), VecDeque::new());
        for one in waiting.drain(..).filter(|one| !one.caller.is_closed()) {
            if next.len() < most && seen.insert(one.write.id().clone()) {
                next.push(one)
            } else {
                later.push_back(one)
            }
        }
        *waiting = later;
        next
    }
}
