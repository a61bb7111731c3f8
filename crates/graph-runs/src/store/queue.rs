//! The pipeline of this server: takes runs that wait from the table, in turn between their owners, and has each
//! processed by a process of its own. A lease in the table, renewed while it works, lets other servers take up the runs
//! of one that has died.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::TimeDelta;
use tokio::sync::{Notify, watch};
use tokio::time::{sleep, timeout};

use crate::error::{ChangeError, StoreError};
use crate::model::{Claimant, Impossible, Job, MAX_TRIES, Run, RunId, Status, UserId, WorkerKind};
use trestle_table::{Entity as _, TransactionBuilder};

use super::Runs;
use super::live::report_queue;
use super::seal::unique;

/// How many runs this server processes at the same time, and how many of one owner.
const JOBS: usize = 4;
const JOBS_OF_A_USER: usize = 2;
/// How often a lease is renewed while it lasts.
const RENEWALS: i32 = 4;
/// How often the table is asked for runs that other servers have left.
pub(super) const POLL: Duration = Duration::from_secs(5);

/// The runs that this server processes and those that wait. Shared by all requests.
#[derive(Debug)]
pub struct Queue {
    claimant: Claimant,
    wake: Notify,
    stop: watch::Sender<bool>,
    state: Mutex<State>,
    idle: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// By run, whose it is.
    running: BTreeMap<RunId, UserId>,
    /// When each owner had their last turn.
    turns: HashMap<UserId, u64>,
    turn: u64,
}

impl Queue {
    /// An empty queue. A run is taken up by another server if this one has died for `lease`.
    pub fn new(lease: TimeDelta) -> Self {
        Self {
            claimant: Claimant {
                worker: format!("server/{}", unique()),
                kind: WorkerKind::Server,
                lease,
            },
            wake: Notify::new(),
            stop: watch::Sender::new(false),
            state: Mutex::default(),
            idle: Notify::new(),
        }
    }
}

impl State {
    /// The job whose turn it is: of the owner with the fewest runs being processed, then of the one whose last turn is
    /// the longest ago, then the oldest.
    fn next(&self, waiting: &[Job], is_free: impl Fn(&Job) -> bool) -> Option<Job> {
        if self.running.len() >= JOBS {
            return None;
        }
        let running = |user: &UserId| self.running.values().filter(|other| *other == user).count();
        let free = waiting.iter().filter(|job| {
            is_free(job)
                && !self.running.contains_key(&job.run_id)
                && running(&job.user_id) < JOBS_OF_A_USER
        });
        let turn = |user: &UserId| self.turns.get(user).copied().unwrap_or_default();
        let next = free.min_by_key(|job| {
            let user = &job.user_id;
            (running(user), turn(user), job.queued_at, job.run_id.clone())
        });
        next.cloned()
    }

    fn begin(&mut self, job: &Job) {
        self.turn += 1;
        self.turns.insert(job.user_id.clone(), self.turn);
        if self.turns.len() > 10_000 {
            // An owner whose last turn was long ago counts as new.
            let recent = self.turn.saturating_sub(1_000);
            self.turns.retain(|_, turn| *turn > recent);
        }
        self.running.insert(job.run_id.clone(), job.user_id.clone());
    }
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks for work now.
    pub fn wake(&self) {
        self.wake.notify_one();
    }

    /// Takes no more runs, and hands back those that are being processed.
    pub async fn stop(&self) {
        self.stop.send_replace(true);
        loop {
            let idle = self.idle.notified();
            if self.state().running.is_empty() {
                return;
            }
            // Whoever ends between the look and the wait is seen on the next one.
            let _ = timeout(Duration::from_millis(100), idle).await;
        }
    }

    fn end(&self, run: &RunId) {
        self.state().running.remove(run);
        self.idle.notify_waiters();
        self.wake();
    }
}

