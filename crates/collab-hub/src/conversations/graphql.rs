//! Conversations in the API.

use async_graphql::{ComplexObject, Context, ID, Object};
use futures_util::future::join_all;

use crate::applications::Application;
use crate::blocks::Block;
use crate::messages::{Message, of_conversation};
use crate::pages::own_page;
use crate::startups::Startup;
use crate::users::User;
use trestle_api::{
    ApiError, Connection, Node as _, QueryResult, Session, found, list_size, page, session,
};
use trestle_domain::{Moment, UserId};

use super::{Conversation, ConversationType, Participant, of_user, requests_of};

#[ComplexObject]
impl Conversation {
    /// Opaque id, for `node`.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// Participants. Null for users that the viewer may not see.
    #[graphql(directive = list_size::apply(100))]
    async fn participants(&self, ctx: &Context<'_>) -> Vec<QueryResult<User>> {
        let blocker = async { self.blocker(session(ctx)?).await };
        match blocker.await {
            Ok(None) => users(ctx, self.participants.as_slice()).await,
            Ok(Some(blocker)) => {
                let others = self.without(&blocker).participants;
                users(ctx, others.as_slice()).await
            }
            Err(error) => vec![Some(Err(error))],
        }
    }

    /// Users who were asked to take part and have not agreed yet. They read no messages. Null for users that the viewer
    /// may not see.
    #[graphql(directive = list_size::apply(100))]
    async fn invited_users(&self, ctx: &Context<'_>) -> Vec<QueryResult<User>> {
        users(ctx, self.invited()).await
    }

    /// Whether the viewer takes part. If not, the viewer is asked to by another user: see `acceptConversation`.
    async fn takes_part(&self, ctx: &Context<'_>) -> Result<bool, ApiError> {
        Ok(self.includes(&session(ctx)?.user()))
    }

    /// The beginning of the newest message. Empty before the first one, and for users who do not take part.
    async fn last_message_preview(&self, ctx: &Context<'_>) -> Result<&str, ApiError> {
        let is_read = self.includes(&session(ctx)?.user());
        Ok(if is_read {
            self.last_message_preview.as_str()
        } else {
            ""
        })
    }

    /// The startup that the conversation is about. Null if the viewer may not see it.
    async fn related_startup(&self, ctx: &Context<'_>) -> QueryResult<Startup> {
        found(ctx, self.related_startup_id.as_ref()?).await
    }

    /// The application that the conversation is about. Null if the viewer may not see it.
    async fn related_application(&self, ctx: &Context<'_>) -> QueryResult<Application> {
        found(ctx, self.related_application_id.as_ref()?).await
    }

    /// Number of messages of others that the viewer has not read.
    async fn unread_count(&self, ctx: &Context<'_>) -> QueryResult<u32> {
        let load = async {
            let session = session(ctx)?;
            let id = (self.conversation_id, session.user());
            session.load::<Participant>(&id).await
        };
        let participant = load.await.transpose()?;
        Some(participant.map(|participant| participant.unread_count))
    }

    /// Messages, newest first. Null for users who do not take part.
    async fn messages(&self, ctx: &Context<'_>) -> QueryResult<Connection<Message>> {
        match session(ctx) {
            Ok(session) if !self.includes(&session.user()) => None,
            Ok(_) => Some(page(ctx, &of_conversation(self.conversation_id), &()).await),
            Err(error) => Some(Err(error)),
        }
    }
}

impl Conversation {
    /// The other user of a DIRECT conversation, if they have blocked the viewer, to whom it then looks as if they had left.
    /// At most one read.
    async fn blocker(&self, session: &Session) -> Result<Option<UserId>, ApiError> {
        let viewer = session.user();
        let mut users = self.participants.as_slice().iter();
        let other = users.find(|user| **user != viewer);
        let Some(other) = other.filter(|_| self.kind == ConversationType::Direct) else {
            return Ok(None);
        };
        let block = session.load::<Block>(&(other.clone(), viewer)).await?;
        Ok(block.map(|block| block.blocker_id))
    }
}

async fn users(ctx: &Context<'_>, users: &[UserId]) -> Vec<QueryResult<User>> {
    join_all(users.iter().map(|user| found::<User>(ctx, user))).await
}

#[ComplexObject]
impl Participant {
    /// When the newest message was sent, or when the conversation was created.
    async fn last_message_at(&self) -> Moment {
        self.shown_at()
    }

    /// The conversation.
    async fn conversation(&self, ctx: &Context<'_>) -> QueryResult<Conversation> {
        found(ctx, &self.conversation_id).await
    }
}

/// Queries for conversations.
#[derive(Default)]
pub struct ConversationQuery;

#[Object]
impl ConversationQuery {
    /// Conversations of the viewer, newest message first.
    async fn inbox(&self, ctx: &Context<'_>) -> QueryResult<Connection<Participant>> {
        own_page(ctx, |member| of_user(&member.id)).await
    }

    /// Conversations that other users ask the viewer to take part in, newest first. See `acceptConversation` and
    /// `leaveConversation`.
    async fn conversation_requests(
        &self,
        ctx: &Context<'_>,
    ) -> QueryResult<Connection<Participant>> {
        own_page(ctx, |member| requests_of(&member.id)).await
    }
}
