//! Deleting what belongs to a profile that was deleted. What came about after the deletion stays.

use std::collections::HashSet;

use crate::access::Party;
use crate::interests::answered::{self, Answered};
use crate::interests::counts::{InterestCounts, count};
use crate::interests::{self, Interest, InterestState};
use crate::jobs::{self, Job, JobRef};
use crate::matches::{self, Match, steps};
use crate::messages;
use crate::searches::{self, SavedSearch};
use crate::seekers::{self, Seeker, Whereabouts};
use crate::suggestions::{self, Suggestion};
use trestle_domain::{Moment, UserId};
use trestle_table::{
    Condition, Entity, Listing, Retries, TableError, Tables, TransactionBuilder, UnitError,
    Versioned as _,
};

use super::making::Made;
use super::reading::all_named;
use super::renewal::Renewal;
use super::{Run, Target};

/// Items that are deleted together.
const TOGETHER: usize = 99;
/// How often a pass that met other changes is repeated.
const PASSES: usize = 24;

/// Deletes what belonged to a profile at a moment: of a seeker suggestions, interests and matches with their messages, of an
/// employer jobs with their suggestions and interests, and matches. A pass takes a Query for each kind, and a
/// TransactWriteItems for every 99 suggestions or messages, every interest and every match; a job takes four Queries more.
pub async fn run(
    tables: &Tables,
    party: Party,
    id: &UserId,
    before: Moment,
) -> Result<Made, TableError> {
    let mut retries = Retries::new(PASSES, tables.meter());
    let mut made = Made::default();
    loop {
        let mut pass = Pass {
            tables,
            before,
            deleted: 0,
            contended: false,
        };
        match party {
            Party::Seeker => pass.seeker(id).await?,
            Party::Employer => pass.employer(id).await?,
        }
        made.deleted += pass.deleted;
        if !pass.contended {
            return Ok(made);
        }
        retries.pause().await?;
    }
}

/// One try to delete everything.
struct Pass<'t> {
    tables: &'t Tables,
    before: Moment,
    deleted: usize,
    /// Whether something was changed by others meanwhile, and is still there.
    contended: bool,
}

