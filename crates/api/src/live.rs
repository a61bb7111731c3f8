//! Events for subscriptions, announced to every watcher in this process after the commit.

use std::sync::Arc;

use futures_util::stream::{BoxStream, Stream, StreamExt as _, unfold};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::{ApiError, Code};

/// Events that wait for a slow watcher. Each is kept once for all watchers.
const KEPT: usize = 256;

/// Events were missed: the watcher was slower than the writers, or the source of events was interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lagged;

impl From<Lagged> for ApiError {
    fn from(Lagged: Lagged) -> Self {
        let message = "Changes were missed. Read the current state, then subscribe again.";
        ApiError::new(Code::ServiceUnavailable, message)
            .retry_after(std::time::Duration::from_secs(1))
    }
}

/// A place where events are announced and watched. Clones share it. The events of one service go through one
/// `EventBus`; each watcher filters them.
#[derive(Debug)]
pub struct EventBus<T>(broadcast::Sender<Message<T>>);

#[derive(Debug)]
enum Message<T> {
    Event(Arc<T>),
    Gap,
}

impl<T> Clone for Message<T> {
    fn clone(&self) -> Self {
        match self {
            Message::Event(event) => Message::Event(Arc::clone(event)),
            Message::Gap => Message::Gap,
        }
    }
}

impl<T> Clone for EventBus<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Default for EventBus<T> {
    fn default() -> Self {
        Self(broadcast::Sender::new(KEPT))
    }
}

impl<T: Send + Sync + 'static> EventBus<T> {
    /// Announces an event to every watcher. `event` is not called if nobody watches.
    pub fn announce(&self, event: impl FnOnce() -> T) {
        if self.0.receiver_count() > 0 {
            // The last watcher may have left just now, which is not a fault.
            let _ = self.0.send(Message::Event(Arc::new(event())));
        }
    }

    /// Ends every watch with [`Lagged`]: there may have been events that were not announced.
    pub fn interrupt(&self) {
        let _ = self.0.send(Message::Gap);
    }

    /// Every event from now on. The last item may be [`Lagged`].
    pub fn watch(&self) -> impl Stream<Item = Result<Arc<T>, Lagged>> + Send + use<T> {
        unfold(Some(self.0.subscribe()), |receiver| async move {
            let mut receiver = receiver?;
            match receiver.recv().await {
                Ok(Message::Event(event)) => Some((Ok(event), Some(receiver))),
                Ok(Message::Gap) | Err(RecvError::Lagged(_)) => Some((Err(Lagged), None)),
                Err(RecvError::Closed) => None,
            }
        })
    }

    /// What `pick` makes of each event from now on; events for which it returns `None` are passed over.
    pub fn watch_for<P: Send + 'static>(
        &self,
        mut pick: impl FnMut(&T) -> Option<P> + Send + 'static,
    ) -> BoxStream<'static, Result<P, ApiError>> {
        let picked = self.watch().filter_map(move |event| {
            let picked = match event {
                Ok(event) => pick(&event).map(Ok),
                Err(missed) => Some(Err(missed.into())),
            };
            std::future::ready(picked)
        });
        picked.boxed()
    }
}
