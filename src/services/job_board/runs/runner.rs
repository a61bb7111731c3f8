//! Doing runs: each at most 500 seekers or jobs at a time, resumed where it stopped.

use std::time::Duration;

use tokio::sync::mpsc;

use crate::domain::{Moment, RawId as _, Ulid, UserId};
use crate::services::job_board::jobs::{self, Job, JobRef};
use crate::services::job_board::seekers::{self, Seeker, Whereabouts};
use crate::services::job_board::suggestions;
use crate::services::job_board::values::{CityKey, Place};
use crate::table::{Listing, PageAsk, RowPlace, TableError, Tables, UnitError};

use super::making::{Made, Pair, make};
use super::{KINDS, Run, Target, waiting};

/// The most seekers or jobs that one run looks at before others have their turn.
const PER_RUN: usize = 500;
/// Seekers that are read together; after them the run is saved.
const PAGE: usize = 100;
/// A run that was taken so long ago, in seconds, was left by a process that ended.
const LEFT_AFTER: i64 = 5 * 60;
/// How often the runner looks for runs that were left.
const LOOK: Duration = Duration::from_secs(30);

/// Does runs on these tables.
#[derive(Clone, Debug)]
pub struct Runner {
    tables: Tables,
}

/// What a piece of work left to be done.
enum Left {
    Nothing,
    Rest(Run),
}

fn reported(done: Result<Made, TableError>) {
    if let Err(error) = done {
        // The run is still stored: it is taken again when it counts as left.
        tracing::warn!(%error, "suggestions could not be made");
    }
}

impl Runner {
    /// On these tables.
    pub fn new(tables: Tables) -> Self {
        Self { tables }
    }

    /// Does what comes from the queue, and what other processes left, until the queue is closed.
    pub async fn serve(self, mut queue: mpsc::Receiver<Target>) {
        let queued = async {
            while let Some(target) = queue.recv().await {
                reported(self.run(&target).await);
            }
        };
        // Beside the queue: what others left may be much.
        let left = async {
            let mut looks = tokio::time::interval(LOOK);
            loop {
                looks.tick().await;
                reported(self.drain().await);
            }
        };
        tokio::select! {
            () = queued => {}
            () = left => {}
        }
    }

    /// Does every run that no other process has taken.
    pub async fn drain(&self) -> Result<Made, TableError> {
        let mut made = Made::default();
        loop {
            let mut is_idle = true;
            for kind in KINDS {
                let done = self.drain_kind(kind).await?;
                is_idle &= done == Made::default();
                made += done;
            }
            if is_idle {
                return Ok(made);
            }
        }
    }

    async fn drain_kind(&self, kind: &'static str) -> Result<Made, TableError> {
        let (mut made, mut place) = (Made::default(), None);
        loop {
            let (runs, next) = self.page(&waiting(kind), PAGE, place).await?;
            for run in runs {
                made += self.run(&run.target).await?;
            }
            match next {
                Some(next) => place = Some(next),
                None => return Ok(made),
            }
        }
    }

    /// Does a run to its end, unless another process has taken it.
    pub async fn run(&self, target: &Target) -> Result<Made, TableError> {
        let mut made = Made::default();
        while let Some(run) = self.take(target).await? {
            let mut rest = match &run.target {
                Target::Job(job) => self.job(run.clone(), job, &mut made).await?,
                Target::Seeker(seeker) => self.seeker(seeker, &mut made).await?,
                Target::Everyone => self.everyone(&run, &mut made).await?,
            };
            if let Left::Rest(rest) = &mut rest {
                rest.taken_at = None;
                if !self.save(&run, rest).await? {
                    break;
                }
                continue;
            }
            let mut unit = self.tables.unit::<()>();
            unit.delete::<Run>(target, run.same()).step();
            match unit.commit().await {
                // Its work began anew meanwhile: that is in the queue.
                Ok(()) | Err(UnitError::Canceled(_)) => break,
                Err(UnitError::Table(error)) => return Err(error),
            }
        }
        Ok(made)
    }

    /// The run, taken; `None` if it is done or another process has it.
    async fn take(&self, target: &Target) -> Result<Option<Run>, TableError> {
        let Some(run) = self.tables.get::<Run>(target).await? else {
            return Ok(None);
        };
        let now = Moment::new(self.tables.now());
        if run
            .taken_at
            .is_some_and(|at| now.seconds() - at.seconds() < LEFT_AFTER)
        {
            return Ok(None);
        }
        let taken = Run {
            token: Ulid::new(self.tables.now()),
            taken_at: Some(now),
            ..run.clone()
        };
        Ok(self.save(&run, &taken).await?.then_some(taken))
    }

    /// Whether the run was saved; not if another process has taken it or its work has begun anew.
    async fn save(&self, before: &Run, after: &Run) -> Result<bool, TableError> {
        let mut unit = self.tables.unit::<()>();
        unit.update(before, after, before.same()).step();
        match unit.commit().await {
            Ok(()) => Ok(true),
            Err(UnitError::Canceled(_)) => Ok(false),
            Err(UnitError::Table(error)) => Err(error),
        }
    }

