//! Events for subscriptions.

use trestle_api::{EventBus, Session};

use trestle_domain::UserId;

use super::messages::Message;
use super::notifications::Notification;

/// Something that a subscription may report.
#[derive(Clone, Debug)]
pub enum Event {
    /// A message was sent to these users, the sender among them.
    Sent(Message, Vec<UserId>),
    /// A user was notified.
    Notified(Notification),
}

/// Announces an event to the subscriptions of this process.
pub fn announce(session: &Session, event: impl FnOnce() -> Event) {
    if let Some(live) = session.given::<EventBus<Event>>() {
        live.announce(event);
    }
}
