//! Checks that need the processor and nothing else. They run beside the threads that answer requests, so that health
//! answers and the process stops while many run, and at most as many at a time as there are processors.

use std::future::pending;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::documents::{Checked, Documents, Lookup};

/// Bytes that are read sooner than another thread would begin.
const SHORT: usize = 16 * 1024;

/// Places for checks.
#[derive(Clone)]
pub(super) struct Checks(Arc<Semaphore>);

impl Checks {
    pub(super) fn new() -> Self {
        let places = available_parallelism().map_or(1, usize::from);
        Self(Arc::new(Semaphore::new(places)))
    }

    /// The document with this text. One that is not remembered waits for a place.
    pub(super) async fn document(
        &self,
        documents: &Arc<Documents>,
        text: &Arc<str>,
    ) -> (Arc<Checked>, Lookup) {
        if let Some(known) = documents.known(text) {
            return (known, Lookup::Hit);
        }
        let (documents, text) = (Arc::clone(documents), Arc::clone(text));
        let checked = self.run(move || documents.check(&text)).await;
        (checked, Lookup::Miss)
    }

    /// Reads what has so many bytes: here if it is short, and else as other work.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        bytes: usize,
        read: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        if bytes <= SHORT {
            read()
        } else {
            self.run(read).await
        }
    }

    /// Runs work of a bounded time. It keeps its place until it ends, also if nobody waits for it any more.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        // It is never closed, so there is always a place in the end.
        let place = Arc::clone(&self.0).acquire_owned().await;
        let worked = spawn_blocking(move || {
            let _place = place;
            work()
        });
        let ended = match worked.await {
            Ok(value) => return value,
            Err(ended) => ended,
        };
        match ended.try_into_panic() {
            // Whoever asked handles it, as if it had worked itself.
            Ok(panic) => resume_unwind(panic),
            // The process ends, and nobody is answered any more.
            Err(_cancelled) => pending().await,
        }
    }
}
