//! What was created in a time range, by type. For admins.

use async_graphql::{Context, Object};

use trestle_api::{ApiError, Connection, DateTime, QueryResult};
use trestle_domain::{Millis, Moment};
use trestle_table::{Entity, Listing, Pk, Sk};

use super::pages::admin_page;
use super::roles::Role;
use super::startups::Startup;
use super::table::GSI3;
use super::users::User;

/// A page of the entities of a type that were created from one moment to another, both included, newest first. GSI3
/// `<type>`, one Query.
async fn created<E: Entity + Send + Sync>(
    ctx: &Context<'_>,
    name: &'static str,
    from: &DateTime,
    to: &DateTime,
) -> QueryResult<Connection<E>> {
    admin_page(ctx, |_| {
        let (from, to) = (moment(from)?, moment(to)?);
        Ok(Listing::on(name, &GSI3, Pk::word(E::KIND))
            .between(Sk::value(from), Sk::value(to))
            .newest_first())
    })
    .await
}

fn moment(text: &DateTime) -> Result<Moment<Millis>, ApiError> {
    let message = "`from` and `to` must be times such as 2026-11-20T09:30:00Z.";
    Moment::parse(&text.0).map_err(|_| ApiError::bad_input(message))
}

/// Queries for what was created in a time range.
#[derive(Default)]
pub struct CreatedQuery;

#[Object]
impl CreatedQuery {
    /// Users who registered from `from` to `to`, both included, newest first. For admins.
    async fn users_created(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The first moment.")] from: DateTime,
        #[graphql(desc = "The last moment.")] to: DateTime,
    ) -> QueryResult<Connection<User>> {
        created(ctx, "users/created", &from, &to).await
    }

    /// Startups that were created from `from` to `to`, both included, newest first, of every visibility and status.
    /// For admins.
    async fn startups_created(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The first moment.")] from: DateTime,
        #[graphql(desc = "The last moment.")] to: DateTime,
    ) -> QueryResult<Connection<Startup>> {
        created(ctx, "startups/created", &from, &to).await
    }

    /// Roles that were created from `from` to `to`, both included, newest first. For admins.
    async fn roles_created(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The first moment.")] from: DateTime,
        #[graphql(desc = "The last moment.")] to: DateTime,
    ) -> QueryResult<Connection<Role>> {
        created(ctx, "roles/created", &from, &to).await
    }
}
