//! Interests in the API.

use async_graphql::{ComplexObject, Context, Enum, ID, InputObject, Object};

use crate::api::{Answer, Connection, Node as _, Session, Written, page, session};
use crate::services::job_board::access::Party;
use crate::services::job_board::desk::{Event, Request};
use crate::services::job_board::jobs::Job;
use crate::services::job_board::matches::Match;
use crate::services::job_board::seekers::Seeker;
use crate::{mutations, payloads};

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

mutations! {
    /// Mutations of interests.
    InterestMutation {
        /// Answers a suggestion. Needs the role `seeker`.
        swipe("The answer.", SwipeInput) -> SwipePayload = swipe,
        /// Takes back an answer to a suggestion while the employer has not answered. Needs the role `seeker`.
        undo_swipe("The interest.", UndoSwipeInput) -> UndoSwipePayload = undo,
        /// Approves an interest in a job of the viewer and makes the match. Approving twice returns the same match. Needs
        /// the role `employer`.
        approve_interest("The interest.", ApproveInterestInput) -> ApproveInterestPayload = approve,
        /// Declines an interest in a job of the viewer. Needs the role `employer`.
        decline_interest("The interest.", DeclineInterestInput) -> DeclineInterestPayload = decline,
    }
}

async fn swipe(session: &Session, input: SwipeInput) -> Written<Interest> {
    Party::Seeker.acting(session)?;
    let state = match input.direction {
        SwipeDirection::Right => InterestState::Waiting,
        SwipeDirection::Left => InterestState::Rejected,
    };
    changes::swipe(session, &input.suggestion_id, state).await
}

async fn undo(session: &Session, input: UndoSwipeInput) -> Written<Interest> {
    Party::Seeker.acting(session)?;
    changes::undo(session, &input.id).await
}

async fn approve(request: Request<'_>, input: ApproveInterestInput) -> Written<Match> {
    Party::Employer.acting(request.session)?;
    let made = changes::approve(request.session, &input.id).await?;
    if made.is_written {
        let event = || Event::Matched(made.entity.clone());
        request.desk.live.announce(event);
    }
    Ok(made)
}

async fn decline(session: &Session, input: DeclineInterestInput) -> Written<Interest> {
    Party::Employer.acting(session)?;
    changes::decline(session, &input.id).await
}
