//! What DynamoDB was asked for: calls and capacity, counted where they happen.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use aws_sdk_dynamodb::types::ConsumedCapacity;
use tracing::field::Empty;
use tracing::instrument::Instrumented;
use tracing::{Instrument, Span};

use super::Item;
use super::size::bytes_of;

/// Counts the DynamoDB calls made on someone's behalf. Clones count into the same meter.
#[derive(Clone, Default)]
pub struct Meter {
    counters: Arc<Counters>,
    budget: Option<Arc<dyn ReadBudget>>,
}

/// Bounds the memory of what is read. Calls wait before they are sent, when they hold nothing yet.
pub trait ReadBudget: Send + Sync {
    /// Waits until a call whose answer has at most so many bytes may be sent. Answers what is reserved for it.
    fn reserve(&self, most: usize) -> Pin<Box<dyn Future<Output = usize> + Send + '_>>;

    /// Takes the place of what was reserved for a call: its answer has so many bytes.
    fn settle(&self, reserved: usize, bytes: usize);
}

/// What is reserved for the answer of a call. A call that fails holds nothing.
pub(super) struct Reserved<'a> {
    budget: Option<&'a dyn ReadBudget>,
    bytes: usize,
}

impl Reserved<'_> {
    /// The call has answered these items.
    pub(super) fn settle<'i>(mut self, items: impl IntoIterator<Item = &'i Item>) {
        if let Some(budget) = self.budget.take() {
            budget.settle(self.bytes, items.into_iter().map(bytes_of).sum());
        }
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        if let Some(budget) = self.budget {
            budget.settle(self.bytes, 0);
        }
    }
}

/// The most bytes of an item.
pub(super) const MOST_ITEM: usize = 400 * 1024;
/// The most bytes of a Query's answer.
pub(super) const MOST_PAGE: usize = 1024 * 1024;
/// The most bytes of a BatchGetItem's answer.
pub(super) const MOST_BATCH: usize = 16 * 1024 * 1024;

#[derive(Debug, Default)]
struct Counters {
    calls: AtomicU64,
    reads: AtomicU64,
    writes: AtomicU64,
    retries: AtomicU64,
    conflicts: AtomicU64,
    applied: AtomicU64,
    unconfirmed: AtomicU64,
    /// Capacity is counted in thousandths: DynamoDB charges half units, its stand-ins other fractions.
    read_milli_units: AtomicU64,
    write_milli_units: AtomicU64,
}

/// A meter's reading.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Requests to DynamoDB: `reads + writes`.
    pub calls: u64,
    /// Requests that only read.
    pub reads: u64,
    /// Requests that write.
    pub writes: u64,
    /// Of the calls: those that repeated one which was throttled, lost a race or was only partly done.
    pub retries: u64,
    /// Of the writes: those that a condition or another transaction refused.
    pub conflicts: u64,
    /// Read request units: one is 4 KB strongly consistent, 8 KB eventually.
    pub read_units: f64,
    /// Write request units: one is 1 KB, in a transaction 512 bytes.
    pub write_units: f64,
}

/// Whether a call reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// GetItem, BatchGetItem, Query.
    Read,
    /// PutItem, DeleteItem, BatchWriteItem, TransactWriteItems.
    Write,
}

impl std::fmt::Debug for Meter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Meter").field(&self.counters).finish()
    }
}

impl Meter {
    /// The same meter, whose calls that read wait for this budget.
    pub fn within(&self, budget: Arc<dyn ReadBudget>) -> Self {
        Self {
            counters: Arc::clone(&self.counters),
            budget: Some(budget),
        }
    }

    /// Waits until a call that answers at most so many bytes may be sent.
    pub(super) async fn reserve(&self, most: usize) -> Reserved<'_> {
        let budget = self.budget.as_deref();
        let bytes = match budget {
            Some(budget) => budget.reserve(most).await,
            None => 0,
        };
        Reserved { budget, bytes }
    }

    /// What has been counted so far.
    pub fn spent(&self) -> Spent {
        let c = &*self.counters;
        Spent {
            calls: c.calls.load(Relaxed),
            reads: c.reads.load(Relaxed),
            writes: c.writes.load(Relaxed),
            retries: c.retries.load(Relaxed),
            conflicts: c.conflicts.load(Relaxed),
            read_units: c.read_milli_units.load(Relaxed) as f64 / 1000.0,
            write_units: c.write_milli_units.load(Relaxed) as f64 / 1000.0,
        }
    }

    /// Counts one request, before it is sent.
    pub(super) fn call(&self, kind: CallKind) {
        self.counters.calls.fetch_add(1, Relaxed);
        match kind {
            CallKind::Read => self.counters.reads.fetch_add(1, Relaxed),
            CallKind::Write => self.counters.writes.fetch_add(1, Relaxed),
        };
    }

    /// Counts that the call to come repeats another.
    pub(super) fn retry(&self) {
        self.counters.retries.fetch_add(1, Relaxed);
    }

    /// Counts a write that was refused for what someone else wrote.
    pub(super) fn conflict(&self) {
        self.counters.conflicts.fetch_add(1, Relaxed);
    }

    /// Counts a write that failed or was refused, though a try of it may have been applied.
    pub fn unconfirmed_write(&self) {
        self.counters.unconfirmed.fetch_add(1, Relaxed);
    }

    /// How many writes failed or were refused though a try of them may have been applied. Later calls may have found out.
    pub fn unconfirmed_writes(&self) -> u64 {
        self.counters.unconfirmed.load(Relaxed)
    }

    /// Counts a write that was applied.
    pub(super) fn applied_write(&self) {
        self.counters.applied.fetch_add(1, Relaxed);
    }

    /// How many writes were applied.
    pub fn applied_writes(&self) -> u64 {
        self.counters.applied.load(Relaxed)
    }

    /// Adds what an answer says it consumed.
    pub(super) fn consumed<'a>(
        &self,
        kind: CallKind,
        capacity: impl IntoIterator<Item = &'a ConsumedCapacity>,
        span: &Span,
    ) {
        let units: f64 = capacity.into_iter().filter_map(|c| c.capacity_units).sum();
        span.record("consumed_capacity", units);
        let milli_units = (units * 1000.0).round() as u64;
        match kind {
            CallKind::Read => self
                .counters
                .read_milli_units
                .fetch_add(milli_units, Relaxed),
            CallKind::Write => self
                .counters
                .write_milli_units
                .fetch_add(milli_units, Relaxed),
        };
    }
}

/// The span of one request to DynamoDB. No key and no value goes into it.
pub(super) fn call_span(operation: &'static str, table: &str) -> Span {
    tracing::info_span!("dynamodb", operation, table, consumed_capacity = Empty)
}

/// A request to DynamoDB on its way, in its span. On the heap: the SDK's futures are large, and whatever
/// waits for one, up to the resolver of every field beside it, would carry and move as many bytes.
pub(super) fn sending<F: Future>(request: F, span: &Span) -> Instrumented<Pin<Box<F>>> {
    Box::pin(request).instrument(span.clone())
}
