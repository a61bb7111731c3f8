//! Items, options, votes and tokens in the API.

use async_graphql::{ComplexObject, Context, ID, Object};
use uuid::Uuid;

use super::types::{AnyShareable, Checklist, Poll};
use crate::checklist::ChecklistItem;
use crate::invitation::{Invitation, NewInvitation};
use crate::opened::RefreshToken;
use crate::part::{Named, Part as _};
use crate::poll::{PollOption, PollVote};
use crate::request_context::{RequestContext, unopened};
use crate::shareable::{Content, Shareable};
use crate::short_id::ShortId;
use crate::token::{Claims, Grant, ShareableKind, ShareableRole, VoterName};
use crate::voting::voters;
use trestle_api::{ApiError, DateTime, QueryResult, Scalar as _};
use trestle_domain::{Moment, Seconds};

#[ComplexObject]
impl ChecklistItem {
    /// ID, for `node`.
    pub async fn id(&self) -> ID {
        self.api_id()
    }

    /// Whether the token's voter has added it. With EDIT in `viewersMay` they can delete it, too.
    async fn is_mine(&self, ctx: &Context<'_>) -> Result<bool, ApiError> {
        let claims = RequestContext::of(ctx)?.seen_claims(&self.short_id)?;
        Ok(self.is_of(&claims))
    }

    /// The checklist of the item.
    async fn checklist(&self, ctx: &Context<'_>) -> QueryResult<Checklist> {
        let found = opened(ctx, &self.short_id).await;
        found
            .map(|found| found.and_then(AnyShareable::checklist))
            .transpose()
    }
}

#[ComplexObject]
impl PollOption {
    /// ID, for `node`.
    pub async fn id(&self) -> ID {
        self.api_id()
    }

    /// Number of votes for the option. `null` as long as the poll hides its results.
    async fn vote_count(&self, ctx: &Context<'_>) -> QueryResult<u32> {
        let hidden = RequestContext::of(ctx).map(|context| self.hides_votes(context.now()));
        hidden
            .map(|hidden| (!hidden).then_some(self.votes))
            .transpose()
    }

    /// Number of votes that the option suits if need be. `null` as long as the poll hides its results.
    async fn maybe_count(&self, ctx: &Context<'_>) -> QueryResult<u32> {
        let hidden = RequestContext::of(ctx).map(|context| self.hides_votes(context.now()));
        hidden
            .map(|hidden| (!hidden).then_some(self.maybes))
            .transpose()
    }

    /// How many of a hundred voters have voted for the option. `null` as long as the poll hides its results, and before
    /// the first vote.
    async fn percentage(&self, ctx: &Context<'_>) -> QueryResult<f64> {
        let read = async {
            let context = RequestContext::of(ctx)?;
            let poll = if self.hides_votes(context.now()) {
                None
            } else {
                opened_item(ctx, &self.short_id).await?
            };
            let voters = match poll {
                Some(poll) => voters(context, &poll).await?,
                None => 0,
            };
            Ok((voters > 0).then(|| f64::from(self.votes) * 100.0 / f64::from(voters)))
        };
        read.await.transpose()
    }

    /// The poll of the option.
    async fn poll(&self, ctx: &Context<'_>) -> QueryResult<Poll> {
        let found = opened(ctx, &self.short_id).await;
        found
            .map(|found| found.and_then(AnyShareable::poll))
            .transpose()
    }
}

#[ComplexObject]
impl Invitation {
    /// ID, for `renewInvitation` and `removeInvitation`.
    async fn id(&self) -> ID {
        Named::Invitation(self.short_id.clone(), self.invitation_id).to_id()
    }

    /// Whether the person has voted.
    async fn has_voted(&self, ctx: &Context<'_>) -> QueryResult<bool> {
        let read = async {
            let context = RequestContext::of(ctx)?;
            let voter = context.shared.secret.invited_voter(self.invitation_id);
            let voter = Claims::public_id(&self.short_id, voter);
            let id = (self.short_id.clone(), voter);
            let vote = context.session.load::<PollVote>(&id).await?;
            Ok(vote.is_some_and(|vote| vote.is_cast()))
        };
        Some(read.await)
    }
}

#[ComplexObject]
impl PollVote {
    /// ID, for `removeVote`.
    async fn id(&self) -> ID {
        Named::Vote(self.short_id.clone(), self.voter_id).to_id()
    }

    /// Name of the voter, if they gave one. `null` for others if the poll hides names.
    async fn voter_name(&self, ctx: &Context<'_>) -> QueryResult<&VoterName> {
        let name = self.voter_name.as_ref()?;
        let read = async {
            let claims = RequestContext::of(ctx)?.seen_claims(&self.short_id)?;
            let is_own = self.voter_id == claims.public_voter_id();
            if is_own || claims.role == ShareableRole::Admin {
                return Ok(Some(name));
            }
            let poll = opened_item(ctx, &self.short_id)
                .await?
                .map(|poll| poll.content);
            let is_shown = matches!(poll, Some(Content::Poll(poll)) if !poll.hides_names);
            Ok(is_shown.then_some(name))
        };
        read.await.transpose()
    }

