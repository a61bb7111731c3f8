//! The body of a request, which has to arrive in time, whoever reads it: [`LEAST`] bytes or its end in each period. Only time in
//! which it is read and does not arrive counts.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::BoxError;
use axum::body::{Body, Bytes};
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::sync::Notify;
use tokio::time::{Sleep, sleep};

/// Bytes of a body that arrive in each period.
const LEAST: usize = 32 * 1024;

/// A body that fails with [`BodyTimedOut`] if it does not arrive in time.
pub(super) struct TimedBody {
    body: Body,
    arrival: Arc<Arrival>,
    period: Duration,
    /// Ends with the period. None while nobody waits.
    over: Option<Pin<Box<Sleep>>>,
    /// Bytes that have arrived in the period.
    arrived: usize,
}

/// How a body arrives, for whoever does not read it.
#[derive(Debug, Default)]
pub(super) struct Arrival {
    /// Notified of each part, and whenever the body begins to be awaited.
    changed: Notify,
    is_awaited: AtomicBool,
    is_late: AtomicBool,
}

/// A body did not arrive in time.
#[derive(Debug, thiserror::Error)]
#[error("the body did not arrive in time")]
struct BodyTimedOut;

impl Arrival {
    /// Ends when something has changed.
    pub(super) async fn progress(&self) {
        self.changed.notified().await;
    }

    /// Whether a part is awaited.
    pub(super) fn is_awaited(&self) -> bool {
        self.is_awaited.load(SeqCst)
    }

    /// Whether the body did not arrive in time.
    pub(super) fn is_late(&self) -> bool {
        self.is_late.load(SeqCst)
    }

    fn note(&self, is_awaited: bool) {
        if self.is_awaited.swap(is_awaited, SeqCst) != is_awaited || !is_awaited {
            self.changed.notify_one();
        }
    }
}

impl TimedBody {
    pub(super) fn new(body: Body, period: Duration, arrival: Arc<Arrival>) -> Self {
        Self {
            body,
            arrival,
            period,
            over: None,
            arrived: 0,
        }
    }
}

impl HttpBody for TimedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) {
            this.arrival.note(false);
            let length = match &frame {
                Some(Ok(frame)) => frame.data_ref().map_or(0, Bytes::len),
                _ => LEAST,
            };
            this.arrived += length;
            // If the period ended while nobody read, the client is not to blame.
            let is_over = this.over.as_ref().is_some_and(|over| over.is_elapsed());
            if this.arrived >= LEAST || is_over {
                this.over = None;
                this.arrived = 0;
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        this.arrival.note(true);
        let period = this.period;
        let over = this.over.get_or_insert_with(|| Box::pin(sleep(period)));
        ready!(over.as_mut().poll(context));
        this.arrival.is_late.store(true, SeqCst);
        this.arrival.note(false);
        Poll::Ready(Some(Err(BodyTimedOut.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
