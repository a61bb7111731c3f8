//! Operations that answer more than once: GraphQL over WebSocket and over server-sent events, how many of
//! them there may be, and how they end when the server stops. What may run is decided where every other
//! request's is; knows no service.
//!
//! Sources: <https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md> and
//! <https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md> ("distinct connections mode").

mod arguments;
mod credentials;
mod events;
mod operation;
mod origin;
mod protocol;
mod refusals;
mod websocket;

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

pub use self::arguments::SubscriptionArgs;
pub(super) use self::events::events;
pub(super) use self::websocket::{is_upgrade, upgrade};

use super::config::{Entrance, ServerArgs};

/// The places for subscriptions and for WebSocket connections.
pub(super) struct Subscriptions {
    places: Arc<Semaphore>,
    sockets: Arc<Semaphore>,
    most_sockets: u32,
    ending: watch::Sender<bool>,
}

impl Subscriptions {
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
            most_sockets: sockets,
            ending: watch::Sender::new(false),
        }
    }

    /// A place for one subscription, if there is one left.
    fn place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).try_acquire_owned().ok()
    }

    /// A place for one WebSocket connection, if there is one left.
    fn socket(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.sockets).try_acquire_owned().ok()
    }

    /// Ends when subscriptions are to end.
    fn ending(&self) -> impl Future<Output = ()> + Send + use<> {
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
