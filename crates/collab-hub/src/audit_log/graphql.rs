//! The audit log in the API. Only admins read it.

use async_graphql::{ComplexObject, Context, ID, Object};

use crate::member::member;
use crate::users::{User, UserRole};
use trestle_api::{ApiError, Connection, Date, Node, QueryResult, Session, found, list_size};

use super::{AuditDetail, AuditLog, of_day, of_user};
use crate::pages::admin_page;

impl Node for AuditLog {
    const TAG: u8 = b'L';

    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
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

    /// What is known of the change, such as the status before and after, and the reason.
    #[graphql(directive = list_size::apply(5))]
    async fn details(&self) -> Vec<AuditDetail> {
        self.details_by_name()
    }

    /// The profile of the user who made the change.
    async fn user(&self, ctx: &Context<'_>) -> QueryResult<User> {
        found(ctx, &self.user_id).await
    }
}

/// Queries for the audit log.
#[derive(Default)]
pub struct AuditLogQuery;

#[Object]
impl AuditLogQuery {
    /// Entries of the audit log of a day in UTC, newest first. For admins.
    async fn audit_log(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The day.")] date: Date,
    ) -> QueryResult<Connection<AuditLog>> {
        let list = |_: &Session| match date.0.parse() {
            Ok(date) => Ok(of_day(date)),
            Err(_) => Err(ApiError::bad_input(
                "`date` must be a date such as 2026-11-20.",
            )),
        };
        admin_page(ctx, list).await
    }

    /// Entries of the audit log of a user, newest first. For admins.
    async fn user_audit_log(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The user's id.")] user_id: ID,
    ) -> QueryResult<Connection<AuditLog>> {
        let list = |session: &Session| match User::named(&user_id, session) {
            Ok(user) => Ok(of_user(&user)),
            Err(_) => Err(ApiError::bad_input("`userId` is not the id of a user.")),
        };
        admin_page(ctx, list).await
    }
}