impl Runs {
    /// Processes runs until the server stops. `self` is a worker.
    pub async fn process_always(self, queue: Arc<Queue>) {
        let mut stopped = queue.stop.subscribe();
        loop {
            if *stopped.borrow() {
                return;
            }
            let pause = match self.take_waiting(&queue).await {
                Ok(pause) => pause,
                Err(error) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "the work list was not read"
                    );
                    POLL
                }
            };
            tokio::select! {
                () = ended(&mut stopped) => return,
                () = queue.wake.notified() => {}
                () = sleep(pause) => {}
            }
        }
    }

    /// Takes as many waiting runs as there is room for, and returns when to look again: when the next lease may be over, and
    /// soon in any case. `WORK` / `RUN#`, one Query for some 1,000 runs, and two calls for each that is taken.
    async fn take_waiting(&self, queue: &Arc<Queue>) -> Result<Duration, StoreError> {
        if queue.state().running.len() >= JOBS {
            return Ok(POLL);
        }
        let mut waiting = self.work().await?;
        loop {
            let job = {
                let mut state = queue.state();
                let Some(job) = state.next(&waiting, |job| self.is_free(job)) else {
                    break;
                };
                state.begin(&job);
                job
            };
            waiting.retain(|other| other.run_id != job.run_id);
            let (runs, queue) = (self.clone(), Arc::clone(queue));
            tokio::spawn(async move {
                let id = job.run_id.clone();
                if let Err(error) = runs.take(&job, &queue).await {
                    tracing::error!(error = &error as &dyn std::error::Error, run = %id, "a run was not processed");
                }
                queue.end(&id);
            });
        }
        let left = waiting.iter().filter_map(|job| self.leases().left(job));
        let next = left.filter(|left| !left.is_zero()).min();
        Ok(next.map_or(POLL, |next| next.min(POLL)))
    }

    /// The work list, whose length is reported.
    pub(super) async fn work(&self) -> Result<Vec<Job>, StoreError> {
        let found = self.session.tables.all::<Job>(&self.work_list()).await?;
        let work: Vec<Job> = found.into_iter().filter_map(Result::ok).collect();
        let waiting = work.iter().filter(|job| self.is_free(job)).count();
        report_queue(waiting, work.len() - waiting);
        Ok(work)
    }

    /// Claims a run and processes it while the lease is renewed.
    async fn take(&self, job: &Job, queue: &Queue) -> Result<(), ChangeError> {
        let run = self.session.tables.get::<Run>(&job.identity()).await?;
        let Some(run) = run.filter(|run| run.status == Status::Processing) else {
            // What ended a run ends its job with it, so this is a job that someone else has ended by now.
            return self.forget(job).await;
        };
        let run = match self.claim(&run, &queue.claimant).await {
            Ok(run) if run.status == Status::Processing => run,
            Ok(_) | Err(ChangeError::Impossible(_) | ChangeError::NotFound) => return Ok(()),
            Err(error) => return Err(error),
        };
        let mut stopped = queue.stop.subscribe();
        let outcome = tokio::select! {
            ended = self.process(&run) => ended,
            lost = self.keep_lease(&run, &queue.claimant) => lost,
            () = ended(&mut stopped) => self.hand_back(&run, &queue.claimant).await,
        };
        match outcome {
            // Someone retried or ended it meanwhile: it is theirs.
            Err(ChangeError::Impossible(why)) => {
                tracing::info!(%why, run = %run.id, "a run went on without this worker");
                Ok(())
            }
            Err(ChangeError::NotFound) => self.leave(&run).await,
            Err(ChangeError::WorkerKilled) => self.try_again(&run, &queue.claimant).await,
            Err(error) => {
                self.hand_back(&run, &queue.claimant).await?;
                // Whatever is wrong with the stores is not better at once.
                sleep(POLL).await;
                Err(error)
            }
            Ok(()) => Ok(()),
        }
    }

    /// Its job or a run is gone. If the run is, what was written since then goes, too. Otherwise it has ended, by this
    /// worker or another one, and the files are its own.
    async fn leave(&self, run: &Run) -> Result<(), ChangeError> {
        if self
            .session
            .tables
            .get::<Run>(&run.identity())
            .await?
            .is_some()
        {
            tracing::info!(run = %run.id, "a run ended without this worker");
            return Ok(());
        }
        tracing::info!(run = %run.id, "a run was deleted while it was processed");
        Ok(self.delete_files(&run.user, &run.id).await?)
    }

    /// Renews the lease until it is lost.
    async fn keep_lease(&self, run: &Run, claimant: &Claimant) -> Result<(), ChangeError> {
        let pause = (claimant.lease / RENEWALS).to_std().unwrap_or_default();
        loop {
            sleep(pause).await;
            let now = self.now();
            let renewed = self.change_own(run, claimant, |job| job.leased(claimant, now));
            match renewed.await {
                Ok(()) => {}
                Err(ChangeError::Store(error)) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, run = %run.id, "a lease was not renewed");
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Lets any worker take the run, whose attempt stays the same.
    async fn hand_back(&self, run: &Run, claimant: &Claimant) -> Result<(), ChangeError> {
        self.change_own(run, claimant, Job::handed_back).await
    }

    /// Lets any worker take a run whose process was killed, unless that has happened too often.
    async fn try_again(&self, run: &Run, claimant: &Claimant) -> Result<(), ChangeError> {
        let job = self.session.tables.get::<Job>(&run.identity()).await?;
        if job.is_some_and(|job| job.tries + 1 >= MAX_TRIES) {
            let lost = self.lost_too_often(run, run.attempt, MAX_TRIES);
            return lost.await.map(drop);
        }
        self.change_own(run, claimant, |job| Job {
            tries: job.tries.saturating_add(1),
            ..job.handed_back()
        })
        .await
    }

    async fn change_own(
        &self,
        run: &Run,
        claimant: &Claimant,
        change: impl Fn(Job) -> Job,
    ) -> Result<(), ChangeError> {
        let plan = |job: &Job, _: &mut TransactionBuilder<Impossible>| match &job.worker {
            Some(worker) if *worker == claimant.worker => Ok(change(job.clone())),
            _ => Err(Impossible::Owned),
        };
        let id = run.identity();
        match self.session.tables.change::<Job, _>(&id, None, plan).await {
            Ok(_) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn forget(&self, job: &Job) -> Result<(), ChangeError> {
        let plan = |_: &Job, _: &mut TransactionBuilder<Impossible>| Ok(());
        let id = job.identity();
        match self.session.tables.delete::<Job, _>(&id, None, plan).await {
            Ok(_) | Err(trestle_table::ChangeError::NotFound) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// The server stops.
async fn ended(stopped: &mut watch::Receiver<bool>) {
    // The sender lives as long as the queue, which the caller holds.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;

    fn job(user: &str, id: &str, queued: i64) -> Job {
        let at = Timestamp::from_seconds(queued).unwrap();
        Job {
            run_id: RunId::parse(id).unwrap(),
            user_id: UserId::new(user),
            created_at: at,
            attempt: 1,
            queued_at: at,
            tries: 0,
            worker: None,
            lease_until: None,
            lease_seconds: None,
            version: 1,
        }
    }

    #[test]
    fn owners_take_turns_and_none_takes_every_place() {
        let mut waiting: Vec<_> = (0..20)
            .map(|n| job("mallory", &format!("m{n}"), n))
            .collect();
        waiting.push(job("ann", "a", 500));
        waiting.push(job("bob", "b", 501));
        let mut state = State::default();
        let mut order = Vec::new();
        while let Some(next) = state.next(&waiting, |_| true) {
            state.begin(&next);
            order.push(next.run_id.to_string());
        }
        assert_eq!(order, ["m0", "a", "b", "m1"]);
        // Two of Mallory's stay; the free places are for others.
        state.running.retain(|_, user| user.as_str() == "mallory");
        let only_mallory: Vec<_> = waiting
            .iter()
            .filter(|job| job.user_id.as_str() == "mallory")
            .cloned()
            .collect();
        assert_eq!(state.next(&only_mallory, |_| true), None);
    }
}
