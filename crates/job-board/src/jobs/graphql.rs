//! Jobs in the API.

use async_graphql::{ComplexObject, Context, ID, Object, Subscription};
use futures_util::stream::BoxStream;

use crate::access::Party;
use crate::employers::Employer;
use crate::foreign::UNKNOWN_COMPANY;
use crate::interests::counts::InterestCounts;
use crate::interests::{Interest, InterestState, answered, waiting_in};
use crate::matches::between;
use crate::runs::Target;
use crate::runs::belonging::{Deletions, OfKept};
use crate::service_state::{Event, Request, service_state};
use crate::table::READ_FOR_A_PAGE;
use crate::values::{Place, Seniority};
use trestle_api::{
    ApiError, Connection, MutationResult, Node as _, QueryResult, Session, found, page, session,
    with_id_at,
};
use trestle_api::{mutations, naming_inputs, payloads};
use trestle_domain::{Day, Text};

use super::allowance::admit_search;
use super::filter::{JobFilter, filtered, searched};
use super::input::{CreateJobInput, ReopenJobInput, UpdateJobInput};
use super::{Job, PayPeriod, changes, day_of, of_employer};

#[ComplexObject]
impl Job {
    /// Global id: opaque and stable.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// The ULID of the job. Jobs sort by it as by the time of posting.
    async fn job_id(&self) -> String {
        self.job_id.to_string()
    }

    /// Name of the company: 1 to 120 characters. Of a job of another program that does not name it, that of the employer's profile.
    #[graphql(name = "company")]
    async fn company_name(&self, ctx: &Context<'_>) -> Result<Text<1, 120>, ApiError> {
        if self.company.as_str() != UNKNOWN_COMPANY {
            return Ok(self.company.clone());
        }
        let employer = session(ctx)?.load::<Employer>(&self.employer_id).await?;
        Ok(employer.map_or_else(|| self.company.clone(), |employer| employer.company))
    }

    /// The day (UTC) of posting.
    async fn posted_on(&self) -> Option<Day> {
        day_of(self.job_id.raw())
    }

    /// The last day (UTC) on which the job is listed; null if it does not expire.
    #[graphql(name = "expiresOn")]
    async fn last_day_listed(&self) -> Option<Day> {
        self.expires_on()
    }

    /// Whether the job is neither closed nor expired.
    #[graphql(name = "isOpen")]
    async fn is_open_now(&self, ctx: &Context<'_>) -> QueryResult<bool> {
        let now = session(ctx).map(|session| session.tables.now());
        Some(now.map(|now| self.is_open(Day::of(now))))
    }

    /// The seniority that the title names; null if it names none.
    #[graphql(name = "seniority")]
    async fn named_seniority(&self) -> Option<Seniority> {
        self.seniority()
    }

    /// The period of `payMin` and `payMax`.
    #[graphql(name = "payPeriod")]
    async fn period(&self) -> PayPeriod {
        self.pay_period.unwrap_or(PayPeriod::Year)
    }

    /// The viewer's own answer to the job as a seeker; null if there is none.
    async fn my_interest(&self, ctx: &Context<'_>) -> QueryResult<Interest> {
        let interest = async {
            let session = session(ctx)?;
            if Party::Seeker.is(session) {
                own_interest(session, self).await
            } else {
                Ok(None)
            }
        };
        interest.await.transpose()
    }

    /// The currency of `payMin` and `payMax` in ISO 4217: the one that the employer says, or that of the places' countries;
    /// null if these have several.
    async fn pay_currency(&self) -> Option<String> {
        self.currency().map(|currency| currency.to_string())
    }

    /// How many interests the job has; null for anyone but its employer.
    async fn interest_counts(&self, ctx: &Context<'_>) -> QueryResult<InterestCounts> {
        let counts = async {
            let session = session(ctx)?;
            if !self.is_own(session) {
                return Ok(None);
            }
            let id = (self.employer_id.clone(), self.job_id);
            session.load::<InterestCounts>(&id).await
        };
        counts.await.transpose()
    }

