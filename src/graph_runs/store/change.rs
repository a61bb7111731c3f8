//! Moving runs on, each by one conditional write.

use aws_sdk_dynamodb::types::AttributeValue;

use crate::graph_runs::error::{ChangeError, StoreError};
use crate::graph_runs::items::RunItem;
use crate::graph_runs::model::{Impossible, Run, RunId, Step, Text};
use crate::table::{Condition, WriteError};

use super::read::read_run;
use super::{Pipeline, Runs};

/// How often a move is tried again over what someone else wrote. A run makes three moves in its life, and
/// one more for each retry.
const TRIES: usize = 5;

impl Runs {
    /// The run starts; one that has started stays as it is. GSI1 `RUN#id` and one UpdateItem; one GetItem more
    /// where the index is behind. Where this server is the pipeline, it begins at once.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn start(&self, id: &RunId) -> Result<Run, ChangeError> {
        let run = self.run(id).await?.ok_or(ChangeError::NotFound)?;
        match self.artifacts().size(&run.upload.key).await? {
            None => return Err(ChangeError::NotUploaded),
            Some(size) if size > self.settings().max_upload => {
                return Err(ChangeError::UploadTooLarge(self.settings().max_upload));
            }
            Some(_) => {}
        }
        let now = self.now();
        let (run, moved) = self.step(run, |run| run.start(now)).await?;
        self.begin(&run, moved);
        Ok(run)
    }

    /// A stuck run starts again. As [`Runs::start`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn retry(&self, id: &RunId) -> Result<Run, ChangeError> {
        let run = self.run(id).await?.ok_or(ChangeError::NotFound)?;
        let (now, limit) = (self.now(), self.settings().stuck_after);
        let (run, moved) = self.step(run, |run| run.retry(now, limit)).await?;
        self.begin(&run, moved);
        Ok(run)
    }

    /// The run ends without a graph: a worker says so, or its owner gives it up. GSI1 `RUN#id` and one
    /// UpdateItem; one GetItem more where the index is behind.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn fail(
        &self,
        id: &RunId,
        attempt: Option<u32>,
        reason: &Text<1000>,
    ) -> Result<Run, ChangeError> {
        let run = self.run(id).await?.ok_or(ChangeError::NotFound)?;
        let (now, limit) = (self.now(), self.settings().stuck_after);
        let step = |run: &Run| {
            if !self.is_worker() {
                run.may_give_up(now, limit)?;
            }
            run.fail(attempt, reason.clone(), now)
        };
        Ok(self.step(run, step).await?.0)
    }

    fn begin(&self, run: &Run, moved: Moved) {
        if moved == Moved::Now && self.settings().pipeline == Pipeline::InProcess {
            self.work(run.clone());
        }
    }

    /// Makes a move from what the run is. A move that seems impossible is tried once more on the run as the
    /// table has it, because `run` may come from an index that is behind.
    pub(super) async fn step(
        &self,
        mut run: Run,
        step: impl Fn(&Run) -> Result<Step, Impossible>,
    ) -> Result<(Run, Moved), ChangeError> {
        let mut is_fresh = false;
        for _ in 0..TRIES {
            let after = match step(&run) {
                Ok(Step::Unchanged) => return Ok((run, Moved::Before)),
                Ok(Step::Changed(after)) => *after,
                Err(impossible) if is_fresh => return Err(impossible.into()),
                Err(_) => {
                    run = self.fresh(&run).await?.ok_or(ChangeError::NotFound)?;
                    is_fresh = true;
                    continue;
                }
            };
            match self.write(&run, &after).await {
                Ok(()) => return Ok((after, Moved::Now)),
                Err(WriteError::ConditionFailed(None)) => return Err(ChangeError::NotFound),
                Err(WriteError::ConditionFailed(Some(item))) => {
                    run = read_run(item)?;
                    is_fresh = true;
                }
                Err(WriteError::Table(error)) => return Err(error.into()),
            }
        }
        Err(ChangeError::Contended)
    }

    /// Writes what differs, if the run still stands where `before` says.
    async fn write(&self, before: &Run, after: &Run) -> Result<(), WriteError> {
        let text = |text: String| AttributeValue::S(text);
        // Another program may have left the attempt out.
        let same_attempt = match before.attempt {
            0 => Condition::Equals("updatedAt", text(before.updated_at.to_string())),
            attempt => Condition::Equals("attempt", AttributeValue::N(attempt.to_string())),
        };
        let condition = Condition::All(vec![
            Condition::Exists,
            Condition::Equals("status", text(before.status.word().to_owned())),
            same_attempt,
        ]);
        let table = &self.place.table;
        let (before, after) = (RunItem::from(before), RunItem::from(after));
        let update = table.update_of(Some(&before), &after, condition)?;
        table.update(update, &self.meter).await?;
        Ok(())
    }
}

/// When a move was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moved {
    /// By this call.
    Now,
    /// Earlier: nothing was written.
    Before,
}

impl From<crate::table::MalformedItem> for ChangeError {
    fn from(error: crate::table::MalformedItem) -> Self {
        StoreError::from(error).into()
    }
}