impl Pass<'_> {
    async fn commit(&mut self, unit: TransactionBuilder<()>) -> Result<(), TableError> {
        let steps = unit.len();
        match unit.commit().await {
            Ok(()) => self.deleted += steps,
            Err(UnitError::Table(error)) => return Err(error),
            Err(UnitError::Canceled(canceled)) => match canceled.lasting() {
                Some(lasting) => return Err(lasting),
                None => self.contended = true,
            },
        }
        Ok(())
    }

    /// Deletes all items of a list.
    async fn list<E: Entity + Send + Sync>(&mut self, list: &Listing<E>) -> Result<(), TableError> {
        let found = all_named(self.tables, list).await?;
        for part in found.chunks(TOGETHER) {
            let mut unit = self.tables.unit();
            for entity in part {
                unit.delete::<E>(&entity.identity(), Condition::ALWAYS);
            }
            self.commit(unit).await?;
        }
        Ok(())
    }

    async fn seeker(&mut self, id: &UserId) -> Result<(), TableError> {
        // The suggestions of a profile that was saved since are made anew.
        if self.tables.get::<Seeker>(id).await?.is_none() {
            self.list::<Suggestion>(&suggestions::of_seeker(id, i64::MIN))
                .await?;
            self.whereabouts(id).await?;
        }
        let before = self.before;
        for search in all_named(self.tables, &searches::of_seeker(id)).await? {
            if search.stamp.created_at <= before {
                let mut unit = self.tables.unit();
                unit.delete::<SavedSearch>(&search.identity(), Condition::ALWAYS);
                self.commit(unit).await?;
            }
        }
        for interest in all_named(self.tables, &interests::of_seeker(id, None)).await? {
            if interest.stamp.created_at <= before {
                self.interest(&interest).await?;
            }
        }
        let list = matches::of_party(Party::Seeker, id, None, None);
        for found in all_named(self.tables, &list).await? {
            if found.stamp.created_at <= before {
                self.matched(&found).await?;
            }
        }
        Ok(())
    }

    /// Deletes the places by which a seeker is found, if the profile was deleted without them.
    async fn whereabouts(&mut self, id: &UserId) -> Result<(), TableError> {
        let found = all_named(self.tables, &seekers::whereabouts_of(id)).await?;
        if found.is_empty() {
            return Ok(());
        }
        let mut unit = self.tables.unit();
        unit.check::<Seeker>(id, Condition::Missing);
        for place in found.iter().take(TOGETHER - 2) {
            unit.delete::<Whereabouts>(&place.identity(), Condition::ALWAYS);
        }
        unit.delete::<Whereabouts>(&(id.clone(), None), Condition::ALWAYS);
        unit.delete::<Renewal>(id, Condition::ALWAYS);
        self.commit(unit).await
    }

    async fn employer(&mut self, id: &UserId) -> Result<(), TableError> {
        let jobs: Vec<Job> = all_named(self.tables, &jobs::of_employer(id)).await?;
        let mut jobs: Vec<_> = jobs
            .into_iter()
            .filter(|job| job.stamp.created_at <= self.before)
            .collect();
        for job in &mut jobs {
            *job = self.close(job).await?;
        }
        let own: HashSet<_> = jobs.iter().map(|job| job.job_id).collect();
        // Also of jobs that no longer exist.
        let is_own =
            |job: &JobRef, made_at: Moment| own.contains(&job.job_id) || made_at <= self.before;
        let mut answers = all_named(self.tables, &interests::waiting(id)).await?;
        let answered = all_named(self.tables, &answered::of_employer(id)).await?;
        answers.extend(answered.into_iter().map(Interest::from));
        answers.retain(|answer| is_own(&answer.job, answer.stamp.created_at));
        let list = matches::of_party(Party::Employer, id, None, None);
        let mut matches = all_named(self.tables, &list).await?;
        matches.retain(|found| is_own(&found.job, found.stamp.created_at));
        for interest in &answers {
            self.interest(interest).await?;
        }
        for found in &matches {
            self.matched(found).await?;
        }
        for job in &jobs {
            for list in suggestions::of_job(&job.reference()) {
                self.list(&list).await?;
            }
            // As long as something of the job is left, the job is found by the next pass.
            if !self.contended {
                let mut unit = self.tables.unit();
                unit.delete::<Job>(&job.identity(), job.unchanged());
                let counts = InterestCounts::of(job).identity();
                unit.delete::<InterestCounts>(&counts, Condition::ALWAYS);
                let target = Target::Job(job.reference());
                unit.delete::<Run>(&target, Condition::ALWAYS);
                self.commit(unit).await?;
            }
        }
        Ok(())
    }

    /// Closes a job, so that nobody answers it any more.
    async fn close(&mut self, job: &Job) -> Result<Job, TableError> {
        if job.closed_at.is_some() {
            return Ok(job.clone());
        }
        let mut closed = Job {
            closed_at: Some(Moment::new(self.tables.now())),
            ..job.clone()
        };
        closed.advance(self.tables.now());
        let mut unit = self.tables.unit();
        unit.update(job, &closed, job.unchanged());
        for copy in job.copies() {
            unit.delete::<Job>(&copy.identity(), Condition::ALWAYS);
        }
        self.commit(unit).await?;
        Ok(closed)
    }

    async fn interest(&mut self, interest: &Interest) -> Result<(), TableError> {
        let id = interest.identity();
        let Some(stored) = self.tables.get::<Interest>(&id).await? else {
            return self.stale_copy(interest).await;
        };
        let mut unit = self.tables.unit();
        unit.delete::<Interest>(&id, stored.unchanged());
        count(&mut unit, &stored, Some(stored.state), None);
        match stored.state {
            InterestState::Approved | InterestState::Declined => {
                let copy = Answered(stored).identity();
                unit.delete::<Answered>(&copy, Condition::ALWAYS);
            }
            InterestState::Waiting | InterestState::Rejected => {}
        }
        self.commit(unit).await
    }

    /// Deletes the copy of an answer whose interest no longer exists: another program or an earlier release left it.
    async fn stale_copy(&mut self, interest: &Interest) -> Result<(), TableError> {
        let copy = Answered(interest.clone()).identity();
        if self.tables.get::<Answered>(&copy).await?.is_none() {
            return Ok(());
        }
        let mut unit = self.tables.unit();
        let id = interest.identity();
        unit.check::<Interest>(&id, Condition::Missing);
        unit.delete::<Answered>(&copy, Condition::ALWAYS);
        self.commit(unit).await
    }

    async fn matched(&mut self, found: &Match) -> Result<(), TableError> {
        let Some(stored) = self.tables.get::<Match>(&found.identity()).await? else {
            return Ok(());
        };
        let of = stored.match_id;
        self.list(&messages::of_match(of)).await?;
        self.list(&messages::receipts(of)).await?;
        self.list(&steps::of_match(of)).await?;
        let mut unit = self.tables.unit();
        let unchanged = stored.unchanged().and(stored.has_sent());
        unit.delete::<Match>(&stored.identity(), unchanged);
        self.commit(unit).await
    }
}