    /// Interests in the job, the oldest first; null for anyone but its employer. A page is short after 2,000 interests in other
    /// jobs were read.
    async fn interests(
        &self,
        ctx: &Context<'_>,
        #[graphql(
            desc = "The state of the interests.",
            default_with = "InterestState::Waiting"
        )]
        state: InterestState,
    ) -> QueryResult<Connection<Interest>> {
        let (employer, job) = (&self.employer_id, self.job_id);
        let page = async {
            let session = session(ctx)?;
            if !self.is_own(session) {
                return Ok(None);
            }
            let kept = OfKept(session);
            match state {
                InterestState::Waiting => page(ctx, &waiting_in(employer, job), &kept).await,
                InterestState::Approved | InterestState::Declined => {
                    page(ctx, &answered::in_job(employer, job, state), &kept).await
                }
                InterestState::Rejected => {
                    return Err(ApiError::bad_input("`state` must not be REJECTED."));
                }
            }
            .map(Some)
        };
        page.await.transpose()
    }

    /// Where the job is.
    async fn places(&self) -> &[Place] {
        self.places.as_slice()
    }

    /// The employer, if they have a profile.
    async fn employer(&self, ctx: &Context<'_>) -> QueryResult<Employer> {
        found(ctx, &self.employer_id).await
    }
}

/// The viewer's answer to a job, if it does not go with the viewer's earlier profile. One BatchGetItem.
async fn own_interest(session: &Session, job: &Job) -> Result<Option<Interest>, ApiError> {
    let viewer = session.user();
    let deletions = Deletions::of(session, between(&viewer, &job.employer_id));
    let id = (job.job_id, viewer.clone());
    let (found, deletions) = tokio::try_join!(session.load::<Interest>(&id), deletions)?;
    Ok(found.filter(|found| deletions.spare(found)))
}

/// Queries of jobs.
#[derive(Default)]
pub struct JobQuery;

#[Object]
impl JobQuery {
    /// Open jobs of a city or of several places, the newest first. A page is short after 2,000 jobs of a place were read.
    /// A request searches at most 10 places with a filter. Needs the role `seeker`.
    async fn jobs(
        &self,
        ctx: &Context<'_>,
        #[graphql(
            desc = "The city, in any spelling, with or without its region and country: `Montréal`, `Portland, ME`, `NYC`. \
                    `Remote` for jobs that can be done from home. Give `city` or `places`."
        )]
        city: Option<String>,
        #[graphql(desc = "Several cities, each as in `city`: at most 5.")] places: Option<
            Vec<String>,
        >,
        #[graphql(desc = "Returns only jobs that match.")] filter: Option<JobFilter>,
    ) -> QueryResult<Connection<Job>> {
        let page = async {
            let session = session(ctx)?;
            Party::Seeker.must_be(session)?;
            let today = Day::of(session.tables.now());
            if city.is_some() && places.is_some() {
                return Err(ApiError::bad_input(
                    "Give `city` or `places`, not both: `places` takes several cities.",
                ));
            }
            let places: Vec<_> = city.into_iter().chain(places.unwrap_or_default()).collect();
            if filter.is_some() {
                admit_search(session, places.len()).await?;
            }
            let jobs = filtered(&places, filter.unwrap_or_default(), today)?;
            page(ctx, &jobs, &()).await
        };
        Some(page.await)
    }

    /// A job by its id; null if it does not exist or the viewer may not see it.
    async fn job(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Id of the job.")] id: ID,
    ) -> QueryResult<Job> {
        let id = match session(ctx) {
            Ok(session) => Job::named(&id, session).ok()?,
            Err(error) => return Some(Err(error)),
        };
        found(ctx, &id).await
    }

    /// The viewer's own jobs, the newest first, closed ones too. Needs the role `employer`.
    async fn my_jobs(
        &self,
        ctx: &Context<'_>,
        #[graphql(
            desc = "Returns only jobs that are open, or only those that are closed or expired. A page is short after 2,000 jobs were read."
        )]
        is_open: Option<bool>,
    ) -> QueryResult<Connection<Job>> {
        let page = async {
            let session = session(ctx)?;
            let employer = Party::Employer.must_be(session)?;
            let today = Day::of(session.tables.now());
            let jobs = of_employer(&employer);
            let jobs = match is_open {
                Some(is_open) => jobs
                    .keeping(format!("open {is_open}"), move |job| {
                        job.is_open(today) == is_open
                    })
                    .reading_at_most(READ_FOR_A_PAGE),
                None => jobs,
            };
            page(ctx, &jobs, &()).await
        };
        Some(page.await)
    }
}

naming_inputs! {
    /// A job to close.
    CloseJobInput
}

