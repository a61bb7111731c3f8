//! Events for subscriptions.

use crate::api::{Live, Session};

use super::messages::Message;
use super::notifications::Notification;

/// Something that a subscription may report.
#[derive(Clone, Debug)]
pub enum Event {
    /// A message was sent.
    Sent(Message),
    /// A user was notified.
    Notified(Notification),
}

/// Announces an event to the subscriptions of this process.
pub fn announce(session: &Session, event: impl FnOnce() -> Event) {
    if let Some(live) = session.given::<Live<Event>>() {
        live.announce(event);
    }
}
