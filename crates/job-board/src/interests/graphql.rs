//! Interests in the API.

use async_graphql::{ComplexObject, Context, Enum, ID, InputObject, Object};

use crate::access::Party;
use crate::jobs::Job;
use crate::matches::Match;
use crate::runs::belonging::OfKept;
use crate::seekers::Seeker;
use crate::service_state::{Event, Request};
use trestle_api::{Connection, MutationResult, Node as _, QueryResult, Session, page, session};
use trestle_api::{mutations, payloads};

use super::{Interest, InterestState, changes, of_seeker, waiting};

#[ComplexObject]
impl Interest {
    /// Global id: opaque and stable.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// The job, be it closed or not.
    #[graphql(name = "job")]
    async fn wanted_job(&self, ctx: &Context<'_>) -> QueryResult<Job> {
        let job = async { session(ctx)?.load::<Job>(&self.job).await };
        job.await.transpose()
    }

    /// The profile of the seeker.
    async fn seeker(&self, ctx: &Context<'_>) -> QueryResult<Seeker> {
        let seeker = async { session(ctx)?.load::<Seeker>(&self.seeker_id).await };
        seeker.await.transpose()
    }

    /// The match that the approval made.
    #[graphql(name = "match")]
    async fn made_match(&self, ctx: &Context<'_>) -> QueryResult<Match> {
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
    ) -> QueryResult<Connection<Interest>> {
        let page = async {
            let session = session(ctx)?;
            let seeker = Party::Seeker.must_be(session)?;
            page(ctx, &of_seeker(&seeker, state), &OfKept(session)).await
        };
        Some(page.await)
    }

    /// Interests in the viewer's jobs that wait for an answer, the oldest first. Needs the role `employer`.
    async fn waiting_interests(&self, ctx: &Context<'_>) -> QueryResult<Connection<Interest>> {
        let page = async {
            let session = session(ctx)?;
            let employer = Party::Employer.must_be(session)?;
            page(ctx, &waiting(&employer), &OfKept(session)).await
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

/// A job that the viewer is interested in.
#[derive(InputObject, Clone)]
pub struct ExpressInterestInput {
    /// Id of the job.
    job_id: ID,
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
    /// A declined interest to wait for an answer again.
    UndoDeclineInput
    /// An approval to take back.
    UndoApprovalInput
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
    /// The result of `expressInterest`.
    ExpressInterestPayload {
        /// The interest; null if there is none.
        interest: Interest
    }
    /// The result of `undoDecline`.
    UndoDeclinePayload {
        /// The interest after the change; null if it was not changed.
        interest: Interest
    }
    /// The result of `undoApproval`.
    UndoApprovalPayload {
        /// The interest after the change; null if it was not changed.
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
        swipe(SwipeInput) -> SwipePayload = swipe,
        /// Says that the viewer is interested in an open job, be it suggested or not. Needs the role `seeker`.
        express_interest(ExpressInterestInput) -> ExpressInterestPayload = express,
        /// Takes back an answer to a suggestion while the employer has not answered. Needs the role `seeker`.
        undo_swipe(UndoSwipeInput) -> UndoSwipePayload = undo,
        /// Takes back that an interest in a job of the viewer was declined: it waits for an answer again. Needs the role
        /// `employer`.
        undo_decline(UndoDeclineInput) -> UndoDeclinePayload = undo_decline,
        /// Takes back an approval of the viewer while nothing has followed from it, no message, no stage and no note: the match is
        /// deleted, and the interest waits for an answer again. Needs the role `employer`.
        undo_approval(UndoApprovalInput) -> UndoApprovalPayload = undo_approval,
        /// Approves a waiting or declined interest in a job of the viewer and makes the match. Approving twice returns the same match. Needs
        /// the role `employer`.
        approve_interest(ApproveInterestInput) -> ApproveInterestPayload = approve,
        /// Declines an interest in a job of the viewer. Needs the role `employer`.
        decline_interest(DeclineInterestInput) -> DeclineInterestPayload = decline,
    }
}

async fn swipe(session: &Session, input: SwipeInput) -> MutationResult<Interest> {
    Party::Seeker.acting(session)?;
    let state = match input.direction {
        SwipeDirection::Right => InterestState::Waiting,
        SwipeDirection::Left => InterestState::Rejected,
    };
    changes::swipe(session, &input.suggestion_id, state).await
}

async fn express(session: &Session, input: ExpressInterestInput) -> MutationResult<Interest> {
    Party::Seeker.acting(session)?;
    changes::express(session, &input.job_id).await
}

async fn undo_decline(session: &Session, input: UndoDeclineInput) -> MutationResult<Interest> {
    Party::Employer.acting(session)?;
    changes::undo_decline(session, &input.id).await
}

async fn undo_approval(session: &Session, input: UndoApprovalInput) -> MutationResult<Interest> {
    Party::Employer.acting(session)?;
    changes::undo_approval(session, &input.id).await
}

async fn undo(session: &Session, input: UndoSwipeInput) -> MutationResult<Interest> {
    Party::Seeker.acting(session)?;
    changes::undo(session, &input.id).await
}

async fn approve(request: Request<'_>, input: ApproveInterestInput) -> MutationResult<Match> {
    Party::Employer.acting(request.session)?;
    let made = changes::approve(request.session, &input.id).await?;
    if made.is_written {
        request
            .service
            .live
            .announce(|| Event::Matched(made.entity.clone()));
    }
    Ok(made)
}

async fn decline(session: &Session, input: DeclineInterestInput) -> MutationResult<Interest> {
    Party::Employer.acting(session)?;
    changes::decline(session, &input.id).await
}
