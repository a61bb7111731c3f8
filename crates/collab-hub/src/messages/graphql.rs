//! Messages in the API: sending and watching them.

use async_graphql::{ComplexObject, Context, ID, Subscription};
use futures_util::future::join_all;
use futures_util::stream::{BoxStream, Stream, StreamExt as _, once};

use crate::conversations::Conversation;
use crate::events::{Event, watch_while_active};
use crate::member::active;
use crate::signed;
use crate::users::User;
use trestle_api::{ApiError, Node as _, QueryResult, Session, Url, found, list_size, session};

use super::Message;

#[ComplexObject]
impl Message {
    /// Opaque id, for `node`.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// The conversation.
    async fn conversation(&self, ctx: &Context<'_>) -> QueryResult<Conversation> {
        found(ctx, &self.conversation_id).await
    }

    /// The sender. Null if the viewer may not see the user.
    async fn sender(&self, ctx: &Context<'_>) -> QueryResult<User> {
        found(ctx, &self.sender_id).await
    }

    /// The attached file, at a URL of the viewer that expires after a minute.
    async fn attachment_url(&self, ctx: &Context<'_>) -> QueryResult<Url> {
        signed::url(ctx, self.attachment_key.as_ref()).await
    }

    /// Number of participants who have read the message.
    async fn read_count(&self) -> usize {
        self.read_by.as_slice().len()
    }

    /// Participants who have read the message. Null for users that the viewer may not see. The users of a page are read
    /// together, so the estimated cost of an operation counts a few of them for each message.
    #[graphql(directive = list_size::apply(10))]
    async fn read_by(&self, ctx: &Context<'_>) -> Vec<QueryResult<User>> {
        let users = self.read_by.as_slice().iter();
        join_all(users.map(|user| found::<User>(ctx, user))).await
    }
}

/// Subscriptions to messages.
#[derive(Default)]
pub struct MessageSubscription;

#[Subscription]
impl MessageSubscription {
    /// Messages that are sent to a conversation of the viewer from now on. Ends with an error when the viewer is no
    /// longer active.
    async fn message_sent<'c>(
        &self,
        ctx: &Context<'c>,
        #[graphql(desc = "The conversation's id.")] conversation_id: ID,
    ) -> impl Stream<Item = Result<Message, ApiError>> + use<'c> {
        let session = session(ctx);
        let watched = async {
            let session = session?;
            watch(session, &conversation_id).await
        };
        match watched.await {
            Ok(messages) => messages,
            Err(error) => once(std::future::ready(Err(error))).boxed(),
        }
    }
}

async fn watch(
    session: &Session,
    id: &ID,
) -> Result<BoxStream<'static, Result<Message, ApiError>>, ApiError> {
    let member = active(session).await?;
    let missing = || ApiError::bad_input("`conversationId` does not name a conversation of yours.");
    let id = Conversation::named(id, session).map_err(|_| missing())?;
    let conversation = session.load::<Conversation>(&id).await?;
    let conversation = conversation.filter(|conversation| conversation.includes(&member.id));
    conversation.ok_or_else(missing)?;
    Ok(watch_while_active(session, move |event| match event {
        // Who has left reads nothing any more.
        Event::Sent(message, users)
            if message.conversation_id == id && users.contains(&member.id) =>
        {
            Some(message.clone())
        }
        Event::Sent(..)
        | Event::Deleted(..)
        | Event::Edited(..)
        | Event::Read(..)
        | Event::Notified(_)
        | Event::NotificationsRead(..)
        | Event::Ended(_) => None,
    }))
}
