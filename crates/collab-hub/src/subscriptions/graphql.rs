//! Subscriptions in the API.

use async_graphql::{ComplexObject, Context, ID, Object};

use crate::member::{active, member};
use crate::users::{User, UserRole};
use trestle_api::{ApiError, Connection, Node, QueryResult, Session, found, session};

use super::{Subscription, SubscriptionStatus, of_status};
use crate::pages::admin_page;

impl Node for Subscription {
    const TAG: u8 = b'P';

    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
        let member = member(session).await?;
        let is_shown = member.is_some_and(|m| m.id == self.user_id || m.role == UserRole::Admin);
        Ok(is_shown.then_some(self))
    }
}

#[ComplexObject]
impl Subscription {
    /// Opaque id, for `node`.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// The subscriber.
    async fn user(&self, ctx: &Context<'_>) -> QueryResult<User> {
        found(ctx, &self.user_id).await
    }
}

/// Queries for subscriptions.
#[derive(Default)]
pub struct SubscriptionQuery;

#[Object]
impl SubscriptionQuery {
    /// The viewer's subscription. Null if the viewer has never subscribed.
    async fn my_subscription(&self, ctx: &Context<'_>) -> QueryResult<Subscription> {
        let load = async {
            let session = session(ctx)?;
            let member = active(session).await?;
            session.load::<Subscription>(&member.id).await
        };
        load.await.transpose()
    }

    /// Subscriptions of a status. For admins.
    async fn subscriptions_by_status(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The status.")] status: SubscriptionStatus,
    ) -> QueryResult<Connection<Subscription>> {
        admin_page(ctx, |_| Ok(of_status(status))).await
    }
}
