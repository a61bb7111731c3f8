//! One answer on its way to its client: how fast it is taken, and giving it up. Knows no HTTP.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::connections::InUse;
use super::overload::RateLimitKey;

/// A client that takes nothing for so long does not read.
const STALLED: Duration = Duration::from_secs(1);

/// An answer that is sent.
pub(super) struct SentResponse {
    pub(super) owner: RateLimitKey,
    pub(super) size: usize,
    pub(super) began: Instant,
    pub(super) taken: AtomicUsize,
    pub(super) connection: Option<InUse>,
    pub(super) is_given_up: AtomicBool,
}

impl SentResponse {
    /// How long the client has taken nothing, if that is at least [`STALLED`].
    pub(super) fn stalled(&self) -> Option<Duration> {
        let age = self.began.elapsed();
        let connection = self.connection.as_ref();
        let idle = connection.map_or(age, |connection| connection.idle().min(age));
        (idle >= STALLED).then_some(idle)
    }

    /// Bytes a second that the client has taken.
    pub(super) fn speed(&self) -> u128 {
        let milliseconds = self.began.elapsed().as_millis().max(1);
        self.taken.load(Relaxed) as u128 * 1000 / milliseconds
    }

    pub(super) fn give_up(&self) {
        self.is_given_up.store(true, Relaxed);
        if let Some(connection) = &self.connection {
            tracing::info!(
                bytes = self.size,
                "a connection is closed: its client reads too slowly"
            );
            connection.abandon();
        }
    }
}
