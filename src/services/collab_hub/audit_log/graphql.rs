//! The audit log in the API. Only admins read it.

use async_graphql::{ComplexObject, Context, ID, Object};
use chrono::NaiveDate;

use crate::api::{Answer, ApiError, Connection, Date, Node, Session, found, page, session};
use crate::services::collab_hub::member::{admin, member};
use crate::services::collab_hub::users::{User, UserRole};

use super::{AuditLog, of_day, of_user};

impl Node for AuditLog {
    const TAG: u8 = b'L';

    async fn shown(self, session: &Session) -> Result<Option<Self>, ApiError> {
        let member = member(session).await?;
        Ok(member
            .filter(|member| member.role == UserRole::Admin)
            .map(|_| self))
    }
}

#[ComplexObject]
impl AuditLog {
    /// Opaque id, for `node`.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// The profile of the user who made the change.
    async fn user(&self, ctx: &Context<'_>) -> Answer<User> {
        found(ctx, &self.user_id).await
    }
}

/// Queries for the audit log.
#[derive(Default)]
pub struct AuditLogQuery;

/// Queries for the audit log.
#[Object]
impl AuditLogQuery {
    /// Entries of the audit log of a day in UTC, newest first. For admins.
    async fn audit_log(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The day.")] date: Date,
    ) -> Answer<Connection<AuditLog>> {
        let page = async {
            admin(session(ctx)?).await?;
            let date: NaiveDate = date
                .0
                .parse()
                .map_err(|_| ApiError::bad_input("`date` must be a date such as 2026-11-20."))?;
            page(ctx, &of_day(date), &()).await
        };
        Some(page.await)
    }

    /// Entries of the audit log of a user, newest first. For admins.
    async fn user_audit_log(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The user's id.")] user_id: ID,
    ) -> Answer<Connection<AuditLog>> {
        let page = async {
            let session = session(ctx)?;
            admin(session).await?;
            let user = User::named(&user_id, session)
                .map_err(|_| ApiError::bad_input("`userId` is not the id of a user."))?;
            page(ctx, &of_user(&user), &()).await
        };
        Some(page.await)
    }
}
