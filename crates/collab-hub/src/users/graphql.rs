//! Users in the API: who sees what of a profile.

use async_graphql::{ComplexObject, Context, ID, Object, SimpleObject};

use crate::conversations::unread_of;
use crate::member::{admin, member, profile};
use crate::notifications::reading::count_unread;
use crate::pages::admin_page;
use crate::signed;
use trestle_api::{ApiError, Connection, Node, QueryResult, Session, Url, session};
use trestle_domain::{Email, Text};
use trestle_table::PageAsk;

use super::{
    SubscriptionTier, User, UserRole, UserStatus, UserSubscriptionStatus, by_email, of_role,
    of_status,
};

impl Node for User {
    const TAG: u8 = b'U';

    /// Users see their own profile, active users see each other, and admins see everyone.
    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
        if self.user_id == session.user() {
            return Ok(Some(self));
        }
        let is_active = self.status == UserStatus::Active;
        let member = member(session).await?;
        let sees = |role| is_active || role == UserRole::Admin;
        Ok(member.filter(|member| sees(member.role)).map(|_| self))
    }
}

/// Whether the viewer reads the private fields of a profile: the user and admins do.
async fn is_private_to(ctx: &Context<'_>, user: &User) -> Result<bool, ApiError> {
    let session = session(ctx)?;
    let is_own = user.user_id == session.user();
    Ok(is_own
        || member(session)
            .await?
            .is_some_and(|m| m.role == UserRole::Admin))
}

/// A private field: null unless the viewer is the user or an admin.
async fn private<T>(ctx: &Context<'_>, user: &User, value: T) -> QueryResult<T> {
    let is_shown = is_private_to(ctx, user).await;
    let value = is_shown.map(|is_shown| is_shown.then_some(value));
    value.transpose()
}

#[ComplexObject]
impl User {
    /// Opaque id, for `node`.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// Email address. Null for everyone but the user and admins.
    async fn email(&self, ctx: &Context<'_>) -> QueryResult<&Email> {
        private(ctx, self, &self.email).await
    }

    /// Status. Null for everyone but the user and admins.
    async fn status(&self, ctx: &Context<'_>) -> QueryResult<UserStatus> {
        private(ctx, self, self.shown_status()).await
    }

    /// The admin's reason for the status. Null for everyone but the user and admins.
    async fn status_reason(&self, ctx: &Context<'_>) -> QueryResult<&Text<1, 1000>> {
        private(ctx, self, self.status_reason.as_ref()?).await
    }

    /// Status of the subscription. Null for everyone but the user and admins.
    async fn subscription_status(&self, ctx: &Context<'_>) -> QueryResult<UserSubscriptionStatus> {
        private(ctx, self, self.subscription_status).await
    }

    /// Tier of the subscription. Null for everyone but the user and admins.
    async fn subscription_tier(&self, ctx: &Context<'_>) -> QueryResult<SubscriptionTier> {
        private(ctx, self, self.subscription_tier).await
    }

    /// Whether an admin has approved the investor, which a server may require for startups with the visibility
    /// INVESTORS_ONLY. Null if no admin has decided, and for everyone but the user and admins.
    async fn investor_approved(&self, ctx: &Context<'_>) -> QueryResult<bool> {
        private(ctx, self, self.investor_approved?).await
    }

    /// Number of unread notifications. Null for everyone but the user and admins.
    async fn unread_notifications(&self, ctx: &Context<'_>) -> QueryResult<u32> {
        match is_private_to(ctx, self).await {
            Ok(true) => {
                let count = async { count_unread(session(ctx)?, self).await };
                Some(count.await)
            }
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// Avatar, at a URL that expires in minutes.
    async fn avatar_url(&self, ctx: &Context<'_>) -> QueryResult<Url> {
        signed::url(ctx, self.avatar_url.as_ref()).await
    }
}

/// The viewer.
#[derive(SimpleObject)]
#[graphql(complex)]
pub struct Viewer {
    /// The subject of the viewer's credentials.
    subject: String,
    /// Whether the credentials allow mutations.
    can_write: bool,
}

#[ComplexObject]
impl Viewer {
    /// Number of messages that the viewer has not read, in those of the 500 conversations with the newest messages that are not
    /// muted.
    async fn unread_messages(&self, ctx: &Context<'_>) -> QueryResult<u32> {
        let count = async {
            let session = session(ctx)?;
            match member(session).await? {
                Some(_) => unread_of(session).await.map(Some),
                None => Ok(None),
            }
        };
        count.await.transpose()
    }

    /// The viewer's profile. Null before `registerUser`.
    async fn user(&self, ctx: &Context<'_>) -> QueryResult<User> {
        let load = async { profile(session(ctx)?).await };
        load.await.map(|profile| profile.0.clone()).transpose()
    }
}

/// Queries for users.
#[derive(Default)]
pub struct UserQuery;

#[Object]
impl UserQuery {
    /// The viewer.
    async fn viewer(&self, ctx: &Context<'_>) -> QueryResult<Viewer> {
        Some(session(ctx).map(|session| Viewer {
            subject: session.viewer.subject().to_owned(),
            can_write: session.viewer.may_write(),
        }))
    }

    /// Users of a role. For admins.
    async fn users_by_role(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The role.")] role: UserRole,
    ) -> QueryResult<Connection<User>> {
        admin_page(ctx, |_| Ok(of_role(role))).await
    }

    /// Users of a status. For admins.
    async fn users_by_status(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The status.")] status: UserStatus,
    ) -> QueryResult<Connection<User>> {
        admin_page(ctx, |_| Ok(of_status(status))).await
    }

    /// The user of an email address: the one who has verified it, or one who has named it if nobody has. Null if there
    /// is none. For admins.
    async fn user_by_email(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The email address.")] email: String,
    ) -> QueryResult<User> {
        let find = async {
            let session = session(ctx)?;
            admin(session).await?;
            let email = Email::parse(&email)
                .map_err(|_| ApiError::bad_input("`email` must be an email address."))?;
            let named = by_email(&email);
            let page = session
                .tables
                .page(&named, &PageAsk::first(NAMED_AT_MOST), &())
                .await?;
            let mut users = Vec::new();
            for row in page.rows {
                users.push(row.entity?);
            }
            let owner = users.iter().position(User::has_verified_email);
            Ok::<_, ApiError>(users.into_iter().nth(owner.unwrap_or_default()))
        };
        find.await.transpose()
    }
}

/// Number of users of one address that are read, at most. Only one of them has verified it.
const NAMED_AT_MOST: usize = 50;
