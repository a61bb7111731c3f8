//! Mutations of who may open a shareable besides those with its passcodes.

use async_graphql::{ID, InputObject, Object};
use uuid::Uuid;

use super::content::names;
use super::inputs::one;
use crate::devices;
use crate::invitation::NewInvitation;
use crate::invitations;
use crate::request_context::{Made, NOT_THERE, RequestContext, refused};
use crate::short_id::ShortId;
use crate::token::{Claims, TICKET_LIFETIME, Ticket, VoterName};
use trestle_api::{ApiError, DateTime, Input, Scalar as _, mutations};
use trestle_domain::{Check, Moment, Rule, Seconds};
use trestle_table::Changed;

/// A shareable to watch.
#[derive(InputObject)]
pub struct IssueTicketInput {
    /// Short id of the shareable that the token opens.
    short_id: Input<ShortId>,
}

/// A ticket for a stream.
pub struct StreamTicket {
    ticket: String,
    expires_at: i64,
}

/// A ticket, with which a page begins to watch a shareable by `EventSource`, which cannot send a token.
#[Object]
impl StreamTicket {
    /// The ticket, for the parameter `ticket` of the stream's address. It opens subscriptions and nothing else, and does not
    /// say who votes: `myVote` is `null` in such a stream.
    async fn ticket(&self) -> &str {
        &self.ticket
    }

    /// Until when a stream can begin with it: a minute after it was issued. The stream ends when the token would.
    async fn expires_at(&self) -> Option<DateTime> {
        Moment::<Seconds>::from_seconds(self.expires_at).map(|at| at.show())
    }
}

/// A device to sign out.
#[derive(InputObject)]
pub struct SignOutInput {
    /// ID of the device.
    id: ID,
}

/// People to invite.
#[derive(InputObject)]
pub struct InviteVotersInput {
    /// Short id of the poll.
    short_id: Input<ShortId>,
    /// Their names, different from each other and from those of the people who are invited already. A poll has at most 60.
    names: Vec<Input<VoterName>>,
}

/// An invitation whose personal link is to be replaced.
#[derive(InputObject)]
pub struct RenewInvitationInput {
    /// ID of the invitation.
    id: ID,
}

mutations! {
    /// Mutations of devices and invitations.
    AccessMutation {
        /// Issues a ticket for a stream by `EventSource`.
        issue_ticket(IssueTicketInput) -> IssueTicketPayload { ticket: StreamTicket } = issue_ticket,
        /// Signs out a device that stays signed in: its refresh token opens nothing any more. With the admin passcode any
        /// device, whose tokens open nothing any more either; else one's own, whose tokens expire within the hour.
        sign_out(SignOutInput) -> SignOutPayload { signed_out_id: ID } = sign_out,
        /// Invites people to vote in a poll: each gets a personal link, and one vote. From then on nobody else votes. Needs
        /// the admin passcode.
        invite_voters(InviteVotersInput) -> InviteVotersPayload { invitations: Vec<NewInvitation> } = invite,
        /// Gives an invited person a new personal link. The earlier one opens nothing any more; the vote stays theirs. Needs
        /// the admin passcode.
        renew_invitation(RenewInvitationInput) -> RenewInvitationPayload { invitation: NewInvitation } = renew,
    }
}

async fn issue_ticket(context: RequestContext<'_>, input: IssueTicketInput) -> Made<StreamTicket> {
    let short_id = one("shortId", input.short_id)?;
    let claims = context.claims()?;
    if claims.short_id != short_id || devices::signed_in(context, &claims).await?.is_none() {
        return refused(NOT_THERE, "shortId");
    }
    let expires_at = context.now().timestamp() + TICKET_LIFETIME;
    let expires_at = expires_at.min(claims.expires);
    // Addresses are logged: it does not say which voter it is, which is a secret.
    let claims = Claims {
        voter_id: Uuid::nil(),
        voter_name: None,
        ..claims
    };
    let ticket = Ticket {
        expires: expires_at,
        claims,
    };
    let ticket = context.shared.secret.sign_ticket(&ticket);
    Ok(Changed::now(StreamTicket {
        ticket: ticket.map_err(ApiError::internal)?,
        expires_at,
    }))
}

async fn sign_out(context: RequestContext<'_>, input: SignOutInput) -> Made<ID> {
    devices::sign_out(context, &input.id).await
}

async fn invite(context: RequestContext<'_>, input: InviteVotersInput) -> Made<Vec<NewInvitation>> {
    let mut check = Check::default();
    let short_id = check.need("shortId", input.short_id);
    let names = names(input.names).and_then(|names| {
        if names.is_empty() {
            Err(Rule::Required)
        } else {
            Ok(names)
        }
    });
    let names = check.need("names", names);
    let (short_id, names) = check.finish(|| short_id.zip(names))?;
    invitations::invite(context, &short_id, &names).await
}

async fn renew(context: RequestContext<'_>, input: RenewInvitationInput) -> Made<NewInvitation> {
    invitations::renew(context, &input.id).await
}
