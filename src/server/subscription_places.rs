//! How many subscriptions and WebSocket connections there may be, and how they end when the server stops.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::config::{Entrance, ServerArgs};

/// The places for subscriptions and for WebSocket connections.
pub(super) struct SubscriptionPlaces {
    places: Arc<Semaphore>,
    sockets: Arc<Semaphore>,
    most: u32,
    most_sockets: u32,
    ending: watch::Sender<bool>,
}

impl SubscriptionPlaces {
    /// Places as configured. A Lambda function answers each event once, so it has none.
    pub(super) fn new(args: &ServerArgs) -> Self {
        let (places, sockets) = match args.entrance {
            Entrance::Socket => {
                let args = &args.subscriptions;
                (args.max_subscriptions, args.max_websockets)
            }
            Entrance::Lambda => (0, 0),
        };
        Self {
            places: Arc::new(Semaphore::new(places as usize)),
            sockets: Arc::new(Semaphore::new(sockets as usize)),
            most: places,
            most_sockets: sockets,
            ending: watch::Sender::new(false),
        }
    }

    /// How many subscriptions and how many WebSocket connections there are.
    pub(super) fn load(&self) -> (usize, usize) {
        let taken =
            |most: u32, left: &Semaphore| (most as usize).saturating_sub(left.available_permits());
        (
            taken(self.most, &self.places),
            taken(self.most_sockets, &self.sockets),
        )
    }

    /// A place for one subscription, if there is one left.
    pub(super) fn place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).try_acquire_owned().ok()
    }

    /// A place for one WebSocket connection, if there is one left.
    pub(super) fn socket(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.sockets).try_acquire_owned().ok()
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
        // It is never closed, so this fails for nobody.
        let _ = self.sockets.acquire_many(self.most_sockets).await;
    }
}
