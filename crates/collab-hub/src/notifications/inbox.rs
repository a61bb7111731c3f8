//! What reaches a user, as one subscription: messages, and notifications of everything else.

use async_graphql::{ComplexObject, Context, SimpleObject, Subscription};
use futures_util::stream::{BoxStream, Stream, StreamExt as _, once};

use crate::conversations::unread_of;
use crate::events::Event;
use crate::member::{active, profile};
use crate::messages::Message;
use crate::messages::graphql::while_active;
use trestle_api::{ApiError, EventBus, QueryResult, Session, session};

use super::Notification;

/// Something that reached the viewer: a message or a notification.
#[derive(Clone, SimpleObject)]
#[graphql(complex)]
pub struct InboxChange {
    /// The message, if one was sent to a conversation of the viewer.
    message: Option<Message>,
    /// The notification, if the viewer was notified.
    notification: Option<Notification>,
}

#[ComplexObject]
impl InboxChange {
    /// Number of messages that the viewer has not read, in the 500 conversations with the newest messages.
    async fn unread_messages(&self, ctx: &Context<'_>) -> QueryResult<u32> {
        let count = async { unread_of(session(ctx)?).await };
        Some(count.await)
    }

    /// Number of notifications that the viewer has not read.
    async fn unread_notifications(&self, ctx: &Context<'_>) -> QueryResult<u32> {
        let profile = async { profile(session(ctx)?).await };
        match profile.await {
            Ok(profile) => profile.0.as_ref().map(|user| Ok(user.unread_notifications)),
            Err(error) => Some(Err(error)),
        }
    }
}

/// Subscriptions to the inbox.
#[derive(Default)]
pub struct InboxSubscription;

#[Subscription]
impl InboxSubscription {
    /// Messages to the viewer's conversations, the viewer's own included, and the viewer's notifications, from now on. A
    /// message that also makes a notification is reported as both. Ends with an error when the viewer is no longer active.
    async fn inbox_changed<'c>(
        &self,
        ctx: &Context<'c>,
    ) -> impl Stream<Item = Result<InboxChange, ApiError>> + use<'c> {
        let session = session(ctx);
        let watched = async { watch(session?).await };
        match watched.await {
            Ok(changes) => changes,
            Err(error) => once(std::future::ready(Err(error))).boxed(),
        }
    }
}

async fn watch(
    session: &Session,
) -> Result<BoxStream<'static, Result<InboxChange, ApiError>>, ApiError> {
    let user = active(session).await?.id;
    let live = session.given::<EventBus<Event>>().unwrap_or_default();
    let changes = live.watch_for(move |event| match event {
        Event::Sent(message, users) if users.contains(&user) => Some(InboxChange {
            message: Some(message.clone()),
            notification: None,
        }),
        Event::Notified(notification) if notification.user_id == user => Some(InboxChange {
            message: None,
            notification: Some(notification.clone()),
        }),
        Event::Sent(..) | Event::Notified(_) => None,
    });
    Ok(while_active(session, changes))
}
