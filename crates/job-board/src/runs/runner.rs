//! Doing runs: each is taken by one process, which renews its lease as long as it works on it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, mpsc};

use crate::seekers::{self, Whereabouts};
use trestle_domain::{Moment, RawId as _, Ulid};
use trestle_table::{
    Condition, Entity as _, Key, LeaseWatch, RowPlace, TableError, Tables, UnitError,
};

use super::making::Made;
use super::pool::Pools;
use super::reading::page;
use super::renewal::{self, Renewal};
use super::{KINDS, Run, Target, URGENT, deletion, for_job, for_seeker, waiting};

/// Runs or seekers that are read together.
const PAGE: usize = 99;
/// Runs of jobs that are done before those of people have their turn.
const TURN: usize = 8;
/// A run whose lease was not renewed for so long was left by a process that ended.
const LEASE: Duration = Duration::from_secs(30);
/// How often a lease is renewed.
const RENEW: Duration = Duration::from_secs(10);
/// How often the runner looks for runs that were left.
const LOOK: Duration = Duration::from_secs(15);
/// How often the runner looks for seekers whose suggestions are due.
const SWEEP: Duration = Duration::from_secs(10 * 60);

/// The leases of runs that other processes have taken, with what a renewal or another process changes.
type Watch = LeaseWatch<Key, (Ulid, Moment)>;

/// Does runs on these tables.
#[derive(Clone, Debug)]
pub struct Runner {
    tables: Tables,
    pools: Arc<Mutex<Pools>>,
    /// Of a process that lives long enough to see that a lease is not renewed.
    watch: Option<Arc<Watch>>,
}

/// What a piece of work left to be done.
enum Left {
    Nothing,
    Rest(Run),
}

fn log_failure(error: &TableError) {
    // The run is still stored: it is taken again when its lease has ended.
    tracing::warn!(%error, "suggestions could not be made");
}

impl Runner {
    /// Of a server, on these tables.
    pub fn new(tables: Tables) -> Self {
        let watch = Watch::new(tables.clock().clone());
        Self {
            watch: Some(Arc::new(watch)),
            ..Self::of_command(tables)
        }
    }

    /// Of a command, which ends when its work is done.
    pub fn of_command(tables: Tables) -> Self {
        Self {
            tables,
            pools: Arc::default(),
            watch: None,
        }
    }

    /// Does what comes from the queue, and what other processes left, until the queue is closed.
    pub async fn serve(self, mut queue: mpsc::Receiver<Target>) {
        let queued = async {
            while let Some(target) = queue.recv().await {
                if let Err(error) = self.run(&target).await {
                    log_failure(&error);
                }
            }
        };
        // Beside the queue: what others left may be much.
        let left = async {
            let mut looks = tokio::time::interval(LOOK);
            loop {
                looks.tick().await;
                if let Err(error) = self.drain().await {
                    log_failure(&error);
                }
            }
        };
        let sweeps = async {
            let mut sweeps = tokio::time::interval(SWEEP);
            loop {
                sweeps.tick().await;
                if let Err(error) = self.sweep().await {
                    log_failure(&error);
                }
            }
        };
        tokio::select! {
            () = queued => {}
            () = left => {}
            () = sweeps => {}
        }
    }

    /// Has the suggestions renewed that are due: by one process, whichever takes the run. One PutItem.
    pub async fn sweep(&self) -> Result<(), TableError> {
        self.start(vec![Target::Renewals]).await
    }

    /// Does every run that no other process has taken. A run that fails is left for later, and does not delay others.
    ///
    /// # Errors
    /// The error of the last run that failed. Those of earlier ones are logged.
    pub async fn drain(&self) -> Result<Made, TableError> {
        let (mut made, mut failed) = (Made::default(), None);
        loop {
            let mut is_idle = true;
            for kind in KINDS {
                let done = self.drain_kind(kind, &mut failed).await?;
                is_idle &= done == Made::default();
                made += done;
            }
            match failed {
                Some(error) if is_idle => return Err(error),
                None if is_idle => return Ok(made),
                _ => {}
            }
        }
    }

