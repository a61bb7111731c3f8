//! Places for answers that are not sent yet, and what an answer carries from where it is made until then. Knows no HTTP.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Answers that are compressed at the same time. Each takes a megabyte or more, however short it is; beyond these, answers
/// are sent as they are.
const MOST_COMPRESSED: usize = 32;
/// Answers of bytes of their own that wait for room at the same time, with these bytes.
const MOST_WAITING: usize = 64;

/// Places for answers that are not sent yet.
pub(super) struct Unsent {
    pub(super) compressed: Arc<Semaphore>,
    pub(super) waiting: Semaphore,
}

impl Default for Unsent {
    fn default() -> Self {
        Self {
            compressed: Arc::new(Semaphore::new(MOST_COMPRESSED)),
            waiting: Semaphore::new(MOST_WAITING),
        }
    }
}

/// Marks an answer whose bytes are there once for all who ask for them.
#[derive(Clone, Copy)]
pub(super) struct SharedBytes;

/// The place of an answer that is compressed.
#[derive(Clone)]
pub(super) struct Compressed {
    _place: Arc<OwnedSemaphorePermit>,
}

impl Compressed {
    pub(super) fn new(place: OwnedSemaphorePermit) -> Self {
        let place = Arc::new(place);
        Self { _place: place }
    }
}
