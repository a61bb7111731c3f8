//! The invitations that a user was sent.

use async_graphql::{Context, Object};

use crate::member::{active, profile};
use crate::table::GSI2;
use crate::users::User;
use trestle_api::{ApiError, Connection, QueryResult, page, session};
use trestle_domain::{Email, Moment};
use trestle_table::{Listing, Pk, Sk};

use super::{Invitation, InvitationStatus, Offered};

/// Number of items that are read for one page, at most, if not all of them match.
const READ_FOR_A_PAGE: usize = 1000;

/// Invitations for an address that a user sees, newest first. GSI2 `INVITED_ADDRESS#address`, one Query; further ones while too
/// few match.
fn for_address(
    email: &Email,
    user: &User,
    status: Option<InvitationStatus>,
    now: Moment,
) -> Listing<Invitation> {
    let reader = user.clone();
    let name = status.map_or("all", InvitationStatus::word);
    Listing::on(
        "invitations/address",
        &GSI2,
        Pk::of("INVITED_ADDRESS", email),
    )
    .begins_with(Sk::word("INVITATION").below())
    .newest_first()
    .keeping(name, move |invitation: &Invitation| {
        let has_status = status.is_none_or(|status| invitation.status_at(now) == status);
        has_status && invitation.is_addressed_to(&reader)
    })
    .reading_at_most(READ_FOR_A_PAGE)
}

/// Queries for invitations.
#[derive(Default)]
pub struct InvitationQuery;

#[Object]
impl InvitationQuery {
    /// Invitations for the viewer's verified email address, newest first. Invitations without an address are
    /// links, which only their founder lists. For investors; empty for other users and without a verified address. Those that
    /// the viewer has not accepted are left out while their founder is banned, or one has blocked the other.
    async fn my_invitations(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only invitations with this status.")] status: Option<InvitationStatus>,
    ) -> QueryResult<Connection<Invitation>> {
        let read = async {
            let session = session(ctx)?;
            active(session).await?;
            let profile = profile(session).await?;
            let Some(user) = &profile.0 else {
                return Err(ApiError::bad_input("The viewer is not registered."));
            };
            let list = for_address(&user.email, user, status, session.now());
            page(ctx, &list, &Offered(session)).await
        };
        Some(read.await)
    }
}

impl Invitation {
    /// Whether it is for the verified address of an investor, and nobody else has accepted it.
    pub fn is_addressed_to(&self, user: &User) -> bool {
        let is_own = self.email.as_ref() == Some(&user.email) && user.has_verified_email();
        let is_taken = self
            .accepted_by
            .as_ref()
            .is_some_and(|by| *by != user.user_id);
        is_own && !is_taken && user.role == self.invited_role()
    }
}
