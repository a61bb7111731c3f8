//! Pages of lists whose fields are for active users, or for admins.

use async_graphql::Context;

use trestle_api::{ApiError, Connection, QueryResult, Session, page, session};
use trestle_domain::Violations;
use trestle_table::{Entity, Listing};

use super::member::{Member, active, admin};

/// A page of a list of the viewer, who must be active.
pub async fn own_page<E: Entity + Send + Sync>(
    ctx: &Context<'_>,
    list: impl FnOnce(&Member) -> Listing<E>,
) -> QueryResult<Connection<E>> {
    let read = async {
        let member = active(session(ctx)?).await?;
        page(ctx, &list(&member), &()).await
    };
    Some(read.await)
}

/// The error of a filter that breaks rules.
pub fn bad_filter(broken: Violations) -> ApiError {
    let texts: Vec<_> = broken.iter().map(ToString::to_string).collect();
    ApiError::bad_input(texts.join(" "))
}

/// A page of a list for admins.
pub async fn admin_page<E: Entity + Send + Sync>(
    ctx: &Context<'_>,
    list: impl FnOnce(&Session) -> Result<Listing<E>, ApiError>,
) -> QueryResult<Connection<E>> {
    let read = async {
        let session = session(ctx)?;
        admin(session).await?;
        page(ctx, &list(session)?, &()).await
    };
    Some(read.await)
}
