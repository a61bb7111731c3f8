//! Interests in the API.

use async_graphql::{ComplexObject, Context, Enum, ID, InputObject, Object};

use crate::api::{Answer, Connection, Node as _, page, session};
use crate::payloads;
use crate::services::job_board::access::Party;
use crate::services::job_board::desk::{Event, desk};
use crate::services::job_board::jobs::Job;
use crate::services::job_board::matches::Match;
use crate::services::job_board::seekers::Seeker;

use super::{Interest, InterestState, changes, of_seeker, waiting};

#[ComplexObject]
impl Interest {
    /// Global id: opaque and stable.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// The job, be it closed or not.
    #[graphql(name = "job")]
    async fn wanted_job(&self, ctx: &Context<'_>) -> Answer<Job> {
        let job = async { session(ctx)?.load::<Job>(&self.job).await };
        job.await.transpose()
    }

    /// The profile of the seeker.
    async fn seeker(&self, ctx: &Context<'_>) -> Answer<Seeker> {
        let seeker = async { session(ctx)?.load::<Seeker>(&self.seeker_id).await };
        seeker.await.transpose()
    }

    /// The match that the approval made.
    #[graphql(name = "match")]
    async fn made_match(&self, ctx: &Context<'_>) -> Answer<Match> {
        let id = self.matched()?;
        let made = async { session(ctx)?.load::<Match>(&id).await };
        made.await.transpose()
    }
}

/// Queries of interests.
#[derive(Default)]
pub struct InterestQuery;

/// Queries of interests.
#[Object]
impl InterestQuery {
    /// The viewer's own answers to suggestions, by the time when the jobs were posted, the newest first. Needs the
    /// role `seeker`.
    async fn my_interests(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Returns only interests in this state.")] state: Option<InterestState>,
    ) -> Answer<Connection<Interest>> {
        let page = async {
            let seeker = Party::Seeker.must_be(session(ctx)?)?;
            page(ctx, &of_seeker(&seeker, state), &()).await
        };
        Some(page.await)
    }

    /// Interests in the viewer's jobs that wait for an answer, the oldest first. Needs the role `employer`.
    async fn waiting_interests(&self, ctx: &Context<'_>) -> Answer<Connection<Interest>> {
        let page = async {
            let employer = Party::Employer.must_be(session(ctx)?)?;
            page(ctx, &waiting(&employer), &()).await
        };
        Some(page.await)
    }
}

/// Direction of a swipe.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwipeDirection {
    /// Interested.
    Right,
    /// Not interested. The job is never suggested again.
    Left,
}

/// An answer to a suggestion.
#[derive(InputObject, Clone)]
pub struct SwipeInput {
    /// Id of the suggestion.
    suggestion_id: ID,
    /// Right for interested, left for not interested.
    direction: SwipeDirection,
}

macro_rules! inputs {
    ($($(#[$doc:meta])* $type:ident)+) => {$(
        $(#[$doc])*
        #[derive(InputObject, Clone)]
        pub struct $type {
            /// Id of the interest.
            id: ID,
        }
    )+};
}

inputs! {
    /// An answer to take back.
    UndoSwipeInput
    /// An interest to approve.
    ApproveInterestInput
    /// An interest to decline.
    DeclineInterestInput
}

payloads! {
    /// The result of `swipe`.
    SwipePayload {
        /// The interest; null if the suggestion was not answered.
        interest: Interest
    }
    /// The result of `undoSwipe`.
    UndoSwipePayload {
        /// The interest that was taken back; null if nothing was changed.
        interest: Interest
    }
    /// The result of `approveInterest`.
    ApproveInterestPayload {
        /// The match; null if the interest was not approved.
        r#match: Match
    }
    /// The result of `declineInterest`.
    DeclineInterestPayload {
        /// The interest after the change; null if it was not changed.
        interest: Interest
    }
}

/// Mutations of interests.
#[derive(Default)]
pub struct InterestMutation;

/// Mutations of interests.
#[Object]
impl InterestMutation {
    /// Answers a suggestion. Needs the role `seeker`.
    async fn swipe(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The answer.")] input: SwipeInput,
    ) -> Answer<SwipePayload> {
        let written = async {
            let session = session(ctx)?;
            Party::Seeker.must_be(session)?;
            let state = match input.direction {
                SwipeDirection::Right => InterestState::Waiting,
                SwipeDirection::Left => InterestState::Rejected,
            };
            SwipePayload::of(changes::swipe(session, &input.suggestion_id, state).await)
        };
        Some(written.await)
    }

    /// Takes back an answer to a suggestion while the employer has not answered. Needs the role `seeker`.
    async fn undo_swipe(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The interest.")] input: UndoSwipeInput,
    ) -> Answer<UndoSwipePayload> {
        let written = async {
            let session = session(ctx)?;
            Party::Seeker.must_be(session)?;
            UndoSwipePayload::of(changes::undo(session, &input.id).await)
        };
        Some(written.await)
    }

    /// Approves an interest in a job of the viewer and makes the match. Approving twice returns the same match. Needs
    /// the role `employer`.
    async fn approve_interest(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The interest.")] input: ApproveInterestInput,
    ) -> Answer<ApproveInterestPayload> {
        let written = async {
            let session = session(ctx)?;
            Party::Employer.must_be(session)?;
            let written = changes::approve(session, &input.id).await;
            if let Ok(made) = &written
                && made.is_written
            {
                desk(ctx)?
                    .live
                    .announce(|| Event::Matched(made.entity.clone()));
            }
            ApproveInterestPayload::of(written)
        };
        Some(written.await)
    }

    /// Declines an interest in a job of the viewer. Needs the role `employer`.
    async fn decline_interest(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The interest.")] input: DeclineInterestInput,
    ) -> Answer<DeclineInterestPayload> {
        let written = async {
            let session = session(ctx)?;
            Party::Employer.must_be(session)?;
            DeclineInterestPayload::of(changes::decline(session, &input.id).await)
        };
        Some(written.await)
    }
}
