//! Items, options, votes and tokens in the API.

use async_graphql::{ComplexObject, Context, ID, Object};
use uuid::Uuid;

use super::types::{AnyShareable, Checklist, Poll};
use crate::api::{Answer, ApiError, DateTime, Scalar as _};
use crate::domain::{Moment, Seconds};
use crate::services::shareables::checklist::ChecklistItem;
use crate::services::shareables::desk::{Desk, unopened};
use crate::services::shareables::part::Named;
use crate::services::shareables::poll::{PollOption, PollVote};
use crate::services::shareables::shareable::Shareable;
use crate::services::shareables::token::{Claims, ShareableKind, ShareableRole};

#[ComplexObject]
impl ChecklistItem {
    /// ID, for `node`.
    pub async fn id(&self) -> ID {
        Named::Item(self.short_id.clone(), self.checklist_item_id).to_id()
    }

    /// The checklist of the item.
    async fn checklist(&self, ctx: &Context<'_>) -> Answer<Checklist> {
        let found = opened(ctx).await;
        found
            .map(|found| found.and_then(AnyShareable::checklist))
            .transpose()
    }
}

#[ComplexObject]
impl PollOption {
    /// ID, for `node`.
    pub async fn id(&self) -> ID {
        Named::Option(self.short_id.clone(), self.poll_option_id).to_id()
    }

    /// Number of votes for the option. `null` as long as the poll hides its results.
    async fn vote_count(&self, ctx: &Context<'_>) -> Answer<u32> {
        let hidden = Desk::of(ctx).map(|desk| self.hides_votes(desk.now()));
        hidden
            .map(|hidden| (!hidden).then_some(self.votes))
            .transpose()
    }

    /// The poll of the option.
    async fn poll(&self, ctx: &Context<'_>) -> Answer<Poll> {
        let found = opened(ctx).await;
        found
            .map(|found| found.and_then(AnyShareable::poll))
            .transpose()
    }
}

#[ComplexObject]
impl PollVote {
    /// IDs of the options that the vote is for.
    async fn option_ids(&self) -> Vec<ID> {
        let options = self.options.as_slice().iter();
        let id = |option: &Uuid| Named::Option(self.short_id.clone(), *option).to_id();
        options.map(id).collect()
    }

    /// When the vote was last changed.
    async fn voted_at(&self) -> Moment {
        self.stamp.updated_at
    }

    /// The poll of the vote.
    async fn poll(&self, ctx: &Context<'_>) -> Answer<Poll> {
        let found = opened(ctx).await;
        found
            .map(|found| found.and_then(AnyShareable::poll))
            .transpose()
    }
}

/// The shareable that the request's token opens. All parts of a list share one BatchGetItem.
async fn opened(ctx: &Context<'_>) -> Result<Option<AnyShareable>, ApiError> {
    let desk = Desk::of(ctx)?;
    let claims = desk.claims()?;
    match desk.session.load::<Shareable>(&claims.short_id).await? {
        Some(shareable) if !desk.opens(&claims, &shareable) => Err(unopened()),
        found => Ok(found.map(AnyShareable::from)),
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
    async fn voter_id(&self) -> crate::api::Uuid {
        crate::api::Uuid(self.claims.voter_id.to_string())
    }

    /// Name that is shown with ticks and votes.
    async fn voter_name(&self) -> Option<String> {
        self.claims.voter_name.as_ref().map(ToString::to_string)
    }
}
