//! One answer while it is made: what is read for it, and how large it grows. It waits when there is no room for more.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock, Weak};

use futures_util::future::BoxFuture;
use trestle_api::AnswerBudget;
use trestle_table::ReadBudget;

use super::connections::InUse;
use super::overload::{RateLimitKey, RequestPermit};
use super::response_budget::{FREE, PART, ResponseBudget, ResponsePermit, SMALL};

/// A call reserves this part of the most that it can answer, or what the fields suggest, if that is more. What fields
/// suggest is too little for long texts, and to reserve the most would let few calls run at a time where items are small.
const UNLIKELY: usize = 2;

/// An answer that is being made. Clones are of the same answer.
#[derive(Clone)]
pub(super) struct PendingResponse(Arc<Inner>);

struct Inner {
    budget: Arc<ResponseBudget>,
    number: u64,
    /// Bytes that the answer is expected to have, by its fields.
    expected: usize,
    /// The place among the running requests, which it leaves while it waits.
    place: OnceLock<Weak<RequestPermit>>,
    /// How many of its calls wait.
    waiting: AtomicUsize,
}

impl PendingResponse {
    /// Begins an answer of an estimated size for someone.
    pub(super) fn begin(budget: &Arc<ResponseBudget>, owner: RateLimitKey, estimated: u64) -> Self {
        let estimated = usize::try_from(estimated).unwrap_or(usize::MAX);
        Self(Arc::new(Inner {
            number: budget.begin(owner),
            expected: estimated.clamp(PART, budget.most_answer().max(PART)),
            budget: Arc::clone(budget),
            place: OnceLock::new(),
            waiting: AtomicUsize::new(0),
        }))
    }

    /// Leaves this place to other requests while it waits.
    pub(super) fn leaves(&self, place: &Arc<RequestPermit>) {
        // Nobody sets it twice.
        let _ = self.0.place.set(Arc::downgrade(place));
    }

    /// What calls that read wait for.
    pub(super) fn reads(&self) -> Arc<dyn ReadBudget> {
        Arc::clone(&self.0) as _
    }

    /// What the answer's fields wait for.
    pub(super) fn fields(&self) -> Arc<dyn AnswerBudget> {
        Arc::clone(&self.0) as _
    }

    /// Whether it waits for room.
    pub(super) fn is_waiting(&self) -> bool {
        self.0.waiting.load(Relaxed) > 0
    }

    /// Waits for room for the bytes of the answer, of which nothing else is held any more. `None` if it needs none.
    pub(super) async fn send(
        self,
        bytes: usize,
        connection: Option<InUse>,
    ) -> Option<Arc<ResponsePermit>> {
        let Inner { budget, number, .. } = &*self.0;
        let lacking = bytes.saturating_sub(budget.made(*number));
        if lacking > 0 {
            self.0.grow(lacking, FREE).await;
        }
        budget.send(*number, bytes, PART, connection)
    }

    /// Waits for room for all bytes of an answer for which nothing was read. No number of running requests bounds those.
    pub(super) async fn send_all(
        self,
        bytes: usize,
        connection: Option<InUse>,
    ) -> Option<Arc<ResponsePermit>> {
        self.0.grow(bytes, SMALL).await;
        self.0.budget.send(self.0.number, bytes, SMALL, connection)
    }
}

impl Inner {
    async fn grow(&self, bytes: usize, free: usize) {
        let Err((ticket, admitted)) = self.budget.grow(self.number, bytes, free) else {
            return;
        };
        self.waiting.fetch_add(1, Relaxed);
        let place = self.place.get().and_then(Weak::upgrade);
        if let Some(place) = &place {
            place.leave();
        }
        self.budget.wait(ticket, admitted).await;
        if let Some(place) = &place {
            place.come_back().await;
        }
        self.waiting.fetch_sub(1, Relaxed);
    }
}

impl ReadBudget for Inner {
    fn reserve(&self, most: usize) -> Pin<Box<dyn Future<Output = usize> + Send + '_>> {
        let bytes = most.min(self.expected.max(most / UNLIKELY));
        Box::pin(async move {
            self.grow(bytes, FREE).await;
            bytes
        })
    }

    fn settle(&self, reserved: usize, bytes: usize) {
        self.budget.shrink(self.number, reserved, bytes);
    }
}

impl AnswerBudget for Inner {
    fn grown(&self, bytes: usize) -> Option<BoxFuture<'_, ()>> {
        let lacking = bytes.saturating_sub(self.budget.made(self.number));
        (lacking > 0).then(|| Box::pin(self.grow(lacking, FREE)) as _)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.budget.drop_making(self.number);
    }
}
