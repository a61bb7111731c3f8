//! Deleting runs with their files: by their owners, or because they have expired. A note in the table outlives the run, so
//! that files are deleted after a crash, and those that a late writer leaves.

use std::sync::Arc;

use chrono::TimeDelta;
use futures_util::TryStreamExt as _;
use tokio::time::sleep;

use crate::error::{ChangeError, StoreError};
use crate::keys;
use crate::model::{
    Environment, Expiry, Impossible, Pointer, Run, RunChangeKind, RunId, Timestamp, UserId, later,
};
use crate::objects;
use trestle_table::{Condition, Entity as _, Listing, PageAsk, Sk, TransactionBuilder, UnitError};

use super::{Pipeline, Runs, change};

/// After how long the files of a deleted run are looked for again: signed URLs have ended by then.
const AGAIN: TimeDelta = TimeDelta::hours(1);
/// How many runs are looked at together.
const TOGETHER: usize = 100;

impl Runs {
    /// Deletes a run of the viewer, whatever its status, and its files. A worker that has it is refused from then on. GSI1
    /// `RUN#id`, one GetItem and one TransactWriteItems; of the object store, lists and one request for each file.
    ///
    /// # Errors
    /// [`ChangeError::NotFound`], [`ChangeError::Store`].
    pub async fn delete(&self, id: &RunId) -> Result<Run, ChangeError> {
        let run = self.run_to_change(id).await?;
        if run.user != self.user() {
            return Err(ChangeError::NotFound);
        }
        let run = self.delete_if(&run, |_| true).await?;
        // Whatever stays now is found when its note is due.
        if let Err(error) = self.delete_files(&run.user, &run.id).await {
            tracing::warn!(error = &error as &dyn std::error::Error, run = %run.id, "files of a deleted run stay for now");
        }
        Ok(run)
    }

    /// Deletes a run and its job, and notes to look for its files.
    async fn delete_if(&self, run: &Run, may: impl Fn(&Run) -> bool) -> Result<Run, ChangeError> {
        let due = later(self.now(), AGAIN).unwrap_or_else(|| self.now());
        let id = run.identity();
        let deleted = self.session.tables.delete(
            &id,
            None,
            |run: &Run, unit: &mut TransactionBuilder<Impossible>| {
                if !may(run) {
                    return Err(Impossible::Ended(run.status));
                }
                change::end(run, unit);
                unit.put(&Expiry::of(run, due)).step();
                unit.delete::<Pointer>(&run.id, Condition::All(Vec::new()))
                    .step();
                Ok(())
            },
        );
        let run = deleted.await.map_err(ChangeError::from)?.entity;
        self.announce(RunChangeKind::Deleted, &run);
        Ok(run)
    }

    /// Deletes every file of a run.
    pub(super) async fn delete_files(&self, user: &UserId, id: &RunId) -> Result<(), StoreError> {
        for environment in [Environment::Dev, Environment::Prod] {
            for folder in objects::folders(environment, user, id) {
                self.delete_keys(&folder, |_| true).await?;
            }
            // Differences are kept with the run that they start from.
            let differences = objects::differences(environment, user);
            let of_run = |key: &str| objects::is_difference_to(key, id);
            self.delete_keys(&differences, of_run).await?;
        }
        Ok(())
    }

    async fn delete_keys(
        &self,
        folder: &str,
        is_one: impl Fn(&str) -> bool + Send,
    ) -> Result<(), StoreError> {
        let keys: Vec<String> = self.files().keys(folder).try_collect().await?;
        for key in keys.into_iter().filter(|key| is_one(key)) {
            self.files().delete(&key).await?;
        }
        Ok(())
    }

    /// Deletes expired runs and what is left of deleted ones, again and again; with workers elsewhere, reports how much
    /// waits for them. `self` is a worker.
    pub(super) async fn expire_always(self: Arc<Self>) {
        loop {
            sleep(self.settings().expire_every).await;
            if self.settings().pipeline == Pipeline::External
                && let Err(error) = self.work().await
            {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the work list was not read"
                );
            }
            // What a wrong clock deletes is gone.
            if !self.session.tables.clock().is_trusted() {
                continue;
            }
            if let Err(error) = self.expire().await {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "expired runs were not deleted"
                );
            }
        }
    }

    /// Looks at the runs whose notes are due. `EXPIRY` / `RUN#` to now, one Query for each 100 runs; for each run one
    /// GetItem and a write or two.
    async fn expire(&self) -> Result<(), ChangeError> {
        let due = Listing::<Expiry>::of("expiry", keys::expiry());
        let due = due.between(Sk::of("RUN", "0"), Sk::of("RUN", self.now()));
        let ask = PageAsk::first(TOGETHER);
        loop {
            let found = self.session.tables.page(&due, &ask, &()).await?;
            let mut has_failed = false;
            for note in found.rows.into_iter().filter_map(|row| row.entity.ok()) {
                if let Err(error) = self.look_at(&note).await {
                    // It stays due.
                    has_failed = true;
                    tracing::warn!(error = &error as &dyn std::error::Error, run = %note.run_id, "an expired run was not deleted");
                }
            }
            if !found.more || has_failed {
                return Ok(());
            }
        }
    }

    async fn look_at(&self, note: &Expiry) -> Result<(), ChangeError> {
        let now = self.now();
        let id = (note.user_id.clone(), note.created_at, note.run_id.clone());
        let Some(run) = self.session.tables.get::<Run>(&id).await? else {
            self.delete_files(&note.user_id, &note.run_id).await?;
            return self.forget_run(note).await;
        };
        if run.is_expired(now) {
            // It may have been started just now.
            return match self.delete_if(&run, |run| run.is_expired(now)).await {
                Ok(run) => {
                    let deleted = self.delete_files(&run.user, &run.id).await;
                    self.move_note(note, None).await?;
                    deleted.map_err(ChangeError::from)
                }
                Err(ChangeError::NotFound | ChangeError::Impossible(_)) => Ok(()),
                Err(error) => Err(error),
            };
        }
        let next = match run.expires_at {
            Some(at) if at > now => Some(at),
            Some(_) => later(now, AGAIN),
            None => None,
        };
        self.move_note(note, next).await
    }

    async fn move_note(&self, note: &Expiry, to: Option<Timestamp>) -> Result<(), ChangeError> {
        let mut unit = self.session.tables.unit::<Impossible>();
        let gone = Condition::All(Vec::new());
        unit.delete::<Expiry>(&note.identity(), gone).step();
        if let Some(due) = to.filter(|due| *due != note.due) {
            unit.put(&note.at(due)).step();
        }
        commit(unit).await
    }

    /// Deletes the note and the pointer of a run that is gone: DynamoDB may have deleted the run alone.
    async fn forget_run(&self, note: &Expiry) -> Result<(), ChangeError> {
        let mut unit = self.session.tables.unit::<Impossible>();
        let gone = Condition::All(Vec::new());
        unit.delete::<Expiry>(&note.identity(), gone.clone()).step();
        unit.delete::<Pointer>(&note.run_id, gone).step();
        commit(unit).await
    }
}

async fn commit(unit: TransactionBuilder<Impossible>) -> Result<(), ChangeError> {
    match unit.commit().await {
        Ok(()) => Ok(()),
        Err(UnitError::Table(error)) => Err(error.into()),
        Err(UnitError::Canceled(_)) => Err(ChangeError::Contended),
    }
}