    /// IDs of the options that the vote is for.
    async fn option_ids(&self) -> Vec<ID> {
        let options = self.options.as_slice().iter();
        let id = |option: &Uuid| Named::Option(self.short_id.clone(), *option).to_id();
        options.map(id).collect()
    }

    /// IDs of the options that suit the voter if need be.
    async fn maybe_option_ids(&self) -> Vec<ID> {
        let options = self.maybes.as_slice().iter();
        let id = |option: &Uuid| Named::Option(self.short_id.clone(), *option).to_id();
        options.map(id).collect()
    }

    /// When the voter last changed the vote.
    async fn voted_at(&self) -> Moment {
        self.cast_at()
    }

    /// The poll of the vote.
    async fn poll(&self, ctx: &Context<'_>) -> QueryResult<Poll> {
        let found = opened(ctx, &self.short_id).await;
        found
            .map(|found| found.and_then(AnyShareable::poll))
            .transpose()
    }
}

/// The shareable of a part, if a token opens it. All parts of a list share one BatchGetItem.
async fn opened(ctx: &Context<'_>, short_id: &ShortId) -> Result<Option<AnyShareable>, ApiError> {
    Ok(opened_item(ctx, short_id).await?.map(AnyShareable::from))
}

/// As [`opened`], as it is stored.
async fn opened_item(ctx: &Context<'_>, short_id: &ShortId) -> Result<Option<Shareable>, ApiError> {
    let context = RequestContext::of(ctx)?;
    let claims = context.seen_claims(short_id)?;
    match context.session.load::<Shareable>(&claims.short_id).await? {
        Some(shareable) if !context.opens(&claims, &shareable) => Err(unopened()),
        found => Ok(found),
    }
}

/// A token by which a device that stays signed in opens the shareable again.
#[Object]
impl RefreshToken {
    /// The refresh token, for `useRefreshToken`. It is good for one use, which returns the next one. Keep it secret.
    async fn refresh_token(&self) -> &str {
        &self.token
    }

    /// The refresh token.
    #[graphql(deprecation = "Use `refreshToken`. Removed after 2027-06-30.")]
    async fn token(&self) -> &str {
        &self.token
    }

    /// When it expires: 30 days after it was issued, or when the passcode changes or the device is signed out.
    async fn expires_at(&self) -> Option<DateTime> {
        Moment::<Seconds>::from_seconds(self.expires_at).map(|at| at.show())
    }
}

/// An invitation, and its personal link, which is shown this once.
#[Object(name = "NewInvitation")]
impl NewInvitation {
    /// The invitation.
    async fn invitation(&self) -> &Invitation {
        &self.invitation
    }

    /// The secret of the personal link, for `openInvitation`. Put it after the `#` of the link, which is not sent to
    /// servers. It cannot be read again.
    async fn secret(&self) -> String {
        self.link.reveal()
    }
}

/// A token: what its bearer may do with which shareable, until when.
pub struct ShareableToken {
    pub claims: Claims,
    pub token: String,
}

/// A token: what its bearer may do with which shareable, until when.
#[Object]
impl ShareableToken {
    /// The token. Send it as `Authorization: Bearer ...`, or as `authorization` in `connectionParams`.
    async fn token(&self) -> &str {
        &self.token
    }

    /// Short id of the shareable that it opens.
    async fn short_id(&self) -> String {
        self.claims.short_id.to_string()
    }

    /// ID of the device that stays signed in with it, for `signOut`. `null` if it does not.
    async fn device_id(&self) -> Option<ID> {
        match self.claims.grant {
            Some(Grant::Device(device)) => {
                Some(Named::Device(self.claims.short_id.clone(), device).to_id())
            }
            Some(Grant::Invitation(_)) | None => None,
        }
    }

    /// Kind of the shareable.
    async fn kind(&self) -> ShareableKind {
        self.claims.kind
    }

    /// What it opens.
    async fn role(&self) -> ShareableRole {
        self.claims.role
    }

    /// When it expires: an hour after it was issued at the latest. Renew it before with `renewToken`.
    async fn expires_at(&self) -> Option<DateTime> {
        Moment::<Seconds>::from_seconds(self.claims.expires).map(|at| at.show())
    }

    /// ID of the voter. Pass it to `openShareable` to change the same vote later.
    async fn voter_id(&self) -> trestle_api::Uuid {
        trestle_api::Uuid(self.claims.voter_id.to_string())
    }

    /// Name that is shown with ticks and votes.
    async fn voter_name(&self) -> Option<String> {
        self.claims.voter_name.as_ref().map(ToString::to_string)
    }
}
