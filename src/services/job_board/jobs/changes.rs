//! How jobs change: with their copies, and with the run that makes suggestions.

use crate::api::{Session, Written};
use crate::domain::{Rule, Violations};
use crate::services::job_board::runs::{Run, Target};
use crate::table::{Condition, Entity as _, Tables, Unit, Versioned as _};

use super::{Job, JobRef};

/// Posts a job. The same job posted again is the first one. One TransactWriteItems: the job, its copies and the run.
pub async fn post(tables: &Tables, job: Job) -> Written<Job> {
    let run = Run::new(Target::Job(job.reference()), tables.now());
    let copies = match job.closed_at {
        None => job.copies(),
        Some(_) => Vec::new(),
    };
    let with = |unit: &mut Unit<Violations>| {
        for copy in &copies {
            unit.put_new(copy).step();
        }
        unit.put(&run).step();
    };
    tables.create(job, with).await
}

/// Changes a job of the viewer. One GetItem and one TransactWriteItems: the job, its copies and the run.
pub async fn change(
    session: &Session,
    id: &JobRef,
    expected: Option<u32>,
    change: impl Fn(&Job) -> Result<Job, Violations>,
) -> Written<Job> {
    let run = Run::new(Target::Job(id.clone()), session.tables.now());
    let plan = |job: &Job, unit: &mut Unit<Violations>| {
        must_own(session, job)?;
        if job.closed_at.is_some() {
            return Err(Rule::Conflict("names a job that is closed").at("id"));
        }
        let next = change(job)?;
        if next != *job {
            let mut after = next.clone();
            after.advance(session.tables.now());
            for copy in after.copies() {
                unit.put(&copy).step();
            }
            unit.put(&run).step();
        }
        Ok(next)
    };
    session.tables.change(id, expected, plan).await
}

/// Closes a job of the viewer: its copies are deleted, its matches stay. One GetItem and one UpdateItem, or one
/// TransactWriteItems if it has copies.
pub async fn close(session: &Session, id: &JobRef, expected: Option<u32>) -> Written<Job> {
    let now = session.now();
    let plan = |job: &Job, unit: &mut Unit<Violations>| {
        must_own(session, job)?;
        if job.closed_at.is_some() {
            return Ok(job.clone());
        }
        for copy in job.copies() {
            let any = Condition::All(Vec::new());
            unit.delete::<Job>(&copy.identity(), any).step();
        }
        Ok(Job {
            closed_at: Some(now),
            ..job.clone()
        })
    };
    session.tables.change(id, expected, plan).await
}

/// Refuses unless the job is the viewer's; whether there is one is not disclosed.
fn must_own(session: &Session, job: &Job) -> Result<(), Violations> {
    match job.employer_id == session.user() && !job.is_copy() {
        true => Ok(()),
        false => Err(Rule::NotFound("does not name a job of yours").at("id")),
    }
}
