//! How many subscriptions and WebSocket connections there may be, and how they end when the server stops.

use std::sync::Arc;

use tokio::sync::watch;

use super::config::{Listener, ServerArgs};
use super::fair_limiter::{FairLimiter, FairPermit, Holder};

/// The places for subscriptions and for WebSocket connections.
pub(super) struct SubscriptionLimiter {
    places: Arc<FairLimiter>,
    sockets: Arc<FairLimiter>,
    ending: watch::Sender<bool>,
    rechecks: watch::Sender<u64>,
}

impl SubscriptionLimiter {
    /// Places as configured. A Lambda function answers each event once, so it has none.
    pub(super) fn new(args: &ServerArgs) -> Self {
        let (places, sockets) = match args.entrance {
            Listener::Socket => {
                let args = &args.subscriptions;
                (args.max_subscriptions, args.max_websockets)
            }
            Listener::Lambda => (0, 0),
        };
        Self {
            places: Arc::new(FairLimiter::new(places)),
            sockets: Arc::new(FairLimiter::new(sockets)),
            ending: watch::Sender::new(false),
            rechecks: watch::Sender::new(0),
        }
    }

    /// How many subscriptions and how many WebSocket connections there are.
    pub(super) fn load(&self) -> (usize, usize) {
        (self.places.taken(), self.sockets.taken())
    }

    /// A place for one subscription to a service, if there is one.
    pub(super) fn place(&self, service: usize, holder: Holder) -> Option<FairPermit> {
        self.places.take(service, holder)
    }

    /// A place for one WebSocket connection to a service, if there is one.
    pub(super) fn socket(&self, service: usize, holder: Holder) -> Option<FairPermit> {
        self.sockets.take(service, holder)
    }

    /// Changes when the credentials of everyone who is connected are to be checked again.
    pub(super) fn rechecks(&self) -> watch::Receiver<u64> {
        self.rechecks.subscribe()
    }

    /// Checks the credentials of everyone who is connected.
    pub(super) fn recheck(&self) {
        self.rechecks.send_modify(|times| *times += 1);
    }

    /// Ends when subscriptions are to end.
    pub(super) fn ending(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut ending = self.ending.subscribe();
        async move {
            // Without a sender there is no server left either.
            let _ = ending.wait_for(|ending| *ending).await;
        }
    }

    /// Ends all of them, with the reason.
    pub(super) fn end(&self) {
        self.ending.send_replace(true);
    }

    /// Waits until the last WebSocket connection is closed. Streams of events end with their connection.
    pub(super) async fn closed(&self) {
        self.sockets.free().await;
    }
}
