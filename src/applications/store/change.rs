//! Changing an application: one consistent read, one transaction, and what is done about races.
//!
//! The newest history entry is the whole state, so it alone is read, and the transaction's condition makes
//! sure that it still is. Where it is not, because another program wrote the application and no history,
//! the application is read and then its stages, never side by side: stages that are older than the
//! application would make a snapshot that never was.

use aws_sdk_dynamodb::types::AttributeValue;
use uuid::Uuid;

use crate::applications::changes::{Announced, ChangeKind};
use crate::applications::error::ChangeError;
use crate::applications::items::{ApplicationItem, HistoryItem, StageItem};
use crate::applications::keys;
use crate::applications::model::{
    ApplicationId, DetailsChange, HistoryEntry, NewStage, StageChange, StageId, State, Stay,
    Timestamp, Violations,
};
use crate::table::{Condition, TransactionError};

use super::Applications;
use super::canceled::{Attempts, Lost};
use super::counters::Counting;
use super::current::{Current, Source};

/// A change that was made, or was not needed.
#[derive(Clone, Debug)]
pub struct Changed {
    /// The application now.
    pub state: State,
}

impl Applications {
    /// Patches an application's fields. Query APP#id / HIST# (the newest entry), TransactWriteItems.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn update(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
        change: &DetailsChange,
    ) -> Result<Changed, ChangeError> {
        self.change(id, expected, None, |state, now| {
            state.update(change.clone(), now)
        })
        .await
    }

    /// Puts an application away. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn archive(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
    ) -> Result<Changed, ChangeError> {
        self.change(id, expected, None, |state, _| Ok(state.archive()))
            .await
    }

    /// Takes an application out again. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn unarchive(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
    ) -> Result<Changed, ChangeError> {
        self.change(id, expected, None, |state, _| Ok(state.unarchive()))
            .await
    }

    /// Makes an application what it was after an earlier change. As [`Applications::update`], and the
    /// entry by GetItem APP#id / HIST#sequence.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn restore(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
        sequence: u32,
    ) -> Result<Changed, ChangeError> {
        let entry = self.entry(id, sequence).await?;
        if entry.is_none() && self.read_current(id, Source::Items, 0).await?.is_none() {
            return Err(ChangeError::NotFound);
        }
        let entry = entry.ok_or(ChangeError::NoEntry)?;
        let because = Some(format!("Restored to entry {sequence}"));
        self.change(id, expected, because, |state, _| {
            Ok(state.restore(&entry.snapshot))
        })
        .await
    }

    /// Adds a stage. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn add_stage(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
        stage: &NewStage,
    ) -> Result<Changed, ChangeError> {
        let add = |state: &State, now| state.add_stage(stage.clone(), now);
        let changed = self.change(id, expected, None, add).await;
        let Err(ChangeError::Conflict { .. }) = changed else {
            return changed;
        };
        // Sent again with the version that it was first sent with: it is there, and nothing is to be done.
        let there = |state: &State, now| match add(state, now)? {
            next if next == *state => Ok(next),
            _ => Err(Violations::new()),
        };
        self.change(id, None, None, there).await.or(changed)
    }

    /// Patches a stage. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn update_stage(
        &self,
        (id, stage): (ApplicationId, StageId),
        expected: Option<u32>,
        change: &StageChange,
    ) -> Result<Changed, ChangeError> {
        let plan = |state: &State, now| state.update_stage(stage, change.clone(), now);
        self.change(id, expected, None, plan).await
    }

    /// Removes a stage. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn remove_stage(
        &self,
        (id, stage): (ApplicationId, StageId),
        expected: Option<u32>,
    ) -> Result<Changed, ChangeError> {
        self.change(id, expected, None, |state, _| state.remove_stage(stage))
            .await
    }

    /// Puts the stages in another order. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn reorder_stages(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
        stages: &[StageId],
    ) -> Result<Changed, ChangeError> {
        self.change(id, expected, None, |state, _| state.reorder_stages(stages))
            .await
    }

    /// Reads the application, plans, and writes the change with its history entry; again, with a pause,
    /// while others get there first. A caller that expects a version is never retried over a change.
    async fn change(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
        because: Option<String>,
        plan: impl Fn(&State, Timestamp) -> Result<State, Violations>,
    ) -> Result<Changed, ChangeError> {
        let mut source = Source::Snapshot;
        let mut attempts = Attempts::new(&self.meter);
        // The history is known to go this far, unless another program wrote none.
        let mut known = 0;
        loop {
            let current = self
                .read_current(id, source, known)
                .await?
                .ok_or(ChangeError::NotFound)?;
            let state = &current.state;
            let now = self.now();
            let planned = match expected {
                Some(version) if version != current.stored_version => Err(ChangeError::Conflict {
                    current: current.stored_version,
                }),
                _ => plan(state, now).map_err(ChangeError::from),
            };
            let entry = match planned {
                Ok(next) => Ok(state.commit(next, because.clone(), Uuid::new_v4(), now)),
                Err(refusal) => Err(refusal),
            };
            let lost = match entry {
                Ok(Some(entry)) => match self.write(&current, &entry, &mut attempts).await? {
                    None => {
                        self.announce(|| Announced::written(ChangeKind::Updated, &entry.snapshot));
                        return Ok(Changed {
                            state: entry.snapshot,
                        });
                    }
                    Some(lost) => lost,
                },
                // Nothing to write, so no condition tells whether the snapshot still holds.
                Ok(None) => match self.outdated(&current).await? {
                    None => {
                        return Ok(Changed {
                            state: current.state,
                        });
                    }
                    Some(lost) => lost,
                },
                Err(refusal) => match self.outdated(&current).await? {
                    None => return Err(refusal),
                    Some(lost) => lost,
                },
            };
            match lost {
                Lost::Race => source = Source::Snapshot,
                Lost::Overtaken(version) => (source, known) = (Source::Snapshot, version),
                Lost::Disagreement => source = Source::Items,
            }
            attempts.pause().await?;
        }
    }

    /// The transaction of one change: application, history entry, the stages that differ, counters.
    /// `None` where it was done.
    async fn write(
        &self,
        current: &Current,
        entry: &HistoryEntry,
        attempts: &mut Attempts,
    ) -> Result<Option<Lost>, ChangeError> {
        let (before, after) = (&current.state, &entry.snapshot);
        let id = after.application.id;
        let item = ApplicationItem::from(&after.application);
        let known = (current.source == Source::Snapshot)
            .then(|| ApplicationItem::from(&before.application));
        let update = self
            .table
            .update_of(known.as_ref(), &item, unchanged(current))?;
        let mut transaction = self
            .table
            .transaction()
            .update(update)?
            .put_new(&HistoryItem::from(entry))?;
        for stage in after
            .stages()
            .iter()
            .filter(|stage| before.stage(stage.id) != Some(stage))
        {
            transaction = transaction.put(&StageItem::new(id, stage))?;
        }
        for stage in before
            .stages()
            .iter()
            .filter(|stage| after.stage(stage.id).is_none())
        {
            let anyway = Condition::All(Vec::new());
            transaction = transaction.delete(&keys::stage(id, stage.id), &anyway)?;
        }
        let mut counting = Counting::default();
        counting.remove(&before.application);
        counting.add(&after.application);
        counting.stays(Stay::ended(&before.application, &after.application));
        match counting.write(transaction)?.commit(&self.meter).await {
            Ok(()) => Ok(None),
            Err(TransactionError::Canceled(reasons)) => {
                self.lost(current, entry, reasons, attempts).await
            }
            Err(TransactionError::Table(error)) => Err(error.into()),
        }
    }
}

/// That the stored application is still the one that was read.
fn unchanged(current: &Current) -> Condition {
    let application = &current.state.application;
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let status = application.details.status.word();
    let mut conditions = vec![
        Condition::Equals("updatedAt", text(&application.updated_at.to_string())),
        // The counters go by these two, and not every program moves `updatedAt`.
        Condition::Equals("status", text(status)),
        Condition::Equals("isArchived", AttributeValue::Bool(application.is_archived)),
    ];
    // So do they by this one; what another program wrote may have it in another form.
    if let (Source::Snapshot, Some(day)) = (current.source, application.details.date_applied) {
        conditions.push(Condition::Equals("dateApplied", text(&day.to_string())));
    }
    // Another program may have written an application without the attribute.
    if current.stored_version > 0 {
        let version = AttributeValue::N(current.stored_version.to_string());
        conditions.push(Condition::Equals("historySequence", version));
    }
    Condition::All(conditions)
}
