//! What was created in a time range, by type. For admins.

use async_graphql::{Context, Object};

use crate::api::{Answer, ApiError, Connection, DateTime, page, session};
use crate::domain::Moment;
use crate::table::{Entity, Listing, Pk, Sk};

use super::member::admin;
use super::roles::Role;
use super::startups::Startup;
use super::table::GSI3;
use super::users::User;

/// Entities of a type that were created from one moment to another, both included, newest first. GSI3 `<type>`, one Query.
fn created<E: Entity>(name: &'static str, from: Moment, to: Moment) -> Listing<E> {
    Listing::on(name, &GSI3, Pk::word(E::KIND))
        .between(Sk::value(from), Sk::value(to))
        .newest_first()
}

/// The time range of a query, for a viewer who is an admin.
async fn range(
    ctx: &Context<'_>,
    (from, to): (&DateTime, &DateTime),
) -> Result<(Moment, Moment), ApiError> {
    admin(session(ctx)?).await?;
    let moment = |text: &DateTime| {
        let invalid =
            |_| ApiError::bad_input("`from` and `to` must be times such as 2026-11-20T09:30:00Z.");
        Moment::parse(&text.0).map_err(invalid)
    };
    Ok((moment(from)?, moment(to)?))
}

/// Queries for what was created in a time range.
#[derive(Default)]
pub struct CreatedQuery;

/// Queries for what was created in a time range.
#[Object]
impl CreatedQuery {
    /// Users who registered from `from` to `to`, both included, newest first. For admins.
    async fn users_created(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The first moment.")] from: DateTime,
        #[graphql(desc = "The last moment.")] to: DateTime,
    ) -> Answer<Connection<User>> {
        let page = async {
            let (from, to) = range(ctx, (&from, &to)).await?;
            page(ctx, &created("users/created", from, to), &()).await
        };
        Some(page.await)
    }

    /// Startups that were created from `from` to `to`, both included, newest first, of every visibility and status.
    /// For admins.
    async fn startups_created(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The first moment.")] from: DateTime,
        #[graphql(desc = "The last moment.")] to: DateTime,
    ) -> Answer<Connection<Startup>> {
        let page = async {
            let (from, to) = range(ctx, (&from, &to)).await?;
            page(ctx, &created("startups/created", from, to), &()).await
        };
        Some(page.await)
    }

    /// Roles that were created from `from` to `to`, both included, newest first. For admins.
    async fn roles_created(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The first moment.")] from: DateTime,
        #[graphql(desc = "The last moment.")] to: DateTime,
    ) -> Answer<Connection<Role>> {
        let page = async {
            let (from, to) = range(ctx, (&from, &to)).await?;
            page(ctx, &created("roles/created", from, to), &()).await
        };
        Some(page.await)
    }
}
