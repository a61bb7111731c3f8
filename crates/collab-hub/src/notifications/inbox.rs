//! What reaches a user, as one subscription: messages, and notifications of everything else.

use async_graphql::{ComplexObject, Context, SimpleObject, Subscription};
use futures_util::stream::{BoxStream, Stream, StreamExt as _, once};

use crate::conversations::{Conversation, unread_of};
use crate::events::{Event, watch_while_active};
use crate::member::{active, profile};
use crate::messages::Message;
use trestle_api::{ApiError, QueryResult, Session, found, session};
use trestle_domain::{Id, UserId};

use super::Notification;
use super::reading::count_unread;

/// A change of the viewer's inbox. One of the fields is set, or none if the viewer has marked several notifications as read.
#[derive(Clone, Default, SimpleObject)]
#[graphql(complex)]
pub struct InboxChange {
    /// The message, if one was sent to a conversation of the viewer.
    message: Option<Message>,
    /// The message, if the sender has deleted what it said.
    deleted_message: Option<Message>,
    /// The message, if the sender has changed what it says.
    edited_message: Option<Message>,
    #[graphql(skip)]
    read_conversation: Option<Id<Conversation>>,
    /// The notification, if the viewer was notified.
    notification: Option<Notification>,
    /// The notification, if the viewer has marked it as read, for example on another device.
    read_notification: Option<Notification>,
}

#[ComplexObject]
impl InboxChange {
    /// The conversation, if the viewer has marked its messages as read, for example on another device.
    async fn read_conversation(&self, ctx: &Context<'_>) -> QueryResult<Conversation> {
        found(ctx, self.read_conversation.as_ref()?).await
    }

    /// Number of messages that the viewer has not read, in those of the 500 conversations with the newest messages that are not
    /// muted.
    async fn unread_messages(&self, ctx: &Context<'_>) -> QueryResult<u32> {
        let count = async { unread_of(session(ctx)?).await };
        Some(count.await)
    }

    /// Number of notifications that the viewer has not read.
    async fn unread_notifications(&self, ctx: &Context<'_>) -> QueryResult<u32> {
        let count = async {
            let session = session(ctx)?;
            match &profile(session).await?.0 {
                Some(user) => count_unread(session, user).await.map(Some),
                None => Ok(None),
            }
        };
        count.await.transpose()
    }
}

/// Subscriptions to the inbox.
#[derive(Default)]
pub struct InboxSubscription;

#[Subscription]
impl InboxSubscription {
    /// Messages to the viewer's conversations, the viewer's own included, and the viewer's notifications, from now on, with
    /// messages that are edited or deleted, and what the viewer marks as read. A message that also makes a notification is reported as
    /// both. Ends with an error when the viewer is no longer active.
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
    Ok(watch_while_active(session, move |event| {
        change_of(event, &user)
    }))
}

/// What an event changes in a user's inbox.
fn change_of(event: &Event, user: &UserId) -> Option<InboxChange> {
    let change = InboxChange::default();
    match event {
        Event::Sent(message, users) if users.contains(user) => Some(InboxChange {
            message: Some(message.clone()),
            ..change
        }),
        Event::Deleted(message, users) if users.contains(user) => Some(InboxChange {
            deleted_message: Some(message.clone()),
            ..change
        }),
        Event::Edited(message, users) if users.contains(user) => Some(InboxChange {
            edited_message: Some(message.clone()),
            ..change
        }),
        Event::Read(reader, conversation) if reader == user => Some(InboxChange {
            read_conversation: Some(*conversation),
            ..change
        }),
        Event::Notified(notification) if notification.user_id == *user => Some(InboxChange {
            notification: Some(notification.clone()),
            ..change
        }),
        Event::NotificationsRead(reader, read) if reader == user => Some(InboxChange {
            read_notification: read.clone(),
            ..change
        }),
        Event::Sent(..)
        | Event::Deleted(..)
        | Event::Edited(..)
        | Event::Read(..)
        | Event::Notified(_)
        | Event::NotificationsRead(..)
        | Event::Ended(_) => None,
    }
}
