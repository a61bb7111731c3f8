//! Matches in the API.

use async_graphql::{Context, ID, InputObject, Object, Subscription};
use futures_util::stream::BoxStream;

use crate::access::Party;
use crate::employers::Employer;
use crate::jobs::Job;
use crate::messages::{self, Message};
use crate::runs::belonging::{Belonging as _, Deletions, OfKept, must_be_kept};
use crate::seekers::Seeker;
use crate::service_state::{Event, Request, service_state};
use crate::stored_revision::made_with;
use crate::table::READ_FOR_A_PAGE;
use trestle_api::{
    ApiError, Connection, Input, MutationResult, Node as _, QueryResult, Session, Version, page,
    session,
};
use trestle_api::{mutations, payloads};
use trestle_domain::{Check, Day, Moment, Rule, Text, Violations};
use trestle_table::{Entity as _, Listing, TransactionBuilder};

use super::steps::{self, MatchStep};
use super::{Match, MatchRef, MatchStage, of_party};

/// A seeker and an employer who are interested in each other. Only the two see it.
#[Object]
impl Match {
    /// Global id: opaque and stable.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// Number of changes. Pass it as `expectedVersion` to prevent overwriting a newer version.
    /// An item that another program wrote without a version has version 0. For the seeker, the employer's steps do not count.
    async fn version(&self, ctx: &Context<'_>) -> Result<u32, ApiError> {
        session(ctx).map(|session| self.revision(session).version)
    }

    /// When it was created.
    async fn created_at(&self) -> Moment {
        self.stamp.created_at
    }

    /// When it was last changed. Never decreases. For the seeker, the employer's steps do not count.
    async fn updated_at(&self, ctx: &Context<'_>) -> Result<Moment, ApiError> {
        session(ctx).map(|session| self.revision(session).updated_at)
    }

    /// The day (UTC) of the approval.
    async fn matched_on(&self) -> Option<Day> {
        self.match_id.raw().moment().map(Day::of)
    }

    /// The job, be it closed or not.
    #[graphql(name = "job")]
    async fn matched_job(&self, ctx: &Context<'_>) -> QueryResult<Job> {
        let job = async { session(ctx)?.load::<Job>(&self.job).await };
        job.await.transpose()
    }

    /// The profile of the seeker.
    async fn seeker(&self, ctx: &Context<'_>) -> QueryResult<Seeker> {
        let seeker = async { session(ctx)?.load::<Seeker>(&self.seeker_id).await };
        seeker.await.transpose()
    }

    /// The profile of the employer, if they have one.
    async fn employer(&self, ctx: &Context<'_>) -> QueryResult<Employer> {
        let employer = async { session(ctx)?.load::<Employer>(&self.employer_id).await };
        employer.await.transpose()
    }

    /// How many messages of the other side the viewer has not read.
    async fn unread_count(
        &self,
        ctx: &Context<'_>,
        #[graphql(
            name = "as",
            desc = "The side on which you read. For viewers who are on both sides."
        )]
        side: Option<Party>,
    ) -> QueryResult<u32> {
        let unread = session(ctx).map(|session| {
            let party = self.identity().chosen(side, session)?;
            Some(self.unread_by(party))
        });
        unread.transpose()
    }

    /// How far the employer has come; null at first, and for the seeker.
    #[graphql(name = "stage")]
    async fn own_stage(&self, ctx: &Context<'_>) -> QueryResult<MatchStage> {
        let session = session(ctx);
        let stage = session.map(|session| self.stage.filter(|_| self.is_of_employer(session)));
        stage.transpose()
    }

    /// The employer's steps with the match, the newest first; null for the seeker.
    async fn steps(&self, ctx: &Context<'_>) -> QueryResult<Connection<MatchStep>> {
        match session(ctx) {
            Ok(session) if !self.is_of_employer(session) => None,
            Ok(_) => Some(page(ctx, &steps::of_match(self.match_id), &()).await),
            Err(error) => Some(Err(error)),
        }
    }

    /// Messages, the newest first.
    async fn messages(&self, ctx: &Context<'_>) -> QueryResult<Connection<Message>> {
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
        #[graphql(desc = "Matched on this day (UTC) or later.")] from: Option<Input<Day>>,
        #[graphql(desc = "Matched on this day (UTC) or earlier.")] to: Option<Input<Day>>,
        #[graphql(desc = "Returns only matches that fit.")] filter: Option<MatchFilter>,
    ) -> QueryResult<Connection<Match>> {
        let page = async {
            let session = session(ctx)?;
            let filter = filter.unwrap_or_default();
            let only_employer = Party::Employer.is(session) && !Party::Seeker.is(session);
            let side = match filter.stage {
                // Only the employer has stages.
                Some(_) => Party::Employer,
                None => side.unwrap_or(if only_employer {
                    Party::Employer
                } else {
                    Party::Seeker
                }),
            };
            let user = side.must_be(session)?;
            let (from, to) = (given("from", from)?, given("to", to)?);
            let list = of_party(side, &user, from, to);
            page(ctx, &filter.of(list, session)?, &OfKept(session)).await
        };
        Some(page.await)
    }

    /// A match by its id; null if it does not exist or is not the viewer's.
    #[graphql(name = "match")]
    async fn one(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Id of the match.")] id: ID,
    ) -> QueryResult<Match> {
        let session = match session(ctx) {
            Ok(session) => session,
            Err(error) => return Some(Err(error)),
        };
        let id = Match::named(&id, session).ok()?;
        Match::of_reader(session, &id).await.transpose()
    }
}