    /// The job to the seekers in its cities. One Query for every 100 seekers, and what [`make`] takes.
    async fn job(&self, mut run: Run, id: &JobRef, made: &mut Made) -> Result<Left, TableError> {
        let Some(job) = self.tables.get::<Job>(id).await? else {
            return Ok(Left::Nothing);
        };
        let mut cities: Vec<CityKey> = job.places.as_slice().iter().map(Place::key).collect();
        cities.dedup();
        let mut seen = 0;
        while let Some(city) = usize::try_from(run.place)
            .ok()
            .and_then(|at| cities.get(at))
        {
            if seen >= PER_RUN {
                return Ok(Left::Rest(run));
            }
            let list = seekers::in_city(Some(city), run.after.as_ref());
            let (found, more) = self.page::<Whereabouts>(&list, PAGE, None).await?;
            let found = found.into_iter().map(|found| found.seeker_id);
            let found: Vec<_> = found.filter(|id| run.after.as_ref() != Some(id)).collect();
            seen += found.len();
            let before = run.clone();
            match found.last() {
                Some(last) if more.is_some() => run.after = Some(last.clone()),
                _ => (run.place, run.after) = (run.place + 1, None),
            }
            let pairs: Vec<Pair> = found
                .into_iter()
                .map(|seeker| (seeker, id.clone()))
                .collect();
            *made += make(&self.tables, &pairs).await?;
            run.taken_at = Some(Moment::new(self.tables.now()));
            if !self.save(&before, &run).await? {
                return Ok(Left::Nothing);
            }
        }
        Ok(Left::Nothing)
    }

    /// The newest jobs in the cities of a seeker, 500 at most, and those that are suggested already. One Query for
    /// each city, more for jobs that are closed, one for the suggestions, and what [`make`] takes.
    async fn seeker(&self, id: &UserId, made: &mut Made) -> Result<Left, TableError> {
        let Some(seeker) = self.tables.get::<Seeker>(id).await? else {
            return Ok(Left::Nothing);
        };
        let today = crate::domain::Day::of(self.tables.now());
        let mut found: Vec<JobRef> = Vec::new();
        for city in seeker.cities() {
            let open = jobs::in_city(&city).keeping("open", move |job| job.is_open(today));
            let (jobs, _) = self.page(&open, PER_RUN, None).await?;
            found.extend(jobs.iter().map(Job::reference));
        }
        found.sort_by_key(|job| std::cmp::Reverse(job.job_id.raw()));
        found.dedup();
        found.truncate(PER_RUN);
        let mut place = None;
        loop {
            let all = suggestions::of_seeker(id, None, i64::MIN);
            let (suggested, next) = self.page(&all, PER_RUN, place).await?;
            for suggestion in suggested {
                if !found.contains(&suggestion.job) {
                    found.push(suggestion.job);
                }
            }
            match next {
                Some(next) => place = Some(next),
                None => break,
            }
        }
        let pairs: Vec<Pair> = found.into_iter().map(|job| (id.clone(), job)).collect();
        *made += make(&self.tables, &pairs).await?;
        Ok(Left::Nothing)
    }

    /// A run for each seeker. One Query and one TransactWriteItems for every 100 seekers.
    async fn everyone(&self, run: &Run, made: &mut Made) -> Result<Left, TableError> {
        let list = seekers::in_city(None, run.after.as_ref());
        let (found, more) = self.page::<Whereabouts>(&list, PAGE, None).await?;
        let mut unit = self.tables.unit::<()>();
        for found in found
            .iter()
            .filter(|found| run.after.as_ref() != Some(&found.seeker_id))
        {
            let target = Target::Seeker(found.seeker_id.clone());
            unit.put(&Run::new(target, self.tables.now())).step();
            made.seen += 1;
        }
        if let Err(UnitError::Table(error)) = unit.commit().await {
            return Err(error);
        }
        let rest = found.last().filter(|_| more.is_some()).map(|last| Run {
            after: Some(last.seeker_id.clone()),
            ..run.clone()
        });
        Ok(rest.map_or(Left::Nothing, Left::Rest))
    }

    /// The readable entities of a page, and the place of the next one.
    async fn page<E: crate::table::Entity + Send + Sync>(
        &self,
        list: &Listing<E>,
        size: usize,
        place: Option<RowPlace>,
    ) -> Result<(Vec<E>, Option<RowPlace>), TableError> {
        let ask = PageAsk {
            place,
            ..PageAsk::first(size)
        };
        let page = self.tables.page(list, &ask, &()).await?;
        let last = page.rows.last().map(|row| row.place.clone());
        let found = page.rows.into_iter().filter_map(|row| {
            let logged = row
                .entity
                .inspect_err(|error| tracing::warn!(%error, "passed over"));
            logged.ok()
        });
        Ok((found.collect(), last.filter(|_| page.more)))
    }
}
