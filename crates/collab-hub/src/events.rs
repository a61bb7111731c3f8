//! Events for subscriptions.

use futures_util::stream::{BoxStream, StreamExt as _};

use trestle_api::{ApiError, EventBus, Session};
use trestle_domain::{Id, UserId};

use super::conversations::Conversation;
use super::member::{Profile, active};
use super::messages::Message;
use super::notifications::Notification;

/// Something that a subscription may report.
#[derive(Clone, Debug)]
pub enum Event {
    /// A message was sent to these users, the sender among them.
    Sent(Message, Vec<UserId>),
    /// The text of a message was deleted, which these users had read, or could read.
    Deleted(Message, Vec<UserId>),
    /// The text of a message was changed, which these users read.
    Edited(Message, Vec<UserId>),
    /// A user has read a conversation.
    Read(UserId, Id<Conversation>),
    /// A user was notified.
    Notified(Notification),
    /// A user has read a notification, or several if it is not given.
    NotificationsRead(UserId, Option<Notification>),
    /// A user has been banned, has to verify an address, or deletes the account.
    Ended(UserId),
}

/// Announces an event to the subscriptions of this process.
pub fn announce(session: &Session, event: impl FnOnce() -> Event) {
    if let Some(live) = session.given::<EventBus<Event>>() {
        live.announce(event);
    }
}

/// What `pick` makes of each event from now on, until the viewer is no longer active: then the subscription ends with an
/// error, even if nothing else happens. One GetItem for each event.
pub fn watch_while_active<T: Send + 'static>(
    session: &Session,
    mut pick: impl FnMut(&Event) -> Option<T> + Send + 'static,
) -> BoxStream<'static, Result<T, ApiError>> {
    let live = session.given::<EventBus<Event>>().unwrap_or_default();
    let (session, viewer) = (session.clone(), session.user());
    let events = live.watch_for(move |event| match event {
        Event::Ended(user) => (*user == viewer).then_some(None),
        event => pick(event).map(Some),
    });
    let checked = events.then(move |event| {
        let session = session.clone();
        async move {
            session.forget::<Profile>();
            active(&session).await?;
            event
        }
    });
    // The first error is the last item.
    let ended = checked.scan(false, |has_failed, event| {
        let is_over = std::mem::replace(has_failed, event.is_err());
        std::future::ready((!is_over).then_some(event))
    });
    let picked = ended.filter_map(|event| std::future::ready(event.transpose()));
    picked.boxed()
}
