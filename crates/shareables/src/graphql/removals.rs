//! Mutations that remove votes and invitations.

use async_graphql::{ID, InputObject, SimpleObject};

use crate::invitations;
use crate::request_context::{Made, RequestContext};
use crate::voting;
use trestle_api::{ApiError, UserError, mutations, user_errors};

/// A vote to remove.
#[derive(InputObject)]
pub struct RemoveVoteInput {
    /// ID of the vote.
    id: ID,
}

/// An invitation to take back.
#[derive(InputObject)]
pub struct RemoveInvitationInput {
    /// ID of the invitation.
    id: ID,
}

macro_rules! removal_payloads {
    ($($type:ident)+) => {$(
        /// The result of the mutation.
        #[derive(SimpleObject)]
        pub struct $type {
            /// ID of the deleted object. `null` if there are errors.
            deleted_id: Option<ID>,
            /// ID of the deleted object.
            #[graphql(deprecation = "Use `deletedId`. Removed after 2027-06-30.")]
            removed_id: Option<ID>,
            /// Validation errors. If not empty, nothing was changed.
            user_errors: Vec<UserError>,
        }

        impl $type {
            fn of(removed: Made<ID>) -> Result<Self, ApiError> {
                let (id, user_errors) = match removed {
                    Ok(removed) => (Some(removed.entity), Vec::new()),
                    Err(error) => (None, user_errors(error)?),
                };
                Ok(Self { deleted_id: id.clone(), removed_id: id, user_errors })
            }
        }
    )+};
}

removal_payloads! {
    RemoveVotePayload
    RemoveInvitationPayload
}

mutations! {
    /// Mutations that remove votes and invitations.
    RemovalMutation {
        /// Removes the vote of someone else, also from a closed poll. The voter can vote again as long as they can open the
        /// poll. Needs the admin passcode.
        remove_vote(RemoveVoteInput) -> RemoveVotePayload = remove_vote,
        /// Takes an invitation back: its personal link opens nothing any more. A vote that was cast stays. Needs the admin
        /// passcode.
        remove_invitation(RemoveInvitationInput) -> RemoveInvitationPayload = remove_invitation,
    }
}

async fn remove_vote(context: RequestContext<'_>, input: RemoveVoteInput) -> Made<ID> {
    voting::remove(context, &input.id).await
}

async fn remove_invitation(context: RequestContext<'_>, input: RemoveInvitationInput) -> Made<ID> {
    invitations::remove(context, &input.id).await
}
