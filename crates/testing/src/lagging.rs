//! Indexes that are behind the table, as those of DynamoDB are: what was added is not there yet, what was changed is as it was, and
//! what was deleted is still there.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use tokio::sync::Mutex;
use tokio::time::Instant;
use trestle_dynamodb::Embedded;

use crate::faults::WRITES;
use crate::requests;

/// The operations that change tables themselves.
const OF_TABLES: [&str; 4] = [
    "CreateTable",
    "UpdateTable",
    "DeleteTable",
    "UpdateTimeToLive",
];

/// A store whose indexes are behind. A copy of the store, which does every write later, answers what is asked of indexes. All
/// writes have to go through this.
#[derive(Clone)]
pub struct Lagging(Arc<Indexes>);

struct Indexes {
    store: SharedHttpConnector,
    copy: SharedHttpConnector,
    /// Whoever holds it writes.
    pending: Mutex<Pending>,
    behind: AtomicU64,
}

struct Pending {
    lag: Duration,
    /// What the copy has not done yet.
    writes: VecDeque<Write>,
}

struct Write {
    at: Instant,
    request: HttpRequest,
}

impl Lagging {
    /// A store that is empty, and indexes that are so far behind it.
    pub fn on(store: SharedHttpConnector, lag: Duration) -> Self {
        let copy = Embedded::memory().expect("a store in memory");
        Self(Arc::new(Indexes {
            store,
            copy: SharedHttpConnector::new(copy),
            pending: Mutex::new(Pending {
                lag,
                writes: VecDeque::new(),
            }),
            behind: AtomicU64::new(0),
        }))
    }

    /// What no index has yet, and what is written from now on, comes so much later.
    pub async fn set(&self, lag: Duration) {
        let mut pending = self.0.pending.lock().await;
        pending.lag = lag;
        for write in &mut pending.writes {
            write.at = Instant::now();
        }
    }

    /// How many answers of indexes lacked a write.
    pub fn behind(&self) -> u64 {
        self.0.behind.load(Relaxed)
    }
}

impl Indexes {
    async fn answer(&self, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let operation = requests::operation(&request);
        if requests::body(&request).get("IndexName").is_some() {
            let mut pending = self.pending.lock().await;
            self.copy_due(&mut pending).await?;
            self.behind
                .fetch_add(u64::from(!pending.writes.is_empty()), Relaxed);
            drop(pending);
            return self.copy.call(request).await;
        }
        let is_of_tables = OF_TABLES.contains(&operation.as_str());
        if !is_of_tables && !WRITES.contains(&operation.as_str()) {
            return self.store.call(request).await;
        }
        let mut pending = self.pending.lock().await;
        let copied = request.try_clone().expect("the body is in memory");
        let answer = self.store.call(request).await?;
        if answer.status().is_success() && is_of_tables {
            self.copy(copied).await?;
        } else if answer.status().is_success() {
            pending.writes.push_back(Write {
                at: Instant::now(),
                request: copied,
            });
        }
        self.copy_due(&mut pending).await?;
        Ok(answer)
    }

    /// Does the writes that an index has by now.
    async fn copy_due(&self, pending: &mut Pending) -> Result<(), ConnectorError> {
        let lag = pending.lag;
        while let Some(write) = pending
            .writes
            .pop_front_if(|write| write.at.elapsed() >= lag)
        {
            self.copy(write.request).await?;
        }
        Ok(())
    }

    async fn copy(&self, request: HttpRequest) -> Result<(), ConnectorError> {
        let done = self.copy.call(request).await?;
        assert!(
            done.status().is_success(),
            "the copy refuses what the store did: {done:?}"
        );
        Ok(())
    }
}

impl fmt::Debug for Lagging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lagging")
    }
}

impl HttpConnector for Lagging {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let indexes = Arc::clone(&self.0);
        requests::to_the_end(async move { indexes.answer(request).await })
    }
}
