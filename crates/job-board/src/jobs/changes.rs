//! How jobs change: with their copies, and with the run that makes suggestions.

use crate::employers::Employer;
use crate::interests::counts::InterestCounts;
use crate::runs::{Run, Target};
use trestle_api::{MutationResult, Revision, Session};
use trestle_domain::{Day, Moment, Rule, Violations};
use trestle_table::{ChangeError, Condition, Entity as _, Tables, Versioned as _};

use super::{Job, JobRef};

/// Posts a job. The same job posted again is the first one. One TransactWriteItems: the job, its
/// copies, the counts of its interests and the run.
pub async fn post(tables: &Tables, job: Job) -> MutationResult<Job> {
    let run = Run::new(Target::Job(job.reference()), tables.now());
    let counts = InterestCounts::of(&job);
    let copies = match job.closed_at {
        None => job.copies(),
        Some(_) => Vec::new(),
    };
    let created = tables.create(job, |unit| {
        for copy in &copies {
            unit.put_new(copy);
        }
        unit.put(&counts);
        unit.put(&run);
    });
    created.await
}

/// Makes a profile for the employer of a job, with its company, unless there is one. One PutItem.
pub async fn introduce(tables: &Tables, job: &Job) -> Result<(), ChangeError<Violations>> {
    let employer = Employer {
        employer_id: job.employer_id.clone(),
        company: job.company.clone(),
        about: None,
        website: None,
        stamp: Revision::new(Moment::new(tables.now())),
    };
    match tables.create::<_, Violations>(employer, |_| {}).await {
        Ok(_) | Err(ChangeError::Taken) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Changes a job of the viewer. One GetItem and one TransactWriteItems: the job, its copies and the run.
pub async fn change(
    session: &Session,
    id: &JobRef,
    expected: Option<u32>,
    change: impl Fn(&Job) -> Result<Job, Violations>,
) -> MutationResult<Job> {
    let run = Run::new(Target::Job(id.clone()), session.tables.now());
    let changed = session.tables.change(id, expected, |job: &Job, unit| {
        must_own(session, job)?;
        if job.closed_at.is_some() {
            return Err(Rule::Conflict(
                "names a job that is closed, until its employer calls `reopenJob`",
            )
            .at("id"));
        }
        let next = change(job)?;
        if next != *job {
            let mut after = next.clone();
            after.advance(session.tables.now());
            let copies = after.copies();
            for copy in &copies {
                unit.put(copy);
            }
            // A job that can no longer be done from home is not among those without an office.
            let is_left = |copy: &&Job| !copies.iter().any(|other| other.city == copy.city);
            for copy in job.copies().iter().filter(is_left) {
                unit.delete::<Job>(&copy.identity(), Condition::ALWAYS);
            }
            unit.put(&run);
        }
        Ok(next)
    });
    changed.await
}

/// Closes a job of the viewer: its copies are deleted, its matches stay. One GetItem and one UpdateItem, or one
/// TransactWriteItems if it has copies.
pub async fn close(session: &Session, id: &JobRef, expected: Option<u32>) -> MutationResult<Job> {
    let now = session.now();
    let changed = session.tables.change(id, expected, |job: &Job, unit| {
        must_own(session, job)?;
        if job.closed_at.is_some() {
            return Ok(job.clone());
        }
        for copy in job.copies() {
            unit.delete::<Job>(&copy.identity(), Condition::ALWAYS);
        }
        Ok(Job {
            closed_at: Some(now),
            ..job.clone()
        })
    });
    changed.await
}

/// Opens a closed or expired job of the viewer again, with its copies and a run. One GetItem and one TransactWriteItems.
pub async fn reopen(
    session: &Session,
    id: &JobRef,
    expected: Option<u32>,
    last_day: Option<Day>,
) -> MutationResult<Job> {
    let now = session.tables.now();
    let run = Run::new(Target::Job(id.clone()), now);
    let changed = session.tables.change(id, expected, |job: &Job, unit| {
        must_own(session, job)?;
        if job.is_open(Day::of(now)) && last_day.is_none_or(|day| day == job.last_day) {
            return Ok(job.clone());
        }
        let next = Job {
            closed_at: None,
            last_day: last_day.unwrap_or(job.last_day),
            ..job.clone()
        };
        if !next.is_open(Day::of(now)) {
            return Err(Rule::Invalid("given, because the job has expired").at("expiresOn"));
        }
        let mut after = next.clone();
        after.advance(now);
        for copy in after.copies() {
            unit.put(&copy);
        }
        unit.put(&run);
        Ok(next)
    });
    changed.await
}

/// Refuses unless the job is the viewer's; whether there is one is not disclosed.
fn must_own(session: &Session, job: &Job) -> Result<(), Violations> {
    if job.employer_id == session.user() && !job.is_copy() {
        Ok(())
    } else {
        Err(Rule::NotFound("does not name a job of yours").at("id"))
    }
}
