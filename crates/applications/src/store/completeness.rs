//! Whether the counters count every application. Another program may write applications and no counters, so
//! they are trusted only if the table was empty when the first of them was written, or after a recount.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::try_join_all;
use tokio::time::sleep;

use crate::error::StoreError;
use crate::keys::{Partition, Scope};
use trestle_table::Projection;

use super::Applications;
use super::queue::Queue;

/// What the writes of one process share about the counters of each scope.
#[derive(Clone, Debug, Default)]
pub struct Counters(Arc<Mutex<HashMap<Scope, ScopeCounters>>>);

/// What the writes of one process share about the counters of one scope.
#[derive(Clone, Debug, Default)]
pub struct ScopeCounters(Arc<Shared>);

/// Of how many scopes something is kept. Scopes without a write in progress are forgotten beyond that: the next write
/// learns again what was known.
const KEPT: usize = 10_000;

#[derive(Debug, Default)]
struct Shared {
    /// Whether the Meta item is known to exist, or other programs write the table without it.
    is_settled: AtomicBool,
    queue: Queue,
}

/// What a write that adds applications does to the Meta item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Beginning {
    /// It adds to the counters.
    #[default]
    Later,
    /// It adds to the counters, if the Meta item exists.
    Unknown,
    /// The table is empty: it creates the Meta item and marks it complete.
    First,
}

impl Counters {
    /// The counters of one scope.
    pub fn of(&self, scope: &Scope) -> ScopeCounters {
        let mut scopes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if scopes.len() >= KEPT && !scopes.contains_key(scope) {
            scopes.retain(|_, counters| Arc::strong_count(&counters.0) > 1);
        }
        scopes.entry(scope.clone()).or_default().clone()
    }
}

impl ScopeCounters {
    /// What the next write does, as far as this process knows.
    pub(super) fn beginning(&self) -> Beginning {
        if self.0.is_settled.load(Relaxed) {
            Beginning::Later
        } else {
            Beginning::Unknown
        }
    }

    /// The Meta item exists, or never becomes complete by itself.
    pub(super) fn settle(&self) {
        self.0.is_settled.store(true, Relaxed);
    }

    /// The writes that wait for the counters.
    pub(super) fn queue(&self) -> &Queue {
        &self.0.queue
    }
}

impl Applications {
    /// What the next write does after one that found no Meta item. One Query for each partition of the indexes, once more
    /// after their lag if they have nothing, and a PutItem that registers an owner whose applications another program wrote.
    pub(super) async fn begin(&self) -> Result<Beginning, StoreError> {
        if self.is_surely_empty().await? {
            return Ok(Beginning::First);
        }
        self.register().await?;
        self.counters.settle();
        Ok(Beginning::Later)
    }

    /// Whether no application is stored, also none that the indexes do not have yet.
    pub(super) async fn is_surely_empty(&self) -> Result<bool, StoreError> {
        if !self.is_empty().await? {
            return Ok(false);
        }
        let lag = self.table.index_lag();
        if lag.is_zero() {
            return Ok(true);
        }
        sleep(lag).await;
        self.is_empty().await
    }

    /// Whether the indexes have no application. One Query for each partition of the indexes.
    pub(super) async fn is_empty(&self) -> Result<bool, StoreError> {
        let first = Partition::all().map(|partition| async move {
            let query = self
                .table
                .query_index(partition.index(), self.scope.listed(partition));
            let query = query.limit(1).project(Projection::Only(vec!["PK"]));
            query.page(&self.meter).await
        });
        let pages = try_join_all(first).await?;
        Ok(pages.iter().all(|page| page.items.is_empty()))
    }
}