    async fn drain_kind(
        &self,
        kind: &'static str,
        failed: &mut Option<TableError>,
    ) -> Result<Made, TableError> {
        let (mut made, mut place) = (Made::default(), None);
        loop {
            let (runs, next) = page(&self.tables, &waiting(kind), PAGE, place).await?;
            for (at, run) in runs.into_iter().enumerate() {
                // The jobs of a whole file take minutes: who waits for suggestions comes before them.
                if at % TURN == TURN - 1 && !URGENT.contains(&kind) {
                    for urgent in URGENT {
                        made += Box::pin(self.drain_kind(urgent, failed)).await?;
                    }
                }
                match self.run(&run.target).await {
                    Ok(done) => made += done,
                    // The caller reports the last one.
                    Err(error) => {
                        if let Some(earlier) = failed.replace(error) {
                            log_failure(&earlier);
                        }
                    }
                }
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
            let work = Box::pin(self.work(&run, &mut made));
            let left = tokio::select! {
                left = work => left?,
                never = self.keep(&run) => match never? {},
            };
            if let Left::Rest(mut rest) = left {
                rest.taken_at = None;
                if !self.save(&run, &rest).await? {
                    break;
                }
                continue;
            }
            let mut unit = self.tables.unit::<()>();
            unit.delete::<Run>(target, run.same());
            match unit.commit().await {
                // Its work began anew meanwhile: that is in the queue.
                Ok(()) | Err(UnitError::Canceled(_)) => break,
                Err(UnitError::Table(error)) => return Err(error),
            }
        }
        Ok(made)
    }

    async fn work(&self, run: &Run, made: &mut Made) -> Result<Left, TableError> {
        match &run.target {
            Target::Job(job) => {
                let rest = for_job::run(&self.tables, run.clone(), job, made).await?;
                Ok(rest.map_or(Left::Nothing, Left::Rest))
            }
            Target::Seeker(seeker) => {
                let mut pools = self.pools.lock().await;
                let requested = run.requested_at;
                *made += for_seeker::run(&self.tables, &mut pools, seeker, requested).await?;
                Ok(Left::Nothing)
            }
            Target::Everyone => self.everyone(run, made).await,
            Target::Renewals => self.renewals(made).await,
            Target::Deletion(party, user) => {
                let before = run
                    .requested_at
                    .unwrap_or_else(|| Moment::new(self.tables.now()));
                *made += deletion::run(&self.tables, *party, user, before).await?;
                Ok(Left::Nothing)
            }
        }
    }

    /// The run, taken; `None` if it is done or another process has it.
    async fn take(&self, target: &Target) -> Result<Option<Run>, TableError> {
        let Some(run) = self.tables.get::<Run>(target).await? else {
            return Ok(None);
        };
        let now = Moment::new(self.tables.now());
        if run.taken_at.is_some_and(|at| self.is_held(&run, at, now)) {
            return Ok(None);
        }
        let taken = Run {
            token: Ulid::new(self.tables.now()),
            taken_at: Some(now),
            ..run.clone()
        };
        // Unless its lease was renewed since.
        let same = match &run.taken_at {
            Some(at) => run.same().and(Condition::is("takenAt", at)),
            None => run.same(),
        };
        let is_taken = self.save_if(&run, &taken, same).await?;
        Ok(is_taken.then_some(taken))
    }

    /// Whether the process that has taken a run may still work on it. A server has seen the lease renewed in the last 30
    /// seconds, whatever clocks say. A command goes by the clock: that it may do what a process with another clock does as
    /// well does no harm, because both write what is as it should be.
    fn is_held(&self, run: &Run, at: Moment, now: Moment) -> bool {
        match &self.watch {
            Some(watch) => watch.unrenewed(run.key(), (run.token, at)) < LEASE,
            None => now.seconds().abs_diff(at.seconds()) < LEASE.as_secs(),
        }
    }

    /// Renews the lease of a run again and again.
    async fn keep(&self, run: &Run) -> Result<std::convert::Infallible, TableError> {
        loop {
            tokio::time::sleep(RENEW).await;
            let renewed = Run {
                taken_at: Some(Moment::new(self.tables.now())),
                ..run.clone()
            };
            // If another process has taken the run, the work goes on: it only writes what is as it should be.
            self.save(run, &renewed).await?;
        }
    }

    /// Whether the run was saved; not if another process has taken it or its work has begun anew.
    async fn save(&self, before: &Run, after: &Run) -> Result<bool, TableError> {
        self.save_if(before, after, before.same()).await
    }

    async fn save_if(
        &self,
        before: &Run,
        after: &Run,
        same: Condition,
    ) -> Result<bool, TableError> {
        // A lease that was renewed in the same millisecond.
        if before == after {
            return Ok(true);
        }
        let mut unit = self.tables.unit::<()>();
        unit.update(before, after, same);
        match unit.commit().await {
            Ok(()) => Ok(true),
            Err(UnitError::Canceled(_)) => Ok(false),
            Err(UnitError::Table(error)) => Err(error),
        }
    }

    /// A run for each seeker. One Query and one TransactWriteItems for every 99 seekers.
    async fn everyone(&self, run: &Run, made: &mut Made) -> Result<Left, TableError> {
        let list = seekers::in_city(None, run.after.as_ref());
        let (found, more) = page::<Whereabouts>(&self.tables, &list, PAGE, None).await?;
        let seekers = found.iter().map(|found| &found.seeker_id);
        let seekers = seekers.filter(|id| run.after.as_ref() != Some(*id));
        let targets: Vec<_> = seekers.cloned().map(Target::Seeker).collect();
        made.seen += targets.len();
        self.start(targets).await?;
        let rest = found.last().filter(|_| more.is_some()).map(|last| Run {
            after: Some(last.seeker_id.clone()),
            ..run.clone()
        });
        Ok(rest.map_or(Left::Nothing, Left::Rest))
    }

    /// A run for each active seeker whose suggestions are due. One Query and one TransactWriteItems for every 99.
    async fn renewals(&self, made: &mut Made) -> Result<Left, TableError> {
        let due = renewal::due(self.tables.now());
        let mut place: Option<RowPlace> = None;
        loop {
            let (found, next) = page::<Renewal>(&self.tables, &due, PAGE, place).await?;
            let targets = found.into_iter().map(|due| Target::Seeker(due.seeker_id));
            let targets: Vec<_> = targets.collect();
            made.seen += targets.len();
            self.start(targets).await?;
            match next {
                Some(next) => place = Some(next),
                None => return Ok(Left::Nothing),
            }
        }
    }

    /// Writes runs; those that are written already begin anew.
    async fn start(&self, targets: Vec<Target>) -> Result<(), TableError> {
        let mut unit = self.tables.unit::<()>();
        for target in targets {
            unit.put(&Run::new(target, self.tables.now()));
        }
        match unit.commit().await {
            Ok(()) | Err(UnitError::Canceled(_)) => Ok(()),
            Err(UnitError::Table(error)) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use trestle_table::Table;
    use trestle_testing::hosted::{TestClock, memory};

    use super::*;
    use crate::table::TABLE;

    const DAY: i64 = 24 * 3600;

    async fn put(tables: &Tables, run: &Run) {
        let mut unit = tables.unit::<()>();
        unit.put(run);
        unit.commit().await.unwrap();
    }

    #[tokio::test]
    async fn a_server_takes_runs_of_processes_that_are_gone_whatever_the_clocks_say() {
        for ahead in [5, 20, 60, 365 * DAY, -60, -DAY] {
            let clock = TestClock::default();
            let table = Table::new(memory().0, &TABLE, TABLE.default_name);
            table.open_or_create().await.unwrap();
            let tables = Tables::new([table], clock.clock());
            let runner = Runner::new(tables.clone());
            let new = Run::new(Target::Everyone, tables.now());
            // Another process, whose clock is so far ahead, renews its lease for longer than a lease.
            for _ in 0..4 {
                let at = tables.now() + TimeDelta::seconds(ahead);
                let taken_at = Some(Moment::new(at));
                put(
                    &tables,
                    &Run {
                        taken_at,
                        ..new.clone()
                    },
                )
                .await;
                for _ in 0..2 {
                    let taken = runner.take(&Target::Everyone).await.unwrap();
                    assert_eq!(taken, None, "{ahead}");
                    clock.advance(5);
                }
            }
            clock.advance(19);
            let taken = runner.take(&Target::Everyone).await.unwrap();
            assert_eq!(taken, None, "{ahead}");
            clock.advance(1);
            let taken = runner.take(&Target::Everyone).await.unwrap();
            assert!(taken.is_some(), "{ahead}");
        }
    }
}