payloads! {
    /// The result of `createJob`.
    CreateJobPayload {
        /// The job; null if the input was not valid.
        job: Job
    }
    /// The result of `updateJob`.
    UpdateJobPayload {
        /// The job after the change; null if it was not changed.
        job: Job
    }
    /// The result of `reopenJob`.
    ReopenJobPayload {
        /// The job after the change; null if it was not changed.
        job: Job
    }
    /// The result of `closeJob`.
    CloseJobPayload {
        /// The job after the change; null if it was not changed.
        job: Job
    }
}

mutations! {
    /// Mutations of jobs.
    JobMutation {
        /// Posts a job. Needs the role `employer`.
        create_job(CreateJobInput) -> CreateJobPayload = create,
        /// Changes a job of the viewer. Needs the role `employer`.
        update_job(UpdateJobInput) -> UpdateJobPayload = update,
        /// Closes a job of the viewer: it is no longer listed or suggested, its matches stay, and interests that wait for
        /// an answer can still be answered. Needs the role `employer`.
        close_job(CloseJobInput) -> CloseJobPayload = close,
        /// Lists and suggests a closed or expired job of the viewer again; an expired one needs a new `expiresOn`. Needs the role `employer`.
        reopen_job(ReopenJobInput) -> ReopenJobPayload = reopen,
    }
}

async fn create(
    Request { session, service }: Request<'_>,
    input: CreateJobInput,
) -> MutationResult<Job> {
    let employer = Party::Employer.acting(session)?;
    let job = input.job(employer, session)?;
    let posted = with_id_at(changes::post(&session.tables, job).await, "requestId")?;
    service.run(Target::Job(posted.entity.reference()));
    if posted.is_written {
        service
            .live
            .announce(|| Event::Posted(Box::new(posted.entity.clone())));
    }
    Ok(posted)
}

async fn update(
    Request { session, service }: Request<'_>,
    input: UpdateJobInput,
) -> MutationResult<Job> {
    Party::Employer.acting(session)?;
    let id = Job::named(&input.id, session).map_err(|rule| rule.at("id"))?;
    let today = Day::of(session.tables.now());
    let change = |job: &Job| input.clone().change(job, today);
    let expected = input.expected_version.map(u32::from);
    let changed = changes::change(session, &id, expected, change).await?;
    service.run(Target::Job(changed.entity.reference()));
    Ok(changed)
}

async fn close(session: &Session, input: CloseJobInput) -> MutationResult<Job> {
    Party::Employer.acting(session)?;
    let id = Job::named(&input.id, session).map_err(|rule| rule.at("id"))?;
    changes::close(session, &id, input.expected_version.map(u32::from)).await
}

async fn reopen(
    Request { session, service }: Request<'_>,
    input: ReopenJobInput,
) -> MutationResult<Job> {
    Party::Employer.acting(session)?;
    let id = Job::named(&input.id, session).map_err(|rule| rule.at("id"))?;
    let expected = input.expected_version.map(u32::from);
    let last_day = input.last_day(Day::of(session.tables.now()))?;
    let opened = changes::reopen(session, &id, expected, last_day).await?;
    service.run(Target::Job(opened.entity.reference()));
    if opened.is_written {
        service
            .live
            .announce(|| Event::Posted(Box::new(opened.entity.clone())));
    }
    Ok(opened)
}

/// Subscriptions to jobs.
#[derive(Default)]
pub struct JobSubscription;

#[Subscription]
impl JobSubscription {
    /// Jobs of some places as they are posted or opened again: those that `jobs` lists with the same arguments. Needs the role
    /// `seeker`.
    async fn job_posted(
        &self,
        ctx: &Context<'_>,
        #[graphql(
            desc = "Cities, each in any spelling, with or without its region and country: 1 to 5."
        )]
        places: Vec<String>,
        #[graphql(desc = "Only jobs that match.")] filter: Option<JobFilter>,
    ) -> Result<BoxStream<'static, Result<Job, ApiError>>, ApiError> {
        Party::Seeker.must_be(session(ctx)?)?;
        let search = searched(&places, filter.unwrap_or_default())?;
        let posted = move |event: &Event| match event {
            Event::Posted(job) => search.admits(job).then(|| (**job).clone()),
            Event::Matched(_) | Event::Sent(_) => None,
        };
        Ok(service_state(ctx)?.live.watch_for(posted))
    }
}
