//! Jobs in the API.

use async_graphql::{ComplexObject, Context, ID, Object};

use crate::api::{
    Answer, Connection, Node as _, Session, Written, found, page, session, with_id_at,
};
use crate::domain::Day;
use crate::services::job_board::access::Party;
use crate::services::job_board::desk::Request;
use crate::services::job_board::employers::Employer;
use crate::services::job_board::runs::Target;
use crate::services::job_board::values::Place;
use crate::{mutations, naming_inputs, payloads};

use super::filter::{JobFilter, filtered};
use super::input::{CreateJobInput, UpdateJobInput};
use super::{Job, changes, day_of, of_employer};

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
    async fn is_open_now(&self, ctx: &Context<'_>) -> Answer<bool> {
        let now = session(ctx).map(|session| session.tables.now());
        Some(now.map(|now| self.is_open(Day::of(now))))
    }

    /// Where the job is.
    async fn places(&self) -> &[Place] {
        self.places.as_slice()
    }

    /// The employer, if they have a profile.
    async fn employer(&self, ctx: &Context<'_>) -> Answer<Employer> {
        found(ctx, &self.employer_id).await
    }
}

/// Queries of jobs.
#[derive(Default)]
pub struct JobQuery;

#[Object]
impl JobQuery {
    /// Open jobs of a city, the newest first. A page is short after 2,000 jobs were read. Needs the role `seeker`.
    async fn jobs(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Name of the city, in any spelling: `Montréal`, `montreal`.")]
        city: String,
        #[graphql(desc = "Returns only jobs that match.")] filter: Option<JobFilter>,
    ) -> Answer<Connection<Job>> {
        let page = async {
            let session = session(ctx)?;
            Party::Seeker.must_be(session)?;
            let today = Day::of(session.tables.now());
            let jobs = filtered(&city, filter.unwrap_or_default(), today)?;
            page(ctx, &jobs, &()).await
        };
        Some(page.await)
    }

    /// A job by its id; null if it does not exist or the viewer may not see it.
    async fn job(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Id of the job.")] id: ID,
    ) -> Answer<Job> {
        let id = match session(ctx) {
            Ok(session) => Job::named(&id, session).ok()?,
            Err(error) => return Some(Err(error)),
        };
        found(ctx, &id).await
    }

    /// The viewer's own jobs, the newest first, closed ones too. Needs the role `employer`.
    async fn my_jobs(&self, ctx: &Context<'_>) -> Answer<Connection<Job>> {
        let page = async {
            let employer = Party::Employer.must_be(session(ctx)?)?;
            page(ctx, &of_employer(&employer), &()).await
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
        create_job("The job.", CreateJobInput) -> CreateJobPayload = create,
        /// Changes a job of the viewer. Needs the role `employer`.
        update_job("The changes.", UpdateJobInput) -> UpdateJobPayload = update,
        /// Closes a job of the viewer: it is no longer listed or suggested, its matches stay, and interests that wait for
        /// an answer can still be answered. Needs the role `employer`.
        close_job("The job.", CloseJobInput) -> CloseJobPayload = close,
    }
}

async fn create(Request { session, desk }: Request<'_>, input: CreateJobInput) -> Written<Job> {
    let employer = Party::Employer.acting(session)?;
    let job = input.job(employer, session)?;
    let posted = with_id_at(changes::post(&session.tables, job).await, "requestId")?;
    desk.run(Target::Job(posted.entity.reference()));
    Ok(posted)
}

async fn update(Request { session, desk }: Request<'_>, input: UpdateJobInput) -> Written<Job> {
    Party::Employer.acting(session)?;
    let id = Job::named(&input.id, session).map_err(|rule| rule.at("id"))?;
    let change = |job: &Job| input.clone().change(job);
    let expected = input.expected_version.map(u32::from);
    let changed = changes::change(session, &id, expected, change).await?;
    desk.run(Target::Job(changed.entity.reference()));
    Ok(changed)
}

async fn close(session: &Session, input: CloseJobInput) -> Written<Job> {
    Party::Employer.acting(session)?;
    let id = Job::named(&input.id, session).map_err(|rule| rule.at("id"))?;
    changes::close(session, &id, input.expected_version.map(u32::from)).await
}