impl Match {
    /// A match that the viewer may read, and that goes with neither profile. One BatchGetItem.
    ///
    /// # Errors
    /// The store does not answer; an item cannot be read.
    pub async fn of_reader(session: &Session, id: &MatchRef) -> Result<Option<Self>, ApiError> {
        // What the check reads is read together with the match, whose sides its id names.
        let deletions = Deletions::of(session, id.sides());
        let (found, deletions) = tokio::try_join!(session.load::<Self>(id), deletions)?;
        Ok(found.filter(|found| found.party(session).is_some() && deletions.spare(found)))
    }
}

/// Filters matches. Matches must match all of the filters that are given.
#[derive(InputObject, Clone, Default)]
pub struct MatchFilter {
    /// At this stage. Only the employer's matches have stages.
    stage: Option<MatchStage>,
    /// Of this job.
    job_id: Option<ID>,
}

impl MatchFilter {
    /// The matches of a list that fit.
    fn of(self, list: Listing<Match>, session: &Session) -> Result<Listing<Match>, ApiError> {
        let Self { stage, job_id } = self;
        if stage.is_none() && job_id.is_none() {
            return Ok(list);
        }
        let job = job_id.map(|id| Job::named(&id, session)).transpose();
        let job = job.map_err(|rule| ApiError::bad_input(format!("`jobId` {rule}.")))?;
        let job = job.map(|job| job.keyed_id());
        let list = list.keeping(format!("{stage:?} {job:?}"), move |found| {
            stage.is_none_or(|stage| found.stage == Some(stage))
                && job.as_ref().is_none_or(|job| found.job.keyed_id() == *job)
        });
        Ok(list.reading_at_most(READ_FOR_A_PAGE))
    }
}

fn given(name: &str, day: Option<Input<Day>>) -> Result<Option<Day>, ApiError> {
    let parsed = day.map(Result::from).transpose();
    parsed.map_err(|rule| ApiError::bad_input(format!("`{name}` {rule}.")))
}

/// A step with a match.
#[derive(InputObject, Clone)]
pub struct MoveMatchInput {
    /// Id of the match.
    id: ID,
    /// Reject the mutation if this is not the current version.
    expected_version: Option<Version>,
    /// The stage from now on. Give a stage, a note, or both.
    stage: Option<MatchStage>,
    /// Note: at most 2000 characters.
    note: Option<Input<Text<1, 2000>>>,
}

payloads! {
    /// The result of `moveMatch`.
    MoveMatchPayload {
        /// The match after the step; null if it was not changed.
        r#match: Match
    }
}

mutations! {
    /// Mutations of matches.
    MatchMutation {
        /// Moves a match of the viewer to a stage, writes a note about it, or both. The seeker sees neither. Needs the role
        /// `employer`.
        move_match(MoveMatchInput) -> MoveMatchPayload = move_on,
    }
}

const NOTHING_GIVEN: Rule =
    Rule::Invalid("given unless `note` is: name the new stage, write a note, or both");

/// One GetItem and one TransactWriteItems: the match and the step.
async fn move_on(
    Request { session, service }: Request<'_>,
    input: MoveMatchInput,
) -> MutationResult<Match> {
    const NO_MATCH: Rule = Rule::NotFound("does not name a match of yours");
    Party::Employer.acting(session)?;
    let id = Match::named(&input.id, session).map_err(|_| NO_MATCH.at("id"))?;
    let mut check = Check::default();
    let is_given = input.stage.is_some() || input.note.is_some();
    check.that(is_given, "stage", NOTHING_GIVEN);
    let note = match input.stage {
        Some(_) => check.may("note", input.note),
        // A blank note with nothing else would be a step that says nothing.
        None => check.if_given("note", input.note),
    };
    check.finish(|| Some(()))?;
    let now = session.tables.now();
    let step_id = service.ids.next(now);
    let step = MatchStep {
        step_id: step_id.into(),
        of: id.clone(),
        stage: input.stage,
        note,
        stamp: made_with(step_id, now),
    };
    let plan = |stored: &Match, unit: &mut TransactionBuilder<Violations>| {
        if stored.identity() != id || !stored.is_of_employer(session) {
            return Err(NO_MATCH.at("id"));
        }
        must_be_kept(unit, stored, &NO_MATCH.at("id"));
        unit.put_new(&step);
        Ok(Match {
            stage: input.stage.or(stored.stage),
            ..stored.moved()
        })
    };
    let expected = input.expected_version.map(u32::from);
    let moved = session.tables.change(&id, expected, plan).await;
    moved.map_err(|error| error.if_missing(NO_MATCH.at("id")))
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
            Event::Sent(_) | Event::Posted(_) => None,
        };
        Ok(service_state(ctx)?.live.watch_for(made))
    }
}
