//! Matches in the API.

use async_graphql::{ComplexObject, Context, ID, Object, Subscription};
use futures_util::stream::BoxStream;

use crate::api::{Answer, ApiError, Connection, Node as _, found, page, session};
use crate::domain::Day;
use crate::services::job_board::access::Party;
use crate::services::job_board::desk::{Event, desk};
use crate::services::job_board::employers::Employer;
use crate::services::job_board::jobs::Job;
use crate::services::job_board::messages::{self, Message};
use crate::services::job_board::seekers::Seeker;

use super::{Match, of_party};

#[ComplexObject]
impl Match {
    /// Global id: opaque and stable.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// The day (UTC) of the approval.
    async fn matched_on(&self) -> Option<Day> {
        self.match_id.raw().moment().map(Day::of)
    }

    /// The job, be it closed or not.
    #[graphql(name = "job")]
    async fn matched_job(&self, ctx: &Context<'_>) -> Answer<Job> {
        let job = async { session(ctx)?.load::<Job>(&self.job).await };
        job.await.transpose()
    }

    /// The profile of the seeker.
    async fn seeker(&self, ctx: &Context<'_>) -> Answer<Seeker> {
        let seeker = async { session(ctx)?.load::<Seeker>(&self.seeker_id).await };
        seeker.await.transpose()
    }

    /// The profile of the employer, if they have one.
    async fn employer(&self, ctx: &Context<'_>) -> Answer<Employer> {
        let employer = async { session(ctx)?.load::<Employer>(&self.employer_id).await };
        employer.await.transpose()
    }

    /// Messages, the newest first.
    async fn messages(&self, ctx: &Context<'_>) -> Answer<Connection<Message>> {
        Some(page(ctx, &messages::of_match(self.match_id), &()).await)
    }
}

/// Queries of matches.
#[derive(Default)]
pub struct MatchQuery;

#[Object]
impl MatchQuery {
    /// Matches of the viewer, the newest first.
    async fn matches(
        &self,
        ctx: &Context<'_>,
        #[graphql(
            name = "as",
            desc = "The side on which the viewer is. Defaults to the one for which the viewer has the role; to SEEKER \
                    for both."
        )]
        side: Option<Party>,
        #[graphql(desc = "Matched on this day (UTC) or later.")] from: Option<
            crate::api::Given<Day>,
        >,
        #[graphql(desc = "Matched on this day (UTC) or earlier.")] to: Option<
            crate::api::Given<Day>,
        >,
    ) -> Answer<Connection<Match>> {
        let page = async {
            let session = session(ctx)?;
            let only_employer = Party::Employer.is(session) && !Party::Seeker.is(session);
            let side = side.unwrap_or(match only_employer {
                true => Party::Employer,
                false => Party::Seeker,
            });
            let user = side.must_be(session)?;
            let (from, to) = (given("from", from)?, given("to", to)?);
            page(ctx, &of_party(side, &user, from, to), &()).await
        };
        Some(page.await)
    }

    /// A match by its id; null if it does not exist or is not the viewer's.
    #[graphql(name = "match")]
    async fn one(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Id of the match.")] id: ID,
    ) -> Answer<Match> {
        let id = match session(ctx) {
            Ok(session) => Match::named(&id, session).ok()?,
            Err(error) => return Some(Err(error)),
        };
        found(ctx, &id).await
    }
}

fn given(name: &str, day: Option<crate::api::Given<Day>>) -> Result<Option<Day>, ApiError> {
    let parsed = day.map(Result::from).transpose();
    parsed.map_err(|rule| ApiError::bad_input(format!("`{name}` {rule}.")))
}

/// Subscriptions to matches.
#[derive(Default)]
pub struct MatchSubscription;

#[Subscription]
impl MatchSubscription {
    /// Matches of the viewer as they are made, on both sides.
    async fn match_made(
        &self,
        ctx: &Context<'_>,
    ) -> Result<BoxStream<'static, Result<Match, ApiError>>, ApiError> {
        let session = session(ctx)?.clone();
        let made = move |event: &Event| match event {
            Event::Matched(made) => made.party(&session).map(|_| made.clone()),
            Event::Sent(_) => None,
        };
        Ok(desk(ctx)?.live.watch_for(made))
    }
}
