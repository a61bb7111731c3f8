//! The moves of runs, each one conditional write. Starting and ending a run writes its job in the same transaction.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use crate::error::ChangeError;
use crate::model::{
    Claim, Claimant, Expiry, Impossible, Job, MAX_ATTEMPTS, MAX_TRIES, Run, RunChangeKind, RunId,
    Status, Text, WorkerKind, later,
};
use trestle_table::{Changed, Condition, Entity as _, TransactionBuilder};

use super::seal::unique;
use super::{Pipeline, Runs};

impl Runs {
    /// Starts a run. A run that has started stays as it is, except that a worker gets it if no other one has it. GSI1
    /// `RUN#id` and one TransactWriteItems; for a worker of a started run one GetItem and one write more. The server
    /// that is the pipeline begins at once.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn start(&self, id: &RunId, worker: Option<&str>) -> Result<Run, ChangeError> {
        let run = self.run_to_change(id).await?;
        let sealed = match run.status {
            Status::Uploaded => Some(self.seal(&run).await?),
            Status::Processing | Status::Complete | Status::Failed => None,
        };
        let (now, claimant) = (self.now(), self.claimant(worker));
        let kept = self.settings().retention.started;
        let expires = kept.and_then(|kept| later(now, kept));
        let started = self
            .step(run, |run, unit| {
                let next = run.start(sealed.as_ref(), now, expires)?;
                if run.status == Status::Uploaded {
                    unit.put(&Job::of(&next, claimant.as_ref(), now)).step();
                    if let Some(due) = next.expires_at {
                        unit.put(&Expiry::of(&next, due)).step();
                    }
                }
                Ok(next)
            })
            .await?;
        let run = started.entity;
        if let Some(sealed) = sealed.filter(|sealed| sealed.key != run.upload.key) {
            self.discard(&sealed.key).await;
        }
        match claimant {
            Some(claimant) if !started.is_written && run.status == Status::Processing => {
                self.claim(&run, &claimant).await
            }
            claimant => {
                if started.is_written {
                    self.leases().note(&Job::of(&run, claimant.as_ref(), now));
                }
                self.begin(&run);
                Ok(run)
            }
        }
    }

    /// Starts the next attempt of a stuck run. As [`Runs::start`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn retry(&self, id: &RunId, worker: Option<&str>) -> Result<Run, ChangeError> {
        let run = self.run_to_change(id).await?;
        let (now, limit) = (self.now(), self.settings().stuck_after);
        let claimant = self.claimant(worker);
        // The attempt that this call has tried to start, of which the answer may be lost.
        let tried = AtomicU32::new(0);
        let retried = self
            .step(run, |run, unit| {
                if run.attempt == tried.load(Relaxed) && run.processing_at == Some(now) {
                    return Ok(run.clone());
                }
                let next = run.retry(now, limit)?;
                tried.store(next.attempt, Relaxed);
                unit.put(&Job::of(&next, claimant.as_ref(), now)).step();
                Ok(next)
            })
            .await?;
        match (retried.is_written, &claimant) {
            (false, Some(claimant)) => self.check_own(&retried.entity, claimant).await?,
            (false, None) => {}
            (true, claimant) => {
                let job = Job::of(&retried.entity, claimant.as_ref(), now);
                self.leases().note(&job);
            }
        }
        self.begin(&retried.entity);
        Ok(retried.entity)
    }

    /// Ends a run without a graph: a worker at any time, its owner before it starts or when it is stuck. GSI1 `RUN#id`
    /// and one TransactWriteItems; one GetItem more if the index is stale.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn fail(
        &self,
        id: &RunId,
        attempt: Option<u32>,
        reason: &Text<1000>,
    ) -> Result<Run, ChangeError> {
        let run = self.run_to_change(id).await?;
        let (now, limit) = (self.now(), self.settings().stuck_after);
        let failed = self
            .step(run, |run, unit| {
                if !self.is_worker() {
                    run.may_give_up(now, limit)?;
                }
                let next = run.fail(attempt, reason.clone(), now)?;
                if run.status == Status::Processing {
                    end(run, unit);
                }
                Ok(next)
            })
            .await?;
        Ok(failed.entity)
    }

    /// Gives a run that is being processed to a worker: if none has it, or if the one that had it has lost it. The
    /// latter starts the next attempt, unless [`MAX_TRIES`] workers or [`MAX_ATTEMPTS`] attempts have ended. GetItem and UpdateItem of the job; for a lost one
    /// GetItem and TransactWriteItems.
    ///
    /// # Errors
    /// [`Impossible::Owned`], [`ChangeError`].
    pub(super) async fn claim(&self, run: &Run, claimant: &Claimant) -> Result<Run, ChangeError> {
        let now = self.now();
        let job = self.session.tables.get::<Job>(&run.identity()).await?;
        let job = job.ok_or(Impossible::Ended(Status::Failed))?;
        match job.claim(claimant, self.leases().holder(&job), now)? {
            Claim::Own => Ok(run.clone()),
            Claim::Free(_) => {
                let lease = |job: &Job, _: &mut TransactionBuilder<Impossible>| match job
                    .claim(claimant, None, now)?
                {
                    Claim::Own => Ok(job.clone()),
                    Claim::Free(leased) => Ok(*leased),
                    Claim::Lost(_) => Err(Impossible::Owned),
                };
                let leased = self.session.tables.change_seen(job, lease).await?;
                self.leases().note(&leased.entity);
                Ok(run.clone())
            }
            Claim::Lost(next) if next.tries >= MAX_TRIES => {
                self.lost_too_often(run, job.attempt, MAX_TRIES).await
            }
            Claim::Lost(next) if next.attempt > MAX_ATTEMPTS => {
                self.lost_too_often(run, job.attempt, MAX_ATTEMPTS).await
            }
            Claim::Lost(mut next) => {
                let before = &job;
                next.version = before.version.saturating_add(1);
                let taken = self.step(run.clone(), |run, unit| {
                    if run.attempt == next.attempt {
                        // This very change was written before.
                        return Ok(run.clone());
                    }
                    let taken = run.take_over(before.attempt, now)?;
                    let same = Condition::version("version", before.version);
                    unit.update(before, &*next, same).or(Impossible::Owned);
                    Ok(taken)
                });
                let taken = taken.await?;
                if taken.is_written {
                    self.leases().note(&next)
                } else {
                    self.check_own(&taken.entity, claimant).await?
                }
                Ok(taken.entity)
            }
        }
    }

    /// Whether a worker has a run.
    async fn check_own(&self, run: &Run, claimant: &Claimant) -> Result<(), ChangeError> {
        let job = self.session.tables.get::<Job>(&run.identity()).await?;
        let is_own = |job: &Job| job.worker.as_ref() == Some(&claimant.worker);
        job.filter(is_own).ok_or(Impossible::Owned)?;
        Ok(())
    }

    /// Fails a run that one worker after the other has lost.
    pub(super) async fn lost_too_often(
        &self,
        run: &Run,
        attempt: u32,
        workers: u32,
    ) -> Result<Run, ChangeError> {
        let reason = format!(
            "{workers} workers ended while they were processing the file. The file may be the cause."
        );
        let reason = Text::cut(&reason).ok_or(Impossible::Owned)?;
        let now = self.now();
        let failed = self.step(run.clone(), |run, unit| {
            end(run, unit);
            run.fail(Some(attempt), reason.clone(), now)
        });
        Ok(failed.await?.entity)
    }

    /// Who gets a run that the viewer starts: the viewer, if workers are elsewhere. One that does not say who it is
    /// cannot be told from others.
    fn claimant(&self, worker: Option<&str>) -> Option<Claimant> {
        let is_external = self.settings().pipeline == Pipeline::External && self.is_worker();
        is_external.then(|| Claimant {
            worker: match worker {
                Some(worker) => format!("{}/{worker}", self.session.viewer.subject()),
                None => format!("{}//{}", self.session.viewer.subject(), unique()),
            },
            kind: WorkerKind::External,
            lease: self.settings().external_lease(),
        })
    }

    fn begin(&self, run: &Run) {
        if run.status == Status::Processing
            && let Some(queue) = &self.place.queue
        {
            queue.wake();
        }
    }

    /// Makes a move from a run that may come from a stale index, with what the move adds.
    pub(super) async fn step(
        &self,
        run: Run,
        step: impl Fn(&Run, &mut TransactionBuilder<Impossible>) -> Result<Run, Impossible>,
    ) -> Result<Changed<Run>, ChangeError> {
        let moved = self.session.tables.change_seen(run, step).await?;
        if moved.is_written {
            self.announce(RunChangeKind::Changed, &moved.entity);
        }
        Ok(moved)
    }

    /// Deletes an object that nothing refers to.
    pub(super) async fn discard(&self, key: &str) {
        if let Err(error) = self.files().delete(key).await {
            tracing::warn!(%error, key, "an object that nothing refers to was not deleted");
        }
    }
}

/// Ends a run's job with the run.
pub(super) fn end(run: &Run, unit: &mut TransactionBuilder<Impossible>) {
    unit.delete::<Job>(&run.identity(), Condition::All(Vec::new()))
        .step();
}
