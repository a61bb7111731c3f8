//! What DynamoDB was asked for: calls and capacity, counted where they happen.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use aws_sdk_dynamodb::types::ConsumedCapacity;
use tracing::field::Empty;
use tracing::instrument::Instrumented;
use tracing::{Instrument, Span};

/// Counts the DynamoDB calls made on someone's behalf. Clones count into the same meter.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    calls: AtomicU64,
    reads: AtomicU64,
    writes: AtomicU64,
    retries: AtomicU64,
    conflicts: AtomicU64,
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

impl Meter {
    /// What has been counted so far.
    pub fn spent(&self) -> Spent {
        let c = &*self.0;
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
        self.0.calls.fetch_add(1, Relaxed);
        match kind {
            CallKind::Read => self.0.reads.fetch_add(1, Relaxed),
            CallKind::Write => self.0.writes.fetch_add(1, Relaxed),
        };
    }

    /// Counts that the call to come repeats another.
    pub(super) fn retry(&self) {
        self.0.retries.fetch_add(1, Relaxed);
    }

    /// Counts a write that was refused for what someone else wrote.
    pub(super) fn conflict(&self) {
        self.0.conflicts.fetch_add(1, Relaxed);
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
            CallKind::Read => self.0.read_milli_units.fetch_add(milli_units, Relaxed),
            CallKind::Write => self.0.write_milli_units.fetch_add(milli_units, Relaxed),
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
